// Package check holds validators: things that say whether a response is what the world expects,
// at a price that lets a benchmark look at every body.
//
// A validator is built once, usually as a package variable of the scenario, and used by all
// virtual users at the same time:
//
//	var feed = check.HTML("feed").
//		Rule("photo.feed-size").Count("div.isu-post", 16).
//		Rule("photo.post-ids").EachAttr("div.isu-post", "id", check.Match(`^pid_\d+$`)).
//		EachText("a.isu-post-account-name", check.NotEmpty).
//		CaptureAttr("posts", "div.isu-post", "id").
//		Memo()
//
//	if m := feed.Check(in); m != nil { … }
//
// [HTML] validators scan the body in one pass; what the scanner does not understand beyond doubt (misnested
// formatting, stray text in tables, …) is left to a real HTML5 parser, so that unusual HTML costs time
// but is never held against a contestant. [JSON] validators walk the text once without building values.
// Check is for the load phase, Verify for the phase before it: it runs the reference parser as well, lets that
// one decide, and drops the scanner for the rest of the run if they ever differ.
//
// Mistakes of an author, such as a selector that does not parse or a variable nobody set, panic: they are never a
// contestant's failure.
package check

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Headers gives the value of a response header, or "". http.Header is one.
type Headers interface {
	Get(name string) string
}

// An Input is one response to be judged. The caller owns it and may reuse it; validators keep
// nothing of it.
type Input struct {
	Status int
	Header Headers // may be nil if no check asks for headers
	Body   []byte  // after the content coding is undone
	// Version numbers the state of the expected world that the body is judged against. A body remembered
	// by Memo is only known to be right for its version.
	Version uint64
	// Skip, if set, names rules that are switched off. A judge uses it to prove that a rule is needed.
	Skip func(rule string) bool
	// OnDisagree, if set, is told when the scanner and the reference parser differ in Verify.
	OnDisagree func(Disagreement)
	// Found receives what the validators captured. The caller resets it between responses.
	Found Found
}

// A Checker judges responses. It is safe for concurrent use.
type Checker interface {
	// Name tells validators apart in failures and logs.
	Name() string
	// Rules lists the rules this checker's checks belong to, without repetition.
	Rules() []string
	// Check returns nil if the response is as expected, otherwise the first thing wrong with it in the order in
	// which the checks were declared. It panics if a variable has no value.
	Check(in *Input, vars ...Value) *Mismatch
	// Verify is Check by way of the reference parser, for the phase before the load.
	Verify(in *Input, vars ...Value) *Mismatch
}

// A Value is what a variable stands for in one check.
type Value struct{ Name, Text string }

// Set gives a variable its value.
func Set(name, text string) Value { return Value{name, text} }

func lookup(vars []Value, name string) string {
	for i := range vars {
		if vars[i].Name == name {
			return vars[i].Text
		}
	}
	panic(fmt.Sprintf("check: variable %q has no value; give it with check.Set(%[1]q, …)", name))
}

// With returns a checker with values already set, for places that take a plain Checker. Values
// given later come after these and do not override them.
func With(c Checker, vars ...Value) Checker { return bound{c, vars} }

type bound struct {
	Checker
	vars []Value
}

func (b bound) Check(in *Input, vars ...Value) *Mismatch {
	return b.Checker.Check(in, append(b.vars[:len(b.vars):len(b.vars)], vars...)...)
}

func (b bound) Verify(in *Input, vars ...Value) *Mismatch {
	return b.Checker.Verify(in, append(b.vars[:len(b.vars):len(b.vars)], vars...)...)
}

// The codes of mismatches, as the failure taxonomy names them.
const (
	SelectorMissing  = "selector-missing"
	ValueMismatch    = "value-mismatch"
	JSONSchema       = "json-schema"
	ContentTypeWrong = "content-type"
	AssetDigest      = "asset-digest"
	ImageDigest      = "image-digest"
	Unexpected4xx    = "unexpected-4xx"
	Unexpected5xx    = "unexpected-5xx"
	UnexpectedStatus = "unexpected-status"
)

