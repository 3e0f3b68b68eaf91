package check

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// markWays are all ways of looking that this processor has.
var markWays = map[string]func(*[markSpan]uint32, *[markSpan]byte, uint32) (int, int){"words": markWords}

// TestMarkList holds all ways of looking to the definition, byte by byte, with every byte value beside every mark.
func TestMarkList(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	for round := range 2000 {
		var span [markSpan]byte
		for i := range span {
			span[i] = byte(dice.Uint32())
			if round%2 == 0 && dice.IntN(2) == 0 {
				span[i] = `<=>"&?;@!#`[dice.IntN(10)]
			}
			if round%3 == 0 && (span[i] == 0 || span[i] == '\r') {
				span[i] = '='
			}
		}
		base := dice.Uint32N(1 << 30)
		var want []uint32
		for i, c := range span {
			if bytes.IndexByte([]byte(`<=>?"&`), c) >= 0 {
				want = append(want, base+uint32(i))
			}
		}
		has := 0
		if bytes.IndexByte(span[:], '\r') >= 0 {
			has |= hasReturn
		}
		if bytes.IndexByte(span[:], 0) >= 0 {
			has |= hasNUL
		}
		for name, look := range markWays {
			var list [markSpan]uint32
			count, what := look(&list, &span, base)
			if !slices.Equal(list[:count], want) || what != has {
				t.Fatalf("%s: %d, has %d\nfor %q from %d\nwant %d, %d", name, list[:count], what, span, base, want, has)
			}
		}
	}
}

func TestMarks(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	var m marks
	for range 300 {
		body := bytes.Repeat([]byte("x"), dice.IntN(3*markSpan))
		for range dice.IntN(4) {
			if len(body) > 0 {
				body[dice.IntN(len(body))] = "<=>\"&\r\x00"[dice.IntN(7)]
			}
		}
		m.find(body)
		if m.nul != (bytes.IndexByte(body, 0) >= 0) || m.returns != (bytes.IndexByte(body, '\r') >= 0) {
			t.Fatalf("nul %v, returns %v, in %q", m.nul, m.returns, body)
		}
		for i := 0; i <= len(body); i += 1 + dice.IntN(20) {
			want := len(body)
			if n := bytes.IndexAny(body[i:], `<=>"&`); n >= 0 {
				want = i + n
			}
			if m.seek(i); int(m.list[m.at]) != want {
				t.Fatalf("from %d: %d, want %d, in %q", i, m.list[m.at], want, body)
			}
		}
		if ends := m.list[len(m.list)-markEnds:]; slices.Min(ends) != uint32(len(body)) {
			t.Fatalf("the list ends with %d, want %d times %d", ends, markEnds, len(body))
		}
	}
}
