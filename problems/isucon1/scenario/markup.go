package isucon1scenario

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Texts of the contract (specification §3).
const (
	sidebarHeading = "新着コメントエントリ"
	anonymous      = "名無しさん"
)

// What the original's checker looked for, by the selectors that it used (§3, §9).
var (
	postLinkSelector = cascadia.MustCompile("#view #titleimage a")
	headingSelector  = cascadia.MustCompile("#mainview #sidebar table tr td")
	sidebarSelector  = cascadia.MustCompile("#sidebar table tr td a")
	blockSelector    = cascadia.MustCompile("#articleview *")
	viewSelector     = cascadia.MustCompile("#articleview")
	linkSelector     = cascadia.MustCompile(".articlelink a")
	listedSelector   = cascadia.MustCompile("#articleview .articlelink a")
	articleSelector  = cascadia.MustCompile("#articleview .article")
	titleSelector    = cascadia.MustCompile("#articleview .article .title")
	createdSelector  = cascadia.MustCompile("#articleview .article .created")
	bodySelector     = cascadia.MustCompile("#articleview .article .body")
	commentSelector  = cascadia.MustCompile(".comment")

	articlePath    = regexp.MustCompile(`/article/(\d+)$`)
	anyArticlePath = regexp.MustCompile(`/article/(\d+)`)
)

// document is what the benchmark looks at in a page.
type document struct {
	framed bool // it has the literal texts <html> and </html>

	postLink *string // where the first link in #titleimage leads
	heading  *string // the text of the sidebar's first cell
	sidebar  []link

	view   bool     // there is an #articleview
	blocks bool     // with an element in it
	first  *string  // where the first link of the first element in it leads
	listed []string // where all links in .articlelink lead

	articles int // in #articleview
	title    *string
	created  *string
	lines    []string // of .body
	text     string   // of all articles

	comments []shown
}

// link is one entry of the sidebar.
type link struct {
	id   string // the last piece of the address
	text string
}

// shown is a comment as a page has it.
type shown struct {
	place int     // among the page's comments
	name  *string // nil without a .name directly inside
	lines []string
	body  bool   // there is a .body directly inside
	text  string // all of it
}

// read reads a page as a browser does. It is for the few pages that are looked
// at; the load's are not.
func read(body []byte) *document {
	d := &document{framed: bytes.Contains(body, []byte("<html>")) && bytes.Contains(body, []byte("</html>"))}
	root, err := html.Parse(bytes.NewReader(body))
	if err != nil {
		return d // of reading only, and a byte slice can be read
	}
	if a := cascadia.Query(root, postLinkSelector); a != nil {
		d.postLink = attribute(a, "href")
	}
	d.heading = textOf(cascadia.QueryAll(root, headingSelector), 1)
	for _, a := range cascadia.QueryAll(root, sidebarSelector) {
		href := ""
		if at := attribute(a, "href"); at != nil {
			href = *at
		}
		d.sidebar = append(d.sidebar, link{id: href[strings.LastIndexByte(href, '/')+1:], text: text(a)})
	}
	d.view = cascadia.Query(root, viewSelector) != nil
	if block := cascadia.Query(root, blockSelector); block != nil {
		d.blocks = true
		if a := cascadia.Query(block, linkSelector); a != nil {
			d.first = attribute(a, "href")
		}
	}
	for _, a := range cascadia.QueryAll(root, listedSelector) {
		if href := attribute(a, "href"); href != nil {
			d.listed = append(d.listed, *href)
		}
	}
	articles := cascadia.QueryAll(root, articleSelector)
	d.articles = len(articles)
	for _, a := range articles {
		d.text += text(a)
	}
	d.title = textOf(cascadia.QueryAll(root, titleSelector), -1)
	d.created = textOf(cascadia.QueryAll(root, createdSelector), -1)
	if bodies := cascadia.QueryAll(root, bodySelector); len(bodies) > 0 {
		d.lines = renderedLines(bodies[0])
	}
	for i, c := range cascadia.QueryAll(root, commentSelector) {
		d.comments = append(d.comments, readComment(c))
		d.comments[i].place = i
	}
	return d
}

func readComment(n *html.Node) shown {
	s := shown{text: text(n)}
	for c := range n.ChildNodes() {
		if c.Type != html.ElementNode {
			continue
		}
		switch {
		case hasClass(c, "name") && s.name == nil:
			name := text(c)
			s.name = &name
		case hasClass(c, "body") && !s.body:
			s.body, s.lines = true, renderedLines(c)
		}
	}
	return s
}

// textOf joins the text of the first so many elements, nil if there are none.
func textOf(nodes []*html.Node, most int) *string {
	if len(nodes) == 0 {
		return nil
	}
	if most > 0 && len(nodes) > most {
		nodes = nodes[:most]
	}
	joined := ""
	for _, n := range nodes {
		joined += text(n)
	}
	return &joined
}

// text is all text inside an element, as the DOM has it: not trimmed, not collapsed.
func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func attribute(n *html.Node, name string) *string {
	for i := range n.Attr {
		if n.Attr[i].Key == name {
			return &n.Attr[i].Val
		}
	}
	return nil
}

func hasClass(n *html.Node, class string) bool {
	classes := attribute(n, "class")
	if classes == nil {
		return false
	}
	for c := range strings.FieldsSeq(*classes) {
		if c == class {
			return true
		}
	}
	return false
}

// articleID takes the article's number from where a link leads.
func articleID(href string) (int, bool) {
	m := articlePath.FindStringSubmatch(href)
	if m == nil {
		return 0, false
	}
	id, err := strconv.Atoi(m[1])
	return id, err == nil && id > 0
}

// lineBreak separates the lines of an element in the making: no page can
// contain it, since HTML parsers replace it.
const lineBreak = "\x00"

var (
	sourceBreak = regexp.MustCompile(`[\s\p{Z}\x{feff}]*\n[\s\p{Z}\x{feff}]*`) // \s as JavaScript has it
	trimmed     = func(s string) string { return strings.Trim(s, "\t\n\v\f\r \u00a0\u3000\ufeff") }
)

// renderedLines is what a page says that the lines of a body are (§3.4): line
// breaks of the source mean nothing, each <br> ends a line, and other elements
// are part of the text as they are written.
func renderedLines(n *html.Node) []string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.Type == html.ElementNode && d.DataAtom == atom.Br:
			b.WriteString(lineBreak)
		case d.Type == html.ElementNode:
			b.WriteString("<" + d.Data + ">")
		case d.Type == html.CommentNode:
			b.WriteString("<!--" + d.Data + "-->")
		}
	}
	return split(sourceBreak.ReplaceAllString(b.String(), ""), lineBreak)
}

// postedLines is what the lines of a posted text are.
func postedLines(text string) []string { return split(text, "\n") }

func split(text, at string) []string {
	lines := strings.Split(text, at)
	for i := range lines {
		lines[i] = trimmed(lines[i])
	}
	return lines
}

// withoutLast drops one trailing empty line, as the original did with articles.
func withoutLast(lines []string) []string {
	if n := len(lines); n > 0 && lines[n-1] == "" {
		return lines[:n-1]
	}
	return lines
}

// withoutTrailing drops all trailing empty lines, as the original did with comments.
func withoutTrailing(lines []string) []string {
	for len(lines) > 0 && lines[len(lines)-1] == "" {
		lines = lines[:len(lines)-1]
	}
	return lines
}

// lineKey is the same for the same lines.
func lineKey(lines []string) string { return strings.Join(withoutTrailing(lines), "\n") }
