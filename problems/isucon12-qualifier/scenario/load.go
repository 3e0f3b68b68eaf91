package isucon12qscenario

import (
	"math/rand/v2"
	"time"

	"hotseat/bench"
)

// The populations of the load (§16.5). All are closed loops: the load grows
// only because jobs that are done sooner bring more workers along.
const (
	popAdmin         = "admin-billing"
	popPopular       = "popular-tenant"
	popNew           = "new-tenant"
	popTenantBilling = "tenant-billing-check"
	popAdminBilling  = "admin-billing-check"
	popPlayerCheck   = "player-check"
	popPlayer        = "player"
	popWatcher       = "watcher"
)

// crowd is who works during the load, and who may bring others along.
type crowd struct {
	popular, new, player, watcher *bench.ClosedPopulation
}

func (w *world) populations() []bench.Population {
	c := &w.crowd
	c.popular = bench.Closed(popPopular, func(u *bench.User) bench.Iteration { return newPopular(u, w, false) })
	c.new = bench.Closed(popNew, func(u *bench.User) bench.Iteration { return newNewcomer(u, w, nil) })
	// Who joins is told then whom to be; a replay has nobody to tell.
	nobody := func(u *bench.User) bench.Iteration {
		u.Leave()
		return func() error { return nil }
	}
	c.player = bench.Closed(popPlayer, nobody).Start(0)
	c.watcher = bench.Closed(popWatcher, nobody).Start(0)
	return []bench.Population{
		bench.Closed(popAdmin, func(u *bench.User) bench.Iteration { return newOperator(u, w).pass }),
		c.popular, c.new,
		bench.Closed(popTenantBilling, func(u *bench.User) bench.Iteration { return newTenantBilling(u, w).round }),
		bench.Closed(popAdminBilling, func(u *bench.User) bench.Iteration { return newAdminBilling(u, w).round }),
		bench.Closed(popPlayerCheck, func(u *bench.User) bench.Iteration { return newPlayerCheck(u, w).round }),
		c.player, c.watcher,
	}
}

// worker is what all workers of the load have: a browser of their own.
type worker struct {
	*browser
	crew *crew
}

func newWorker(u *bench.User, w *world) worker {
	b := newBrowser(u, w)
	b.scored = true
	return worker{browser: b}
}

// rest is what a worker does after a failure, before it starts over.
func (k *worker) rest() {
	k.user.Think(k.world.size.restart, k.world.size.restart)
}

// operator pages through the billing of all tenants. Each complete pass lets
// in a new tenant, the first one the most popular tenant's organizer as well.
type operator struct {
	worker
	passes int
}

// adminPatience is what the operator's requests may take (§16.3).
const adminPatience = 60 * time.Second

// firstBefore is where the operator's very first pass starts.
const firstBefore = 100

func newOperator(u *bench.User, w *world) *operator {
	k := &operator{worker: newWorker(u, w)}
	k.patience = adminPatience
	k.asAdmin()
	return k
}

func (k *operator) pass() error {
	before := int64(newest)
	if k.passes == 0 {
		before = firstBefore
	}
	for {
		page, _, err := k.tenantsPage(before)
		if k.user.Cut() || k.user.Run.LoadEnded() {
			return err
		}
		if err != nil {
			_ = k.world.normal(err) // it asks again
			k.user.Think(100*time.Millisecond, 100*time.Millisecond)
			continue
		}
		if len(page) == 0 {
			break
		}
		before = idOf(page[len(page)-1])
	}
	k.passes++
	t, err := k.addTenant(k.world.newNames(k.user.Rand))
	if err != nil {
		return k.world.critical(err)
	}
	k.world.crowd.new.Join(func(u *bench.User) bench.Iteration { return newNewcomer(u, k.world, t) })
	if k.passes == 1 {
		k.world.crowd.popular.Join(func(u *bench.User) bench.Iteration { return newPopular(u, k.world, true) })
	}
	return nil
}

// newcomer is the organizer of a tenant that the run has added.
type newcomer struct {
	worker
	given *tenant // by the operator; nil: it adds its own
	job   *job    // nil: it has to begin at the top
}

func newNewcomer(u *bench.User, w *world, given *tenant) bench.Iteration {
	return (&newcomer{worker: newWorker(u, w), given: given}).round
}

func (k *newcomer) round() error {
	if err := k.work(); err != nil {
		k.job = nil
		k.rest()
		return err
	}
	return nil
}

func (k *newcomer) work() error {
	if k.job == nil {
		t := k.given
		if t == nil {
			var err error
			if t, err = k.asAdmin().addTenant(k.world.newNames(k.user.Rand)); err != nil {
				return k.world.critical(err)
			}
		}
		if _, err := k.asOrganizer(t).addPlayers(k.world.newPlayerNames(k.user.Rand)); err != nil {
			return k.world.critical(err)
		}
		k.job = newJob(&k.worker, t)
	}
	if err := k.job.run(); err != nil {
		return err
	}
	if _, err := k.asOrganizer(k.job.tenant).billing(); err != nil {
		return k.world.normal(err)
	}
	return nil
}

