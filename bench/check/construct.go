package check

import (
	"bytes"
	"encoding/binary"
)

// This file is the scanner's share of HTML5 tree construction (WHATWG HTML §13.2.6): which elements a tag
// opens and closes. It follows golang.org/x/net/html, the reference parser, where that differs from the standard.

// reach opens the elements that must be there before the mode can be entered.
func (s *scanner) reach(mode insertMode) {
	for s.mode < mode {
		switch s.mode {
		case initial:
			s.imply(htmlTag)
			s.mode = beforeHead
		case beforeHead:
			s.imply(headTag)
			s.mode = inHead
		case inHead:
			s.popTo(len(s.stack) - 1)
			s.mode = afterHead
		case afterHead:
			s.imply(bodyTag)
			s.mode = inBody
		}
	}
}

// imply opens an element whose tag was left out.
func (s *scanner) imply(id tagID) {
	attrs := s.attrs
	s.attrs = nil
	s.insert(knownTags.find(impliedKeys[id]), s.pos, true)
	s.attrs = attrs
}

var impliedKeys = map[tagID]uint64{
	htmlTag:     tagKey([]byte("html")),
	headTag:     tagKey([]byte("head")),
	bodyTag:     tagKey([]byte("body")),
	tbodyTag:    tagKey([]byte("tbody")),
	trTag:       tagKey([]byte("tr")),
	colgroupTag: tagKey([]byte("colgroup")),
}

// open handles the start tag of an element outside SVG, but for the easy ones in the body.
func (s *scanner) open(tag tagInfo, at int, selfClosing bool) {
	if s.mode != inBody && s.openBeforeBody(tag, at) || s.unsure {
		return
	}
	if tag.flags&tagHard != 0 {
		s.unsure = true
		return
	}
	switch tag.id {
	case htmlTag, bodyTag:
		s.unsure = true // their attributes would be added to the open ones
		return
	case headTag:
		return
	case theadTag, tbodyTag, tfootTag, trTag, tdTag, thTag, captionTag, colgroupTag, colTag:
		s.openTablePart(tag, at)
		return
	}
	if s.top().flags&tagTabular != 0 {
		if s.top().id == colgroupTag || tag.id != scriptTag && tag.id != styleTag {
			s.unsure = true // it would be moved out of the table
			return
		}
	}
	s.closeFor(tag)
	if s.unsure {
		return
	}
	switch {
	case tag.id == svgTag:
		if s.insertSVG(tag, at, selfClosing); !selfClosing && !s.unsure {
			s.top().svg = true
		}
	case tag.flags&tagVoid != 0:
		s.insert(tag, at, false)
	case tag.flags&tagRaw != 0:
		s.raw(tag, at)
	default:
		s.insert(tag, at, true)
	}
}

// openBeforeBody handles start tags up to the body's. It returns false when the tag is the body's first content.
func (s *scanner) openBeforeBody(tag tagInfo, at int) bool {
	switch tag.id {
	case htmlTag:
		if s.mode != initial {
			s.unsure = true
			return true
		}
		s.insert(tag, at, true)
		s.mode = beforeHead
		return true
	case headTag:
		if s.mode <= beforeHead {
			s.reach(beforeHead)
			s.insert(tag, at, true)
			s.mode = inHead
		}
		return true
	case bodyTag:
		s.reach(afterHead)
		s.insert(tag, at, true)
		s.mode = inBody
		return true
	}
	s.reach(inHead)
	switch {
	case s.mode == inHead && (tag.flags&tagHeadOnly != 0 || tag.id == noscriptTag):
		if tag.flags&tagVoid != 0 {
			s.insert(tag, at, false)
		} else {
			s.raw(tag, at)
		}
		return true
	case s.mode == afterHead && tag.flags&tagHeadOnly != 0, tag.flags&tagHard != 0:
		s.unsure = true
		return true
	}
	s.reach(inBody)
	return false
}

func (s *scanner) top() *openElement { return &s.stack[len(s.stack)-1] }

