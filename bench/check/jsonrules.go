package check

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// jsonJudge applies rules to the values that the scanner, or the reference decoder, comes across in document
// order.
type jsonJudge struct {
	*JSONValidator
	vars     []Value
	failures []jsonFailure
	trail    []trailStep
	found    []capturedSpan
	arena    []byte
}

// jsonFailure is the first time a rule was broken.
type jsonFailure struct {
	rule             int
	expected, actual string // expected "": as the rule says
	trail            string
	offset           int
	value            bool // of the right type, but wrong
}

// trailStep is where the walk is: a member, or an item if name is nil.
type trailStep struct {
	name  []byte
	index int
}

func (j *jsonJudge) fail(f jsonFailure) {
	for i := range j.failures {
		if j.failures[i].rule == f.rule {
			return
		}
	}
	f.trail = j.path()
	j.failures = append(j.failures, f)
}

func (j *jsonJudge) path() string {
	var b strings.Builder
	for _, step := range j.trail {
		switch {
		case step.name == nil:
			fmt.Fprintf(&b, "[%d]", step.index)
		case len(step.name) == 0 || bytes.ContainsAny(step.name, ".[]\"* \t\n"):
			b.WriteString("[" + strconv.Quote(string(step.name)) + "]")
		default:
			if b.Len() > 0 {
				b.WriteByte('.')
			}
			b.Write(step.name)
		}
	}
	return b.String()
}

// value judges a value by its type and, for scalars, its text: strings decoded, others as they are written. It returns
// false if nothing more is expected of the value.
func (j *jsonJudge) value(n *jsonNode, kind Kind, text []byte, offset int) bool {
	if kind == Null && n.nullable {
		return false
	}
	if n.object >= 0 && kind != Object {
		j.fail(jsonFailure{rule: n.object, expected: "object", actual: (kind &^ Integer).String(), offset: offset})
	}
	if n.array >= 0 && kind != Array {
		j.fail(jsonFailure{rule: n.array, expected: "array", actual: (kind &^ Integer).String(), offset: offset})
	}
	for _, i := range n.rules {
		r := &j.rules[i]
		var want Kind
		right := true
		switch r.kind {
		case jsonType:
			want = r.types
		case jsonString:
			want = String
			right = kind&String == 0 || r.want.ok(text, j.vars)
		case jsonNumber:
			want = Number
			right = kind&Number == 0 || r.want.okNumber(text, j.vars)
		case jsonBool:
			want = Bool
			right = kind&Bool == 0 || (text[0] == 't') == r.truth
		default:
			continue
		}
		if kind&want == 0 {
			j.fail(jsonFailure{rule: i, expected: want.String(), actual: describe(kind, text), offset: offset})
		} else if !right {
			actual := string(text)
			if kind == String || len(text) > 300 {
				actual = brief(text)
			}
			j.fail(jsonFailure{rule: i, actual: actual, offset: offset, value: true})
		}
	}
	if kind&(Bool|Number|String) != 0 {
		for _, c := range n.captures {
			from := len(j.arena)
			j.arena = append(j.arena, text...)
			j.found = append(j.found, capturedSpan{c, from, len(j.arena)})
		}
	}
	return true
}

// describe names a value's type, and its text where there is one.
func describe(kind Kind, text []byte) string {
	switch {
	case kind&Number != 0:
		return "number " + string(text[:min(len(text), 50)])
	case kind == String:
		return "string"
	}
	return kind.String()
}

// okNumber is Matcher.ok for numbers: what can be compared as numbers is.
func (m *Matcher) okNumber(text []byte, vars []Value) bool {
	switch m.kind {
	case matchText:
		return sameNumber(text, []byte(m.text))
	case matchVar:
		return sameNumber(text, []byte(lookup(vars, m.text)))
	case matchSet:
		return slices.ContainsFunc(m.set, func(want string) bool { return sameNumber(text, []byte(want)) })
	}
	return m.ok(text, vars)
}

// objectEnd judges an object by the named members that it has, a bit for each.
func (j *jsonJudge) objectEnd(n *jsonNode, seen uint64, offset int) {
	for i := range n.keys {
		c := &n.keys[i]
		if has := seen&(1<<i) != 0; c.required >= 0 && !has {
			j.trail = append(j.trail, trailStep{name: []byte(c.name)})
			j.fail(jsonFailure{rule: c.required, expected: "it to be there", actual: "nothing", offset: offset})
			j.trail = j.trail[:len(j.trail)-1]
		}
	}
}

