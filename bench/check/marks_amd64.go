package check

import "golang.org/x/sys/cpu"

var vectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT

// markList lists the marks of a span that begins at base of the body. It returns how many there are, and what else is
// in the span. What is in the list behind them is spoiled.
func markList(list *[markRoom]uint32, span *[markSpan]byte, base uint32) (count, has int) {
	if vectors {
		return markVectors(list, span, base)
	}
	return markWords(list, span, base)
}

// markVectors is markList with AVX2, 64 bytes at a time.
//
//go:noescape
func markVectors(list *[markRoom]uint32, span *[markSpan]byte, base uint32) (count, has int)
