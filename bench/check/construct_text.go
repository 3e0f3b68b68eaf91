package check

import "bytes"

// This file is what the scanner makes of text: in the body, before it, and in elements that have nothing else.

// addText handles the text between two pieces of markup.
func (s *scanner) addText(from, to int) {
	if from >= to || s.unsure {
		return
	}
	if s.mode == inBody && s.top().flags&(tagTabular|tagTexted) == 0 && len(s.collects)+len(s.spans) == 0 {
		return // nobody wants to know
	}
	before := s.mode != inBody
	if before {
		if from = s.textBeforeBody(from, to); from >= to || s.unsure {
			return
		}
	}
	top := s.top()
	if top.flags&tagTabular != 0 {
		for _, c := range s.body[from:to] {
			if !isSpace(c) {
				s.unsure = true // it would be moved out of the table
				return
			}
		}
		s.collect(from, to)
		top.child = true
		return
	}
	if !before {
		s.cover(from, to)
	}
	if top.flags&tagTexted != 0 && !top.child {
		s.firstInPre(from, to)
		return
	}
	s.collect(from, to)
	top.child = true
}

func (s *scanner) firstInPre(from, to int) {
	mark := len(s.text)
	s.text = appendDecoded(s.text, s.body[from:to], false)
	s.dropNewline(mark)
	if len(s.text) > mark {
		s.top().child = true
	}
	if len(s.collects) == 0 {
		s.text = s.text[:0]
	}
}

func (s *scanner) collect(from, to int) {
	if len(s.collects) > 0 {
		s.text = appendDecoded(s.text, s.body[from:to], false)
	}
}

// textBeforeBody deals with white space before the body, and opens the body for anything else. It returns
// where the text for the body begins.
func (s *scanner) textBeforeBody(from, to int) int {
	i := s.skipSpace(from)
	if i > to {
		i = to
	}
	if i < to && s.body[i] == '&' && isSpace(decodeSlowly(s.body[i:to], false)[0]) {
		s.unsure = true // a space in disguise
		return to
	}
	if i > from && s.mode >= inHead {
		s.collect(from, i)
	}
	if i < to {
		s.edge = i // the head, if it is open, ends here
		s.reach(inBody)
	}
	return i
}

// raw opens an element whose content is text up to its end tag, and reads that text.
func (s *scanner) raw(tag tagInfo, at int) {
	nameLen := s.nameEnd(at+1) - (at + 1)
	name := s.body[at+1 : at+1+nameLen]
	s.insert(tag, at, true)
	from := s.pos
	end := len(s.body)
	for i := from; ; {
		j := bytes.IndexByte(s.body[i:], '<')
		if j < 0 {
			break
		}
		i += j + 1
		rest := s.body[i:]
		if len(rest) > nameLen+1 && rest[0] == '/' && bytes.EqualFold(rest[1:nameLen+1], name) {
			if c := rest[nameLen+1]; isSpace(c) || c == '/' || c == '>' {
				end = i - 1
				break
			}
		}
	}
	content := s.body[from:end]
	if tag.id == scriptTag && hidesEnd(content) {
		s.unsure = true
		return
	}
	s.pos = end
	s.cover(from, end)
	if len(s.collects) > 0 {
		mark := len(s.text)
		if tag.flags&tagDecoded != 0 {
			s.text = appendDecoded(s.text, content, false)
		} else {
			s.text = appendNewlines(s.text, content)
		}
		if tag.id == textareaTag {
			s.dropNewline(mark)
		}
	}
	if end < len(s.body) {
		if _, ok := s.readAttrs(end + 2 + nameLen); !ok {
			s.attrs = s.attrs[:0]
		}
	}
	s.edge = end
	s.popTo(len(s.stack) - 1)
}

// hidesEnd says whether a script's first end tag may not be its end: "<!-- <script> </script> -->" does
// that (WHATWG HTML §13.2.5.20 ff).
func hidesEnd(script []byte) bool {
	i := bytes.Index(script, []byte("<!--"))
	if i < 0 {
		return false
	}
	for script = script[i:]; ; script = script[1:] {
		if i = bytes.IndexByte(script, '<'); i < 0 {
			return false
		}
		if script = script[i:]; len(script) > 6 && bytes.EqualFold(script[1:7], []byte("script")) {
			return true
		}
	}
}

// dropNewline removes a line break that begins the text collected since mark.
func (s *scanner) dropNewline(mark int) {
	skip := mark
	if skip < len(s.text) && s.text[skip] == '\r' {
		skip++
	}
	if skip < len(s.text) && s.text[skip] == '\n' {
		skip++
	}
	s.text = append(s.text[:mark], s.text[skip:]...)
}