// closeFor closes what the start of an element in the body ends, above all paragraphs.
func (s *scanner) closeFor(tag tagInfo) {
	switch tag.id {
	case liTag, ddTag, dtTag:
		s.closeItem(tag)
		s.closeParagraph()
	case aTag:
		s.unsure = s.unsure || s.onStack[aTag] > 0
	case nobrTag:
		s.unsure = s.unsure || s.onStack[nobrTag] > 0
	case buttonTag:
		s.unsure = s.unsure || s.onStack[buttonTag] > 0
	case formTag:
		if s.formed {
			s.unsure = true // ignored
			return
		}
		s.formed = true
		s.closeParagraph()
	case selectTag:
		s.unsure = s.unsure || s.onStack[selectTag] > 0
	case inputTag:
		s.unsure = s.unsure || s.onStack[selectTag] > 0
	case hrTag:
		s.unsure = s.unsure || s.onStack[selectTag] > 0
		s.closeParagraph()
	case optionTag:
		if s.onStack[selectTag] > 0 && s.inScope(selectTag, 0) >= 0 {
			s.closeImplied(optgroupTag)
		} else if s.top().id == optionTag {
			s.close(len(s.stack) - 1)
		}
	case optgroupTag:
		if s.onStack[selectTag] > 0 && s.inScope(selectTag, 0) >= 0 {
			s.closeImplied(otherTag)
		} else if s.top().id == optionTag {
			s.close(len(s.stack) - 1)
		}
	case rbTag, rtcTag, rtTag:
		if s.inScope(rubyTag, 0) >= 0 {
			except := otherTag
			if tag.id == rtTag {
				except = rtcTag
			}
			s.closeImplied(except)
		}
	case tableTag:
		if s.onStack[pTag] > 0 && s.quirks != quirky {
			s.unsure = s.unsure || s.quirks == unclear
			s.closeParagraph()
		}
	default:
		if tag.flags&tagClosesP != 0 {
			s.closeParagraph()
			if tag.flags&tagHeading != 0 && s.top().flags&tagHeading != 0 {
				s.close(len(s.stack) - 1)
			}
		}
	}
}

// closeItem ends an open item of the same list.
func (s *scanner) closeItem(tag tagInfo) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		e := &s.stack[i]
		switch {
		case e.id == tag.id, tag.id != liTag && (e.id == ddTag || e.id == dtTag):
			s.close(i)
			return
		case e.id == pTag, e.key == addressKey, e.key == divKey:
		case e.flags&tagSpecial != 0:
			return
		}
	}
}

var (
	addressKey = tagKey([]byte("address"))
	divKey     = tagKey([]byte("div"))
)

func (s *scanner) closeParagraph() {
	if s.onStack[pTag] == 0 {
		return
	}
	if i := s.inScope(pTag, buttonTag); i >= 0 {
		s.close(i)
	}
}

// closeImplied ends elements whose end tag may be left out.
func (s *scanner) closeImplied(except tagID) {
	n := len(s.stack)
	for n > 0 && s.stack[n-1].flags&tagImplied != 0 && (except == otherTag || s.stack[n-1].id != except) {
		n--
	}
	s.popTo(n)
}

// inScope returns the depth of the innermost open element of that kind, -1 if there is none before the scope's
// bound; bound, if not zero, is one more element to stop at.
func (s *scanner) inScope(id, bound tagID) int {
	for i := len(s.stack) - 1; i >= 0; i-- {
		e := &s.stack[i]
		if e.id == id {
			return i
		}
		if e.flags&tagScope != 0 || bound != otherTag && e.id == bound {
			return -1
		}
	}
	return -1
}

// close closes the element at that depth. Formatting elements that are open inside would be opened again
// afterwards.
func (s *scanner) close(depth int) {
	for i := len(s.stack) - 1; i > depth; i-- {
		if s.stack[i].flags&tagFormatting != 0 {
			s.unsure = true
			return
		}
	}
	s.popTo(depth)
}

// startSVG handles a start tag inside SVG.
func (s *scanner) startSVG(tag tagInfo, at int, selfClosing bool) {
	if tag.flags&tagSVG == 0 || s.hardSVG {
		s.unsure = true
		return
	}
	for _, a := range s.attrs {
		if c := bytes.IndexByte(s.body[a.name:a.nameEnd], ':'); c >= 0 {
			for _, name := range s.program.attrs {
				if bytes.EqualFold(s.body[int(a.name)+c+1:a.nameEnd], []byte(name)) {
					s.unsure = true // xlink:href is href in another name space
					return
				}
			}
		}
	}
	s.insertSVG(tag, at, selfClosing)
}

// insertSVG opens an element of SVG; there a slash at the tag's end closes it at once.
func (s *scanner) insertSVG(tag tagInfo, at int, selfClosing bool) {
	if n := len(s.attrs); selfClosing && n > 0 && !s.attrs[n-1].quoted && int(s.attrs[n-1].to) == s.pos-1 {
		s.unsure = true // is the slash the value's?
		return
	}
	s.insert(tag, at, !selfClosing)
}

