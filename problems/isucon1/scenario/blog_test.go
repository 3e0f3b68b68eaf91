package isucon1scenario

import (
	"compress/gzip"
	"crypto/md5" // the contest's digest
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// blog is the specification's app, in memory. Its fields are the ways to be
// wrong, or right but unusual; the zero values are right.
type blog struct {
	style style
	pause time.Duration                       // before each answer, so that the load of many tests leaves CPU to their checks
	lag   func(r *http.Request) time.Duration // how old what a page shows is

	onPost    func(b *blog, a *entry)  // before an article is stored
	onComment func(b *blog, c *remark) // before a comment is stored
	onPage    func(b *blog, p *page)   // before a page is rendered
	etag      func(b *blog, body, path string) string

	mu       sync.Mutex
	articles []*entry  // by id; nil where there is none
	remarks  []*remark // by id
	files    map[string][]byte
}

// style is how a page is written.
type style struct {
	open     string              // "<html>"
	lines    func(string) string // a body as HTML
	base     func(r *http.Request) string
	zone     string // behind a time
	redirect int
}

// The renderings of the reference apps (§3.4), and their ways of linking.
func perl() style {
	return style{open: "<html>", zone: "", redirect: 302,
		base: func(r *http.Request) string { return "http://" + r.Host },
		lines: func(s string) string {
			return strings.ReplaceAll(strings.TrimRight(html.EscapeString(s), "\n"), "\n", "<br />\n")
		}}
}

func node() style {
	return style{open: "<html>", zone: " +0900", redirect: 302,
		lines: func(s string) string {
			out := ""
			for line := range strings.SplitSeq(html.EscapeString(s), "\n") {
				out += line + "<br/>"
			}
			return out
		}}
}

func ruby() style {
	return style{open: "<html>", zone: "", redirect: 303,
		lines: func(s string) string {
			out := "\n"
			for line := range strings.Lines(html.EscapeString(s)) {
				out += "        " + strings.TrimSuffix(line, "\n") + "\n        <br>\n"
			}
			return out
		}}
}

type entry struct {
	id          int
	title, body string
	at          time.Time
}

type remark struct {
	id, article int
	name, body  string
	at          time.Time
}

// page is what a page is made of.
type page struct {
	path     string
	index    bool
	sidebar  []*entry
	articles []*entry
	remarks  []*remark
}

func newBlog(w *testWorld) *blog {
	b := &blog{style: perl(), pause: 5 * time.Millisecond, files: w.files}
	began := time.Now().Add(-240 * time.Hour)
	for i, a := range w.articles {
		b.articles = append(b.articles, &entry{id: i + 1, title: a.title, body: a.body, at: began.Add(time.Duration(i) * time.Minute)})
		for _, c := range a.comments {
			b.remarks = append(b.remarks, &remark{id: len(b.remarks) + 1, article: i + 1, name: c.name, body: c.body, at: began.Add(time.Duration(len(b.remarks)) * time.Second)})
		}
	}
	return b
}

func (b *blog) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	time.Sleep(b.pause)
	switch {
	case r.Method == http.MethodPost:
		b.post(w, r)
	case r.URL.Path == "/" || strings.HasPrefix(r.URL.Path, "/article/"):
		b.show(w, r)
	default:
		b.static(w, r)
	}
}

func (b *blog) static(w http.ResponseWriter, r *http.Request) {
	content, ok := b.files[r.URL.Path]
	if !ok {
		http.NotFound(w, r)
		return
	}
	b.send(w, r, content, "text/plain")
}

// send sends with gzip where it is asked for.
func (b *blog) send(w http.ResponseWriter, r *http.Request, content []byte, kind string) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept-Encoding")
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		_, _ = w.Write(content)
		return
	}
	w.Header().Set("Content-Encoding", "gzip")
	z := gzip.NewWriter(w)
	_, _ = z.Write(content)
	_ = z.Close()
}

func (b *blog) post(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	defer b.mu.Unlock()
	to := "/"
	if r.URL.Path == "/post" {
		a := &entry{id: len(b.articles) + 1, title: r.FormValue("title"), body: r.FormValue("body"), at: time.Now()}
		if b.onPost != nil {
			b.onPost(b, a)
		}
		for len(b.articles) < a.id-1 {
			b.articles = append(b.articles, nil)
		}
		if a.id > 0 {
			b.articles = append(b.articles, a)
		}
	} else {
		to = strings.Replace(r.URL.Path, "comment", "article", 1)
		id, _ := strconv.Atoi(r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:])
		c := &remark{id: len(b.remarks) + 1, article: id, name: r.FormValue("name"), body: r.FormValue("body"), at: time.Now()}
		if b.onComment != nil {
			b.onComment(b, c)
		}
		if c.id > 0 {
			b.remarks = append(b.remarks, c)
		}
	}
	if b.style.base != nil {
		to = b.style.base(r) + to
	}
	w.Header().Set("Location", to)
	w.WriteHeader(b.style.redirect)
}

