package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// results is all that was measured.
type results struct {
	options *options
	host    string
	missing []string
	turns   map[[2]string][]*turn // by case and client
	memory  []memoryRow
	points  float64 // ns for one
}

// row is one client's cost in one case, as out/bench-engine.json has it.
type row struct {
	Case     string  `json:"case"`
	Client   string  `json:"client"`
	Micros   float64 `json:"cpu_us_per_request"` // median of the rounds
	PerCPUS  float64 `json:"requests_per_cpu_s"` // the same the other way round
	Rounds   int     `json:"rounds"`
	low, top float64 // µs
	wrong    int64
	spoiled  int64
	requests int64
}

// memoryRow is what many users took, likewise.
type memoryRow struct {
	Client string `json:"client"`
	Users  int    `json:"users"`
	RSS    int64  `json:"rss_bytes"`
	micros float64
}

// rows sums the rounds up, in the order of cases and of what is cheapest.
func (r *results) rows() (rows []row) {
	for _, name := range allCases {
		first := len(rows)
		for key, turns := range r.turns {
			if key[0] != name {
				continue
			}
			sum := row{Case: name, Client: key[1], Rounds: len(turns)}
			var micros []float64
			for _, t := range turns {
				micros = append(micros, t.micros())
				sum.wrong, sum.spoiled, sum.requests = sum.wrong+t.Wrong, sum.spoiled+t.spoiled, sum.requests+t.Requests
			}
			slices.Sort(micros)
			sum.Micros, sum.low, sum.top = median(micros), micros[0], micros[len(micros)-1]
			sum.PerCPUS = 1e6 / sum.Micros
			rows = append(rows, sum)
		}
		slices.SortFunc(rows[first:], func(a, b row) int { return int(b.PerCPUS - a.PerCPUS) })
	}
	return rows
}

