package check

import (
	"bytes"
	"encoding/binary"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/zeebo/xxh3"
)

// A memo remembers which bodies were found right, by 128-bit digest, version of the expected world and the
// values of variables. It is bounded and takes no lock: a set of four places for each digest, the next to be
// overwritten in turn. Losing an entry only costs a scan.
type memo struct {
	sets [memoSets][memoWays]atomic.Pointer[memoEntry]
	turn atomic.Uint32
}

const (
	memoSets = 512
	memoWays = 4
)

type memoKey struct {
	body, vars xxh3.Uint128
	version    uint64
}

type memoEntry struct {
	key   memoKey
	found []captured
}

// newEntry remembers what was captured along with the body.
func newEntry(k memoKey, in *Input, captures []string) *memoEntry {
	e := &memoEntry{key: k}
	for _, name := range captures {
		e.found = append(e.found, captured{name, in.Found.All(name)})
	}
	return e
}

func (e *memoEntry) report(in *Input) {
	for _, c := range e.found {
		in.Found.set(c.name, c.values)
	}
}

func (m *memo) get(k memoKey) *memoEntry {
	set := &m.sets[k.body.Lo%memoSets]
	for i := range set {
		if e := set[i].Load(); e != nil && e.key == k {
			return e
		}
	}
	return nil
}

func (m *memo) put(e *memoEntry) {
	set := &m.sets[e.key.body.Lo%memoSets]
	for i := range set {
		if set[i].Load() == nil && set[i].CompareAndSwap(nil, e) {
			return
		}
	}
	set[m.turn.Add(1)%memoWays].Store(e)
}

// A mask is a span of the body that differs from user to user.
type mask struct {
	before, after []byte
	varName       string // what it must say, "" for anything
}

type maskSpan struct {
	from, to, mask int
	attr           bool // found in an attribute: not part of any text
}

// maskSpans finds the spans to be left out of a body's digest. ok is false if one of them contains something that
// could be more than text, or does not say what it should: such a body gets the full check.
func (p *program) maskSpans(spans []maskSpan, body []byte, vars []Value) (_ []maskSpan, ok bool) {
	for at := 0; ; {
		next := maskSpan{from: -1}
		for i := range p.masks {
			from := bytes.Index(body[at:], p.masks[i].before)
			if from < 0 {
				continue
			}
			from += at + len(p.masks[i].before)
			if next.from < 0 || from < next.from {
				next = maskSpan{from: from, mask: i}
			}
		}
		if next.from < 0 {
			return spans, true
		}
		m := &p.masks[next.mask]
		length := bytes.Index(body[next.from:], m.after)
		if length < 0 {
			return spans, true
		}
		next.to = next.from + length
		value := body[next.from:next.to]
		if bytes.ContainsAny(value, "<>\"'\r\x00") {
			return spans, false
		}
		if m.varName != "" {
			if !says(value, lookup(vars, m.varName)) {
				return spans, false
			}
		}
		spans = append(spans, next)
		at = next.to
	}
}

// says compares source text with what it should mean, as text and as an attribute.
func says(source []byte, want string) bool {
	if bytes.IndexByte(source, '&') < 0 {
		return string(source) == want
	}
	return string(appendDecoded(nil, source, false)) == want && string(appendDecoded(nil, source, true)) == want
}

// digestBody returns the key under which a body is remembered, using scratch.
func digestBody(in *Input, keyed []string, vars []Value, scratch []byte) (memoKey, []byte) {
	k := memoKey{version: in.Version, body: xxh3.Hash128(in.Body)}
	k.vars, scratch = digestVars(keyed, vars, scratch)
	return k, scratch
}

func digestVars(keyed []string, vars []Value, scratch []byte) (xxh3.Uint128, []byte) {
	if len(keyed) == 0 {
		return xxh3.Uint128{}, scratch
	}
	scratch = scratch[:0]
	for _, name := range keyed {
		value := lookup(vars, name)
		scratch = binary.LittleEndian.AppendUint64(scratch, uint64(len(value)))
		scratch = append(scratch, value...)
	}
	return xxh3.Hash128(scratch), scratch
}