func (b *blog) show(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	p := &page{path: r.URL.Path, index: r.URL.Path == "/"}
	until := time.Now()
	if b.lag != nil {
		until = until.Add(-b.lag(r))
	}
	b.fill(p, until)
	if b.onPage != nil {
		b.onPage(b, p)
	}
	b.mu.Unlock()
	if !p.index && len(p.articles) == 0 {
		http.NotFound(w, r)
		return
	}
	body := b.render(p, r)
	if b.etag != nil {
		etag := b.etag(b, body, p.path)
		w.Header().Set("ETag", etag)
		if r.Header.Get("If-None-Match") == etag {
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	b.send(w, r, []byte(body), "text/html; charset=utf-8")
}

// fill finds what a page shows. It is called with the lock held.
func (b *blog) fill(p *page, until time.Time) {
	latest := map[int]time.Time{}
	var order []int
	id, _ := strconv.Atoi(p.path[strings.LastIndexByte(p.path, '/')+1:])
	for _, c := range b.remarks {
		if c.at.After(until) {
			continue
		}
		if latest[c.article].IsZero() {
			order = append(order, c.article)
		}
		latest[c.article] = c.at.Truncate(time.Second)
		if c.article == id {
			p.remarks = append(p.remarks, c)
		}
	}
	slices.SortStableFunc(order, func(x, y int) int { return latest[y].Compare(latest[x]) })
	for _, n := range order[:min(len(order), 10)] {
		if n <= len(b.articles) && b.articles[n-1] != nil {
			p.sidebar = append(p.sidebar, b.articles[n-1])
		}
	}
	if !p.index {
		if id >= 1 && id <= len(b.articles) && b.articles[id-1] != nil {
			p.articles = []*entry{b.articles[id-1]}
		}
		return
	}
	for _, a := range slices.Backward(b.articles) {
		if a != nil && len(p.articles) < 10 {
			p.articles = append(p.articles, a)
		}
	}
}

func (b *blog) render(p *page, r *http.Request) string {
	base := ""
	if b.style.base != nil {
		base = b.style.base(r)
	}
	var s strings.Builder
	write := func(format string, args ...any) { fmt.Fprintf(&s, format, args...) }
	write("<!DOCTYPE html>\n%s<head><title>isucon now!</title></head><body><div id=\"view\">\n", b.style.open)
	write(`<div id="titleimage"><a href="%s/post"><img src="%s/images/isucon_title.jpg"></a></div><div id="mainview">`, base, base)
	write(`<div id="sidebar"><table><tr><td>%s</td></tr>`, sidebarHeading)
	for _, a := range p.sidebar {
		write(`<tr><td><a href="%s/article/%d">%s</a></td></tr>`, base, a.id, html.EscapeString(a.title))
	}
	write(`</table></div><div id="articleview">`)
	for _, a := range p.articles {
		body := a.body
		if lines := strings.Split(body, "\n"); p.index && len(lines) > 8 {
			body = strings.Join(lines[:8], "\n")
		}
		write(`<div class="article"><div class="title">%s</div><div class="created">%s%s</div><div class="body">%s</div>`,
			html.EscapeString(a.title), a.at.Format("2006-01-02 15:04:05"), b.style.zone, b.style.lines(body))
		if p.index {
			write(`<div class="articlelink"><a href="%s/article/%d">read more</a></div>`, base, a.id)
		}
		write(`</div>`)
	}
	if !p.index {
		write(`<div class="comments"><div class="commenttitle">以下みなさまの反応</div>`)
		for _, c := range p.remarks {
			name := c.name
			if name == "" {
				name = anonymous
			}
			write(`<div class="comment"><span class="name">%s</span><span class="created">%s</span><div class="body">%s</div></div>`,
				html.EscapeString(name), c.at.Format("2006-01-02 15:04:05"), b.style.lines(c.body))
		}
		write(`<div class="commentform"><div class="commenttitle">あなたの反応</div></div></div>`)
	}
	write(`</div></div></div></body></html>`)
	return s.String()
}

// testWorld is a blog's data and the truth about it in a folder.
type testWorld struct {
	dir      string
	articles []*article
	files    map[string][]byte
}

// newTestWorld makes articles, every other one of which is in initial.json.
func newTestWorld(t testing.TB, articles int) *testWorld {
	t.Helper()
	w := &testWorld{dir: t.TempDir(), files: map[string][]byte{
		"/css/isucon.css":          []byte("body{}\n"),
		"/js/isucon.js":            {},
		"/images/isucon_title.jpg": {0xff, 0xd8, 0, 1, 2, 3},
		"/favicon.ico":             {1},
	}}
	type said struct {
		Name string `json:"name"`
		Body string `json:"body"`
	}
	type data struct {
		Title    string `json:"title"`
		Body     string `json:"body"`
		Comments []said `json:"comments"`
	}
	type known struct {
		ID   int  `json:"id"`
		Data data `json:"data"`
	}
	list := []known{}
	for i := range articles {
		a := &article{id: i + 1, title: fmt.Sprintf("題名%d", i), body: strings.Repeat(fmt.Sprintf("記事%d の行\n", i), 9) + "おわり"}
		for n := range 1 + i%3 {
			a.comments = append(a.comments, newComment(a.id, strings.Repeat("な", n), fmt.Sprintf("記事%d への\nコメント%d です", i, n)))
		}
		w.articles = append(w.articles, a)
		if i%2 == 0 {
			k := known{ID: a.id, Data: data{Title: a.title, Body: a.body}}
			for _, c := range a.comments {
				k.Data.Comments = append(k.Data.Comments, said{c.name, c.body})
			}
			list = append(list, k)
		}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	statics := ""
	for path, content := range w.files {
		statics += fmt.Sprintf("%s\t%d\t%x\n", path, len(content), md5.Sum(content))
	}
	w.write(t, initialFile, string(text))
	w.write(t, staticFile, statics)
	return w
}

func (w *testWorld) write(t testing.TB, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// serve starts a server for a handler, whose connections end with the test.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}
