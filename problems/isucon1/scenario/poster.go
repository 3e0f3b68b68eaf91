package isucon1scenario

import (
	"math/rand/v2"
	"strconv"
	"sync/atomic"
	"time"

	"hotseat/bench"
)

// Of 60 comments 41 go to the main article (§8.2), and of 5 one is verified.
const (
	mainOf60    = 41
	verifyOneOf = 5
)

// poster comments, and looks a second later whether it shows. Several work in
// turn, so that none waits for another.
type poster struct {
	*visitor
	number *atomic.Int64 // of comments so far
}

func newPoster(u *bench.User, w *world, number *atomic.Int64) bench.Iteration {
	k := &poster{visitor: newVisitor(u, w), number: number}
	return k.comment
}

// comment posts one comment and verifies it if it is one of those.
func (k *poster) comment() error {
	u, w := k.user, k.world
	c, verify := k.draw(k.number.Add(1) == 1)
	if err := k.post(c); err != nil || !verify {
		k.count(err)
		return err
	}
	w.mu.Lock()
	due := c.done.Add(w.within)
	w.mu.Unlock()
	if !k.until(due) || (!w.strict && u.Run.LoadEnded()) {
		return nil
	}
	err := k.verify(c)
	k.count(err)
	return err
}

// count takes note of a comment for the original's verdict, if its outcome was
// known by the load's end.
func (k *poster) count(err error) {
	if !k.user.Run.LoadEnded() {
		k.world.original.posted(err == nil)
	}
}

// draw makes up a comment. The first one of a strict run shows in any run,
// however short, what there is to see: it is on an article whose comments are
// known, and its name ends or begins in a newline.
func (k *poster) draw(first bool) (c *comment, verify bool) {
	w, dice := k.world, k.user.Rand
	article := w.main.id
	if dice.IntN(60) >= mainOf60 {
		article = w.drawArticle(dice)
	}
	texts := w.texts(dice)
	name := newName(texts, w.strict)
	if first && w.strict {
		if n := len(w.truth.initial); n > 0 {
			article = w.truth.initial[dice.IntN(n)].id
		}
		name = named(texts, symbols(texts, nameSize))
	}
	c = newComment(article, name, newBody(texts, commentMin+dice.IntN(commentMore), w.strict))
	return c, verified(dice, w.strict, article == w.main.id)
}

// verified throws the dice for whether a comment is verified.
func verified(dice *rand.Rand, strict, onMain bool) bool {
	return strict && !onMain || dice.IntN(verifyOneOf) == 0
}

// post posts a comment and takes note of what became of it.
func (v *visitor) post(c *comment) error {
	w := v.world
	w.announce(c)
	p := v.user.PostForm("/comment/"+strconv.Itoa(c.article), "name", c.name, "body", c.body).
		Route("/comment/:id").Plain().Within(w.limit).Expect(v.postStatus)
	violation := w.settle(c, p)
	if !p.OK() {
		return p.Err()
	}
	if violation != nil {
		return v.user.Fail(bench.Problem{Rule: ruleCommentShown, Code: violation.Code, Page: p,
			Expected: violation.Expected, Actual: violation.Actual, Message: violation.Message})
	}
	return nil
}

// verify looks whether a comment shows that was accepted a second ago: on its
// article's page, and by the sidebars of that page, of / and of another (§9.3).
func (k *poster) verify(c *comment) error {
	w, dice := k.world, k.user.Rand
	other := 1 + dice.IntN(c.article)
	if other > w.newest {
		other = w.main.id
	}
	own, index, random := w.lookAt(c.article), w.lookAt(0), w.lookAt(other)
	if w.strict {
		loaded := w.lookAt(w.loaded[dice.IntN(len(w.loaded))])
		return k.look(plain(own), plain(index), plain(random), request{look: loaded, asLoad: true})
	}
	return k.look(
		request{look: own, checks: append(own.onAny(), own.onPosted(c))},
		request{look: index, checks: append(index.onAny(), index.onLinked(c))},
		request{look: random, checks: append(random.onAny(), random.onLinked(c))})
}

// plain is a request for all that a page must have under rules=strict.
func plain(l *look) request { return request{look: l} }

// onLinked is the original's check of a sidebar: it has a link to the comment's article.
func (l *look) onLinked(c *comment) bench.Check {
	return l.that(ruleSidebarFresh, func(p *bench.Page, d *document) *bench.Mismatch {
		if links(d, c.article) {
			return nil
		}
		return staleSidebar(c, d, p.SentAt())
	})
}

// until waits for a moment, also beyond the load's end, and reports whether it
// came before the run was cut.
func (v *visitor) until(at time.Time) bool {
	timer := time.NewTimer(time.Until(at))
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-v.user.Context().Done():
		return false
	}
}
