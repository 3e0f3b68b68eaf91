package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
)

//go:embed digest.html.tmpl
var digestTemplate string

// digestStyle is what differs from a run's report.
const digestStyle = `
h1 { font-size: 30px; }
.top { border-top-color: var(--link); }
.facts-list { list-style: none; margin: 10px 0 0; padding: 0; color: var(--soft); }
tbody td:last-child { min-width: 260px; }
details { border-top: 1px solid var(--grid); padding: 4px 0; }
details dt { color: var(--soft); font-size: 13px; margin-top: 8px; }
details dd { margin: 2px 0 0; }
`

// The types are what the template sees; all texts are visible already.
type digestPage struct {
	Title  string
	Style  template.CSS
	Policy string
	Facts  []string
	Notes  []string
	Parts  []digestPart
}

type digestPart struct {
	ID, Title, Aside string
	Columns          []digestHead
	Rows             [][]digestCell
	Details          []digestDetail
}

type digestHead struct {
	Name   string
	Number bool
}

type digestCell struct {
	Text   string
	Number bool
}

type digestDetail struct {
	Title string
	Open  bool
	Texts [][2]string
	Plan  *digestPart
}

// htmlDigest draws one page that needs nothing else, as a run's report does.
func htmlDigest(w io.Writer, doc *document) error {
	t, err := template.New("digest").Parse(digestTemplate)
	if err != nil {
		return fmt.Errorf("read the template: %w", err)
	}
	style := pageStyle + digestStyle
	hash := sha256.Sum256([]byte(style))
	page := digestPage{Title: doc.title, Style: template.CSS(style),
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; form-action 'none'"}
	for _, f := range doc.facts {
		page.Facts = append(page.Facts, line(f))
	}
	for _, n := range doc.notes {
		page.Notes = append(page.Notes, line(n))
	}
	for i := range doc.parts {
		p := visiblePart(&doc.parts[i])
		p.ID = fmt.Sprintf("part-%d", i+1)
		page.Parts = append(page.Parts, p)
	}
	return t.Execute(w, page)
}

func visiblePart(p *part) digestPart {
	v := digestPart{Title: line(p.title), Aside: line(p.aside)}
	for _, c := range p.columns {
		v.Columns = append(v.Columns, digestHead{c.name, c.number})
	}
	for _, row := range p.rows {
		cells := make([]digestCell, len(row))
		for i, cell := range row {
			cells[i] = digestCell{line(cell), p.columns[i].number}
		}
		v.Rows = append(v.Rows, cells)
	}
	for i, d := range p.details {
		detail := digestDetail{Title: line(d.title), Open: i == 0}
		for _, text := range d.texts {
			detail.Texts = append(detail.Texts, [2]string{text[0], Visible(text[1])})
		}
		if d.plan != nil {
			plan := visiblePart(d.plan)
			detail.Plan = &plan
		}
		v.Details = append(v.Details, detail)
	}
	return v
}
