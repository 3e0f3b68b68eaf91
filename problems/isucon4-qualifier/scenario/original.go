package scenario

import (
	"hotseat"
	"hotseat/bench"
)

// The original kept its counters as if every attempt had reached the bank
// (§15.4), forgave every failure during the load, and judged a run by its
// report alone (§15.9). rules=original does the same, faults included.

// originalUnsent takes note of an attempt whose login page failed, so that
// nothing was posted: a refusal counts all the same, and a success is
// remembered without setting the counters back.
func (v *visitor) originalUnsent(q question) {
	if q.want == accepted {
		q.who.last = &login{ip: q.from.ip}
	} else {
		q.from.settle(q.want)
		q.who.settle(q.want)
	}
	v.markIncomplete(q)
}

// originalSettle takes note of an attempt that was posted, whatever came of it.
func (v *visitor) originalSettle(p *bench.Page) {
	q := v.asked
	q.from.settle(q.want)
	q.who.settle(q.want)
	if q.want == accepted {
		q.who.last = &login{ip: q.from.ip}
	}
	if !p.OK() {
		v.markIncomplete(q)
	}
}

// markIncomplete marks what the end of the run cut off: only the last attempt
// of a worker can be (§15.7).
func (v *visitor) markIncomplete(q question) {
	if v.user.Run.LoadEnded() {
		q.from.incomplete, q.who.incomplete = true, true
	}
}

// originalVerdict passes every run whose report was right.
func originalVerdict(_ *bench.Run, t *bench.Tally) (hotseat.Verdict, string) {
	if t.FailuresIn(bench.PhaseFinish) > 0 {
		return hotseat.Fail, "the report after the load is not what the attempts add up to"
	}
	return hotseat.Pass, "the report after the load is right; rules=original forgives everything else"
}