// endTag handles the end tag at that position.
func (s *scanner) endTag(at int) {
	name, end := at+2, int(s.marks.list[s.marks.at+1])
	if n := uint(end - name); n <= 8 && name+8 <= len(s.body) && end < len(s.body) && s.body[end] == '>' && s.mode == inBody {
		// Most often it is the end of what was opened last, and there is nothing in between that there are rules for.
		// That name is in small letters, so this one need not be looked at any further.
		mask := uint64(1)<<(8*n) - 1
		if e := s.top(); binary.LittleEndian.Uint64(s.body[name:])&mask == e.key && e.flags&tagEasy != 0 {
			s.pos, s.edge = end+1, at
			s.marks.at += 2
			s.pop()
			return
		}
	}
	key, nameEnd := s.tagName(name)
	if nameEnd < len(s.body) && s.body[nameEnd] == '>' {
		s.pos = nameEnd + 1
	} else if _, ok := s.readAttrs(nameEnd); !ok {
		return
	}
	s.edge = at
	if s.mode == inBody {
		if e := s.top(); e.key == key && e.flags&tagEasy != 0 {
			s.pop()
			return
		}
	}
	s.closeByTag(knownTags.find(key))
}

func (s *scanner) closeByTag(tag tagInfo) {
	if s.mode != inBody {
		s.doctyped = true
		switch {
		case tag.id == headTag && s.mode == inHead:
			s.popTo(len(s.stack) - 1)
			s.mode = afterHead
		case tag.id == headTag && s.mode < inHead, tag.id == bodyTag, tag.id == htmlTag, tag.id == brTag, tag.flags&tagHard != 0:
			s.unsure = true
		}
		return
	}
	if s.inSVG() {
		if s.top().key != tag.key {
			s.unsure = true
			return
		}
		s.popTo(len(s.stack) - 1)
		return
	}
	switch tag.id {
	case bodyTag, htmlTag:
		s.ended = true
		return
	case theadTag, tbodyTag, tfootTag, trTag, tdTag, thTag, captionTag, colgroupTag, colTag, tableTag:
		s.closeTablePart(tag)
		return
	case brTag:
		s.unsure = true
		return
	}
	if tag.flags&tagHard != 0 || s.top().flags&tagTabular != 0 {
		s.unsure = true
		return
	}
	switch {
	case tag.id == pTag:
		i := -1
		if s.onStack[pTag] > 0 {
			i = s.inScope(pTag, buttonTag)
		}
		if i < 0 {
			s.unsure = true // makes an empty paragraph
			return
		}
		s.close(i)
	case tag.id == liTag:
		for i := len(s.stack) - 1; i >= 0; i-- {
			e := &s.stack[i]
			if e.id == liTag {
				s.close(i)
				return
			}
			if e.id == olTag || e.id == ulTag || e.flags&tagScope != 0 {
				return
			}
		}
	case tag.id == ddTag, tag.id == dtTag:
		if i := s.inScope(tag.id, 0); i >= 0 {
			s.close(i)
		}
	case tag.id == formTag:
		s.closeForm()
	case tag.flags&tagHeading != 0:
		for i := len(s.stack) - 1; i >= 0; i-- {
			e := &s.stack[i]
			if e.flags&tagHeading != 0 {
				s.close(i)
				return
			}
			if e.flags&tagScope != 0 {
				return
			}
		}
	case tag.flags&tagBlock != 0:
		if i := s.inScope(tag.id, 0); i >= 0 {
			s.close(i)
		}
	case tag.flags&tagFormatting != 0:
		s.closeFormatting(tag)
	default:
		for i := len(s.stack) - 1; i >= 0; i-- {
			if s.stack[i].key == tag.key {
				s.close(i)
				return
			}
			if s.stack[i].flags&tagSpecial != 0 {
				return
			}
		}
	}
}

func (s *scanner) closeForm() {
	open := s.formed
	s.formed = false
	i := s.inScope(formTag, 0)
	if i < 0 {
		return
	}
	if !open {
		s.unsure = true
		return
	}
	s.closeImplied(otherTag)
	if len(s.stack)-1 != i {
		s.unsure = true // it would be taken out from under what is still open
		return
	}
	s.popTo(i)
}

// closeFormatting ends a formatting element if nothing stands between it and its end tag that the
// parser would have to move.
func (s *scanner) closeFormatting(tag tagInfo) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		e := &s.stack[i]
		if e.id == tag.id && e.key == tag.key {
			s.popTo(i)
			return
		}
		if e.flags&(tagSpecial|tagFormatting) != 0 {
			break
		}
	}
	s.unsure = true
}
