package runner

import (
	"slices"

	"hotseat"
)

// samplesKept is how many samples of a failure group a result carries: the
// benchmark sends the first five of each step.
const samplesKept = 25

// collector turns a benchmark's events into the benchmark's part of a result.
// It needs no verdict event: a killed benchmark leaves what it told until then.
type collector struct {
	phases   []hotseat.Phase
	open     *openPhase // the phase that has begun and not ended
	points   map[string]int64
	groups   []*hotseat.FailureGroup
	progress hotseat.ProgressEvent
	verdict  *hotseat.VerdictEvent
	lastAtS  float64
}

type openPhase struct {
	name   string
	beganS float64
}

func newCollector() *collector { return &collector{points: map[string]int64{}} }

// add takes one event.
func (c *collector) add(e hotseat.Event) {
	c.lastAtS = max(c.lastAtS, e.AtS)
	switch {
	case e.PhaseEvent != nil:
		c.addPhase(e.AtS, e.PhaseEvent)
	case e.ProgressEvent != nil:
		c.progress = *e.ProgressEvent
	case e.PointEvent != nil:
		p := e.PointEvent
		c.points[p.Tag] += p.Count
	case e.FailureEvent != nil:
		f := e.FailureEvent
		c.addFailure(f.Failure, f.Count, f.Sampled)
	case e.VerdictEvent != nil:
		c.verdict = e.VerdictEvent
	}
}

func (c *collector) addPhase(atS float64, p *hotseat.PhaseEvent) {
	if p.State == hotseat.PhaseBegin {
		c.open = &openPhase{p.Phase, atS}
		return
	}
	elapsed := p.ElapsedS
	if c.open != nil && c.open.name == p.Phase {
		elapsed = atS - c.open.beganS
		c.open = nil
	}
	c.phases = append(c.phases, hotseat.Phase{Name: p.Phase, ElapsedS: elapsed, OK: p.OK})
}

func (c *collector) addFailure(f hotseat.Failure, count int64, sampled bool) {
	i := slices.IndexFunc(c.groups, func(g *hotseat.FailureGroup) bool {
		return g.Class == f.Class && g.Code == f.Code && g.Rule == f.Rule
	})
	if i < 0 {
		c.groups = append(c.groups, &hotseat.FailureGroup{
			Class: f.Class, Code: f.Code, Rule: f.Rule, Side: f.Side, Message: f.Message, Hint: f.Hint, Samples: []hotseat.Failure{},
		})
		i = len(c.groups) - 1
	}
	g := c.groups[i]
	g.Count += count
	if sampled && len(g.Samples) < samplesKept {
		g.Samples = append(g.Samples, f)
	}
}

// currentPhase is the phase under way, "" between phases.
func (c *collector) currentPhase() string {
	if c.open == nil {
		return ""
	}
	return c.open.name
}

// fill writes what the benchmark told into a result. A phase that never ended
// did not do what it is for.
func (c *collector) fill(r *hotseat.Result) {
	r.Phases = slices.Clone(c.phases)
	if c.open != nil {
		r.Phases = append(r.Phases, hotseat.Phase{Name: c.open.name, ElapsedS: c.lastAtS - c.open.beganS})
	}
	r.Points = c.points
	r.Failures = []hotseat.FailureGroup{}
	for _, g := range c.groups {
		r.Failures = append(r.Failures, *g)
	}
	slices.SortStableFunc(r.Failures, func(a, b hotseat.FailureGroup) int { return int(b.Count - a.Count) })
	r.RawScore = c.progress.Score
	r.Generator.CPUS, r.Generator.Requests = c.progress.CPU, c.progress.Requests
	v := c.verdict
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

// settle makes verdict and score agree, whoever decided the verdict: 0 on fail,
// null on infra.
func settle(r *hotseat.Result) {
	switch r.Verdict {
	case hotseat.Pass:
		if r.Score == nil {
			score := r.RawScore
			r.Score = &score
		}
	case hotseat.Fail:
		zero := int64(0)
		r.Score = &zero
	default:
		r.Verdict = hotseat.Infra
		r.Score = nil
	}
	if r.Endpoints == nil {
		r.Endpoints = []hotseat.Endpoint{}
	}
	if r.Rules == nil {
		r.Rules = map[string]int64{}
	}
}
