package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"hotseat/bench/check"
)

// The scanner promises: when it does not ask the reference parser, it agrees with it. These tests try to break that
// promise with generated documents and, as fuzz targets, with anything.

// nosy looks at everything about a page that a validator can look at.
func nosy() *check.HTMLValidator {
	v := check.HTML("nosy").
		CaptureAttr("ids", "[id]", "id").
		CaptureAttr("in items", "li[id], td *[id]", "id").
		CaptureAttr("classes", "p.c0 b, div > .c1, .c2 .c3", "id").
		CaptureAttr("hrefs", "[href^='/a']", "href").
		CaptureAttr("dashed", "[data-x]", "data-x").
		CaptureAttr("langs", "[lang]", "lang").
		CaptureAttr("rows", "table > tbody > tr > td", "id").
		CaptureAttr("nested", "body div p > *", "id").
		CaptureText("cells", "td").
		CaptureText("items", "ul > li, dd").
		CaptureText("paragraphs", "p").
		CaptureText("headings", "h1, h2, title").
		CaptureText("raw", "script, style, textarea, pre").
		CaptureText("options", "select option").
		CaptureText("everything", "html").
		CaptureText("body", "body").
		CaptureFirstText("head", "head").
		Exists("body").Count("head", 1)
	for i := range 4 {
		id := fmt.Sprint("#n", i)
		v.InnerMatch(id, check.Match("^[^x]*$"))
	}
	return v
}

// incurious looks at no attributes but those of div, so that the others' are stepped over.
func incurious() *check.HTMLValidator {
	return check.HTML("incurious").
		CaptureText("everything", "html").
		CaptureText("cells", "td").
		CaptureText("items", "ul > li").
		CaptureAttr("ids", "div", "id").
		CaptureAttr("in p", "p > div, div p b > div", "id").
		Count("p", 1).Exists("body > *").Exists("div.c0")
}

// agree fails the test if the scanner and the reference parser differ.
func agree(t *testing.T, body string) {
	t.Helper()
	verify := func(v *check.HTMLValidator, body string) {
		t.Helper()
		_ = v.Verify(&check.Input{Body: []byte(body), OnDisagree: func(d check.Disagreement) {
			t.Errorf("scanner %v\nreference %v\non %q\n%s", d.Scanner, d.Reference, body, captures(body))
		}})
	}
	verify(nosy(), body)
	verify(incurious(), "<body>"+body)
}

func captures(body string) string {
	fast, slow := &check.Input{Body: []byte(body)}, &check.Input{Body: []byte(body)}
	_ = nosy().Check(fast)
	_ = nosy().CheckTree(slow)
	var b strings.Builder
	for _, name := range []string{"ids", "in items", "classes", "hrefs", "dashed", "langs", "rows", "nested", "cells", "items", "paragraphs", "headings",
		"raw", "options", "everything", "body", "head"} {
		if f, s := fast.Found.All(name), slow.Found.All(name); fmt.Sprintf("%q", f) != fmt.Sprintf("%q", s) {
			fmt.Fprintf(&b, "%s: scanner %q\n\treference %q\n", name, f, s)
		}
	}
	return b.String()
}

func FuzzHTML(f *testing.F) {
	for _, seed := range htmlSeeds {
		f.Add(seed)
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		f.Add(writePage(rnd, 0.3))
	}
	f.Fuzz(func(t *testing.T, body string) { agree(t, body) })
}

