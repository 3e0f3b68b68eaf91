package check

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
)

// Kind is a set of JSON types.
type Kind uint8

// The JSON types. An Integer is a number written without fraction or exponent.
const (
	Null Kind = 1 << iota
	Bool
	Number
	Integer
	String
	Array
	Object
)

// String names the types.
func (k Kind) String() string {
	out := ""
	for i, name := range []string{"null", "boolean", "number", "integer", "string", "array", "object"} {
		if k&(1<<i) != 0 {
			if out != "" {
				out += " or "
			}
			out += name
		}
	}
	return out
}

// JSONValidator checks JSON documents. Declare it with JSON and the methods below; the first check freezes it.
//
// A path is names and brackets: "user.name", "items[].id" (of every item), "items[0]", "*" (every member), `["odd.name"]`,
// and "" for the document. Every member or item a path names must be there, unless Optional says otherwise or something
// on the way is null where Nullable allows that; "[]" and "*" hold for as many as there are, even none.
// All mismatches have the code json-schema or, for a wrong value, value-mismatch.
type JSONValidator struct {
	name     string
	rule     string
	rules    []jsonRule
	captures []string
	root     *jsonNode
	strict   bool
	memo     *memo
	keyed    []string
	frozen   frozen
	treeOnly atomic.Bool
}

type jsonKind uint8

const (
	jsonPresence jsonKind = iota // of members and items: see jsonNode
	jsonForbidden
	jsonOnly
	jsonType
	jsonString
	jsonNumber
	jsonBool
	jsonLength
)

type jsonRule struct {
	kind   jsonKind
	id     string
	path   string
	types  Kind
	want   Matcher
	truth  bool
	lo, hi int
}

// JSON begins a validator of that name.
func JSON(name string) *JSONValidator { return &JSONValidator{name: name, root: newNode()} }

// Rule names the promise to the contestant that the checks declared from here on belong to. That the
// document is JSON at all belongs to the first.
func (v *JSONValidator) Rule(id string) *JSONValidator {
	v.rule = id
	return v
}

func (v *JSONValidator) steps(path string) []pathStep {
	if v.frozen.done.Load() {
		panic(fmt.Sprintf("check: %s is in use and cannot be changed", v.name))
	}
	steps, err := parsePath(path)
	if err != nil {
		panic(fmt.Sprintf("check: %s: %v", v.name, err))
	}
	return steps
}

// add declares a rule on the values at a path.
func (v *JSONValidator) add(path string, r jsonRule) (*jsonNode, *jsonChild, int) {
	steps := v.steps(path)
	r.id, r.path = v.rule, path
	n := len(v.rules)
	v.rules = append(v.rules, r)
	if r.want.kind == matchVar && !contains(v.keyed, r.want.text) {
		v.keyed = append(v.keyed, r.want.text)
	}
	presence := n
	if r.kind == jsonForbidden || r.kind == jsonOnly {
		presence = -1
	}
	node, child := v.root.walk(steps, presence)
	switch r.kind {
	case jsonPresence:
	case jsonForbidden, jsonOnly:
	default:
		node.rules = append(node.rules, n)
	}
	return node, child, n
}

// Strict also refuses what decoders tend to let pass: members given twice, text after the document, and invalid UTF-8.
func (v *JSONValidator) Strict() *JSONValidator {
	v.steps("")
	v.strict = true
	return v
}

// Require wants the member or item to be there, whatever its value.
func (v *JSONValidator) Require(path string) *JSONValidator {
	v.add(path, jsonRule{kind: jsonPresence})
	return v
}

// Forbid wants no such member; the path must end with a name.
func (v *JSONValidator) Forbid(path string) *JSONValidator {
	_, child, n := v.add(path, jsonRule{kind: jsonForbidden})
	if child == nil {
		panic(fmt.Sprintf("check: %s: %q names no member to forbid", v.name, path))
	}
	child.forbidden = n
	return v
}

// OnlyKeys wants the object at the path to have no other members than these and those that other paths name.
func (v *JSONValidator) OnlyKeys(path string, keys ...string) *JSONValidator {
	node, _, n := v.add(path, jsonRule{kind: jsonOnly})
	node.only = n
	for _, k := range keys {
		node.key(k).allowed = true
	}
	return v
}

