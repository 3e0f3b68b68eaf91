package model

import (
	"fmt"
	"math"
	"time"
)

// Promise is how fresh the problem's text says that reads are. The zero value
// is the strictest: once a write is acknowledged every read sent later shows it.
type Promise struct {
	// Lag is how old the state that a read shows may be, counted from the moment the
	// read was sent. It concerns the start of a read only: what happens while a
	// read is under way may show or not, with any lag.
	Lag time.Duration

	// Monotonic promises that within a [Session] no read shows an older state than a read
	// that had finished before it was sent. It adds nothing where Lag is 0.
	Monotonic bool

	// OwnWrites promises that within a [Session] a read shows what the session itself has
	// written and had acknowledged, at once. It adds nothing where Lag is 0.
	OwnWrites bool

	// Settle is how long after its sender gave up a write may still take effect. Zero
	// means for ever, which is the safe choice: a request can wait in a queue, and
	// nobody outside can tell how long.
	Settle time.Duration

	// Patience bounds the time between the sending of a request and the telling of its
	// outcome. It decides how long superseded states are remembered; what is told later
	// is not checked. Zero means DefaultPatience.
	Patience time.Duration
}

// DefaultPatience is longer than any request of the contests we know may take.
const DefaultPatience = 2 * time.Minute

func (p *Promise) patience() time.Duration {
	if p.Patience == 0 {
		return DefaultPatience
	}
	return p.Patience
}

// Span is the time of a request as its sender saw it: from just before its first
// byte was written until its answer had been read completely. Whatever the
// server did, it did in between. An error of the clock may only ever widen it.
type Span struct {
	Sent, Done time.Time
}

// instant counts nanoseconds from the first moment that its owner was told, on
// the monotonic clock if the times have it.
type instant int64

const (
	longAgo instant = math.MinInt64 // before everything told
	never   instant = math.MaxInt64 // after everything told
)

// minus is saturating, as is plus.
func (i instant) minus(d time.Duration) instant {
	if i < longAgo+instant(d) {
		return longAgo
	}
	return i - instant(d)
}

func (i instant) plus(d time.Duration) instant {
	if i > never-instant(d) {
		return never
	}
	return i + instant(d)
}

// epoch turns times into instants. The first one that it sees is zero.
type epoch struct{ zero time.Time }

func (e *epoch) at(t time.Time) instant {
	if e.zero.IsZero() {
		e.zero = t
	}
	return instant(t.Sub(e.zero))
}

func (e *epoch) span(s Span) (sent, done instant) {
	sent, done = e.at(s.Sent), e.at(s.Done)
	if done < sent {
		panic(Conflict(fmt.Sprintf("a request was done %v before it was sent", time.Duration(sent-done))))
	}
	return sent, done
}

// outcome is what is known of a write.
type outcome uint8

const (
	pending   outcome = iota // under way
	committed                // acknowledged: it took effect between sent and done
	maybe                    // its answer was lost: it takes effect once, at any time, or never
	refused                  // certainly without effect
)

// settle guards against a write being settled twice.
func (o *outcome) settle(to outcome) {
	if *o != pending {
		panic(Conflict("a write was settled twice"))
	}
	*o = to
}
