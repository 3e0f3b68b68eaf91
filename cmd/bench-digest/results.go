package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hotseat"
)

// The cases and the tools, as the results name them.
const (
	caseLTSV = "access-ltsv"
	caseJSON = "access-json"
	caseSlow = "slow"

	toolHotseat = "hotseat"
	toolAlp     = "alp"
	toolPt      = "pt-query-digest"
)

// results is all that was measured.
type results struct {
	options *options
	alp, pt string // their binaries; empty where they are not to be had
	missing []string
	rows    []row
	checks  []check
}

// row is what one tool took in one case: medians of its rounds.
type row struct {
	Case   string  `json:"case"`
	Tool   string  `json:"tool"`
	UserS  float64 `json:"user_cpu_s"`
	WallS  float64 `json:"wall_s"`
	RSS    int64   `json:"rss_bytes"` // the most of all rounds
	Rounds int     `json:"rounds"`
}

// check is something that must hold.
type check struct {
	Name string `json:"name"`
	OK   bool   `json:"ok"`
	Said string `json:"said"`
}

func (r *results) file(name string) string { return filepath.Join(r.options.dir, name+".log") }

func (r *results) check(name string, ok bool, format string, args ...any) {
	r.checks = append(r.checks, check{name, ok, fmt.Sprintf(format, args...)})
}

// turns runs a tool several times and keeps the medians.
func (r *results) turns(name, tool string, rounds int, run func() (measured, error)) error {
	var user, wall []float64
	out := row{Case: name, Tool: tool, Rounds: rounds}
	for range rounds {
		m, err := run()
		if err != nil {
			return err
		}
		user, wall = append(user, m.user.Seconds()), append(wall, m.wall.Seconds())
		out.RSS = max(out.RSS, m.rss)
	}
	if rounds == 0 {
		return nil
	}
	slices.Sort(user)
	slices.Sort(wall)
	out.UserS, out.WallS = user[len(user)/2], wall[len(wall)/2]
	r.rows = append(r.rows, out)
	return nil
}

// access measures and checks one access log.
func (r *results) access(ctx context.Context, name string, truth *site) error {
	file, format := r.file(name), strings.TrimPrefix(name, "access-")
	var ours hotseat.AccessDigest
	err := r.turns(name, toolHotseat, r.options.rounds, func() (measured, error) {
		m, err := measure(ctx, r.options.hotseat, "digest", "access", file, "--json")
		return m, errors.Join(err, decode(m.output, &ours))
	})
	if err != nil {
		return err
	}
	r.againstTruth(name, &ours, truth)
	if r.alp == "" {
		return nil
	}
	var theirs map[string]alpRow
	err = r.turns(name, toolAlp, r.options.others, func() (m measured, err error) {
		m, theirs, err = runAlp(ctx, r.alp, format, file)
		return m, err
	})
	if err == nil {
		r.againstAlp(name, &ours, theirs)
	}
	return err
}

func decode(data []byte, to any) error {
	if len(data) == 0 {
		return nil // the error of the run says why
	}
	return json.Unmarshal(data, to)
}

// near tells that two numbers differ by at most a share.
func near(a, b, share float64) bool { return math.Abs(a-b) <= share*math.Abs(b)+1e-9 }

