package bench

import "hotseat"

// Tally is what was counted up to one moment. Numbers of a run that is still
// going on may miss the last instant; the last Tally, from which score and
// verdict are made, is exact.
type Tally struct{}

// Points returns how many points of a tag were earned.
func (t *Tally) Points(tag string) int64 { return 0 }

// EachUser calls f for every user of every population.
func (t *Tally) EachUser(f func(u UserTally)) {}

// Requests returns the number of requests that ended, in success or failure;
// requests that were cut are not among them.
func (t *Tally) Requests() int64 { return 0 }

// Errors returns the number of failures that cost points but are not wrong
// answers: connect, transport, timeout, 5xx, 429.
func (t *Tally) Errors() int64 { return 0 }

// ErrorShare returns Errors as a share of Requests, from 0 to 1.
func (t *Tally) ErrorShare() float64 { return 0 }

// WrongAnswers returns the number of failures of which under rules=strict one
// is enough to fail.
func (t *Tally) WrongAnswers() int64 { return 0 }

// Failures returns the number of failures of the target in all.
func (t *Tally) Failures() int64 { return 0 }

// FailuresIn returns the number of failures of the target in one phase.
func (t *Tally) FailuresIn(phase string) int64 { return 0 }

// FailuresOf returns the number of failures of the target under one rule.
func (t *Tally) FailuresOf(rule string) int64 { return 0 }

// ClassFailures returns the number of failures of one class.
func (t *Tally) ClassFailures(class hotseat.Class) int64 { return 0 }

// Missed returns the number of iterations of an open population that never
// started because every user was waiting for the target.
func (t *Tally) Missed(population string) int64 { return 0 }

// UserTally is what one user earned.
type UserTally struct {
	Population string
	ID         int
}

// Points returns how many points of a tag the user earned.
func (u UserTally) Points(tag string) int64 { return 0 }
