package report

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"hotseat"
)

// The ways to draw a digest.
const (
	DigestText     = "text"
	DigestMarkdown = "markdown"
	DigestHTML     = "html"
)

// DigestOptions says how to draw a digest.
type DigestOptions struct {
	Format string // DigestText unless said otherwise
	Color  bool   // of text; see [ColorWanted]
	Width  int    // columns of text; 0 is as many as it takes
	Of     int    // rows before filter and limit; 0 if none is missing
}

// document is a digest as every medium draws it. Its texts are raw: each
// medium makes them visible and escapes them.
type document struct {
	title string
	facts []string // a line each
	notes []string // what a reader must know
	parts []part
}

// part is a table with what belongs to its rows.
type part struct {
	title, aside string
	columns      []digestColumn
	rows         [][]string
	details      []detail
}

// digestColumn is a column of a table. Where room is short, those with the
// highest rank go first; rank 0 stays.
type digestColumn struct {
	name   string
	number bool
	rank   int
}

// detail is more about a row: a heading, then texts with labels.
type detail struct {
	title string
	texts [][2]string
	plan  *part
}

// AccessDigest draws what an access log says.
func AccessDigest(w io.Writer, d *hotseat.AccessDigest, o DigestOptions) error {
	return drawDigest(w, accessDocument(d, o), o)
}

// SlowDigest draws what a slow log says.
func SlowDigest(w io.Writer, d *hotseat.SlowDigest, o DigestOptions) error {
	return drawDigest(w, slowDocument(d, o), o)
}

// JoinDigest draws which routes send which queries.
func JoinDigest(w io.Writer, d *hotseat.JoinDigest, o DigestOptions) error {
	return drawDigest(w, joinDocument(d, o), o)
}

func drawDigest(w io.Writer, doc *document, o DigestOptions) error {
	var err error
	switch o.Format {
	case "", DigestText:
		_, err = io.WriteString(w, textDigest(doc, o))
	case DigestMarkdown:
		_, err = io.WriteString(w, markdownDigest(doc))
	case DigestHTML:
		err = htmlDigest(w, doc)
	default:
		return hotseat.Invalid("there are text, markdown, html and json", "there is no output format %q", o.Format)
	}
	if err != nil {
		return fmt.Errorf("write the digest: %w", err)
	}
	return nil
}

func accessDocument(d *hotseat.AccessDigest, o DigestOptions) *document {
	doc := &document{title: "Access log", notes: d.Notes}
	doc.facts = append(inputs(d.Files), fmt.Sprintf("%s%s", plural(d.Requests, "request", "requests"), period(d.FirstUnix, d.LastUnix, d.Requests)))
	if d.TimeUnit != "" {
		doc.facts = append(doc.facts, fmt.Sprintf("times are in %s: %s", unitNames[d.TimeUnit], d.UnitBasis))
	}
	table := part{title: "Routes", aside: missingRows(len(d.Routes), o.Of), columns: []digestColumn{
		{"share", true, 0}, {"requests", true, 0}, {"total", true, 3}, {"mean", true, 1}, {"p50", true, 4}, {"p90", true, 5}, {"p99", true, 0}, {"max", true, 3},
		{"app mean", true, 6}, {"2xx", true, 7}, {"3xx", true, 7}, {"4xx", true, 2}, {"499", true, 5}, {"5xx", true, 1}, {"retries", true, 8}, {"bytes", true, 4}, {"route", false, 0},
	}}
	shown := d.Routes
	if len(shown) > 1 {
		shown = append(append([]hotseat.AccessRoute{}, shown...), d.Total)
	}
	for i := range shown {
		r := &shown[i]
		t, app := r.Time(), "–"
		if r.UpstreamTime.Count > 0 {
			app = duration(r.UpstreamTime.Mean)
		}
		name := strings.TrimSpace(r.Method + " " + r.Template)
		if i == len(d.Routes) {
			name = "all"
		}
		table.rows = append(table.rows, []string{
			percent(r.Share), count(r.Count), total(t.Sum), duration(t.Mean), duration(t.P50), duration(t.P90), duration(t.P99), duration(t.Max),
			app, count(r.Status.Success), count(r.Status.Redirection), count(r.Status.Client + r.Status.Other), count(r.Status.GaveUp), count(r.Status.Server),
			count(r.Retries), byteSize(r.Bytes.Sum), name,
		})
	}
	if d.Total.Time().Count == 0 {
		table = table.without("total", "mean", "p50", "p90", "p99", "max", "app mean")
	}
	doc.parts = append(doc.parts, table)
	return withBadLines(doc, d.Unparsed, d.UnparsedExamples)
}

