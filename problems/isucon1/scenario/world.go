package isucon1scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hotseat/bench"
	"hotseat/bench/model"
)

// within is how soon a comment must show, counted from the post's answer (§3.3, §9.3).
// It is shorter in tests.
const within = time.Second

// world is everything the benchmark believes about the blog during one run.
type world struct {
	run    *bench.Run
	strict bool
	within time.Duration
	limit  time.Duration // of a request of the load and after it
	truth  *truth
	known  map[int]*article // of initial.json, and the main article
	host   string           // the target's name without port, as the load calls it

	main   *article
	mainAt time.Time // when it was posted
	newest int       // the largest id before the main article's
	before []int     // what / listed then
	urls   []address // the load's list
	loaded []int     // articles on it, each once

	mu       sync.Mutex
	posts    []*comment                               // of this run, as announced
	bodies   map[string]*comment                      // of this run, by lineKey
	comments *model.Family[int, *model.Set[*comment]] // of this run, by article

	mainSent atomic.Uint64 // comments on the main article that may be there
	last     []*look       // at articles' pages, when the load was over

	// Of this execution alone, whatever the seed; see texts.
	salt uint64

	original originalState
}

// comment is one comment, of this run or from before it.
type comment struct {
	article    int
	name, body string
	key        string // lineKey of the body

	// Of this run only; guarded by world.mu.
	sent, done time.Time // done is zero until it is known to be accepted
	settled    bool      // nothing more will happen to it
	change     *model.Change[*comment]
}

func newComment(article int, name, body string) *comment {
	return &comment{article: article, name: name, body: body, key: lineKey(postedLines(body))}
}

// shownName is what the page must have for the name.
func (c *comment) shownName() string {
	if c.name == "" {
		return anonymous
	}
	return c.name
}

// String names the comment in failures.
func (c *comment) String() string {
	begin := []rune(c.body)
	return fmt.Sprintf("the comment on article %d that begins with %q", c.article, string(begin[:min(len(begin), 30)]))
}

func newWorld(r *bench.Run, t *truth, within time.Duration) *world {
	w := &world{run: r, strict: r.Strict(), within: within, limit: time.Duration(r.Int(paramTimeout)) * time.Second, truth: t, known: map[int]*article{}, bodies: map[string]*comment{}, host: hostWithoutPort(r.Target()), salt: uint64(time.Now().UnixNano())}
	w.comments = model.NewFamily(func(int) *model.Set[*comment] {
		return model.NewSet[*comment](model.Promise{Lag: within}).Shared().Sorted(model.OldestFirst, 0)
	})
	for _, a := range t.initial {
		w.known[a.id] = a
	}
	return w
}

// texts are dice for what is written. Nothing takes back what an earlier run
// with the same seed has written, and texts are told apart by what they say: so
// they are never the same twice, and everything else is.
func (w *world) texts(dice *rand.Rand) *rand.Rand {
	return rand.New(rand.NewPCG(dice.Uint64(), w.salt))
}

// drawArticle draws one of the articles from 1 to the main one. Should the ids
// have a gap below it, which only a run with next-id switched off goes on
// with, the main article stands for what is missing.
func (w *world) drawArticle(dice *rand.Rand) int {
	if id := 1 + dice.IntN(w.main.id); id <= w.newest {
		return id
	}
	return w.main.id
}

// announce takes note of a comment that is about to be posted.
func (w *world) announce(c *comment) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c.sent = time.Now()
	w.posts = append(w.posts, c)
	w.bodies[c.key] = c
	c.change = w.comments.Of(c.article).Add(nil, c.sent, c)
	if c.article == w.main.id {
		w.mainSent.Add(1)
	}
}

// settle takes note of what became of a post. A violation means that a page
// that was read meanwhile should have shown it.
func (w *world) settle(c *comment, p *bench.Page) *model.Violation {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case p.OK():
		c.done, c.settled = p.DoneAt(), true
		return c.change.Commit(c.done)
	case !p.Sent():
		c.settled = true
		w.posts = slices.DeleteFunc(w.posts, func(other *comment) bool { return other == c })
		if c.article == w.main.id {
			w.mainSent.Add(^uint64(0))
		}
		return c.change.Never()
	default:
		c.change.Maybe(time.Now()) // it may still show, whenever it likes
		return nil
	}
}

// mainSettled returns how many comments on the main article must show by now.
func (w *world) mainSettled() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := uint64(0)
	due := time.Now().Add(-w.within)
	for _, c := range w.posts {
		if c.article == w.main.id && !c.done.IsZero() && !c.done.After(due) {
			n++
		}
	}
	return n
}

// sidebarSize is how many articles the sidebar has.
const sidebarSize = 10

// due returns the articles that the sidebar of a page must link to which was
// asked for and had come at these times, the latest comment first. An article is
// due one second after its comment was accepted, unless ten others may have been
// commented since: the time of a comment has seconds only, so that one
// second before counts as since.
func (w *world) due(sent, done time.Time) []*comment {
	w.mu.Lock()
	defer w.mu.Unlock()
	latest := map[int]*comment{} // by article, the last one that must show
	for _, c := range w.posts {
		if c.done.IsZero() || c.done.Add(w.within).After(sent) {
			continue
		}
		if other := latest[c.article]; other == nil || c.done.After(other.done) {
			latest[c.article] = c
		}
	}
	var list []*comment
	for _, c := range latest {
		if w.rivals(c, done) < sidebarSize {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b *comment) int { return b.done.Compare(a.done) })
	return list
}

// rivals returns how many articles may stand before a comment's in the sidebar
// of a page that had come at this time. It is called with the lock held.
func (w *world) rivals(c *comment, done time.Time) int {
	articles := map[int]bool{}
	for _, other := range w.posts {
		if other.article == c.article || other.sent.After(done) {
			continue
		}
		if other.settled && other.done.Before(c.sent.Add(-time.Second)) {
			continue
		}
		articles[other.article] = true
	}
	return len(articles)
}

// commented returns the articles that have a comment of this run which was
// accepted, the main article first, then the latest, and when the last
// of all comments was.
func (w *world) commented() (ids []int, last time.Time) {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids = []int{w.main.id}
	for _, c := range slices.Backward(w.posts) {
		if c.done.IsZero() {
			continue
		}
		if c.done.After(last) {
			last = c.done
		}
		if !slices.Contains(ids, c.article) {
			ids = append(ids, c.article)
		}
	}
	return ids, last
}

// posted returns the comment of this run with these lines, nil if there is none.
func (w *world) posted(key string) *comment {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.bodies[key]
}

// postsOn returns the comments of this run on an article.
func (w *world) postsOn(article int) []*comment {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []*comment
	for _, c := range w.posts {
		if c.article == article {
			list = append(list, c)
		}
	}
	return list
}
