package isucon1scenario

import (
	"compress/gzip"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hotseat/problem/problemtest"
)

// fault is one way of being wrong that one rule alone catches.
type fault struct {
	rule, code string
	what       string
	wrong      func(b *blog)
	proxy      func(next http.Handler) http.Handler // in front of it
	restart    func(b *blog)
}

// faults has at least one for each semantic rule: faults/NOTES.md says the same for people.
func faults() []fault {
	styled := func(change func(s *style)) func(*blog) { return func(b *blog) { change(&b.style) } }
	onPage := func(f func(b *blog, p *page)) func(*blog) { return func(b *blog) { b.onPage = f } }
	onComment := func(f func(b *blog, c *remark)) func(*blog) { return func(b *blog) { b.onComment = f } }
	onlyArticles := func(p *page) bool { return !p.index }
	return []fault{
		{rule: rulePageStatus, what: "201", proxy: alterStatus(func(r *http.Request) bool { return r.URL.Path == "/" }, http.StatusCreated)},
		{rule: rulePageStatus, what: "an article missing", proxy: missing},
		{rule: rulePostStatus, what: "404", proxy: alterStatus(func(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/comment/") }, http.StatusNotFound)},
		{rule: ruleAssetStatus, proxy: alterStatus(func(r *http.Request) bool { return r.URL.Path == "/js/isucon.js" }, http.StatusNoContent)},
		{rule: ruleAssetDigest, code: "asset-digest", proxy: alter(func(r *http.Request) bool { return r.URL.Path == "/css/isucon.css" }, "body{}", "body{ }")},
		{rule: ruleAssetDigest, what: "in gzip only", proxy: alter(func(r *http.Request) bool {
			return r.URL.Path == "/css/isucon.css" && r.Header.Get("Accept-Encoding") != ""
		}, "body{}", "body{ }")},

		{rule: ruleFrame, what: "lang", wrong: styled(func(s *style) { s.open = `<html lang="ja">` })},
		{rule: ruleFrame, what: "capitals", wrong: styled(func(s *style) { s.open = "<HTML>" })},
		{rule: rulePostLink, proxy: alter(anyPage, `/post">`, `/posts">`)},
		{rule: ruleSidebarHeading, proxy: alter(anyPage, sidebarHeading, " "+sidebarHeading)},
		{rule: ruleSidebarTen, what: "eleven", code: "too-many", wrong: onPage(func(b *blog, p *page) {
			for _, a := range b.articles {
				if a != nil && !slices.Contains(p.sidebar, a) {
					p.sidebar = append(p.sidebar, a)
				}
			}
		})},
		{rule: ruleSidebarTen, what: "twice", code: "duplicate", wrong: onPage(func(b *blog, p *page) { p.sidebar = append(p.sidebar[:9], p.sidebar[0]) })},
		{rule: ruleSidebarTitle, what: "escaped twice", wrong: onPage(func(b *blog, p *page) { p.sidebar = escaped(p.sidebar) })},

		{rule: ruleSidebarFresh, what: "on all pages", code: "stale-sidebar", wrong: staleSidebars(func(*page) bool { return true })},
		{rule: ruleSidebarFresh, what: "on / only", wrong: staleSidebars(func(p *page) bool { return p.index })},
		{rule: ruleSidebarFresh, what: "on article pages only", wrong: staleSidebars(onlyArticles)},
		{rule: ruleSidebarFresh, what: "by the time of the article", wrong: onPage(func(b *blog, p *page) {
			p.sidebar = slices.SortedFunc(slices.Values(p.sidebar), func(x, y *entry) int { return x.id - y.id })[:5]
		})},

		{rule: ruleIndexNewest, what: "a heading first", code: "newest-missing", proxy: alter(anyPage, `<div id="articleview">`, `<div id="articleview"><h1>Articles</h1>`)},
		{rule: ruleIndexNewest, what: "another link", proxy: alter(func(r *http.Request) bool { return r.URL.Path == "/" }, `">read more`, `#more">read more`)},
		{rule: ruleIndexTen, what: "five", code: "wrong-articles", wrong: onPage(func(b *blog, p *page) {
			if p.index {
				p.articles = p.articles[:5]
			}
		})},
		{rule: ruleNextID, what: "a gap", code: "lost-write", wrong: func(b *blog) { b.onPost = func(b *blog, a *entry) { a.id++ } }},
		{rule: ruleNextID, what: "not stored", wrong: func(b *blog) { b.onPost = func(b *blog, a *entry) { a.id = -1 } }},

		{rule: ruleArticleTitle, what: "escaped twice", wrong: onPage(func(b *blog, p *page) {
			if !p.index {
				p.articles = escaped(p.articles)
			}
		})},
		{rule: ruleArticleTitle, what: "space", proxy: alter(anyPage, `<div class="title">`, `<div class="title"> `)},
		{rule: ruleArticleTitle, what: "comments inside", proxy: alter(anyPage, `<div class="commenttitle">`, `<div class="article"><div class="title">comments</div></div><div class="commenttitle">`)},
		{rule: ruleArticleCreated, what: "slashes", code: "time-format", wrong: onPage(nil), proxy: alterDates},
		{rule: ruleArticleBody, what: "pre", wrong: func(b *blog) {
			b.onPage = func(b *blog, p *page) {
				b.style.lines = perl().lines
				if len(p.articles) == 1 {
					body := p.articles[0].body
					b.style.lines = func(s string) string {
						if s == body {
							return "<pre>" + s + "</pre>"
						}
						return perl().lines(s)
					}
				}
			}
		}},
		{rule: ruleArticleBody, what: "reordered", wrong: onPage(func(b *blog, p *page) {
			if p.index {
				return
			}
			a := *p.articles[0]
			lines := strings.Split(a.body, "\n")
			slices.Reverse(lines)
			a.body = strings.Join(lines, "\n")
			p.articles = []*entry{&a}
		})},

		{rule: ruleCommentShown, what: "not stored", code: "lost-write", wrong: onComment(func(b *blog, c *remark) {
			if c.article == len(b.articles) { // so that the sidebar notices nothing
				for _, other := range b.remarks {
					if other.article == c.article {
						c.id = -1
					}
				}
			}
		})},
		{rule: ruleCommentShown, what: "hidden for twice as long", wrong: onPage(func(b *blog, p *page) {
			p.remarks = slices.DeleteFunc(p.remarks, func(c *remark) bool { return time.Since(c.at) < 2*testWithin })
		})},
		{rule: ruleCommentName, what: "trimmed", wrong: onComment(func(_ *blog, c *remark) { c.name = strings.TrimSpace(c.name) })},
		{rule: ruleCommentName, what: "anonymous", wrong: onPage(nil), proxy: alter(anyPage, anonymous, "nobody")},
		{rule: ruleCommentName, what: "not directly inside", proxy: alter(anyPage, `<span class="name">`, `<span><span class="name"></span>`)},
		{rule: ruleCommentBody, what: "in one line", wrong: onComment(func(_ *blog, c *remark) { c.body = strings.ReplaceAll(c.body, "\n", " ") })},
		{rule: ruleCommentBody, what: "not directly inside", proxy: alter(anyPage, `</span><div class="body">`, `</span><div class="text">`)},
		{rule: ruleCommentOnce, code: "duplicate", wrong: onPage(func(_ *blog, p *page) {
			if len(p.remarks) > 0 {
				p.remarks = append(p.remarks, p.remarks[len(p.remarks)-1])
			}
		})},
		{rule: ruleCommentOrder, code: "wrong-order", wrong: onPage(func(_ *blog, p *page) { slices.Reverse(p.remarks) })},
		{rule: ruleCommentElsewhere, code: "elsewhere", wrong: onPage(func(b *blog, p *page) {
			for _, c := range b.remarks {
				if c.article != p.main() && time.Since(c.at) < time.Minute {
					p.remarks = append(p.remarks, c)
				}
			}
		})},
		{rule: ruleInitialComments, code: "lost-write", wrong: onPage(func(_ *blog, p *page) {
			p.remarks = slices.DeleteFunc(p.remarks, func(c *remark) bool { return time.Since(c.at) > time.Hour })
		})},

		{rule: ruleGzip, code: "another-page", proxy: gzipOfIndex},
		{rule: ruleNotModified, what: "stale 304", code: "304-stale", wrong: func(b *blog) {
			b.etag = func(_ *blog, _, path string) string {
				if path == "/" {
					return fmt.Sprintf(`W/"%d"`, time.Now().UnixNano())
				}
				return `W/"` + path + `"` // weak, and good for ever
			}
			b.onPage = func(_ *blog, p *page) {}
		}},
		{rule: ruleDurable, what: "comments", wrong: func(*blog) {}, restart: func(b *blog) {
			b.remarks = slices.DeleteFunc(b.remarks, func(c *remark) bool {
				return time.Since(c.at) < time.Minute && c.id%2 == 0
			})
		}},
		{rule: ruleDurable, what: "the article", restart: func(b *blog) { b.articles = b.articles[:len(b.articles)-1] }},
	}
}

// main is the article of an article's page, 0 on /.
func (p *page) main() int {
	if p.index || len(p.articles) == 0 {
		return 0
	}
	return p.articles[0].id
}

func anyPage(r *http.Request) bool {
	return r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/article/")
}

// escaped are articles whose titles are escaped once too often.
func escaped(list []*entry) []*entry {
	out := slices.Clone(list)
	for i, a := range out {
		c := *a
		c.title = strings.ReplaceAll(c.title, "&", "&amp;")
		out[i] = &c
	}
	return out
}

// staleSidebars makes sidebars up to ten seconds old: as they were at the beginning.
func staleSidebars(which func(p *page) bool) func(b *blog) {
	return func(b *blog) {
		b.onPage = func(b *blog, p *page) {
			if which(p) {
				p.sidebar = slices.DeleteFunc(p.sidebar, func(a *entry) bool { return true })
				old := &page{path: p.path, index: p.index}
				b.fill(old, time.Now().Add(-10*time.Second))
				p.sidebar = old.sidebar
			}
		}
	}
}

// alterStatus is a proxy that changes the status of some answers and nothing else.
func alterStatus(which func(*http.Request) bool, status int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got := httptest.NewRecorder()
			next.ServeHTTP(got, r)
			if which(r) {
				got.Code = status
			}
			forward(w, got, got.Body.String())
		})
	}
}