// without drops columns.
func (p part) without(names ...string) part {
	q := part{title: p.title, aside: p.aside, rows: make([][]string, len(p.rows)), details: p.details}
	for i, c := range p.columns {
		if strings.Contains("\x00"+strings.Join(names, "\x00")+"\x00", "\x00"+c.name+"\x00") {
			continue
		}
		q.columns = append(q.columns, c)
		for r := range p.rows {
			q.rows[r] = append(q.rows[r], p.rows[r][i])
		}
	}
	return q
}

func slowDocument(d *hotseat.SlowDigest, o DigestOptions) *document {
	doc := &document{title: "Slow log", notes: d.Notes}
	doc.facts = inputs(d.Files)
	if d.Server != "" {
		doc.facts = append(doc.facts, "written by "+d.Server)
	}
	doc.facts = append(doc.facts, fmt.Sprintf("%s%s, which took %s", plural(d.Entries, "statement", "statements"),
		period(d.FirstUnix, d.LastUnix, d.Entries), total(d.Total.QueryTime.Sum)))
	table := part{title: "Query classes", aside: missingRows(len(d.Classes), o.Of), columns: []digestColumn{
		{"share", true, 0}, {"calls", true, 0}, {"total", true, 2}, {"mean", true, 1}, {"p50", true, 5}, {"p95", true, 3}, {"p99", true, 6}, {"max", true, 3}, {"lock", true, 4},
		{"rows sent", true, 6}, {"examined", true, 6}, {"per sent", true, 1}, {"scans", true, 4}, {"run", true, 7}, {"query", false, 0},
	}}
	for i := range d.Classes {
		q := &d.Classes[i]
		scans := "–"
		if q.Plans.Known > 0 {
			scans = percent(float64(q.Plans.FullScan) / float64(q.Plans.Known))
		}
		table.rows = append(table.rows, []string{
			percent(q.Share), count(q.Count), total(q.QueryTime.Sum), duration(q.QueryTime.Mean), duration(q.QueryTime.P50), duration(q.QueryTime.P95),
			duration(q.QueryTime.P99), duration(q.QueryTime.Max), percent(q.LockShare), count(q.RowsSent.Sum), count(q.RowsExamined.Sum), number(q.ExaminedPerSent),
			scans, count(q.LongestRun), q.Fingerprint,
		})
		table.details = append(table.details, queryDetail(i+1, q))
	}
	doc.parts = append(doc.parts, table)
	return withBadLines(doc, d.Unparsed, d.UnparsedExamples)
}

// queryDetail is what a tuner wants to see of a class: the slowest statement and its plan.
func queryDetail(rank int, q *hotseat.QueryClass) detail {
	d := detail{title: fmt.Sprintf("%d. %s of the time, %s", rank, percent(q.Share), plural(q.Count, "call", "calls"))}
	d.texts = append(d.texts, [2]string{"id", q.ID + " (" + q.ShortID + ")"}, [2]string{"fingerprint", q.Fingerprint})
	x := q.Example
	if x == nil {
		return d
	}
	facts := fmt.Sprintf("took %s, %s examined, %s sent", duration(x.TimeS), plural(x.RowsExamined, "row", "rows"), count(x.RowsSent))
	if x.LockTimeS > 0 {
		facts += ", " + duration(x.LockTimeS) + " waiting for locks"
	}
	if x.Schema != "" {
		facts += ", in " + x.Schema
	}
	d.texts = append(d.texts, [2]string{"slowest", facts}, [2]string{"statement", x.SQL + map[bool]string{true: " …"}[x.Truncated]})
	if x.ExplainError != "" {
		d.texts = append(d.texts, [2]string{"no plan", x.ExplainError})
	}
	if len(x.Explain) == 0 {
		return d
	}
	plan := &part{title: "Plan, " + map[string]string{"log": "with rows as they were", "server": "as the server estimates it now"}[x.ExplainSource],
		columns: []digestColumn{{"table", false, 0}, {"type", false, 0}, {"possible keys", false, 2}, {"key", false, 0}, {"rows", true, 0}, {"really", true, 0}, {"kept %", true, 1}, {"extra", false, 1}}}
	for _, r := range x.Explain {
		kept := r.RFiltered
		if kept == "" {
			kept = r.Filtered
		}
		plan.rows = append(plan.rows, []string{r.Table, r.Type, r.PossibleKeys, r.Key, r.Rows, r.RRows, kept, r.Extra})
	}
	if x.ExplainSource != "log" {
		without := plan.without("really")
		plan = &without
	}
	d.plan = plan
	return d
}

