package isucon12qscenario

import (
	"fmt"
	"net/http"
	"time"

	"hotseat/bench"
)

// Three workers of the load do nothing but check (§16.5): what a tenant is
// billed, what all tenants are billed, and how players fare who are disqualified.

// tenantBilling checks the billing of a tenant of its own, all of it, after
// each competition.
type tenantBilling struct {
	worker
	tenant   *tenant
	players  []*player
	restarts int
}

// maxRestarts is how often it begins again after a failure.
const maxRestarts = 3

func newTenantBilling(u *bench.User, w *world) *tenantBilling {
	return &tenantBilling{worker: newWorker(u, w)}
}

func (k *tenantBilling) round() error {
	err := k.check()
	if err == nil {
		return nil
	}
	k.tenant = nil
	if k.restarts++; k.restarts > maxRestarts {
		k.user.Leave()
	}
	k.rest()
	return err
}

func (k *tenantBilling) check() error {
	u, w, size := k.user, k.world, &k.world.size
	if k.tenant == nil {
		t, err := k.asAdmin().addTenant(w.newNames(u.Rand))
		if err != nil {
			return w.normal(err)
		}
		names := make([]string, 2*size.billed) // the first half has none
		for i := size.billed; i < len(names); i++ {
			names[i] = w.unique(u.Rand, 16)
		}
		if k.players, err = k.asOrganizer(t).addPlayers(names); err != nil {
			return w.critical(err)
		}
		k.tenant = t
	}
	k.asOrganizer(k.tenant)
	c, err := k.addCompetition(w.newTitle(u.Rand))
	if err != nil {
		return w.critical(err)
	}
	scored := min(u.Rand.IntN(size.billed), len(k.players))
	rows := rowsOf(k.players[:scored], func(int) int64 { return int64(u.Rand.IntN(1000)) })
	if err := k.upload(c, newSheet(rows)); err != nil {
		return w.critical(err)
	}
	visitors := min(u.Rand.IntN(size.billed-scored+1), len(k.players)-scored)
	for _, who := range k.players[scored : scored+visitors] {
		u.ResetConnections() // a browser of their own
		if _, err := k.asPlayer(k.tenant, who).ranking(c.id, -1); err != nil {
			return w.normal(err)
		}
	}
	if err := k.asOrganizer(k.tenant).finish(c); err != nil {
		return w.critical(err)
	}
	u.Think(size.grace, size.grace)
	if u.Run.LoadEnded() {
		return nil
	}
	if _, err := k.billing(); err != nil {
		return w.normal(err)
	}
	return nil
}

// adminBilling checks how much the billing of all tenants grows by a competition.
type adminBilling struct {
	worker
	quiet time.Time // from when on no earlier finish may show for the first time
}

// The tenants whose billing is compared: nothing else finishes competitions of theirs.
const (
	growthFirst = 41
	growthLast  = 71
)

func newAdminBilling(u *bench.User, w *world) *adminBilling {
	k := &adminBilling{worker: newWorker(u, w)}
	k.crew = newCrew(w, w.size.checkWatchers)
	return k
}

func (k *adminBilling) round() error {
	if err := k.check(); err != nil {
		k.rest()
		return err
	}
	return nil
}

func (k *adminBilling) check() error {
	u, w, size := k.user, k.world, &k.world.size
	// After a failure an earlier finish may not have shown yet.
	wait := time.Until(k.quiet)
	u.Think(wait, wait)
	before := int64(oneOf(u.Rand, growthFirst, growthLast))
	k.asAdmin().patience = adminPatience
	page, _, err := k.tenantsPage(before)
	k.patience = 0
	if err != nil {
		return w.normal(err)
	}
	if len(page) == 0 {
		return bench.ErrCut // only where the rule about pages is switched off
	}
	id := idOf(page[u.Rand.IntN(len(page))])
	if id < 1 || id > initialTenants {
		return bench.ErrCut
	}
	t := w.tenantOf(int(id))
	j := &job{worker: &k.worker, tenant: t, rows: 1 << 30, crew: k.crew, joining: 1}
	err = j.run()
	k.quiet = time.Now().Add(size.grace)
	if err != nil {
		return err
	}
	done := t.latest()
	u.Think(size.grace, size.grace)
	if u.Run.LoadEnded() || done == nil || w.doubtful(page) {
		return nil
	}
	k.asAdmin().patience = adminPatience
	after, p, err := k.tenantsPage(before)
	k.patience = 0
	if err != nil {
		return w.normal(err)
	}
	k.exercised(ruleAdminBillingGrowth)
	grown := sumOf(after) - sumOf(page)
	c := done
	s := c.past()[len(c.past())-1]
	due, tell := c.reckon(s, c.ending)
	if want := playerYen * due.players; grown != want {
		f := &finding{Problem: bench.Problem{Rule: ruleAdminBillingGrowth, Code: "sum-mismatch",
			Expected: fmt.Sprintf("%d yen more: %d players with a score, nobody else", want, due.players),
			Actual:   fmt.Sprintf("%d yen more", grown), Message: "the billing of all tenants has grown by another amount than the competition costs"}}
		if excess := grown - want; excess > 0 && excess%visitorYen == 0 && excess <= visitorYen*tell.scored {
			f.or = []string{ruleBillingOnce}
		} else if grown < want && grown > 0 {
			f.or = []string{ruleRankingSheet}
			if want-grown == playerYen*tell.disqScored {
				f.or = append(f.or, ruleBillingDisqualified)
			}
		}
		if err := k.blame(p, f); err != nil {
			return w.normal(err)
		}
	}
	return nil
}

