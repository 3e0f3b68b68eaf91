package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"sort"
	"strings"

	"golang.org/x/term"

	"hotseat"
)

// maxLines is how long the terminal's story may be: one screen of 25 lines.
const maxLines = 25

// TerminalOptions says how to write for a terminal.
type TerminalOptions struct {
	Color  bool   // see [ColorWanted]
	Width  int    // columns; 80 if 0, at least 40
	Report string // path of report.html, named at the end; may be empty
}

// ColorWanted reports whether out is a terminal whose user did not ask for
// plain text by NO_COLOR (https://no-color.org) or TERM=dumb.
func ColorWanted(out *os.File, getenv func(string) string) bool {
	return getenv("NO_COLOR") == "" && getenv("TERM") != "dumb" && term.IsTerminal(int(out.Fd()))
}

// Width returns the columns of the terminal that out is, 80 where it is none.
func Width(out *os.File) int {
	if width, _, err := term.GetSize(int(out.Fd())); err == nil && width > 0 {
		return width
	}
	return 80
}

// Terminal writes the story of a run in at most 25 lines: outcome first, then
// what decided it, then where the time went.
func Terminal(w io.Writer, r *hotseat.Result, o TerminalOptions) error {
	if o.Width == 0 {
		o.Width = 80
	}
	t := terminal{TerminalOptions: o, width: max(o.Width, 40)}
	sections := [][]string{t.outcome(r), t.failures(r), t.processes(r), nil, t.footer(r)}
	room := maxLines
	for _, s := range sections {
		room -= len(s)
	}
	sections[3] = t.endpoints(r, room-2) // its heading, and a blank line for the eye
	if room < 0 {                        // so much is to be said above that the idler processes have to stay in the report
		sections[2] = sections[2][:max(len(sections[2])+room, 0)]
	}

	// Blank lines between sections are worth having where they fit.
	total, parts := 0, 0
	for _, s := range sections {
		total += len(s)
		if len(s) > 0 {
			parts++
		}
	}
	blanks := min(parts-1, maxLines-total)
	var out bytes.Buffer
	written := 0
	for _, s := range sections {
		if len(s) == 0 {
			continue
		}
		if written > 0 && blanks > 0 {
			out.WriteByte('\n')
			blanks--
		}
		for _, line := range s {
			out.WriteString(line + "\n")
		}
		written++
	}
	_, err := w.Write(out.Bytes())
	return err
}

type terminal struct {
	TerminalOptions
	width int
}

// Styles of SGR, ECMA-48 §8.3.117.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
)

func (t terminal) paint(style, s string) string {
	if !t.Color || s == "" {
		return s
	}
	return "\x1b[" + style + "m" + s + "\x1b[0m"
}

// fact writes a label and a text that may take so many lines.
func (t terminal) fact(label, style, text string, lines int) []string {
	const indent = 10
	var out []string
	for i, part := range wrap(line(text), t.width-indent-2, lines) {
		head := strings.Repeat(" ", indent)
		if i == 0 {
			head = pad(label, indent)
		}
		out = append(out, "  "+t.paint(dim, head)+t.paint(style, part))
	}
	return out
}

// How many lines the terminal has for remarks and for limits.
const (
	remarkLines = 2
	limitLines  = 2
)

