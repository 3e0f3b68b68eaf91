package scenario

import (
	"bytes"
	"html"
	"strings"
)

// document is what the benchmark looks at in a page (specification §6).
type document struct {
	loginField, passwordField, submit bool // //input[@name='login'], //input[@name='password'], //*[@type='submit']

	byID       map[string]element // the first element with each of the wanted ids
	references []string           // link href, script src and img src, in order, as written
	base       string             // base href, as written
}

// element is the inside of one element.
type element struct {
	found    bool
	inner    string // with entities decoded; as written if there are children
	children bool   // other elements or comments inside
}

// readDocument reads HTML as leniently as a browser does, as far as these
// questions need it: no tree, but tags in any case, attributes in any quotes,
// entities, comments and raw text.
func readDocument(body []byte, ids ...string) *document {
	d := &document{byID: make(map[string]element, len(ids))}
	s := scanner{rest: body}
	for s.next() {
		if s.kind != startTag {
			continue
		}
		id := s.attribute("id")
		for _, wanted := range ids {
			if id == wanted && !d.byID[wanted].found {
				d.byID[wanted] = inside(s)
			}
		}
		d.submit = d.submit || s.attribute("type") == "submit"
		switch s.name {
		case "input":
			d.loginField = d.loginField || s.attribute("name") == "login"
			d.passwordField = d.passwordField || s.attribute("name") == "password"
		case "link":
			d.refer(s.attribute("href"))
		case "script", "img":
			d.refer(s.attribute("src"))
		case "base":
			if d.base == "" {
				d.base = s.attribute("href")
			}
		}
	}
	return d
}

func (d *document) refer(url string) {
	if url = strings.TrimSpace(url); url != "" {
		d.references = append(d.references, url)
	}
}

// inside reads the element whose start tag s stands on. The scanner is a copy:
// the caller goes on from the start tag.
func inside(s scanner) element {
	e := element{found: true}
	if voidElements[s.name] {
		return e
	}
	start, name, depth := s.rest, s.name, 1
	end := start
	for {
		end = s.rest
		if !s.next() {
			end = nil
			break
		}
		if s.kind == startTag && impliesEnd(name, s.name) && depth == 1 {
			break
		}
		if s.kind == endTag && s.name != name && depth == 1 && !e.children {
			break // the end of something around it: this one's own is left out
		}
		if s.kind == text {
			continue
		}
		if s.name == name && s.kind == startTag {
			depth++
		}
		if s.name == name && s.kind == endTag {
			if depth--; depth == 0 {
				break
			}
		}
		e.children = true
	}
	inner := string(start[:len(start)-len(end)])
	if e.children {
		e.inner = inner
	} else {
		e.inner = html.UnescapeString(inner)
	}
	return e
}

// impliesEnd reports whether an element ends where the other begins, without
// an end tag (HTML §13.1.2.4, the elements a notice or a last login may be).
func impliesEnd(element, next string) bool {
	switch element {
	case "p":
		return blockElements[next]
	case "dt", "dd":
		return next == "dt" || next == "dd"
	case "li":
		return next == "li"
	case "td", "th":
		return next == "td" || next == "th" || next == "tr"
	default:
		return false
	}
}

var (
	voidElements = set("area base br col embed hr img input link meta source track wbr")

	blockElements = set("address article aside blockquote details div dl fieldset figcaption figure footer form " +
		"h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section table ul")
)

func set(words string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(words) {
		m[w] = true
	}
	return m
}

// token kinds
type token int

const (
	text token = iota
	startTag
	endTag
	comment // and everything else that begins with <! or <?
)

// scanner walks over the tags of an HTML text.
type scanner struct {
	rest []byte // after the current token

	kind       token
	name       string // of a tag, in lower case
	attributes []byte // of a start tag, as written
}

