//go:build !amd64

package check

func markSets(sets *[markSpan / 64]uint64, span *[markSpan]byte) (returns bool) {
	return markWords(sets, span)
}
