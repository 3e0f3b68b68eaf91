package bench

import (
	"hotseat"
	"hotseat/bench/tally"
)

// Tally is what was counted up to one moment. Numbers of a run that is still
// going on may miss the last instant; the last Tally, from which score and
// verdict are made, is exact.
type Tally struct {
	run    *Run
	totals tally.Totals
}

func (r *Run) newTally() *Tally { return &Tally{run: r, totals: r.tally.Totals()} }

// Points returns how many points of a tag were earned.
func (t *Tally) Points(tag string) int64 {
	t.run.tag(tag) // panics about one that was not declared
	return int64(t.totals.Points[tag])
}

// EachUser calls f for every user that the run has had, in no particular
// order, the single users of Verify and Finish included.
func (t *Tally) EachUser(f func(u UserTally)) {
	for _, u := range t.run.allUsers() {
		f(UserTally{Population: u.Population, ID: u.ID, run: t.run, earned: u.tally.Earned()})
	}
}

// UserTally is what one user earned.
type UserTally struct {
	Population string // or the name of the verify or finish scenario
	ID         int    // within the population, from 1
	run        *Run
	earned     []uint64
}

// Points returns how many points of a tag the user earned.
func (u UserTally) Points(tag string) int64 { return int64(u.earned[u.run.tag(tag)]) }

// Requests returns the number of requests that ended, in success or failure;
// requests that were cut are not among them.
func (t *Tally) Requests() int64 { return int64(t.totals.Requests) }

// Errors returns the number of failures of the target that cost points but are
// not wrong answers: connect, transport, timeout, 5xx, 429.
func (t *Tally) Errors() int64 { return t.run.failures.sum((*failureCount).costly) }

// ErrorShare returns Errors as a share of Requests, from 0 to 1.
func (t *Tally) ErrorShare() float64 {
	if t.totals.Requests == 0 {
		return 0
	}
	return float64(t.Errors()) / float64(t.totals.Requests)
}

// WrongAnswers returns the number of failures of which under rules=strict one
// is enough to fail.
func (t *Tally) WrongAnswers() int64 { return t.run.failures.sum((*failureCount).wrong) }

// Failures returns the number of failures of the target in all.
func (t *Tally) Failures() int64 { return t.run.failures.sum((*failureCount).target) }

// FailuresIn returns the number of failures of the target in one phase.
func (t *Tally) FailuresIn(phase string) int64 {
	return t.run.failures.sum(func(n *failureCount) bool { return n.target() && n.phase == phase })
}

// FailuresOf returns the number of failures of the target under one rule.
func (t *Tally) FailuresOf(rule string) int64 {
	return t.run.failures.sum(func(n *failureCount) bool { return n.target() && n.rule == rule })
}

// ClassFailures returns the number of failures of one class.
func (t *Tally) ClassFailures(class hotseat.Class) int64 {
	return t.run.failures.sum(func(n *failureCount) bool { return n.class == class })
}

// Missed returns the number of iterations of an open population that never
// started because every user was waiting for the target.
func (t *Tally) Missed(population string) int64 { return t.run.missed(population) }
