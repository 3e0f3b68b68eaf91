package check

import "golang.org/x/sys/cpu"

var (
	vectors = cpu.X86.HasAVX2 && cpu.X86.HasBMI1 && cpu.X86.HasPOPCNT
	wide    = cpu.X86.HasAVX512F && cpu.X86.HasAVX512BW && cpu.X86.HasAVX512VBMI2 && cpu.X86.HasPOPCNT
)

// markList lists the marks of a span that begins at base of the body. It returns how many there are, and what else is
// in the span. What is in the list behind them is spoiled.
func markList(list *[markSpan]uint32, span *[markSpan]byte, base uint32) (count, has int) {
	switch {
	case wide:
		return markWide(list, span, base)
	case vectors:
		return markVectors(list, span, base)
	}
	return markWords(list, span, base)
}

// markVectors is markList with AVX2 and BMI1.
//
//go:noescape
func markVectors(list *[markSpan]uint32, span *[markSpan]byte, base uint32) (count, has int)

// markWide is markList with AVX-512 (BW, VBMI2).
//
//go:noescape
func markWide(list *[markSpan]uint32, span *[markSpan]byte, base uint32) (count, has int)
