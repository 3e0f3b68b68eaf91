package check

import "golang.org/x/sys/cpu"

// markSets looks at a span of a body: bit i%64 of set i/64 says that byte i is a mark. It returns whether
// there is a carriage return in it.
func markSets(sets *[markSpan / 64]uint64, span *[markSpan]byte) (returns bool) {
	if cpu.X86.HasAVX2 {
		return markVectors(sets, span)
	}
	return markWords(sets, span)
}

// markVectors is markSets with AVX2, 32 bytes at a time.
//
//go:noescape
func markVectors(sets *[markSpan / 64]uint64, span *[markSpan]byte) (returns bool)
