//go:build !amd64

package check

// markList lists the marks of a span that begins at base of the body. It returns how many there are, and what else is
// in the span. What is in the list behind them is spoiled.
func markList(list *[markSpan]uint32, span *[markSpan]byte, base uint32) (count, has int) {
	return markWords(list, span, base)
}
