package isucon12qscenario

import (
	"crypto"
	_ "crypto/sha512" // RS512
	"net/http"
	"time"

	"hotseat/bench"
)

// nextSecond is a little more than the second in which a visit and a finish
// are as good as simultaneous (§7).
const nextSecond = 1100 * time.Millisecond

// badTokens is group D: tokens that are no good.
func (w *world) badTokens(u *bench.User) error {
	b := newBrowser(u, w).asAdmin()
	now := time.Now()
	admin := newClaims(roleAdmin, roleAdmin, adminName, now)
	expired := newClaims(roleAdmin, roleAdmin, adminName, now.Add(-2*tokenLife))
	sha512 := &signer{key: w.signer.key, alg: "RS512", hash: crypto.SHA512}
	add := func(cookie string) *bench.Step {
		name := w.unique(u.Rand, 12)
		return u.PostForm(pathTenantsAdd, "name", name, "display_name", name).Header("Cookie", cookie)
	}
	tokens := []struct{ name, rule, cookie string }{
		{"an expired token", ruleTokenInvalid, w.signer.sign(expired)},
		{"a token signed by another key", ruleTokenInvalid, w.stranger.sign(admin)},
		{"an RS512 token", ruleTokenAlgorithm, sha512.sign(admin)},
	}
	if w.strict {
		tokens = append(tokens, struct{ name, rule, cookie string }{"no token", ruleTokenInvalid, ""})
	}
	for _, t := range tokens {
		if err := b.refusedBusy(t.rule, func() *bench.Step { return add(t.cookie) }, http.StatusUnauthorized, "POST "+pathTenantsAdd+" with "+t.name); err != nil {
			return err
		}
	}

	const nobody = "null-null"
	u.SetHost(nobody + domain)
	organizer := w.signer.sign(newClaims(roleOrganizer, roleOrganizer, nobody, now))
	join := func() *bench.Step {
		return u.PostForm(pathCompetitionsAdd, "title", w.newTitle(u.Rand)).Header("Cookie", organizer)
	}
	if err := b.refusedBusy(ruleTokenTenant, join, http.StatusUnauthorized, "POST "+pathCompetitionsAdd+" at an unknown tenant"); err != nil {
		return err
	}
	t := w.tenantOf(oneOf(u.Rand, 31, seedFirst-1))
	u.SetHost(t.host)
	s := u.Get(pathPlayersCompetitions).Header("Cookie", w.signer.sign(newClaims(rolePlayer, unknownID, t.name, now)))
	if err := b.refused(ruleTokenPlayer, s, http.StatusUnauthorized, "GET "+pathPlayersCompetitions+" as an unknown player"); err != nil {
		return err
	}
	if !w.strict {
		return nil
	}
	other := w.tenantOf(oneOf(u.Rand, 2, 30))
	for _, path := range []string{pathCompetitions, pathPlayers, pathBilling} {
		s := u.Get(path).Header("Cookie", other.organizerCookie())
		if err := b.refused(ruleTokenAudience, s, http.StatusUnauthorized, "GET "+path+" with a token of another tenant"); err != nil {
			return err
		}
	}
	s = u.Get(pathPlayersCompetitions).Header("Cookie", t.organizerCookie())
	if err := b.refused(ruleTokenRole, s, http.StatusForbidden, "GET "+pathPlayersCompetitions+" as an organizer"); err != nil {
		return err
	}
	who := t.anyone(isNot)
	if who == nil {
		return nil
	}
	for _, path := range []string{pathCompetitions, pathPlayers, pathBilling} {
		s := u.Get(path).Header("Cookie", t.playerCookie(who))
		if err := b.refused(ruleTokenRole, s, http.StatusForbidden, "GET "+path+" as a player"); err != nil {
			return err
		}
	}
	return nil
}

