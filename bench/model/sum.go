package model

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"
)

// Sum is a total that requests add to: money, tickets sold, visits. What it can prove is exact while
// nothing is doubtful; each doubtful addition makes one more total possible.
//
// Memory holds the additions of the last [Promise.Patience] and one number per distinct doubtful
// amount. Monotonic and OwnWrites are not considered.
type Sum struct {
	promise Promise

	mu     sync.Mutex
	epoch  epoch
	base   int64           // everything that is certain and long ago
	recent []*Term         // told of late
	doubts map[int64]int64 // number of doubtful additions of an amount, long ago
	latest instant
	fold   int // length of recent at which to look for what is long ago
}

// Term is an addition that is under way. Exactly one of its methods is called,
// once.
type Term struct {
	sum        *Sum
	amount     int64
	begin      time.Time
	sent, done instant
	outcome    outcome
}

// NewSum returns a total that begins at the given value.
func NewSum(p Promise, initial int64) *Sum {
	return &Sum{promise: p, base: initial, doubts: map[int64]int64{}, latest: longAgo, fold: minLimit}
}

// Add announces an addition; a negative amount is fine. It must be called before the request is
// sent, with a moment that is not later.
func (s *Sum) Add(sent time.Time, amount int64) *Term {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := &Term{sum: s, amount: amount, begin: sent, sent: s.epoch.at(sent), done: never}
	if len(s.recent) >= s.fold {
		s.foldUp()
	}
	s.recent = append(s.recent, t)
	return t
}

// Commit says that the addition was acknowledged.
func (t *Term) Commit(done time.Time) { t.settle(committed, done) }

// Maybe says that the answer was lost and when the sender gave up: the amount
// may be added later, once, or never.
func (t *Term) Maybe(gaveUp time.Time) { t.settle(maybe, gaveUp) }

// Never says that the addition certainly has no effect.
func (t *Term) Never() { t.settle(refused, t.begin) }

func (t *Term) settle(o outcome, done time.Time) {
	s := t.sum
	s.mu.Lock()
	defer s.mu.Unlock()
	_, end := s.epoch.span(Span{t.begin, done})
	s.latest = max(s.latest, end)
	t.outcome.settle(o)
	if o == committed {
		t.done = end
	}
}

// Read checks a total that was shown while additions may have been under way. A read that is told
// after [Promise.Patience] has run out is not checked.
func (s *Sum) Read(at Span, total int64) *Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	sent, done := s.epoch.span(at)
	s.latest = max(s.latest, done)
	start := sent.minus(s.promise.Lag)
	if start < s.horizon() {
		return nil
	}
	return s.check(start, done, total)
}

// Check checks a total that was asked for after the last request, and any lag:
// additions still under way count as doubtful.
func (s *Sum) Check(total int64) *Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.check(never, never, total)
}

func (s *Sum) check(start, done instant, total int64) *Violation {
	certain := s.base
	open := make(map[int64]int64, len(s.doubts))
	for amount, n := range s.doubts {
		open[amount] = n
	}
	for _, t := range s.recent {
		switch {
		case t.outcome == refused || t.sent > done:
		case t.outcome == committed && t.done < start:
			certain += t.amount
		default:
			open[t.amount]++
		}
	}
	var low, high int64 // of what is doubtful
	for amount, count := range open {
		low += min(amount, 0) * count
		high += max(amount, 0) * count
	}
	additions := reachable(open)
	difference := total - certain
	switch {
	case difference < low || difference > high:
	case additions != nil && additions[difference]:
		return nil
	case additions == nil && difference%divisor(open) == 0:
		return nil
	}
	v := &Violation{Code: CodeSumMismatch, Expected: fmt.Sprint(certain), Actual: fmt.Sprint(total), Message: "the total is not the sum of what was acknowledged"}
	if len(open) == 0 {
		return v
	}
	v.Message = "the total is none that the requests can have led to"
	v.Expected = fmt.Sprintf("from %d to %d, %d of it for certain", certain+low, certain+high, certain)
	if additions != nil && len(additions) <= maxListed {
		v.Expected = ""
		for _, addition := range slices.Sorted(maps.Keys(additions)) {
			if v.Expected != "" {
				v.Expected += " or "
			}
			v.Expected += fmt.Sprint(certain + addition)
		}
	}
	return v
}

const (
	// maxTotals bounds the search among doubtful amounts; past it only the range
	// and the common divisor are checked, which lets some wrong totals pass.
	maxTotals = 1 << 14
	// maxListed totals are listed one by one in a message.
	maxListed = 4
)

// reachable returns what some of the amounts, each up to its count of times, can add up
// to, or nil if that would take too long.
func reachable(amounts map[int64]int64) map[int64]bool {
	ways := int64(1)
	for _, count := range amounts {
		if ways *= min(count, maxTotals) + 1; ways > maxTotals {
			return nil
		}
	}
	totals := map[int64]bool{0: true}
	for amount, count := range amounts {
		next := make(map[int64]bool, len(totals))
		for t := range totals {
			for i := int64(0); i <= count; i++ {
				next[t+i*amount] = true
			}
		}
		totals = next
	}
	return totals
}

// divisor returns the greatest common divisor of the amounts, 1 if all are zero.
func divisor(amounts map[int64]int64) int64 {
	var d int64
	for amount := range amounts {
		d = gcd(d, max(amount, -amount))
	}
	return max(d, 1)
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

func (s *Sum) horizon() instant {
	return s.latest.minus(s.promise.patience()).minus(s.promise.Lag)
}

// foldUp adds up what no read yet to be told can be older than.
func (s *Sum) foldUp() {
	horizon := s.horizon()
	kept := s.recent[:0]
	for _, t := range s.recent {
		switch {
		case t.outcome == refused:
		case t.outcome == committed && t.done < horizon:
			s.base += t.amount
		case t.outcome == maybe && t.sent < horizon:
			s.doubts[t.amount]++
		default:
			kept = append(kept, t)
		}
	}
	clear(s.recent[len(kept):])
	s.recent = kept
	s.fold = max(2*len(kept), minLimit)
}
