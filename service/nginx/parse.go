package nginx

import (
	"fmt"
	"strings"
)

// token is a word, or one of ; { }, with its place in the file. Comments are
// left out.
type token struct {
	text  string // as nginx reads it: without quotes and escapes
	kind  byte   // 'w' for a word, otherwise the character itself
	start int
	end   int
	raw   string
}

// directive is one statement. A block's statements are in block.
type directive struct {
	name    string
	args    []token
	start   int
	end     int // behind ; or }
	open    int // behind {, zero if it has no block
	block   []*directive
	literal bool // a block of another language (lua), not parsed
}

// arg returns the text of argument i, empty if there is none.
func (d *directive) arg(i int) string {
	if i >= len(d.args) {
		return ""
	}
	return d.args[i].text
}

// lexer cuts a configuration file into tokens, by the rules of nginx's own
// reader: a word ends at white space, ; or {, quotes group only at the start of
// a word, # begins a comment only there, and ${ belongs to the word.
type lexer struct {
	src string
	pos int
}

func (l *lexer) next() (token, bool, error) {
	for l.pos < len(l.src) {
		switch c := l.src[l.pos]; {
		case strings.IndexByte(" \t\r\n", c) >= 0:
			l.pos++
		case c == '#':
			end := strings.IndexByte(l.src[l.pos:], '\n')
			if end < 0 {
				l.pos = len(l.src)
			} else {
				l.pos += end
			}
		case c == ';' || c == '{' || c == '}':
			l.pos++
			return token{kind: c, start: l.pos - 1, end: l.pos, raw: string(c)}, true, nil
		default:
			return l.word()
		}
	}
	return token{}, false, nil
}

func (l *lexer) word() (token, bool, error) {
	start := l.pos
	var text strings.Builder
	quote := byte(0)
	if c := l.src[l.pos]; c == '"' || c == '\'' {
		quote = c
		l.pos++
	}
	for l.pos < len(l.src) {
		c := l.src[l.pos]
		switch {
		case c == '\\' && l.pos+1 < len(l.src):
			l.pos++
			text.WriteString(unescape(l.src[l.pos]))
		case quote != 0 && c == quote:
			l.pos++
			return token{kind: 'w', text: text.String(), start: start, end: l.pos, raw: l.src[start:l.pos]}, true, nil
		case quote == 0 && c == '{' && l.pos > start && l.src[l.pos-1] == '$':
			text.WriteByte(c)
		case quote == 0 && strings.IndexByte(" \t\r\n;{", c) >= 0:
			return token{kind: 'w', text: text.String(), start: start, end: l.pos, raw: l.src[start:l.pos]}, true, nil
		default:
			text.WriteByte(c)
		}
		l.pos++
	}
	return token{}, false, fmt.Errorf("line %d: the file ends inside a word", lineOf(l.src, start))
}

// unescape is what stands for a backslash and c: nginx knows quotes, the
// backslash and three controls, and keeps the backslash before all else.
func unescape(c byte) string {
	switch c {
	case '"', '\'', '\\':
		return string(c)
	case 't':
		return "\t"
	case 'r':
		return "\r"
	case 'n':
		return "\n"
	}
	return "\\" + string(c)
}

func lineOf(src string, pos int) int { return 1 + strings.Count(src[:pos], "\n") }

// parse reads a whole file, or a file that is included somewhere.
func parse(src string) ([]*directive, error) {
	l := &lexer{src: src}
	dirs, closed, err := l.block()
	if err == nil && closed {
		err = fmt.Errorf("line %d: unexpected }", lineOf(src, l.pos))
	}
	return dirs, err
}

// block reads statements up to } or the end of the file.
func (l *lexer) block() (dirs []*directive, closed bool, err error) {
	var words []token
	for {
		t, ok, err := l.next()
		if err != nil {
			return nil, false, err
		}
		if !ok {
			if len(words) > 0 {
				return nil, false, fmt.Errorf("line %d: the file ends inside %q", lineOf(l.src, words[0].start), words[0].text)
			}
			return dirs, false, nil
		}
		switch t.kind {
		case 'w':
			words = append(words, t)
			continue
		case '}':
			if len(words) > 0 {
				return nil, false, fmt.Errorf("line %d: %q lacks a semicolon", lineOf(l.src, words[0].start), words[0].text)
			}
			return dirs, true, nil
		}
		if len(words) == 0 {
			return nil, false, fmt.Errorf("line %d: unexpected %c", lineOf(l.src, t.start), t.kind)
		}
		d := &directive{name: words[0].text, args: words[1:], start: words[0].start, end: t.end}
		if t.kind == '{' {
			if err := l.inside(d, t.end); err != nil {
				return nil, false, err
			}
		}
		dirs = append(dirs, d)
		words = nil
	}
}

// inside reads what a directive's braces hold.
func (l *lexer) inside(d *directive, open int) error {
	d.open = open
	if strings.HasSuffix(d.name, "_by_lua_block") {
		d.literal = true
		for depth := 1; depth > 0; l.pos++ {
			if l.pos == len(l.src) {
				return fmt.Errorf("line %d: %s is not closed", lineOf(l.src, d.start), d.name)
			}
			switch l.src[l.pos] {
			case '{':
				depth++
			case '}':
				depth--
			}
		}
		d.end = l.pos
		return nil
	}
	block, closed, err := l.block()
	if err != nil {
		return err
	}
	if !closed {
		return fmt.Errorf("line %d: %s is not closed", lineOf(l.src, d.start), d.name)
	}
	d.block, d.end = block, l.pos
	return nil
}
