package report

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"hotseat"
)

func render(t *testing.T, run *Run) string {
	t.Helper()
	var out bytes.Buffer
	if err := HTML(&out, run); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func parse(t *testing.T, text string) *html.Node {
	t.Helper()
	node, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return node
}

func elements(node *html.Node, visit func(*html.Node)) {
	if node.Type == html.ElementNode {
		visit(node)
	}
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		elements(child, visit)
	}
}

func words(node *html.Node) string {
	if node.Type == html.TextNode {
		return node.Data
	}
	var b strings.Builder
	for child := node.FirstChild; child != nil; child = child.NextSibling {
		b.WriteString(words(child))
	}
	return b.String()
}

// checkPage asserts what every report promises: nothing in it acts or comes
// from outside, and its drawings are well-formed XML.
func checkPage(t *testing.T, text string) {
	t.Helper()
	ids := map[string]bool{}
	policies := 0
	elements(parse(t, text), func(e *html.Node) {
		switch e.Data {
		case "script", "iframe", "object", "embed", "link", "img", "base", "form", "foreignobject", "image", "use", "animate", "set", "template":
			t.Errorf("element %s", e.Data)
		}
		for _, a := range e.Attr {
			switch {
			case strings.HasPrefix(a.Key, "on"):
				t.Errorf("<%s %s=%q>", e.Data, a.Key, a.Val)
			case a.Key == "style", a.Key == "src", a.Key == "srcdoc", a.Key == "formaction":
				t.Errorf("<%s %s=%q>", e.Data, a.Key, a.Val)
			case a.Key == "href" && !strings.HasPrefix(a.Val, "#"):
				t.Errorf("a link to %q", a.Val)
			case strings.Contains(a.Val, "url(") && !strings.HasPrefix(a.Val, "url(#"):
				t.Errorf("%s=%q", a.Key, a.Val)
			case a.Key == "id" && ids[a.Val]:
				t.Errorf("two elements with id %q", a.Val)
			case a.Key == "id":
				ids[a.Val] = true
			case a.Val == "Content-Security-Policy":
				policies++
			}
		}
	})
	if policies != 1 {
		t.Errorf("%d policies", policies)
	}
	if strings.Contains(text, "ZgotmplZ") {
		t.Error("html/template refused a value")
	}
	for _, drawing := range regexp.MustCompile(`(?s)<svg xmlns.*?</svg>`).FindAllString(text, -1) {
		wellFormed(t, drawing)
	}
}

func wellFormed(t *testing.T, drawing string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(drawing))
	for {
		_, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Errorf("%v in %.300s", err, drawing)
			return
		}
	}
}