// arrayEnd judges an array by its length.
func (j *jsonJudge) arrayEnd(n *jsonNode, length, offset int) {
	for _, i := range n.rules {
		r := &j.rules[i]
		if r.kind == jsonLength && (length < r.lo || r.hi >= 0 && length > r.hi) {
			j.fail(jsonFailure{rule: i, actual: strconv.Itoa(length) + " items", offset: offset, value: true})
		}
	}
	for i := range n.items {
		if c := &n.items[i]; c.required >= 0 && c.index >= length {
			j.trail = append(j.trail, trailStep{index: c.index})
			j.fail(jsonFailure{rule: c.required, expected: "it to be there", actual: strconv.Itoa(length) + " items", offset: offset})
			j.trail = j.trail[:len(j.trail)-1]
		}
	}
}

// member returns what is expected of a member, and its number among those named (-1 if it is not one). The trail
// already ends with it.
func (j *jsonJudge) member(n *jsonNode, name []byte, offset int) (*jsonNode, int) {
	for i := range n.keys {
		c := &n.keys[i]
		if string(name) != c.name {
			continue
		}
		if c.forbidden >= 0 {
			j.fail(jsonFailure{rule: c.forbidden, expected: "no such member", actual: "one", offset: offset})
		}
		return c.node, i
	}
	if n.only >= 0 {
		j.fail(jsonFailure{rule: n.only, expected: "no such member", actual: "one", offset: offset})
	}
	return n.any, -1
}

func (n *jsonNode) itemNode(index int) *jsonNode {
	for i := range n.items {
		if n.items[i].index == index {
			return n.items[i].node
		}
	}
	return n.each
}

// report gives the captures to the caller.
func (j *jsonJudge) report(in *Input) {
	reportCaptures(in, j.captures, j.found, j.arena)
}

// isNumber says whether s is a number of RFC 8259 §6.
func isNumber(s []byte) bool { return len(s) > 0 && numberEnd(s, 0) == len(s) }

// numberEnd returns the position behind the number at i, -1 if there is none.
func numberEnd(b []byte, i int) int {
	if i < len(b) && b[i] == '-' {
		i++
	}
	switch {
	case i >= len(b):
		return -1
	case b[i] == '0':
		i++
	case '1' <= b[i] && b[i] <= '9':
		i = digitsEnd(b, i)
	default:
		return -1
	}
	if i < len(b) && b[i] == '.' {
		end := digitsEnd(b, i+1)
		if end == i+1 {
			return -1
		}
		i = end
	}
	if i < len(b) && b[i]|0x20 == 'e' {
		i++
		if i < len(b) && (b[i] == '+' || b[i] == '-') {
			i++
		}
		end := digitsEnd(b, i)
		if end == i {
			return -1
		}
		i = end
	}
	return i
}

func digitsEnd(b []byte, i int) int {
	for i < len(b) && '0' <= b[i] && b[i] <= '9' {
		i++
	}
	return i
}

// sameNumber compares two JSON numbers exactly, without converting them: 1e400 and 0.1 have no
// float64 of their own.
func sameNumber(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	if !isNumber(a) || !isNumber(b) {
		return false
	}
	an, ad, ae := decimal(a)
	bn, bd, be := decimal(b)
	return an == bn && ae == be && bytes.Equal(ad, bd)
}

// decimal returns a number as ±0.digits × 10^exponent with no zero at either end; zero has no digits and no sign. Exponents
// beyond an int's range are cut to it.
func decimal(s []byte) (negative bool, digits []byte, exponent int) {
	if s[0] == '-' {
		negative = true
		s = s[1:]
	}
	mantissa := s
	if e := bytes.IndexAny(s, "eE"); e >= 0 {
		mantissa = s[:e]
		exponent, _ = strconv.Atoi(string(s[e+1:])) // out of range is the limit, which is what we want
		exponent = min(max(exponent, -1<<60), 1<<60)
	}
	whole, fraction, _ := bytes.Cut(mantissa, []byte("."))
	exponent += len(whole)
	digits = slices.Concat(whole, fraction)
	trimmed := bytes.TrimLeft(digits, "0")
	exponent -= len(digits) - len(trimmed)
	digits = bytes.TrimRight(trimmed, "0")
	if len(digits) == 0 {
		return false, nil, 0
	}
	return negative, digits, exponent
}
