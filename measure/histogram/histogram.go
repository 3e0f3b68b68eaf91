// Package histogram counts values by size so that percentiles can be read off
// in little memory: one counter for each 1/64 of a doubling, which puts every
// percentile within 0.8 % of the truth.
//
// The layout is the log-linear one that HdrHistogram made known. It is ours
// because a log digest holds thousands of them at once, most with a handful of
// values: those cost two bytes a value, and the others only the doublings that
// occur.
package histogram

import (
	"math"
	"math/bits"
)

const (
	subBits  = 6
	sub      = 1 << subBits // counters in each doubling
	maxBits  = 52
	highest  = 1<<maxBits - 1
	chunks   = maxBits - subBits + 1
	fewLimit = 64 // values that are kept one by one
)

// Histogram counts values from 0 to 2⁵²−1; what is larger counts as that. The
// zero value is empty and ready. It is not safe for concurrent use.
type Histogram struct {
	few    []uint16 // the counter of each value, while they are few
	counts *[chunks]*[sub]uint32
	n      int64
}

// index is the counter of a value: 0 to 127 have one each, then each doubling
// has 64.
func index(v uint64) int {
	v = min(v, highest)
	doubling := bits.Len64(v|(2*sub-1)) - subBits - 1
	return doubling*sub + int(v>>doubling)
}

// middle is the value in the middle of what a counter counts.
func middle(i int) uint64 {
	if i < 2*sub {
		return uint64(i)
	}
	doubling := i/sub - 1
	low := uint64(i-doubling*sub) << doubling
	return low + (1<<doubling)/2
}

// Record counts a value.
func (h *Histogram) Record(v uint64) {
	h.n++
	h.add(index(v), 1)
}

func (h *Histogram) add(i int, n uint32) {
	if h.counts == nil {
		if n == 1 && len(h.few) < fewLimit {
			h.few = append(h.few, uint16(i))
			return
		}
		h.spill()
	}
	c := h.counts[i/sub]
	if c == nil {
		c = new([sub]uint32)
		h.counts[i/sub] = c
	}
	c[i%sub] += n
}

// spill goes over from single values to counters.
func (h *Histogram) spill() {
	few := h.few
	h.few, h.counts = nil, new([chunks]*[sub]uint32)
	for _, i := range few {
		h.add(int(i), 1)
	}
}

// Merge adds all values of another histogram, which stays as it is.
func (h *Histogram) Merge(o *Histogram) {
	h.n += o.n
	for _, i := range o.few {
		h.add(int(i), 1)
	}
	if o.counts == nil {
		return
	}
	for c, chunk := range o.counts {
		if chunk == nil {
			continue
		}
		for i, n := range chunk {
			if n > 0 {
				h.add(c*sub+i, n)
			}
		}
	}
}

// Count is the number of values.
func (h *Histogram) Count() int64 { return h.n }

// Quantiles returns the value below or at which each share q of all values
// lies, by the nearest rank: the smallest value whose rank is at least q × n.
// The qs must ascend. All are 0 if nothing was recorded.
func (h *Histogram) Quantiles(qs ...float64) []uint64 {
	result := make([]uint64, len(qs))
	if h.n == 0 {
		return result
	}
	full := h.counts
	if full == nil {
		c := Histogram{few: h.few}
		c.spill()
		full = c.counts
	}
	var seen int64
	next := 0
	last := 0
	for c, chunk := range full {
		if chunk == nil {
			continue
		}
		for i, n := range chunk {
			if n == 0 {
				continue
			}
			seen += int64(n)
			last = c*sub + i
			for next < len(qs) && seen >= rank(qs[next], h.n) {
				result[next] = middle(last)
				next++
			}
		}
	}
	for ; next < len(qs); next++ {
		result[next] = middle(last)
	}
	return result
}

// rank is q × n rounded up, between 1 and n. What floating point makes of
// 0.9 × 10 must not push a rank one too far.
func rank(q float64, n int64) int64 {
	return min(max(int64(math.Ceil(q*float64(n)-1e-9)), 1), n)
}
