package advise

import (
	"fmt"
	"strconv"
	"strings"

	"hotseat"
	"hotseat/measure"
)

// view is the input with what several detectors derive from it.
type view struct {
	Input
	p     *measure.Picture
	limit limit
	cores float64 // that the machine has
	loadS float64 // length of the load in seconds
	cpu   map[string]float64
	total float64 // CPU seconds of all parts
}

// limit is the resource that the run ran against.
type limit struct {
	part string  // of the stack, or "" where nothing is saturated
	pct  float64 // of the machine's cores that the part used during the load
	text string
}

func newView(in Input) *view {
	if in.Picture == nil {
		in.Picture = &measure.Picture{}
	}
	if in.Summary == nil {
		in.Summary = &measure.Summary{}
	}
	if in.Result == nil {
		in.Result = &hotseat.Result{}
	}
	v := &view{Input: in, p: in.Picture, cores: float64(max(in.Result.Host.CPUs, 1)), cpu: map[string]float64{}}
	for _, phase := range in.Result.Phases {
		if phase.Name == "load" {
			v.loadS = phase.ElapsedS
		}
	}
	if v.loadS == 0 {
		v.loadS = max(in.Picture.WindowS, in.Result.ElapsedS)
	}
	for _, p := range in.Result.Processes {
		v.cpu[p.Name] = p.CPUS
		if p.Name != "hotseat" {
			v.total += p.CPUS
		}
	}
	v.limit = v.findLimit()
	return v
}

// findLimit names the part that most CPU went to, if CPU was short: on one
// machine every part takes from the others.
func (v *view) findLimit() limit {
	top, most := "", 0.0
	for name, s := range v.cpu {
		if name != "hotseat" && (s > most || s == most && name < top) {
			top, most = name, s
		}
	}
	busy := v.Summary.Host.BusyPct
	if top == "" || v.loadS <= 0 {
		return limit{text: "nothing was measured that could be at its limit"}
	}
	pct := 100 * most / (v.loadS * v.cores)
	if busy < 70 && pct < 60 {
		return limit{text: fmt.Sprintf("no part is at its limit: the machine was %.0f %% busy; most of it, %.0f %%, was %s", busy, pct, top), pct: pct}
	}
	return limit{part: top, pct: pct, text: fmt.Sprintf("%s: %.1f of the %.1f CPU seconds that the stack and its benchmark used", top, most, v.total)}
}

// share is a part's share of all CPU time.
func (v *view) share(part string) float64 {
	if v.total <= 0 {
		return 0
	}
	return v.cpu[part] / v.total
}

// appShare is the share of all the app's processes together.
func (v *view) appShare() float64 {
	if v.total <= 0 {
		return 0
	}
	s := 0.0
	for name, cpu := range v.cpu {
		if isApp(name) {
			s += cpu
		}
	}
	return s / v.total
}

// isApp recognises the app's processes: app, app2, …
func isApp(name string) bool {
	rest, ok := strings.CutPrefix(name, "app")
	return ok && strings.Trim(rest, "0123456789") == ""
}

// busyPct is how much of the machine the run's own parts used: what else runs
// there has nothing to do with their limits.
func (v *view) busyPct() float64 {
	if v.loadS <= 0 {
		return 0
	}
	return 100 * v.total / (v.cores * v.loadS)
}

// status is the growth of one of MariaDB's counters.
func (v *view) status(name string) float64 {
	if v.p.MariaDB == nil {
		return 0
	}
	return float64(v.p.MariaDB.Status[name])
}

// variable is one of MariaDB's settings; number is it as a number.
func (v *view) variable(name string) string {
	if v.p.MariaDB == nil {
		return ""
	}
	return v.p.MariaDB.Variables[name]
}

func (v *view) number(name string) float64 {
	n, err := strconv.ParseFloat(v.variable(name), 64)
	if err != nil {
		return 0
	}
	return n
}

// scale is what counts of the slow log have to be multiplied by.
func (v *view) scale() float64 {
	if v.p.SlowShare > 0 && v.p.SlowShare < 1 {
		return 1 / v.p.SlowShare
	}
	return 1
}

// requests is how many requests the load made.
func (v *view) requests() float64 {
	if v.p.Access != nil && v.p.Access.Requests > 0 {
		return float64(v.p.Access.Requests)
	}
	return float64(v.Result.Generator.Requests)
}

// perSecond is a count over the length of the load.
func (v *view) perSecond(n float64) float64 {
	if v.loadS <= 0 {
		return 0
	}
	return n / v.loadS
}

// What must have been measured.
func hasSlow(v *view) bool    { return v.p.Slow != nil && v.p.Slow.Entries > 0 }
func hasAccess(v *view) bool  { return v.p.Access != nil && v.p.Access.Requests > 0 }
func hasDB(v *view) bool      { return v.p.MariaDB != nil }
func hasNginx(v *view) bool   { return v.p.Nginx != nil }
func hasNetwork(v *view) bool { return v.p.Network != nil }
func hasParts(v *view) bool   { return len(v.p.Processes) > 0 }

// Numbers as evidence shows them.
func count(n float64) string {
	s := strconv.FormatInt(int64(n+0.5), 10)
	var b strings.Builder
	for i, c := range s {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(c)
	}
	return b.String()
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

func megabytes(n float64) string {
	switch {
	case n >= 1<<30:
		return strconv.FormatFloat(n/(1<<30), 'f', 1, 64) + " GB"
	case n >= 1<<20:
		return strconv.FormatFloat(n/(1<<20), 'f', 0, 64) + " MB"
	}
	return strconv.FormatFloat(n/(1<<10), 'f', 0, 64) + " KB"
}

func clip(s string, n int) string {
	r := []rune(strings.Join(strings.Fields(s), " "))
	if len(r) <= n {
		return string(r)
	}
	return string(r[:n-1]) + "…"
}
