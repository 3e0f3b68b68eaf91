package compare

import (
	"context"
	"fmt"
	"slices"
	"sort"

	"hotseat"
)

// Schema identifies the layout of a comparison as JSON. Keys are added, never renamed.
const Schema = "hotseat.comparison/1"

// Runner does one run of a side. Both runs of a pair get the same seed.
type Runner func(ctx context.Context, seed uint64, note string) (*hotseat.Result, error)

// Contender is one of the two things compared.
type Contender struct {
	Name   string // as people call it: a commit, a folder
	Commit string // of its workspace; empty outside a repository
	Run    Runner
}

// Plan says how to compare.
type Plan struct {
	Pairs int           // at least 2
	Seed  func() uint64 // a new one for each pair
	// Done, if not nil, is told of every run as it ends.
	Done func(pair int, side string, r *hotseat.Result)
}

// extraTries is how many runs in which the benchmark itself had trouble are
// repeated before a comparison gives up.
const extraTries = 3

// Comparison is what the pairs showed.
type Comparison struct {
	Schema  string `json:"schema"`
	Problem string `json:"problem"`
	A       Side   `json:"a"`
	B       Side   `json:"b"`
	// Failed is the run that ended the comparison early, if one did: a verdict
	// that is no pass has no score to compare.
	Failed *Failed `json:"failed,omitempty"`

	Score     *Ratio  `json:"score"`     // null without two pairs of scores
	Statement string  `json:"statement"` // the answer in one sentence
	Endpoints []Delta `json:"endpoints"` // by the p50 the client saw
	Queries   []Delta `json:"queries"`   // by time per call in the database
}

// Side is one contender's runs.
type Side struct {
	Name   string   `json:"name"`
	Commit string   `json:"commit"`
	Runs   []string `json:"runs"`
	Scores []int64  `json:"scores"`

	results []*hotseat.Result
}

// Failed is a run without a score.
type Failed struct {
	Side    string          `json:"side"` // "A" or "B"
	Run     string          `json:"run"`
	Verdict hotseat.Verdict `json:"verdict"`
	Reason  string          `json:"reason"`
}

// Delta is what became of one endpoint or query: a ratio of B to A, whose
// interval is wide enough that all of a table's hold together.
type Delta struct {
	Name  string  `json:"name"`
	A     float64 `json:"a_ms"` // medians
	B     float64 `json:"b_ms"`
	Ratio Ratio   `json:"ratio"`
}

// Run does the pairs: A first in the odd ones, B first in the even ones.
func Run(ctx context.Context, a, b Contender, plan Plan) (*Comparison, error) {
	if plan.Pairs < 2 {
		return nil, hotseat.Invalid("for instance --pairs 5", "%d pairs show nothing: an interval needs at least two", plan.Pairs)
	}
	c := &Comparison{
		Schema: Schema, Endpoints: []Delta{}, Queries: []Delta{},
		A: Side{Name: a.Name, Commit: a.Commit, Runs: []string{}, Scores: []int64{}},
		B: Side{Name: b.Name, Commit: b.Commit, Runs: []string{}, Scores: []int64{}},
	}
	tries := extraTries
	for pair := 1; pair <= plan.Pairs && c.Failed == nil; pair++ {
		seed := plan.Seed()
		turns := []struct {
			label string
			who   Contender
			side  *Side
		}{{"A", a, &c.A}, {"B", b, &c.B}}
		if pair%2 == 0 {
			slices.Reverse(turns)
		}
		for _, t := range turns {
			note := fmt.Sprintf("compare %s %d/%d: %s", t.label, pair, plan.Pairs, t.who.Name)
			r, err := t.who.Run(ctx, seed, note)
			for ; err == nil && r.Verdict == hotseat.Infra && ctx.Err() == nil && tries > 0; tries-- {
				r, err = t.who.Run(ctx, seed, note)
			}
			if err != nil {
				return nil, err
			}
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if plan.Done != nil {
				plan.Done(pair, t.label, r)
			}
			c.Problem = r.Problem
			if r.Verdict != hotseat.Pass || r.Score == nil {
				c.Failed = &Failed{Side: t.label, Run: r.Run, Verdict: r.Verdict, Reason: r.Reason}
				break
			}
			t.side.Runs = append(t.side.Runs, r.Run)
			t.side.Scores = append(t.side.Scores, *r.Score)
			t.side.results = append(t.side.results, r)
		}
	}
	c.conclude()
	return c, nil
}

