package report

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"hotseat"
)

// HistoryRun is one line of a workspace's history.
type HistoryRun struct {
	Run       string          `json:"run"`
	StartedAt time.Time       `json:"started_at"`
	Verdict   hotseat.Verdict `json:"verdict"`
	Score     *int64          `json:"score"` // null where the benchmark itself had trouble
	Reason    string          `json:"reason"`
	Commit    string          `json:"commit"`
	Dirty     bool            `json:"dirty"`
	Subject   string          `json:"subject,omitempty"` // of the commit
	Note      string          `json:"note,omitempty"`
	Measure   string          `json:"measure"` // full or off
	LoadS     float64         `json:"load_s"`

	// Ratio is this score over that of the passing run before; 0 where there is none.
	Ratio float64 `json:"ratio,omitempty"`
	// Noise tells that repeated runs differ as much without any change.
	Noise bool `json:"noise,omitempty"`
	// Changed is what is different from the run before: parameters, files, servers.
	Changed []string `json:"changed"`
}

// History is the runs of a workspace, oldest first.
type History struct {
	Problem string       `json:"problem"`
	Runs    []HistoryRun `json:"runs"`
	// NoiseShare is the relative change that noise alone explains, from runs
	// of unchanged commits; 0 where nothing was repeated.
	NoiseShare float64 `json:"noise_share"`
	NoiseRuns  int     `json:"noise_runs"` // that it rests on
}

// Text writes the history for a terminal.
func (h *History) Text(w io.Writer, o TerminalOptions) error {
	width := max(o.Width, 40)
	if o.Width == 0 {
		width = 80
	}
	t := terminal{TerminalOptions: o, width: width}
	var out bytes.Buffer
	top := 0.0
	for _, r := range h.Runs {
		if r.Score != nil {
			top = max(top, float64(*r.Score))
		}
	}
	const bar = 10
	out.WriteString(t.paint(dim, fmt.Sprintf("%-11s  %-8s %10s  %-*s %7s  %s", "When", "Commit", "Score", bar, "", "Change", "What")) + "\n")
	for _, r := range h.Runs {
		commit := "–"
		if len(r.Commit) >= 7 {
			commit = r.Commit[:7]
		}
		if r.Dirty {
			commit += "+"
		}
		score, drawn := string(r.Verdict), ""
		switch {
		case r.Verdict == hotseat.Pass && r.Score != nil:
			score, drawn = count(*r.Score), blocks(float64(*r.Score)/max(top, 1), bar)
		case r.Verdict == hotseat.Fail:
			score = "FAIL"
		case r.Verdict == hotseat.Infra:
			score = "infra"
		}
		line := fmt.Sprintf("%s  %-8s %10s  %s %7s  ", r.StartedAt.Local().Format("01-02 15:04"), commit, score, pad(drawn, bar), change(r))
		line += fit(Visible(r.what()), max(width-columns(line), 8))
		line = strings.TrimRight(line, " ")
		if r.Verdict != hotseat.Pass {
			line = t.paint(red, line)
		}
		out.WriteString(line + "\n")
	}
	out.WriteByte('\n')
	for _, l := range h.legend() {
		out.WriteString(l + "\n")
	}
	_, err := w.Write(out.Bytes())
	return err
}

// legend explains the marks that the table uses.
func (h *History) legend() []string {
	var lines []string
	if h.NoiseRuns > 0 {
		lines = append(lines, fmt.Sprintf("~ within noise: %d runs of unchanged commits differ by up to %.0f %% by chance.", h.NoiseRuns, 100*h.NoiseShare))
	} else {
		lines = append(lines, "How much is noise is not known yet: run an unchanged commit twice.")
	}
	for _, r := range h.Runs {
		if r.Dirty {
			return append(lines, "+ with changes that were not committed. hotseat compare A B is the sure way.")
		}
	}
	return append(lines, "hotseat compare A B is the sure way to tell two commits apart.")
}

// what says in a few words what a run is about.
func (r *HistoryRun) what() string {
	parts := []string{}
	switch {
	case r.Note != "":
		parts = append(parts, r.Note)
	case r.Subject != "" && !r.Dirty:
		parts = append(parts, r.Subject)
	}
	parts = append(parts, r.Changed...)
	if r.Verdict != hotseat.Pass {
		parts = append([]string{r.Reason}, parts...)
	}
	return strings.Join(parts, "; ")
}