// Optional lets the member or item be missing although other paths name it.
func (v *JSONValidator) Optional(path string) *JSONValidator {
	_, child := v.root.walk(v.steps(path), -1)
	if child == nil {
		panic(fmt.Sprintf("check: %s: %q names no member or item", v.name, path))
	}
	child.optional = true
	return v
}

// Nullable lets the values at the path be null instead of what other rules want.
func (v *JSONValidator) Nullable(path string) *JSONValidator {
	node, _ := v.root.walk(v.steps(path), -1)
	node.nullable = true
	return v
}

// Type wants the values at the path to be of one of the types.
func (v *JSONValidator) Type(path string, types Kind) *JSONValidator {
	v.add(path, jsonRule{kind: jsonType, types: types})
	return v
}

// String wants strings that are accepted.
func (v *JSONValidator) String(path string, want Matcher) *JSONValidator {
	v.add(path, jsonRule{kind: jsonString, want: want})
	return v
}

// Number wants numbers of exactly this value, however written: 100, 1e2 and 100.0 are the same, and no digit is rounded away.
func (v *JSONValidator) Number(path, want string) *JSONValidator {
	if !isNumber([]byte(want)) {
		panic(fmt.Sprintf("check: %s: %q is no JSON number", v.name, want))
	}
	return v.NumberMatch(path, Is(want))
}

// Int is Number for an integer.
func (v *JSONValidator) Int(path string, want int64) *JSONValidator {
	return v.Number(path, strconv.FormatInt(want, 10))
}

// NumberMatch wants numbers that are accepted: Is, OneOf and Var compare values, other matchers see the number as it is
// written.
func (v *JSONValidator) NumberMatch(path string, want Matcher) *JSONValidator {
	v.add(path, jsonRule{kind: jsonNumber, want: want})
	return v
}

// Bool wants this truth value.
func (v *JSONValidator) Bool(path string, want bool) *JSONValidator {
	v.add(path, jsonRule{kind: jsonBool, truth: want})
	return v
}

// Len wants arrays of exactly n items.
func (v *JSONValidator) Len(path string, n int) *JSONValidator { return v.LenBetween(path, n, n) }

// LenBetween wants arrays of lo to hi items; a negative hi means no upper limit.
func (v *JSONValidator) LenBetween(path string, lo, hi int) *JSONValidator {
	node, _, n := v.add(path, jsonRule{kind: jsonLength, lo: lo, hi: hi})
	node.array = earlier(node.array, n)
	return v
}

// Capture keeps the strings, numbers and truth values at the path for the scenario, under that name in Input.Found: strings
// decoded, the others as they are written.
func (v *JSONValidator) Capture(name, path string) *JSONValidator {
	if contains(v.captures, name) {
		panic(fmt.Sprintf("check: %s: two captures are called %q", v.name, name))
	}
	node, _ := v.root.walk(v.steps(path), -1)
	node.captures = append(node.captures, len(v.captures))
	v.captures = append(v.captures, name)
	return v
}

// Memo has documents that were found right remembered by digest; see HTMLValidator.Memo.
func (v *JSONValidator) Memo() *JSONValidator {
	v.steps("")
	v.memo = new(memo)
	return v
}

// Name returns the validator's name.
func (v *JSONValidator) Name() string { return v.name }

// Rules lists the rules named by Rule.
func (v *JSONValidator) Rules() []string {
	var all []string
	for _, r := range v.rules {
		all = append(all, r.id)
	}
	return distinct(all)
}

// TreeOnly says whether the validator has given up its scanner because Verify found a disagreement.
func (v *JSONValidator) TreeOnly() bool { return v.treeOnly.Load() }

func (v *JSONValidator) freeze() { v.frozen.once(v.root.settle) }

var jsonScanners = sync.Pool{New: func() any { return new(jsonScanner) }}

