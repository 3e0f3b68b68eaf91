package check

import (
	"bytes"
	"io"
	"strconv"
	"unicode/utf8"

	"golang.org/x/net/html"
)

func newReader(b []byte) io.Reader { return bytes.NewReader(b) }

// appendDecoded appends raw as the parser would see it: line breaks made "\n", character references
// replaced.
func appendDecoded(dst, raw []byte, attr bool) []byte {
	if bytes.IndexByte(raw, '\r') >= 0 {
		raw = appendNewlines(nil, raw)
	}
	mark := len(dst)
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '&')
		if i < 0 {
			return append(dst, rest...)
		}
		dst = append(dst, rest[:i]...)
		rest = rest[i:]
		r, n := reference(rest)
		if n == 0 {
			return append(dst[:mark], decodeSlowly(raw, attr)...)
		}
		dst = utf8.AppendRune(dst, r)
		rest = rest[n:]
	}
}

func appendNewlines(dst, raw []byte) []byte {
	for i, c := range raw {
		if c == '\r' {
			dst = append(dst, '\n')
		} else if c != '\n' || i == 0 || raw[i-1] != '\r' {
			dst = append(dst, c)
		}
	}
	return dst
}

// reference reads one of the character references that templates write, complete with semicolon. It returns
// zero for all others, of which there are two thousand.
func reference(s []byte) (r rune, length int) {
	end := bytes.IndexByte(s[:min(len(s), 10)], ';')
	if end < 0 {
		return 0, 0
	}
	switch string(s[1:end]) {
	case "amp":
		return '&', end + 1
	case "lt":
		return '<', end + 1
	case "gt":
		return '>', end + 1
	case "quot":
		return '"', end + 1
	case "nbsp":
		return '\u00a0', end + 1
	}
	if end < 3 || s[1] != '#' {
		return 0, 0
	}
	digits, base := s[2:end], 10
	if digits[0] == 'x' || digits[0] == 'X' {
		digits, base = digits[1:], 16
	}
	n, err := strconv.ParseUint(string(digits), base, 32)
	if err != nil || n < 0x20 || 0x80 <= n && n <= 0x9f || !utf8.ValidRune(rune(n)) {
		return 0, 0 // replaced in ways of their own
	}
	return rune(n), end + 1
}

// decodeSlowly has the reference parser decode.
func decodeSlowly(raw []byte, attr bool) string {
	if !attr {
		return html.UnescapeString(string(raw))
	}
	tag := append([]byte(`<a a="`), bytes.ReplaceAll(raw, []byte(`"`), []byte("&#34;"))...)
	z := html.NewTokenizer(newReader(append(tag, `">`...)))
	z.Next()
	if _, value, _ := z.TagAttr(); value != nil {
		return string(value)
	}
	return string(raw)
}
