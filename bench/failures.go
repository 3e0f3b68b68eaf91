package bench

import (
	"sync"

	"hotseat"
)

const (
	samplesPerStep  = 5    // of each (code, step): architecture.md §5
	maxFailureKinds = 1000 // what comes later is counted under others
	others          = "(others)"
)

// failureKind is what failures alike have in common.
type failureKind struct {
	class                             hotseat.Class
	code, rule, phase, scenario, step string
}

// failureLog counts every failure exactly and lets the first few of each kind
// through as samples. Its memory is bounded by maxFailureKinds.
type failureLog struct {
	mu      sync.Mutex
	kinds   map[failureKind]*failureCount
	order   []*failureCount
	sampled map[[2]string]int // by code and step
}

// failureCount is one kind of failure.
type failureCount struct {
	failureKind
	side    hotseat.Side
	count   int64
	pending int64 // counted, but in no event yet
	message string
	hint    string
	atS     float64 // of the first one
}

func newFailureLog() *failureLog {
	return &failureLog{kinds: map[failureKind]*failureCount{}, sampled: map[[2]string]int{}}
}

// add counts a failure. When it is to be sampled, add says so and the caller
// emits it; otherwise the next flush reports it as a number.
func (l *failureLog) add(k failureKind, atS float64, text func() (message, hint string)) (sample bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.kinds[k]
	if n == nil && len(l.kinds) >= maxFailureKinds {
		k.code, k.scenario, k.step = others, others, others // classes, rules and phases are few
		n = l.kinds[k]
	}
	if n == nil {
		n = &failureCount{failureKind: k, side: k.class.Side(), atS: atS}
		n.message, n.hint = text()
		l.kinds[k] = n
		l.order = append(l.order, n)
	}
	n.count++
	place := [2]string{k.code, k.step}
	if l.sampled[place] >= samplesPerStep {
		n.pending++
		return false
	}
	l.sampled[place]++
	return true
}

// flush returns the failures that no event has told of yet.
func (l *failureLog) flush(atS float64) []hotseat.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var events []hotseat.Event
	for _, n := range l.order {
		if n.pending == 0 {
			continue
		}
		events = append(events, hotseat.Event{Type: hotseat.EventFailure, AtS: atS, FailureEvent: &hotseat.FailureEvent{
			Count: n.pending,
			Failure: hotseat.Failure{Class: n.class, Code: n.code, Rule: n.rule, Side: n.side, Phase: n.phase,
				Scenario: n.scenario, Step: n.step, AtS: atS, Message: n.message, Hint: n.hint},
		}})
		n.pending = 0
	}
	return events
}

// sum adds up the counts of the kinds that match.
func (l *failureLog) sum(match func(n *failureCount) bool) (total int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.order {
		if match(n) {
			total += n.count
		}
	}
	return total
}

// first returns the kind that occurred first among those that match, nil without one.
func (l *failureLog) first(match func(n *failureCount) bool) *failureCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, n := range l.order {
		if match(n) {
			c := *n
			return &c
		}
	}
	return nil
}

// wrong reports whether under rules=strict one failure of this kind fails the run.
func (n *failureCount) wrong() bool {
	return (&hotseat.Failure{Class: n.class, Code: n.code}).WrongAnswer()
}

// costly reports whether the kind counts towards Contest.MaxErrorShare.
func (n *failureCount) costly() bool { return n.side == hotseat.SideTarget && !n.wrong() }

// target reports whether the target answers for the kind.
func (n *failureCount) target() bool { return n.side == hotseat.SideTarget }

// lost reports whether the kind is of requests that the benchmark itself could
// not make or not judge.
func (n *failureCount) lost() bool {
	return n.class == hotseat.ClassGenerator && n.code != codeLateStart
}
