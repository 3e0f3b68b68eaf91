package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"hotseat"
)

//go:embed page.html.tmpl
var pageTemplate string

//go:embed page.css
var pageStyle string

// HTML writes the report of a run as one file that needs nothing else: no
// script, no outside style, font or picture.
func HTML(w io.Writer, run *Run) error {
	page, err := template.New("report").Funcs(template.FuncMap{
		"count": count, "large": large, "number": number, "ms": milliseconds, "seconds": seconds,
		"bytes": byteSize, "percent": percent, "clock": clock, "plural": plural,
		"clip": clip, "severity": severityTag, "textures": func() template.HTML { return textures("bar") },
		"wide":   func(n int) int64 { return int64(n) },
		"memory": memoryLimit, "missed": missedStarts,
		"milli": func(s float64) float64 { return 1000 * s },
	}).Parse(pageTemplate)
	if err != nil {
		return fmt.Errorf("read the report's template: %w", err)
	}
	if err := page.Execute(w, newPage(allVisible(run))); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// page is what the template shows. Everything in it has passed Visible.
type page struct {
	*Run
	Style  template.CSS
	Policy string // the Content-Security-Policy

	Sign, Word, Meaning string
	Score               string
	Tiles               []tile

	CPU       cpuView
	Charts    []figure
	Endpoints endpointView
	Groups    []groupView
	Hidden    int // groups of failures beyond maxGroups
	Failures  int64
	Rules     []ruleLine
	Exercised int
	Flames    []flameView
}

// flameView is a flame graph with the table that says the same.
type flameView struct {
	Name, Aside string
	Picture     picture
	Lines       []flameLine
}

// severityTag is the colour of a finding's tag.
func severityTag(s hotseat.Severity) string {
	switch s {
	case hotseat.Critical:
		return "bad"
	case hotseat.Warning:
		return "warn"
	}
	return ""
}

type tile struct{ Name, Value, Aside string }

// figure is a chart over time with the table that says the same.
type figure struct {
	Title   string
	Aside   string
	Picture picture
	Legend  []legendEntry
	Table   dataTable
}

type legendEntry struct {
	Name  string
	Class int
	Value string
}

type dataTable struct {
	Heads []string
	Rows  [][]string
}

func newPage(run *Run) *page {
	r := &run.Result
	hash := sha256.Sum256([]byte(pageStyle))
	p := &page{
		Run:   run,
		Style: template.CSS(pageStyle), // our own, embedded
		Policy: "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'none'",
		Meaning: verdictMeaning(r.Verdict), Score: scoreText(r),
		Failures: failureCount(r.Failures), Rules: rules(r),
	}
	p.Sign, p.Word = verdictWord(r.Verdict)
	for _, l := range p.Rules {
		if l.Times > 0 || l.Broken > 0 {
			p.Exercised++
		}
	}
	cpu := newCPUSeries(run)
	classes := processClasses(run, &cpu)
	p.CPU = newCPUView(run, &cpu, classes)
	p.Endpoints = newEndpointView(r.Endpoints)
	p.Groups, p.Hidden = groupViews(r.Run, r.Failures)
	p.Tiles = tiles(run, &p.CPU)
	p.Charts = charts(run, &cpu, classes)
	for i, f := range run.flames {
		v := flameView{Name: f.Name, Picture: f.picture(fmt.Sprintf("flame%d", i)), Lines: f.table()}
		if f.Seconds > 0 {
			v.Aside = seconds(f.Seconds) + " of CPU time sampled"
		}
		p.Flames = append(p.Flames, v)
	}
	return p
}

func tiles(run *Run, cpu *cpuView) []tile {
	r := &run.Result
	requests, _ := requestCount(r)
	failures := failureCount(r.Failures)
	took := loadSeconds(r)
	all := []tile{{"Requests", large(requests), ""}}
	if took > 0 && requests > 0 {
		all[0].Aside = "in " + seconds(took) + " of load"
		all = append(all, tile{"Per second", number(float64(requests) / took), "mean over the load"})
	}
	aside := "none"
	if failures > 0 && requests > 0 {
		aside = percent(float64(failures)/float64(requests)) + " of the requests"
	} else if failures > 0 {
		aside = plural(int64(len(r.Failures)), "kind", "kinds")
	}
	all = append(all, tile{"Failures", large(failures), aside})
	if worst := byWaiting(r.Endpoints); len(worst) > 0 && waited(worst[0]) > 0 {
		all = append(all, tile{"p99 of " + fit(worst[0].Method+" "+worst[0].Template, 24), milliseconds(worst[0].P99MS), "where clients waited most"})
	}
	if len(cpu.Rows) > 0 && cpu.Rows[0].CPUS > 0 {
		all = append(all, tile{"Busiest process", cpu.Rows[0].Name, percent(cpu.Rows[0].ShareUsed) + " of the CPU time used"})
	}
	return all
}

// charts draws everything that has a time, one under the other on one axis.
func charts(run *Run, cpu *cpuSeries, classes map[string]int) []figure {
	s := newScoreSeries(run)
	end := 0.0
	for _, times := range [][]float64{s.T, cpu.T} {
		if len(times) > 0 {
			end = max(end, slices.Max(times))
		}
	}
	for _, span := range run.Spans {
		end = max(end, span.To)
	}
	var all []figure
	if len(s.T) > 0 {
		all = append(all, scoreFigures(run, &s, end)...)
	}
	if len(cpu.T) > 0 && len(cpu.Names) > 0 {
		all = append(all, cpuFigure(run, cpu, classes, end))
	}
	if len(s.T) > 0 && slices.Max(s.Lag) > 0 {
		all = append(all, lagFigure(run, &s, classes, end))
	}
	return all
}

// lagFigure shows whether the benchmark itself kept up: where it did not, the
// times that its clients measured are too long, and not by the target's fault.
func lagFigure(run *Run, s *scoreSeries, classes map[string]int, end float64) figure {
	most := slices.Max(s.Lag)
	f := figure{Title: "Delay of the benchmark itself", Table: dataTable{Heads: []string{"time", "delay"}},
		Aside: fmt.Sprintf("how late it was given the CPU, in ms; at most %s", milliseconds(most))}
	for i, t := range s.T {
		f.Table.Rows = append(f.Table.Rows, []string{clock(t), milliseconds(s.Lag[i])})
	}
	class, ok := classes["benchmark"]
	if !ok {
		class = other
	}
	f.Picture = barChart("lag", "Delay of the benchmark itself over time",
		fmt.Sprintf("A bar for each interval, at most %s.", milliseconds(most)),
		class, s.T, s.Lag, end, run.Spans, milliseconds)
	return f
}

func scoreFigures(run *Run, s *scoreSeries, end float64) []figure {
	score := figure{Title: "Score", Aside: "the sum so far, as the benchmark counted it", Table: dataTable{Heads: []string{"time", "score"}}}
	rate := figure{Title: "Requests per second", Table: dataTable{Heads: []string{"time", "requests/s"}}}
	bad := figure{Title: "Errors per second", Table: dataTable{Heads: []string{"time", "errors/s"}}}
	var errors float64
	for i, t := range s.T {
		score.Table.Rows = append(score.Table.Rows, []string{clock(t), number(s.Score[i])})
		rate.Table.Rows = append(rate.Table.Rows, []string{clock(t), number(s.Rate[i])})
		bad.Table.Rows = append(bad.Table.Rows, []string{clock(t), number(s.ErrorRate[i])})
		errors += s.ErrorRate[i]
	}
	last := len(s.T) - 1
	low, high := slices.Min(s.Rate), slices.Max(s.Rate)
	score.Picture = lineChart("score", "Score over time",
		fmt.Sprintf("A line from 0 to %s at %s.", number(s.Score[last]), clock(s.T[last])),
		0, s.T, s.Score, end, run.Spans, number)
	rate.Aside = fmt.Sprintf("between %s and %s", number(low), number(high))
	rate.Picture = lineChart("rate", "Requests per second over time",
		fmt.Sprintf("A line between %s and %s, at last %s.", number(low), number(high), number(s.Rate[last])),
		2, s.T, s.Rate, end, run.Spans, func(v float64) string { return number(v) + "/s" })
	figures := []figure{score, rate}
	if errors > 0 {
		bad.Picture = barChart("errors", "Errors per second over time",
			fmt.Sprintf("A bar for each interval with errors, at most %s per second.", number(slices.Max(s.ErrorRate))),
			1, s.T, s.ErrorRate, end, run.Spans, func(v float64) string { return number(v) + " errors/s" })
		figures = append(figures, bad)
	}
	return figures
}

func cpuFigure(run *Run, cpu *cpuSeries, classes map[string]int, end float64) figure {
	f := figure{Title: "CPU by process", Aside: "in cores (CPU seconds per second), means beside the names", Table: dataTable{Heads: []string{"time"}}}
	var layers []layer
	for _, name := range cpu.Names {
		layers = append(layers, layer{name, classes[name], cpu.Cores[name]})
	}
	mean := func(values []float64) (sum float64) {
		for _, v := range values {
			sum += v / float64(len(values))
		}
		return sum
	}
	slices.SortStableFunc(layers, func(a, b layer) int { // the busiest carries the rest
		switch x, y := mean(a.Values), mean(b.Values); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	if rest := cpu.otherCores(); mean(rest) > 0 {
		layers = append(layers, layer{"other processes", other, rest})
	}
	var words []string
	for _, l := range layers {
		f.Legend = append(f.Legend, legendEntry{l.Name, l.Class, number(mean(l.Values))})
		f.Table.Heads = append(f.Table.Heads, l.Name)
		words = append(words, l.Name+" "+number(mean(l.Values)))
	}
	f.Table.Heads = append(f.Table.Heads, "steal")
	for i, t := range cpu.T {
		row := []string{clock(t)}
		for _, l := range layers {
			row = append(row, number(l.Values[i]))
		}
		f.Table.Rows = append(f.Table.Rows, append(row, trim(cpu.Steal[i], 1)+" %"))
	}
	limit := float64(run.Result.Host.CPUs)
	f.Picture = stackChart("cpu", "Cores used by each process over time",
		"Stacked areas; means in cores: "+strings.Join(words, ", ")+".",
		cpu.T, layers, end, limit, "all "+plural(int64(limit), "core", "cores"), run.Spans)
	return f
}

// cpuView is where the machine's time went.
type cpuView struct {
	Rows     []cpuRow
	Bar      []barPart
	Capacity float64 // CPU seconds the machine had; 0 if unknown
	Sentence string
	Noise    string // what disturbed the run; may be empty
}

type cpuRow struct {
	hotseat.ProcessUse
	Class     int
	ShareHost float64 // of the capacity
	ShareUsed float64 // of what all named processes used
	Outside   bool    // not a process of the run: only CPUS and ShareHost are known
}

// barPart is a part of a bar; X and Width are percent.
type barPart struct {
	Name     string
	Class    int // -1 for what nothing used
	X, Width float64
	Share    float64
}

// Percent attributes of an SVG.
func (b barPart) Left() string { return trim(b.X, 2) + "%" }
func (b barPart) Wide() string { return trim(b.Width, 2) + "%" }

func newCPUView(run *Run, cpu *cpuSeries, classes map[string]int) cpuView {
	r := &run.Result
	v := cpuView{Noise: noise(&run.Measure, r)}
	var used float64
	for _, p := range r.Processes {
		used += p.CPUS
	}
	if used <= 0 {
		return v
	}
	span := r.ElapsedS
	if n := len(cpu.T); n > 0 {
		span = cpu.T[n-1]
	}
	v.Capacity = float64(r.Host.CPUs) * span
	whole := max(v.Capacity, used)
	at := 0.0
	add := func(name string, class int, s float64) {
		if share := s / whole; share > 0 {
			v.Bar = append(v.Bar, barPart{name, class, 100 * at, 100 * share, share})
			at += share
		}
	}
	addOutside := func(name string, class int, s float64) {
		if s > 0 {
			v.Rows = append(v.Rows, cpuRow{
				ProcessUse: hotseat.ProcessUse{Name: name, CPUS: s}, Class: class, ShareHost: s / whole, Outside: true,
			})
			add(name, class, s)
		}
	}
	for _, p := range byCPU(r.Processes) {
		row := cpuRow{ProcessUse: p, Class: classes[p.Name], ShareUsed: p.CPUS / used}
		if v.Capacity > 0 {
			row.ShareHost = p.CPUS / whole
		}
		v.Rows = append(v.Rows, row)
		add(p.Name, row.Class, p.CPUS)
	}
	if v.Capacity > 0 {
		if run.Measure.Host.BusyPct > 0 {
			addOutside("other processes", other, min(run.Measure.Host.BusyPct/100*v.Capacity, whole)-used)
		}
		addOutside("idle, stolen or waiting for disks", -1, whole*(1-at))
	}
	first := v.Rows[0]
	v.Sentence = fmt.Sprintf("%s used %s of CPU, %s of what the run's processes used together", first.Name, seconds(first.CPUS), percent(first.ShareUsed))
	if v.Capacity > 0 {
		v.Sentence += fmt.Sprintf(" and %s of what the machine had (%s × %s)", percent(first.ShareHost), plural(int64(r.Host.CPUs), "core", "cores"), seconds(span))
	}
	v.Sentence += "."
	return v
}

// endpointView is the latency as clients saw it.
type endpointView struct {
	Rows    []endpointRow
	Picture picture
	Drawn   int
	Exact   bool // the benchmark told how long was waited: the shares are no estimates
}

type endpointRow struct {
	hotseat.Endpoint
	Share float64 // of all waiting
}

// Wide is the share as a percent attribute of an SVG.
func (e endpointRow) Wide() string { return trim(100*e.Share, 2) + "%" }

// The chart shows the endpoints that matter most, the table many more.
const (
	maxDrawn     = 16
	maxEndpoints = 300
)

func newEndpointView(endpoints []hotseat.Endpoint) endpointView {
	v := endpointView{Exact: true}
	sorted := byWaiting(endpoints)
	var total float64
	for _, e := range sorted {
		total += waited(e)
	}
	for _, e := range sorted[:min(len(sorted), maxEndpoints)] {
		row := endpointRow{Endpoint: e}
		v.Exact = v.Exact && (e.TotalS > 0 || e.Count == 0)
		if total > 0 {
			row.Share = waited(e) / total
		}
		v.Rows = append(v.Rows, row)
	}
	v.Drawn = min(len(sorted), maxDrawn)
	if v.Drawn > 0 {
		first := sorted[0]
		v.Picture = latencyChart("latency", fmt.Sprintf("One row per endpoint with p50, p90, p99 and the slowest answer. First row: %s %s, p50 %s, p99 %s.",
			first.Method, first.Template, milliseconds(first.P50MS), milliseconds(first.P99MS)), sorted[:v.Drawn])
	}
	return v
}

// groupView is one kind of failure.
type groupView struct {
	hotseat.FailureGroup
	Wrong   bool // a wrong answer: fails the run under strict rules
	Samples []sampleView
	More    int // samples not shown
}

type sampleView struct {
	hotseat.Failure
	Want, Got marked
	Open      bool
	Replay    string // the command line that repeats it
}

// Sent is the request without the carriage returns that HTTP's lines end with.
func (s sampleView) Sent() string {
	return strings.TrimSpace(clip(strings.ReplaceAll(s.Request, "\\r\n", "\n")))
}

// What is shown of failures; result.json and events.jsonl hold more.
const (
	maxGroups  = 60
	maxSamples = 6
)

func groupViews(run string, groups []hotseat.FailureGroup) (views []groupView, hidden int) {
	sorted := byWeight(groups)
	for i, g := range sorted[:min(len(sorted), maxGroups)] {
		probe := hotseat.Failure{Class: g.Class, Code: g.Code}
		v := groupView{FailureGroup: g, Wrong: g.Side != hotseat.SideBench && probe.WrongAnswer(), More: max(0, len(g.Samples)-maxSamples)}
		for j, s := range g.Samples[:len(g.Samples)-v.More] {
			sample := sampleView{Failure: s, Open: i == 0 && j == 0, Replay: replayCommand(run, &s)}
			sample.Want, sample.Got = difference(clip(s.Expected), clip(s.Actual))
			v.Samples = append(v.Samples, sample)
		}
		views = append(views, v)
	}
	return views, len(sorted) - len(views)
}
