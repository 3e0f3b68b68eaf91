package check

import (
	"strings"

	"github.com/PuerkitoBio/goquery"
	"golang.org/x/net/html"
)

// checkTree judges by the reference parser. It is some thirty times slower than the scanner.
func (p *program) checkTree(in *Input, vars []Value) (m *Mismatch, clean bool) {
	root, err := html.Parse(newReader(withoutBOM(in.Body)))
	if err != nil {
		return &Mismatch{
			Code: ValueMismatch, Check: p.name, Expected: "an HTML document", Actual: err.Error(), Offset: -1,
			Hint: "browsers and parsers limit how deeply elements may be nested",
		}, false
	}
	doc := goquery.NewDocumentFromNode(root)
	counts := make([]int32, len(p.selectors))
	var failures []failure
	for sel, s := range p.selectors {
		matches := doc.FindMatcher(s.tree)
		counts[sel] = int32(matches.Length())
		for n := range p.rules {
			if r := &p.rules[n]; r.sel == sel && r.kind != ruleCount {
				if f, failed := p.treeRule(n, r, matches, vars); failed {
					failures = append(failures, f)
				}
			}
		}
		for i := range p.captures {
			if c := &p.captures[i]; c.sel == sel {
				in.Found.set(c.name, treeCapture(c, matches))
			}
		}
	}
	return p.judge(in, vars, counts, failures)
}

func (p *program) treeRule(n int, r *htmlRule, matches *goquery.Selection, vars []Value) (f failure, failed bool) {
	if !r.each {
		matches = matches.First()
	}
	for _, node := range matches.EachIter() {
		f, failed := failure{rule: n, offset: -1}, false
		switch r.kind {
		case ruleAttr:
			value, has := node.Attr(r.attr)
			if f.actual = brief([]byte(value)); !has {
				f.actual = "no attribute " + r.attr
			}
			failed = !has || !r.want.ok([]byte(value), vars)
		case ruleInner:
			text, plain := innerText(node.Get(0))
			f.actual = brief([]byte(text))
			failed = !plain || !r.want.ok([]byte(text), vars)
		default:
			text := []byte(node.Text())
			if r.kind == ruleNormalized {
				text = appendNormalized(nil, text)
			}
			f.actual = brief(text)
			failed = !r.want.ok(text, vars)
		}
		if failed {
			return f, true
		}
	}
	return failure{}, false
}

// innerText returns an element's content; plain says that it is text only.
func innerText(n *html.Node) (text string, plain bool) {
	var b strings.Builder
	for c := range n.ChildNodes() {
		if c.Type != html.TextNode {
			b.Reset()
			for c := range n.ChildNodes() {
				_ = html.Render(&b, c) // a strings.Builder does not fail
			}
			return b.String(), false
		}
		b.WriteString(c.Data)
	}
	return b.String(), true
}

func treeCapture(c *htmlCapture, matches *goquery.Selection) []string {
	var values []string
	if c.first {
		matches = matches.First()
	}
	for _, node := range matches.EachIter() {
		if c.isTxt {
			values = append(values, node.Text())
		} else if value, ok := node.Attr(c.attr); ok {
			values = append(values, value)
		}
	}
	return values
}
