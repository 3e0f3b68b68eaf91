package report

import (
	"sort"

	"hotseat"
)

// tally sums up the events of a run that left no result.
type tally struct {
	last     float64
	progress hotseat.ProgressEvent
	points   map[string]int64
	phases   []hotseat.Phase
	failures map[failureKey]*hotseat.FailureGroup
	verdict  *hotseat.VerdictEvent
}

type failureKey struct {
	class      hotseat.Class
	code, rule string
}

func newTally() *tally {
	return &tally{points: map[string]int64{}, failures: map[failureKey]*hotseat.FailureGroup{}}
}

func (t *tally) add(e hotseat.Event) {
	t.last = max(t.last, e.AtS)
	switch {
	case e.PhaseEvent != nil && e.State == hotseat.PhaseEnd:
		t.phases = append(t.phases, hotseat.Phase{Name: e.Phase, ElapsedS: e.ElapsedS, OK: e.OK})
	case e.ProgressEvent != nil:
		t.progress = *e.ProgressEvent
	case e.PointEvent != nil:
		t.points[e.Tag] += e.PointEvent.Count
	case e.FailureEvent != nil:
		f := e.FailureEvent
		key := failureKey{f.Class, f.Code, f.Rule}
		group := t.failures[key]
		if group == nil {
			group = &hotseat.FailureGroup{
				Class: f.Class, Code: f.Code, Rule: f.Rule, Side: f.Side, Message: f.Message, Hint: f.Hint,
			}
			t.failures[key] = group
		}
		group.Count += f.Count
		if f.Sampled {
			group.Samples = append(group.Samples, f.Failure)
		}
	case e.VerdictEvent != nil:
		t.verdict = e.VerdictEvent
	}
}

// complete fills in what the events know. The verdict stays empty unless the
// benchmark lived to give one.
func (t *tally) complete(r *hotseat.Result) {
	r.ElapsedS = t.last
	r.RawScore = t.progress.Score
	r.Points = t.points
	r.Phases = t.phases
	r.Generator.CPUS = t.progress.CPU
	r.Generator.Requests = t.progress.Requests
	for _, group := range t.failures {
		r.Failures = append(r.Failures, *group)
	}
	sort.Slice(r.Failures, func(i, j int) bool {
		a, b := r.Failures[i], r.Failures[j]
		if a.Count != b.Count {
			return a.Count > b.Count
		}
		return string(a.Class)+a.Code+a.Rule < string(b.Class)+b.Code+b.Rule
	})
	v := t.verdict
	if v == nil {
		return
	}
	r.Verdict, r.Reason, r.Hint = v.Verdict, v.Reason, v.Hint
	r.Score, r.RawScore, r.Deduction = v.Score, v.RawScore, v.Deduction
	r.Endpoints, r.Rules, r.RuleInfo = v.Endpoints, v.Rules, v.RuleInfo
	r.Arrivals, r.Remarks = v.Arrivals, v.Remarks
	if v.Generator != nil {
		r.Generator = *v.Generator
	}
}