// next goes to the next token, false at the end.
func (s *scanner) next() bool {
	if s.kind == startTag && rawText(s.name) {
		// Nothing in a script is a tag, except its own end.
		if i := indexFold(s.rest, "</"+s.name); i > 0 {
			s.kind, s.name, s.rest = text, "", s.rest[i:]
			return true
		}
	}
	if len(s.rest) == 0 {
		return false
	}
	s.kind, s.name, s.attributes = text, "", nil
	open := tagStart(s.rest)
	if open != 0 {
		if open < 0 {
			open = len(s.rest)
		}
		s.rest = s.rest[open:]
		return true
	}
	switch {
	case bytes.HasPrefix(s.rest, []byte("<!--")):
		s.kind = comment
		s.rest = after(s.rest[4:], "-->")
	case s.rest[1] == '!' || s.rest[1] == '?':
		s.kind = comment
		s.rest = after(s.rest[2:], ">")
	default:
		s.tag()
	}
	return true
}

// tag reads a start or end tag.
func (s *scanner) tag() {
	s.kind = startTag
	i := 1
	if s.rest[1] == '/' {
		s.kind = endTag
		i++
	}
	from := i
	for i < len(s.rest) && !isSpace(s.rest[i]) && s.rest[i] != '>' && s.rest[i] != '/' {
		i++
	}
	s.name = strings.ToLower(string(s.rest[from:i]))
	from = i
	var quote byte
	value := false // after an equals sign: only there a quote begins a quoted value
	for ; i < len(s.rest); i++ {
		switch c := s.rest[i]; {
		case quote != 0:
			if c == quote {
				quote, value = 0, false
			}
		case value && (c == '"' || c == '\''):
			quote = c
		case c == '>':
			s.attributes = s.rest[from:i]
			s.rest = s.rest[i+1:]
			return
		case c == '=':
			value = true
		case !isSpace(c):
			value = false
		}
	}
	s.attributes, s.rest = s.rest[from:], nil
}

// attribute returns the value of an attribute of the current start tag, ""
// without one. The first of several counts.
func (s *scanner) attribute(name string) string {
	a := s.attributes
	for {
		a = bytes.TrimLeft(a, " \t\r\n\f/")
		if len(a) == 0 {
			return ""
		}
		n := bytes.IndexAny(a[1:], " \t\r\n\f/=") + 1
		if n == 0 {
			n = len(a)
		}
		key, value := a[:n], []byte(nil)
		a = a[n:]
		if rest := bytes.TrimLeft(a, " \t\r\n\f"); len(rest) > 0 && rest[0] == '=' {
			value, a = attributeValue(bytes.TrimLeft(rest[1:], " \t\r\n\f"))
		}
		if len(key) == len(name) && bytes.EqualFold(key, []byte(name)) {
			return html.UnescapeString(string(value))
		}
	}
}

func attributeValue(a []byte) (value, rest []byte) {
	if len(a) > 0 && (a[0] == '"' || a[0] == '\'') {
		if end := bytes.IndexByte(a[1:], a[0]); end >= 0 {
			return a[1 : end+1], a[end+2:]
		}
		return a[1:], nil
	}
	end := bytes.IndexAny(a, " \t\r\n\f")
	if end < 0 {
		end = len(a)
	}
	return a[:end], a[end:]
}

// tagStart returns where the next tag or comment begins; a < that begins none is text.
func tagStart(b []byte) int {
	for i := 0; i+1 < len(b); i++ {
		if b[i] != '<' {
			continue
		}
		c := b[i+1]
		if c == '/' && i+2 < len(b) {
			c = b[i+2]
		}
		if 'a' <= c|0x20 && c|0x20 <= 'z' || b[i+1] == '!' || b[i+1] == '?' {
			return i
		}
	}
	return -1
}

func rawText(name string) bool {
	return name == "script" || name == "style" || name == "textarea" || name == "title"
}

func after(b []byte, end string) []byte {
	if i := bytes.Index(b, []byte(end)); i >= 0 {
		return b[i+len(end):]
	}
	return nil
}

func indexFold(b []byte, word string) int {
	for i := 0; i+len(word) <= len(b); i++ {
		if bytes.EqualFold(b[i:i+len(word)], []byte(word)) {
			return i
		}
	}
	return -1
}

func isSpace(c byte) bool {
	return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f'
}
