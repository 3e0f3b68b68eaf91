package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"hotseat/bench/model"
)

// TestRegisterLearnsItsStart leaves the initial value unknown: any that explains the
// history will do. No false alarm; what could also be a write of the initial value passes.
func TestRegisterLearnsItsStart(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(6, 6))
	right, caught, missed := 0, 0, 0
	for range 10_000 * *factor {
		h := randomHistory(r, func(n int) int { return n })
		values := []int{-1}
		for _, o := range h.ops {
			values = append(values, o.value)
		}
		explicable := slices.ContainsFunc(values, func(initial int) bool {
			h.initial = initial
			return h.explicable()
		})
		found := h.judgeWith(model.NewRegister[int](h.promise()))
		switch {
		case explicable && len(found) > 0:
			t.Fatalf("false alarm: %v\n%v", found[0], h)
		case explicable:
			right++
		case len(found) > 0:
			caught++
		default:
			missed++
		}
	}
	t.Logf("%d histories make sense; of the others %d were caught, %d missed", right, caught, missed)
	if right < 1000 || caught < 10*missed {
		t.Errorf("%d histories make sense; of the others %d were caught, %d missed", right, caught, missed)
	}
}

// TestRegisterCodes looks at what a violation is called.
func TestRegisterCodes(t *testing.T) {
	p := model.Promise{Lag: ticks(10), Monotonic: true, OwnWrites: true}
	for _, c := range []struct {
		name  string
		write func(r *model.Register[string], owner *model.Session) *model.Violation
		by    int // 1 is the writer
		reads []struct {
			at    int
			shown string
		}
		code string // of the last read
	}{
		{name: "acknowledged and never seen", write: committed, reads: reads{{31, "old"}}, code: model.CodeLostWrite},
		{name: "within the lag", write: committed, reads: reads{{30, "old"}}},
		{name: "seen and gone", write: committed, reads: reads{{25, "new"}, {36, "old"}}, code: model.CodeStaleRead},
		{name: "seen and gone within the lag", write: committed, reads: reads{{25, "new"}, {29, "old"}}},
		{name: "the same within a session", write: committed, by: 2, reads: reads{{25, "new"}, {29, "old"}}, code: model.CodeNonMonotonic},
		{name: "one's own", write: committed, by: 1, reads: reads{{21, "old"}}, code: model.CodeLostWrite},
		{name: "one's own, seen by others", write: committed, by: 1, reads: reads{{21, "new"}, {22, "old"}}, code: model.CodeNonMonotonic},
		{name: "never written", write: committed, reads: reads{{31, "else"}}, code: model.CodePhantom},
		{name: "from the future", write: committed, reads: reads{{5, "new"}}, code: model.CodePhantom},
		{name: "doubtful, not there", write: doubtful, reads: reads{{90, "old"}}},
		{name: "doubtful, there", write: doubtful, reads: reads{{90, "new"}}},
		{name: "doubtful, there and gone", write: doubtful, reads: reads{{90, "new"}, {101, "old"}}, code: model.CodeStaleRead},
		{name: "refused", write: declined, reads: reads{{90, "new"}}, code: model.CodePhantom},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := model.NewRegister[string](p).Initially("old")
			sessions := []*model.Session{nil, model.NewSession(), model.NewSession()}
			if v := c.write(r, sessions[1]); v != nil {
				t.Fatal(v)
			}
			for i, read := range c.reads {
				code := ""
				v := r.Read(sessions[c.by], span(read.at, read.at), read.shown)
				if v != nil {
					code = v.Code
				}
				want := ""
				if i == len(c.reads)-1 {
					want = c.code
				}
				if code != want {
					t.Errorf("%q at %d: %v, want %q", read.shown, read.at, v, want)
				}
			}
		})
	}
}

type reads = []struct {
	at    int
	shown string
}

// A write of "new" at 10 to 20, and what became of it.
func committed(r *model.Register[string], owner *model.Session) *model.Violation {
	return r.Write(owner, tick(10), "new").Commit(tick(20))
}

func doubtful(r *model.Register[string], owner *model.Session) *model.Violation {
	r.Write(owner, tick(10), "new").Maybe(tick(20))
	return nil
}