func joinDocument(d *hotseat.JoinDigest, o DigestOptions) *document {
	doc := &document{title: "Routes and their queries", notes: d.Notes}
	switch d.Method {
	case hotseat.JoinExact:
		doc.facts = append(doc.facts, fmt.Sprintf("exact, by the request's id in a comment: %s of %s", plural(d.Matched, "statement", "statements"), count(d.Matched+d.Missed)))
	default:
		doc.facts = append(doc.facts, fmt.Sprintf("ESTIMATED from %s of %s: about %s of %s explained", plural(int64(d.Windows), "window", "windows"),
			seconds(d.WindowS), plural(d.Matched, "statement", "statements"), count(d.Matched+d.Missed)))
	}
	sign := map[bool]string{true: "", false: "≈ "}[d.Method == hotseat.JoinExact]
	table := part{title: "Queries of each route", aside: d.Method + missingRows(len(d.Edges), o.Of), columns: []digestColumn{
		{"per request", true, 0}, {"statements", true, 1}, {"time", true, 0}, {"of the route", true, 2}, {"route", false, 0}, {"query", false, 0}}}
	for _, e := range d.Edges {
		table.rows = append(table.rows, []string{sign + number(e.PerRequest), sign + count(e.Statements), sign + total(e.TimeS), sign + percent(e.ShareOfTime),
			e.HTTPMethod + " " + e.Template, e.Fingerprint})
	}
	doc.parts = append(doc.parts, table)
	return doc
}

// withBadLines shows what could not be read.
func withBadLines(doc *document, n int64, examples []hotseat.BadLine) *document {
	if n == 0 {
		return doc
	}
	table := part{title: "Not understood", aside: fmt.Sprintf("%s in all", count(n)),
		columns: []digestColumn{{"where", false, 0}, {"why", false, 0}, {"text", false, 0}}}
	for _, b := range examples {
		table.rows = append(table.rows, []string{fmt.Sprintf("%s:%d", b.File, b.Line), b.Why, b.Text})
	}
	doc.parts = append(doc.parts, table)
	return doc
}

var unitNames = map[string]string{"s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds"}

func inputs(files []hotseat.DigestInput) []string {
	var lines []string
	for _, f := range files {
		text := fmt.Sprintf("%s: %s, %s", f.Name, plural(f.Lines, "line", "lines"), byteSize(f.Bytes))
		if f.Format != "" {
			text += ", format " + f.Format
		}
		if f.Compression != "" {
			text += ", compressed by " + f.Compression
		}
		lines = append(lines, text)
	}
	return lines
}

// period says when, and how many a second that makes.
func period(first, last float64, n int64) string {
	if first == 0 {
		return ""
	}
	at := func(unix float64) time.Time { return time.UnixMicro(int64(unix * 1e6)).UTC() }
	text := " from " + at(first).Format("2006-01-02 15:04:05") + " to " + at(last).Format("15:04:05") + " UTC"
	if at(first).YearDay() != at(last).YearDay() || last-first > 86400 {
		text = " from " + at(first).Format("2006-01-02 15:04:05") + " to " + at(last).Format("2006-01-02 15:04:05") + " UTC"
	}
	if last-first >= 1 {
		text += fmt.Sprintf(" (%s per second)", number(float64(n)/(last-first)))
	}
	return text
}

func missingRows(shown, of int) string {
	if of <= shown {
		return ""
	}
	return fmt.Sprintf("%d of %d", shown, of)
}

// duration writes seconds with the unit that fits: queries take microseconds.
func duration(s float64) string {
	if s > 0 && s < 1e-3 {
		return number(s*1e6) + " µs"
	}
	return milliseconds(s * 1000)
}

// total writes a sum of seconds, small ones with the unit that fits.
func total(s float64) string {
	if s < 1 {
		return duration(s)
	}
	return seconds(s)
}

// IsTerminal tells whether a person sits at a file.
func IsTerminal(f *os.File) bool { return f != nil && term.IsTerminal(int(f.Fd())) }
