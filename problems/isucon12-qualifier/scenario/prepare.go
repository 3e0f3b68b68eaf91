package isucon12qscenario

import (
	"context"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
)

// initializeTimeout is the contest's (§11).
const initializeTimeout = 30 * time.Second

// initialize brings the service back to its initial state.
func (w *world) initialize(ctx context.Context, r *bench.Run) error {
	if w.strict {
		// What fails here is no failure: an earlier run might have been cut anywhere.
		_ = r.Alone(ctx, bench.Scenario{Name: "leftovers", Run: w.sow})
	}
	return r.Alone(ctx, bench.Scenario{Name: "initialize", Run: func(u *bench.User) error {
		b := newBrowser(u, w)
		u.SetHost(adminHost)
		p := u.Request(http.MethodPost, "/initialize").Within(initializeTimeout).Expect(statusOK, typeJSON, cachePrivate)
		if !p.OK() {
			return p.Err()
		}
		_, err := read[initializeData](b, p)
		return err
	}})
}

// checks are the groups of §16.4, which go on at the same time as they did
// then, and under rules=strict some more.
func checks(w func() *world) []bench.Scenario {
	strictly := func(work func(w *world, u *bench.User) error) func(w *world, u *bench.User) error {
		return func(w *world, u *bench.User) error {
			if !w.strict {
				return nil
			}
			return work(w, u)
		}
	}
	var groups []bench.Scenario
	for i, g := range []struct {
		name string
		work func(w *world, u *bench.User) error
	}{
		{"happy path", (*world).happyPath},
		{"rankings", (*world).rankings},
		{"bad requests", (*world).badRequests},
		{"bad tokens", (*world).badTokens},
		{"billing of all tenants", (*world).initialBilling},
		{"static files", (*world).staticFiles},
		{"billing rules", strictly((*world).billingRules)},
		{"initial data", strictly((*world).initialData)},
	} {
		groups = append(groups, bench.Scenario{Name: g.name, Beside: i > 0, Run: func(u *bench.User) error { return g.work(w(), u) }})
	}
	return groups
}

// newTenantWith adds a tenant with so many named players.
func (w *world) newTenantWith(u *bench.User, players int) (*tenant, []*player, error) {
	b := newBrowser(u, w).asAdmin()
	t, err := b.addTenant(w.newNames(u.Rand))
	if err != nil {
		return nil, nil, err
	}
	list, err := w.addPlayersTo(u, t, players)
	return t, list, err
}

// addPlayersTo adds named players and returns them in the order of their names' being asked for.
func (w *world) addPlayersTo(u *bench.User, t *tenant, players int) ([]*player, error) {
	names := make([]string, players)
	for i := range names {
		names[i] = w.unique(u.Rand, 16)
	}
	added, err := newBrowser(u, w).asOrganizer(t).addPlayers(names)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(added, func(a, b *player) int { return slices.Index(names, a.name) - slices.Index(names, b.name) })
	return added, nil
}

// rowsOf makes a sheet with one row per player.
func rowsOf(players []*player, score func(i int) int64) []row {
	rows := make([]row, len(players))
	for i, p := range players {
		rows[i] = row{p, score(i)}
	}
	return rows
}

// happyPath is group A: every endpoint once, with the answer that is due.
func (w *world) happyPath(u *bench.User) error {
	const scored = 99
	t, players, err := w.newTenantWith(u, scored+1)
	if err != nil {
		return err
	}
	o := newBrowser(u, w).asOrganizer(t)
	if _, err := o.list(); err != nil {
		return err
	}
	c, err := o.addCompetition(w.newTitle(u.Rand))
	if err != nil {
		return err
	}
	if err := o.disqualify(players[scored-1]); err != nil {
		return err
	}
	rows := rowsOf(players[:scored], func(i int) int64 { return int64(100 + i) })
	if w.strict { // so that the best is neither the last nor the one who is disqualified
		u.Rand.Shuffle(scored-1, func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		rows[0], rows[scored-1] = rows[scored-1], rows[0]
	}
	if err := o.upload(c, newSheet(rows)); err != nil {
		return err
	}
	reader := newBrowser(u, w)
	if w.strict {
		if _, err := reader.asPlayer(t, players[0]).ranking(c.id, -1); err != nil {
			return err
		}
		o.asOrganizer(t)
	}
	if err := w.uploadWatched(u, o, c, newSheet(rows), players[:4]); err != nil {
		return err
	}

	if _, err := reader.asPlayer(t, players[0]).page(players[10].id); err != nil {
		return err
	}
	if _, err := reader.ranking(c.id, -1); err != nil {
		return err
	}
	if _, err := reader.asPlayer(t, players[scored]).ranking(c.id, -1); err != nil {
		return err
	}
	if w.strict {
		// A visit in the same second has a check of its own, see billingRules.
		u.Think(nextSecond, nextSecond)
	}
	if err := o.asOrganizer(t).finish(c); err != nil {
		return err
	}
	if w.strict { // it must show at once
		if _, err := o.organizersList(); err != nil {
			return err
		}
	}
	u.Think(w.size.grace, w.size.grace)
	if _, err := reader.asPlayer(t, players[0]).ranking(c.id, -1); err != nil {
		return err
	}
	if _, err := reader.page(players[scored-1].id); err != nil {
		return err
	}
	if _, err := reader.playersList(); err != nil {
		return err
	}
	o.asOrganizer(t)
	if _, err := o.billing(); err != nil {
		return err
	}
	if _, err := o.organizersList(); err != nil {
		return err
	}
	if _, err := o.list(); err != nil {
		return err
	}
	if _, _, err := o.asAdmin().tenantsPage(newest); err != nil {
		return err
	}
	_, err = o.asOrganizer(w.tenantOf(oneOf(u.Rand, 3, initialTenants))).billing()
	return err
}
