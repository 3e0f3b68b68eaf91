package isucon12qscenario

import (
	_ "crypto/sha512" // RS512
	"time"

	"hotseat/bench"
)

// nextSecond is a little more than the second in which a visit and a finish
// are as good as simultaneous (§7).
const nextSecond = 1100 * time.Millisecond

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
