package check

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// marks finds the bytes that markup hinges on: "<", "=", ">", "&" and the double quote ("?" comes along for free).
//
// Looking for each of them from where the one before was found makes the processor wait for every answer before it
// can ask the next question. Here the whole body is looked at first, many bytes together, whatever is in them; going from
// mark to mark is then a matter of reading a list, and what a mark is can be asked of several at once.
type marks struct {
	list []uint32 // where they are, ascending, and then markEnds times the end of the body
	at   int      // in list: the scanner's place

	returns bool // whether there is a carriage return in the body
	nul     bool // or a zero byte
}

const (
	markSpan = 512 // so many bytes are looked at together
	markEnds = 4   // so far beyond its place the scanner looks
)

// What else there may be in a span.
const (
	hasReturn = 1 << iota
	hasNUL
)

// find looks at a whole body and puts the place at its beginning.
func (m *marks) find(body []byte) {
	list, has, base := m.list[:0], 0, 0
	for {
		var span *[markSpan]byte
		if rest := body[base:]; len(rest) >= markSpan {
			span = (*[markSpan]byte)(rest)
		} else if len(rest) > 0 {
			span = blankEnd(rest)
		} else {
			break
		}
		n := len(list)
		if cap(list)-n < markSpan {
			list = slices.Grow(list, markSpan) // every byte may be one
		}
		count, what := markList((*[markSpan]uint32)(list[n:n+markSpan]), span, uint32(base))
		list = list[:n+count]
		has |= what
		base = min(base+markSpan, len(body))
	}
	for range markEnds {
		list = append(list, uint32(len(body)))
	}
	m.list, m.at, m.returns, m.nul = list, 0, has&hasReturn != 0, has&hasNUL != 0
}

// blankEnd is the end of a body with spaces behind it.
func blankEnd(rest []byte) *[markSpan]byte {
	var span [markSpan]byte
	for i := copy(span[:], rest); i < markSpan; i++ {
		span[i] = ' '
	}
	return &span
}

// seek moves the place on to the first mark at or behind i.
func (m *marks) seek(i int) {
	for int(m.list[m.at]) < i {
		m.at++
	}
}

// markWords is markList for any processor: eight bytes at a time. Adding 0x7f carries into a byte's highest bit unless
// its other bits are 0, and never beyond; multiplying gathers the eight highest bits in the topmost byte.
func markWords(list *[markSpan]uint32, span *[markSpan]byte, base uint32) (count, has int) {
	const lows = 0x7f * ones
	var noReturn, noNUL uint64 = highs, highs
	for k := 0; k < markSpan; k += 64 {
		var set uint64
		for i := k; i < k+64; i += 8 {
			x := binary.LittleEndian.Uint64(span[i:])
			angle := x&(0xfc*ones) ^ '<'*ones // "<", "=", ">" and "?" differ in the two lowest bits
			quote := x ^ '"'*ones
			and := x ^ '&'*ones
			cr := x ^ '\r'*ones
			noReturn &= cr&lows + lows | cr
			noNUL &= x&lows + lows | x
			none := (angle&lows + lows | angle) & (quote&lows + lows | quote) & (and&lows + lows | and)
			hits := ^none & highs >> 7
			set = set>>8 | hits*0x0102040810204080&(0xff<<56)
		}
		for ; set != 0; set &= set - 1 {
			list[count] = base + uint32(k+bits.TrailingZeros64(set))
			count++
		}
	}
	if noReturn != highs {
		has |= hasReturn
	}
	if noNUL != highs {
		has |= hasNUL
	}
	return count, has
}
