package isucon1scenario

import (
	"fmt"
	"sync/atomic"

	"hotseat"
	"hotseat/bench"
)

// originalState is what the original's verdict is made of (§10).
type originalState struct {
	loadErrors    atomic.Int64 // answers to the load with another status than 200 or 3xx
	posts, failed atomic.Int64 // comments whose outcome was known by the load's end
	checks        atomic.Int32 // of the checker: see below
}

// Outcomes of the checker's chain.
const (
	checkUnfinished = iota
	checkSuccess
	checkFailed
)

// posted takes note of a comment with its verification, if it had one.
func (o *originalState) posted(ok bool) {
	o.posts.Add(1)
	if !ok {
		o.failed.Add(1)
	}
}

func (o *originalState) checked(ok bool) {
	if ok {
		o.checks.Store(checkSuccess)
	} else {
		o.checks.Store(checkFailed)
	}
}

// originalErrorShare is the share of errors from which on a run failed.
const originalErrorShare = 0.01

// originalVerdict is the original's "test". Connections that were refused or
// broken counted neither as success nor as error.
func (w *world) originalVerdict(_ *bench.Run, t *bench.Tally) (hotseat.Verdict, string) {
	o := &w.original
	good, bad := t.Points(pointGet), o.loadErrors.Load()
	fail := func(format string, args ...any) (hotseat.Verdict, string) {
		return hotseat.Fail, fmt.Sprintf(format, args...)
	}
	switch {
	case w.main == nil || t.FailuresIn(bench.PhaseVerify) > 0:
		return fail("the main article could not be posted")
	case float64(bad) >= originalErrorShare*float64(good+bad):
		return fail("%d of %d answers to the load were neither 200 nor 3xx: 1 %% is too many", bad, good+bad)
	case o.checks.Load() == checkUnfinished:
		return fail("the checks of articles and static files had not finished when the load ended")
	case o.checks.Load() == checkFailed:
		return fail("the checks of articles and static files failed")
	case o.posts.Load() == 0:
		return fail("no comment was posted")
	case o.failed.Load() > 0:
		return fail("%d of %d comments failed, or did not show a second later", o.failed.Load(), o.posts.Load())
	}
	return hotseat.Pass, fmt.Sprintf("%d GETs, and all checks of rules=original succeeded; score %d", good, good)
}