func (t terminal) outcome(r *hotseat.Result) []string {
	sign, word := verdictWord(r.Verdict)
	style := map[hotseat.Verdict]string{hotseat.Pass: green, hotseat.Fail: red}[r.Verdict]
	if style == "" {
		style = yellow
	}
	verdict := sign + " " + word
	score := "score " + scoreText(r)
	detail := ""
	if r.Score == nil || *r.Score != r.RawScore {
		detail = "raw " + count(r.RawScore)
	}
	if r.Deduction != 0 {
		detail = strings.TrimLeft(detail+", deduction "+count(r.Deduction), ", ")
	}
	if detail != "" {
		detail = " (" + detail + ")"
	}
	score = fit(score, t.width-columns(verdict)-2)
	room := t.width - columns(verdict) - columns(score) - 2
	detail = fit(detail, room)
	first := t.paint(bold+";"+style, verdict) + "  " + t.paint(bold, score) + detail
	if room -= columns(detail) + 2; room > 8 && r.Problem != "" {
		first += "  " + t.paint(dim, fit(line(r.Problem), room))
	}
	lines := []string{first}
	reason := r.Reason
	if reason == "" && r.Verdict != hotseat.Pass {
		reason = verdictMeaning(r.Verdict)
	}
	if reason != "" {
		lines = append(lines, t.fact("reason", "", reason, 2)...)
	}
	if r.Hint != "" {
		lines = append(lines, t.fact("hint", "", r.Hint, 2)...)
	}

	remarks := r.Remarks[:min(len(r.Remarks), remarkLines)]
	for _, remark := range remarks {
		lines = append(lines, t.fact("remark", "", remark, remarkLines/len(remarks))...)
	}
	if missed := missedStarts(r.Arrivals); missed != "" {
		lines = append(lines, t.fact("missed", yellow, missed, 2)...)
	}

	requests, _ := requestCount(r)
	failures := failureCount(r.Failures)
	facts := []string{plural(requests, "request", "requests")}
	if took := loadSeconds(r); took > 0 && requests > 0 {
		facts = append(facts, number(float64(requests)/took)+"/s")
	}
	facts = append(facts, plural(failures, "failure", "failures"))
	for _, name := range keys(r.Params) {
		facts = append(facts, line(name)+"="+line(r.Params[name]))
	}
	if r.Generator.Saturated {
		facts = append(facts, "benchmark at its limit")
	}
	lines = append(lines, t.fact("run", "", strings.Join(facts, " · "), 1)...)
	for _, l := range r.Limits {
		lines = append(lines, t.fact("memory", "", memoryLimit(l), max(limitLines/len(r.Limits), 1))...)
	}
	return lines
}

// memoryLimit says what a part of the stack might hold and did.
func memoryLimit(l hotseat.MemoryLimit) string {
	keeper := "limit kept by " + line(l.By)
	if l.Why != "" {
		keeper += ", a few looks a second, because " + line(l.Why)
	}
	return fmt.Sprintf("%s held up to %d of %d MB (%s)", line(l.Process), l.PeakBytes>>20, l.MemoryBytes>>20, keeper)
}

func (t terminal) failures(r *hotseat.Result) []string {
	groups := byWeight(r.Failures)
	if len(groups) == 0 {
		return nil
	}
	lines := []string{t.head("Failures", fmt.Sprintf("%s of %s", count(failureCount(groups)), plural(int64(len(groups)), "kind", "kinds")))}
	const shown = 3
	for i, g := range groups[:min(len(groups), shown)] {
		title := count(g.Count) + " × " + line(string(g.Class)) + "/" + line(g.Code)
		if g.Rule != "" {
			title += " " + line(g.Rule)
		}
		message := line(g.Message)
		if g.Side == hotseat.SideBench {
			message = "(benchmark's side) " + message
		}
		title = fit(title, t.width-2)
		if room := t.width - 4 - columns(title); message != "" && room > 12 {
			title += "  " + t.paint(dim, fit(message, room))
		}
		lines = append(lines, "  "+title)
		if i > 0 || len(g.Samples) == 0 {
			continue
		}
		s := g.Samples[0]
		for _, fact := range []struct {
			label, text string
			lines       int
		}{
			{"expected", s.Expected, 1}, {"actual", s.Actual, 1}, {"try", s.Curl, 1}, {"replay", replayCommand(r.Run, &s), 3},
		} {
			if fact.text != "" {
				lines = append(lines, t.fact(fact.label, "", fact.text, fact.lines)...)
			}
		}
	}
	if len(groups) > shown {
		lines = append(lines, t.paint(dim, "  … and "+plural(int64(len(groups)-shown), "more kind", "more kinds")+" in the report"))
	}
	return lines
}

func (t terminal) head(title, aside string) string {
	aside = fit(aside, t.width-columns(title)-2)
	return t.paint(bold, title) + "  " + t.paint(dim, aside)
}

