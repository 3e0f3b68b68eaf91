package data

import "strings"

// newline stands five times among the symbols, once with each of the scripts.
const newline = '\n'

// symbols is the alphabet of the contest's own tool (§6), of which every letter
// of every text is drawn uniformly: 211 symbols, 5 of them newlines. None is
// markup, none has four bytes in UTF-8.
var symbols = []rune("abcdefghijklmnopqrstuvwxyz0123456789" + "\n" +
	hiragana + "\n" +
	katakana + "\n" +
	"ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ" + "\n" +
	"ABCDEFGHIJKLMNOPQRSTUVWXYZ" + "ＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ" + "\n")

// The 46 basic kana of either script, without voiced and small ones.
const (
	hiragana = "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん"
	katakana = "アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン"
)

func (c chance) symbol() rune { return symbols[c.below(len(symbols))] }

// text returns n symbols.
func (c chance) text(n int) string {
	var b strings.Builder
	b.Grow(3 * n)
	for range n {
		b.WriteRune(c.symbol())
	}
	return b.String()
}

// closed returns n symbols of which the last is no newline: the contest's own
// apps do not agree on how a final newline is shown (§3.4).
func (c chance) closed(n int) string {
	text := c.text(n - 1)
	for {
		if last := c.symbol(); last != newline {
			return text + string(last)
		}
	}
}

// title returns 20 symbols less the newlines among them.
func (c chance) title() string { return strings.ReplaceAll(c.text(20), "\n", "") }

// name returns a commenter's name: none for half of them. A name may hold
// newlines, at its ends too.
func (c chance) name() string {
	if c.below(2) == 0 {
		return ""
	}
	return c.text(5)
}
