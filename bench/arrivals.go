package bench

import (
	"math/rand/v2"
	"sync"
	"time"
)

// arrivals is the timetable of an open population: fixed by rate and seed, no
// matter what happens.
type arrivals struct {
	mu    sync.Mutex
	began time.Time
	gap   float64    // seconds between two starts, on average
	dice  *rand.Rand // nil: evenly spaced
	next  float64    // seconds after began
	taken int64
	given int64 // back, since the load was over
}

func newArrivals(r *Run, p *OpenPopulation) *arrivals {
	if p.rate <= 0 {
		panic(authorError("population " + p.name + " needs a positive rate"))
	}
	a := &arrivals{began: r.Now(), gap: 1 / p.rate}
	if p.poisson {
		a.dice = r.Rand("arrivals", p.name)
		a.step()
	}
	return a
}

// step moves on to the next start.
func (a *arrivals) step() {
	if a.dice != nil {
		a.next += a.gap * a.dice.ExpFloat64()
		return
	}
	a.next += a.gap
}

// take returns the next start and makes it the caller's.
func (a *arrivals) take() time.Time {
	a.mu.Lock()
	defer a.mu.Unlock()
	due := a.began.Add(time.Duration(a.next * float64(time.Second)))
	a.step()
	a.taken++
	return due
}

// giveBack says that a start that was taken lies after the load's end.
func (a *arrivals) giveBack() {
	a.mu.Lock()
	a.given++
	a.mu.Unlock()
}

// left consumes the starts until then that nobody has taken and returns their number.
func (a *arrivals) left(until time.Duration) (n int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for a.next <= until.Seconds() {
		a.step()
		n++
	}
	a.taken += n
	return n
}

// count returns how many starts the load had.
func (a *arrivals) count() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.taken - a.given
}