// A Mismatch says how a response differs from what was expected.
type Mismatch struct {
	Code     string // one of the constants above
	Check    string // the validator's name
	Rule     string // the rule the check belongs to, "" if its author named none
	Path     string // selector, JSON path or header name
	Expected string
	Actual   string // cut to a few hundred bytes
	Offset   int    // where in the body it was seen, -1 if nowhere in particular
	Hint     string // what usually causes it, "" if there is nothing to add
}

// Error describes the mismatch in one line. Beware of returning a nil *Mismatch as an error.
func (m *Mismatch) Error() string {
	var b strings.Builder
	b.WriteString(m.Check)
	if m.Path != "" {
		b.WriteString(": " + m.Path)
	}
	b.WriteString(": want " + m.Expected + ", got " + m.Actual)
	return b.String()
}

// A Disagreement is a document on which the scanner and the reference parser differ. One of ours is
// wrong then, or the document is very unusual; the reference parser's answer stands.
type Disagreement struct {
	Check              string
	Scanner, Reference *Mismatch // nil: found nothing wrong
	Body               []byte    // a copy
}

// Found is what validators captured from a response.
type Found struct {
	groups []captured
}

type captured struct {
	name   string
	values []string
}

// All returns the values captured under that name, in document order. The strings stay valid.
func (f *Found) All(name string) []string {
	for i := range f.groups {
		if f.groups[i].name == name {
			return f.groups[i].values
		}
	}
	return nil
}

// First returns the first value captured under that name, "" if there is none.
func (f *Found) First(name string) string {
	if all := f.All(name); len(all) > 0 {
		return all[0]
	}
	return ""
}

// Reset forgets everything, keeping the room it took.
func (f *Found) Reset() { f.groups = f.groups[:0] }

func (f *Found) set(name string, values []string) {
	for i := range f.groups {
		if f.groups[i].name == name {
			f.groups[i].values = values
			return
		}
	}
	f.groups = append(f.groups, captured{name, values})
}

// reportCaptures hands captured values over: one string, cut into values.
func reportCaptures(in *Input, names []string, found []capturedSpan, arena []byte) {
	if len(names) == 0 {
		return
	}
	all := string(arena)
	values := make([]string, 0, len(found))
	for n, name := range names {
		from := len(values)
		for _, f := range found {
			if f.capture == n {
				values = append(values, all[f.from:f.to])
			}
		}
		in.Found.set(name, values[from:len(values):len(values)])
	}
}

// sameFound compares captures.
func sameFound(names []string, a, b *Found) bool {
	for _, name := range names {
		if !slices.Equal(a.All(name), b.All(name)) {
			return false
		}
	}
	return true
}

// Around returns about size bytes of the body on both sides of offset, cut between characters, for a failure's sample. A
// negative offset gives the start of the body.
func Around(body []byte, offset, size int) []byte {
	from := min(max(offset-size/2, 0), len(body))
	to := min(from+size, len(body))
	from = max(to-size, 0)
	for from < to && !utf8.RuneStart(body[from]) {
		from++
	}
	if last := to; last < len(body) {
		for last > from && !utf8.RuneStart(body[last]) {
			last--
		}
		to = last
	}
	return body[from:to]
}

// brief quotes a value for Mismatch.Actual.
func brief(b []byte) string {
	const limit = 300
	if len(b) <= limit {
		return fmt.Sprintf("%q", b)
	}
	return fmt.Sprintf("%q… (%d bytes)", Around(b, 0, limit), len(b))
}

// distinct returns the names that are not empty, each once, in order.
func distinct(names []string) []string {
	var out []string
	for _, n := range names {
		if n != "" && !contains(out, n) {
			out = append(out, n)
		}
	}
	return out
}

func contains(all []string, one string) bool { return slices.Contains(all, one) }