// median wants a sorted slice.
func median(sorted []float64) float64 {
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// write prints the results to w and writes both files.
func (r *results) write(w io.Writer) error {
	rows := r.rows()
	var text bytes.Buffer
	r.print(&text, rows)
	encoded, err := json.MarshalIndent(struct {
		Rows   []row       `json:"rows"`
		Memory []memoryRow `json:"memory"`
	}{rows, append([]memoryRow{}, r.memory...)}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.options.out, append(encoded, '\n'), 0o644); err != nil {
		return err
	}
	beside := strings.TrimSuffix(r.options.out, filepath.Ext(r.options.out)) + ".txt"
	if err := os.WriteFile(beside, text.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\nwritten to %s and %s\n", text.String(), r.options.out, beside)
	return nil
}

func (r *results) print(w io.Writer, rows []row) {
	fmt.Fprintf(w, "%s\n%d rounds of %s each, %d users; CPU is user and system time of the client's process\n",
		r.host, r.options.rounds, r.options.duration, concurrency)
	if len(r.missing) > 0 {
		fmt.Fprintf(w, "not installed, so left out: %s\n", strings.Join(r.missing, ", "))
	}
	perCPU := map[[2]string]float64{}
	for _, row := range rows {
		perCPU[[2]string{row.Case, row.Client}] = row.PerCPUS
	}
	last := ""
	for _, row := range rows {
		if row.Case != last {
			fmt.Fprintf(w, "\n%-15s %17s %22s %20s %12s\n", row.Case, "CPU µs/request", "range", "requests/CPU-second", "hotseat is")
			last = row.Case
		}
		ratio := ""
		if ours := perCPU[[2]string{row.Case, clientHotseat}]; ours > 0 && row.Client != clientHotseat {
			ratio = fmt.Sprintf("%.2f ×", ours/row.PerCPUS)
		}
		spoiled := ""
		if row.spoiled > 0 {
			spoiled = fmt.Sprintf("   reported %d of %d spoiled in %d", row.wrong, row.spoiled, row.requests)
		}
		fmt.Fprintf(w, "%-15s %17.1f %22s %20.0f %12s%s\n", row.Client, row.Micros, fmt.Sprintf("%.1f to %.1f", row.low, row.top), row.PerCPUS, ratio, spoiled)
	}
	if len(r.memory) > 0 {
		fmt.Fprintf(w, "\n%-15s %17s %22s %20s\n", "memory", "resident MB", fmt.Sprintf("KB/user at %d", r.memory[0].Users), "CPU µs/request")
		for _, m := range r.memory {
			fmt.Fprintf(w, "%-15s %17.1f %22.1f %20.1f\n", m.Client, megabytes(m.RSS), float64(m.RSS)/1024/float64(m.Users), m.micros)
		}
	}
	fmt.Fprintf(w, "\none score point: %.1f ns\n\n", r.points)
	r.printGoals(w, rows, perCPU)
}

// printGoals holds the results against what the engine is meant to reach.
func (r *results) printGoals(w io.Writer, rows []row, perCPU map[[2]string]float64) {
	say := func(what string, got float64, unit string, least bool, want float64) {
		word, met := "at most", got <= want
		if least {
			word, met = "at least", got >= want
		}
		mark := "met   "
		if !met {
			mark = "MISSED"
		}
		fmt.Fprintf(w, "%s  %-48s %8.2f %s, wanted %s %g\n", mark, what, got, unit, word, want)
	}
	for _, goal := range []struct {
		name, other string
		least       float64
	}{
		{case200B, clientWrk, 0.85}, {case200B, clientNetHTTP, 2.5}, {case200B, clientK6, 6},
		{case10KB, clientWrk, 0.8}, {case10KB, clientK6, 5.5},
		{caseScanned, clientGoquery, 12}, {caseScanned, clientK6, 20},
		{caseMemoised, clientWrk, 0.8}, {caseMemoised, clientK6, 40},
	} {
		ours, theirs := perCPU[[2]string{goal.name, clientHotseat}], perCPU[[2]string{goal.name, goal.other}]
		if ours > 0 && theirs > 0 {
			say(goal.name+": requests per CPU-second of "+goal.other, ours/theirs, "×", true, goal.least)
		}
	}
	for _, row := range rows {
		if row.Client != clientHotseat {
			continue
		}
		switch row.Case {
		case caseScanned:
			say(row.Case+": CPU per request", row.Micros, "µs", false, 40)
		case caseMemoised:
			say(row.Case+": CPU per request", row.Micros, "µs", false, 20)
		}
	}
	for _, m := range r.memory {
		if m.Client == clientHotseat {
			say(fmt.Sprintf("memory per user at %d users", m.Users), float64(m.RSS)/1024/float64(m.Users), "KB", false, 16)
		}
	}
	say("one score point", r.points, "ns", false, 20)
}

// describeHost says what was measured on.
func describeHost(ctx context.Context, c cores) string {
	model := runtime.GOARCH
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		if _, rest, ok := strings.Cut(string(text), "model name"); ok {
			name, _, _ := strings.Cut(rest, "\n")
			model = strings.TrimSpace(strings.TrimLeft(name, "\t :"))
		}
	}
	first := func(name string, args ...string) string {
		out, _ := exec.CommandContext(ctx, name, args...).CombinedOutput() // versions are nice to have
		line, _, _ := strings.Cut(string(out), "\n")
		return strings.TrimSpace(line)
	}
	where := "nginx and clients on whatever core is free"
	if c.server >= 0 {
		where = fmt.Sprintf("nginx on core %d, clients on core %d", c.server, c.client)
	}
	nginx := "nginx"
	if path, err := lookPath("nginx"); err == nil {
		nginx = strings.Replace(first(path, "-v"), "nginx version: ", "", 1)
	}
	wrk, _, _ := strings.Cut(first("wrk", "-v"), " [")
	return fmt.Sprintf("%s, %d CPUs, Linux %s, %s, %s, %s; %s", model, runtime.NumCPU(), first("uname", "-r"), runtime.Version(), nginx, wrk, where)
}
