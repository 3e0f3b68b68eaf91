package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"
)

// frame is what charts over time share, so that they line up under each other.
type frame struct {
	d                        *drawing
	left, right, top, bottom float64 // of the plot, in pixels
	end                      float64 // seconds at its right edge
	high                     float64 // value at its top
}

func (f *frame) x(t float64) float64 { return f.left + (f.right-f.left)*min(max(t/f.end, 0), 1) }
func (f *frame) y(v float64) float64 {
	return f.bottom - (f.bottom-f.top)*min(max(v/f.high, 0), 1)
}

// newFrame draws the phases, the axes and their labels. The top of the plot is
// the first round value that is not below high.
func newFrame(d *drawing, height, end, high float64, spans []Span) *frame {
	values := ticks(high, 4)
	return newFrameUpTo(d, height, end, values[len(values)-1], values, spans)
}

// newFrameUpTo is newFrame with the top and the values to name given.
func newFrameUpTo(d *drawing, height, end, high float64, values []float64, spans []Span) *frame {
	const names = 150 // room for labels at the right of a wide chart
	end = drawable(end)
	if end == 0 {
		end = 1
	}
	f := &frame{d: d, left: 56, right: d.width - names, top: 22, bottom: height - 24, end: end, high: high}
	if d.narrow {
		f.left, f.right = 42, d.width-6
	}
	d.height = height
	f.phases(spans)
	for _, v := range values {
		class := "grid"
		if v == 0 {
			class = "axis"
		}
		d.line(class, f.left, f.y(v), f.right, f.y(v))
		d.text("tick", "end", f.left-6, f.y(v)+4, short(v))
	}
	want := 10
	if d.narrow {
		want = 5
	}
	for _, t := range timeTicks(f.end, want) {
		d.line("axis", f.x(t), f.bottom, f.x(t), f.bottom+4)
		anchor := "middle"
		if f.x(t) > f.right-12 && d.narrow {
			anchor = "end"
		}
		d.text("tick", anchor, f.x(t), f.bottom+17, clock(t))
	}
	return f
}

// phases shades every other phase and names as many as there is room for, the
// longest first. A name may reach into the next phase.
func (f *frame) phases(spans []Span) {
	d := f.d
	for i, s := range spans {
		from, to := f.x(s.From), f.x(s.To)
		state := "done"
		switch {
		case !s.Ended:
			state = "not ended"
		case !s.OK:
			state = "failed"
		}
		d.rect(fmt.Sprintf("phase phase%d", i%2), fmt.Sprintf("%s: %s, %s", s.Name, seconds(s.To-s.From), state), from, f.top, to-from, f.bottom-f.top)
	}
	longest := slices.Clone(spans)
	slices.SortStableFunc(longest, func(a, b Span) int { return cmp.Compare(b.To-b.From, a.To-a.From) })
	var taken [][2]float64
	for _, s := range longest {
		from := f.x(s.From) + 3
		to := from + textWidth(s.Name)
		overlaps := func(other [2]float64) bool { return from < other[1]+4 && other[0] < to+4 }
		if to > d.width || slices.ContainsFunc(taken, overlaps) {
			continue
		}
		taken = append(taken, [2]float64{from, to})
		d.text("phase-name", "start", from, f.top-7, s.Name)
	}
}

// hover lays invisible columns over the plot, each telling its values.
func (f *frame) hover(times []float64, tip func(i int) string) {
	for i, t := range times {
		from := f.left
		if i > 0 {
			from = f.x((times[i-1] + t) / 2)
		}
		to := f.right
		if i+1 < len(times) {
			to = f.x((t + times[i+1]) / 2)
		}
		f.d.rect("hover", tip(i), from, f.top, to-from, f.bottom-f.top)
	}
}

// lineChart draws one series over time. Where label is set it stands at the
// last point.
func lineChart(id, title, desc string, class int, times, values []float64, end float64, spans []Span, label func(float64) string) picture {
	times, values = allDrawable(times), allDrawable(values)
	return draw(id, title, desc, func(d *drawing) {
		high := 0.0
		for _, v := range values {
			high = max(high, v)
		}
		f := newFrame(d, 190, end, high, spans)
		points := make([][2]float64, len(values))
		base := make([][2]float64, len(values))
		for i, v := range values {
			points[i] = [2]float64{f.x(times[i]), f.y(v)}
			base[i] = [2]float64{f.x(times[i]), f.bottom}
		}
		if len(points) == 0 {
			return
		}
		if len(points) > 1 {
			d.element("path", "", "class", fmt.Sprintf("under s%d", class), "d", path(points, base))
		}
		d.element("path", "", "class", fmt.Sprintf("stroke s%d", class), "d", path(points, nil))
		last := points[len(points)-1]
		d.element("circle", "", "class", fmt.Sprintf("dot s%d", class), "cx", last[0], "cy", last[1], "r", 3.5)
		text := label(values[len(values)-1])
		if d.narrow {
			d.text("value halo", "end", last[0]-6, max(last[1]-8, f.top+10), text)
		} else {
			d.text("value", "start", last[0]+8, last[1]+4, text)
		}
		f.hover(times, func(i int) string { return clock(times[i]) + ": " + label(values[i]) })
	})
}