// againstTruth holds a digest against what the generator knows.
func (r *results) againstTruth(name string, d *hotseat.AccessDigest, truth *site) {
	found := map[string]*hotseat.AccessRoute{}
	for i := range d.Routes {
		found[d.Routes[i].Method+" "+d.Routes[i].Template] = &d.Routes[i]
	}
	right, counts, sums, worst := 0, true, true, 0.0
	for _, t := range truth.routes {
		got := found[t.method+" "+t.template]
		if got == nil {
			continue
		}
		right++
		counts = counts && got.Count == t.count && got.Bytes.Sum == t.bytes && got.RequestTime.Count == t.count
		sums = sums && near(got.RequestTime.Sum*1000, float64(t.sum), 1e-9) && near(got.UpstreamTime.Sum*1000, float64(t.upSum), 1e-9)
		for _, p := range []struct {
			got  float64
			q    float64
			from []int32
		}{
			{got.RequestTime.P50, 0.5, t.request}, {got.RequestTime.P90, 0.9, t.request}, {got.RequestTime.P95, 0.95, t.request}, {got.RequestTime.P99, 0.99, t.request},
			{got.UpstreamTime.P50, 0.5, t.upstream}, {got.UpstreamTime.P90, 0.9, t.upstream}, {got.UpstreamTime.P99, 0.99, t.upstream},
		} {
			want := float64(p.from[int(math.Ceil(p.q*float64(len(p.from))-1e-9))-1])
			if want > 0 {
				worst = max(worst, math.Abs(p.got*1000-want)/want)
			}
		}
	}
	r.check(name+": routes", right == len(truth.routes) && len(found) == right, "%d of %d routes found, %d others", right, len(truth.routes), len(found)-right)
	r.check(name+": counts and bytes equal the truth", counts && right > 0, "%d requests", d.Requests)
	r.check(name+": sums equal the truth", sums && right > 0, "%.3f s", d.Total.RequestTime.Sum)
	r.check(name+": percentiles within 2 % of the truth", worst <= 0.02 && right > 0, "at most %.2f %% off", 100*worst)
	r.check(name+": every line read", d.Unparsed == 0 && d.Lines == int64(r.options.lines), "%d lines, %d not read", d.Lines, d.Unparsed)
}

// againstAlp holds our digest against alp's, which counts by its patterns and
// takes the application's time for the time.
func (r *results) againstAlp(name string, d *hotseat.AccessDigest, theirs map[string]alpRow) {
	names := []string{"/api/items/*", "/api/items/*/buy", "/api/users/*", "/api/users/*/posts/*", "/articles/*", "/uploads/*.png", "/api/orders/*"}
	equal, worst := 0, 0.0
	for i := range d.Routes {
		o := &d.Routes[i]
		key := o.Template
		if at := slices.Index(names, key); at >= 0 {
			key = match[at]
		}
		t, ok := theirs[o.Method+" "+key]
		if !ok || t.count != o.Count || !near(o.UpstreamTime.Sum, t.sum, 1e-6) ||
			t.from500s != o.Status.Server || t.from400s != o.Status.Client+o.Status.GaveUp || !near(float64(o.Bytes.Sum), t.bodyBytes, 1e-9) {
			continue
		}
		equal++
		for _, p := range [][2]float64{{o.UpstreamTime.P90, t.p90}, {o.UpstreamTime.P99, t.p99}} {
			// alp's ranks are one lower than ours at times: neighbours in a route of many requests.
			if p[1] > 0.01 {
				worst = max(worst, math.Abs(p[0]-p[1])/p[1])
			}
		}
	}
	r.check(name+": counts, sums, statuses and bytes equal alp's", equal == len(d.Routes) && len(theirs) == equal, "%d of %d routes", equal, len(theirs))
	r.check(name+": percentiles within 2 % of alp's", worst <= 0.02, "at most %.2f %% off", 100*worst)
}

// slow measures and checks the slow log.
func (r *results) slow(ctx context.Context, truth *slowLog) error {
	file := r.file(caseSlow)
	var ours hotseat.SlowDigest
	err := r.turns(caseSlow, toolHotseat, r.options.rounds, func() (measured, error) {
		m, err := measure(ctx, r.options.hotseat, "digest", "slow", file, "--limit", "0", "--json")
		return m, errors.Join(err, decode(m.output, &ours))
	})
	if err != nil {
		return err
	}
	var count, sum int64
	for _, s := range truth.statements {
		count, sum = count+s.count, sum+s.sum
	}
	r.check("slow: classes", len(ours.Classes) == len(truth.statements), "%d of %d", len(ours.Classes), len(truth.statements))
	r.check("slow: counts and sums equal the truth", ours.Entries == count && near(ours.Total.QueryTime.Sum*1e6, float64(sum), 1e-12), "%d entries, %.6f s", ours.Entries, ours.Total.QueryTime.Sum)
	if r.pt == "" || r.options.others == 0 {
		return nil
	}
	err = r.turns(caseSlow, toolPt, r.options.others, func() (measured, error) {
		return measure(ctx, r.pt, "--no-version-check", file)
	})
	if err != nil {
		return err
	}
	theirs, err := ptClasses(ctx, r.pt, file)
	if err != nil {
		return err
	}
	equal := 0
	for _, t := range theirs {
		seconds, _ := strconv.ParseFloat(t.Metrics.QueryTime.Sum, 64) // what is no number equals nothing
		longest, _ := strconv.ParseFloat(t.Metrics.QueryTime.Max, 64)
		for i := range ours.Classes {
			o := &ours.Classes[i]
			if o.ID == t.Checksum && o.Fingerprint == t.Fingerprint && o.Count == t.Count && near(o.QueryTime.Sum, seconds, 1e-9) && near(o.QueryTime.Max, longest, 1e-9) {
				equal++
			}
		}
	}
	r.check("slow: ids, fingerprints, counts and sums equal pt-query-digest's", equal == len(theirs) && len(ours.Classes) == equal, "%d of %d classes", equal, len(theirs))
	return nil
}

