package bench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hotseat"
)

const (
	aliveEvery  = 50 * time.Millisecond // a sign of life is noted at most this often
	backOffMin  = 5 * time.Millisecond  // after an iteration with a failure
	backOffMax  = 200 * time.Millisecond
	idleBackOff = time.Millisecond // after an iteration that asked for nothing
	maxUsers    = 100_000
	startBatch  = 64                    // users of a closed population that begin at once
	startEvery  = 10 * time.Millisecond // the time between two such batches
)

// pulse knows whether the target still takes connections.
type pulse struct {
	alive     atomic.Int64 // when it last did, since the run's start; noted now and then
	refused   atomic.Int64 // connections in a row, by all users, that came to nothing
	firstDead atomic.Int64 // when the first of these was tried, since the run's start
	lastDead  atomic.Int64 // when the last of these was given up
}

// note takes in the outcome of a request.
func (a *pulse) note(p *Page) {
	now := int64(p.step.user.lastAt)
	if p.wire != nil && p.wire.Class == string(hotseat.ClassConnect) {
		if a.refused.Add(1) == 1 {
			a.firstDead.Store(int64(p.sentAt.Sub(p.step.user.Run.start)))
		}
		a.lastDead.Store(now)
		return
	}
	// All users share these words, so they are written as rarely as possible.
	if a.refused.Load() > 0 || now-a.alive.Load() > int64(aliveEvery) {
		a.alive.Store(now)
		a.refused.Store(0)
	}
}

// stopped reports whether for so long every connection was refused. One
// refusal and silence do not tell: the users may just be thinking.
func (a *pulse) stopped(patience time.Duration) bool {
	const enough = 3
	return a.refused.Load() >= enough && time.Duration(a.lastDead.Load()-a.firstDead.Load()) >= patience
}

// crowd is a population at work.
type crowd struct {
	*population
	run    *Run
	wait   *sync.WaitGroup // of all crowds: a user of one may call in a user of another
	users  atomic.Int64    // that have come in so far
	clean  atomic.Int64
	failed atomic.Int64 // iterations with a failure
	missed atomic.Int64 // starts that no user was free for
	late   atomic.Int64 // starts that the benchmark itself delayed
	due    *arrivals
}

// load runs the populations, and the drain after them.
func (r *Run) load() {
	if r.ctx.Err() != nil {
		return
	}
	var populations []Population
	_ = r.guard(nil, func() error { // a panic has decided the verdict already
		populations = r.contest.Populations(r)
		if err := r.placeUsers(populations); err != nil {
			r.refuse(err)
			return nil
		}
		populations = r.only(populations)
		names := map[string]bool{}
		for _, p := range populations {
			if name := p.spec().name; names[name] {
				panic(authorError(fmt.Sprintf("two populations are called %q", name)))
			}
			names[p.spec().name] = true
		}
		return nil
	})
	if r.ctx.Err() != nil {
		return
	}
	ctx, cut := context.WithCancel(r.ctx)
	defer cut()
	duration, drain := r.opts.duration, r.contest.Drain
	endPhase := r.beginPhase(PhaseLoad, duration, duration+drain)
	began, before := r.Elapsed(), used()
	r.loadEnd.Store(int64(began + duration))
	r.tally.SetDeadline(began + duration + drain)
	r.exercise(ruleServerDied)
	r.loading.Store(true)
	crowds := make([]*crowd, len(populations))
	var wait sync.WaitGroup
	for i, p := range populations {
		crowds[i] = &crowd{population: p.spec(), run: r, wait: &wait}
		if p, ok := p.(*ClosedPopulation); ok {
			p.openDoor(ctx, crowds[i])
		}
	}
	r.mu.Lock()
	r.populations = crowds
	r.mu.Unlock()

	gone := make(chan struct{})
	_ = r.guard(nil, func() error { // a panic has decided the verdict already
		for _, c := range crowds {
			c.start(ctx)
		}
		return nil
	})
	go func() {
		defer close(gone)
		wait.Wait()
	}()
	r.untilLoadEnds(began+duration, gone)
	r.gen.endLoad(before, r.Elapsed()-began)
	r.loadEnd.Store(0)
	close(r.loadEnded)
	endPhase(r.ctx.Err() == nil)

	endPhase = r.beginPhase(PhaseDrain, 0, drain)
	if r.ctx.Err() == nil && drain > 0 {
		timer := time.NewTimer(drain)
		select {
		case <-timer.C:
		case <-gone:
		case <-r.ctx.Done():
		}
		timer.Stop()
	}
	// From here on no point counts; then nothing is waited for any more.
	r.tally.Close()
	cut()
	<-gone
	endPhase(r.ctx.Err() == nil)
	for _, c := range crowds {
		c.account(duration)
	}
	r.loading.Store(false)
}

