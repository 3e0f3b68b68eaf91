package scenario

import (
	"fmt"
	"math"
)

// The thresholds of §3; the apps' defaults, and never anything else here.
const (
	lockThreshold = 3
	banThreshold  = 10
)

// failures is what is known about one counter of the bank: how often an
// address or an account has failed since its last success. One worker at a
// time uses it.
//
// The count is a range because an answer can get lost: then the attempt may or
// may not have been counted, and may even be counted much later, when a server
// gets round to it. No attempt on such a counter could be judged, so it is
// not used any more, and the report may show it on either side of the threshold.
type failures struct {
	threshold int

	low, high int  // the count lies between these, both included
	lost      bool // an answer was lost: it may change at any moment

	// What the count is made of, to tell which rule an app must have broken.
	byPassword int  // of low: refused because of the password, not for a ban or a lock
	ever       int  // failures as far back as is known, successes notwithstanding
	succeeded  bool // at least once

	incomplete bool // rules=original: touched by an attempt that the end cut off
}

// reached reports whether the threshold is certainly reached. There is no way
// back from there.
func (f *failures) reached() bool { return f.low >= f.threshold }

// mayHaveReached reports whether the threshold is possibly reached.
func (f *failures) mayHaveReached() bool { return f.high >= f.threshold }

// unsure reports that it is not known what the bank will say next.
func (f *failures) unsure() bool { return f.lost && !f.reached() }

// settle takes note of an attempt whose outcome is known.
func (f *failures) settle(o outcome) {
	switch {
	case o != accepted:
		f.low++
		f.high++
		f.ever++
		if o == wrong {
			f.byPassword++
		}
	case !f.reached():
		f.low, f.high, f.byPassword, f.succeeded = 0, 0, 0, true
	}
}

// maybe takes note of an attempt that would have had this outcome, if it
// happened at all.
func (f *failures) maybe(o outcome) {
	switch {
	case f.reached():
	case o == accepted:
		f.low, f.lost = 0, true
	default:
		f.high, f.lost = f.high+1, true
	}
}

// forget gives up on a counter: the bank has said something that does not
// follow from its rules. Unlike a lost answer this says nothing for certain
// even about a counter that had reached its threshold.
func (f *failures) forget() { f.low, f.high, f.lost = 0, math.MaxInt, true }

// onlyByRefusals reports whether the threshold is reached only because
// refusals for a ban or a lock count as failures too.
func (f *failures) onlyByRefusals() bool { return f.reached() && f.byPassword < f.threshold }

// onlyWithoutReset reports whether the threshold would be reached if
// successes did not set the count back.
func (f *failures) onlyWithoutReset() bool {
	return f.succeeded && f.ever >= f.threshold && !f.reached()
}

// history describes the counter to a contestant.
func (f *failures) history() string {
	text := "no failure"
	if f.low > 0 {
		text = count(f.low, "failure", "failures") + " in a row"
	}
	if refused := f.low - f.byPassword; refused > 0 {
		text += fmt.Sprintf(", %d of them for a ban or a lock", refused)
	}
	if f.succeeded && !f.reached() {
		text += " since a success"
	}
	return text
}

func count(n int, one, more string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, more)
}
