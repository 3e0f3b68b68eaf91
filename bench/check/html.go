package check

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// HTMLValidator checks pages. Declare it with HTML and the methods below; the first check freezes it, and
// declaring more afterwards panics. A selector in any of them is a list of tag, *, #id, .class and [attr] (also
// =, ~=, |=, ^=, $=, *=) parts joined by descendant or child; see package cascadia for the exact meaning, which
// is the reference.
//
// Text is what the page says: character references decoded, the text of child elements included. Only
// InnerExact and InnerMatch look at white space and markup.
type HTMLValidator struct {
	program  program
	rule     string
	frozen   frozen
	treeOnly atomic.Bool
}

// HTML begins a validator of that name.
func HTML(name string) *HTMLValidator {
	return &HTMLValidator{program: program{name: name}}
}

// Rule names the promise to the contestant that the checks declared from here on belong to.
func (v *HTMLValidator) Rule(id string) *HTMLValidator {
	v.rule = id
	return v
}

func (v *HTMLValidator) add(selector string, r htmlRule) *HTMLValidator {
	v.thaw()
	r.id = v.rule
	r.sel = v.program.selector(selector)
	v.program.addRule(r)
	return v
}

func (v *HTMLValidator) thaw() {
	if v.frozen.done.Load() {
		panic(fmt.Sprintf("check: %s is in use and cannot be changed", v.program.name))
	}
}

// Exists wants at least one match.
func (v *HTMLValidator) Exists(selector string) *HTMLValidator {
	return v.CountBetween(selector, 1, -1)
}

// Absent wants no match.
func (v *HTMLValidator) Absent(selector string) *HTMLValidator {
	return v.CountBetween(selector, 0, 0)
}

// Count wants exactly n matches.
func (v *HTMLValidator) Count(selector string, n int) *HTMLValidator {
	return v.CountBetween(selector, n, n)
}

// CountBetween wants lo to hi matches; a negative hi means no upper limit.
func (v *HTMLValidator) CountBetween(selector string, lo, hi int) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleCount, lo: lo, hi: hi})
}

// Text wants the first match to contain exactly this text.
func (v *HTMLValidator) Text(selector, want string) *HTMLValidator {
	return v.TextMatch(selector, Is(want))
}

// TextMatch wants the text of the first match to be accepted.
func (v *HTMLValidator) TextMatch(selector string, want Matcher) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleText, want: want})
}

// TextNormalized is Text with white space trimmed and every run of it made one space, on both sides. HTML's white space,
// that is: no-break and ideographic spaces are text.
func (v *HTMLValidator) TextNormalized(selector, want string) *HTMLValidator {
	return v.NormalizedMatch(selector, Is(string(appendNormalized(nil, []byte(want)))))
}

// NormalizedMatch wants the text of the first match, its white space normalised, to be accepted.
func (v *HTMLValidator) NormalizedMatch(selector string, want Matcher) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleNormalized, want: want})
}

// EachText wants the text of every match to be accepted. It says nothing about how many there are.
func (v *HTMLValidator) EachText(selector string, want Matcher) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleText, want: want, each: true})
}

// InnerExact wants the first match to contain exactly this text and nothing else: no elements or comments, no
// white space around it. Character references are decoded first, so "You&#39;re" is "You're".
func (v *HTMLValidator) InnerExact(selector, want string) *HTMLValidator {
	return v.InnerMatch(selector, Is(want))
}

// InnerMatch is InnerExact for any matcher.
func (v *HTMLValidator) InnerMatch(selector string, want Matcher) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleInner, want: want})
}

// Attr wants the first match to have the attribute with exactly this value.
func (v *HTMLValidator) Attr(selector, attr, want string) *HTMLValidator {
	return v.AttrMatch(selector, attr, Is(want))
}

// AttrMatch wants the first match to have the attribute with an accepted value.
func (v *HTMLValidator) AttrMatch(selector, attr string, want Matcher) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleAttr, attr: attrName(attr), want: want})
}

// EachAttr wants every match to have the attribute with an accepted value. It says nothing about how many
// matches there are.
func (v *HTMLValidator) EachAttr(selector, attr string, want Matcher) *HTMLValidator {
	return v.add(selector, htmlRule{kind: ruleAttr, attr: attrName(attr), want: want, each: true})
}

// CaptureText keeps the text of every match for the scenario, under that name in Input.Found.
func (v *HTMLValidator) CaptureText(name, selector string) *HTMLValidator {
	return v.capture(selector, htmlCapture{name: name, isTxt: true})
}

// CaptureAttr keeps an attribute of every match that has it.
func (v *HTMLValidator) CaptureAttr(name, selector, attr string) *HTMLValidator {
	return v.capture(selector, htmlCapture{name: name, attr: attrName(attr)})
}

// CaptureFirstText keeps the text of the first match only.
func (v *HTMLValidator) CaptureFirstText(name, selector string) *HTMLValidator {
	return v.capture(selector, htmlCapture{name: name, isTxt: true, first: true})
}

func (v *HTMLValidator) capture(selector string, c htmlCapture) *HTMLValidator {
	v.thaw()
	c.sel = v.program.selector(selector)
	v.program.addCapture(c)
	return v
}

// Memo has bodies that were found right remembered, so that an identical one costs only its digest. What is remembered is
// bounded, and holds for one Input.Version and one set of variable values.
func (v *HTMLValidator) Memo() *HTMLValidator {
	v.thaw()
	v.program.memo = new(memo)
	return v
}

