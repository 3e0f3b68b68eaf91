package check

import "math/bits"

// matched tells the rules that the current tag's element completes selectors.
func (s *scanner) matched(done uint64, at int, open bool) {
	var selectors uint64 // an element that two parts of a list match is still one match
	for ; done != 0; done &= done - 1 {
		selectors |= 1 << s.final[bits.TrailingZeros64(done)]
	}
	for ; selectors != 0; selectors &= selectors - 1 {
		sel := bits.TrailingZeros64(selectors)
		s.counts[sel]++
		first := s.counts[sel] == 1
		if !first && !s.eachOne[sel] {
			continue // counting is all there is to do
		}
		for _, n := range s.attrRules[sel] {
			if r := &s.rules[n]; first || r.each {
				s.checkAttr(n, r, at)
			}
		}
		for _, n := range s.attrCaps[sel] {
			c := &s.captures[n]
			if !first && c.first {
				continue
			}
			if value, a := s.attr(c.attr, c.key); a != nil {
				s.capture(n, value)
			}
		}
		if first && len(s.textRules[sel])+len(s.textCaps[sel]) > 0 || s.eachText[sel] {
			c := collector{sel: sel, depth: len(s.stack) - 1, from: len(s.text), opened: s.opened, offset: s.pos, first: first, found: len(s.found)}
			for _, n := range s.textCaps[sel] {
				if first || !s.captures[n].first {
					s.found = append(s.found, capturedSpan{capture: n}) // now, for document order
				}
			}
			if open {
				s.collects = append(s.collects, c)
			} else {
				edge := s.edge
				s.edge = s.pos
				s.collected(&c)
				s.edge = edge
			}
		}
	}
}

func (s *scanner) checkAttr(n int, r *htmlRule, at int) {
	value, a := s.attr(r.attr, r.key)
	if a == nil {
		s.fail(failure{rule: n, actual: "no attribute " + r.attr, offset: at})
		return
	}
	s.look(&r.want, int(a.from), int(a.to), true, true)
	if !r.want.ok(value, s.vars) {
		s.fail(failure{rule: n, actual: brief(value), offset: int(a.from)})
	}
}

// collected tells the rules an element's text.
func (s *scanner) collected(c *collector) {
	text := s.text[c.from:]
	for _, n := range s.textRules[c.sel] {
		r := &s.rules[n]
		if !c.first && !r.each {
			continue
		}
		value := text
		switch r.kind {
		case ruleNormalized:
			s.scratch = appendNormalized(s.scratch[:0], text)
			value = s.scratch
		case ruleInner:
			if s.opened != c.opened {
				s.fail(failure{rule: n, actual: brief(s.body[c.offset:s.edge]), offset: c.offset})
				continue
			}
		}
		s.look(&r.want, c.offset, s.edge, false, r.kind != ruleNormalized)
		if !r.want.ok(value, s.vars) {
			s.fail(failure{rule: n, actual: brief(value), offset: c.offset})
		}
	}
	at := c.found
	for _, n := range s.textCaps[c.sel] {
		if c.first || !s.captures[n].first {
			from := len(s.arena)
			s.arena = append(s.arena, text...)
			s.found[at].from, s.found[at].to = from, len(s.arena)
			at++
		}
	}
}

func (s *scanner) capture(n int, value []byte) {
	from := len(s.arena)
	s.arena = append(s.arena, value...)
	s.found = append(s.found, capturedSpan{n, from, len(s.arena)})
}

func (s *scanner) fail(f failure) {
	for i := range s.failures {
		if s.failures[i].rule == f.rule {
			return
		}
	}
	s.failures = append(s.failures, f)
}

// countFailure judges a rule by how often its selector matched.
func (r *htmlRule) countFailure(n, count int) (failure, bool) {
	lo, hi := r.lo, r.hi
	if r.kind != ruleCount {
		if r.each {
			return failure{}, false
		}
		lo, hi = 1, -1
	}
	if count >= lo && (hi < 0 || count <= hi) {
		return failure{}, false
	}
	return failure{rule: n, actual: plural(count), offset: -1, missing: count == 0}, true
}

// judge turns failures into a mismatch: that of the first rule in declaration order which is not
// switched off. clean is false if any rule failed, switched off or not.
func (p *program) judge(in *Input, vars []Value, counts []int32, failures []failure) (m *Mismatch, clean bool) {
	clean = true
	for n := range p.rules {
		r := &p.rules[n]
		f, failed := r.countFailure(n, int(counts[r.sel]))
		for i := 0; !failed && i < len(failures); i++ {
			if failures[i].rule == n {
				f, failed = failures[i], true
			}
		}
		if !failed {
			continue
		}
		clean = false
		if in.Skip == nil || r.id == "" || !in.Skip(r.id) {
			return p.mismatch(r, f, vars), false
		}
	}
	return nil, clean
}

func (p *program) mismatch(r *htmlRule, f failure, vars []Value) *Mismatch {
	m := &Mismatch{
		Code:     ValueMismatch,
		Check:    p.name,
		Rule:     r.id,
		Path:     p.selectors[r.sel].source,
		Expected: r.expected(vars),
		Actual:   f.actual,
		Offset:   f.offset,
	}
	if f.missing {
		m.Code = SelectorMissing
	}
	if r.kind == ruleAttr {
		m.Path += " @" + r.attr
	}
	if r.kind == ruleInner && !f.missing {
		m.Hint = "the element must contain exactly this text: no white space around it, no elements or comments inside"
	}
	return m
}

func (r *htmlRule) expected(vars []Value) string {
	if r.kind != ruleCount {
		return r.want.expected(vars)
	}
	switch {
	case r.hi == 0:
		return "no such element"
	case r.hi < 0:
		return "at least " + plural(r.lo)
	case r.lo == r.hi:
		return plural(r.lo)
	}
	return "between " + plural(r.lo) + " and " + plural(r.hi)
}
