package model_test

import (
	"math/rand/v2"
	"testing"

	"hotseat/bench/model"
)

// judgeElement tells a set the history of one of its elements, among others
// that are always there.
func (h history) judgeElement(p model.Promise) (found []*model.Violation) {
	const key, other = "ours", "other"
	set := model.NewSet[string](p).Initially(other)
	sessions := []*model.Session{nil, model.NewSession(), model.NewSession(), model.NewSession()}
	changes := map[int]*model.Change[string]{}
	h.tell(func(i int) {
		o := h.ops[i]
		if o.value == there {
			changes[i] = set.Add(sessions[o.session], tick(o.sent), key)
		} else {
			changes[i] = set.Remove(sessions[o.session], tick(o.sent), key)
		}
	}, func(i int) {
		o := h.ops[i]
		var v *model.Violation
		switch {
		case !o.write && o.value == there:
			v = set.Read(sessions[o.session], span(o.sent, o.done), []string{other, key})
		case !o.write:
			v = set.Read(sessions[o.session], span(o.sent, o.done), []string{other})
		case o.outcome == "commit":
			v = changes[i].Commit(tick(o.done))
		case o.outcome == "maybe":
			changes[i].Maybe(tick(o.done))
		case o.outcome == "never":
			v = changes[i].Never()
		}
		if v != nil {
			found = append(found, v)
		}
	})
	return found
}

// randomElement makes the history of an element: added, perhaps again after doubts,
// perhaps removed, and read all the while.
func randomElement(r *rand.Rand, retries, removal bool) history {
	h := history{element: true, lag: r.IntN(5), monotonic: r.IntN(2) == 0, own: r.IntN(2) == 0, settle: r.IntN(2) * r.IntN(6)}
	outcomes := []string{"commit", "commit", "maybe", "pending", "never"}
	request := func(value, from int) operation {
		o := operation{write: true, value: value, sent: from + r.IntN(5), session: r.IntN(3), outcome: outcomes[r.IntN(len(outcomes))]}
		o.done = o.sent + r.IntN(6)
		o.told = o.done
		if o.session == 0 {
			o.told += r.IntN(4)
		}
		return o
	}
	add := request(there, 0)
	if removal {
		add.outcome = "commit"
	}
	h.ops = append(h.ops, add)
	for retries && h.ops[len(h.ops)-1].outcome == "maybe" && len(h.ops) < 3 {
		h.ops = append(h.ops, request(there, h.ops[len(h.ops)-1].told+1))
	}
	if removal {
		h.ops = append(h.ops, request(absentAgain, add.told+1))
	}
	end := 12
	if removal || retries {
		end = 24
	}
	for range 1 + r.IntN(5) {
		o := operation{value: r.IntN(2), sent: r.IntN(end), session: r.IntN(3)}
		o.done = o.sent + r.IntN(5)
		o.told = o.done
		if o.session == 0 {
			o.told += r.IntN(4)
		}
		h.ops = append(h.ops, o)
	}
	return h
}

// TestElementIsExact compares what a set says of one element with the search.
func TestElementIsExact(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name             string
		retries, removal bool
		mayMiss          int // of 100 violations
	}{
		{"added once", false, false, 0},
		{"added again after doubts", true, false, 10},
		{"removed", false, true, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(4, 4))
			right, caught, missed := 0, 0, 0
			for range 12_000 * *factor {
				h := randomElement(r, c.retries, c.removal)
				found := h.judgeElement(h.promise())
				explicable := h.explicable()
				switch {
				case explicable && len(found) > 0:
					t.Fatalf("false alarm: %v\n%v", found[0], h)
				case explicable:
					right++
				case len(found) > 0:
					caught++
				case c.mayMiss == 0:
					t.Fatalf("missed a violation\n%v", h)
				default:
					missed++
				}
			}
			t.Logf("%d histories make sense; of the others %d were caught, %d missed", right, caught, missed)
			if right < 1000 || caught < 1000 || 100*missed > c.mayMiss*(caught+missed) {
				t.Errorf("%d histories make sense; of the others %d were caught, %d missed", right, caught, missed)
			}
		})
	}
}