// barChart draws one value per interval; nothing is drawn for zeros, so that
// rare events stand out.
func barChart(id, title, desc string, class int, times, values []float64, end float64, spans []Span, label func(float64) string) picture {
	times, values = allDrawable(times), allDrawable(values)
	return draw(id, title, desc, func(d *drawing) {
		high := 0.0
		for _, v := range values {
			high = max(high, v)
		}
		f := newFrame(d, 130, end, max(high, 1), spans)
		for i, v := range values {
			from := 0.0
			if i > 0 {
				from = times[i-1]
			}
			if v > 0 {
				width := max(f.x(times[i])-f.x(from)-1, 2)
				d.rect(fmt.Sprintf("fill s%d", class), clock(times[i])+": "+label(v), f.x(times[i])-width, f.y(v), width, f.bottom-f.y(v))
			}
		}
	})
}

// layer is one band of a stacked chart.
type layer struct {
	Name   string
	Class  int // colour and pattern: 0 to series-1, other for what has no name
	Values []float64
}

// Series that can be told apart; more share the class other.
const (
	series = 7
	other  = 7
)

// stackChart draws layers on top of each other, the first at the bottom, under
// a limit.
func stackChart(id, title, desc string, times []float64, layers []layer, end, limit float64, limitName string, spans []Span) picture {
	times, limit, layers = allDrawable(times), drawable(limit), slices.Clone(layers)
	for i, l := range layers {
		layers[i].Values = allDrawable(l.Values)
	}
	return draw(id, title, desc, func(d *drawing) {
		sums := make([]float64, len(times))
		for _, l := range layers {
			for i, v := range l.Values {
				sums[i] += v
			}
		}
		high := limit
		for _, v := range sums {
			high = max(high, v)
		}
		height := 260.0
		if d.narrow {
			height = 220
		}
		// Not up to the next round value, which may be twice the limit.
		values := ticks(high, 4)
		for values[len(values)-1] > high {
			values = values[:len(values)-1]
		}
		f := newFrameUpTo(d, height, end, max(high, 0.1)*1.1, values, spans)
		d.body.WriteString(string(textures(d.id)))
		below := make([]float64, len(times))
		var names []placedName
		for _, l := range layers {
			points, base := make([][2]float64, len(times)), make([][2]float64, len(times))
			var thick, middle float64
			for i, v := range l.Values {
				base[i] = [2]float64{f.x(times[i]), f.y(below[i])}
				below[i] += v
				points[i] = [2]float64{f.x(times[i]), f.y(below[i])}
				thick += base[i][1] - points[i][1]
				middle += (base[i][1] + points[i][1]) / 2
			}
			switch len(points) {
			case 0:
				continue
			case 1:
				d.rect(fmt.Sprintf("fill s%d", l.Class), l.Name, points[0][0]-3, points[0][1], 6, base[0][1]-points[0][1])
			default:
				outline := path(points, base)
				d.element("path", "", "class", fmt.Sprintf("area s%d", l.Class), "d", outline)
				d.element("path", "", "fill", fmt.Sprintf("url(#%s-p%d)", d.id, l.Class), "d", outline)
			}
			n := float64(len(points))
			if thick/n > 1.5 {
				names = append(names, placedName{l.Name, l.Class, middle / n})
			}
		}
		if limit > 0 {
			d.line("limit", f.left, f.y(limit), f.right, f.y(limit))
			d.text("limit-name halo", "end", f.right-4, f.y(limit)-5, limitName)
		}
		if !d.narrow {
			for _, n := range apart(names, f.top+6, f.bottom) {
				d.rect(fmt.Sprintf("fill s%d", n.class), "", f.right+10, n.y-5, 10, 10)
				d.element("rect", "", "fill", fmt.Sprintf("url(#%s-p%d)", d.id, n.class), "x", f.right+10, "y", n.y-5, "width", 10.0, "height", 10.0)
				d.text("value", "start", f.right+25, n.y+4, fit(n.name, 16))
			}
		}
		f.hover(times, func(i int) string {
			tip := fmt.Sprintf("%s: %s cores", clock(times[i]), number(sums[i]))
			for j := len(layers) - 1; j >= 0; j-- {
				tip += fmt.Sprintf("\n%s %s", layers[j].Name, number(layers[j].Values[i]))
			}
			return tip
		})
	})
}

type placedName struct {
	name  string
	class int
	y     float64
}

// apart moves labels so that they keep a line's height between them, from the
// lowest (names come bottom up) to the top.
func apart(names []placedName, top, bottom float64) []placedName {
	const step = 16
	next := bottom
	for i := range names {
		names[i].y = min(names[i].y, next)
		next = names[i].y - step
	}
	if n := len(names); n > 0 && names[n-1].y < top {
		floor := top
		for i := n - 1; i >= 0; i-- {
			names[i].y = math.Max(names[i].y, floor)
			floor = names[i].y + step
		}
	}
	return names
}

// textures defines the patterns that tell layers apart without colour, laid
// over the colours as url(#ID-pCLASS).
func textures(id string) template.HTML {
	var b strings.Builder
	for class, shape := range []string{
		0: "",
		1: `<path d="M-2 2L2 -2M0 8L8 0M6 10L10 6"/>`,
		2: `<path d="M2 2h.1M6 6h.1" stroke-linecap="round" stroke-width="2.4"/>`,
		3: `<path d="M-2 6L2 10M0 0L8 8M6 -2L10 2"/>`,
		4: `<path d="M0 4H8"/>`,
		5: `<path d="M4 0V8"/>`,
		6: `<path d="M0 4H8M4 0V8"/>`,
		7: `<path d="M0 0L8 8M8 0L0 8"/>`,
	} {
		fmt.Fprintf(&b, `<pattern id="%s-p%d" width="8" height="8" patternUnits="userSpaceOnUse"><g class="texture">%s</g></pattern>`, id, class, shape)
	}
	return template.HTML(b.String()) // constants of ours
}