var htmlSeeds = []string{
	loginPage,
	// Attributes that are no simple ones, or are, next to what is not.
	`<p ="x" id=n0>`, `<p ="x>y">z`, `<p a="x>y">z`, `<p/="x>y">z`, `<p a='x">y'>z`, `<p a= "x>y">z`, `<p a=x">y">z`, `<p a="b"c="x>y">z`, `<p "a="x>y">z`,
	`<p a="x`, `<p a="x"`, `<p a=">`, `<p a="b"">z">`, `<p disabled a-b="x>y" c:d="x>y">z`, `<p b"c="d" id="n0">`, `<p b=c="d" id="n0">`, `<p b c="d"id="n0"href="/a">`, `<p b = "c" id="n0">`, `<p/="x"id="n0">`,
	`<p id="n0" a="<b>=" href='/a"'>`, `<p class="c0" ID="n0" data-x="1" accept-charset="2" id="n1">`, `<p id="n0`, `<p data-x="1" DATA-X="2" data-X="3">`, `<p DATA-X="2" data-x="1">`, `<p id="n0"`, `<p id=`, `<p id="`,
	`<a=b id="n0">x</a=b>`, `<p id="a?b" x="1=2" class="c0 c1">`, `<img id="n0"/><img id="n1" /><img/id="n2">`, "<p id=\"n0\"\tclass=\"c0\"\n>",
	// The spans that marks are looked for in begin and end anywhere.
	"<p id='" + strings.Repeat("x", 700) + "\r\n" + strings.Repeat("y", 700) + "'>z", `<p id="` + strings.Repeat("x", 1500) + "\r" + `">z`,
	strings.Repeat(" ", 508) + `<p id="n0">`, strings.Repeat(" ", 511) + `<p id="n0">`, "<script>" + strings.Repeat("<=\"", 400) + "</script><p id=n0>x",
	"", " ", "x", "<", "</", "<!", "<p", "<p a", "<p a=", "<p a='", "<p a='b", "</p", "a<b>c", "<!-->x<!--->y<!-- -- --!>z<!--",
	"<!doctype html><p>a<table><tr><td>b</table>", "<p>a<table><tr><td>b</table>", "<!DOCTYPE html PUBLIC \"x\"><p><table></table>",
	"<ul><li>a<li>b<ul><li>c</ul><li>d</ul>", "<dl><dt>a<dd>b<dt>c</dl>", "<table><td>1<th>2<tr><td>3<tbody><td>4</table>",
	"<table><caption>c</caption><colgroup><col><col></colgroup><thead><tr><th>h</thead></table>", "<table><col><tr><td></table>",
	"<select><option>a<option>b<optgroup><option>c<optgroup></select>", "<b><i>x</b>y</i>", "<a>x<a>y", "<b><p>x</b>y",
	"<svg viewBox='0 0 1 1'><g><path d='x'/><use xlink:href='/a'/></g></svg>", "<svg><p>x", "<svg><![CDATA[<p>]]></svg>",
	"<pre>\n\nx</pre><pre>&#10;x</pre><textarea>\n\nx</textarea>", "<script><!--<script></script>--></script>x", "<title>a&amp;b</titlex></title>",
	"<head><title>x</title>\n</head> \n<body>y", "<html id=n0><head id=n1></head><body id=n2>x</body></html><!-- --> z", "<p>&notit; &not= &copy &#128; &#x1F600;</p>",
	"<p>&#128;</p><p>&#x9f;</p><p>&#10;</p><p>&#0;</p><p>&#xd800;</p><p>&#99999999;</p><p>&nbsp;</p><p>&#;</p><p>&;", "<a href=/a?b=1&copy=2&amp;c>x</a>", "<p id=n1>a\r\nb\rc</p>", "\ufeff<html><p>x", "<form><div></form></div><form>", "<button><p>x<button>y",
	"<ruby>a<rt>b<rp>c<rb>d<rtc>e</ruby>", "<h1>a<h2>b</h1>c", "</br></p>", "<p a=1 A=2 a=3 id=n0 ID=n1>", "<p/id=n0/class=c0>", "<br/><img id=x/>",
	"<noscript><p>x</noscript><iframe><p></iframe><xmp><p></xmp>", "<template><p></template>", "<frameset>", "<table>x<tr>y</table>",
	"<td>x</td><tr>", "</table></td>", "<div><select><div></div><input></select>", "<head></head><title>x</title>", "<body><body class=c0>",
	"<table><tr><td><table><tr><td>x</table>y<td>z</table>", "<li><div><li>", "<dd><p><dt><span><dd>", "<object><p></object>",
}

// writePage writes a document; sloppy is the share of things that are not quite right.
func writePage(rnd *rand.Rand, sloppy float64) string {
	w := &pageWriter{rnd: rnd, sloppy: sloppy}
	w.page()
	return w.b.String()
}

type pageWriter struct {
	b      strings.Builder
	rnd    *rand.Rand
	sloppy float64
	ids    int
	depth  int
	links  int // open <a>
	forms  int
}

func (w *pageWriter) pick(from ...string) string { return from[w.rnd.IntN(len(from))] }

// slip says whether to make a mistake here.
func (w *pageWriter) slip() bool { return w.rnd.Float64() < w.sloppy }

func (w *pageWriter) maybe(share float64) bool { return w.rnd.Float64() < share }

func (w *pageWriter) space() { w.b.WriteString(w.pick("", "", "\n", "  ", "\r\n\t")) }

func (w *pageWriter) text() {
	w.b.WriteString(w.pick("x", "one two", " 日本語 ", "a &amp; b", "&lt;b&gt;", "You&#39;re", "5 < 6 & 7 > 2", "&copy; 2014", "", "&nbsp;", "\n line\r\n",
		"&#x3042;&#x1f600;", "&eacute;t&eacute;", "\u3000", "a&b", "&unknown;"))
}

