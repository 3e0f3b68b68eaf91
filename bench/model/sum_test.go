package model_test

import (
	"math/rand/v2"
	"testing"

	"hotseat/bench/model"
)

// TestSumIsExact compares the end-of-run check with every combination of doubtful amounts.
func TestSumIsExact(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 5))
	right, wrong := 0, 0
	for range 1000 * *factor {
		s := model.NewSum(model.Promise{Patience: ticks(50)}, 10)
		certain := int64(10)
		var doubtful []int64
		for i := range r.IntN(200) {
			amount := int64(r.IntN(9)*10 - 30)
			term := s.Add(tick(i), amount)
			switch p := r.IntN(100); {
			case p < 5 && len(doubtful) < 8:
				doubtful = append(doubtful, amount)
				if p > 0 { // otherwise it never ends
					term.Maybe(tick(i + r.IntN(50)))
				}
			case p < 10:
				term.Never()
			default:
				term.Commit(tick(i + r.IntN(50)))
				certain += amount
			}
		}
		totals := map[int64]bool{}
		for choice := range 1 << len(doubtful) {
			total := certain
			for i, amount := range doubtful {
				if choice&(1<<i) != 0 {
					total += amount
				}
			}
			totals[total] = true
		}
		for total := certain - 250; total <= certain+450; total += 5 {
			v := s.Check(total)
			switch {
			case totals[total] && v != nil:
				t.Fatalf("false alarm with %v doubtful: %v", doubtful, v)
			case totals[total]:
				right++
			case v == nil:
				t.Fatalf("%d passes with %d certain and %v doubtful", total, certain, doubtful)
			default:
				wrong++
			}
		}
	}
	t.Logf("%d totals are possible, %d are not", right, wrong)
}

// TestSumWithManyDoubts is past the point where all totals are tried: the
// range and the common divisor still hold.
func TestSumWithManyDoubts(t *testing.T) {
	s := model.NewSum(model.Promise{}, 0)
	var most int64
	for i := range 40 {
		amount := int64(100 + 10*i)
		most += amount
		s.Add(tick(0), amount).Maybe(tick(1))
	}
	for total, ok := range map[int64]bool{0: true, most: true, most / 20 * 10: true, -10: false, most + 10: false, 105: false} {
		if v := s.Check(total); (v == nil) != ok {
			t.Errorf("%d: %v", total, v)
		}
	}
}

// TestSumDuringTheRun looks at reads while additions are under way.
func TestSumDuringTheRun(t *testing.T) {
	s := model.NewSum(model.Promise{Lag: ticks(10)}, 0)
	s.Add(tick(10), 100).Commit(tick(20))
	s.Add(tick(50), 7).Maybe(tick(60))
	for _, c := range []struct {
		sent, done int
		total      int64
		ok         bool
	}{
		{0, 9, 0, true},
		{0, 9, 100, false}, // not sent yet
		{5, 12, 0, true},
		{5, 12, 100, true},
		{5, 12, 50, false},
		{29, 29, 0, true}, // within the lag
		{31, 31, 0, false},
		{31, 31, 100, true},
		{31, 31, 107, false},
		{55, 56, 107, true},
		{90, 99, 107, true},
		{90, 99, 100, true},
		{90, 99, 103, false},
	} {
		if v := s.Read(span(c.sent, c.done), c.total); (v == nil) != c.ok {
			t.Errorf("%d read at %d to %d: %v", c.total, c.sent, c.done, v)
		}
	}
}

// TestSumRemembersForItsPatience reads late-told totals after many additions.
func TestSumRemembersForItsPatience(t *testing.T) {
	s := model.NewSum(model.Promise{Patience: ticks(1000)}, 0)
	for i := range 200 {
		if term := s.Add(tick(i), 1); i < 100 {
			term.Commit(tick(i))
		} else {
			term.Maybe(tick(i))
		}
	}
	for total, ok := range map[int64]bool{50: true, 51: true, 49: false, 52: false} {
		if v := s.Read(span(50, 50), total); (v == nil) != ok {
			t.Errorf("%d: %v", total, v)
		}
	}
}
