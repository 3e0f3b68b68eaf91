package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hotseat"
)

// verdictWord says a verdict with a sign that needs no colour.
func verdictWord(v hotseat.Verdict) (sign, word string) {
	switch v {
	case hotseat.Pass:
		return "✓", "PASS"
	case hotseat.Fail:
		return "✗", "FAIL"
	case hotseat.Infra:
		return "!", "INFRA"
	default:
		return "?", "UNFINISHED"
	}
}

// verdictMeaning is one sentence on whose side the outcome is.
func verdictMeaning(v hotseat.Verdict) string {
	switch v {
	case hotseat.Pass:
		return "Every promise was kept: the score counts."
	case hotseat.Fail:
		return "A promise was broken: the score is 0 until it holds again."
	case hotseat.Infra:
		return "Our side is at fault, not yours: this run is not scored."
	default:
		return "The run did not come to a verdict."
	}
}

// scoreText is the score, or a dash where there is none.
func scoreText(r *hotseat.Result) string {
	if r.Score == nil {
		return "–"
	}
	return count(*r.Score)
}

// waited is how many seconds all clients together waited for an endpoint. Where
// the benchmark did not tell, it is an estimate: its count times the mean of a
// distribution drawn straight between the percentiles we have, the low end taken
// as half the median.
func waited(e hotseat.Endpoint) float64 {
	if e.TotalS > 0 {
		return e.TotalS
	}
	low := e.P50MS / 2
	mean := 0.50*(low+e.P50MS)/2 + 0.40*(e.P50MS+e.P90MS)/2 + 0.09*(e.P90MS+e.P99MS)/2 + 0.01*(e.P99MS+e.MaxMS)/2
	return float64(e.Count) * mean / 1000
}

// byWaiting returns the endpoints, those that clients waited for longest first.
func byWaiting(endpoints []hotseat.Endpoint) []hotseat.Endpoint {
	sorted := slices.Clone(endpoints)
	slices.SortStableFunc(sorted, func(a, b hotseat.Endpoint) int {
		return cmp.Or(
			cmp.Compare(waited(b), waited(a)),
			cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Template, b.Template),
			cmp.Compare(a.Method, b.Method),
		)
	})
	return sorted
}

// byWeight returns the groups of failures, those that decide the verdict first:
// the target's wrong answers, then by number.
func byWeight(groups []hotseat.FailureGroup) []hotseat.FailureGroup {
	rank := func(g *hotseat.FailureGroup) int {
		f := hotseat.Failure{Class: g.Class, Code: g.Code}
		switch {
		case g.Side == hotseat.SideBench:
			return 2
		case f.WrongAnswer():
			return 0
		default:
			return 1
		}
	}
	sorted := slices.Clone(groups)
	slices.SortStableFunc(sorted, func(a, b hotseat.FailureGroup) int {
		return cmp.Or(cmp.Compare(rank(&a), rank(&b)), cmp.Compare(b.Count, a.Count))
	})
	return sorted
}

// byCPU returns the processes, the busiest first.
func byCPU(processes []hotseat.ProcessUse) []hotseat.ProcessUse {
	sorted := slices.Clone(processes)
	slices.SortStableFunc(sorted, func(a, b hotseat.ProcessUse) int {
		return cmp.Or(cmp.Compare(b.CPUS, a.CPUS), cmp.Compare(a.Name, b.Name))
	})
	return sorted
}

func failureCount(groups []hotseat.FailureGroup) (n int64) {
	for _, g := range groups {
		n += g.Count
	}
	return n
}

func requestCount(r *hotseat.Result) (requests, errors int64) {
	for _, e := range r.Endpoints {
		requests += e.Count
		errors += e.Errors
	}
	if requests == 0 {
		requests = r.Generator.Requests
	}
	return requests, errors
}

// loadSeconds is how long the load lasted: the phase of that name, or the whole
// run where there is none.
func loadSeconds(r *hotseat.Result) float64 {
	for _, p := range r.Phases {
		if p.Name == "load" && p.ElapsedS > 0 {
			return p.ElapsedS
		}
	}
	return r.ElapsedS
}

// missedStarts says who stayed away because all who may come at once were still waiting;
// it is empty if nobody did.
func missedStarts(arrivals []hotseat.Arrivals) string {
	var parts []string
	for _, a := range arrivals {
		if a.Missed > 0 {
			parts = append(parts, fmt.Sprintf("%s of %s %s", count(a.Missed), count(a.Due), line(a.Population)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + ": all users were waiting for answers"
}

// ruleLine is what is known about one promise after a run.
type ruleLine struct {
	hotseat.Rule
	Times  int64 // exercised
	Broken int64 // failures
}

// rules returns every promise the run knows of, broken ones first, then those
// never exercised although they should have been, then by id.
func rules(r *hotseat.Result) []ruleLine {
	byID := map[string]*ruleLine{}
	get := func(id string) *ruleLine {
		if byID[id] == nil {
			byID[id] = &ruleLine{Rule: hotseat.Rule{ID: id}}
		}
		return byID[id]
	}
	for _, info := range r.RuleInfo {
		get(info.ID).Rule = info
	}
	for id, times := range r.Rules {
		get(id).Times = times
	}
	for _, g := range r.Failures {
		if g.Rule != "" {
			get(g.Rule).Broken += g.Count
		}
	}
	lines := make([]ruleLine, 0, len(byID))
	for _, line := range byID {
		lines = append(lines, *line)
	}
	rank := func(l ruleLine) int {
		switch {
		case l.Broken > 0:
			return 0
		case l.missed():
			return 1
		default:
			return 2
		}
	}
	slices.SortFunc(lines, func(a, b ruleLine) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.ID, b.ID))
	})
	return lines
}

// missed reports whether the run proves nothing about a rule it should have tried.
func (l ruleLine) missed() bool { return l.Times == 0 && l.Broken == 0 && !l.Conditional }

// Shares above which a run was not alone enough for its score to be compared.
const (
	noisyOthers   = 0.10 // of the machine's time, used by processes that are no part of the run
	noisySteal    = 0.05 // of the machine's time, taken by the hypervisor
	noisyStealMax = 0.25 // the same in a single second
)

// noise says what disturbed a run, in one line; it is empty for a quiet one.
func noise(m *Measure, r *hotseat.Result) string {
	var found []string
	if n := len(m.Timeline.T); n > 0 && r.Host.CPUs > 0 {
		capacity := m.Timeline.T[n-1] * float64(r.Host.CPUs)
		var used float64
		for _, p := range r.Processes {
			used += p.CPUS
		}
		if share := m.Host.BusyPct/100 - used/capacity; share > noisyOthers {
			found = append(found, "processes that are no part of this run used "+percent(share)+" of the machine")
		}
	}
	if m.Host.StealPct > 100*noisySteal || m.Host.StealMaxPct > 100*noisyStealMax {
		found = append(found, "the hypervisor took "+percent(m.Host.StealPct/100)+" of the time, at most "+percent(m.Host.StealMaxPct/100))
	}
	if len(found) == 0 {
		return ""
	}
	return "do not compare this score: " + strings.Join(found, "; ")
}