// conclude draws the ratios from the pairs that are complete.
func (c *Comparison) conclude() {
	n := min(len(c.A.results), len(c.B.results))
	a, b := c.A.results[:n], c.B.results[:n]
	switch score, err := Paired(scores(a), scores(b)); {
	case c.Failed != nil:
		c.Statement = fmt.Sprintf("%s did not pass: %s", c.Failed.Side, c.Failed.Reason)
		return
	case err != nil:
		c.Statement = fmt.Sprintf("the scores have no ratio: %v", err)
	default:
		c.Score, c.Statement = &score, score.Sentence("B's score")
	}
	c.Endpoints = deltas(a, b, func(r *hotseat.Result) map[string]float64 {
		of := map[string]float64{}
		for _, e := range r.Endpoints {
			of[e.Method+" "+e.Template] = e.P50MS
		}
		return of
	})
	c.Queries = deltas(a, b, func(r *hotseat.Result) map[string]float64 {
		of := map[string]float64{}
		for _, q := range r.Queries {
			if q.Calls > 0 {
				of[q.Fingerprint] = 1000 * q.TotalS / float64(q.Calls)
			}
		}
		return of
	})
}

// Sentence says what the ratio of a thing shows.
func (r Ratio) Sentence(what string) string {
	if !r.Differs() {
		return fmt.Sprintf("no difference that %d pairs can show: %s is %s (95 %%: %s to %s); a change of less than about %.0f %% hides in this noise",
			r.Pairs, what, times(r.Ratio), times(r.Low), times(r.High), 100*(r.Smallest()-1))
	}
	word := "higher"
	if r.Ratio < 1 {
		word = "lower"
	}
	return fmt.Sprintf("%s is %s: %s (95 %%: %s to %s, %d pairs)", what, word, times(r.Ratio), times(r.Low), times(r.High), r.Pairs)
}

func times(f float64) string { return fmt.Sprintf("%.3f ×", f) }

// deltas compares whatever both sides have in every run. The largest changes
// that are sure come first, then the rest by name.
func deltas(a, b []*hotseat.Result, of func(*hotseat.Result) map[string]float64) []Delta {
	columns := func(results []*hotseat.Result) map[string][]float64 {
		all := map[string][]float64{}
		for _, r := range results {
			for name, v := range of(r) {
				if v > 0 {
					all[name] = append(all[name], v)
				}
			}
		}
		for name, values := range all {
			if len(values) != len(results) {
				delete(all, name)
			}
		}
		return all
	}
	of1, of2 := columns(a), columns(b)
	members := 0
	for name := range of1 {
		if of2[name] != nil {
			members++
		}
	}
	found := []Delta{}
	for name, values := range of1 {
		if of2[name] == nil {
			continue
		}
		r, err := paired(values, of2[name], family(Confidence, members))
		if err != nil {
			continue // fewer than two pairs: nothing to say
		}
		found = append(found, Delta{Name: name, A: median(values), B: median(of2[name]), Ratio: r})
	}
	sort.Slice(found, func(i, j int) bool {
		x, y := found[i], found[j]
		if x.Ratio.Differs() != y.Ratio.Differs() {
			return x.Ratio.Differs()
		}
		if x.Ratio.Differs() && x.Ratio.nearness() != y.Ratio.nearness() {
			return x.Ratio.nearness() < y.Ratio.nearness()
		}
		return x.Name < y.Name
	})
	return found
}

// nearness is how near the ratio is to 1, either way; 1 is nearest.
func (r Ratio) nearness() float64 { return min(r.Ratio, 1/r.Ratio) }

func scores(results []*hotseat.Result) []float64 {
	var s []float64
	for _, r := range results {
		s = append(s, float64(*r.Score))
	}
	return s
}

func median(values []float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	n := len(sorted)
	if n == 0 {
		return 0
	}
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}
