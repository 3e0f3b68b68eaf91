package bench

import (
	"context"
	"sync/atomic"

	"hotseat"
)

// door is how users of a closed population come in and go while the load runs.
type door struct {
	opened atomic.Pointer[opening]
}

// opening is a population at work.
type opening struct {
	ctx   context.Context
	crowd *crowd
}

func (p *ClosedPopulation) openDoor(ctx context.Context, c *crowd) {
	p.door.opened.Store(&opening{ctx, c})
}

// Join lets one more user in, at once, for contests whose load grows by what
// has been achieved. Only a user at work in the load may call it, of this population or
// of another; its own iterations describe what begin returns, or what the
// population's function does where begin is nil. It returns false, and lets nobody
// in, when the load's time is up, and in a replay, which is of one user alone.
func (p *ClosedPopulation) Join(begin func(u *User) Iteration) bool {
	o := p.door.opened.Load()
	if o == nil {
		panic(authorError("population " + p.name + " is not at work: only a user in the load can let others join"))
	}
	if begin == nil {
		begin = p.newUser
	}
	if o.crowd.run.LoadEnded() || o.crowd.run.opts.replay != nil {
		return false
	}
	o.crowd.enter(o.ctx, begin, o.crowd.workClosed)
	return true
}

// Leave makes the iteration that the user of a closed population is in its last.
func (u *User) Leave() { u.left = true }

// Disqualify ends the run at once with verdict fail, for contests that stop when
// enough has gone wrong. The first reason given holds.
func (r *Run) Disqualify(reason, hint string) {
	r.decide(outcome{verdict: hotseat.Fail, reason: reason, hint: hint})
}
