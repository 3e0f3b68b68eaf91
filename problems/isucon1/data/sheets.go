package data

import (
	"fmt"
	"iter"
	"strconv"
	"strings"
)

// widgetSheet styles widgets; its room is filled with the places of icons on a
// sheet of them, and with the sizes of a grid.
func widgetSheet(size int) ([]byte, error) { return filled("css/widgets.css", "", size, iconPlaces) }

// pageSheet is the little that only this site's pages need.
func pageSheet(size int) ([]byte, error) { return filled("css/isucon.css", "", size, nothing) }

// library finds elements and hears of events; its room is filled with functions
// that nobody calls.
func library(size int) ([]byte, error) {
	return filled("js/library.js", "$.parts", size, functions("part", 1))
}

// widgets makes tabs, dialogs and bars; its room is filled in the same way.
func widgets(size int) ([]byte, error) {
	return filled("js/widgets.js", "$.parts", size, functions("widget", 2))
}

func nothing(func(string) bool) {}

// filled returns the source, followed by as many generated pieces as fit and by
// a comment up to exactly size bytes. In a script the pieces are members of the
// object that is called holder.
func filled(source, holder string, size int, pieces iter.Seq[string]) ([]byte, error) {
	out, err := sources.ReadFile(source)
	if err != nil {
		return nil, err
	}
	if len(out) > size {
		return nil, fmt.Errorf("%s has %d bytes, %d fit", source, len(out), size)
	}
	for piece := range pieces {
		if holder != "" {
			piece = holder + "." + piece
		}
		if len(out)+len(piece) > size {
			break
		}
		out = append(out, piece...)
	}
	return append(out, filler(size-len(out))...), nil
}

// filler returns room bytes that mean nothing in a sheet or a script.
func filler(room int) string {
	const open, shut = "/*", "*/"
	if room < len(open)+len(shut) {
		return strings.Repeat("\n", room)
	}
	return open + strings.Repeat(" ", room-len(open)-len(shut)) + shut
}

// iconPlaces yields a rule for each of the 16 by 15 icons, then rules for widths,
// heights and distances, which are enough to fill any room left.
func iconPlaces(yield func(string) bool) {
	for row := range 15 {
		for column := range 16 {
			if !yield(fmt.Sprintf(".ui-icon-%c%d{background-position:-%dpx -%dpx}\n", 'a'+row, column+1, 16*column, 16*row)) {
				return
			}
		}
	}
	for _, property := range []string{"width", "height", "min-height", "margin-left", "margin-top", "padding-left", "padding-top"} {
		for steps := range 100 {
			if !yield(fmt.Sprintf(".ui-%s-%d{%s:%dpx}\n", property, steps, property, 8*steps)) {
				return
			}
		}
	}
}

// functions yields small functions without end, each under a name of its own:
// they make a script as long as the contest's and about as hard to compress.
func functions(name string, seed uint64) iter.Seq[string] {
	c := newChance(seed, scriptStream)
	return func(yield func(string) bool) {
		for n := 1; yield(name + strconv.Itoa(n) + "=" + c.function() + ";\n"); n++ {
		}
	}
}

// function returns the source of a function of two arguments.
func (c chance) function() string {
	a, b, sum := c.identifier()+"0", c.identifier()+"1", c.identifier()+"2" // no reserved word
	var body strings.Builder
	for range c.between(2, 5) {
		body.WriteString(c.statement(a, b, sum))
	}
	return fmt.Sprintf("function(%s,%s){var %s=%d;%sreturn %s}", a, b, sum, c.below(1000), body.String(), sum)
}

func (c chance) statement(a, b, sum string) string {
	n := c.between(2, 99)
	switch c.below(6) {
	case 0:
		return fmt.Sprintf("if(%s>%d){%s+=%s*%d}else{%s-=%s}", a, n, sum, b, c.below(50), sum, a)
	case 1:
		return fmt.Sprintf("for(var i=0;i<%d;i++){%s=(%s*%d+%s)%%%d}", n, sum, sum, c.between(3, 61), b, c.between(101, 9973))
	case 2:
		return fmt.Sprintf("%s=%s.length>%d?%s.length:%s;", sum, a, n, a, b)
	case 3:
		return fmt.Sprintf("%s=%q+%s+%q;", sum, c.identifier(), b, c.identifier())
	case 4:
		return fmt.Sprintf("try{%s=%s[%q](%s)}catch(e){%s=%d}", sum, a, c.identifier(), b, sum, n)
	default:
		return fmt.Sprintf("while(%s>%d){%s=%s>>%d}", sum, 100*n, sum, sum, c.between(1, 4))
	}
}

// identifier is a word of three to nine letters.
func (c chance) identifier() string {
	const letters = "etaoinshrdlucmfwypvbgk"
	word := make([]byte, c.between(3, 9))
	for i := range word {
		word[i] = letters[c.below(len(letters))]
	}
	return string(word)
}