// missing is a proxy that knows nothing of some articles.
func missing(next http.Handler) http.Handler {
	return alterStatus(func(r *http.Request) bool { return strings.Contains(r.URL.Path, "/article/2") }, http.StatusNotFound)(next)
}

// alter is a proxy that replaces a text in some answers.
func alter(which func(*http.Request) bool, old, replacement string) func(http.Handler) http.Handler {
	return rewrite(func(r *http.Request, body string) string {
		if which(r) {
			return strings.ReplaceAll(body, old, replacement)
		}
		return body
	})
}

// rewrite is a proxy that changes answers, compressed ones too.
func rewrite(change func(r *http.Request, body string) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			plain := r.Clone(r.Context())
			plain.Header.Del("Accept-Encoding")
			got := httptest.NewRecorder()
			next.ServeHTTP(got, plain)
			got.Header().Del("Content-Length")
			body := change(r, got.Body.String())
			if got.Code == http.StatusOK && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
				got.Header().Set("Content-Encoding", "gzip")
				var z strings.Builder
				zip := gzip.NewWriter(&z)
				_, _ = zip.Write([]byte(body))
				_ = zip.Close()
				body = z.String()
			}
			forward(w, got, body)
		})
	}
}

func alterDates(next http.Handler) http.Handler {
	today := time.Now().Format("2006-01-02")
	return rewrite(func(_ *http.Request, body string) string {
		return strings.ReplaceAll(body, `"created">`+today, `"created">`+strings.ReplaceAll(today, "-", "/"))
	})(next)
}