// TestSample renders the sample runs; REPORT_OUT names a folder to look at them in.
func TestSample(t *testing.T) {
	for _, c := range []struct {
		name    string
		failing bool
	}{{"pass", false}, {"fail", true}} {
		t.Run(c.name, func(t *testing.T) {
			path, err := Save(sampleRun(t, c.failing))
			if err != nil {
				t.Fatal(err)
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			checkPage(t, string(text))
			if out := os.Getenv("REPORT_OUT"); out != "" {
				if err := os.WriteFile(filepath.Join(out, c.name+".html"), text, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func TestHostileTextIsOnlyText(t *testing.T) {
	text := render(t, hostileRun())
	if out := os.Getenv("REPORT_OUT"); out != "" {
		if err := os.WriteFile(filepath.Join(out, "hostile.html"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	checkPage(t, text)
	if strings.ContainsAny(text, "\x1b\x00\u202e\u2066\a") {
		t.Error("characters that act")
	}
	shown := words(parse(t, text))
	if n := strings.Count(shown, Visible(hostile)); n < 40 {
		t.Errorf("the text is shown only %d times", n)
	}
}

// hostileRun has the text wherever a run can hold one.
func hostileRun() *Run {
	run := &Run{Result: *hostileResult(hostile), Complete: true}
	run.Spans = []Span{{Name: hostile, To: 50}}
	run.Logs = []Log{{Message: hostile}}
	run.Notes = []string{hostile}
	run.Progress = []ProgressPoint{{AtS: 1, Score: 1}, {AtS: 2, Score: 5}}
	run.Samples = []Sample{
		{T: 0, Processes: map[string]SampleUse{hostile: {}}},
		{T: 50, Processes: map[string]SampleUse{hostile: {CPUS: 90}}},
	}
	run.Measure.Database = &Database{RowsRead: 1}
	return run
}

// The one moment at which the benchmark stood still must survive the thinning
// of a long run's curves.
func TestLagKeepsItsPeak(t *testing.T) {
	for peak := range 7 {
		run := &Run{Result: *sampleResult(false)}
		for i := range 700 {
			p := ProgressPoint{AtS: float64(i + 1), Requests: int64(i), LagMS: 1}
			if i == 300+peak {
				p.LagMS = 412
			}
			run.Progress = append(run.Progress, p)
		}
		if page := render(t, run); !strings.Contains(page, "at most 412 ms") {
			t.Errorf("a peak in second %d is not in the report", 300+peak)
		}
	}
}

// Shares of waiting are estimates unless the benchmark told the sums.
func TestShareOfWaiting(t *testing.T) {
	told := sampleResult(false)
	for i := range told.Endpoints {
		told.Endpoints[i].TotalS = 1
	}
	told.Endpoints[0].TotalS = float64(len(told.Endpoints)) + 1
	half := percent(told.Endpoints[0].TotalS / (2 * float64(len(told.Endpoints))))
	exact, estimated := render(t, &Run{Result: *told}), render(t, &Run{Result: *sampleResult(false)})
	if strings.Contains(exact, "≈ share") || !strings.Contains(estimated, "≈ share") {
		t.Error("the sign for an estimate is in the wrong report")
	}
	if !strings.Contains(exact, half) {
		t.Errorf("no endpoint has %s of the waiting", half)
	}
}

func TestHTMLOfOddRuns(t *testing.T) {
	many := sampleResult(true)
	for range 20 {
		s := many.Failures[1].Samples[0]
		s.Actual = strings.Repeat("長い本文", 5000)
		many.Failures[1].Samples = append(many.Failures[1].Samples, s)
	}
	for i := range 3000 {
		g := many.Failures[0]
		g.Code = "code-" + count(int64(i))
		many.Failures = append(many.Failures, g)
		many.Endpoints = append(many.Endpoints, hotseat.Endpoint{Method: "GET", Template: "/" + count(int64(i)), Count: 1, P50MS: 1e-9, MaxMS: 1e300})
	}
	huge := sampleResult(false)
	huge.Endpoints[0].Count, huge.Endpoints[0].P99MS = 1<<62, 1e18
	huge.Processes = []hotseat.ProcessUse{{Name: "app", CPUS: 1e300, RSSMaxBytes: 1<<63 - 1}}
	long := &Run{Complete: true, Result: *sampleResult(false)}
	for i := range 20_000 {
		long.Progress = append(long.Progress, ProgressPoint{AtS: float64(i), Score: int64(i) * 7, Requests: int64(i) * 9})
		long.Samples = append(long.Samples, Sample{T: float64(i), Processes: map[string]SampleUse{"app": {CPUS: float64(i)}}})
	}
	for _, c := range []struct {
		name string
		run  *Run
		want []string
	}{
		{"zero", &Run{}, []string{"UNFINISHED", "No process was measured", "Nothing was recorded", "No request was answered"}},
		{"infra", &Run{Complete: true, Result: hotseat.Result{Verdict: hotseat.Infra, Reason: "the benchmark was killed (signal: killed)"}}, []string{"INFRA", "signal: killed"}},
		{"one point", &Run{Progress: []ProgressPoint{{AtS: 1, Score: 5, Requests: 9}}, Samples: []Sample{{}, {T: 1, Processes: map[string]SampleUse{"db": {CPUS: 1}}}}}, []string{"Score over time", "9/s"}},
		{"one moment", &Run{Progress: []ProgressPoint{{}, {}}, Samples: []Sample{{}, {}}}, nil},
		{"huge", &Run{Result: *huge, Progress: []ProgressPoint{{AtS: 1, Score: 1 << 62, Requests: 1<<63 - 1, Errors: 1 << 62}, {AtS: 1e12, Score: -1 << 63}}}, nil},
		{"many", &Run{Result: *many}, []string{"more kinds of failures are in result.json", "more samples are in events.jsonl", "56 kB more"}},
		{"long", long, []string{"Score over time"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := render(t, c.run)
			checkPage(t, text)
			shown := words(parse(t, text))
			for _, want := range c.want {
				if !strings.Contains(shown, want) {
					t.Errorf("%q is not shown", want)
				}
			}
			if strings.Contains(text, "NaN") || strings.Contains(text, "+Inf") {
				t.Error("a value that is no number is shown")
			}
			if len(text) > 4<<20 {
				t.Errorf("%d bytes", len(text))
			}
		})
	}
}

// TestPageText keeps what the page says, so that a change of words shows in review.
func TestPageText(t *testing.T) {
	run := load(t, sampleRun(t, true))
	run.Samples, run.Progress = run.Samples[:3], run.Progress[:2]
	var lines []string
	elements(parse(t, render(t, run)), func(e *html.Node) {
		switch e.Data {
		case "h1", "h2", "h3", "h4", "p", "tr", "li", "dt", "dd", "summary", "figcaption", "pre", "footer", "nav":
			if text := strings.Join(strings.Fields(words(e)), " "); text != "" {
				lines = append(lines, e.Data+": "+text)
			}
		}
	})
	golden(t, "page-fail.txt", strings.Join(lines, "\n")+"\n")
}
