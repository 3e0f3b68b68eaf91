package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// Benchstat writes the scores in the Go benchmark format
// (https://go.dev/design/14313-benchmark-format), one line for each run, for
// "benchstat -col /side".
func (c *Comparison) Benchstat(w io.Writer) error {
	out := bufio.NewWriter(w)
	_, _ = fmt.Fprintf(out, "pkg: %s\n", c.Problem) // a failed write shows in Flush
	sides := []struct {
		label string
		side  Side
	}{{"A", c.A}, {"B", c.B}}
	for _, s := range sides {
		_, _ = fmt.Fprintf(out, "side-%s: %s\n", strings.ToLower(s.label), strings.Join(strings.Fields(s.side.Name), " "))
	}
	for i := range max(len(c.A.Scores), len(c.B.Scores)) {
		for _, s := range sides {
			if i < len(s.side.Scores) {
				_, _ = fmt.Fprintf(out, "BenchmarkScore/side=%s 1 %d points\n", s.label, s.side.Scores[i])
			}
		}
	}
	return out.Flush()
}
