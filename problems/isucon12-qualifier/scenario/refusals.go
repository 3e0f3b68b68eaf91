package isucon12qscenario

import (
	"crypto"
	_ "crypto/sha512" // RS512
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"hotseat/bench"
)

// unknownID is an id that nobody has (§10).
const unknownID = "0000000000"

// badRequests is group C: what must be refused.
func (w *world) badRequests(u *bench.User) error {
	b := newBrowser(u, w).asAdmin()
	name := badTenant
	if w.strict && !w.seed.named {
		name = w.unique(u.Rand, 12)
	}
	add := func(name string) *bench.Step {
		return b.user.PostForm(pathTenantsAdd, "name", name, "display_name", name)
	}
	b.exercised(ruleInitializeReset)
	p := b.do(add(name), bench.Status(ruleOKStatus, http.StatusOK, http.StatusBadRequest, http.StatusTooManyRequests))
	if p.Status() == http.StatusBadRequest {
		err := b.blame(p, &finding{Problem: bench.Problem{Rule: ruleInitializeReset, Code: "stale-read",
			Expected: "status 200: no tenant has this name after the initialisation", Actual: "status 400",
			Message: "a tenant that was added before the initialisation is still there"}})
		if err != nil {
			return err
		}
		name = w.unique(u.Rand, 12)
	}
	var t *tenant
	if p.Status() == http.StatusOK && p.OK() {
		data, err := read[tenantData](b, p)
		if err != nil {
			return err
		}
		t = w.met(name, name, data.Tenant.ID, p.DoneAt())
	} else {
		if p.Status() != http.StatusBadRequest && p.Status() != http.StatusTooManyRequests {
			return p.Err()
		}
		var err error
		if t, err = b.addTenant(name, name); err != nil {
			return err
		}
	}
	for _, bad := range []string{name, "INVALID_TENANTID"} {
		if err := b.refusedBusy(ruleTenantName, func() *bench.Step { return add(bad) }, http.StatusBadRequest, "POST "+pathTenantsAdd+" with a bad name"); err != nil {
			return err
		}
	}

	players, err := w.addPlayersTo(u, t, 3)
	if err != nil {
		return err
	}
	b.asOrganizer(t)
	c, err := b.addCompetition(w.newTitle(u.Rand))
	if err != nil {
		return err
	}
	rows := rowsOf(players, func(i int) int64 { return int64(10 * (i + 1)) })
	if err := b.upload(c, newSheet(rows)); err != nil {
		return err
	}
	reader := newBrowser(u, w).asPlayer(t, players[0])
	before, err := reader.ranking(c.id, -1)
	if err != nil {
		return err
	}
	unchanged := func() error {
		if !w.strict {
			return nil
		}
		defer b.asOrganizer(t)
		return reader.asPlayer(t, players[0]).unchanged(c, before)
	}

	b.asOrganizer(t)
	err = b.refused(ruleUnknownID, u.Request("POST", pathDisqualify(unknownID)).Route(routeDisqualify), http.StatusNotFound, "disqualify an unknown player")
	if err != nil {
		return err
	}
	err = b.refused(ruleUnknownID, b.scoreRequest(unknownID, sheetHeader, rows), http.StatusNotFound, "upload to an unknown competition")
	if err != nil {
		return err
	}
	strangers := append(rowsOf(players, func(int) int64 { return 7 }), row{&player{id: unknownID}, 1})
	err = b.refused(ruleUploadPlayer, b.scoreRequest(c.id, sheetHeader, strangers), http.StatusBadRequest, "upload a sheet with an unknown player")
	if err != nil {
		return err
	}
	if err := unchanged(); err != nil {
		return err
	}
	for _, header := range []string{"score,player_id", "player_id,score,extra"} {
		if err := b.refused(ruleUploadHeader, b.headed(c, header, rows), http.StatusBadRequest, "upload a sheet with another header"); err != nil {
			return err
		}
	}
	if err := unchanged(); err != nil {
		return err
	}

	reader.asPlayer(t, players[0])
	err = reader.refused(ruleUnknownID, u.Get(pathPlayer(unknownID)).Route(routePlayer), http.StatusNotFound, "page of an unknown player")
	if err != nil {
		return err
	}
	err = reader.refused(ruleUnknownID, reader.rankingRequest(unknownID, -1), http.StatusNotFound, "ranking of an unknown competition")
	if err != nil {
		return err
	}

	b.asOrganizer(t)
	victim := players[1]
	if err := b.disqualify(victim); err != nil {
		return err
	}
	// With no grace in this place (§16.4 C).
	reader.asPlayer(t, victim)
	err = reader.refused(ruleDisqualifiedRefused, reader.rankingRequest(c.id, -1), http.StatusForbidden, "ranking for a disqualified player")
	if err != nil {
		return err
	}

	b.asOrganizer(t)
	err = b.refused(ruleUnknownID, u.Request("POST", pathFinish(unknownID)).Route(routeFinish), http.StatusNotFound, "finish an unknown competition")
	if err != nil {
		return err
	}
	if err := b.finish(c); err != nil {
		return err
	}
	return b.refused(ruleUploadFinished, b.scoreRequest(c.id, sheetHeader, rows[:1]), http.StatusBadRequest, "upload to a finished competition")
}

// headed describes an upload with another header; a header with three columns
// has rows with three.
func (b *browser) headed(c *competition, header string, rows []row) *bench.Step {
	file := string(csv(header, rows))
	if strings.Count(header, ",") == 2 {
		file = header + "\n" + rows[0].who.id + ",1,1"
	}
	return b.user.Post(pathScore(c.id), multipartType, multipart([]byte(file))).Route(routeScore)
}

// unchanged wants the ranking to be what it was before sheets were uploaded
// that had to be refused.
func (b *browser) unchanged(c *competition, before *board) error {
	p := b.do(b.rankingRequest(c.id, -1), statusOK)
	if !p.OK() {
		return p.Err()
	}
	data, err := read[rankingData](b, p)
	if err != nil {
		return err
	}
	b.exercised(ruleUploadAtomic)
	same := func(a, b rank) bool { return a.PlayerID == b.PlayerID && *a.Score == *b.Score }
	if slices.EqualFunc(data.Ranks, before.ranks, same) {
		return nil
	}
	// A sheet that was accepted is blamed on the rule that it breaks.
	return b.blame(p, &finding{or: []string{ruleUploadPlayer, ruleUploadHeader}, Problem: bench.Problem{
		Rule: ruleUploadAtomic, Code: "value-mismatch", Expected: describeRanks(before.ranks), Actual: describeRanks(data.Ranks),
		Message: "a sheet that was refused has changed the ranking"}})
}

// met takes note of a tenant that was added by hand.
func (w *world) met(name, display, id string, at time.Time) *tenant {
	t := newTenant(w, name)
	t.display, t.complete, t.addedAt = display, true, at
	_, _ = fmt.Sscan(id, &t.id) // 0 if it is no number
	w.mu.Lock()
	defer w.mu.Unlock()
	w.added = append(w.added, t)
	return t
}

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