// Check judges the body. Captures go to in.Found even if something is wrong.
func (v *JSONValidator) Check(in *Input, vars ...Value) *Mismatch {
	v.freeze()
	s := jsonScanners.Get().(*jsonScanner)
	defer func() {
		s.reset(nil, nil, nil)
		jsonScanners.Put(s)
	}()
	s.reset(v, in.Body, vars)

	var key memoKey
	if v.memo != nil {
		key, s.scratch = digestBody(in, v.keyed, vars, s.scratch)
		if e := v.memo.get(key); e != nil {
			e.report(in)
			return nil
		}
	}
	var m *Mismatch
	var clean bool
	if v.treeOnly.Load() || !s.run() {
		m, clean = v.checkTree(in, vars)
	} else {
		m, clean = v.judge(in, vars, s.syntax, s.failures)
		s.report(in)
	}
	if clean && v.memo != nil {
		v.memo.put(newEntry(key, in, v.captures))
	}
	return m
}

// CheckTree judges the body by the reference decoder alone.
func (v *JSONValidator) CheckTree(in *Input, vars ...Value) *Mismatch {
	v.freeze()
	m, _ := v.checkTree(in, vars)
	return m
}

// Verify judges the body by the reference decoder, and holds the scanner to it: if they differ, in.OnDisagree is told
// and the validator uses the reference decoder from then on.
func (v *JSONValidator) Verify(in *Input, vars ...Value) *Mismatch {
	v.freeze()
	m, _ := v.checkTree(in, vars)
	if v.treeOnly.Load() {
		return m
	}
	s := new(jsonScanner)
	s.reset(v, in.Body, vars)
	if !s.run() {
		return m
	}
	fast := Input{Body: in.Body, Skip: in.Skip}
	scanned, _ := v.judge(&fast, vars, s.syntax, s.failures)
	s.report(&fast)
	if same(scanned, m) && (m != nil && m.Path == "" || sameFound(v.captures, &fast.Found, &in.Found)) {
		return m
	}
	if !v.treeOnly.Swap(true) && in.OnDisagree != nil {
		in.OnDisagree(Disagreement{Check: v.name, Scanner: scanned, Reference: m, Body: append([]byte(nil), in.Body...)})
	}
	return m
}

// syntaxError is why a body is not the JSON text it should be.
type syntaxError struct {
	offset int
	reason string
}

func (v *JSONValidator) judge(in *Input, vars []Value, syntax *syntaxError, failures []jsonFailure) (m *Mismatch, clean bool) {
	skipped := func(id string) bool { return in.Skip != nil && id != "" && in.Skip(id) }
	if syntax != nil {
		id := v.rule
		if len(v.rules) > 0 {
			id = v.rules[0].id
		}
		if skipped(id) {
			return nil, false
		}
		return &Mismatch{
			Code: JSONSchema, Check: v.name, Rule: id, Expected: "a JSON document",
			Actual: syntax.reason + " near " + brief(Around(in.Body, syntax.offset, 60)), Offset: syntax.offset,
		}, false
	}
	var worst *jsonFailure
	for i := range failures {
		f := &failures[i]
		if !skipped(v.rules[f.rule].id) && (worst == nil || f.rule < worst.rule) {
			worst = f
		}
	}
	if worst == nil {
		return nil, len(failures) == 0
	}
	r := &v.rules[worst.rule]
	m = &Mismatch{
		Code: JSONSchema, Check: v.name, Rule: r.id, Path: r.path,
		Expected: worst.expected, Actual: worst.actual, Offset: worst.offset,
	}
	if worst.trail != "" {
		m.Path = worst.trail
	}
	if m.Expected == "" {
		m.Expected = r.expected(vars)
	}
	if worst.value {
		m.Code = ValueMismatch
	}
	return m, false
}

func (r *jsonRule) expected(vars []Value) string {
	switch r.kind {
	case jsonType:
		return r.types.String()
	case jsonBool:
		return strconv.FormatBool(r.truth)
	case jsonLength:
		switch {
		case r.hi < 0:
			return fmt.Sprintf("at least %d items", r.lo)
		case r.lo == r.hi:
			return fmt.Sprintf("%d items", r.lo)
		}
		return fmt.Sprintf("%d to %d items", r.lo, r.hi)
	case jsonString, jsonNumber:
		return r.want.expected(vars)
	}
	return "it to be there"
}
