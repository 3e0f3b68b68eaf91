package isucon1scenario

import (
	"fmt"
	"slices"

	"hotseat/bench"
	"hotseat/bench/model"
)

// prepare posts the main article (§8.1). Its id is predicted: the largest on /, and one more.
func (w *world) prepare(u *bench.User) error {
	v := newVisitor(u, w)
	index, err := v.front()
	if err != nil {
		return err
	}
	w.newest = index.newest
	w.before = index.listed
	texts := w.texts(u.Rand)
	w.main = &article{id: w.newest + 1, title: newTitle(texts, w.strict), body: newBody(texts, bodySize, w.strict)}
	p := u.PostForm("/post", "title", w.main.title, "body", w.main.body).Plain().Expect(v.postStatus)
	if !p.OK() {
		return p.Err()
	}
	w.mainAt = p.DoneAt()
	// The original took the id for granted.
	if w.strict {
		if err := v.confirm(); err != nil {
			return err
		}
	}
	if w.main.title != "" { // only without the rule about that it has none
		w.known[w.main.id] = w.main
	}
	w.makeList(u.Run.Rand("urls"))
	return nil
}

// frontPage is what / says of articles.
type frontPage struct {
	newest int
	listed []int
}

// front looks which articles there are.
func (v *visitor) front() (f frontPage, err error) {
	l := v.world.lookAt(0)
	p := v.user.Get("/").Plain().Expect(
		bench.Status(rulePageStatus, 200),
		l.that(ruleFrame, func(_ *bench.Page, d *document) *bench.Mismatch { return checkFrame(d) }),
		l.that(ruleIndexNewest, func(_ *bench.Page, d *document) *bench.Mismatch { return checkNewest(d) }))
	if !p.OK() {
		return f, p.Err()
	}
	d := l.read(p)
	f.listed = listedOn(d)
	newest, m := newestOn(d)
	if m != nil && len(f.listed) > 0 { // only where the rule is switched off
		newest = slices.Max(f.listed)
	}
	f.newest = newest
	return f, nil
}

// confirm reads the main article back. If it has not got the id that was due,
// and the rule about that is switched off, the run goes on with the id that it has.
func (v *visitor) confirm() error {
	w := v.world
	l := w.lookAt(w.main.id)
	stored := func(p *bench.Page) bool { return p.Status() == 200 && recognises(l.read(p), w.main) }
	p := v.user.Get(l.path()).Route(l.route()).Plain().Expect(bench.That(ruleNextID, func(p *bench.Page) *bench.Mismatch {
		if stored(p) || p.Status() >= 500 {
			return nil
		}
		m := &bench.Mismatch{Code: model.CodeLostWrite, Expected: fmt.Sprintf("the article just posted, %q, at %s: the largest id was %d", w.main.title, l.path(), w.newest),
			Actual: fmt.Sprintf("status %d", p.Status()), Message: "a new article is not at the largest id + 1",
			Hint: "an insert that was rolled back uses an id up as well; so does a second benchmark at the same time"}
		if p.Status() == 200 {
			m.Actual = "another page"
			if d := l.read(p); d.title != nil {
				m.Actual = *d.title
			}
		}
		return m
	}), bench.Status(rulePageStatus, 200, 302, 303, 404, 410)) // unless it is there, any answer may be right
	if !p.OK() {
		return p.Err()
	}
	if stored(p) {
		return nil
	}
	index, err := v.front()
	if err != nil {
		return err
	}
	if index.newest > w.newest {
		w.main.id = index.newest
		return nil
	}
	// It is nowhere: let the newest there is stand for it.
	w.main = &article{id: max(index.newest, 1)}
	w.before = index.listed[min(len(index.listed), 1):]
	return nil
}
