package check

import (
	"encoding/binary"
	"math/bits"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/zeebo/xxh3"
)

// A jsonScanner reads a JSON document (RFC 8259) from left to right and judges values as they come. It builds
// nothing. What decoders disagree on (a named member given twice, text that is no UTF-8, extreme
// nesting) it leaves to the reference decoder by setting unsure.
type jsonScanner struct {
	jsonJudge
	body    []byte
	syntax  *syntaxError
	unsure  bool
	names   []uint64 // digests of the members so far, of all open objects that are watched for repetition
	scratch []byte
}

func (s *jsonScanner) reset(v *JSONValidator, body []byte, vars []Value) {
	*s = jsonScanner{
		jsonJudge: jsonJudge{
			JSONValidator: v, vars: vars, failures: s.failures[:0], trail: s.trail[:0], found: s.found[:0], arena: s.arena[:0],
		},
		body: body, names: s.names[:0], scratch: s.scratch[:0],
	}
}

// maxJSONDepth is how deep the scanner goes; the reference decoder's limit is 10,000.
const maxJSONDepth = 500

// run reads the document and leaves failures and captures. It returns false if it gave up.
func (s *jsonScanner) run() bool {
	if s.strict && !utf8.Valid(s.body) {
		s.syntax = &syntaxError{0, "invalid UTF-8"}
		return true
	}
	i := s.space(0)
	if i = s.read(i, s.root, 0); i < 0 {
		return !s.unsure
	}
	if end := s.space(i); end < len(s.body) {
		if s.strict {
			s.syntax = &syntaxError{end, "text after the document"}
		} else if c := s.body[i-1]; c != '}' && c != ']' {
			return false // 1x: is that a number and text, or no number?
		}
	}
	return !s.unsure
}

func (s *jsonScanner) space(i int) int {
	for i < len(s.body) {
		switch s.body[i] {
		case ' ', '\n', '\t', '\r':
			i++
		default:
			return i
		}
	}
	return i
}

// wrong ends the scan with a syntax error.
func (s *jsonScanner) wrong(i int, reason string) int {
	if !s.unsure && s.syntax == nil {
		s.syntax = &syntaxError{i, reason}
	}
	return -1
}

// read reads the value at i and returns the position behind it, or -1. n is what is expected of it, nil if nothing
// is.
func (s *jsonScanner) read(i int, n *jsonNode, depth int) int {
	if i >= len(s.body) {
		return s.wrong(i, "the document ends too early")
	}
	switch c := s.body[i]; c {
	case '"':
		end, plain := s.text(i)
		if end < 0 || n == nil {
			return end
		}
		text := s.body[i+1 : end-1]
		if len(n.rules)+len(n.captures) > 0 {
			if text = s.decode(text, plain); s.unsure {
				return -1
			}
		}
		s.value(n, String, text, i)
		return end
	case '{':
		if depth == maxJSONDepth {
			s.unsure = true
			return -1
		}
		if n != nil && !s.value(n, Object, nil, i) {
			n = nil
		}
		return s.object(i, n, depth)
	case '[':
		if depth == maxJSONDepth {
			s.unsure = true
			return -1
		}
		if n != nil && !s.value(n, Array, nil, i) {
			n = nil
		}
		return s.array(i, n, depth)
	case 't':
		return s.literal(i, "true", Bool, n)
	case 'f':
		return s.literal(i, "false", Bool, n)
	case 'n':
		return s.literal(i, "null", Null, n)
	default:
		if c != '-' && (c < '0' || c > '9') {
			return s.wrong(i, "no value")
		}
		end := numberEnd(s.body, i)
		if end < 0 {
			return s.wrong(i, "a bad number")
		}
		if n != nil {
			s.value(n, numberKind(s.body[i:end]), s.body[i:end], i)
		}
		return end
	}
}

func numberKind(text []byte) Kind {
	for _, c := range text {
		if c == '.' || c|0x20 == 'e' {
			return Number
		}
	}
	return Number | Integer
}

func (s *jsonScanner) literal(i int, word string, kind Kind, n *jsonNode) int {
	end := i + len(word)
	if end > len(s.body) || string(s.body[i:end]) != word {
		return s.wrong(i, "no value")
	}
	if n != nil {
		s.value(n, kind, s.body[i:end], i)
	}
	return end
}

func (s *jsonScanner) array(at int, n *jsonNode, depth int) int {
	i := s.space(at + 1)
	length := 0
	if i < len(s.body) && s.body[i] == ']' {
		i++
	} else {
		for {
			var node *jsonNode
			if n != nil {
				node = n.itemNode(length)
				s.trail = append(s.trail, trailStep{index: length})
			}
			if i = s.read(i, node, depth+1); i < 0 {
				return -1
			}
			if n != nil {
				s.trail = s.trail[:len(s.trail)-1]
			}
			length++
			if i = s.space(i); i >= len(s.body) {
				return s.wrong(i, "the document ends too early")
			}
			if c := s.body[i]; c == ']' {
				i++
				break
			} else if c != ',' {
				return s.wrong(i, "a comma or ] is missing")
			}
			i = s.space(i + 1)
		}
	}
	if n != nil {
		s.arrayEnd(n, length, at)
	}
	return i
}

