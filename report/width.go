package report

import (
	"strings"
	"unicode"
)

// wide are the blocks whose characters take two columns of a terminal: the
// East Asian Wide and Fullwidth ranges of Unicode Standard Annex 11 and the
// emoji that terminals draw wide.
var wide = &unicode.RangeTable{
	R16: []unicode.Range16{
		{Lo: 0x1100, Hi: 0x115f, Stride: 1}, // Hangul Jamo, leading consonants
		{Lo: 0x231a, Hi: 0x231b, Stride: 1}, {Lo: 0x23e9, Hi: 0x23ec, Stride: 1},
		{Lo: 0x2614, Hi: 0x2615, Stride: 1}, {Lo: 0x26a1, Hi: 0x26a1, Stride: 1},
		{Lo: 0x2705, Hi: 0x2705, Stride: 1}, {Lo: 0x274c, Hi: 0x274c, Stride: 1},
		{Lo: 0x2753, Hi: 0x2755, Stride: 1}, {Lo: 0x2b50, Hi: 0x2b50, Stride: 1},
		{Lo: 0x2e80, Hi: 0x303e, Stride: 1},                                      // CJK radicals to CJK punctuation, ideographic space
		{Lo: 0x3041, Hi: 0x33ff, Stride: 1},                                      // kana, Bopomofo, compatibility
		{Lo: 0x3400, Hi: 0x4dbf, Stride: 1},                                      // CJK extension A
		{Lo: 0x4e00, Hi: 0x9fff, Stride: 1},                                      // CJK unified ideographs
		{Lo: 0xa000, Hi: 0xa4cf, Stride: 1},                                      // Yi
		{Lo: 0xa960, Hi: 0xa97c, Stride: 1}, {Lo: 0xac00, Hi: 0xd7a3, Stride: 1}, // Hangul
		{Lo: 0xf900, Hi: 0xfaff, Stride: 1},                                      // CJK compatibility ideographs
		{Lo: 0xfe30, Hi: 0xfe6f, Stride: 1},                                      // CJK compatibility and small forms
		{Lo: 0xff01, Hi: 0xff60, Stride: 1}, {Lo: 0xffe0, Hi: 0xffe6, Stride: 1}, // fullwidth forms
	},
	R32: []unicode.Range32{
		{Lo: 0x1f300, Hi: 0x1f64f, Stride: 1}, {Lo: 0x1f680, Hi: 0x1f6ff, Stride: 1},
		{Lo: 0x1f900, Hi: 0x1f9ff, Stride: 1}, {Lo: 0x1fa70, Hi: 0x1faff, Stride: 1},
		{Lo: 0x20000, Hi: 0x3fffd, Stride: 1}, // CJK extensions B and later
	},
}

// runeWidth is the number of terminal columns of a rune that [Visible] let pass.
func runeWidth(r rune) int {
	switch {
	case unicode.In(r, unicode.Mn, unicode.Me):
		return 0
	case unicode.Is(wide, r):
		return 2
	default:
		return 1
	}
}

// columns is the number of terminal columns of s.
func columns(s string) int {
	n := 0
	for _, r := range s {
		n += runeWidth(r)
	}
	return n
}

// fit returns s cut to at most n columns, with an ellipsis if something is missing.
func fit(s string, n int) string {
	if n <= 0 {
		return ""
	}
	if len(s) <= n || columns(s) <= n {
		return s
	}
	used := 0
	for i, r := range s {
		if used+runeWidth(r) > n-1 {
			return s[:i] + "…"
		}
		used += runeWidth(r)
	}
	return s
}

// pad returns s filled up with spaces to n columns.
func pad(s string, n int) string { return s + strings.Repeat(" ", max(0, n-columns(s))) }

// padLeft is pad with the spaces first, for numbers.
func padLeft(s string, n int) string { return strings.Repeat(" ", max(0, n-columns(s))) + s }

// wrap breaks s at spaces into at most limit lines of n columns, words longer
// than a line (and Japanese, which has no spaces) anywhere. What does not fit
// is cut with an ellipsis.
func wrap(s string, n, limit int) []string {
	var lines []string
	for s = strings.TrimSpace(s); s != ""; {
		if len(lines) == limit-1 || columns(s) <= n {
			return append(lines, fit(s, n))
		}
		used, hard, soft := 0, len(s), -1
		for i, r := range s {
			if used+runeWidth(r) > n {
				hard = i
				if r == ' ' {
					soft = i
				}
				break
			}
			if r == ' ' {
				soft = i
			}
			used += runeWidth(r)
		}
		end := hard
		if soft > hard/2 {
			end = soft
		}
		if end == 0 { // not even one rune fits
			return append(lines, fit(s, n))
		}
		lines = append(lines, strings.TrimRight(s[:end], " "))
		s = strings.TrimLeft(s[end:], " ")
	}
	return lines
}

// Fit cuts s to n columns of a terminal, of which a Japanese letter takes two.
// It and [Pad] and [Wrap] are for other rooms' tables.
func Fit(s string, n int) string { return fit(line(s), n) }

// Pad fills s up to n columns with blanks.
func Pad(s string, n int) string { return pad(s, n) }

// Wrap breaks s at blanks into at most limit lines of n columns.
func Wrap(s string, n, limit int) []string { return wrap(line(s), n, limit) }
