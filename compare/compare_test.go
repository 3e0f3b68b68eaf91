package compare

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hotseat"
)

// bed makes contenders whose runs take turns on one noisy machine.
type bed struct {
	random *rand.Rand
	order  []string
	seeds  map[string][]uint64
	minute float64 // what the machine does to both
	n      int
}

func newBed() *bed {
	return &bed{random: rand.New(rand.NewPCG(1, 2)), seeds: map[string][]uint64{}, minute: 1}
}

func (b *bed) contender(name string, speed float64, edit func(n int, r *hotseat.Result)) Contender {
	return Contender{Name: name, Commit: name + "-hash", Run: func(_ context.Context, seed uint64, note string) (*hotseat.Result, error) {
		b.order = append(b.order, name)
		b.seeds[name] = append(b.seeds[name], seed)
		if len(b.order)%2 == 1 {
			b.minute = math.Exp(0.5 * b.random.NormFloat64())
		}
		own := math.Exp(0.01 * b.random.NormFloat64())
		score := int64(10000 * speed * b.minute * own)
		b.n++
		r := &hotseat.Result{
			Run: fmt.Sprint("run-", b.n), Problem: "p", Verdict: hotseat.Pass, Score: &score, Note: note,
			Endpoints: []hotseat.Endpoint{
				{Method: "GET", Template: "/", P50MS: 5 / b.minute / own / speed},
				{Method: "GET", Template: "/same", P50MS: 3 / b.minute * math.Exp(0.01*b.random.NormFloat64())},
			},
			Queries: []hotseat.Query{{Fingerprint: "select ?", Calls: 10, TotalS: 0.02 / b.minute / own}},
		}
		if edit != nil {
			edit(b.n, r)
		}
		return r, nil
	}}
}

func plan(pairs int) Plan {
	seed := uint64(100)
	return Plan{Pairs: pairs, Seed: func() uint64 { seed++; return seed }}
}

func TestADifferenceIsFoundUnderSharedNoise(t *testing.T) {
	b := newBed()
	c, err := Run(t.Context(), b.contender("old", 1, nil), b.contender("new", 1.1, nil), plan(5))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := strings.Join(b.order, " "), "old new new old old new new old old new"; got != want {
		t.Errorf("order %q, want %q", got, want)
	}
	if fmt.Sprint(b.seeds["old"]) != "[101 102 103 104 105]" || fmt.Sprint(b.seeds["old"]) != fmt.Sprint(b.seeds["new"]) {
		t.Errorf("seeds %v: both runs of a pair need the same", b.seeds)
	}
	if c.Score == nil || !c.Score.Differs() || math.Abs(c.Score.Ratio-1.1) > 0.02 {
		t.Errorf("score %+v, want about 1.1 and sure of it", c.Score)
	}
	if !strings.Contains(c.Statement, "higher") {
		t.Errorf("statement %q", c.Statement)
	}
	if len(c.Endpoints) != 2 || c.Endpoints[0].Name != "GET /" || !c.Endpoints[0].Ratio.Differs() || c.Endpoints[1].Ratio.Differs() {
		t.Errorf("endpoints %+v: the one that changed must come first, the other must not count as changed", c.Endpoints)
	}
	if len(c.Queries) != 1 || c.Queries[0].Ratio.Differs() {
		t.Errorf("queries %+v, want one without a difference", c.Queries)
	}
}

func TestNoDifferenceIsSaid(t *testing.T) {
	b := newBed()
	c, err := Run(t.Context(), b.contender("one", 1, nil), b.contender("other", 1, nil), plan(4))
	if err != nil {
		t.Fatal(err)
	}
	if c.Score == nil || c.Score.Differs() || !strings.HasPrefix(c.Statement, "no difference that 4 pairs can show") {
		t.Errorf("score %+v, statement %q", c.Score, c.Statement)
	}
}

func TestAFailureEndsTheComparison(t *testing.T) {
	b := newBed()
	bad := b.contender("bad", 2, func(n int, r *hotseat.Result) {
		if n > 3 {
			r.Verdict, r.Reason = hotseat.Fail, "the sidebar is stale"
		}
	})
	c, err := Run(t.Context(), b.contender("good", 1, nil), bad, plan(5))
	if err != nil {
		t.Fatal(err)
	}
	if c.Failed == nil || c.Failed.Side != "B" || c.Failed.Verdict != hotseat.Fail || c.Score != nil || len(b.order) != 6 {
		t.Errorf("failed %+v, score %v after %d runs", c.Failed, c.Score, len(b.order))
	}
	if c.Statement != "B did not pass: the sidebar is stale" {
		t.Errorf("statement %q", c.Statement)
	}
}

func TestTheBenchmarksOwnTroubleIsRepeatedNotCounted(t *testing.T) {
	for _, c := range []struct {
		infra int
		want  bool // a comparison comes of it
	}{{2, true}, {4, false}} {
		b := newBed()
		tired := 0
		a := b.contender("a", 1, func(_ int, r *hotseat.Result) {
			if tired < c.infra {
				tired++
				r.Verdict, r.Score, r.Reason = hotseat.Infra, nil, "the generator starved"
			}
		})
		got, err := Run(t.Context(), a, b.contender("b", 1, nil), plan(2))
		if err != nil {
			t.Fatal(err)
		}
		if (got.Failed == nil) != c.want {
			t.Errorf("%d infra runs: failed %+v", c.infra, got.Failed)
		}
	}
}

func TestErrorsAndBadPlans(t *testing.T) {
	b := newBed()
	broken := Contender{Run: func(context.Context, uint64, string) (*hotseat.Result, error) { return nil, errors.New("no stack") }}
	if _, err := Run(t.Context(), b.contender("a", 1, nil), broken, plan(2)); err == nil || err.Error() != "no stack" {
		t.Errorf("got %v, want the runner's error", err)
	}
	if _, err := Run(t.Context(), broken, broken, plan(1)); err == nil || hotseat.ExitStatus(err) != hotseat.ExitUsage {
		t.Errorf("one pair: %v", err)
	}
}

func TestBenchstat(t *testing.T) {
	c := &Comparison{Problem: "p", A: Side{Name: "old\nthing", Scores: []int64{1, 2}}, B: Side{Name: "new", Scores: []int64{3}}}
	var out strings.Builder
	if err := c.Benchstat(&out); err != nil {
		t.Fatal(err)
	}
	want := "pkg: p\nside-a: old thing\nside-b: new\nBenchmarkScore/side=A 1 1 points\nBenchmarkScore/side=B 1 3 points\nBenchmarkScore/side=A 1 2 points\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out.String(), want)
	}
}
