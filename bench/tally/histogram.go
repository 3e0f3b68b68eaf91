package tally

import (
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// The layout is HdrHistogram's, for values from 1 µs to just over an hour at two significant
// digits (an error below 0.8 %): values below 256 have a counter each, and each further doubling has
// 128. Recording is ours because the library's is not safe for concurrent use; reading is the library's, which
// takes these counts as they are.
const (
	half       = 128
	doublings  = 25 // 256 << 24 µs is 71 minutes
	highest    = 256<<(doublings-1) - 1
	countsLen  = (doublings + 1) * half
	digits     = 2
	lowest     = 1
	chunkCount = doublings + 1
)

// histogram counts durations. Counters come in chunks of one doubling, made when first needed: a server that
// answers in 100 µs to 10 ms costs about 8 KB, not 26. Merging is addition, so the order does not matter.
type histogram struct {
	chunks [chunkCount]atomic.Pointer[[half]atomic.Uint64]
}

// index returns where a value's counter is: the first two chunks hold 0 to 255 one by one.
func index(us int64) (chunk, at int) {
	doubling := bits.Len64(uint64(us)|255) - 8
	sub := int(us >> doubling) // 128 to 255, or 0 to 255 in the first doubling
	i := doubling*half + sub
	return i / half, i % half
}

// record counts a duration, cut to what the layout can hold.
func (h *histogram) record(d time.Duration) {
	us := min(max(d.Microseconds(), 0), highest)
	chunk, at := index(us)
	slot := &h.chunks[chunk]
	c := slot.Load()
	if c == nil {
		slot.CompareAndSwap(nil, new([half]atomic.Uint64))
		c = slot.Load()
	}
	c[at].Add(1)
}

// merged is the sum of histograms.
type merged struct {
	counts []int64
}

func (m *merged) add(h *histogram) {
	for i := range h.chunks {
		c := h.chunks[i].Load()
		if c == nil {
			continue
		}
		if m.counts == nil {
			m.counts = make([]int64, countsLen)
		}
		for j := range c {
			m.counts[i*half+j] += int64(c[j].Load())
		}
	}
}

func (m *merged) empty() bool { return m.counts == nil }

func (m *merged) histogram() *hdrhistogram.Histogram {
	if m.counts == nil {
		m.counts = make([]int64, countsLen)
	}
	return hdrhistogram.Import(&hdrhistogram.Snapshot{
		LowestTrackableValue:  lowest,
		HighestTrackableValue: highest,
		SignificantFigures:    digits,
		Counts:                m.counts,
	})
}
