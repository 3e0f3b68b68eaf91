package check

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A Matcher says which values are right. The zero Matcher accepts everything.
type Matcher struct {
	kind matcherKind
	text string // what Is wants, or the variable's name, or a description
	re   *regexp.Regexp
	test func(string) bool
	set  []string
}

type matcherKind uint8

const (
	matchAny matcherKind = iota
	matchText
	matchVar
	matchNotEmpty
	matchRegexp
	matchFunc
	matchSet
)

// NotEmpty accepts values with something other than white space in them.
var NotEmpty = Matcher{kind: matchNotEmpty}

// Is accepts one value.
func Is(want string) Matcher { return Matcher{kind: matchText, text: want} }

// OneOf accepts any of the values.
func OneOf(want ...string) Matcher {
	return Matcher{kind: matchSet, set: slices.Clone(want), text: fmt.Sprintf("one of %q", want)}
}

// Var accepts the value that the variable of that name is given at check time.
func Var(name string) Matcher { return Matcher{kind: matchVar, text: name} }

// Match accepts what the regular expression matches; anchor it with ^ and $ to match the whole. It panics
// if the expression does not compile.
func Match(expr string) Matcher {
	return Matcher{kind: matchRegexp, re: regexp.MustCompile(expr), text: "a match of " + expr}
}

// Func accepts values for which test returns true; want describes them in failures. The test must depend on nothing
// but the value, or remembered bodies would be judged by yesterday's answer.
func Func(want string, test func(value string) bool) Matcher {
	return Matcher{kind: matchFunc, test: test, text: want}
}

// Time accepts moments written in one of the layouts of package time, with nothing around them.
func Time(layouts ...string) Matcher {
	return Func("a time like "+strings.Join(layouts, " or "), func(value string) bool {
		for _, l := range layouts {
			if _, err := time.Parse(l, value); err == nil {
				return true
			}
		}
		return false
	})
}

func (m *Matcher) ok(value []byte, vars []Value) bool {
	switch m.kind {
	case matchText:
		return string(value) == m.text
	case matchVar:
		return string(value) == lookup(vars, m.text)
	case matchNotEmpty:
		return !blank(value)
	case matchRegexp:
		return m.re.Match(value)
	case matchFunc:
		return m.test(string(value))
	case matchSet:
		for _, want := range m.set {
			if string(value) == want {
				return true
			}
		}
		return false
	}
	return true
}

// expected describes what the matcher accepts.
func (m *Matcher) expected(vars []Value) string {
	switch m.kind {
	case matchText:
		return brief([]byte(m.text))
	case matchVar:
		return brief([]byte(lookup(vars, m.text)))
	case matchNotEmpty:
		return "something"
	case matchAny:
		return "anything"
	}
	return m.text
}

// whitespace is HTML's: other Unicode spaces, such as the ideographic one, are content.
const whitespace = " \t\n\r\f"

func blank(value []byte) bool {
	for _, c := range value {
		if !isSpace(c) {
			return false
		}
	}
	return true
}

func isSpace(c byte) bool { return classes[c]&space != 0 }

// Classes of bytes, for the loops that see every byte of a body.
const (
	space    = 1 << iota // HTML's white space
	endsName             // ends the name of a tag
	endsAttr             // ends the name of an attribute
)

var classes = func() (table [256]uint8) {
	for _, c := range []byte(whitespace) {
		table[c] |= space | endsName | endsAttr
	}
	table['/'] |= endsName | endsAttr
	table['>'] |= endsName | endsAttr
	table['='] |= endsAttr
	return table
}()

// appendNormalized appends value with runs of white space made one space and none at the ends.
func appendNormalized(dst, value []byte) []byte {
	start := len(dst)
	gap := false
	for _, c := range value {
		if isSpace(c) {
			gap = len(dst) > start
			continue
		}
		if gap {
			dst = append(dst, ' ')
			gap = false
		}
		dst = append(dst, c)
	}
	return dst
}
