// Package series counts things over time in windows, so that what happened
// together can be found together: see package join.
package series

import (
	"math"
	"slices"
)

// Series counts something over time, in windows of one width. The zero value is empty.
type Series struct {
	First  int64     // number of the first window, in widths since 1970
	Counts []float32 // of that window and those after it
}

// maxWindows is how many windows a series may span; what lies outside is not counted.
const maxWindows = 1 << 13

// Add counts x in a window.
func (s *Series) Add(window int64, x float64) {
	if len(s.Counts) == 0 {
		s.First = window
	}
	if window < s.First {
		more := s.First - window
		if more+int64(len(s.Counts)) > maxWindows {
			return
		}
		s.Counts = slices.Insert(s.Counts, 0, make([]float32, more)...)
		s.First = window
	}
	at := window - s.First
	if at >= maxWindows {
		return
	}
	for int64(len(s.Counts)) <= at {
		s.Counts = append(s.Counts, 0)
	}
	s.Counts[at] += float32(x)
}

// Spread counts one thing that lasted from one time to another, in seconds since
// 1970, in all windows of the width that it touched, by its part in each.
func (s *Series) Spread(from, to, width float64) {
	first, last := int64(math.Floor(from/width)), int64(math.Floor(to/width))
	if last <= first || last-first > 600 {
		s.Add(last, 1)
		return
	}
	for w := first; w <= last; w++ {
		part := (min(to, float64(w+1)*width) - max(from, float64(w)*width)) / (to - from)
		s.Add(w, part)
	}
}

// Merge adds all of another series.
func (s *Series) Merge(o *Series) {
	for i, x := range o.Counts {
		if x != 0 {
			s.Add(o.First+int64(i), float64(x))
		}
	}
}
