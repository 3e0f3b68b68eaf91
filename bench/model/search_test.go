package model_test

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"hotseat/bench/model"
)

// This file is the judge of the judge: an exhaustive search for an order that explains a small history. It shares
// neither code nor theory with the package.

var factor = flag.Int("factor", 1, "try that many times as many random histories")

// operation is one request of a history, in ticks.
type operation struct {
	write      bool
	value      int
	sent, done int
	outcome    string // of a write: commit, maybe, never, pending
	session    int    // 0 is nobody
	told       int    // when the model is told the outcome
}

func (o operation) String() string {
	kind := "read"
	if o.write {
		kind = o.outcome
	}
	return fmt.Sprintf("%s %d [%d,%d] session %d told %d", kind, o.value, o.sent, o.done, o.session, o.told)
}

type history struct {
	initial   int
	lag       int
	settle    int
	monotonic bool
	own       bool
	element   bool // an element of a set
	ops       []operation
}

// In the history of an element, states and reads are these.
const (
	absent = iota
	there
	absentAgain
)

// shows reports whether a read of that state may have that result.
func (h history) shows(state, result int) bool {
	if h.element && state == absentAgain {
		state = absent
	}
	return state == result
}

func (h history) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "initial %d lag %d settle %d monotonic %v own %v\n", h.initial, h.lag, h.settle, h.monotonic, h.own)
	for _, o := range h.ops {
		fmt.Fprintln(&b, o)
	}
	return b.String()
}

// explicable tries every order of the operations, and every choice of which doubtful writes
// happened. An order is possible if points that never go back can be found, one inside each
// operation's span; a read's begins earlier by the lag.
func (h history) explicable() bool {
	type step struct {
		operation
		from, to int
		required bool
		refused  bool
		after    uint64 // operations that the session knows to come before
	}
	steps := make([]step, len(h.ops))
	var required uint64
	for i, o := range h.ops {
		s := step{operation: o, from: o.sent, to: o.done, required: true}
		switch {
		case !o.write:
			s.from -= h.lag
			for j, p := range h.ops {
				if p.session == 0 || p.session != o.session || p.done >= o.sent {
					continue
				}
				if !p.write && h.monotonic || p.write && p.outcome == "commit" && h.own {
					s.after |= 1 << j
				}
			}
		case o.outcome == "never":
			s.required, s.refused = false, true
		case o.outcome != "commit":
			s.required, s.to = false, math.MaxInt
			if o.outcome == "maybe" && h.settle > 0 {
				s.to = o.done + h.settle
			}
		}
		if s.required {
			required |= 1 << i
		}
		steps[i] = s
	}
	type position struct {
		done  uint64
		value int
	}
	// The point is the latest "from" of the operations done, so the position says it all.
	failed := map[position]bool{}
	var search func(at position, point int) bool
	search = func(at position, point int) bool {
		if at.done&required == required {
			return true
		}
		if failed[at] {
			return false
		}
		for i, s := range steps {
			if at.done&(1<<i) != 0 || s.refused || s.to < point || s.after&^at.done != 0 {
				continue
			}
			next := position{at.done | 1<<i, at.value}
			if s.write {
				next.value = s.value
			} else if !h.shows(at.value, s.value) {
				continue
			}
			if search(next, max(point, s.from)) {
				return true
			}
		}
		failed[at] = true
		return false
	}
	return search(position{0, h.initial}, math.MinInt)
}

var start = time.Date(2011, 8, 27, 12, 0, 0, 0, time.UTC)

func tick(n int) time.Time           { return start.Add(time.Duration(n) * time.Millisecond) }
func ticks(n int) time.Duration      { return time.Duration(n) * time.Millisecond }
func span(sent, done int) model.Span { return model.Span{Sent: tick(sent), Done: tick(done)} }

func (h history) promise() model.Promise {
	return model.Promise{Lag: ticks(h.lag), Settle: ticks(h.settle), Monotonic: h.monotonic, OwnWrites: h.own}
}

// tell calls announce and settle for each operation in the order in which a
// benchmark would.
func (h history) tell(announce, settle func(i int)) {
	type call struct {
		at   int
		what int // announcements first
		op   int
	}
	var calls []call
	for i, o := range h.ops {
		if o.write {
			calls = append(calls, call{o.sent, 0, i})
		}
		if !o.write || o.outcome != "pending" {
			calls = append(calls, call{o.told, 1, i})
		}
	}
	slices.SortStableFunc(calls, func(a, b call) int {
		if a.at != b.at {
			return a.at - b.at
		}
		return a.what - b.what
	})
	for _, c := range calls {
		if c.what == 0 {
			announce(c.op)
		} else {
			settle(c.op)
		}
	}
}

// judge returns the violations that a register finds in the history.
func (h history) judge(p model.Promise) []*model.Violation {
	return h.judgeWith(model.NewRegister[int](p).Initially(h.initial))
}

