package report

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"hotseat"
)

// Findings writes what the advisor says for a terminal: the most important
// first, at most limit of them (0: all), each with evidence and remedy. fine and
// notSeen are what was looked at without a finding, and what was not measured.
func Findings(w io.Writer, findings []hotseat.Finding, fine, notSeen []string, limit int, o TerminalOptions) error {
	if o.Width == 0 {
		o.Width = 80
	}
	t := terminal{TerminalOptions: o, width: max(o.Width, 40)}
	var out bytes.Buffer
	for i, f := range findings {
		if limit > 0 && i == limit {
			fmt.Fprintf(&out, "… and %s of less weight: --all shows them\n\n", plural(int64(len(findings)-limit), "finding", "findings"))
			break
		}
		for _, l := range t.finding(i+1, f) {
			out.WriteString(l + "\n")
		}
		out.WriteByte('\n')
	}
	if len(findings) == 0 {
		out.WriteString("Nothing to say: everything that was looked at is as it should be.\n\n")
	}
	for _, list := range []struct {
		label string
		items []string
	}{{"fine", fine}, {"not seen", notSeen}} {
		if len(list.items) > 0 {
			for _, l := range t.fact(list.label, dim, strings.Join(list.items, "; "), 6) {
				out.WriteString(l + "\n")
			}
		}
	}
	_, err := w.Write(out.Bytes())
	return err
}

// finding draws one: the cause, then numbers, then what to do.
func (t terminal) finding(number int, f hotseat.Finding) []string {
	style := yellow
	switch f.Severity {
	case hotseat.Critical:
		style = red
	case hotseat.Note:
		style = dim
	}
	var lines []string
	for i, part := range wrap(line(f.Title), t.width-4, 3) {
		head := "    "
		if i == 0 {
			head = pad(fmt.Sprintf("%d", number), 4)
		}
		lines = append(lines, head+t.paint(style, part))
	}
	add := func(label string, items []string) {
		for _, item := range items {
			for i, part := range wrap(line(item), t.width-12, 4) {
				head := ""
				if i == 0 {
					head = label
				}
				lines = append(lines, "    "+t.paint(dim, pad(head, 8))+part)
			}
			label = ""
		}
	}
	add("seen", f.Evidence)
	add("do", f.Remedy)
	if f.Risk != "" {
		add("risk", []string{f.Risk})
	}
	var effects []string
	for _, e := range f.Folded {
		effects = append(effects, e.Title)
	}
	add("so also", effects)
	return lines
}
