package isucon1scenario

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"hotseat"
	"hotseat/problem/problemtest"
)

// What the original let pass and what it did not: strict rules see more.
func TestOriginal(t *testing.T) {
	every := func(n int64, which func(r *http.Request) bool, status int) func(http.Handler) http.Handler {
		return func(next http.Handler) http.Handler {
			var count atomic.Int64
			return alterStatus(func(r *http.Request) bool { return which(r) && count.Add(1)%n == 0 }, status)(next)
		}
	}
	load := func(r *http.Request) bool { return anyPage(r) && !strings.Contains(r.Host, ":") }
	checks := func(r *http.Request) bool { return anyPage(r) && strings.Contains(r.Host, ":") }
	all := []struct {
		name  string
		proxy func(http.Handler) http.Handler
		wrong func(b *blog)
		want  hotseat.Verdict
		text  string // in the reason
	}{
		{name: "right", want: hotseat.Pass},
		{name: "right, as Ruby", want: hotseat.Pass, wrong: func(b *blog) { b.style = ruby() }},
		{name: "redirects count", want: hotseat.Pass, proxy: every(2, load, http.StatusFound)},
		{name: "more than 1 % errors", want: hotseat.Fail, text: "1 %", proxy: every(3, load, http.StatusInternalServerError)},
		{name: "fewer than 1 % errors", want: hotseat.Pass, proxy: every(1000, load, http.StatusInternalServerError)},
		{name: "a check's second attempt counts", want: hotseat.Pass, proxy: func(next http.Handler) http.Handler {
			var first atomic.Bool
			return alterStatus(func(r *http.Request) bool {
				return checks(r) && r.URL.Path == "/article/41" && first.CompareAndSwap(false, true)
			}, http.StatusBadGateway)(next)
		}},
		{name: "titles are not looked at on /", want: hotseat.Pass, wrong: func(b *blog) {
			b.onPage = func(_ *blog, p *page) { p.sidebar = escaped(p.sidebar) }
		}},
		{name: "a wrong title", want: hotseat.Fail, text: "articles and static files", wrong: func(b *blog) {
			b.onPage = func(_ *blog, p *page) {
				for i, a := range p.articles {
					c := *a
					c.title += "!"
					p.articles[i] = &c
				}
			}
		}},
		{name: "comments lost", want: hotseat.Fail, text: "comments failed", wrong: func(b *blog) {
			b.onComment = func(_ *blog, c *remark) { c.id = -1 }
		}},
		{name: "comments refused", want: hotseat.Fail, text: "comments failed",
			proxy: alterStatus(func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/comment/") }, http.StatusForbidden)},
		{name: "the article refused", want: hotseat.Fail, text: "",
			proxy: alterStatus(func(r *http.Request) bool { return r.URL.Path == "/post" }, http.StatusForbidden)},
	}
	names := make([]string, len(all))
	for i := range all {
		names[i] = all[i].name
	}
	atOnce(t, names, func(t *testing.T, i int) {
		test := &all[i]
		w := newTestWorld(t, 40)
		play := func(duration string) problemtest.Outcome {
			b := newBlog(w)
			if test.wrong != nil {
				test.wrong(b)
			}
			var h http.Handler = b
			if test.proxy != nil {
				h = test.proxy(b)
			}
			return execute(t, w, unkept(h), nil, "--param", "rules=original", "--duration", duration, "--param", "posts=240", "--param", "connections=2")
		}
		var r problemtest.Outcome
		for _, duration := range []string{"4s", "20s"} { // the second where the machine is busy elsewhere
			r = play(duration)
			if r.Verdict.Verdict == test.want && strings.Contains(r.Verdict.Reason, test.text) {
				return
			}
		}
		t.Errorf("want %s, %q: %v", test.want, test.text, r)
	})
}

// unkept is a server that closes each connection, as the winners' did.
func unkept(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		next.ServeHTTP(w, r)
	})
}

// A connection that is kept and an answer whose end the original did not see:
// rules=original hangs, rules=strict does not (§8.3). Here no answer tells its length.
func TestKeepAliveTrap(t *testing.T) {
	score := func(rules, duration string) int64 {
		w := newTestWorld(t, 40)
		b := newBlog(w)
		b.pause = 0
		r := execute(t, w, chunked(b), nil, "--param", "rules="+rules, "--duration", duration, "--param", "posts=60")
		return r.Verdict.RawScore
	}
	var original, strict int64
	for _, duration := range []string{"2s", "10s"} { // the second where the machine is busy elsewhere
		original, strict = score("original", duration), score("strict", duration)
		if original > 0 && original*4 < strict {
			return
		}
	}
	t.Errorf("%d GETs under rules=original, %d under rules=strict: no slot hung", original, strict)
}
