package bench

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxExcerpt bounds what a failure shows of an expectation or an answer.
const maxExcerpt = 2 << 10

// safe makes text from anywhere fit to be shown: valid UTF-8, without control
// or direction-changing characters that could forge a terminal's or a page's
// other lines, and at most limit bytes. Line ends and tabs stay.
func safe(s string, limit int) string {
	if len(s) <= limit && harmless(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		if b.Len() >= limit {
			cut := len(s) - i
			return fmt.Sprintf("%s… (%d more bytes)", b.String(), cut)
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\n' || r == '\t':
			b.WriteRune(r)
		case r < 0x80 && unicode.IsControl(r):
			fmt.Fprintf(&b, `\x%02x`, r)
		case unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029':
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteString(s[i : i+size])
		}
		i += size
	}
	return b.String()
}

// harmless reports whether safe has nothing to escape.
func harmless(s string) bool {
	for _, r := range s {
		if r == utf8.RuneError || (unicode.IsControl(r) && r != '\n' && r != '\t') ||
			unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029' {
			return false
		}
	}
	return true
}

// line makes safe text of one line.
func line(s string, limit int) string {
	return safe(strings.Join(strings.Fields(s), " "), limit)
}

// difference is an excerpt of got around the first place where it differs from want.
func difference(want, got string) string {
	at := 0
	for at < len(want) && at < len(got) && want[at] == got[at] {
		at++
	}
	from := max(at-maxExcerpt/4, 0)
	for from > 0 && !utf8.RuneStart(got[from]) {
		from--
	}
	if from == 0 {
		return safe(got, maxExcerpt)
	}
	return fmt.Sprintf("(from byte %d) …%s", from, safe(got[from:], maxExcerpt))
}