// TestListing looks at what concerns a listing as a whole.
func TestListing(t *testing.T) {
	const lag = 5
	type listing struct {
		sent, done int
		shown      string // one element each letter
	}
	// a and b are there from the start; c is written at 10 to 12, d at 20 to 22, both
	// acknowledged; m's answer was lost at 15 to 17; n was refused at 18; p is under way since 19.
	prepare := func(configure func(s *model.Set[rune])) *model.Set[rune] {
		s := model.NewSet[rune](model.Promise{Lag: ticks(lag)}).Initially('a', 'b')
		if configure != nil {
			configure(s)
		}
		c := s.Add(nil, tick(10), 'c')
		c.Commit(tick(12))
		s.Add(nil, tick(15), 'm').Maybe(tick(17))
		s.Add(nil, tick(18), 'n').Never()
		s.Add(nil, tick(19), 'p')
		d := s.Add(nil, tick(20), 'd')
		d.Commit(tick(22))
		return s
	}
	sorted := func(o model.Order, grain int) func(*model.Set[rune]) {
		return func(s *model.Set[rune]) { s.Sorted(o, ticks(grain)) }
	}
	for _, c := range []struct {
		name      string
		configure func(*model.Set[rune])
		reads     []listing
		code      string // of the last read; none before may fail
	}{
		{"everything", nil, []listing{{30, 31, "abcd"}}, ""},
		{"the doubtful may show", nil, []listing{{30, 31, "abcmpd"}}, ""},
		{"and must then stay", nil, []listing{{30, 31, "abcmd"}, {37, 38, "abcd"}}, model.CodeStaleRead},
		{"within the lag it may hide again", nil, []listing{{30, 31, "abcmd"}, {36, 38, "abcd"}}, ""},
		{"the doubtful may come late", nil, []listing{{30, 31, "abcd"}, {90, 91, "abcdm"}}, ""},
		{"lag not over", nil, []listing{{27, 28, "abc"}}, ""},
		{"lag over", nil, []listing{{28, 29, "abc"}}, model.CodeLostWrite},
		{"seen, then lost", nil, []listing{{22, 22, "abcd"}, {28, 29, "abc"}}, model.CodeStaleRead},
		{"lost from the start", nil, []listing{{0, 1, "a"}}, model.CodeLostWrite},
		{"twice", nil, []listing{{30, 31, "abccd"}}, model.CodeDuplicate},
		{"the doubtful twice", nil, []listing{{30, 31, "abcdmm"}}, model.CodeDuplicate},
		{"refused", nil, []listing{{30, 31, "abcdn"}}, model.CodePhantom},
		{"from nowhere", nil, []listing{{30, 31, "abcdz"}}, model.CodePhantom},
		{"before it was sent", nil, []listing{{5, 9, "abc"}}, model.CodePhantom},
		{"shared with others", func(s *model.Set[rune]) { s.Shared() }, []listing{{30, 31, "abcdzz"}}, ""},
		{"refused, though shared", func(s *model.Set[rune]) { s.Shared() }, []listing{{30, 31, "abcdn"}}, model.CodePhantom},
		{"no order promised", nil, []listing{{30, 31, "dcba"}}, ""},
		{"oldest first", sorted(model.OldestFirst, 0), []listing{{30, 31, "abcd"}}, ""},
		{"oldest last", sorted(model.OldestFirst, 0), []listing{{30, 31, "abdc"}}, model.CodeWrongOrder},
		{"initial ones swapped", sorted(model.OldestFirst, 0), []listing{{30, 31, "bacd"}}, model.CodeWrongOrder},
		{"newest first", sorted(model.NewestFirst, 0), []listing{{30, 31, "dcba"}}, ""},
		{"newest last", sorted(model.NewestFirst, 0), []listing{{30, 31, "cdba"}}, model.CodeWrongOrder},
		{"the doubtful anywhere", sorted(model.OldestFirst, 0), []listing{{30, 31, "abcpdm"}}, ""},
		{"but not before it was sent", sorted(model.OldestFirst, 0), []listing{{30, 31, "abmcd"}}, model.CodeWrongOrder},
		{"nor after those sent after it was seen", sorted(model.OldestFirst, 0), []listing{{17, 18, "abcm"}, {30, 31, "abcdm"}}, model.CodeWrongOrder},
		{"within the grain", sorted(model.OldestFirst, 8), []listing{{30, 31, "abdc"}}, ""},
		{"past the grain", sorted(model.OldestFirst, 7), []listing{{30, 31, "abdc"}}, model.CodeWrongOrder},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := prepare(c.configure)
			for i, l := range c.reads {
				v := s.Read(nil, span(l.sent, l.done), []rune(l.shown))
				code := ""
				if v != nil {
					code = v.Code
				}
				want := ""
				if i == len(c.reads)-1 {
					want = c.code
				}
				if code != want {
					t.Errorf("read %q at %d to %d: %v, want %q", l.shown, l.sent, l.done, v, want)
				}
			}
		})
	}
}

// TestExtract looks at reads of which absence proves nothing, or only absence counts.
func TestExtract(t *testing.T) {
	s := model.NewSet[string](model.Promise{}).Initially("a", "b")
	if v := s.Shown(nil, span(1, 2), "b"); v != nil {
		t.Error(v)
	}
	if v := s.Missing(nil, span(1, 2), "x"); v != nil {
		t.Error(v)
	}
	if v := s.Missing(nil, span(1, 2), "x", "a"); v == nil || v.Code != model.CodeLostWrite {
		t.Error(v)
	}
	if v := s.Remove(nil, tick(3), "a").Commit(tick(4)); v != nil {
		t.Error(v)
	}
	if v := s.Missing(nil, span(5, 6), "a"); v != nil {
		t.Error(v)
	}
	if v := s.Shown(nil, span(5, 6), "a"); v == nil || v.Code != model.CodeStaleRead {
		t.Error(v)
	}
}

