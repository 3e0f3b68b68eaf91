package isucon1scenario

import (
	"hotseat/bench"
)

// visitor is a client that looks at pages: everybody but the load.
type visitor struct {
	user       *bench.User
	world      *world
	postStatus bench.Check
	gzip       bool // it may ask for gzip where the contents are looked at
}

func newVisitor(u *bench.User, w *world) *visitor {
	u.SetHeader("User-Agent", userAgent)
	u.SetHeader("Connection", "close")
	return &visitor{user: u, world: w, postStatus: bench.Status(rulePostStatus, accepted...),
		// With the rule switched off nothing is asked for that only it could judge.
		gzip: w.strict && u.Run.RuleOn(ruleGzip)}
}

// request is a page to be looked at.
type request struct {
	look   *look
	checks []bench.Check // in place of all those of rules=strict
	asLoad bool          // asked for as the load does
	cache  *bench.Cache  // asked for by a browser that has one
	gzip   bool          // asked for in gzip
}

// step describes the request.
func (v *visitor) step(r *request) *bench.Step {
	step := v.user.Get(r.look.path()).Route(r.look.route()).Within(v.world.limit)
	switch {
	case r.asLoad:
		step, _ = v.world.asLoad(v.user, step)
		step.Plain() // it is to be read
		if !v.gzip {
			step.Header("Accept-Encoding", "")
		}
	case r.gzip && v.gzip:
		step.Plain().Header("Accept-Encoding", gzipCodings)
	default:
		step.Plain()
	}
	if r.cache != nil && v.user.Run.RuleOn(ruleNotModified) {
		step.Cached(*r.cache)
	}
	return step
}

// look asks for pages, all at once, and judges them.
func (v *visitor) look(requests ...request) error {
	steps := make([]*bench.Step, len(requests))
	for i := range requests {
		r := &requests[i]
		if r.checks == nil {
			r.checks = r.look.strictly()
			if r.cache != nil {
				r.checks = append([]bench.Check{r.look.confirmed()}, r.checks...)
			}
			if r.asLoad || r.gzip {
				r.checks = append([]bench.Check{r.look.inGzip()}, r.checks...)
			}
		}
		checks := r.checks
		if !v.world.strict {
			checks = content(checks) // the first attempt may fail
		}
		steps[i] = v.step(r).Expecting(checks...)
	}
	var first error
	for i, p := range v.user.All(steps...) {
		err := p.Err()
		if !v.world.strict && p.Status() != 200 {
			// Once again, at once (§9).
			err = v.step(&requests[i]).Expect(requests[i].checks...).Err()
		}
		if first == nil {
			first = err
		}
	}
	return first
}

// content leaves out the check of the status, the first one; the others pass
// where there is nothing to check.
func content(checks []bench.Check) []bench.Check { return checks[1:] }

// confirmed holds a page that a 304 said is still good against what must show
// on it by now.
func (l *look) confirmed() bench.Check {
	return l.that(ruleNotModified, func(p *bench.Page, d *document) *bench.Mismatch {
		if !p.NotModified() {
			return nil
		}
		m := l.world.checkFresh(d, p.SentAt(), p.DoneAt())
		if m == nil && l.article != 0 {
			m = l.comments(p, d)[ruleCommentShown]
		}
		if m == nil {
			return nil
		}
		m.Code = bench.Code304Stale
		m.Hint = "look at what ETag and Last-Modified are made of: the sidebar and the comments are part of the page"
		return m
	})
}

// inGzip holds a page in gzip against the one that was asked for, as far as
// that is known.
func (l *look) inGzip() bench.Check {
	return l.that(ruleGzip, func(p *bench.Page, d *document) *bench.Mismatch {
		if p.HeaderValue("Content-Encoding") == "" {
			return nil
		}
		w := l.world
		m := &bench.Mismatch{Code: "another-page", Message: "in gzip this is another page than without",
			Hint: "a cache of compressed pages needs the same key as one of plain pages, and something that tells the two apart"}
		a := w.known[l.article]
		switch {
		case l.article == 0 && d.articles > 0 && len(d.listed) == 0:
			m.Expected, m.Actual = "/", "an article's page, without links to others"
		case l.article != 0 && len(d.listed) > 0:
			m.Expected, m.Actual = l.path(), "/, with links to articles"
		case a != nil && !recognises(d, a):
			m.Expected, m.Actual = "the page of "+a.title, "another one"
			if d.title != nil {
				m.Actual = *d.title
			}
		case a == nil && l.article != 0 && w.otherKnown(d, l.article):
			m.Expected, m.Actual = l.path(), "the page of "+*d.title
		default:
			return nil
		}
		return m
	})
}

// otherKnown reports whether a page has the title of a known article that it
// should not be about.
func (w *world) otherKnown(d *document, article int) bool {
	if d.title == nil {
		return false
	}
	for id, a := range w.known {
		if id != article && a.title == *d.title && a.title != "" {
			return true
		}
	}
	return false
}