// change writes the ratio to the run before.
func change(r HistoryRun) string {
	switch {
	case r.Ratio == 0:
		return ""
	case r.Ratio >= 1.995 || r.Ratio <= 0.5:
		return fmt.Sprintf("%.3g ×", r.Ratio)
	}
	s := fmt.Sprintf("%+.0f %%", 100*(r.Ratio-1))
	if r.Noise {
		return "~" + s
	}
	return s
}

//go:embed history.html.tmpl
var historyTemplate string

// HTML writes the history as one page that needs nothing else. Links lead to
// the runs' own reports, beside the page.
func (h *History) HTML(w io.Writer) error {
	page, err := template.New("history").Funcs(template.FuncMap{
		"count": count, "change": change, "visible": Visible,
		"what": func(r HistoryRun) string { return Visible(r.what()) },
		"word": func(v hotseat.Verdict) string { _, word := verdictWord(v); return word },
		"short": func(commit string) string {
			return commit[:min(7, len(commit))]
		},
	}).Parse(historyTemplate)
	if err != nil {
		return fmt.Errorf("read the history's template: %w", err)
	}
	hash := sha256.Sum256([]byte(pageStyle))
	err = page.Execute(w, struct {
		*History
		Style  template.CSS
		Policy string
		Chart  picture
		Legend []string
		Report string
	}{
		h, template.CSS(pageStyle), "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) +
			"'; base-uri 'none'; form-action 'none'", h.chart(), h.legend(), FileName,
	})
	if err != nil {
		return fmt.Errorf("write the history: %w", err)
	}
	return nil
}

// chart draws the scores run by run: what passed as a line, what failed as a
// cross on the axis.
func (h *History) chart() picture {
	top, passed := 0.0, 0
	for _, r := range h.Runs {
		if r.Score != nil && r.Verdict == hotseat.Pass {
			top, passed = max(top, drawable(float64(*r.Score))), passed+1
		}
	}
	desc := fmt.Sprintf("%s, of which %s passed; the best has %s points. The table below says the same.",
		plural(int64(len(h.Runs)), "run", "runs"), count(int64(passed)), count(int64(top)))
	return draw("history", "Score from run to run", desc, func(d *drawing) {
		values := ticks(top, 4)
		f := frame{d: d, left: 56, right: d.width - 24, top: 16, bottom: 236, end: float64(max(len(h.Runs)-1, 1)), high: values[len(values)-1]}
		if d.narrow {
			f.left, f.right = 42, d.width-12
		}
		d.height = 262
		for _, v := range values {
			class := "grid"
			if v == 0 {
				class = "axis"
			}
			d.line(class, f.left, f.y(v), f.right, f.y(v))
			d.text("tick", "end", f.left-6, f.y(v)+4, short(v))
		}
		var line [][2]float64
		for i, r := range h.Runs {
			if r.Score != nil && r.Verdict == hotseat.Pass {
				line = append(line, [2]float64{f.x(float64(i)), f.y(drawable(float64(*r.Score)))})
			}
		}
		if len(line) > 1 {
			d.element("path", "", "class", "stroke s0", "d", path(line, nil))
		}
		every := max(len(h.Runs)*48/int(f.right-f.left), 1)
		for i, r := range h.Runs {
			x := f.x(float64(i))
			tip := r.StartedAt.Local().Format("2 Jan 15:04") + " " + r.what()
			if r.Score != nil && r.Verdict == hotseat.Pass {
				d.element("circle", count(*r.Score)+" points, "+tip, "class", "dot s0", "cx", x, "cy", f.y(drawable(float64(*r.Score))), "r", 4.0)
			} else {
				_, word := verdictWord(r.Verdict)
				d.element("path", word+", "+tip, "class", "cross", "d",
					path([][2]float64{{x - 4, f.bottom - 4}, {x + 4, f.bottom + 4}}, nil)+path([][2]float64{{x - 4, f.bottom + 4}, {x + 4, f.bottom - 4}}, nil))
			}
			if i%every == 0 {
				anchor := "middle"
				if x > f.right-20 {
					anchor = "end"
				}
				d.text("tick", anchor, x, f.bottom+17, r.Commit[:min(7, len(r.Commit))])
			}
		}
	})
}