// goals are how many times our speed the others' is at least, in user CPU.
var goals = []struct {
	name, tool string
	least      float64
}{{caseLTSV, toolAlp, 12}, {caseJSON, toolAlp, 10}, {caseSlow, toolPt, 50}}

// maxRSS is what a digest may take of memory, whatever the size of a log.
const maxRSS = 64 << 20

func (r *results) find(name, tool string) *row {
	for i := range r.rows {
		if r.rows[i].Case == name && r.rows[i].Tool == tool {
			return &r.rows[i]
		}
	}
	return nil
}

// write prints the results to w and writes both files. A check that does not
// hold is an error, a goal that was missed is said.
func (r *results) write(w io.Writer) error {
	for _, name := range []string{caseLTSV, caseJSON, caseSlow} {
		if ours := r.find(name, toolHotseat); ours != nil {
			r.check(name+": memory below 64 MB", ours.RSS < maxRSS, "%.1f MB", float64(ours.RSS)/(1<<20))
		}
	}
	encoded, err := json.MarshalIndent(struct {
		Rows   []row   `json:"rows"`
		Checks []check `json:"checks"`
	}{r.rows, r.checks}, "", "  ")
	if err != nil {
		return err
	}
	if err := os.WriteFile(r.options.out, append(encoded, '\n'), 0o644); err != nil {
		return err
	}
	var text bytes.Buffer
	r.print(&text)
	beside := strings.TrimSuffix(r.options.out, filepath.Ext(r.options.out)) + ".txt"
	if err := os.WriteFile(beside, text.Bytes(), 0o644); err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\nwritten to %s and %s\n", text.String(), r.options.out, beside)
	for _, c := range r.checks {
		if !c.OK {
			return fmt.Errorf("%s does not hold: %s", c.Name, c.Said)
		}
	}
	return nil
}

func (r *results) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %d CPUs; %d requests, %d slow log entries\n", runtime.Version(), runtime.NumCPU(), r.options.lines, r.options.entries)
	for _, m := range r.missing {
		fmt.Fprintf(w, "left out: %s\n", m)
	}
	fmt.Fprintf(w, "\n%-12s  %-16s %10s %10s %10s %14s\n", "case", "tool", "user s", "wall s", "memory MB", "hotseat is")
	for _, row := range r.rows {
		ratio := ""
		if ours := r.find(row.Case, toolHotseat); ours != nil && row.Tool != toolHotseat && ours.UserS > 0 {
			ratio = fmt.Sprintf("%.1f × faster", row.UserS/ours.UserS)
		}
		fmt.Fprintf(w, "%-12s  %-16s %10.2f %10.2f %10.1f %14s\n", row.Case, row.Tool, row.UserS, row.WallS, float64(row.RSS)/(1<<20), ratio)
	}
	fmt.Fprintln(w)
	for _, g := range goals {
		ours, theirs := r.find(g.name, toolHotseat), r.find(g.name, g.tool)
		if ours == nil || theirs == nil || ours.UserS <= 0 {
			continue
		}
		ratio := theirs.UserS / ours.UserS
		fmt.Fprintf(w, "%s  %s: %.1f × the speed of %s, wanted at least %g\n", map[bool]string{true: "met   ", false: "MISSED"}[ratio >= g.least], g.name, ratio, g.tool, g.least)
	}
	for _, c := range r.checks {
		fmt.Fprintf(w, "%s  %s: %s\n", map[bool]string{true: "holds ", false: "BROKEN"}[c.OK], c.Name, c.Said)
	}
}
