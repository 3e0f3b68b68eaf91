package isucon1scenario

import (
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"hotseat/bench"
)

// pointGet is a GET that the load did successfully while it lasted (§10).
const pointGet = "get"

// userAgent is that of all clients of the original, so that the load and the
// checks cannot be told apart by it.
const userAgent = "http_load 12mar2006"

// gzipCodings is what the load asks for where it asks for any coding.
const gzipCodings = "gzip, deflate"

// The list of URLs (§8.3): 220 lines, one of which is drawn for each request.
const (
	indexLines  = 20
	staticLines = 120
	mainLines   = 30
	otherLines  = 50
)

// Of 100 requests of the load so many ask for gzip, and for a connection that
// is kept.
const (
	gzipPercent      = 69
	keepAlivePercent = 3
)

// hangs is how long the original's load generator waited for the end of an
// answer that it did not see.
const hangs = 60 * time.Second

// address is one line of the list.
type address struct {
	path, route string
	checks      []bench.Check
}

// makeList writes the list of URLs for the main article.
func (w *world) makeList(dice *rand.Rand) {
	// The original counted redirects as success.
	statuses := []int{200}
	if !w.strict {
		statuses = accepted
	}
	page, asset := []bench.Check{bench.Status(rulePageStatus, statuses...)}, []bench.Check{bench.Status(ruleAssetStatus, statuses...)}
	add := func(n int, path, route string, checks []bench.Check) {
		for range n {
			w.urls = append(w.urls, address{path, route, checks})
		}
	}
	article := func(n, id int) {
		add(n, "/article/"+strconv.Itoa(id), "/article/:id", page)
		if !slices.Contains(w.loaded, id) {
			w.loaded = append(w.loaded, id)
		}
	}
	add(indexLines, "/", "/", page)
	for i := range staticLines {
		path := w.truth.statics[i%len(w.truth.statics)].path
		add(1, path, path, asset)
	}
	article(mainLines, w.main.id)
	for range otherLines {
		article(1, w.drawArticle(dice))
	}
}

// accepted are the statuses of an answer that the original called a success: 200 or 3xx.
var accepted = []int{200, 300, 301, 302, 303, 304, 305, 307, 308}

// slot is one of the load's connections: it opens one, asks for one page,
// reads it to its end and closes it, again and again.
type slot struct {
	user  *bench.User
	world *world
}

func newSlot(u *bench.User, w *world) bench.Iteration {
	s := &slot{user: u, world: w}
	u.SetHeader("User-Agent", userAgent)
	return s.get
}

func (s *slot) get() error {
	u, w := s.user, s.world
	at := &w.urls[u.Rand.IntN(len(w.urls))]
	step, keep := w.asLoad(u, u.Get(at.path).Route(at.route))
	p := step.Expect(at.checks...)
	if keep && !w.strict {
		if p.Answered() && unended(p) {
			u.Linger(hangs)
		}
		u.ResetConnections()
	}
	if u.Run.LoadEnded() {
		return p.Err()
	}
	if p.OK() {
		u.Point(pointGet)
	} else if p.Status() != 0 {
		w.original.loadErrors.Add(1)
	}
	return p.Err()
}

// asLoad makes a request one of the load, by its headers.
func (w *world) asLoad(u *bench.User, step *bench.Step) (_ *bench.Step, keep bool) {
	keep = u.Rand.IntN(100) < keepAlivePercent
	connection := "close"
	if keep {
		connection = "keep-alive"
	}
	step.Unread().Within(w.limit).Header("Connection", connection)
	if w.host != "" {
		step.Host(w.host)
	}
	if u.Rand.IntN(100) < gzipPercent {
		step.Header("Accept-Encoding", gzipCodings)
	}
	return step, keep
}

// unended reports whether the original's load generator did not see the end of
// an answer: it compared the length with Content-Length when bytes of a body
// came, and there were none of the one or of the other.
func unended(p *bench.Page) bool {
	return len(p.Body()) == 0 || p.HeaderValue("Content-Length") == ""
}

// hostWithoutPort is the target's name as the load calls it, "" if that is
// what everybody calls it.
func hostWithoutPort(target string) string {
	u, err := url.Parse(target)
	if err != nil || u.Host == "" || u.Port() == "" {
		return ""
	}
	return strings.TrimSuffix(u.Host, ":"+u.Port())
}
