package check

// This file is the scanner's share of tree construction inside tables, whose parts imply each other.

// cell returns the depth of the innermost open table cell or caption, -1 if a table is nearer or there
// is none.
func (s *scanner) cell() int {
	for i := len(s.stack) - 1; i >= 0; i-- {
		switch s.stack[i].id {
		case tdTag, thTag, captionTag:
			return i
		case tableTag:
			return -1
		}
	}
	return -1
}

// openTablePart handles the start of sections, rows, cells, captions and columns.
func (s *scanner) openTablePart(tag tagInfo, at int) {
	if s.top().flags&tagTabular == 0 {
		i := s.cell()
		if i < 0 {
			return // not in a table: the tag is ignored
		}
		if s.stack[i].id == captionTag {
			s.unsure = true
			return
		}
		s.popTo(i) // formatting elements inside a cell end with it
	}
	for {
		if tag.id == colTag && s.top().id == colgroupTag {
			s.insert(tag, at, false)
			return
		}
		if s.goesInto(tag.id, s.top().id) {
			s.insert(tag, at, true)
			return
		}
		switch up := s.top().id; {
		case up == tableTag && tag.id == colTag:
			s.imply(colgroupTag)
		case up == tableTag: // a row or a cell
			s.imply(tbodyTag)
		case up != trTag && up != colgroupTag && (tag.id == tdTag || tag.id == thTag):
			s.imply(trTag)
		default:
			s.popTo(len(s.stack) - 1)
		}
	}
}

func (s *scanner) goesInto(part, parent tagID) bool {
	switch part {
	case tdTag, thTag:
		return parent == trTag
	case trTag:
		return parent == tbodyTag || parent == theadTag || parent == tfootTag
	case colTag:
		return false
	}
	return parent == tableTag
}

// closeTablePart handles end tags of tables and their parts. Where there is none to close, they are ignored.
func (s *scanner) closeTablePart(tag tagInfo) {
	for i := len(s.stack) - 1; i >= 0; i-- {
		if s.stack[i].id == tag.id {
			s.popTo(i) // formatting elements inside a cell end with it
			return
		}
		if s.stack[i].id == tableTag {
			return
		}
	}
}
