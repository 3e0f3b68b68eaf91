package nttscenario

import (
	"time"

	"hotseat/bench"
)

// requestTimeout is k6's, which the contest's benchmark left alone (§10.2).
const requestTimeout = 60 * time.Second

// world is everything the benchmark believes about the service during one run.
type world struct {
	run      *bench.Run
	strict   bool
	truth    *truth
	now      func() time.Time
	campaign int // known after the initialization

	ground *ground // of the checks before the load
	cast   cast    // since the first of these
}

func newWorld(r *bench.Run, t *truth, now func() time.Time) *world {
	return &world{run: r, strict: r.Strict(), truth: t, now: now}
}
