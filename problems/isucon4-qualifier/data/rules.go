package data

import "fmt"

// breakpoint is a width from which the classes with its infix hold.
type breakpoint struct {
	infix string // as in col-sm-3
	query string // empty for every width
}

func breakpoints() []breakpoint {
	return []breakpoint{
		{"xs", ""},
		{"sm", "(min-width:768px)"},
		{"md", "(min-width:992px)"},
		{"lg", "(min-width:1200px)"},
	}
}

// wrap puts rules under the breakpoint's condition.
func (b breakpoint) wrap(rules string) string {
	if b.query == "" {
		return rules
	}
	return "@media " + b.query + "{" + rules + "}"
}

// utilities yields the grid, then classes that do one thing each at one width:
// first by property, the last family being large enough to fill any room left.
func utilities(yield func(string) bool) {
	for _, at := range breakpoints() {
		if !yield(at.wrap(grid(at.infix))) {
			return
		}
	}
	for _, at := range breakpoints() {
		if !yield(at.wrap(keywords(at.infix))) {
			return
		}
	}
	for _, at := range breakpoints() {
		for _, property := range []string{"margin", "padding"} {
			if !yield(at.wrap(spacing(at.infix, property))) {
				return
			}
		}
	}
	measures := []struct{ class, property string }{
		{"w", "width"}, {"h", "height"}, {"min-w", "min-width"}, {"max-w", "max-width"},
		{"min-h", "min-height"}, {"max-h", "max-height"}, {"gap", "gap"}, {"basis", "flex-basis"},
		{"top", "top"}, {"right", "right"}, {"bottom", "bottom"}, {"left", "left"},
		{"inset", "inset"}, {"indent", "text-indent"}, {"cols", "column-width"}, {"scroll-m", "scroll-margin"},
	}
	for _, m := range measures {
		for quarters := range 161 {
			if !yield(fmt.Sprintf(".%s-%d{%s:%s}", m.class, quarters, m.property, quarterRem(quarters))) {
				return
			}
		}
	}
}

// grid gives twelve columns, and the offsets and orders that go with them.
func grid(infix string) string {
	var rules string
	for n := 1; n <= 12; n++ {
		// The parents are named so that these outweigh the full width of a
		// row's children.
		rules += fmt.Sprintf(".row>.col-%[1]s-%[2]d,.form-horizontal .form-group>.col-%[1]s-%[2]d{width:%[3]s}", infix, n, twelfths(n))
	}
	for n := range 12 {
		rules += fmt.Sprintf(".col-%s-offset-%d{margin-left:%s}", infix, n, twelfths(n))
	}
	for n := range 13 {
		rules += fmt.Sprintf(".col-%s-order-%d{order:%d}", infix, n, n)
	}
	return rules
}

// keywords gives the properties whose values are words.
func keywords(infix string) string {
	families := []struct {
		class, property string
		values          []string
	}{
		{"d", "display", []string{"none", "block", "inline", "inline-block", "flex", "inline-flex", "grid", "table", "table-row", "table-cell"}},
		{"text", "text-align", []string{"left", "right", "center", "justify"}},
		{"case", "text-transform", []string{"none", "uppercase", "lowercase", "capitalize"}},
		{"float", "float", []string{"left", "right", "none"}},
		{"clear", "clear", []string{"left", "right", "both", "none"}},
		{"pos", "position", []string{"static", "relative", "absolute", "fixed", "sticky"}},
		{"flow", "overflow", []string{"auto", "hidden", "visible", "scroll"}},
		{"flex", "flex-direction", []string{"row", "column", "row-reverse", "column-reverse"}},
		{"wrap", "flex-wrap", []string{"wrap", "nowrap", "wrap-reverse"}},
		{"justify", "justify-content", []string{"flex-start", "flex-end", "center", "space-between", "space-around", "space-evenly"}},
		{"items", "align-items", []string{"stretch", "flex-start", "flex-end", "center", "baseline"}},
		{"self", "align-self", []string{"auto", "stretch", "flex-start", "flex-end", "center", "baseline"}},
		{"valign", "vertical-align", []string{"baseline", "top", "middle", "bottom", "text-top", "text-bottom"}},
		{"space", "white-space", []string{"normal", "nowrap", "pre", "pre-wrap", "pre-line"}},
		{"see", "visibility", []string{"visible", "hidden", "collapse"}},
		{"cursor", "cursor", []string{"auto", "default", "pointer", "text", "wait", "move", "help", "not-allowed"}},
		{"fit", "object-fit", []string{"fill", "contain", "cover", "none", "scale-down"}},
	}
	var rules string
	for _, f := range families {
		for _, value := range f.values {
			rules += fmt.Sprintf(".%s-%s-%s{%s:%s}", f.class, infix, value, f.property, value)
		}
	}
	return rules
}

