package isucon1scenario

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The renderings of one body (§3.4), and what is not one.
func TestArticleBodies(t *testing.T) {
	for _, test := range []struct {
		name, posted, rendered   string
		original, strict, remark bool // is it right by which rules
	}{
		{"between lines", "a\nb", "a<br>b", true, true, true},
		{"after lines", "a\nb", "a<br/>b<br />", true, true, true},
		{"capitals and spaces", "a\nb", "a <BR   > b", true, true, true},
		{"source breaks", "a\nb", "\n    a\n    <br>\n    b\n  ", true, true, true},
		{"an empty line", "a\n\nb", "a<br><br>b", true, true, true},
		{"an empty line lost", "a\n\nb", "a<br>b", false, false, false},
		{"empty at the beginning", "\na", "<br>a", true, true, true},
		{"one newline at the end, between lines", "a\n", "a<br>", true, true, true},
		{"one newline at the end, after lines", "a\n", "a<br>", true, true, true},
		{"one newline at the end, as Node", "a\n", "a<br/><br/>", false, true, true},
		{"two newlines at the end", "a\n\n", "a<br><br>", true, true, true},
		{"two newlines at the end, as Perl", "a\n\n", "a", false, true, true},
		{"character references", "a<b&c", "a&lt;b&amp;c", true, true, true},
		{"escaped twice", "a<b", "a&amp;lt;b", false, false, false},
		{"not escaped", "a<b>c", "a<b>c", true, true, true}, // the original compared HTML
		{"paragraphs", "a\nb", "<p>a</p><p>b</p>", false, false, false},
		{"pre", "a\nb", "<pre>a\nb</pre>", false, false, false},
		{"white-space", "a\nb", "a\nb", false, false, false},
		{"comment inside", "ab", "a<!-- x -->b", false, false, false},
		{"reordered", "a\nb", "b<br>a", false, false, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			body := `<div class="body">` + test.rendered + `</div>`
			a := &article{body: test.posted}
			d := read([]byte(`<html><div id="articleview"><div class="article">` + body + `</div></div></html>`))
			for _, strict := range []bool{true, false} {
				want := test.original
				if strict {
					want = test.strict
				}
				if m := checkArticleBody(a, d, strict); (m == nil) != want {
					t.Errorf("strict %v: %+v", strict, m)
				}
			}
			c := read([]byte(`<html><div class="comment">` + body + `</div></html>`)).comments[0]
			if same := lineKey(c.lines) == newComment(1, "", test.posted).key; same != test.remark {
				t.Errorf("as a comment: %q", c.lines)
			}
		})
	}
}

func TestReadPage(t *testing.T) {
	text := func(s string) *string { return &s }
	d := read([]byte(`<!DOCTYPE html><html><body><div id="view">
<div id="titleimage"><a href="http://h:80/post"><img></a><a href="/other">x</a></div><div id="mainview">
<div id="sidebar"><table><tr><td>` + sidebarHeading + `</td></tr><tr><td><a href="http://h/article/12">T &amp; U</a></td></tr>
<tr><td><a href="/article/7/">slash</a></td></tr></table></div>
<div id="articleview"><div><div class="article"><div class="title">A</div><div class="created">2011-08-27 12:00:00</div><div class="body">x<br>y</div>
<div class="articlelink"><a href="/article/9">more</a></div></div></div>
<div class="comments"><div class="comment wide"><span class="name">` + "\n" + `n</span><div class="body">b</div></div><div class="comment"><p><i class="name">deep</i></p></div></div>
</div></div></div></body></html>`))
	want := &document{framed: true, postLink: text("http://h:80/post"), heading: text(sidebarHeading),
		sidebar: []link{{"12", "T & U"}, {"", "slash"}}, view: true, blocks: true, first: text("/article/9"), listed: []string{"/article/9"},
		articles: 1, title: text("A"), created: text("2011-08-27 12:00:00"), lines: []string{"x", "y"},
		text:     "A2011-08-27 12:00:00xy\nmore",
		comments: []shown{{place: 0, name: text("\nn"), lines: []string{"b"}, body: true, text: "\nnb"}, {place: 1, text: "deep"}}}
	if diff := cmp.Diff(want, d, cmp.AllowUnexported(document{}, link{}, shown{})); diff != "" {
		t.Error(diff)
	}
	for _, page := range []string{"", "<html", "\x00\xff", strings.Repeat("<div>", 600)} {
		if d := read([]byte(page)); d.framed || d.postLink != nil || len(d.comments) > 0 {
			t.Errorf("%.20q: %+v", page, d)
		}
	}
}

func TestForms(t *testing.T) {
	for href, want := range map[string]bool{
		"/post": true, "http://a-b.c/post": true, "http://127.0.0.1:8080/post": true,
		"https://h/post": false, "post": false, "/post/": false, "//h/post": false, "http://h_/post": false, "http://h:/post": false,
	} {
		if got := checkPostLink(&document{postLink: &href}) == nil; got != want {
			t.Errorf("%s: %v", href, got)
		}
	}
	for created, want := range map[string]bool{
		"2011-08-27 12:00:00": true, "2011-08-27 12:00:00 +0900": true, " 2011-08-27 12:00:00": false, "2011-08-27T12:00:00": false,
		"2011-08-27 12:00:00 +0000": false, "2011-08-27 12:00:00\n": false, "2011-08-27 12:00:00.0": false,
	} {
		if got := checkCreated(&document{created: &created}) == nil; got != want {
			t.Errorf("%q: %v", created, got)
		}
	}
}

// With no article at all the next id is 1 (§3.2).
func TestNewest(t *testing.T) {
	for page, want := range map[string]struct {
		id int
		ok bool
	}{
		`<div id="articleview"></div>`: {0, true},
		`<div id="articleview"><div class="article"><p class="articlelink"><a href="http://h/article/31">x</a></p></div></div>`:                                       {31, true},
		`<div id="articleview"><div><div class="articlelink"><a href="/article/31">x</a></div><div class="articlelink"><a href="/article/30">x</a></div></div></div>`: {31, true},
		`<div id="articleview"><h1>x</h1><div class="articlelink"><a href="/article/31">x</a></div></div>`:                                                            {0, false},
		`<div id="articleview"><div class="articlelink"><a href="/article/31?x">x</a></div></div>`:                                                                    {0, false},
		`<p>nothing</p>`: {0, false},
	} {
		if id, m := newestOn(read([]byte(page))); id != want.id || (m == nil) != want.ok {
			t.Errorf("%s: %d, %+v", page, id, m)
		}
	}
}

// The alphabet is the original's: 211 symbols, 5 of them newlines (§6).
func TestAlphabet(t *testing.T) {
	newlines := 0
	for _, r := range alphabet {
		if r == '\n' {
			newlines++
		}
	}
	if len(alphabet) != 211 || newlines != 5 {
		t.Errorf("%d symbols, %d newlines", len(alphabet), newlines)
	}
}