// popular is the organizer of an initial tenant: of the largest one, or of
// one of the first thirty.
type popular struct {
	worker
	heavy bool
	job   *job
}

// The tenants that light organizers take.
const (
	heavyTenant = 1
	lightFirst  = 2
	lightLast   = 30
)

func newPopular(u *bench.User, w *world, heavy bool) bench.Iteration {
	return (&popular{worker: newWorker(u, w), heavy: heavy}).round
}

func (k *popular) round() error {
	if err := k.work(); err != nil {
		k.job = nil
		k.rest()
		return err
	}
	return nil
}

func (k *popular) work() error {
	if k.job == nil {
		id := heavyTenant
		if !k.heavy {
			id = oneOf(k.user.Rand, lightFirst, lightLast)
		}
		k.job = newJob(&k.worker, k.world.tenantOf(id))
	}
	if err := k.job.run(); err != nil {
		return err
	}
	k.asOrganizer(k.job.tenant)
	if _, err := k.billing(); err != nil {
		return k.world.normal(err)
	}
	if _, err := k.addPlayers(k.world.newPlayerNames(k.user.Rand)); err != nil {
		return k.world.critical(err)
	}
	return nil
}

// job is one competition from its beginning to its end, again and again.
type job struct {
	worker  *worker
	tenant  *tenant
	rows    int // at most, of players; grows with every run
	repeats int
	crew    *crew
	joining int
}

func newJob(k *worker, t *tenant) *job {
	size := &k.world.size
	if k.crew == nil {
		k.crew = newCrew(k.world, size.watchers)
	}
	return &job{worker: k, tenant: t, rows: size.rowsFirst, repeats: size.repeats, crew: k.crew, joining: size.joining}
}

// run is the organizer's job of §16.5.
func (j *job) run() error {
	k, w, size := j.worker, j.worker.world, &j.worker.world.size
	dice := k.user.Rand
	k.asOrganizer(j.tenant)
	listed, err := k.list()
	if err != nil {
		return w.normal(err)
	}
	all, qualified := j.tenant.sort(listed)
	if len(qualified) == 0 {
		return bench.ErrCut // in initial tenants there are always some; nobody to play with
	}
	c, err := k.addCompetition(w.newTitle(dice))
	if err != nil {
		return w.critical(err)
	}

	looking := j.crew.watch(j.tenant, c, qualified)
	w.letPlay(j.tenant, qualified, j.joining)
	rows := randomRows(dice, all[:min(len(all), j.rows)], j.repeats)
	err = k.upload(c, newSheet(rows))
	if err == nil {
		k.user.Think(size.rest, size.rest)
	}
	looking.end(k.user)
	if err != nil {
		return w.critical(err)
	}
	if err := k.finish(c); err != nil {
		return w.critical(err)
	}
	j.rows = min(j.rows+size.rowsStep, size.rowsMax)
	return nil
}

// randomRows makes a sheet: a row per player in random order, and among them
// further ones of random players.
func randomRows(dice *rand.Rand, players []*player, repeats int) []row {
	rows := make([]row, 0, len(players)+repeats)
	for _, i := range dice.Perm(len(players)) {
		rows = append(rows, row{players[i], int64(dice.IntN(1000))})
	}
	for range repeats {
		rows = append(rows, row{players[dice.IntN(len(players))], int64(dice.IntN(1000))})
	}
	return rows
}

// sort returns the listed players, and those that may play.
func (t *tenant) sort(listed []playerDetail) (all, qualified []*player) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range listed {
		p := t.players[listed[i].ID]
		if p == nil {
			continue // a phantom, where the rule about these is switched off
		}
		all = append(all, p)
		if !*listed[i].IsDisqualified && p.initially != is && p.asked.IsZero() {
			qualified = append(qualified, p)
		}
	}
	return all, qualified
}

// letPlay lets players in who do not play yet.
func (w *world) letPlay(t *tenant, qualified []*player, n int) {
	for _, p := range qualified {
		if n == 0 {
			return
		}
		if p.plays.Swap(true) {
			continue
		}
		n--
		w.crowd.player.Join(func(u *bench.User) bench.Iteration { return newGamer(u, w, t, p).round })
	}
}

// idOf returns a tenant's id as a number, 0 if it is none.
func idOf(d tenantDetail) (id int64) {
	for _, c := range []byte(d.ID) {
		if c < '0' || c > '9' {
			return 0
		}
		id = 10*id + int64(c-'0')
	}
	return id
}