// spacing gives margins or paddings of 0 to 6 rem on every side, in quarters up
// to 2 rem and whole rems from there.
func spacing(infix, property string) string {
	sides := []struct{ class, suffix string }{
		{"", ""}, {"t", "-top"}, {"r", "-right"}, {"b", "-bottom"}, {"l", "-left"}, {"x", "-inline"}, {"y", "-block"},
	}
	var rules string
	for _, side := range sides {
		for _, quarters := range []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 20, 24} {
			rules += fmt.Sprintf(".%s%s-%s-%d{%s%s:%s}",
				property[:1], side.class, infix, quarters, property, side.suffix, quarterRem(quarters))
		}
	}
	return rules
}

// palette yields every coloured component in every hue, first as it rests and
// then, in finer steps, as text, fill and edge.
func palette(yield func(string) bool) {
	hues := []struct {
		name    string
		degrees int
	}{
		{"rose", 345}, {"red", 4}, {"rust", 16}, {"orange", 28}, {"amber", 42}, {"lemon", 54},
		{"lime", 80}, {"leaf", 110}, {"green", 140}, {"jade", 160}, {"teal", 178}, {"cyan", 190},
		{"sky", 202}, {"blue", 214}, {"indigo", 232}, {"violet", 262}, {"plum", 290}, {"pink", 322},
	}
	for _, hue := range hues {
		color := func(saturation, lightness int) string {
			return fmt.Sprintf("hsl(%d,%d%%,%d%%)", hue.degrees, saturation, lightness)
		}
		pale, mid, deep, dark := color(70, 95), color(55, 42), color(60, 28), color(60, 20)
		rules := fmt.Sprintf(".btn-%s{background:%s;color:#fff}.btn-%[1]s:hover,.btn-%[1]s:focus{background:%s}", hue.name, deep, dark) +
			fmt.Sprintf(".alert-%s{border-color:%s;background:%s;color:%s}", hue.name, mid, pale, dark) +
			fmt.Sprintf(".panel-%s{border-color:%s}.panel-%[1]s>.panel-heading{border-color:%[2]s;background:%s;color:#fff}", hue.name, mid, deep) +
			fmt.Sprintf(".label-%s,.badge-%[1]s,.progress-bar-%[1]s{background:%s;color:#fff}", hue.name, deep) +
			fmt.Sprintf(".table .tr-%s{background:%s}.list-group-item-%[1]s{background:%[2]s;color:%s}", hue.name, pale, dark)
		if !yield(rules) {
			return
		}
	}
	for _, use := range []struct{ class, property string }{
		{"bg", "background-color"}, {"fg", "color"}, {"edge", "border-color"}, {"ring", "outline-color"}, {"mark", "text-decoration-color"},
		{"caret", "caret-color"}, {"accent", "accent-color"},
	} {
		for _, hue := range hues {
			for lightness := 5; lightness <= 95; lightness += 10 {
				if !yield(fmt.Sprintf(".%s-%s-%d{%s:hsl(%d,60%%,%d%%)}", use.class, hue.name, lightness, use.property, hue.degrees, lightness)) {
					return
				}
			}
		}
	}
}

// quarterRem writes n quarters of a rem.
func quarterRem(n int) string {
	if n == 0 {
		return "0"
	}
	whole := ""
	if n >= 4 {
		whole = fmt.Sprint(n / 4)
	}
	return whole + [...]string{"", ".25", ".5", ".75"}[n%4] + "rem"
}

// twelfths writes n twelfths of the width as a percentage, rounded to four
// places in whole numbers.
func twelfths(n int) string {
	const whole = 100_0000
	parts := (n*whole + 6) / 12
	if n == 0 {
		return "0"
	}
	return fmt.Sprintf("%d.%04d%%", parts/10000, parts%10000)
}