// Mask leaves what stands between two pieces of source text out of the digest that Memo compares, wherever the two occur, for
// tokens and names that differ from user to user. It is for spans of text or of a quoted attribute value; a page is
// only remembered if the masked spans are that, and if no check, selector or capture looks at them.
func (v *HTMLValidator) Mask(before, after string) *HTMLValidator {
	return v.mask(mask{before: []byte(before), after: []byte(after)})
}

// MaskVar is Mask for spans that must say the value of a variable: they are compared each time. A check with Var of the same
// name may look at a span if it is the whole text or attribute value.
func (v *HTMLValidator) MaskVar(before, after, variable string) *HTMLValidator {
	return v.mask(mask{before: []byte(before), after: []byte(after), varName: variable})
}

func (v *HTMLValidator) mask(m mask) *HTMLValidator {
	v.thaw()
	if len(m.before) == 0 || len(m.after) == 0 {
		panic(fmt.Sprintf("check: %s: a mask needs text on both sides", v.program.name))
	}
	v.program.masks = append(v.program.masks, m)
	return v
}

// Name returns the validator's name.
func (v *HTMLValidator) Name() string { return v.program.name }

// Rules lists the rules named by Rule.
func (v *HTMLValidator) Rules() []string {
	var all []string
	for _, r := range v.program.rules {
		all = append(all, r.id)
	}
	return distinct(all)
}

// TreeOnly says whether the validator has given up its scanner because Verify found a disagreement.
func (v *HTMLValidator) TreeOnly() bool { return v.treeOnly.Load() }

func (v *HTMLValidator) freeze() *program {
	v.frozen.once(v.program.sortMasked)
	return &v.program
}

// frozen says that a validator is in use. It is sync.Once, but for a preparation that panics: the next user's
// panics too instead of finding the validator half ready.
type frozen struct {
	done atomic.Bool
	mu   sync.Mutex
}

func (f *frozen) once(prepare func()) {
	if f.done.Load() {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.done.Load() {
		prepare()
		f.done.Store(true)
	}
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

func (s *scanner) reset(p *program, body []byte, vars []Value) {
	*s = scanner{
		program: p, body: body, vars: vars,
		stack: s.stack[:0], attrs: s.attrs[:0], scratch: s.scratch[:0], text: s.text[:0], collects: s.collects[:0],
		failures: s.failures[:0], found: s.found[:0], arena: s.arena[:0], spans: s.spans[:0],
		marks: marks{list: s.marks.list[:0]},
	}
}

// Check judges the body. Captures go to in.Found even if something is wrong.
func (v *HTMLValidator) Check(in *Input, vars ...Value) *Mismatch {
	p := v.freeze()
	s := scanners.Get().(*scanner)
	defer func() {
		s.reset(nil, nil, nil)
		scanners.Put(s)
	}()
	s.reset(p, withoutBOM(in.Body), vars)

	var key memoKey
	remember := p.memo != nil && (len(p.masks) == 0 || len(p.captures) == 0)
	if remember {
		if key, remember = p.digest(s, in, vars); remember {
			if e := p.memo.get(key); e != nil {
				e.report(in)
				return nil
			}
		}
	}

	var m *Mismatch
	var clean bool
	if v.treeOnly.Load() || !s.run() {
		m, clean = p.checkTree(in, vars)
		remember = remember && len(p.masks) == 0
	} else {
		m, clean = p.judge(in, vars, s.counts[:], s.failures)
		s.report(in)
		remember = remember && !s.peeked && s.covered == len(s.spans)
	}
	if clean && remember {
		p.memo.put(newEntry(key, in, p.names))
	}
	return m
}

func (s *scanner) report(in *Input) {
	if len(s.captures) > 0 {
		reportCaptures(in, s.names, s.found, s.arena)
	}
}

// CheckTree judges the body by the reference parser alone.
func (v *HTMLValidator) CheckTree(in *Input, vars ...Value) *Mismatch {
	m, _ := v.freeze().checkTree(in, vars)
	return m
}

// Verify judges the body by the reference parser, and holds the scanner to it: if they differ, in.OnDisagree is told
// and the validator uses the reference parser from then on.
func (v *HTMLValidator) Verify(in *Input, vars ...Value) *Mismatch {
	p := v.freeze()
	m, _ := p.checkTree(in, vars)
	if v.treeOnly.Load() {
		return m
	}
	fast := Input{Body: in.Body, Skip: in.Skip}
	s := new(scanner)
	s.reset(p, withoutBOM(in.Body), vars)
	if !s.run() {
		return m // it knows what it does not know
	}
	scanned, _ := p.judge(&fast, vars, s.counts[:], s.failures)
	s.report(&fast)
	if same(scanned, m) && sameFound(p.names, &fast.Found, &in.Found) {
		return m
	}
	if !v.treeOnly.Swap(true) && in.OnDisagree != nil {
		in.OnDisagree(Disagreement{Check: p.name, Scanner: scanned, Reference: m, Body: append([]byte(nil), in.Body...)})
	}
	return m
}

// same compares what two ways of checking found, apart from how they show it.
func same(a, b *Mismatch) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Code == b.Code && a.Rule == b.Rule && a.Path == b.Path
}

// withoutBOM takes the byte order mark off, which decoders of HTML do before parsing.
func withoutBOM(body []byte) []byte {
	if len(body) >= 3 && body[0] == 0xef && body[1] == 0xbb && body[2] == 0xbf {
		return body[3:]
	}
	return body
}

func attrName(name string) string {
	b := []byte(name)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}
