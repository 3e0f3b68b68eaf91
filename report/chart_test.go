package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"hotseat"
)

func TestCharts(t *testing.T) {
	spans := []Span{{"initialize", 0, 0.5, true, true}, {"load", 0.5, 3, false, true}, {"<&\x1b日本", 3, 4, true, false}}
	label := func(v float64) string { return number(v) + " <points>" }
	times := []float64{1, 2, 3}
	layers := []layer{{"mariadb", 1, []float64{1, 1.5, 1.2}}, {"アプリ & <b>", 0, []float64{0.4, 0.3, 0.5}}, {"other processes", other, []float64{0, 0.1, 0}}}
	endpoints := []hotseat.Endpoint{
		{Method: "POST", Template: "/login", Count: 9, P50MS: 130, P90MS: 260, P99MS: 610, MaxMS: 1240},
		{Method: "GET", Template: "/検索?q=<script>", Count: 1},
	}
	for _, c := range []struct {
		name    string
		picture picture
	}{
		{"line", lineChart("line", "Score <1>", "A \x1b line & more.", 0, times, []float64{3, 5, 8}, 4, spans, label)},
		{"line-empty", lineChart("line", "Score", "Nothing.", 0, nil, nil, 0, nil, label)},
		{"line-point", lineChart("line", "Score", "One point.", 0, []float64{1}, []float64{7}, 1, nil, label)},
		{"bar", barChart("bar", "Errors", "Bars.", 1, times, []float64{0, 2, 0.5}, 4, spans, label)},
		{"stack", stackChart("stack", "CPU", "Areas.", times, layers, 4, 2, "all 2 cores", spans)},
		{"stack-point", stackChart("stack", "CPU", "One.", []float64{1}, []layer{{"db", 1, []float64{1}}}, 1, 0, "", nil)},
		{"latency", latencyChart("latency", "Rows.", endpoints)},
	} {
		t.Run(c.name, func(t *testing.T) {
			for size, svg := range map[string]string{"wide": string(c.picture.Wide), "narrow": string(c.picture.Narrow)} {
				wellFormed(t, svg)
				checkDrawing(t, svg)
				// One element a line, so that a difference can be read.
				golden(t, fmt.Sprintf("chart-%s-%s.svg", c.name, size), strings.ReplaceAll(svg, "><", ">\n<")+"\n")
			}
		})
	}
}

// checkDrawing asserts that a chart has a title and a description and that its
// text and marks lie inside it.
func checkDrawing(t *testing.T, svg string) {
	t.Helper()
	var root struct {
		ViewBox string `xml:"viewBox,attr"`
		Title   string `xml:"title"`
		Desc    string `xml:"desc"`
	}
	if err := xml.Unmarshal([]byte(svg), &root); err != nil {
		t.Fatal(err)
	}
	var x, y, width, height float64
	if _, err := fmt.Sscan(root.ViewBox, &x, &y, &width, &height); err != nil || height < 40 {
		t.Errorf("viewBox %q, %v", root.ViewBox, err)
	}
	if root.Title == "" || root.Desc == "" {
		t.Error("no title or description")
	}
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		start, ok := token.(xml.StartElement)
		if err != nil || !ok || start.Name.Local == "pattern" {
			continue
		}
		for _, a := range start.Attr {
			var value float64
			if _, err := fmt.Sscan(a.Value, &value); err != nil {
				continue
			}
			switch a.Name.Local {
			case "x", "cx", "x1", "x2":
				if value < 0 || value > width {
					t.Errorf("<%s %s=%q> outside %v", start.Name.Local, a.Name.Local, a.Value, width)
				}
			case "y", "cy", "y1", "y2":
				if value < 0 || value > height {
					t.Errorf("<%s %s=%q> outside %v", start.Name.Local, a.Name.Local, a.Value, height)
				}
			}
		}
	}
}

// TestChartsOfAnyNumbers draws what no run should measure.
func TestChartsOfAnyNumbers(t *testing.T) {
	odd := []float64{0, 1e-300, 1, 1e300, math.MaxFloat64, -5, math.Inf(1), math.NaN()}
	for _, a := range odd {
		for _, b := range odd {
			times := []float64{a, b}
			values := []float64{b, a}
			for _, p := range []picture{
				lineChart("l", "t", "d", 0, times, values, a, nil, number),
				barChart("b", "t", "d", 0, times, values, a, nil, number),
				stackChart("s", "t", "d", times, []layer{{"x", 0, values}}, a, b, "limit", []Span{{"p", a, b, true, true}}),
				latencyChart("e", "d", []hotseat.Endpoint{{P50MS: a, P90MS: b, P99MS: a, MaxMS: b}}),
			} {
				for _, svg := range []string{string(p.Wide), string(p.Narrow)} {
					wellFormed(t, svg)
					if strings.Contains(svg, `="NaN"`) || strings.Contains(svg, `="+Inf`) || strings.Contains(svg, `="-Inf`) || len(svg) > 40_000 {
						t.Fatalf("%v, %v: %d bytes: %.2000s", a, b, len(svg), svg)
					}
				}
			}
		}
	}
}