// gzipOfIndex answers every page that is asked for in gzip with /.
func gzipOfIndex(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if anyPage(r) && r.Header.Get("Accept-Encoding") != "" {
			r.URL.Path = "/"
		}
		next.ServeHTTP(w, r)
	})
}

func forward(w http.ResponseWriter, got *httptest.ResponseRecorder, body string) {
	for name, values := range got.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(got.Code)
	_, _ = w.Write([]byte(body))
}

// bodyTag is a strong ETag of a page's body.
func bodyTag(_ *blog, body, _ string) string {
	h := fnv.New64a()
	_, _ = h.Write([]byte(body))
	return fmt.Sprintf(`"%x"`, h.Sum64())
}

// Every fault is caught by its rule, and with the rule switched off by none.
func TestFaults(t *testing.T) {
	w := newTestWorld(t, 40)
	runs := problemtest.NewAtOnce(8) // they mostly wait
	for _, f := range faults() {
		runs.AddFault(strings.TrimPrefix(f.rule, prefix+".")+" "+f.what, f.rule, f.code, func(args ...string) problemtest.Outcome {
			return f.play(t, w, args...)
		}, "400ms", "3s", "15s")
	}
	runs.Judge(t)
}

// play runs the contest against a blog with the fault.
func (f *fault) play(t *testing.T, w *testWorld, args ...string) problemtest.Outcome {
	b := newBlog(w)
	if f.wrong != nil {
		f.wrong(b)
	}
	var h http.Handler = b
	if f.proxy != nil {
		h = f.proxy(b)
	}
	restart := func() {
		if f.restart != nil {
			b.mu.Lock()
			defer b.mu.Unlock()
			f.restart(b)
		}
	}
	return execute(t, w, h, restart, args...)
}

// Every semantic rule has a fault of its own.
func TestEveryRuleHasAFault(t *testing.T) {
	for _, rule := range rules() {
		has := func(f fault) bool { return f.rule == rule.ID }
		if rule.Semantic && !slices.ContainsFunc(faults(), has) {
			t.Errorf("%s has no fault", rule.ID)
		}
	}
}
