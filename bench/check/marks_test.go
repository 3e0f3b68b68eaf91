package check

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// TestMarkSets holds both ways of looking to the definition, byte by byte, with every byte value beside every mark.
func TestMarkSets(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 1))
	ways := map[string]func(*[markSpan / 64]uint64, *[markSpan]byte) bool{"this processor's": markSets, "words": markWords}
	for round := range 2000 {
		var span [markSpan]byte
		for i := range span {
			span[i] = byte(dice.Uint32())
			if round%2 == 0 && dice.IntN(2) == 0 {
				span[i] = `<=>"?;@!#`[dice.IntN(9)]
			}
		}
		var want [markSpan / 64]uint64
		for i, c := range span {
			if bytes.IndexByte([]byte(`<=>?"`), c) >= 0 {
				want[i/64] |= 1 << (i % 64)
			}
		}
		for name, look := range ways {
			var got [markSpan / 64]uint64
			returns := look(&got, &span)
			if got != want || returns != (bytes.IndexByte(span[:], '\r') >= 0) {
				t.Fatalf("%s: %x, returns %v\nfor %q\nwant %x", name, got, returns, span, want)
			}
		}
	}
}

func TestMarks(t *testing.T) {
	dice := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		body := bytes.Repeat([]byte("x"), dice.IntN(3*markSpan))
		for range dice.IntN(4) {
			if len(body) > 0 {
				body[dice.IntN(len(body))] = `<=>"`[dice.IntN(4)]
			}
		}
		var m marks
		m.begin(body)
		for range 100 {
			i := dice.IntN(len(body) + 1)
			want := len(body)
			if n := bytes.IndexAny(body[i:], `<=>"`); n >= 0 {
				want = i + n
			}
			if got := m.next(i); got != want {
				t.Fatalf("from %d: %d, want %d, in %q", i, got, want, body)
			}
		}
	}
}
