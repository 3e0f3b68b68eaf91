package check

import (
	"bytes"
	"math/bits"
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
	returns  bool // the body has carriage returns

	// How many of these are on the stack.
	paragraphs, anchors, selects, buttons, nobrs int

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
	child       bool   // something is inside
	svg         bool
}

type attribute struct {
	name, nameEnd uint32 // spans of the body
	from, to      uint32 // of its value
	quoted        bool
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
	body := s.body
	if bytes.IndexByte(body, 0) >= 0 {
		return false
	}
	s.returns = bytes.IndexByte(body, '\r') >= 0
	textFrom := s.pos
	search := s.pos
	for !s.unsure {
		i := bytes.IndexByte(body[search:], '<')
		if i < 0 || search+i+1 >= len(body) {
			s.addText(textFrom, len(body))
			break
		}
		at := search + i
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
			search = at + 1
			continue
		}
		textFrom, search = s.pos, s.pos
		if s.pos >= len(body) {
			break
		}
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
	nameEnd := s.nameEnd(at + 1)
	tag := knownTags.find(tagKey(s.body[at+1 : nameEnd]))
	selfClosing, ok := s.readAttrs(nameEnd)
	if !ok {
		return // the document ends within the tag: no element
	}
	if s.inSVG() {
		s.startSVG(tag, at, selfClosing)
		return
	}
	s.open(tag, at, selfClosing)
}

func (s *scanner) nameEnd(i int) int {
	for i < len(s.body) && classes[s.body[i]]&endsName == 0 {
		i++
	}
	return i
}

func (s *scanner) skipSpace(i int) int {
	for i < len(s.body) && isSpace(s.body[i]) {
		i++
	}
	return i
}

// readAttrs reads attributes up to the tag's ">" and leaves pos behind it. ok is false if
// the document ends first. WHATWG HTML §13.2.5.32 ff.
func (s *scanner) readAttrs(i int) (selfClosing, ok bool) {
	body := s.body
	s.attrs = s.attrs[:0]
	for {
		for i < len(body) && isSpace(body[i]) {
			i++
		}
		if i >= len(body) {
			s.pos = len(body)
			return false, false
		}
		if body[i] == '>' {
			s.pos = i + 1
			return body[i-1] == '/', true
		}
		name := i
		if body[i] == '=' {
			i++ // at the beginning it is part of the name
		}
		for i < len(body) && classes[body[i]]&endsAttr == 0 {
			i++
		}
		a := attribute{name: uint32(name), nameEnd: uint32(i), from: uint32(i), to: uint32(i)}
		i = s.skipSpace(i)
		if i < len(body) {
			switch body[i] {
			case '=':
				i = s.readValue(i+1, &a)
			case '/':
				i++
			}
		}
		if a.nameEnd > a.name {
			s.attrs = append(s.attrs, a)
		}
	}
}

func (s *scanner) readValue(i int, a *attribute) int {
	body := s.body
	i = s.skipSpace(i)
	if i >= len(body) || body[i] == '>' {
		return i
	}
	if q := body[i]; q == '"' || q == '\'' {
		i++
		a.quoted = true
		a.from = uint32(i)
		end := bytes.IndexByte(body[i:], q)
		if end < 0 {
			a.to = uint32(len(body))
			return len(body)
		}
		a.to = uint32(i + end)
		return i + end + 1
	}
	a.from = uint32(i)
	for i < len(body) && !isSpace(body[i]) && body[i] != '>' {
		i++
	}
	a.to = uint32(i)
	return i
}

// attr returns the decoded value of the current tag's attribute of that (lower-case) name; the first one
// counts. The result is valid until the next call.
func (s *scanner) attr(name string) (value []byte, a *attribute) {
	for i := range s.attrs {
		a := &s.attrs[i]
		if int(a.nameEnd-a.name) == len(name) && equalLower(s.body[a.name:a.nameEnd], name) {
			raw := s.body[a.from:a.to]
			if bytes.IndexByte(raw, '&') < 0 && !s.returns {
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
	e := openElement{tagInfo: tag}
	s.opened++
	first := s.first
	if n := len(s.stack); n > 0 {
		parent := &s.stack[n-1]
		parent.child = true
		e.above = parent.above | parent.self
		e.svg = parent.svg
		first |= parent.self<<1&s.child | e.above<<1&^s.child
	}
	if cand := s.candidates(tag) & first; cand != 0 {
		if conds := cand & s.cond; conds != 0 {
			cand = cand&^conds | s.fulfilled(conds)
		}
		e.self = cand
	}
	if push {
		if len(s.stack) >= 500 { // the reference parser refuses more than 512
			s.unsure = true
		}
		s.count(tag.id, 1)
		s.stack = append(s.stack, e)
	}
	if done := e.self & s.complete; done != 0 {
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
		for i := range t.conds {
			c := &t.conds[i]
			if value, a := s.attr(c.attr); a == nil || !c.holds(value) {
				conds &^= t.bits
				break
			}
		}
	}
	return conds
}

func (s *scanner) count(id tagID, by int) {
	switch id {
	case pTag:
		s.paragraphs += by
	case aTag:
		s.anchors += by
	case selectTag:
		s.selects += by
	case buttonTag:
		s.buttons += by
	case nobrTag:
		s.nobrs += by
	}
}

// popTo closes the element at that depth and all inside it.
func (s *scanner) popTo(depth int) {
	for n := len(s.stack) - 1; n >= depth; n-- {
		for c := len(s.collects) - 1; c >= 0 && s.collects[c].depth == n; c-- {
			s.collected(&s.collects[c])
			s.collects = s.collects[:c]
		}
		s.count(s.stack[n].id, -1)
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
