package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"hotseat"
)

// nastyPath is what a log may hold to fool a reader's terminal, table or browser.
const nastyPath = "/<script>alert(1)</script>|`x`\x1b[31m\u202e"

func sampleAccess() *hotseat.AccessDigest {
	spread := hotseat.Spread{Count: 10, Sum: 1.5, Mean: 0.15, P50: 0.1, P90: 0.3, P99: 0.9, Max: 1}
	return &hotseat.AccessDigest{
		Files: []hotseat.DigestInput{{Name: "access.log", Format: "ltsv", Lines: 12, Bytes: 3400}}, Notes: []string{"2 of 12 lines could not be read and are not counted"},
		Lines: 12, Requests: 10, FirstUnix: 1795269900, LastUnix: 1795269910, Unparsed: 2,
		UnparsedExamples: []hotseat.BadLine{{File: "access.log", Line: 7, Text: nastyPath, Why: "no path"}},
		TimeUnit:         "s", UnitBasis: "numbers with fractions",
		Total: hotseat.AccessRoute{Count: 10, Share: 1, RequestTime: spread},
		Routes: []hotseat.AccessRoute{
			{Method: "GET", Template: "/items/*", Count: 8, Share: 0.9, RequestTime: spread, Status: hotseat.StatusClasses{Success: 7, GaveUp: 1}},
			{Method: "GET", Template: nastyPath, Count: 2, Share: 0.1, RequestTime: spread, Status: hotseat.StatusClasses{Server: 2}},
		},
	}
}

func sampleSlow() *hotseat.SlowDigest {
	q := hotseat.QueryClass{ID: strings.Repeat("A1", 16), ShortID: strings.Repeat("A1", 8), Fingerprint: "select * from items where name = ?", Verb: "SELECT", Count: 5, Share: 1,
		QueryTime: hotseat.Spread{Count: 5, Sum: 0.01, Mean: 0.002}, ExaminedPerSent: 3000, Plans: hotseat.PlanCounts{Known: 5, FullScan: 5},
		Example: &hotseat.QueryExample{SQL: "SELECT * FROM items WHERE name = '```" + nastyPath + "'", TimeS: 0.004, RowsExamined: 3000, Schema: "shop", ExplainSource: "log",
			Explain: []hotseat.ExplainRow{{Table: "items", Type: "ALL", Key: "NULL", Rows: "3000", RRows: "3003.00", RFiltered: "2.00", Extra: "Using where"}}}}
	return &hotseat.SlowDigest{Files: []hotseat.DigestInput{{Name: "slow.log", Format: "mariadb"}}, Server: "10.11", Entries: 5, Total: q, Classes: []hotseat.QueryClass{q}}
}

func sampleJoin() *hotseat.JoinDigest {
	return &hotseat.JoinDigest{Method: hotseat.JoinEstimated, WindowS: 1, Windows: 60, Matched: 5, Missed: 1,
		Edges: []hotseat.JoinEdge{{HTTPMethod: "GET", Template: nastyPath, Fingerprint: "select ?", PerRequest: 2, Statements: 5, TimeS: 0.5}}}
}

func drawn(t *testing.T, o DigestOptions) map[string]string {
	t.Helper()
	out := map[string]string{}
	for name, f := range map[string]func(io.Writer) error{
		"access": func(w io.Writer) error { return AccessDigest(w, sampleAccess(), o) },
		"slow":   func(w io.Writer) error { return SlowDigest(w, sampleSlow(), o) },
		"join":   func(w io.Writer) error { return JoinDigest(w, sampleJoin(), o) },
	} {
		var b bytes.Buffer
		if err := f(&b); err != nil {
			t.Fatal(err)
		}
		out[name] = b.String()
	}
	return out
}

// What every medium must say of the samples.
var said = map[string][]string{
	"access": {"access.log", "ltsv", "seconds", "items", "90 %", "no path", "could not be read"},
	"slow":   {strings.Repeat("A1", 16), "select", "3,000", "ALL", "3003.00", "really", "100 %"},
	"join":   {"stimated", "ESTIMATED", "≈ 2", "60"},
}

func TestDigestsSayItInEveryMedium(t *testing.T) {
	for _, format := range []string{DigestText, DigestMarkdown, DigestHTML} {
		for name, text := range drawn(t, DigestOptions{Format: format}) {
			for _, want := range said[name] {
				if !strings.Contains(text, want) {
					t.Errorf("%s as %s does not say %q:\n%s", name, format, want, text)
				}
			}
			if strings.ContainsAny(text, "\x1b\u202e") || format == DigestHTML && strings.Contains(text, "<script") {
				t.Errorf("%s as %s lets a hostile text through:\n%s", name, format, text)
			}
		}
	}
	if err := AccessDigest(io.Discard, sampleAccess(), DigestOptions{Format: "pdf"}); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("error %v", err)
	}
}

func TestDigestTablesFitTheTerminal(t *testing.T) {
	for _, width := range []int{60, 80, 120, 200} {
		for name, text := range drawn(t, DigestOptions{Width: width}) {
			for l := range strings.SplitSeq(text, "\n") {
				if n := columns(l); n > width {
					t.Errorf("%s at %d columns has a line of %d: %s", name, width, n, l)
				}
			}
			if !strings.Contains(text, "share") && name != "join" {
				t.Errorf("%s at %d columns has lost its share:\n%s", name, width, text)
			}
		}
	}
}

// The page must be well-formed, and its tables as wide in every row.
func TestDigestPagesAreWellFormed(t *testing.T) {
	for name, text := range drawn(t, DigestOptions{Format: DigestHTML}) {
		d := xml.NewDecoder(strings.NewReader(text))
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
		heads, cells := 0, 0
		for {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			} else if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch e := token.(type) {
			case xml.StartElement:
				switch e.Name.Local {
				case "thead":
					heads = 0
				case "th":
					heads++
				case "td":
					cells++
				case "tr":
					cells = 0
				}
			case xml.EndElement:
				if e.Name.Local == "tr" && cells != 0 && cells != heads {
					t.Errorf("%s: a row has %d cells under %d heads", name, cells, heads)
				}
			}
		}
	}
}