// TestRetry adds an element again after its answer was lost.
func TestRetry(t *testing.T) {
	s := model.NewSet[string](model.Promise{})
	s.Add(nil, tick(1), "a").Maybe(tick(2))
	if v := s.Add(nil, tick(3), "a").Commit(tick(4)); v != nil {
		t.Fatal(v)
	}
	if v := s.Read(nil, span(5, 6), []string{"a"}); v != nil {
		t.Errorf("once: %v", v)
	}
	if v := s.Read(nil, span(5, 6), []string{"a", "a"}); v != nil {
		t.Errorf("twice, for both attempts: %v", v)
	}
	if v := s.Read(nil, span(5, 6), []string{"a", "a", "a"}); v == nil || v.Code != model.CodeDuplicate {
		t.Errorf("three times: %v", v)
	}
	if v := s.Read(nil, span(5, 6), nil); v == nil {
		t.Error("not at all")
	}
}

// TestConflicts are contradictions of the author's.
func TestConflicts(t *testing.T) {
	set := func() *model.Set[string] { return model.NewSet[string](model.Promise{}) }
	for name, f := range map[string]func(){
		"settled twice":   func() { c := set().Add(nil, tick(0), "a"); c.Maybe(tick(1)); c.Maybe(tick(1)) },
		"added twice":     func() { s := set().Initially("a"); s.Add(nil, tick(0), "a") },
		"removed unknown": func() { set().Remove(nil, tick(0), "a") },
		"backwards":       func() { set().Read(nil, span(1, 0), nil) },
		"late start":      func() { r := model.NewRegister[int](model.Promise{}); r.Write(nil, tick(0), 1); r.Initially(2) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if _, ok := recover().(model.Conflict); !ok {
					t.Error("no conflict")
				}
			}()
			f()
		})
	}
}

func TestCertain(t *testing.T) {
	s := model.NewSet[string](model.Promise{}).Initially("a", "b")
	s.Add(nil, tick(1), "m").Maybe(tick(2))
	s.Remove(nil, tick(1), "b").Maybe(tick(2))
	if got := s.Certain(); len(got) != 1 || got[0] != "a" {
		t.Errorf("certain: %v", got)
	}
	if got := s.Doubtful(); len(got) != 2 {
		t.Errorf("doubtful: %v", got)
	}
	if v := s.Read(nil, span(3, 4), []string{"a", "m"}); v != nil {
		t.Error(v)
	}
	if got := s.Certain(); len(got) != 2 || got[1] != "m" {
		t.Errorf("certain after a read: %v", got)
	}
}

// TestChangeSettledLate has reads told before the change that they contradict is settled.
func TestChangeSettledLate(t *testing.T) {
	s := model.NewSet[string](model.Promise{}).Initially("b")
	add := s.Add(nil, tick(1), "a")
	if v := s.Read(nil, span(5, 6), []string{"b"}); v != nil {
		t.Errorf("a was not settled yet: %v", v)
	}
	if v := add.Commit(tick(4)); v == nil || v.Code != model.CodeLostWrite {
		t.Errorf("acknowledged before the read that lacked it: %v", v)
	}
	remove := s.Remove(nil, tick(7), "b")
	if v := s.Shown(nil, span(10, 11), "b"); v != nil {
		t.Errorf("the removal was not settled yet: %v", v)
	}
	if v := remove.Commit(tick(9)); v == nil || v.Code != model.CodeStaleRead {
		t.Errorf("removed before the read that had it: %v", v)
	}
}

// TestAbsenceInDoubt has a listing without an element that was added and removed within the
// lag: it may be from before or after, and says nothing about either.
func TestAbsenceInDoubt(t *testing.T) {
	s := model.NewSet[string](model.Promise{Lag: ticks(20)})
	if v := s.Add(nil, tick(10), "a").Commit(tick(12)); v != nil {
		t.Fatal(v)
	}
	remove := s.Remove(nil, tick(20), "a")
	if v := s.Read(nil, span(31, 32), nil); v != nil { // may be as old as 11
		t.Error(v)
	}
	if v := s.Read(nil, span(8, 11), []string{"a"}); v != nil {
		t.Errorf("told late: %v", v)
	}
	if v := remove.Commit(tick(33)); v != nil {
		t.Error(v)
	}
	if v := s.Read(nil, span(8, 10), []string{"a"}); v != nil {
		t.Errorf("told late: %v", v)
	}
}
