package check

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"slices"
)

// A scanner reads one HTML document from left to right, nesting elements as an HTML5 parser would, and
// matches all selectors of a program as elements open. It builds no tree.
//
// It understands documents as servers write them, implied tags included. Where the standard repairs a document in
// ways that change what went before or comes after (formatting elements closed out of turn, content between
// table cells, SVG with HTML in it, …) it gives up by setting unsure, and the reference parser
// has a look. So every answer it does give must be the reference parser's; the tests hold it to that with random
// documents.
type scanner struct {
	*program
	body  []byte
	vars  []Value
	pos   int // behind the markup being handled
	edge  int // where it begins
	stack []openElement

	mode     insertMode
	unsure   bool
	quirks   quirksMode
	doctyped bool // too late for a document type
	formed   bool // the form pointer is set
	ended    bool // </body> was seen
	opened   int  // elements and comments so far

	marks   marks
	onStack [256]uint16 // how many of each known element

	attrs    []attribute
	scratch  []byte // one decoded attribute value, or normalised text
	counts   [maxCompounds]int32
	text     []byte // what open collectors have collected
	collects []collector
	failures []failure
	found    []capturedSpan
	arena    []byte

	// For remembering a body with masks: the spans in it, how many of them lie where nothing can
	// change the document's structure, and whether a check looked at one.
	spans   []maskSpan
	covered int
	peeked  bool
}

type insertMode uint8

const (
	initial insertMode = iota
	beforeHead
	inHead
	afterHead
	inBody
)

type quirksMode uint8

const (
	quirky quirksMode = iota
	strict
	unclear // an old document type: ask the reference parser where it matters
)

type openElement struct {
	tagInfo
	self, above uint64 // bits that this element completes, and those of all around it
	child       bool   // something is inside; text counts only where there are rules for it
	svg         bool
}

type attribute struct {
	key           uint64 // of its name: see tagKey
	name, nameEnd uint32 // spans of the body
	from, to      uint32 // of its value
	quoted        bool
	plain         bool // no mark is in the value, so no character reference
}

// A collector gathers the text of an element that a check wants.
type collector struct {
	sel    int
	depth  int // of the element on the stack
	from   int // in scanner.text
	opened int // scanner.opened when it began: elements or comments inside raise it
	offset int // of the content in the body
	found  int // where its captures go in scanner.found
	first  bool
}

// failure is the first time a rule was broken.
type failure struct {
	rule    int
	actual  string
	offset  int
	missing bool
}

type capturedSpan struct {
	capture  int
	from, to int // in scanner.arena
}