// untilLoadEnds waits for the load's time to be up, for all users to have gone
// home, for the target to die, or for the run to be stopped.
func (r *Run) untilLoadEnds(end time.Duration, gone <-chan struct{}) {
	timer := time.NewTimer(end - r.Elapsed())
	defer timer.Stop()
	look := time.NewTicker(100 * time.Millisecond)
	defer look.Stop()
	for {
		select {
		case <-timer.C:
			return
		case <-gone:
			return
		case <-r.ctx.Done():
			return
		case <-look.C:
			if r.alive.stopped(r.contest.patience.dead) {
				r.serverDied()
				return
			}
		}
	}
}

// serverDied ends the run because nobody is there any more.
func (r *Run) serverDied() {
	message := fmt.Sprintf("the target %s stopped taking connections: for %s all %d were refused",
		r.opts.rawTarget, r.contest.patience.dead, r.alive.refused.Load())
	r.engineFailure(hotseat.ClassLifecycle, CodeServerDied, ruleServerDied, &Mismatch{Message: message,
		Expected: "a server that stays up until the end", Actual: "connections refused",
		Hint: "look at the end of the servers' logs: which process died, and of what?"})
	r.decide(outcome{verdict: hotseat.Fail, reason: message})
}

// start lets the first users in, and whoever lets in more.
func (c *crowd) start(ctx context.Context) {
	if p := c.run.opts.replay; p != nil {
		c.users.Store(int64(p.id - 1))
		c.enter(ctx, c.newUser, c.workClosed) // as soon as it can, also in an open population
		return
	}
	if c.open != nil {
		c.due = newArrivals(c.run, c.open)
		for range c.open.users {
			c.enter(ctx, c.newUser, c.workOpen)
		}
		return
	}
	waiting := c.closed.start
	for begun := 0; waiting > 0 && begun < startBatch; begun++ {
		c.enter(ctx, c.newUser, c.workClosed)
		waiting--
	}
	grows := c.closed.grow > 0 && c.closed.every > 0
	if waiting > 0 || grows {
		c.wait.Go(func() {
			c.admit(ctx, waiting)
			if grows {
				c.growUntil(ctx)
			}
		})
	}
}

// admit lets the rest of the first users in, batch by batch. Thousands of connections
// opened in the same instant overflow the target's queue of new ones, which costs
// some users a second and says nothing about the target, and their stacks would
// take half as much memory again as all users need later.
func (c *crowd) admit(ctx context.Context, waiting int) {
	if waiting <= 0 {
		return
	}
	ticker := time.NewTicker(startEvery)
	defer ticker.Stop()
	for waiting > 0 {
		select {
		case <-ticker.C:
		case <-c.run.loadEnded:
			return
		case <-ctx.Done():
			return
		}
		for range min(waiting, startBatch) {
			c.enter(ctx, c.newUser, c.workClosed)
			waiting--
		}
	}
}

// enter starts one more user.
func (c *crowd) enter(ctx context.Context, begin func(u *User) Iteration, work func(u *User, next Iteration)) {
	id := int(c.users.Add(1))
	c.wait.Go(func() {
		u := c.run.newUser(ctx, c.population, id, c.address(id))
		u.ended = c.run.loadEnded
		defer c.run.retire(u)
		var next Iteration
		if c.run.guard(u, func() error { next = begin(u); return nil }) == nil {
			work(u, next)
		}
	})
}

// growUntil lets more users in as the growth rule says, until the load ends.
func (c *crowd) growUntil(ctx context.Context) {
	ticker := time.NewTicker(c.closed.every)
	defer ticker.Stop()
	limit := c.closed.limit
	if limit <= 0 {
		limit = maxUsers
	}
	var clean, failed int64
	for {
		select {
		case <-ticker.C:
		case <-c.run.loadEnded:
			return
		case <-ctx.Done():
			return
		}
		cleanNow, failedNow := c.clean.Load(), c.failed.Load()
		may := c.closed.growth == Always || (cleanNow > clean && failedNow == failed)
		clean, failed = cleanNow, failedNow
		for range c.closed.grow {
			if may && int(c.users.Load()) < limit && !c.run.LoadEnded() {
				c.enter(ctx, c.newUser, c.workClosed)
			}
		}
	}
}