func (h history) judgeWith(register *model.Register[int]) (found []*model.Violation) {
	sessions := []*model.Session{nil, model.NewSession(), model.NewSession(), model.NewSession()}
	writes := map[int]*model.Write[int]{}
	h.tell(func(i int) {
		o := h.ops[i]
		writes[i] = register.Write(sessions[o.session], tick(o.sent), o.value)
	}, func(i int) {
		o := h.ops[i]
		var v *model.Violation
		switch {
		case !o.write:
			v = register.Read(sessions[o.session], span(o.sent, o.done), o.value)
		case o.outcome == "commit":
			v = writes[i].Commit(tick(o.done))
		case o.outcome == "maybe":
			writes[i].Maybe(tick(o.done))
		case o.outcome == "never":
			v = writes[i].Never()
		}
		if v != nil {
			found = append(found, v)
		}
	})
	return found
}

// randomHistory makes a history of no server in particular: some make sense.
func randomHistory(r *rand.Rand, values func(write int) int) history {
	h := history{lag: r.IntN(5), monotonic: r.IntN(2) == 0, own: r.IntN(2) == 0, settle: r.IntN(2) * r.IntN(6)}
	length := 4 + r.IntN(14)
	written := []int{0}
	for i := range 2 + r.IntN(6) {
		o := operation{write: i == 0 || r.IntN(5) < 2, sent: r.IntN(length), session: r.IntN(3)}
		o.done = o.sent + r.IntN(1+length/2)
		o.told = o.done
		if o.session == 0 {
			o.told += r.IntN(4) // somebody else was faster
		}
		if o.write {
			o.value = values(len(written))
			written = append(written, o.value)
			o.outcome = []string{"commit", "commit", "commit", "commit", "maybe", "maybe", "pending", "never"}[r.IntN(8)]
		}
		h.ops = append(h.ops, o)
	}
	for i := range h.ops {
		if o := &h.ops[i]; !o.write {
			if o.value = written[r.IntN(len(written))]; r.IntN(30) == 0 {
				o.value = 99 // nobody wrote that
			}
		}
	}
	return h
}

// TestRegisterIsExact compares the register with the search: with unique values
// it must find every violation and nothing else.
func TestRegisterIsExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	wrong, right := 0, 0
	for range 25_000 * *factor {
		h := randomHistory(r, func(n int) int { return n })
		found := h.judge(h.promise())
		if h.explicable() {
			right++
			if len(found) > 0 {
				t.Fatalf("false alarm: %v\n%v", found[0], h)
			}
		} else {
			wrong++
			if len(found) == 0 {
				t.Fatalf("missed a violation\n%v", h)
			}
		}
	}
	t.Logf("%d histories make sense, %d do not", right, wrong)
	if min(right, wrong) < 5000 {
		t.Errorf("%d histories make sense and %d do not: the test is one-sided", right, wrong)
	}
}

// TestRegisterForgivesEqualValues writes some values twice: then the register may miss a
// violation, but never raise a false alarm.
func TestRegisterForgivesEqualValues(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(2, 2))
	caught, missed := 0, 0
	for range 10_000 * *factor {
		h := randomHistory(r, func(int) int { return r.IntN(3) })
		found := h.judge(h.promise())
		explicable := h.explicable()
		switch {
		case explicable && len(found) > 0:
			t.Fatalf("false alarm: %v\n%v", found[0], h)
		case explicable:
		case len(found) > 0:
			caught++
		default:
			missed++
		}
	}
	t.Logf("with equal values: %d violations caught, %d missed", caught, missed)
	if caught < 10*missed {
		t.Errorf("%d violations caught, %d missed", caught, missed)
	}
}

// TestRegisterForgetsOnlyWhatIsOver tells the same histories to a register with no more patience
// than it needs: the verdict must be the same.
func TestRegisterForgetsOnlyWhatIsOver(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for range 4_000 * *factor {
		h := randomHistory(r, func(n int) int { return n })
		// One history after the other, so that the first ones get forgotten.
		for i := range 40 {
			w := operation{write: true, value: 100 + i, outcome: "commit", sent: 30 + 5*i, done: 32 + 5*i, told: 32 + 5*i}
			h.ops = append(h.ops, w)
			if i%8 == 0 {
				read := operation{value: w.value, sent: w.done + 1, done: w.done + 2, told: w.done + 2}
				if r.IntN(20) == 0 {
					read.value = r.IntN(3)
				}
				h.ops = append(h.ops, read)
			}
		}
		p := h.promise()
		patient := h.judge(p)
		p.Patience = ticks(30)
		if short := h.judge(p); len(short) != len(patient) {
			t.Fatalf("%d violations with patience, %d without\n%v\n%v\n%v", len(patient), len(short), h, patient, short)
		}
	}
}