// doubtful reports whether some finish of these tenants' competitions may
// still take effect: its answer was lost.
func (w *world) doubtful(page []tenantDetail) bool {
	for i := range page {
		id := idOf(page[i])
		if id < 1 || id > int64(len(w.initial)) {
			continue
		}
		for _, c := range w.tenantOf(int(id)).own() {
			c.mu.Lock()
			doubtful := c.ending.doubtful
			c.mu.Unlock()
			if doubtful {
				return true
			}
		}
	}
	return false
}

func sumOf(page []tenantDetail) (yen int64) {
	for i := range page {
		yen += *page[i].Billing
	}
	return yen
}

// latest returns the competition that was finished last, nil if an answer of it was lost.
func (t *tenant) latest() *competition {
	own := t.own()
	if len(own) == 0 {
		return nil
	}
	c := own[len(own)-1]
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ending.doubtful || c.ending.sent.IsZero() {
		return nil
	}
	return c
}

// playerCheck checks rankings and pages of players, and that who is
// disqualified is refused.
type playerCheck struct{ worker }

func newPlayerCheck(u *bench.User, w *world) *playerCheck { return &playerCheck{newWorker(u, w)} }

func (k *playerCheck) round() error {
	if err := k.check(); err != nil {
		k.rest()
		return err
	}
	return nil
}

func (k *playerCheck) check() error {
	u, w, size := k.user, k.world, &k.world.size
	t := w.tenantOf(oneOf(u.Rand, seedFirst, seedLast))
	k.asOrganizer(t)
	listed, err := k.list()
	if err != nil {
		return w.normal(err)
	}
	_, qualified := t.sort(listed)
	qualified = qualified[:min(len(qualified), size.checkRows)]
	if len(qualified) < 2 {
		k.rest()
		return nil
	}
	c, err := k.addCompetition(w.newTitle(u.Rand))
	if err != nil {
		return w.critical(err)
	}
	if err := k.upload(c, newSheet(rowsOf(qualified, func(i int) int64 { return int64(1000 + i) }))); err != nil {
		return w.critical(err)
	}
	witness, victim := qualified[0], qualified[1]
	for _, who := range []*player{witness, victim} {
		k.asPlayer(t, who)
		if _, err := k.page(victim.id); err != nil {
			return w.normal(err)
		}
		if _, err := k.ranking(c.id, -1); err != nil {
			return w.normal(err)
		}
	}
	if err := k.asOrganizer(t).disqualify(victim); err != nil {
		return w.critical(err)
	}
	since := time.Now()
	if err := k.upload(c, newSheet(rowsOf(qualified, func(i int) int64 { return int64(1000 - i) }))); err != nil {
		return w.critical(err)
	}
	if _, err := k.asPlayer(t, witness).ranking(c.id, -1); err != nil {
		return w.normal(err)
	}
	if err := k.asOrganizer(t).finish(c); err != nil {
		return w.critical(err)
	}
	wait := time.Until(since.Add(size.grace))
	u.Think(wait, wait)
	if u.Run.LoadEnded() {
		return nil
	}
	if _, err := k.asPlayer(t, witness).page(victim.id); err != nil {
		return w.normal(err)
	}
	return w.critical(k.shutOut(t, victim, witness, c))
}

// shutOut wants a player who was disqualified long enough ago to be refused everywhere.
func (b *browser) shutOut(t *tenant, victim, witness *player, c *competition) error {
	b.asPlayer(t, victim)
	for _, s := range []struct {
		step  *bench.Step
		point string
		name  string
	}{
		{b.user.Get(pathPlayer(witness.id)).Route(routePlayer), pointPlayer, "player page for a disqualified player"},
		{b.rankingRequest(c.id, -1), pointRanking, "ranking for a disqualified player"},
		{b.user.Get(pathPlayersCompetitions), pointPlayersOwnLists, "competitions for a disqualified player"},
	} {
		if err := b.refused(ruleDisqualifiedRefused, s.step, http.StatusForbidden, s.name); err != nil {
			return err
		}
		b.point(s.point)
	}
	return nil
}
