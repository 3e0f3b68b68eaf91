package isucon1scenario

import (
	"math/rand/v2"
	"strings"
)

// alphabet has the 211 symbols that the original wrote with (§6): five groups,
// each with a newline.
var alphabet = []rune("abcdefghijklmnopqrstuvwxyz0123456789\n" +
	"あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをん\n" +
	"アイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワヲン\n" +
	"ａｂｃｄｅｆｇｈｉｊｋｌｍｎｏｐｑｒｓｔｕｖｗｘｙｚ\n" +
	"ABCDEFGHIJKLMNOPQRSTUVWXYZＡＢＣＤＥＦＧＨＩＪＫＬＭＮＯＰＱＲＳＴＵＶＷＸＹＺ\n")

// Sizes in symbols (§8).
const (
	titleSize   = 20
	bodySize    = 1000
	commentMin  = 100
	commentMore = 200 // sizes are from commentMin up to this many less one more
	nameSize    = 5
)

// symbols draws a text of that many symbols.
func symbols(dice *rand.Rand, n int) []rune {
	text := make([]rune, n)
	for i := range text {
		text[i] = alphabet[dice.IntN(len(alphabet))]
	}
	return text
}

// letter draws a symbol that is no newline.
func letter(dice *rand.Rand) rune {
	for {
		if r := alphabet[dice.IntN(len(alphabet))]; r != '\n' {
			return r
		}
	}
}

// unbroken makes sure that a text does not end in a newline, nor is blank.
func unbroken(dice *rand.Rand, text []rune) []rune {
	if n := len(text); text[n-1] == '\n' {
		text[n-1] = letter(dice)
	}
	return text
}

// newTitle draws a title. Under rules=strict it holds an ampersand before a kana:
// written once too often as &amp; it shows, and written as it is it cannot
// be taken for anything else.
func newTitle(dice *rand.Rand, strict bool) string {
	if !strict {
		return strings.ReplaceAll(string(symbols(dice, titleSize)), "\n", "")
	}
	title := make([]rune, titleSize)
	for i := range title {
		title[i] = letter(dice)
	}
	at := dice.IntN(titleSize - 1)
	title[at], title[at+1] = '&', 'か'
	return string(title)
}

// newBody draws the body of an article or a comment.
func newBody(dice *rand.Rand, size int, strict bool) string {
	body := symbols(dice, size)
	if strict {
		body = unbroken(dice, body)
	}
	return string(body)
}

// newName draws a name: empty for half of the comments. Under rules=strict
// every fourth of the others begins or ends in a newline, see named.
func newName(dice *rand.Rand, strict bool) string {
	if dice.IntN(2) == 0 {
		return ""
	}
	name := symbols(dice, nameSize)
	if strict && dice.IntN(4) == 0 {
		return named(dice, name)
	}
	return string(name)
}

// named makes a name begin or end in a newline: it must survive (§3.5).
func named(dice *rand.Rand, name []rune) string {
	at := []int{0, len(name) - 1}[dice.IntN(2)]
	name[at] = '\n'
	name[len(name)/2] = letter(dice)
	return string(name)
}
