package isucon1scenario

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat"
)

// variant is a blog that is right, if unusual.
type variant struct {
	name     string
	few      bool // articles at the start: as many as the next field says
	articles int
	right    func(b *blog)
	proxy    func(next http.Handler) http.Handler
	args     []string
	truth    func(t *testing.T, w *testWorld)
}

func variants() []variant {
	styled := func(s style) func(*blog) { return func(b *blog) { b.style = s } }
	return []variant{
		{name: "Perl", right: styled(perl())},
		{name: "Node", right: styled(node())},
		{name: "Ruby", right: styled(ruby())},
		{name: "one article", few: true, articles: 1},
		{name: "no article yet", few: true},
		{name: "strong ETags of the body", right: func(b *blog) { b.etag = bodyTag }},
		{name: "ties in another order", right: func(b *blog) {
			b.onPage = func(_ *blog, p *page) {
				rand.Shuffle(len(p.sidebar), func(i, j int) { p.sidebar[i], p.sidebar[j] = p.sidebar[j], p.sidebar[i] })
			}
		}},
		{name: "slow", right: func(b *blog) {
			b.onPage = func(b *blog, _ *page) { b.mu.Unlock(); time.Sleep(20 * time.Millisecond); b.mu.Lock() }
		}},
		{name: "late but in time", right: func(b *blog) {
			b.lag = func(r *http.Request) time.Duration { return time.Duration(len(r.URL.Path)%2) * testWithin / 2 }
		}},
		{name: "the index a moment late", right: func(b *blog) {
			b.onPage = func(b *blog, p *page) {
				if p.index && time.Since(p.articles[0].at) < 50*time.Millisecond {
					all := &page{path: "/", index: true}
					last := b.articles[len(b.articles)-1]
					b.articles = b.articles[:len(b.articles)-1]
					b.fill(all, time.Now())
					b.articles = append(b.articles, last)
					p.articles = all.articles
				}
			}
		}},
		{name: "others comment too", right: func(b *blog) {
			n := 0
			b.onComment = func(b *blog, c *remark) {
				if n++; n%2 == 0 {
					b.remarks = append(b.remarks, &remark{id: c.id, article: c.article, name: "誰か", body: fmt.Sprintf("私も\n%d", n), at: c.at})
					c.id++
				}
			}
		}},
		{name: "pages from a cache that is emptied by every POST", proxy: purged(time.Hour)},
		{name: "5 s cache with purge", proxy: purged(5 * time.Second)},
		{name: "chunked", proxy: chunked},
		{name: "POST answered with a page", proxy: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method != http.MethodPost {
					next.ServeHTTP(w, r)
					return
				}
				next.ServeHTTP(httptest.NewRecorder(), r)
				_, _ = w.Write([]byte("<html>done</html>"))
			})
		}},
		{name: "ESI", proxy: rewrite(func(_ *http.Request, body string) string {
			// Assembled elsewhere: other white space, comments, capitals.
			body = strings.ReplaceAll(body, `<div id="sidebar">`, "\n<!-- esi -->\n<div class=\"part\" id=\"sidebar\">\n")
			return strings.ReplaceAll(body, "<br />", "<BR  />")
		})},
		{name: "initial.json empty", truth: func(t *testing.T, w *testWorld) { w.write(t, initialFile, "[]") }},
		{name: "comments not in initial.json", truth: func(t *testing.T, w *testWorld) {
			w.write(t, initialFile, fmt.Sprintf(`[{"id":1,"data":{"title":%q,"body":%q}},{"id":2,"data":{"title":%q,"body":%q,"comments":null}}]`,
				w.articles[0].title, w.articles[0].body, w.articles[1].title, w.articles[1].body))
		}},
		{name: "no official static files", truth: func(t *testing.T, w *testWorld) {
			w.write(t, staticFile, "/favicon.ico\t1\t55a54008ad1ba589aa210d2629c1df41")
		}},
	}
}

// chunked is a proxy that tells no lengths.
func chunked(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got := httptest.NewRecorder()
		next.ServeHTTP(got, r)
		got.Header().Del("Content-Length")
		for name, values := range got.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(got.Code)
		w.(http.Flusher).Flush()
		_, _ = w.Write(got.Body.Bytes())
	})
}

// purged is a cache of whole pages before the app, by host and coding, with
// exact invalidation: what a POST changed is thrown away before its answer.
func purged(lifetime time.Duration) func(next http.Handler) http.Handler {
	type stored struct {
		page *httptest.ResponseRecorder
		at   time.Time
	}
	return func(next http.Handler) http.Handler {
		var mu sync.Mutex
		var version atomic.Int64
		cache := map[string]stored{}
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				got := httptest.NewRecorder()
				next.ServeHTTP(got, r)
				version.Add(1)
				mu.Lock()
				clear(cache)
				mu.Unlock()
				forward(w, got, got.Body.String())
				return
			}
			key := r.Host + r.URL.Path + r.Header.Get("Accept-Encoding")
			mu.Lock()
			s, ok := cache[key]
			mu.Unlock()
			if !ok || time.Since(s.at) > lifetime {
				before := version.Load()
				s = stored{httptest.NewRecorder(), time.Now()}
				next.ServeHTTP(s.page, r)
				mu.Lock()
				if version.Load() == before {
					cache[key] = s
				}
				mu.Unlock()
			}
			forward(w, s.page, s.page.Body.String())
		})
	}
}

// Nobody who is right is accused, however unusual.
func TestVariants(t *testing.T) {
	all := variants()
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	atOnce(t, names, func(t *testing.T, i int) {
		v := &all[i]
		n := 40
		if v.few {
			n = v.articles
		}
		w := newTestWorld(t, n)
		if v.truth != nil {
			v.truth(t, w)
		}
		b := newBlog(w)
		if v.right != nil {
			v.right(b)
		}
		var h http.Handler = b
		if v.proxy != nil {
			h = v.proxy(b)
		}
		// Twice: what one run leaves is there in the next.
		for range 2 {
			if r := execute(t, w, h, func() {}, v.args...); r.Verdict.Verdict != hotseat.Pass || len(r.Failures) > 0 {
				t.Fatal(r)
			}
		}
	})
}

// What was lost on the way may or may not have happened: nobody is called a
// liar for it.
func TestLostAnswersAreMaybe(t *testing.T) {
	for _, stored := range []bool{true, false} {
		t.Run(fmt.Sprint(stored), func(t *testing.T) {
			t.Parallel()
			w := newTestWorld(t, 40)
			b := newBlog(w)
			var n atomic.Int64
			h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost && r.URL.Path != "/post" && n.Add(1)%3 == 0 {
					if stored {
						b.ServeHTTP(httptest.NewRecorder(), r)
					}
					panic(http.ErrAbortHandler)
				}
				b.ServeHTTP(w, r)
			})
			r := execute(t, w, h, func() {})
			for _, f := range r.Failures {
				if f.Rule != prefix+".transport" {
					t.Error(r)
				}
			}
			if len(r.Failures) == 0 {
				t.Error("no answer was lost")
			}
		})
	}
}
