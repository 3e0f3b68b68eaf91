package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/compare"
	"hotseat/problem"
	"hotseat/report"
	"hotseat/runner"
)

// historyFile is the page that history --html writes beside the runs.
const historyFile = "history.html"

func (m *Main) historyCommand() *cobra.Command {
	var asJSON, html bool
	var limit int
	cmd := &cobra.Command{
		Use:   "history",
		Short: "Earlier runs: score, commit, and what changed in between",
		Long: `List the runs of the workspace you stand in (elsewhere: of ./runs), oldest first,
with what changed from one to the next. A change within the noise is marked: how
much noise there is comes from runs of one and the same commit.

--html draws the scores into runs/` + historyFile + `, with links to the runs' reports.`,
		Example: "  hotseat history\n  hotseat history -n 5 --json\n  hotseat history --html",
		Args:    noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if limit < 0 {
				return hotseat.Invalid("0 means all of them", "-n %d: a number of runs is not negative", limit)
			}
			runs := "runs"
			w, err := m.workspace()
			if err == nil {
				runs = w.RunsDir()
			}
			h, err := readHistory(cmd.Context(), w, runs)
			if err != nil {
				return err
			}
			if len(h.Runs) == 0 {
				return hotseat.NotFound("make one: hotseat bench", "there are no runs yet in %s", runs)
			}
			if limit > 0 {
				h.Runs = h.Runs[max(len(h.Runs)-limit, 0):]
			}
			switch {
			case html:
				return m.writeHistory(h, filepath.Join(runs, historyFile))
			case asJSON:
				return m.printJSON(h)
			}
			o := report.TerminalOptions{Width: m.width()}
			if f, ok := m.Stdout.(*os.File); ok {
				o.Color, o.Width = report.ColorWanted(f, os.Getenv), report.Width(f)
			}
			return h.Text(m.Stdout, o)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&html, "html", false, "write the page and print its path")
	cmd.Flags().IntVarP(&limit, "limit", "n", 20, "the latest so many `runs`; 0 for all")
	return cmd
}

func (m *Main) writeHistory(h *report.History, file string) error {
	part := file + ".part"
	f, err := os.Create(part)
	if err != nil {
		return hotseat.Unavailable("the folder of the runs must be writable", "write the history: %w", err)
	}
	if err := cmp.Or(h.HTML(f), f.Close()); err != nil {
		_ = os.Remove(part)
		return err
	}
	if err := os.Rename(part, file); err != nil {
		return err
	}
	_, err = fmt.Fprintln(m.Stdout, relative(file))
	return err
}

// readHistory reads the runs in dir; w is the workspace they are of, if any.
func readHistory(ctx context.Context, w *problem.Workspace, dir string) (*report.History, error) {
	if err := runner.CompleteKilled(dir); err != nil {
		return nil, err
	}
	names, err := runner.Runs(dir)
	if err != nil {
		return nil, err
	}
	h := &report.History{Runs: []report.HistoryRun{}}
	var last *hotseat.Result // and the last that passed
	best := map[string]*hotseat.Result{}
	var results []*hotseat.Result
	for _, name := range names {
		r, err := runner.ReadResult(filepath.Join(dir, name))
		if err != nil {
			continue // a folder that is no run
		}
		results = append(results, r)
	}
	slices.SortStableFunc(results, func(a, b *hotseat.Result) int { return a.StartedAt.Compare(b.StartedAt) })
	if noise, ok := noiseOf(results); ok {
		h.NoiseShare, h.NoiseRuns = noise.Threshold(), noise.Runs
	}
	for _, r := range results {
		h.Problem = r.Problem
		line := report.HistoryRun{
			Run: r.Run, StartedAt: r.StartedAt, Verdict: r.Verdict, Score: r.Score, Reason: r.Reason,
			Commit: r.Commit, Dirty: r.Dirty, Note: r.Note, Measure: measureLevel(r), LoadS: loadTime(r), Changed: []string{},
		}
		if w != nil && r.Commit != "" {
			line.Subject = w.Subject(ctx, r.Commit)
		}
		if last != nil {
			line.Changed = whatChanged(ctx, w, last, r)
		}
		last = r
		// Scores are comparable between runs of the same kind only.
		kind := fmt.Sprint(r.Problem, r.ProblemVersion, r.Params, int(loadTime(r)+0.5), line.Measure)
		if r.Verdict == hotseat.Pass && r.Score != nil {
			if before := best[kind]; before != nil && *before.Score > 0 {
				line.Ratio = float64(*r.Score) / float64(*before.Score)
				line.Noise = h.NoiseRuns > 0 && math.Abs(line.Ratio-1) <= h.NoiseShare
			}
			best[kind] = r
		}
		h.Runs = append(h.Runs, line)
	}
	return h, nil
}

// noiseOf pools the variation of runs in which the same really ran.
func noiseOf(results []*hotseat.Result) (compare.Noise, bool) {
	groups := map[string][]float64{}
	for _, r := range results {
		if r.Verdict != hotseat.Pass || r.Score == nil || len(r.Ran) == 0 {
			continue
		}
		key := fmt.Sprint(r.Problem, r.ProblemVersion, r.Params, int(loadTime(r)+0.5), measureLevel(r), r.Ran, r.Commit)
		groups[key] = append(groups[key], float64(*r.Score))
	}
	return compare.PooledNoise(slices.Collect(maps.Values(groups)))
}

// whatChanged names the differences of a run to the one before it.
func whatChanged(ctx context.Context, w *problem.Workspace, before, now *hotseat.Result) []string {
	changed := []string{}
	for _, key := range slices.Sorted(maps.Keys(merged(before.Params, now.Params))) {
		if before.Params[key] != now.Params[key] {
			changed = append(changed, key+"="+now.Params[key])
		}
	}
	if w != nil && before.Commit != "" && now.Commit != "" && before.Commit != now.Commit {
		if files, err := w.ChangedFiles(ctx, before.Commit, now.Commit); err == nil && len(files) > 0 {
			changed = append(changed, shortList(files))
		}
	}
	var servers []string
	for _, name := range slices.Sorted(maps.Keys(merged(before.Ran, now.Ran))) {
		if before.Ran[name] != now.Ran[name] {
			servers = append(servers, name)
		}
	}
	if len(servers) > 0 && before.Commit == now.Commit {
		changed = append(changed, shortList(servers)+" changed")
	}
	if a, b := measureLevel(before), measureLevel(now); a != b {
		changed = append(changed, "measure "+b)
	}
	if before.Host != now.Host {
		changed = append(changed, "another machine")
	}
	return changed
}

func merged(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return all
}

// shortList names the first few.
func shortList(names []string) string {
	const most = 3
	if len(names) > most {
		return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
	}
	return strings.Join(names, ", ")
}

// measureLevel is full or off.
func measureLevel(r *hotseat.Result) string {
	var m struct {
		Level string `json:"level"`
	}
	_ = json.Unmarshal(r.Measure, &m) // unreadable: as if nothing had been measured
	return m.Level
}

// loadTime is how long the load lasted, in seconds.
func loadTime(r *hotseat.Result) float64 {
	for _, p := range r.Phases {
		if p.Name == "load" {
			return p.ElapsedS
		}
	}
	return 0
}