func declined(r *model.Register[string], owner *model.Session) *model.Violation {
	return r.Write(owner, tick(10), "new").Never()
}

// TestViolationOnSettling has a read told before the write that it contradicts is settled.
func TestViolationOnSettling(t *testing.T) {
	r := model.NewRegister[int](model.Promise{}).Initially(0)
	w := r.Write(nil, tick(1), 1)
	if v := r.Read(nil, span(5, 6), 0); v != nil {
		t.Errorf("the write was not settled yet: %v", v)
	}
	if v := w.Commit(tick(4)); v == nil || v.Code != model.CodeLostWrite {
		t.Errorf("acknowledged before the read that lacked it: %v", v)
	}
	w = r.Write(nil, tick(7), 2)
	if v := r.Read(nil, span(8, 9), 2); v != nil {
		t.Error(v)
	}
	if v := w.Never(); v == nil || v.Code != model.CodePhantom {
		t.Errorf("refused though shown: %v", v)
	}
}

func TestPossible(t *testing.T) {
	r := model.NewRegister[int](model.Promise{})
	if _, known := r.Possible(nil, span(0, 0)); known {
		t.Error("a value is known before there was any")
	}
	_ = r.Write(nil, tick(0), 1).Commit(tick(1))
	r.Write(nil, tick(2), 2).Maybe(tick(3))
	r.Write(nil, tick(9), 3)
	values, known := r.Possible(nil, span(5, 6))
	if !known || !slices.Equal(values, []int{1, 2}) {
		t.Errorf("possible: %v, known %v", values, known)
	}
}

// TestImpatience tells a read after the patience has run out.
func TestImpatience(t *testing.T) {
	r := model.NewRegister[int](model.Promise{Patience: ticks(100)}).Initially(0)
	_ = r.Write(nil, tick(0), 1).Commit(tick(1))
	if v := r.Read(nil, span(200, 200), 1); v != nil {
		t.Error(v)
	}
	if v := r.Read(nil, span(99, 101), 0); v != nil || r.Late() != 1 {
		t.Errorf("%v, %d late", v, r.Late())
	}
	if v := r.Read(nil, span(100, 101), 0); v == nil || r.Late() != 1 {
		t.Errorf("%v, %d late", v, r.Late())
	}
}

// TestLateToldContradiction has an old read told after a session's newer ones, which it contradicts:
// 2 was there at 6, 1 came after that, and the session saw 2 after 1.
func TestLateToldContradiction(t *testing.T) {
	r := model.NewRegister[int](model.Promise{Lag: ticks(10), Monotonic: true}).Initially(0)
	r.Write(nil, tick(0), 1).Maybe(tick(1))
	r.Write(nil, tick(0), 2).Maybe(tick(1))
	session := model.NewSession()
	for i, shown := range []int{1, 2} {
		if v := r.Read(session, span(20+2*i, 20+2*i), shown); v != nil {
			t.Fatal(v)
		}
	}
	if v := r.Read(nil, span(5, 6), 2); v == nil || v.Code != model.CodeStaleRead {
		t.Errorf("%v", v)
	}
}

// TestSettledDoubtsForgetNothing lets lost writes run out: they never happened, and what
// was there before them still is.
func TestSettledDoubtsForgetNothing(t *testing.T) {
	r := model.NewRegister[int](model.Promise{Settle: ticks(10), Patience: ticks(100), Lag: ticks(50)}).Initially(0)
	for i := range 20 {
		r.Write(nil, tick(100*i), 1+i).Maybe(tick(100*i + 1))
	}
	if v := r.Read(nil, span(5000, 5001), 0); v != nil {
		t.Error(v)
	}
	if v := r.Read(nil, span(4901, 4902), 0); v != nil || r.Late() != 0 {
		t.Errorf("%v, %d late", v, r.Late())
	}
	if v := r.Read(nil, span(4900, 4901), 0); v != nil || r.Late() != 1 {
		t.Errorf("%v, %d late", v, r.Late())
	}
	if v := r.Read(nil, span(5000, 5001), 20); v == nil {
		t.Error("a lost write took effect later than it can, unseen by a read in between")
	}
}