// digest is digestBody for a validator that may have masks. ok is false if the body is none to be remembered.
func (p *program) digest(s *scanner, in *Input, vars []Value) (k memoKey, ok bool) {
	if len(p.masks) == 0 {
		k, s.scratch = digestBody(in, p.keyed, vars, s.scratch)
		return k, true
	}
	k.version = in.Version
	k.vars, s.scratch = digestVars(p.keyed, vars, s.scratch)
	if s.spans, ok = p.maskSpans(s.spans[:0], in.Body, vars); !ok {
		s.spans = s.spans[:0]
		return k, false
	}
	s.scratch = s.scratch[:0]
	at := 0
	for _, span := range s.spans {
		s.scratch = append(s.scratch, in.Body[at:span.from]...)
		at = span.to
	}
	s.scratch = append(s.scratch, in.Body[at:]...)
	// Where the spans were is part of what the page looks like.
	shift := 0
	for _, span := range s.spans {
		s.scratch = binary.LittleEndian.AppendUint32(s.scratch, uint32(span.from-shift))
		s.scratch = binary.LittleEndian.AppendUint32(s.scratch, uint32(span.mask))
		shift += span.to - span.from
	}
	s.scratch = binary.LittleEndian.AppendUint32(s.scratch, uint32(len(s.spans)))
	k.body = xxh3.Hash128(s.scratch)
	return k, true
}

// cover notes the masked spans that lie within harmless text, where other text could not change
// the document's structure.
func (s *scanner) cover(from, to int) {
	for i := range s.spans {
		if from <= s.spans[i].from && s.spans[i].to <= to {
			s.covered++
		}
	}
}

// coverAttrs does the same for quoted attribute values, and sees whether anything looks at them.
func (s *scanner) coverAttrs() {
	for i := range s.attrs {
		a := &s.attrs[i]
		if !a.quoted {
			continue
		}
		for j := range s.spans {
			span := &s.spans[j]
			if int(a.from) <= span.from && span.to <= int(a.to) {
				span.attr = true
				s.covered++
				s.peeked = s.peeked || s.conditional(a)
			}
		}
	}
}

// conditional says whether selectors or captures depend on an attribute.
func (s *scanner) conditional(a *attribute) bool {
	name := s.body[a.name:a.nameEnd]
	for i := range s.compounds {
		for j := range s.compounds[i].conds {
			if bytes.EqualFold(name, []byte(s.compounds[i].conds[j].attr)) {
				return true
			}
		}
	}
	return false
}

// look notes that a rule looked at a span of the body: an attribute's value or the text in it. What it saw can only be left out of the digest if it is one
// whole mask that says exactly what the rule wants.
func (s *scanner) look(want *Matcher, from, to int, attr, whole bool) {
	if len(s.masks) == 0 || s.peeked {
		return
	}
	isMasked := want.kind == matchVar && contains(s.masked, want.text)
	for _, span := range s.spans {
		if span.to < from || to < span.from || span.attr && !attr {
			continue
		}
		if isMasked && whole && span.from == from && span.to == to && s.program.masks[span.mask].varName == want.text {
			return
		}
		s.peeked = true
	}
	s.peeked = s.peeked || isMasked
}

// sortMasked splits the variables: those that a mask checks are no part of the key.
func (p *program) sortMasked() {
	for _, m := range p.masks {
		if m.varName != "" && !contains(p.masked, m.varName) {
			p.masked = append(p.masked, m.varName)
		}
	}
	p.keyed = slices.DeleteFunc(p.keyed, func(name string) bool { return contains(p.masked, name) })
}

func plural(n int) string {
	if n == 1 {
		return "1 element"
	}
	return strconv.Itoa(n) + " elements"
}
