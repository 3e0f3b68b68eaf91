package accesslog

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// parser takes lines of one format apart. It returns "" or why it cannot.
type parser interface {
	parse(line []byte, r *record) (why string)
}

// Reasons not to understand a line.
const (
	whyNoLabel    = "no label:value pairs between tabs"
	whyNotJSON    = "not a JSON object"
	whyNotClosed  = "a JSON string, array or object without an end"
	whyNoTime     = "no [time] in brackets"
	whyNoRequest  = "no \"request\" in quotes"
	whyNoMatch    = "the regular expression does not match"
	whyNoPath     = "no path"
	whyStatus     = "the status is no number"
	whySize       = "the size is no number"
	whyDuration   = "a time taken is no number"
	whyShortLine  = "the line ends too early"
	whyNULs       = "zero bytes: the file was cut while it was written to"
	whyTooLong    = "the line is too long"
	whyUnknownFmt = "no format is known"
)

// ltsv is Labeled Tab-separated Values, http://ltsv.org.
type ltsv struct{ shape shape }

func (p *ltsv) parse(line []byte, r *record) string {
	found := 0
	for i := 0; len(line) > 0; i++ {
		cell := line
		if tab := bytes.IndexByte(line, '\t'); tab >= 0 {
			cell, line = line[:tab], line[tab+1:]
		} else {
			line = nil
		}
		if i < len(p.shape.labels) {
			l := &p.shape.labels[i]
			if n := len(l.name); len(cell) > n && cell[n] == ':' && string(cell[:n]) == l.name {
				r.set(l.label, cell[n+1:])
				found++
				continue
			}
		}
		colon := bytes.IndexByte(cell, ':')
		if colon < 0 {
			i-- // an empty cell or a stray one: what comes after it is in its usual order
			continue
		}
		found++
		r.set(p.shape.at(i, cell[:colon]), cell[colon+1:])
	}
	if found < 2 {
		return whyNoLabel
	}
	r.unescape()
	return ""
}

// unescape resolves what nginx's escape=default did to the values that people read.
func (r *record) unescape() {
	for _, f := range [...]field{fieldURI, fieldMethod, fieldRequest} {
		if v := r.value[f]; bytes.IndexByte(v, '\\') >= 0 {
			r.value[f] = r.unescaped(v)
		}
	}
}

// unescaped resolves the escapes of nginx (\xHH), Apache (\" \\ \t) and JSON
// (RFC 8259 §7) into scratch. What is no escape stays as it is.
func (r *record) unescaped(v []byte) []byte {
	start := len(r.scratch)
	for i := 0; i < len(v); i++ {
		if v[i] != '\\' || i+1 == len(v) {
			r.scratch = append(r.scratch, v[i])
			continue
		}
		i++
		switch c := v[i]; c {
		case 'x':
			if n, ok := hexadecimal(v[i+1:], 2); ok {
				r.scratch = append(r.scratch, byte(n))
				i += 2
				continue
			}
			r.scratch = append(r.scratch, '\\', c)
		case 'u':
			if n, ok := hexadecimal(v[i+1:], 4); ok {
				r.scratch = utf8.AppendRune(r.scratch, rune(n)) // halves of pairs become U+FFFD: no path has them unescaped
				i += 4
				continue
			}
			r.scratch = append(r.scratch, '\\', c)
		case 'n':
			r.scratch = append(r.scratch, '\n')
		case 't':
			r.scratch = append(r.scratch, '\t')
		case 'r':
			r.scratch = append(r.scratch, '\r')
		case '"', '\\', '/', '\'':
			r.scratch = append(r.scratch, c)
		default:
			r.scratch = append(r.scratch, '\\', c)
		}
	}
	return r.scratch[start:]
}

func hexadecimal(b []byte, digits int) (n int, ok bool) {
	if len(b) < digits {
		return 0, false
	}
	for _, c := range b[:digits] {
		switch {
		case c >= '0' && c <= '9':
			n = n<<4 | int(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			n = n<<4 | int(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return n, true
}

// expression is a format of the user's own.
type expression struct {
	pattern *regexp.Regexp
	labels  []label // by group
}

func newExpression(pattern *regexp.Regexp) *expression {
	e := &expression{pattern: pattern}
	for _, name := range pattern.SubexpNames() {
		l := label{field: fieldNone}
		if name != "" {
			l = meaning(name)
		}
		e.labels = append(e.labels, l)
	}
	return e
}

func (p *expression) parse(line []byte, r *record) string {
	at := p.pattern.FindSubmatchIndex(line)
	if at == nil {
		return whyNoMatch
	}
	for i, l := range p.labels {
		if l.field != fieldNone && at[2*i] >= 0 {
			r.set(l, line[at[2*i]:at[2*i+1]])
		}
	}
	r.unescape()
	return ""
}
