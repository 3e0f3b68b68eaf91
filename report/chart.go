package report

import (
	"fmt"
	"html"
	"html/template"
	"math"
	"strings"
)

// Every chart is drawn twice, for a wide and for a narrow window, and the style
// sheet shows one of them: text in an SVG that is scaled to a phone's width
// cannot be read.
const (
	wideChart   = 1000.0
	narrowChart = 358.0 // a window of 390 CSS pixels less its margins
)

// picture is one chart in both sizes.
type picture struct {
	Wide, Narrow template.HTML
}

// draw makes a picture. title and desc are read out in place of the drawing;
// id must be unique in the document.
func draw(id, title, desc string, body func(d *drawing)) picture {
	one := func(suffix string, width float64) template.HTML {
		d := &drawing{id: id + suffix, width: width, narrow: width < 500}
		body(d)
		// Whatever is not a constant of ours went through element, text or EscapeString.
		return template.HTML(fmt.Sprintf(
			`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" role="img" aria-labelledby="%s-t %s-d" class="chart"><title id="%s-t">%s</title><desc id="%s-d">%s</desc>%s</svg>`,
			coord(d.width), coord(d.height), d.id, d.id, d.id, html.EscapeString(Visible(title)), d.id, html.EscapeString(Visible(desc)), d.body.String()))
	}
	return picture{Wide: one("-w", wideChart), Narrow: one("-n", narrowChart)}
}

// drawing collects the elements of one SVG.
type drawing struct {
	id            string
	width, height float64
	narrow        bool
	body          strings.Builder
}

// drawable returns a value as charts can take it. What no run measures (a
// damaged file may hold anything) goes to the nearest end.
func drawable(x float64) float64 {
	if math.IsNaN(x) {
		return 0
	}
	return min(max(x, 0), 1e18)
}

func allDrawable(values []float64) []float64 {
	good := make([]float64, len(values))
	for i, v := range values {
		good[i] = drawable(v)
	}
	return good
}

// coord writes a coordinate with a tenth of a pixel, enough for any screen.
// What cannot be drawn (NaN and infinities) goes to 0.
func coord(x float64) string {
	if math.IsNaN(x) || math.Abs(x) > 1e7 {
		return "0"
	}
	return trim(x, 1)
}

// element writes an element of pairs of attribute and value (a string or a
// float64, a coordinate) with a tooltip if tip is not empty.
func (d *drawing) element(name, tip string, pairs ...any) {
	d.body.WriteString("<" + name)
	for i := 0; i+1 < len(pairs); i += 2 {
		value, ok := pairs[i+1].(string)
		if !ok {
			value = coord(pairs[i+1].(float64))
		}
		fmt.Fprintf(&d.body, ` %s="%s"`, pairs[i], html.EscapeString(Visible(value)))
	}
	if tip == "" {
		d.body.WriteString("/>")
		return
	}
	fmt.Fprintf(&d.body, "><title>%s</title></%s>", html.EscapeString(Visible(tip)), name)
}

func (d *drawing) line(class string, x1, y1, x2, y2 float64) {
	d.element("line", "", "class", class, "x1", x1, "y1", y1, "x2", x2, "y2", y2)
}

func (d *drawing) rect(class, tip string, x, y, width, height float64) {
	d.element("rect", tip, "class", class, "x", x, "y", y, "width", max(width, 0), "height", max(height, 0))
}

// text writes s at its base line; anchor is start, middle or end.
func (d *drawing) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&d.body, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`,
		class, anchor, coord(x), coord(y), html.EscapeString(Visible(s)))
}

// path joins points by straight lines, and back along the base ones if given.
func path(points, base [][2]float64) string {
	var b strings.Builder
	for i, p := range points {
		b.WriteString(map[bool]string{true: "M", false: "L"}[i == 0] + coord(p[0]) + " " + coord(p[1]))
	}
	for i := len(base) - 1; i >= 0; i-- {
		b.WriteString("L" + coord(base[i][0]) + " " + coord(base[i][1]))
	}
	if base != nil {
		b.WriteString("Z")
	}
	return b.String()
}

// textWidth estimates the width of s in a 12 px sans-serif font.
func textWidth(s string) float64 { return 6.6 * float64(columns(s)) }

// ticks returns round values from 0 to at least top, about want of them: steps
// are 1, 2 or 5 times a power of ten.
func ticks(top float64, want int) []float64 {
	if !(top > 0) || math.IsInf(top, 0) {
		top = 1
	}
	step := niceStep(top / float64(max(want, 1)))
	var values []float64
	for i := 0; ; i++ {
		value := float64(i) * step
		values = append(values, value)
		if value >= top*(1-1e-9) || i > 100 {
			return values
		}
	}
}

// niceStep returns the smallest of 1, 2, 5 times a power of ten that is at least least.
func niceStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, factor := range []float64{1, 2, 5} {
		if factor*power >= least*(1-1e-9) {
			return factor * power
		}
	}
	return 10 * power
}

// timeTicks are the round seconds from 0 up to end: steps people count time in.
func timeTicks(end float64, want int) []float64 {
	least := end / float64(max(want, 1))
	step := 0.0
	for _, s := range []float64{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600} {
		if s >= least {
			step = s
			break
		}
	}
	if step == 0 {
		step = niceStep(least/3600) * 3600
	}
	var values []float64
	for at := 0.0; at <= end+1e-9; at += step {
		values = append(values, at)
	}
	return values
}

// clock writes a time on an axis.
func clock(s float64) string {
	switch {
	case s >= 3600:
		return fmt.Sprintf("%d:%02d h", int(s)/3600, int(s)%3600/60)
	case s >= 120 && int(s)%60 == 0:
		return fmt.Sprintf("%d min", int(s)/60)
	default:
		return trim(s, 1) + " s"
	}
}