// processes draws what each part of the stack used of the machine.
func (t terminal) processes(r *hotseat.Result) []string {
	all := byCPU(r.Processes)
	var total float64
	for _, p := range all {
		total += p.CPUS
	}
	if total <= 0 {
		return nil
	}
	aside := "CPU time of each part"
	capacity := float64(r.Host.CPUs) * r.ElapsedS
	if capacity > 0 {
		aside += fmt.Sprintf("; all of %s would be %s", plural(int64(r.Host.CPUs), "core", "cores"), seconds(capacity))
	} else {
		capacity = total
	}
	capacity = max(capacity, total)
	lines := []string{t.head("Where the time went", aside)}
	const shown = 4
	name := 0
	for _, p := range all[:min(len(all), shown)] {
		name = max(name, min(columns(line(p.Name)), 20))
	}
	bar := t.width - name - 2 - 2 - 22
	for _, p := range all[:min(len(all), shown)] {
		text := fmt.Sprintf("  %s  %s", pad(fit(line(p.Name), name), name), padLeft(seconds(p.CPUS), 10))
		text += padLeft(percent(p.CPUS/capacity), 8)
		if bar >= 10 {
			text += "  " + blocks(p.CPUS/capacity, bar)
		}
		lines = append(lines, fit(strings.TrimRight(text, " "), t.width))
	}
	var m Measure
	// What cannot be read disturbs nobody here; the HTML report says so.
	if err := json.Unmarshal(r.Measure, &m); err == nil {
		if text := noise(&m, r); text != "" {
			lines = append(lines, t.fact("caution", yellow, text, 2)...)
		}
	}
	return lines
}

// blocks is a bar of eighths of a character.
func blocks(share float64, width int) string {
	eighths := int(share*float64(width)*8 + 0.5)
	eighths = min(max(eighths, 0), width*8)
	bar := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		bar += string([]rune("▏▎▍▌▋▊▉")[rest-1])
	}
	return bar
}

func (t terminal) endpoints(r *hotseat.Result, room int) []string {
	all := byWaiting(r.Endpoints)
	var total float64
	for _, e := range all {
		total += waited(e)
	}
	if total <= 0 || room < 1 {
		return nil
	}
	shown := min(len(all), room, 4)
	numbers := func(share, count, p50, p99, failed string) string {
		return padLeft(share, 7) + padLeft(count, 11) + padLeft(p50, 10) + padLeft(p99, 10) + padLeft(failed, 8)
	}
	name := t.width - 2 - 46
	wide := name >= 16
	if !wide {
		name = t.width - 2 - 17
	}
	head := numbers("share", "requests", "p50", "p99", "errors")
	if !wide {
		head = padLeft("share", 7) + padLeft("p99", 10)
	}
	lines := []string{t.paint(bold, pad("Clients waited for", name+2)) + t.paint(dim, head)}
	for _, e := range all[:shown] {
		cells := numbers(percent(waited(e)/total), short(float64(e.Count)), milliseconds(e.P50MS), milliseconds(e.P99MS), count(e.Errors))
		if !wide {
			cells = padLeft(percent(waited(e)/total), 7) + padLeft(milliseconds(e.P99MS), 10)
		}
		lines = append(lines, fit("  "+pad(fit(line(e.Method+" "+e.Template), name-1), name)+cells, t.width))
	}
	return lines
}

func (t terminal) footer(r *hotseat.Result) []string {
	var lines []string
	if len(r.Findings) > 0 && r.Findings[0].Severity != hotseat.Note {
		lines = append(lines, t.fact("next", yellow, r.Findings[0].Title+" (hotseat advise)", 2)...)
	}
	if all := rules(r); len(all) > 0 {
		exercised, missed := 0, []string{}
		for _, l := range all {
			if l.Times > 0 || l.Broken > 0 {
				exercised++
			}
			if l.missed() {
				missed = append(missed, line(l.ID))
			}
		}
		text := fmt.Sprintf("%d of %d exercised", exercised, len(all))
		if len(missed) > 0 {
			text += "; never: " + strings.Join(missed, ", ")
		}
		lines = append(lines, t.fact("rules", "", text, 1)...)
	}
	if t.Report != "" {
		// A path is copied: never cut in the middle of a line that a terminal would wrap anyway.
		lines = append(lines, "  "+t.paint(dim, pad("report", 10))+line(t.Report))
	}
	return lines
}

func keys[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
