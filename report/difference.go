package report

import (
	"strings"
	"unicode/utf8"
)

// maxText is how much of one text (a body's excerpt, a request) the report shows.
const maxText = 4000

// clip cuts s to maxText bytes and says how much is missing.
func clip(s string) string {
	if len(s) <= maxText {
		return s
	}
	cut := maxText
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return s[:cut] + "\n… " + byteSize(int64(len(s)-cut)) + " more"
}

// marked is a text with the part that differs from another one in the middle.
type marked struct{ Before, Differs, After string }

// difference marks where two texts part and where they meet again. Texts that
// have next to nothing in common are left unmarked: all of it would be.
func difference(a, b string) (marked, marked) {
	if a == b || a == "" || b == "" {
		return marked{Before: a}, marked{Before: b}
	}
	begin := 0
	for begin < len(a) && begin < len(b) && a[begin] == b[begin] {
		begin++
	}
	for begin > 0 && (!startsRune(a, begin) || !startsRune(b, begin)) {
		begin--
	}
	end := 0
	for end < len(a)-begin && end < len(b)-begin && a[len(a)-1-end] == b[len(b)-1-end] {
		end++
	}
	for end > 0 && (!startsRune(a, len(a)-end) || !startsRune(b, len(b)-end)) {
		end--
	}
	if 4*len(strings.TrimSpace(a[:begin]+a[len(a)-end:])) < min(len(a), len(b)) {
		return marked{Before: a}, marked{Before: b}
	}
	return marked{a[:begin], a[begin : len(a)-end], a[len(a)-end:]},
		marked{b[:begin], b[begin : len(b)-end], b[len(b)-end:]}
}

func startsRune(s string, i int) bool { return i == len(s) || utf8.RuneStart(s[i]) }
