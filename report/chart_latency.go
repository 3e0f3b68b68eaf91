package report

import (
	"math"
	"slices"

	"hotseat"
)

// latencyChart draws each endpoint's percentiles on one logarithmic axis: a dot
// for the median, a diamond for p90, a square for p99, a tick for the slowest.
func latencyChart(id, desc string, endpoints []hotseat.Endpoint) picture {
	low, high := math.Inf(1), 0.0
	endpoints = slices.Clone(endpoints)
	for i := range endpoints {
		e := &endpoints[i]
		e.P50MS, e.P90MS, e.P99MS, e.MaxMS = drawable(e.P50MS), drawable(e.P90MS), drawable(e.P99MS), drawable(e.MaxMS)
		for _, ms := range []float64{e.P50MS, e.P90MS, e.P99MS, e.MaxMS} {
			if ms > 0 {
				low, high = min(low, ms), max(high, ms)
			}
		}
	}
	if high == 0 {
		low, high = 1, 10
	}
	// Whole decades, at least one; a fraction of a microsecond is a mistake somewhere.
	first := max(math.Floor(math.Log10(low)), -3)
	last := math.Ceil(math.Log10(max(high, 1e-3)))
	if last <= first {
		last = first + 1
	}
	return draw(id, "Latency by endpoint, logarithmic", desc, func(d *drawing) {
		left, right, row, top := 300.0, d.width-20, 30.0, 34.0
		if d.narrow {
			left, right, row = 8, d.width-12, 46
		}
		d.height = top + row*float64(len(endpoints)) + 8
		x := func(ms float64) float64 {
			if !(ms > 0) {
				return left
			}
			return left + (right-left)*min(max((math.Log10(ms)-first)/(last-first), 0), 1)
		}
		for decade := first; decade <= last; decade++ {
			at := x(math.Pow(10, decade))
			d.line("grid", at, top-8, at, d.height-6)
			anchor := "middle"
			switch {
			case decade == first && d.narrow:
				anchor = "start"
			case decade == last:
				anchor = "end"
			}
			d.text("tick", anchor, at, top-14, decadeName(decade))
			if decade < last {
				for factor := 2.0; factor < 10; factor++ {
					minor := x(factor * math.Pow(10, decade))
					d.line("grid minor", minor, top-8, minor, d.height-6)
				}
			}
		}
		for i, e := range endpoints {
			y := top + row*float64(i) + row/2
			name := e.Method + " " + e.Template
			if d.narrow {
				y += 8
				d.text("value halo", "start", left, y-14, fit(name, 50))
			} else {
				d.text("value", "end", left-14, y+4, fit(name, 36))
			}
			d.line("range thin", x(e.P50MS), y, x(e.MaxMS), y)
			d.line("range", x(e.P50MS), y, x(e.P99MS), y)
			d.line("range end", x(e.MaxMS), y-6, x(e.MaxMS), y+6)
			at := x(e.P99MS)
			d.rect("mark p99", "p99 "+milliseconds(e.P99MS), at-5, y-5, 10, 10)
			at = x(e.P90MS)
			d.element("path", "p90 "+milliseconds(e.P90MS), "class", "mark p90",
				"d", path([][2]float64{{at - 6, y}, {at, y - 6}, {at + 6, y}, {at, y + 6}}, [][2]float64{}))
			d.element("circle", "p50 "+milliseconds(e.P50MS), "class", "mark p50", "cx", x(e.P50MS), "cy", y, "r", 5.5)
		}
	})
}

// decadeName labels a power of ten of milliseconds.
func decadeName(decade float64) string {
	ms := math.Pow(10, decade)
	switch {
	case ms < 0.9:
		return trim(ms*1000, 0) + " µs"
	case ms < 900:
		return trim(ms, 0) + " ms"
	default:
		return short(ms/1000) + " s"
	}
}
