package isucon12qscenario

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hotseat/bench"
	"hotseat/bench/check"
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

// uploadWatched uploads while readers hammer the ranking.
func (w *world) uploadWatched(u *bench.User, o *browser, c *competition, s *sheet, readers []*player) error {
	var over atomic.Bool
	errs := make(chan error, len(readers))
	for i, who := range readers {
		go func() {
			errs <- u.Run.Alone(u.Context(), bench.Scenario{Name: fmt.Sprintf("reader %d of %s", i+1, u.Population), Run: func(u *bench.User) error {
				b := newBrowser(u, w).asPlayer(o.tenant, who)
				for !over.Load() {
					if _, err := b.ranking(c.id, -1); err != nil {
						return err
					}
				}
				return nil
			}})
		}()
	}
	err := o.upload(c, s)
	over.Store(true)
	for range readers {
		if e := <-errs; e != nil && err == nil {
			err = e
		}
	}
	return err
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

// rankings is group B: order, ties, pages.
func (w *world) rankings(u *bench.User) error {
	const scored = pageSize + 1
	t, players, err := w.newTenantWith(u, scored)
	if err != nil {
		return err
	}
	o := newBrowser(u, w).asOrganizer(t)
	c, err := o.addCompetition(w.newTitle(u.Rand))
	if err != nil {
		return err
	}
	// One after the other on a single connection, as whoever is next needs it.
	look := func(after int, of *player) error {
		reader := newBrowser(u, w).asPlayer(t, players[0])
		defer o.asOrganizer(t)
		if _, err := reader.ranking(c.id, after); err != nil {
			return err
		}
		if after >= 0 {
			return nil
		}
		_, err := reader.page(of.id)
		return err
	}
	type step struct {
		rows  []row
		pages []int
	}
	steps := []step{
		{rowsOf(players, func(i int) int64 { return int64(100 + i) }), []int{-1, pageSize}},
		{rowsOf(players, func(i int) int64 { return int64(1000 - i) }), []int{-1}},
		{twice(players, 1, 1000), []int{-1}},
	}
	if w.strict {
		falling := twice(players, 900, 2)
		steps[0].pages = append(steps[0].pages, 0, 1, 57, scored)
		steps = append(steps, step{falling, []int{-1, 0}}, step{nil, []int{-1}}, step{mixed(players), []int{-1, 50}})
		if err := look(-1, players[30]); err != nil { // nothing yet
			return err
		}
	}
	for i, step := range steps {
		s := newSheet(step.rows)
		var readers []*player
		if w.strict && i > 0 {
			readers = players[1:3]
		}
		if err := w.uploadWatched(u, o, c, s, readers); err != nil {
			return err
		}
		for _, after := range step.pages {
			if err := look(after, players[30]); err != nil {
				return err
			}
		}
	}
	return nil
}

// twice makes a sheet with two rows for each player.
func twice(players []*player, first, second int64) []row {
	var rows []row
	for _, p := range players {
		rows = append(rows, row{p, first}, row{p, second})
	}
	return rows
}

// mixed makes a sheet with few different scores, so that ties abound, and a
// second row for every third player, far from the first.
func mixed(players []*player) []row {
	var rows []row
	for i := range players {
		p := players[i*37%len(players)]
		rows = append(rows, row{p, int64(i * 31 % 9)})
	}
	for i := 0; i < len(players); i += 3 {
		rows = append(rows, row{players[i], int64(i * 17 % 11)})
	}
	return rows
}

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

// initialBilling is group E: what the truth says that tenants owe.
func (w *world) initialBilling(u *bench.User) error {
	b := newBrowser(u, w).asAdmin()
	page, p, err := b.tenantsPage(int64(oneOf(u.Rand, 12, 29)))
	if err != nil {
		return err
	}
	b.exercised(ruleAdminBillingInitial)
	for i := range page {
		var id int
		if _, err := fmt.Sscan(page[i].ID, &id); err != nil || id < 1 || id > len(w.initial) {
			continue // only where the rule about pages is switched off
		}
		if t := w.tenantOf(id); *page[i].Billing != t.initial.yen {
			if err := b.blame(p, wrongYen(t, *page[i].Billing, "owes")); err != nil {
				return err
			}
		}
	}
	if !w.strict {
		return nil
	}
	// What comes after the last page. The last page itself has the largest
	// tenant, over which the given app broods for half a minute.
	_, _, err = b.tenantsPage(1)
	return err
}

// staticFiles is group F. The original looked at one page, one script and one style sheet.
func (w *world) staticFiles(u *bench.User) error {
	u.SetHost(w.tenantOf(1).host)
	for i, f := range w.truth.static {
		if i == 3 && !w.strict {
			break
		}
		p := u.Get(f.path).Route("/"+path.Base(f.path)).Expect(bench.Status(ruleOKStatus, http.StatusOK),
			bench.That(ruleStaticFile, func(p *bench.Page) *bench.Mismatch {
				if string(p.Body()) == string(f.content) {
					return nil
				}
				return &bench.Mismatch{Code: check.AssetDigest, Expected: fmt.Sprintf("the %d bytes that were given", len(f.content)),
					Actual: fmt.Sprintf("%d other bytes", len(p.Body())), Message: "a static file is not the one that was given"}
			}))
		if !p.OK() {
			return p.Err()
		}
	}
	return nil
}

// initialData looks at some initial tenants: their players and competitions,
// and whether those who are disqualified are refused.
func (w *world) initialData(u *bench.User) error {
	tenants := []*tenant{w.tenantOf(oneOf(u.Rand, 2, 30)), w.tenantOf(oneOf(u.Rand, 31, seedFirst-1))}
	if c := w.seed.competition; c != nil {
		tenants = append(tenants, c.tenant)
	} else {
		tenants = append(tenants, w.tenantOf(oneOf(u.Rand, seedFirst, seedLast)))
	}
	for _, t := range tenants {
		b := newBrowser(u, w).asOrganizer(t)
		b.exercised(ruleInitialLists, ruleInitializeReset)
		if _, err := b.organizersList(); err != nil {
			return err
		}
		if _, err := b.list(); err != nil {
			return err
		}
		for _, want := range []tristate{isNot, is} {
			who := t.anyone(want)
			if who == nil {
				continue
			}
			b.asPlayer(t, who)
			if want == isNot {
				if _, err := b.playersList(); err != nil {
					return err
				}
				continue
			}
			err := b.refused(ruleInitialLists, u.Get(pathPlayersCompetitions), http.StatusForbidden, "competitions for an initially disqualified player")
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// anyone returns a player whose initial standing is this.
func (t *tenant) anyone(want tristate) *player {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, p := range t.roster {
		if p.initially == want {
			return p
		}
	}
	return nil
}
