package check

import (
	"encoding/binary"
	"math/bits"
)

// marks finds the bytes that markup hinges on: "<", "=", ">" and the double quote ("?" comes along for free).
//
// Looking for each of them from where the one before was found makes the processor wait for every answer before it
// can ask the next question. Here many bytes are looked at together, whatever is in them, and going from
// mark to mark is a matter of shifting bits.
type marks struct {
	body []byte
	word uint64 // the 64 bytes being read, a bit for each, lowest first
	from int    // where they begin
	base int    // of the bytes looked at last: a multiple of markSpan, below 0 for none
	sets [markSpan / 64]uint64

	returns bool // whether there was a carriage return among the bytes looked at so far
}

// markSpan is how many bytes are looked at together.
const markSpan = 512

func (m *marks) begin(body []byte) {
	m.body, m.word, m.base, m.returns = body, 0, -markSpan, false
}

// next returns where the first mark at or behind i is, or the end of the body.
func (m *marks) next(i int) int {
	if n := m.near(i); n < 64 {
		return i + n
	}
	return m.beyond(i)
}

// near is next within the word being read: how far from i the mark is, and 64 if there is none or i is elsewhere. Unlike
// next it is small enough for the compiler to inline.
func (m *marks) near(i int) int { return bits.TrailingZeros64(m.word >> uint(i-m.from)) }

func (m *marks) beyond(i int) int {
	for i < len(m.body) {
		if uint(i-m.base) >= markSpan {
			m.look(i)
		}
		m.from = i &^ 63
		m.word = m.sets[(i-m.base)/64%len(m.sets)]
		if n := m.near(i); n < 64 {
			return i + n
		}
		i = m.from + 64
	}
	return len(m.body)
}

// look has a look at the span that i is in.
func (m *marks) look(i int) {
	m.base = i - i%markSpan
	rest := m.body[m.base:]
	var padded [markSpan]byte
	span := &padded
	if len(rest) >= markSpan {
		span = (*[markSpan]byte)(rest)
	} else {
		copy(padded[:], rest)
	}
	if markSets(&m.sets, span) {
		m.returns = true
	}
}

// markWords is markSets for any processor: eight bytes at a time. Adding 0x7f carries into a byte's highest bit unless
// its other bits are 0, and never beyond; multiplying gathers the eight highest bits in the topmost byte.
func markWords(sets *[markSpan / 64]uint64, span *[markSpan]byte) (returns bool) {
	const lows = 0x7f * ones
	var noReturn uint64 = highs
	for k := range sets {
		var set uint64
		for i := k * 64; i < k*64+64; i += 8 {
			x := binary.LittleEndian.Uint64(span[i:])
			angle := x&(0xfc*ones) ^ '<'*ones // "<", "=", ">" and "?" differ in the two lowest bits
			quote := x ^ '"'*ones
			cr := x ^ '\r'*ones
			noReturn &= cr&lows + lows | cr
			none := (angle&lows + lows | angle) & (quote&lows + lows | quote)
			hits := ^none & highs >> 7
			set = set>>8 | hits*0x0102040810204080&(0xff<<56)
		}
		sets[k] = set
	}
	return noReturn != highs
}