// workClosed is the life of a user of a closed population.
func (c *crowd) workClosed(u *User, next Iteration) {
	backOff := backOffMin
	for !c.run.LoadEnded() && !u.Cut() && !u.left {
		clean := c.iterate(u, next)
		switch {
		case !clean:
			// A target that refuses at once must not make us spin.
			u.sleep(backOff)
			backOff = min(2*backOff, backOffMax)
		case !u.busy:
			u.sleep(idleBackOff)
			backOff = backOffMin
		default:
			backOff = backOffMin
		}
		u.endIteration()
	}
}

// iterate runs one iteration and counts it, unless it was cut.
func (c *crowd) iterate(u *User, next Iteration) (clean bool) {
	clean = c.run.iterate(u, next)
	switch {
	case u.Cut():
	case clean:
		c.clean.Add(1)
	default:
		c.failed.Add(1)
	}
	return clean
}

// workOpen is the life of a user of an open population: take the next start
// that nobody has taken, wait for its time, begin. What was due while all
// users were busy is taken late, and that is the target's doing; what begins
// late although a user had been waiting for it is ours.
func (c *crowd) workOpen(u *User, next Iteration) {
	for !c.run.LoadEnded() && !u.Cut() {
		due := c.due.take()
		now := c.run.Now()
		if now.Sub(due) > c.open.maxLate {
			c.miss(due, now)
			continue
		}
		u.sleep(due.Sub(now))
		if c.run.LoadEnded() || u.Cut() {
			c.due.giveBack()
			return
		}
		ready := due
		if now.After(ready) {
			ready = now
		}
		delay := c.run.Now().Sub(ready)
		u.tally.Late(delay)
		if delay > c.open.maxLate {
			c.lateStart(u, delay)
		}
		u.intended = due
		c.iterate(u, next)
		u.endIteration()
	}
}

// miss counts a start that came too late to be made up for. All users were busy:
// that is the target's doing, unless one of them would have been free in time but
// for the benchmark's own stalls. Where a target is slower than its users come, every
// start waits until it is just too late, and the shortest stall would be an excuse;
// so they must also have eaten a good part of the wait.
func (c *crowd) miss(due, now time.Time) {
	late := now.Sub(due)
	stalled := c.run.gen.stalled(due, now)
	if late-stalled <= c.open.maxLate && stalled*doubtfulLag >= late {
		c.lateStart(nil, late)
		return
	}
	c.missed.Add(1)
}

// lateStart counts a start that the benchmark itself delayed.
func (c *crowd) lateStart(u *User, delay time.Duration) {
	c.late.Add(1)
	f := hotseat.Failure{Class: hotseat.ClassGenerator, Code: codeLateStart, Side: hotseat.SideBench, Phase: c.run.phaseName(),
		Scenario: c.name, AtS: c.run.Elapsed().Seconds(), Message: fmt.Sprintf("an iteration began %s late although a user was free", delay.Round(time.Millisecond)),
		Hint: "the benchmark was not given enough CPU to keep its schedule"}
	if u != nil {
		f.User = u.ID
	}
	c.run.fail(&f, nil)
}

// account adds the starts that were still waiting when the load ended, and
// tells the team what an open population could not start.
func (c *crowd) account(load time.Duration) {
	if c.due == nil { // a closed population, or one that could not start
		return
	}
	c.missed.Add(c.due.left(load - c.open.maxLate))
	if n := c.missed.Load(); n > 0 {
		c.run.Log(hotseat.AudienceTeam, "population %s: %d of %d iterations could not start within %s of their time, because all %d users were waiting for the target",
			c.name, n, c.due.count(), c.open.maxLate, c.open.users)
	}
	late := c.run.tally.Lateness()
	ms := func(q float64) float64 { return float64(late.ValueAtQuantile(q)) / 1000 }
	c.run.Log(hotseat.AudienceAdmin, "open populations: the benchmark's own lateness at starts was %.1f ms (median), %.1f ms (99 %%), %.1f ms (largest)", ms(50), ms(99), ms(100))
}

// Arrivals returns what has become of the open populations so far.
func (r *Run) Arrivals() []hotseat.Arrivals {
	r.mu.Lock()
	defer r.mu.Unlock()
	var list []hotseat.Arrivals
	for _, c := range r.populations {
		if c.due != nil {
			list = append(list, hotseat.Arrivals{Population: c.name, Users: int64(c.open.users), Due: c.due.count(),
				Ended: c.clean.Load() + c.failed.Load(), Missed: c.missed.Load()})
		}
	}
	return list
}

// missed returns how many starts of a population were missed because of the target.
func (r *Run) missed(population string) (n int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.populations {
		if c.name == population {
			n += c.missed.Load()
		}
	}
	return n
}

// Now returns the time, by the run's clock.
func (r *Run) Now() time.Time { return r.start.Add(r.Elapsed()) }