func (w *pageWriter) attrs() string {
	var b strings.Builder
	add := func(name, value string) {
		switch w.rnd.IntN(4) {
		case 0:
			fmt.Fprintf(&b, " %s='%s'", name, strings.ReplaceAll(value, "'", "&#39;"))
		case 1:
			if !strings.ContainsAny(value, " \t\n\r\"'=<>`") && value != "" {
				fmt.Fprintf(&b, " %s=%s", name, value)
				return
			}
			fallthrough
		default:
			fmt.Fprintf(&b, "%s%s=\"%s\"", w.pick(" ", "\n  "), w.pick(name, strings.ToUpper(name)), strings.ReplaceAll(value, `"`, "&quot;"))
		}
	}
	if w.maybe(0.6) {
		add("id", fmt.Sprint("n", w.ids))
		w.ids++
	}
	if w.maybe(0.3) {
		add("class", w.pick("c0", "c1 c2", " c3\tc0 ", "c1", "", "c2 c2"))
	}
	if w.maybe(0.2) {
		add("href", w.pick("/a", "/a?b=1&amp;c=2", "/a?x=1&y=2", "/b/&eacute;", "//x", "/a&copy=1", `/a"b'c`))
	}
	if w.maybe(0.2) {
		add(w.pick("data-x", "data-", "x-data-x", "-x", "data-x_", "lang", "xml:lang"), w.pick("", "1", "a=b", "<b>", "x & y", "-"))
	}
	if w.maybe(0.1) {
		b.WriteString(" disabled")
	}
	if w.slip() {
		b.WriteString(w.pick(" =x", " id=dup", " /", "/", " a=b/", " \"", " x='\">'", " <b", " a= 'x y'", "\x0c"))
	}
	return b.String()
}

func (w *pageWriter) open(name string) {
	if w.slip() {
		name = strings.ToUpper(name)
	}
	w.b.WriteString("<" + name + w.attrs() + w.pick("", "", " ") + ">")
}

// close writes an end tag, or leaves it out where that is allowed or we are sloppy.
func (w *pageWriter) close(name string, optional bool) {
	if optional && w.maybe(0.4) || w.slip() && w.maybe(0.3) {
		return
	}
	w.b.WriteString("</" + name + w.pick("", "", " ") + ">")
	if w.slip() && w.maybe(0.2) {
		w.b.WriteString("</" + w.pick("p", "div", "b", "td", "table", "li", "br", "body", "form", "span", "nonsense", "h2", "select") + ">")
	}
}

func (w *pageWriter) page() {
	if !w.slip() {
		w.b.WriteString(w.pick("<!DOCTYPE html>", "<!doctype html>", "<!DOCTYPE html >", ""))
	} else {
		w.b.WriteString(w.pick("<!DOCTYPE HTML>", "<!doctype x>", "text", "<!-- c -->", "</p>", `<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "x">`))
	}
	w.space()
	if w.maybe(0.8) {
		w.open("html")
		w.space()
	}
	if w.maybe(0.8) {
		w.open("head")
		w.space()
		for range w.rnd.IntN(4) {
			w.headElement()
			w.space()
		}
		w.b.WriteString("</head>")
		w.space()
	}
	if w.slip() && w.maybe(0.2) {
		w.headElement()
	}
	if w.maybe(0.8) {
		w.open("body")
	}
	w.blocks(1 + w.rnd.IntN(5))
	if w.maybe(0.8) {
		w.b.WriteString("</body>")
		w.space()
		w.b.WriteString("</html>")
		w.space()
	}
	if w.slip() {
		w.b.WriteString(w.pick("text", "<!-- c -->", "<p>late", "</div>", "<"))
	}
}

func (w *pageWriter) headElement() {
	switch w.rnd.IntN(5) {
	case 0:
		w.open("title")
		w.text()
		w.b.WriteString("</title>")
	case 1:
		w.open("script")
		w.b.WriteString(w.pick("", "if (a < b && c) { x('<p>') }", "<!-- hide -->", "x = '</scrip>'"))
		w.b.WriteString("</script>")
	case 2:
		w.open("style")
		w.b.WriteString("p > b { color: red } /* <b> & */</style>")
	default:
		w.open(w.pick("meta", "link"))
	}
}

func (w *pageWriter) blocks(n int) {
	w.depth++
	defer func() { w.depth-- }()
	for range n {
		if w.depth > 6 {
			w.text()
			return
		}
		w.space()
		w.block()
		if w.slip() && w.maybe(0.3) {
			w.b.WriteString(w.pick("<!-- c -->", "<? x >", "</>", "<td>", "<p", "<b>", "</b>", "<tr>", "<option>", "<head>", "<li>", "<table>", "<a>", "<select>"))
		}
	}
	w.space()
}

