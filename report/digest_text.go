package report

import (
	"fmt"
	"strings"
)

// leastText is how much room the last column of a table has at least.
const leastText = 28

// textDigest draws for a terminal, or for a file as wide as it takes.
func textDigest(doc *document, o DigestOptions) string {
	var b strings.Builder
	t := terminal{TerminalOptions: TerminalOptions{Color: o.Color, Width: o.Width}, width: o.Width}
	put := func(style, text string) { b.WriteString(t.paint(style, text) + "\n") }
	cut := func(text string) string {
		if o.Width > 0 {
			return fit(text, o.Width)
		}
		return text
	}
	put(bold, doc.title)
	for _, f := range doc.facts {
		put("", cut("  "+line(f)))
	}
	for _, n := range doc.notes {
		put(yellow, cut("  note: "+line(n)))
	}
	for i := range doc.parts {
		p := &doc.parts[i]
		b.WriteString("\n" + t.paint(bold, p.title))
		if p.aside != "" {
			b.WriteString("  " + t.paint(dim, p.aside))
		}
		b.WriteString("\n")
		textTable(&b, t, p, 2)
		for _, d := range p.details {
			b.WriteString("\n" + t.paint(bold, cut("  "+line(d.title))) + "\n")
			for _, text := range d.texts {
				for _, l := range labelled(text[0], line(text[1]), o.Width) {
					b.WriteString(l + "\n")
				}
			}
			if d.plan != nil {
				b.WriteString("    " + t.paint(dim, d.plan.title) + "\n")
				textTable(&b, t, d.plan, 6)
			}
		}
	}
	return b.String()
}

// labelled is a text with its label, on as many lines as it takes.
func labelled(label, text string, width int) []string {
	const indent, most = 18, 6
	lines := []string{text}
	if width > 0 {
		lines = wrap(text, max(width-indent, leastText), most)
	}
	for i := range lines {
		if i > 0 {
			label = ""
		}
		lines[i] = "    " + pad(label, indent-4) + lines[i]
	}
	return lines
}

// textTable draws a table in columns, without those for which there is no room.
func textTable(b *strings.Builder, t terminal, p *part, indent int) {
	if len(p.rows) == 0 {
		b.WriteString(strings.Repeat(" ", indent) + "none\n")
		return
	}
	widths := make([]int, len(p.columns))
	cells := make([][]string, len(p.rows))
	for r, row := range p.rows {
		cells[r] = make([]string, len(row))
		for i, cell := range row {
			cells[r][i] = line(cell)
			widths[i] = max(widths[i], columns(cells[r][i]))
		}
	}
	for i, c := range p.columns {
		widths[i] = max(widths[i], columns(c.name))
	}
	shown := room(p.columns, widths, t.width-indent)
	write := func(style string, row func(int) string) {
		text := strings.Repeat(" ", indent)
		for i, at := range shown {
			cell := fit(row(at), widths[at])
			switch {
			case p.columns[at].number:
				text += padLeft(cell, widths[at])
			case i < len(shown)-1:
				text += pad(cell, widths[at])
			default:
				text += cell
			}
			if i < len(shown)-1 {
				text += "  "
			}
		}
		fmt.Fprintln(b, t.paint(style, strings.TrimRight(text, " ")))
	}
	write(dim, func(i int) string { return p.columns[i].name })
	for _, row := range cells {
		write("", func(i int) string { return row[i] })
	}
}

// room chooses the columns that fit into so many, and narrows the texts among
// them; 0 is room for all.
func room(all []digestColumn, widths []int, width int) (shown []int) {
	for dropped := 9; ; dropped-- {
		shown = shown[:0]
		total, texts := 0, 0
		for i, c := range all {
			if c.rank >= dropped {
				continue
			}
			shown = append(shown, i)
			if c.number || widths[i] <= leastText {
				total += widths[i] + 2
			} else {
				texts++
			}
		}
		if width <= 0 {
			return shown
		}
		if left := width - total; left >= texts*(leastText+2) || dropped == 1 {
			for _, i := range shown {
				if c := all[i]; !c.number && widths[i] > leastText {
					widths[i] = min(widths[i], max(left/texts-2, 10))
				}
			}
			return shown
		}
	}
}

// markdownDigest draws GitHub's tables.
func markdownDigest(doc *document) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s\n\n", doc.title)
	for _, f := range doc.facts {
		fmt.Fprintf(&b, "- %s\n", markdownText(f))
	}
	for _, n := range doc.notes {
		fmt.Fprintf(&b, "- **Note:** %s\n", markdownText(n))
	}
	for i := range doc.parts {
		p := &doc.parts[i]
		fmt.Fprintf(&b, "\n## %s\n\n", p.title)
		if p.aside != "" {
			fmt.Fprintf(&b, "%s\n\n", markdownText(p.aside))
		}
		markdownTable(&b, p)
		for _, d := range p.details {
			fmt.Fprintf(&b, "\n### %s\n\n", markdownText(d.title))
			for _, text := range d.texts {
				if text[0] == "statement" {
					fmt.Fprintf(&b, "\n```sql\n%s\n```\n", strings.ReplaceAll(Visible(text[1]), "```", "` ` `"))
					continue
				}
				fmt.Fprintf(&b, "- %s: %s\n", text[0], markdownText(text[1]))
			}
			if d.plan != nil {
				fmt.Fprintf(&b, "\n%s:\n\n", markdownText(d.plan.title))
				markdownTable(&b, d.plan)
			}
		}
	}
	return b.String()
}

func markdownTable(b *strings.Builder, p *part) {
	var rule strings.Builder
	for _, c := range p.columns {
		fmt.Fprintf(b, "| %s ", markdownText(c.name))
		rule.WriteString(map[bool]string{true: "| ---: ", false: "| --- "}[c.number])
	}
	fmt.Fprintf(b, "|\n%s|\n", rule.String())
	for _, row := range p.rows {
		for _, cell := range row {
			fmt.Fprintf(b, "| %s ", markdownText(cell))
		}
		b.WriteString("|\n")
	}
}

// markdownText keeps Markdown from taking a text for its own signs.
func markdownText(s string) string {
	var b strings.Builder
	for _, r := range line(s) {
		if strings.ContainsRune("\\`*_[]<>|~#", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