func (s *jsonScanner) object(at int, n *jsonNode, depth int) int {
	i := s.space(at + 1)
	var seen uint64
	names := len(s.names)
	watched := s.strict || n != nil && n.any != nil
	if i < len(s.body) && s.body[i] == '}' {
		i++
	} else {
		for {
			if i >= len(s.body) || s.body[i] != '"' {
				return s.wrong(i, "a member's name is missing")
			}
			start := i
			end, plain := s.text(i)
			if end < 0 {
				return -1
			}
			var node *jsonNode
			if n != nil || watched {
				name := s.body[i+1 : end-1]
				if !plain || !s.strict && !utf8.Valid(name) {
					if name = s.decode(name, plain); s.unsure {
						return -1
					}
					name = append([]byte(nil), name...) // the scratch is used again below
				}
				if watched && s.repeated(names, name) {
					return s.twice(start)
				}
				if n != nil {
					s.trail = append(s.trail, trailStep{name: name})
					var which int
					if node, which = s.member(n, name, start); which >= 0 {
						if seen&(1<<which) != 0 {
							return s.twice(start)
						}
						seen |= 1 << which
					}
				}
			}
			if i = s.space(end); i >= len(s.body) || s.body[i] != ':' {
				return s.wrong(i, "a colon is missing")
			}
			if i = s.read(s.space(i+1), node, depth+1); i < 0 {
				return -1
			}
			if n != nil {
				s.trail = s.trail[:len(s.trail)-1]
			}
			if i = s.space(i); i >= len(s.body) {
				return s.wrong(i, "the document ends too early")
			}
			if c := s.body[i]; c == '}' {
				i++
				break
			} else if c != ',' {
				return s.wrong(i, "a comma or } is missing")
			}
			i = s.space(i + 1)
		}
	}
	s.names = s.names[:names]
	if n != nil {
		s.objectEnd(n, seen, at)
	}
	return i
}

// repeated says whether the object whose members' names begin there already had one of this name.
func (s *jsonScanner) repeated(from int, name []byte) bool {
	digest := xxh3.Hash(name)
	for _, other := range s.names[from:] {
		if other == digest {
			return true
		}
	}
	s.names = append(s.names, digest)
	return false
}

// twice ends the scan at a member given twice: an error if we are strict, otherwise decoders have a rule for it.
func (s *jsonScanner) twice(i int) int {
	if s.strict {
		return s.wrong(i, "a member given twice")
	}
	s.unsure = true
	return -1
}

// text reads the string at i and returns the position behind it; plain says that it has no escapes.
func (s *jsonScanner) text(i int) (end int, plain bool) {
	const (
		ones = 0x0101010101010101
		tops = 0x8080808080808080
	)
	start := i
	plain = true
	b := s.body
	i++
	for {
		// Eight bytes at a time to the next quote, backslash or control character: in each word the lowest marked
		// byte is exact.
		for i+8 <= len(b) {
			w := binary.LittleEndian.Uint64(b[i:])
			quote, slash := w^(ones*'"'), w^(ones*'\\')
			mark := ((quote-ones)&^quote | (slash-ones)&^slash | (w-ones*0x20)&^w) & tops
			if mark != 0 {
				i += bits.TrailingZeros64(mark) / 8
				break
			}
			i += 8
		}
		for i < len(b) && b[i] != '"' && b[i] != '\\' && b[i] >= 0x20 {
			i++
		}
		if i >= len(b) {
			return s.wrong(start, "an endless string"), false
		}
		switch b[i] {
		case '"':
			return i + 1, plain
		case '\\':
			plain = false
			n := escapeLength(b[i:])
			if n == 0 {
				return s.wrong(i, "a bad escape"), false
			}
			i += n
		default:
			return s.wrong(i, "a control character in a string"), false
		}
	}
}

// escapeLength returns the length of the escape s begins with, 0 if it is none.
func escapeLength(s []byte) int {
	if len(s) < 2 {
		return 0
	}
	switch s[1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return 2
	case 'u':
		if _, ok := hex4(s[2:]); ok {
			return 6
		}
	}
	return 0
}

func hex4(s []byte) (r rune, ok bool) {
	if len(s) < 4 {
		return 0, false
	}
	for _, c := range s[:4] {
		switch {
		case '0' <= c && c <= '9':
			c -= '0'
		case 'a' <= c && c <= 'f':
			c -= 'a' - 10
		case 'A' <= c && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, false
		}
		r = r<<4 | rune(c)
	}
	return r, true
}

// decode returns what the inside of a string says, valid until the next call.
func (s *jsonScanner) decode(raw []byte, plain bool) []byte {
	if !s.strict && !utf8.Valid(raw) {
		s.unsure = true
		return nil
	}
	if plain {
		return raw
	}
	out := s.scratch[:0]
	for i := 0; i < len(raw); {
		if raw[i] != '\\' {
			out = append(out, raw[i])
			i++
			continue
		}
		switch c := raw[i+1]; c {
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, _ := hex4(raw[i+2:])
			if utf16.IsSurrogate(r) {
				// A pair is one character; half a pair is the replacement character.
				if i+12 <= len(raw) && raw[i+6] == '\\' && raw[i+7] == 'u' {
					low, _ := hex4(raw[i+8:])
					if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
						out = utf8.AppendRune(out, pair)
						i += 12
						continue
					}
				}
				r = utf8.RuneError
			}
			out = utf8.AppendRune(out, r)
			i += 4
		default:
			out = append(out, c)
		}
		i += 2
	}
	s.scratch = out
	return out
}
