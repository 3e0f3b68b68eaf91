package isucon1scenario

import (
	"fmt"
	"maps"
	"slices"

	"hotseat/bench"
	"hotseat/bench/model"
)

// commentRules are the rules about comments, in the order in which they are told.
var commentRules = []string{ruleCommentBody, ruleCommentName, ruleCommentElsewhere, ruleInitialComments,
	ruleCommentOnce, ruleCommentOrder, ruleCommentShown}

// onComments are the checks of the comments on an article's page.
func (l *look) onComments() []bench.Check {
	var checks []bench.Check
	for _, rule := range commentRules {
		checks = append(checks, l.that(rule, func(p *bench.Page, d *document) *bench.Mismatch {
			return l.comments(p, d)[rule]
		}))
	}
	return checks
}

// comments are the mismatches of the comments, by rule.
func (l *look) comments(p *bench.Page, d *document) map[string]*bench.Mismatch {
	if l.found == nil {
		l.found = map[string]*bench.Mismatch{}
		l.compare(d, model.Span{Sent: p.SentAt(), Done: p.DoneAt()})
	}
	return l.found
}

// blame notes the first mismatch of each rule.
func (l *look) blame(rule string, m *bench.Mismatch) {
	if l.found[rule] == nil {
		l.found[rule] = m
	}
}

// compare holds the comments on the page against those that are known.
// Strangers' comments, and those of earlier runs, may be anywhere.
func (l *look) compare(d *document, at model.Span) {
	w := l.world
	mine := w.postsOn(l.article)
	var before []*comment
	if a := w.known[l.article]; a != nil {
		before = a.comments
	}
	times := map[*comment]int{}
	stands := map[*comment]int{} // where a comment of this run stands
	var strangers []*shown
	see := func(c *comment, s *shown) {
		if times[c]++; times[c] == 1 && !slices.Contains(before, c) {
			stands[c] = s.place
		}
		l.checkName(c, s)
	}
	for i := range d.comments {
		s := &d.comments[i]
		key := lineKey(s.lines)
		switch c := w.posted(key); {
		case !s.body:
			strangers = append(strangers, s)
		case c != nil && c.article == l.article:
			see(c, s)
		case c != nil:
			l.blame(ruleCommentElsewhere, &bench.Mismatch{Code: "elsewhere", Expected: fmt.Sprintf("comments on article %d only", l.article), Actual: s.text,
				Message: fmt.Sprintf("this page shows %s", c)})
		default:
			// Two may say the same; each is to be there.
			c = nearest(before, times, func(c *comment) bool { return c.key == key })
			if c == nil {
				strangers = append(strangers, s)
				continue
			}
			see(c, s)
		}
	}
	l.recognise(slices.Concat(mine, before), times, strangers, see)

	for c, n := range times {
		if n > 1 {
			l.blame(ruleCommentOnce, &bench.Mismatch{Code: model.CodeDuplicate, Expected: "once", Actual: fmt.Sprintf("%d times", n),
				Message: fmt.Sprintf("the page shows %s more than once", c)})
		}
	}
	l.shown = times
	for _, c := range before {
		if times[c] == 0 {
			l.blame(ruleInitialComments, &bench.Mismatch{Code: model.CodeLostWrite, Expected: c.body, Actual: fmt.Sprintf("%d comments, none of which says this", len(d.comments)),
				Message: fmt.Sprintf("the page lacks %s, which was there before the run", c), Hint: "all comments of an article are on its page"})
		}
	}
	order := slices.SortedFunc(maps.Keys(stands), func(a, b *comment) int { return stands[a] - stands[b] })
	if v := w.comments.Of(l.article).Read(nil, at, order); v != nil {
		rule := ruleCommentShown
		if v.Code == model.CodeWrongOrder {
			rule = ruleCommentOrder
		}
		l.blame(rule, (*bench.Mismatch)(v))
	}
}

// nearest returns the first comment that matches and has not been seen, or the
// last that matches if all of them have.
func nearest(list []*comment, times map[*comment]int, match func(*comment) bool) (found *comment) {
	for _, c := range list {
		if match(c) {
			if found = c; times[c] == 0 {
				return c
			}
		}
	}
	return found
}

// recognise finds the comments whose body is written wrongly, so that they are
// not called missing.
func (l *look) recognise(due []*comment, times map[*comment]int, strangers []*shown, see func(*comment, *shown)) {
	for _, c := range due {
		if times[c] > 0 {
			continue
		}
		line := longest(c.body)
		i := slices.IndexFunc(strangers, func(s *shown) bool { return contains(s.text, line) })
		if i < 0 {
			continue
		}
		s := strangers[i]
		strangers = slices.Delete(strangers, i, i+1)
		m := linesDiffer(withoutTrailing(postedLines(c.body)), withoutTrailing(s.lines), "a comment's body has other lines")
		if !s.body {
			m.Actual, m.Message = s.text, "a .comment has no .body directly inside"
		}
		l.blame(ruleCommentBody, m)
		see(c, s)
	}
}

func (l *look) checkName(c *comment, s *shown) {
	m := &bench.Mismatch{Expected: c.shownName(), Actual: "no .name directly inside", Message: "a comment has another name",
		Hint: "no white space around it, and none taken away: names may begin and end in a newline"}
	if s.name != nil {
		if *s.name == c.shownName() {
			return
		}
		m.Actual = *s.name
	}
	l.blame(ruleCommentName, m)
}

// onPosted is the original's check of one comment: some .comment has its name
// and its body (§9.3).
func (l *look) onPosted(c *comment) bench.Check {
	return l.that(ruleCommentShown, func(_ *bench.Page, d *document) *bench.Mismatch {
		for i := range d.comments {
			if s := &d.comments[i]; s.body && lineKey(s.lines) == c.key && s.name != nil && *s.name == c.shownName() {
				return nil
			}
		}
		return &bench.Mismatch{Code: model.CodeLostWrite, Expected: c.shownName() + ": " + c.body, Actual: fmt.Sprintf("%d comments, none of which is this", len(d.comments)),
			Message: fmt.Sprintf("%s is not on its page a second after it was accepted", c)}
	})
}
