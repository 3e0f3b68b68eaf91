package fingerprint

// The kinds of bytes that matter.
const (
	space  = 1 << iota // \s of a regular expression
	word               // \w
	begins             // a number may begin with it: digits and signs
	goesOn             // a number may go on with it: also a to f, x, and the dot
	blank              // what is put together to one blank
	letter             // of a word, but no digit
)

// kinds is ASCII: pt-query-digest reads bytes, not characters.
var kinds = func() (table [256]byte) {
	set := func(chars string, kind byte) {
		for _, c := range []byte(chars) {
			table[c] |= kind
		}
	}
	set(" \t\n\v\f\r", space)
	set(" \t\n\f\r", blank)
	set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_", word)
	set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", letter)
	set("0123456789+-", begins)
	set("0123456789abcdef.xb+-", goesOn)
	return table
}()

// lower is every byte in lower case.
var lower = func() (table [256]byte) {
	for c := range table {
		table[c] = byte(c)
		if c >= 'A' && c <= 'Z' {
			table[c] = byte(c) | 0x20
		}
	}
	return table
}()

func isSpace(c byte) bool { return kinds[c]&space != 0 }
func isDigit(c byte) bool { return c-'0' <= 9 }

func trimLeft(b []byte) []byte {
	for len(b) > 0 && isSpace(b[0]) {
		b = b[1:]
	}
	return b
}

func appendLower(to, b []byte) []byte {
	for _, c := range b {
		to = append(to, lower[c])
	}
	return to
}

// equalFold compares with a text in lower case.
func equalFold(b []byte, text string) bool {
	if len(b) != len(text) {
		return false
	}
	for i := range b {
		if lower[b[i]] != text[i] {
			return false
		}
	}
	return true
}

func cutFold(b []byte, prefix string) (rest []byte, ok bool) {
	if len(b) < len(prefix) || !equalFold(b[:len(prefix)], prefix) {
		return b, false
	}
	return b[len(prefix):], true
}

func indexFold(b []byte, text string) int {
	for i := 0; i+len(text) <= len(b); i++ {
		if lower[b[i]] == text[0] && equalFold(b[i:i+len(text)], text) {
			return i
		}
	}
	return -1
}
