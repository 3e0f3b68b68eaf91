package histogram

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Every percentile of every kind of values is within 0.8 % of the nearest rank.
func TestQuantilesAreNearTheTruth(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	qs := []float64{0, 0.01, 0.5, 0.9, 0.95, 0.99, 0.999, 1}
	for name, draw := range map[string]func() uint64{
		"small":       func() uint64 { return random.Uint64N(100) },
		"exponential": func() uint64 { return uint64(random.ExpFloat64() * 50_000) },
		"wide":        func() uint64 { return uint64(math.Exp(random.Float64() * 34)) },
		"constant":    func() uint64 { return 123_456_789 },
	} {
		for _, n := range []int{1, 2, 10, 64, 65, 1000, 50_000} {
			var h, left, right Histogram
			values := make([]uint64, n)
			for i := range values {
				values[i] = draw()
				h.Record(values[i])
				if i%3 == 0 {
					left.Record(values[i])
				} else {
					right.Record(values[i])
				}
			}
			left.Merge(&right)
			slices.Sort(values)
			for which, got := range map[string][]uint64{"whole": h.Quantiles(qs...), "merged": left.Quantiles(qs...)} {
				for i, q := range qs {
					want := float64(values[rank(q, int64(n))-1])
					if off := math.Abs(float64(got[i]) - want); off > 0.008*want {
						t.Errorf("%s, %s, %d values: quantile %v is %d, want %v", name, which, n, q, got[i], want)
					}
				}
			}
			if h.Count() != int64(n) || left.Count() != int64(n) {
				t.Errorf("%s: %d and %d counted, want %d", name, h.Count(), left.Count(), n)
			}
		}
	}
}

func TestExtremes(t *testing.T) {
	var h Histogram
	if got := h.Quantiles(0.5); got[0] != 0 {
		t.Errorf("an empty histogram has median %d", got[0])
	}
	h.Record(math.MaxUint64)
	if got := h.Quantiles(1)[0]; got < highest/100*99 {
		t.Errorf("the largest value counts as %d", got)
	}
}

func TestRecordingAllocatesNothing(t *testing.T) {
	var h Histogram
	for v := range uint64(10_000) {
		h.Record(v)
	}
	v := uint64(0)
	if n := testing.AllocsPerRun(1000, func() { v = (v*7 + 1) % 10_000; h.Record(v) }); n != 0 {
		t.Errorf("%v allocations for each value", n)
	}
}