// run reads the body and leaves failures and captures. It returns false if it gave up.
func (s *scanner) run() bool {
	body, m := s.body, &s.marks
	m.find(body)
	if m.nul {
		return false
	}
	textFrom := s.pos
	for !s.unsure {
		at := int(m.list[m.at])
		if at+1 >= len(body) {
			s.addText(textFrom, len(body))
			break
		}
		if body[at] != '<' {
			m.at++
			continue
		}
		c := body[at+1]
		switch {
		case isLetter(c):
			s.addText(textFrom, at)
			s.startTag(at)
		case c == '/' && at+2 >= len(body):
			s.addText(textFrom, len(body))
			s.pos = len(body)
		case c == '/' && isLetter(body[at+2]):
			s.addText(textFrom, at)
			s.endTag(at)
		case c == '!':
			s.addText(textFrom, at)
			s.declaration(at)
		case c == '/' || c == '?':
			s.addText(textFrom, at)
			s.pos = s.after('>', at+2)
			s.comment()
		default:
			m.at++
			continue
		}
		textFrom = s.pos
		if s.pos >= len(body) {
			break
		}
		m.seek(s.pos)
	}
	if s.unsure {
		return false
	}
	s.pos, s.edge = len(body), len(body)
	s.reach(inBody)
	s.popTo(0)
	return !s.unsure
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// after returns the position behind the next c, or the end.
func (s *scanner) after(c byte, from int) int {
	if from < len(s.body) {
		if i := bytes.IndexByte(s.body[from:], c); i >= 0 {
			return from + i + 1
		}
	}
	return len(s.body)
}

// declaration reads what begins with "<!".
func (s *scanner) declaration(at int) {
	rest := s.body[at+2:]
	switch {
	case bytes.HasPrefix(rest, []byte("--")):
		s.pos = s.commentEnd(at + 4)
		s.comment()
	case len(rest) >= 7 && bytes.EqualFold(rest[:7], []byte("doctype")):
		s.pos = s.after('>', at+9)
		if s.mode == initial && !s.doctyped {
			s.doctyped = true
			name := bytes.TrimLeft(bytes.TrimSuffix(s.body[at+9:s.pos], []byte(">")), whitespace)
			if s.quirks = unclear; string(bytes.TrimRight(name, whitespace)) == "html" {
				s.quirks = strict
			}
		}
	case bytes.HasPrefix(rest, []byte("[CDATA[")) && s.inSVG():
		s.unsure = true
	default:
		s.pos = s.after('>', at+2)
		s.comment()
	}
}

// commentEnd returns the position behind a comment's end; from is behind its "<!--". WHATWG HTML §13.2.5.43 ff.
func (s *scanner) commentEnd(from int) int {
	dashes, beginning := 0, true
	for i := from; i < len(s.body); i++ {
		switch s.body[i] {
		case '-':
			dashes++
			continue
		case '>':
			if dashes >= 2 || beginning {
				return i + 1
			}
		case '!':
			if dashes >= 2 && i+1 < len(s.body) {
				if s.body[i+1] == '>' {
					return i + 2
				}
				if s.body[i+1] == '-' {
					dashes, beginning = 1, false
					i++
					continue
				}
			}
			if dashes >= 2 {
				i++ // the reference parser swallows the character after "--!"
			}
		}
		dashes, beginning = 0, false
	}
	return len(s.body)
}

func (s *scanner) comment() {
	s.opened++
	if n := len(s.stack); n > 0 {
		if s.ended && (len(s.collects) > 0 || s.stack[n-1].id == preTag || s.stack[n-1].id == listingTag) {
			s.unsure = true // it belongs to <html>, not to what is open here
		}
		s.stack[n-1].child = true
	}
}

// startTag reads a tag whose "<" is at that position and opens its element.
func (s *scanner) startTag(at int) {
	s.edge = at
	key, nameEnd := s.tagName(at + 1)
	tag := knownTags.find(key)
	easy := s.opensEasily(tag)
	if easy && len(s.spans) == 0 && s.candidates(tag)&s.attrBits == 0 && s.skipAttrs(nameEnd) {
		s.insert(tag, at, tag.flags&tagVoid == 0)
		return
	}
	selfClosing, ok := s.readAttrs(nameEnd)
	switch {
	case !ok: // the document ends within the tag: no element
	case easy:
		s.insert(tag, at, tag.flags&tagVoid == 0)
	case s.inSVG():
		s.startSVG(tag, at, selfClosing)
	default:
		s.open(tag, at, selfClosing)
	}
}

// opensEasily says whether a start tag opens its element here and does nothing else.
func (s *scanner) opensEasily(tag tagInfo) bool {
	if s.mode != inBody || tag.flags&tagEasy == 0 {
		return false
	}
	top := s.top()
	return top.flags&tagTabular == 0 && !top.svg &&
		(tag.flags&tagClosesP == 0 || s.onStack[pTag] == 0) && (tag.flags&tagAlone == 0 || s.onStack[tag.id] == 0)
}

func (s *scanner) nameEnd(i int) int {
	for i < len(s.body) && classes[s.body[i]]&endsName == 0 {
		i++
	}
	return i
}

// tagName reads the name of a tag into its key.
func (s *scanner) tagName(from int) (key uint64, end int) {
	body := s.body
	if from+8 <= len(body) {
		// Eight bytes at once, if the name ends within them and is all small letters: they have the bits of 0x60, as
		// no capital, digit or space has. What lacks one gets its highest bit by the sum.
		x := binary.LittleEndian.Uint64(body[from:])
		if stop := (^x&(0x60*ones) + 0x60*ones) & highs; stop != 0 {
			n := bits.TrailingZeros64(stop) / 8
			if c := byte(x >> (8 * n)); c == '>' || c == ' ' || classes[c]&endsName != 0 {
				return x & (uint64(1)<<(8*n) - 1), from + n
			}
		}
	}
	end = s.nameEnd(from)
	return tagKey(body[from:end]), end
}

func (s *scanner) skipSpace(i int) int {
	for i < len(s.body) && isSpace(s.body[i]) {
		i++
	}
	return i
}

// readAttrs reads attributes up to the tag's ">" and leaves pos behind it. ok is false if
// the document ends first. WHATWG HTML §13.2.5.32 ff.
//
// Most attributes are one space, a short name in small letters, "=" and a value in double quotes: those are
// read from mark to mark, all others letter by letter.
func (s *scanner) readAttrs(i int) (selfClosing, ok bool) {
	s.marks.seek(i)
	body, list, k, attrs := s.body, s.marks.list, s.marks.at, s.attrs[:0]
	for {
		next := list[k : k+markEnds-1]
		at := int(next[0])
		if at >= len(body) {
			s.pos, s.marks.at, s.attrs = at, k, attrs
			return false, false
		}
		if at == i && body[at] == '>' {
			s.pos, s.marks.at, s.attrs = at+1, k+1, attrs
			return body[at-1] == '/', true
		}
		name, n := i+1, uint(at-i-1)
		if n-1 < 8 && name+8 <= len(body) && body[i] == ' ' && body[at] == '=' && at+1 < len(body) && body[at+1] == '"' {
			mask := uint64(1)<<(8*n) - 1
			key := binary.LittleEndian.Uint64(body[name:]) & mask
			if key&(0x60*ones) == mask&(0x60*ones) || dashed(key)&mask == highs&mask {
				to, plain := int(next[2]), true
				k += 3
				for to < len(body) && body[to] != '"' {
					to, plain = int(list[k]), false
					k++
				}
				// Written where it stays: a struct that is put together first and copied then makes the processor wait for
				// its own stores.
				if len(attrs) == cap(attrs) {
					attrs = slices.Grow(attrs, 8)
				}
				attrs = attrs[:len(attrs)+1]
				a := &attrs[len(attrs)-1]
				a.key, a.name, a.nameEnd, a.from, a.to, a.quoted, a.plain = key, uint32(name), uint32(at), uint32(at+2), uint32(to), true, plain
				i = min(to+1, len(body))
				continue
			}
		}
		var a attribute
		if i, a = s.oddAttr(i); a.name > 0 {
			attrs = append(attrs, a)
		}
		for int(list[k]) < i {
			k++
		}
	}
}

// skipAttrs steps over attributes that nobody looks at, to behind the tag's ">". A quote begins a value only behind a "=",
// and is part of a name or an unquoted value elsewhere; where the "=" itself may be part of one, or the document ends
// within the tag, it gives up, and readAttrs has to read them.
func (s *scanner) skipAttrs(i int) bool {
	s.marks.seek(i)
	body, list, k := s.body, s.marks.list, s.marks.at
	for {
		at := int(list[k])
		if at+1 >= len(body) {
			return false
		}
		k++
		switch body[at] {
		case '>':
			s.pos, s.marks.at, s.attrs = at+1, k, s.attrs[:0]
			return true
		case '=':
			if body[at+1] != '"' || !isLetter(body[at-1]) {
				return false
			}
			k++ // the quote
			for to := int(list[k]); to < len(body) && body[to] != '"'; to = int(list[k]) {
				k++
			}
			k++
		}
	}
}

// dashed has the highest bit of every byte that is a small letter or a dash, or may be taken for one: neither a capital
// nor anything that ends a name.
func dashed(x uint64) uint64 {
	const lows = 0x7f * ones
	dash := x ^ '-'*ones
	return (x&(0x60*ones) + 0x20*ones | ^(dash&lows + lows | dash)) & highs
}

// oddAttr reads one attribute of any form, or steps over what is none, and returns where it ended.
func (s *scanner) oddAttr(i int) (end int, a attribute) {
	body, name := s.body, i
	i++
	if c := body[name]; c == '/' || isSpace(c) {
		return i, a
	}
	// Whatever a name begins with is part of it, even "=".
	for i < len(body) && classes[body[i]]&endsAttr == 0 {
		i++
	}
	nameEnd := i
	from, to, quoted := i, i, false
	i = s.skipSpace(i)
	if i < len(body) && body[i] == '=' {
		i = s.skipSpace(i + 1)
		if i < len(body) && (body[i] == '"' || body[i] == '\'') {
			from, to, quoted = i+1, len(body), true
			if n := bytes.IndexByte(body[from:], body[i]); n >= 0 {
				to = from + n
			}
			i = min(to+1, len(body))
		} else if i < len(body) && body[i] != '>' {
			from = i
			for i < len(body) && !isSpace(body[i]) && body[i] != '>' {
				i++
			}
			to = i
		}
	}
	return i, attribute{key: tagKey(body[name:nameEnd]), name: uint32(name), nameEnd: uint32(nameEnd), from: uint32(from), to: uint32(to), quoted: quoted}
}

// ones and highs are the lowest and the highest bit of each of eight bytes.
const ones, highs = 0x0101010101010101, 0x8080808080808080

// attr returns the decoded value of the current tag's attribute of that (lower-case) name; the first one
// counts. Key is tagKey of the name. The result is valid until the next call.
func (s *scanner) attr(name string, key uint64) (value []byte, a *attribute) {
	for i := range s.attrs {
		a := &s.attrs[i]
		if a.key == key && int(a.nameEnd-a.name) == len(name) && (len(name) <= 8 || equalLower(s.body[a.name:a.nameEnd], name)) {
			raw := s.body[a.from:a.to]
			if (a.plain || bytes.IndexByte(raw, '&') < 0) && !s.marks.returns {
				return raw, a
			}
			s.scratch = appendDecoded(s.scratch[:0], raw, true)
			return s.scratch, a
		}
	}
	return nil, nil
}

func equalLower(b []byte, lower string) bool {
	for i := range b {
		c := b[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != lower[i] {
			return false
		}
	}
	return true
}

// insert adds an element for the current tag to the innermost open one, matches it, and pushes it if it
// can have content.
func (s *scanner) insert(tag tagInfo, at int, push bool) {
	s.opened++
	first := s.first
	var above uint64
	svg := false
	if n := len(s.stack); n > 0 {
		parent := &s.stack[n-1]
		parent.child = true
		above = parent.above | parent.self
		svg = parent.svg
		first |= parent.self<<1&s.child | above<<1&^s.child
	}
	self := s.candidates(tag) & first
	if conds := self & s.cond; conds != 0 {
		self = self&^conds | s.fulfilled(conds)
	}
	if push {
		n := len(s.stack)
		if n >= 500 { // the reference parser refuses more than 512
			s.unsure = true
		}
		s.onStack[tag.id]++
		if n == cap(s.stack) {
			s.stack = slices.Grow(s.stack, 16)
		}
		s.stack = s.stack[:n+1]
		e := &s.stack[n] // in place: see readAttrs
		e.key, e.flags, e.id = tag.key, tag.flags, tag.id
		e.self, e.above, e.child, e.svg = self, above, false, svg
	}
	if done := self & s.complete; done != 0 {
		s.matched(done, at, push)
	}
	if len(s.spans) > 0 {
		s.coverAttrs()
	}
}

// fulfilled returns those of the bits whose conditions on attributes hold.
func (s *scanner) fulfilled(conds uint64) uint64 {
	if len(s.attrs) == 0 {
		return 0
	}
	for left := conds; left != 0; {
		t := &s.tests[s.testOf[bits.TrailingZeros64(left)]]
		left &^= t.bits
		if t.word != 0 && !s.marks.returns {
			if known, holds := s.hasShortWord(t); known {
				if !holds {
					conds &^= t.bits
				}
				continue
			}
		}
		for i := range t.conds {
			c := &t.conds[i]
			if value, a := s.attr(c.attr, c.key); a == nil || !c.holds(value) {
				conds &^= t.bits
				break
			}
		}
	}
	return conds
}

// hasShortWord decides a condition on one short word ("div.post") where the attribute's value is one short word, too, or
// missing. Otherwise known is false.
func (s *scanner) hasShortWord(t *condTest) (known, holds bool) {
	key := t.conds[0].key
	for i := range s.attrs {
		a := &s.attrs[i]
		if a.key != key {
			continue
		}
		n := uint(a.to - a.from)
		if !a.plain || n-1 >= 8 || int(a.from)+8 > len(s.body) {
			return false, false
		}
		mask := uint64(1)<<(8*n) - 1
		x := binary.LittleEndian.Uint64(s.body[a.from:]) & mask
		if x == t.word {
			return true, true
		}
		x |= ^mask
		return (x-0x21*ones)&^x&highs == 0, false // nothing below 0x21, where all white space is
	}
	return true, false
}

// pop closes the innermost element.
func (s *scanner) pop() {
	n := len(s.stack) - 1
	if len(s.collects) > 0 {
		s.popTo(n)
		return
	}
	s.onStack[s.stack[n].id]--
	s.stack = s.stack[:n]
}

// popTo closes the element at that depth and all inside it.
func (s *scanner) popTo(depth int) {
	for n := len(s.stack) - 1; n >= depth; n-- {
		for c := len(s.collects) - 1; c >= 0 && s.collects[c].depth == n; c-- {
			s.collected(&s.collects[c])
			s.collects = s.collects[:c]
		}
		s.onStack[s.stack[n].id]--
	}
	s.stack = s.stack[:depth]
	if len(s.collects) == 0 {
		s.text = s.text[:0]
	}
}

func (s *scanner) inSVG() bool {
	n := len(s.stack)
	return n > 0 && s.stack[n-1].svg
}