func (w *pageWriter) block() {
	switch w.rnd.IntN(13) {
	case 0, 1, 2:
		name := w.pick("div", "section", "article", "blockquote", "main", "center")
		w.open(name)
		w.blocks(w.rnd.IntN(4))
		w.close(name, false)
	case 3, 4:
		w.open("p")
		w.inlines(1 + w.rnd.IntN(3))
		w.close("p", true)
	case 5:
		name := w.pick("ul", "ol")
		w.open(name)
		for range w.rnd.IntN(4) {
			w.space()
			w.open("li")
			if w.maybe(0.3) {
				w.blocks(1)
			} else {
				w.inlines(2)
			}
			w.close("li", true)
		}
		w.close(name, false)
	case 6:
		w.open("dl")
		for range w.rnd.IntN(4) {
			name := w.pick("dt", "dd")
			w.open(name)
			w.inlines(2)
			w.close(name, true)
		}
		w.close("dl", false)
	case 7, 8:
		w.table()
	case 9:
		name := w.pick("h1", "h2", "h3")
		w.open(name)
		w.inlines(1)
		w.close(name, false)
	case 10:
		w.open("pre")
		w.b.WriteString(w.pick("", "\n", "\r\n", "\n\n"))
		w.inlines(1)
		w.close("pre", false)
	case 11:
		if w.forms > 0 {
			w.open("hr")
			return
		}
		w.forms++
		w.open("form")
		w.blocks(1)
		w.field()
		w.close("form", false)
		w.forms--
	default:
		w.b.WriteString("<!-- " + w.pick("note", "a - b", "<p>", "--", "-- !") + " -->")
		w.inlines(2)
	}
}

func (w *pageWriter) table() {
	w.open("table")
	w.space()
	if w.maybe(0.2) {
		w.open("caption")
		w.inlines(1)
		w.b.WriteString("</caption>")
	}
	if w.maybe(0.2) {
		w.b.WriteString("<colgroup><col><col></colgroup>")
	}
	section := w.pick("", "tbody", "thead")
	if section != "" {
		w.open(section)
	}
	for range w.rnd.IntN(4) {
		w.space()
		w.open("tr")
		for range w.rnd.IntN(4) {
			w.space()
			name := w.pick("td", "td", "th")
			w.open(name)
			if w.maybe(0.2) {
				w.blocks(1)
			} else {
				w.inlines(1)
			}
			w.close(name, true)
		}
		w.close("tr", true)
	}
	if section != "" {
		w.close(section, true)
	}
	w.space()
	w.close("table", false)
}

func (w *pageWriter) field() {
	switch w.rnd.IntN(4) {
	case 0:
		w.open("input")
	case 1:
		w.open("select")
		for range w.rnd.IntN(3) {
			w.open("option")
			w.text()
			w.close("option", true)
		}
		w.close("select", false)
	case 2:
		w.open("textarea")
		w.b.WriteString(w.pick("", "\n", "\r\n\n"))
		w.text()
		w.b.WriteString("</textarea>")
	default:
		w.open("button")
		w.text()
		w.close("button", false)
	}
}

func (w *pageWriter) inlines(n int) {
	w.depth++
	defer func() { w.depth-- }()
	for range n {
		w.text()
		if w.depth > 9 {
			return
		}
		switch w.rnd.IntN(8) {
		case 0, 1:
			name := w.pick("span", "b", "em", "code", "label", "small", "x-widget", "abbr")
			w.open(name)
			w.inlines(1)
			w.close(name, false)
		case 2:
			if w.links == 0 || w.slip() {
				w.links++
				w.open("a")
				w.inlines(1)
				w.close("a", false)
				w.links--
			}
		case 3:
			w.open(w.pick("br", "img", "img", "wbr"))
		case 4:
			w.b.WriteString(`<svg class="c0"><g><path d="M0 0" id="p"/></g><circle></circle></svg>`)
		case 5:
			w.field()
		}
	}
}

func TestScannerAgreesWithTheReference(t *testing.T) {
	for i, seed := range htmlSeeds {
		t.Run(fmt.Sprint("seed ", i), func(t *testing.T) { agree(t, seed) })
	}
	pages := 3000
	if testing.Short() {
		pages = 300
	}
	for _, c := range []struct {
		name    string
		sloppy  float64
		givesUp float64 // at most this share of pages
	}{
		{"well-formed", 0, 0},
		{"a slip here and there", 0.01, 0.25},
		{"sloppy", 0.1, 1},
		{"hopeless", 0.5, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(7, 7))
			v := nosy()
			gaveUp := 0
			for range pages {
				page := writePage(rnd, c.sloppy)
				if v.GivesUp([]byte(page)) {
					gaveUp++
					if c.givesUp == 0 {
						t.Errorf("gave up on %q", page)
					}
				}
				agree(t, page)
				if t.Failed() {
					return
				}
			}
			share := float64(gaveUp) / float64(pages)
			t.Logf("left %.1f %% of pages to the reference parser", 100*share)
			if share > c.givesUp {
				t.Errorf("left %.1f %% of pages to the reference parser, want at most %.0f %%", 100*share, 100*c.givesUp)
			}
		})
	}
}
