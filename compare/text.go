package compare

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"hotseat/report"
)

// maxRows is how many endpoints and how many queries the text shows.
const maxRows = 8

// maxLines bounds the answer's sentence, which quotes a failed run's reason.
const maxLines = 12

// Text writes the comparison for people, in lines of at most width columns
// where names allow it.
func (c *Comparison) Text(w io.Writer, width int) error {
	out := bufio.NewWriter(w)
	line := func(format string, args ...any) {
		_, _ = fmt.Fprintf(out, format+"\n", args...) // a failed write shows in Flush
	}
	for _, s := range []struct {
		label string
		side  Side
	}{{"A", c.A}, {"B", c.B}} {
		line("%s  %s", s.label, report.Fit(s.side.Name, width-3))
		if n := len(s.side.Scores); n > 0 {
			line("   %s", report.Fit("scores "+strings.Trim(fmt.Sprint(s.side.Scores), "[]"), width-3))
		}
	}
	line("")
	for _, l := range report.Wrap(capital(c.Statement), width, maxLines) {
		line("%s", l)
	}
	if c.Failed != nil {
		line("hint: hotseat report %s", c.Failed.Run)
	}
	table := func(title, unit string, rows []Delta) {
		if len(rows) == 0 {
			return
		}
		line("")
		name := max(width-38, 12)
		line("%s %8s %8s %7s  %s", report.Pad(title, name), "A "+unit, "B "+unit, "B/A", "95 %")
		for i, d := range rows {
			if i == maxRows {
				line("… and %d more: --json shows them", len(rows)-maxRows)
				break
			}
			mark := " "
			if d.Ratio.Differs() {
				mark = "*"
			}
			line("%s %8.4g %8.4g %6.2f%s %.2f–%.2f", report.Pad(report.Fit(d.Name, name), name), d.A, d.B, d.Ratio.Ratio, mark, d.Ratio.Low, d.Ratio.High)
		}
	}
	table("Endpoint (client's p50)", "ms", c.Endpoints)
	table("Query (time per call)", "ms", c.Queries)
	if len(c.Endpoints)+len(c.Queries) > 0 {
		line("* differs, with all rows of its table taken into account")
	}
	return out.Flush()
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}