// billingRules plays every rule of §7 through, each in a competition of its
// own: so even the shortest run judges all of them, and what is wrong is told
// by the rule that it breaks.
func (w *world) billingRules(u *bench.User) error {
	t, players, err := w.newTenantWith(u, 8)
	if err != nil {
		return err
	}
	o := newBrowser(u, w).asOrganizer(t)
	made := map[string]*competition{}
	sheets := []struct {
		purpose string
		rows    []row
	}{
		{ruleBillingUnfinished, rowsOf(players[:1], ascending)},
		{ruleBillingPlayers, rowsOf(players[:6], ascending)}, // and another one below
		{ruleBillingVisitors, rowsOf(players[:1], ascending)},
		{ruleBillingOnce, rowsOf(players[:2], ascending)},
		{ruleBillingRepeat, rowsOf(players[:1], ascending)},
		{ruleBillingRankAfter, rowsOf(players[:1], ascending)},
		{ruleBillingDisqualified, rowsOf([]*player{players[0], players[6]}, ascending)},
		{ruleBillingLateVisit, rowsOf(players[:1], ascending)},
		{ruleBillingSameSecond, rowsOf(players[:1], ascending)},
	}
	for _, s := range sheets {
		c, err := o.addCompetition(w.newTitle(u.Rand))
		if err != nil {
			return err
		}
		c.purpose = s.purpose
		made[s.purpose] = c
		if s.purpose == ruleBillingOnce { // who looks first and scores later
			if err := w.visit(u, t, c, -1, players[1]); err != nil {
				return err
			}
			o.asOrganizer(t)
		}
		if err := o.upload(c, newSheet(s.rows)); err != nil {
			return err
		}
	}
	if _, err := o.organizersList(); err != nil {
		return err
	}
	// Who is only in an earlier sheet does not count, nor do repeated rows.
	second := append(rowsOf(players[:4], ascending), row{players[0], 5}, row{players[1], 5})
	if err := o.upload(made[ruleBillingPlayers], newSheet(second)); err != nil {
		return err
	}
	visits := []struct {
		purpose string
		after   int
		who     []*player
	}{
		{ruleBillingUnfinished, -1, players[1:2]},
		{ruleBillingVisitors, -1, players[1:4]},
		{ruleBillingOnce, -1, []*player{players[0], players[2]}},
		{ruleBillingRepeat, -1, []*player{players[1], players[1], players[2], players[1]}},
		{ruleBillingRankAfter, 1, players[1:2]},
		{ruleBillingDisqualified, -1, players[7:8]},
	}
	for _, v := range visits {
		if err := w.visit(u, t, made[v.purpose], v.after, v.who...); err != nil {
			return err
		}
	}
	o.asOrganizer(t)
	for _, who := range players[6:8] {
		if err := o.disqualify(who); err != nil {
			return err
		}
	}

	if _, err := o.billing(); err != nil { // what is kept of this would be stale after the finish
		return err
	}
	u.Think(nextSecond, nextSecond)
	for _, s := range sheets {
		c := made[s.purpose]
		switch s.purpose {
		case ruleBillingUnfinished:
			continue
		case ruleBillingSameSecond:
			// As far as the clocks agree, the whole second is before us.
			wait := time.Until(time.Now().Truncate(time.Second).Add(time.Second + 20*time.Millisecond))
			u.Think(wait, wait)
			if err := w.visit(u, t, c, -1, players[1]); err != nil {
				return err
			}
			o.asOrganizer(t)
		}
		if err := o.finish(c); err != nil {
			return err
		}
	}
	u.Think(nextSecond, nextSecond)
	if err := w.visit(u, t, made[ruleBillingLateVisit], -1, players[1], players[2]); err != nil {
		return err
	}
	if err := w.visit(u, t, made[ruleBillingRepeat], -1, players[2]); err != nil {
		return err
	}
	u.Think(w.size.grace, w.size.grace)
	b := o.asOrganizer(t)
	b.exercised(ruleBillingOnce, ruleBillingRepeat, ruleBillingRankAfter, ruleBillingDisqualified, ruleBillingLateVisit, ruleBillingSameSecond)
	if _, err := b.billing(); err != nil {
		return err
	}
	return b.shutOut(t, players[6], players[0], made[ruleBillingDisqualified])
}

func ascending(i int) int64 { return int64(i + 1) }

// visit has players look at a ranking, one after the other.
func (w *world) visit(u *bench.User, t *tenant, c *competition, after int, players ...*player) error {
	for _, who := range players {
		if _, err := newBrowser(u, w).asPlayer(t, who).ranking(c.id, after); err != nil {
			return err
		}
	}
	return nil
}
