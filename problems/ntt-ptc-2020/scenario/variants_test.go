package nttscenario

import (
	"fmt"
	"net/http"
	"testing"

	"hotseat"
	"hotseat/problem/problemtest"
)

// patiently plays again where the machine was too busy for the benchmark itself.
func patiently(play func() problemtest.Outcome) func() problemtest.Outcome {
	return func() (o problemtest.Outcome) {
		for range 3 {
			if o = play(); o.Verdict.Verdict != hotseat.Infra {
				break
			}
		}
		return o
	}
}

// What is unusual but right passes, whoever says how many come, and every rule is
// exercised.
func TestVariants(t *testing.T) {
	seed := testSeed(t)
	runs := problemtest.NewAtOnce(loadsAtOnce)
	for _, v := range []struct {
		variant string
		args    []string
	}{
		{"", []string{"--param", "campaign=1"}},
		{"", []string{"--param", "campaign=3"}},
		{"level 2\n", nil},
		{"level three", nil},
		{"null", []string{"--param", "campaign=2"}},
		{"keys-reversed", []string{"--param", "campaign=2"}},
		{"spaces", []string{"--param", "campaign=2"}},
		{"chunked", []string{"--param", "campaign=2"}},
		{"unique-tokens", []string{"--param", "campaign=2"}},
		{"logout-object", []string{"--param", "campaign=2"}},
	} {
		play := func() problemtest.Outcome {
			return execute(t.Context(), t, newService(seed, v.variant), append([]string{"--duration", "3s"}, v.args...)...)
		}
		runs.Add(fmt.Sprintf("%q %q", v.variant, v.args), patiently(play), func(t *testing.T, o problemtest.Outcome) {
			if o.Verdict.Verdict != hotseat.Pass || len(o.Failures) > 0 {
				t.Fatalf("accused: %v", o)
			}
			for _, rule := range rules() {
				if o.Verdict.Rules[rule.ID] == 0 {
					t.Errorf("%s was not exercised", rule.ID)
				}
			}
			var points int64
			for group, n := range o.Points {
				earns, _ := worth(group)
				points += n * earns
			}
			if o.Verdict.Score == nil || *o.Verdict.Score != points || points == 0 {
				t.Errorf("score %v, points %d: %v", o.Verdict.Score, points, o.Points)
			}
			if len(o.Requests) != 1 || o.Requests[0] != hotseat.ActionRestartStack {
				t.Errorf("it asked the parent for %q", o.Requests)
			}
		})
	}
	runs.Judge(t)
}

// Where nothing can be restarted the run is as good without.
func TestNothingToRestart(t *testing.T) {
	t.Parallel()
	service := newService(testSeed(t))
	o := execute(t.Context(), t, http.HandlerFunc(service.ServeHTTP), "--param", "campaign=2")
	if o.Verdict.Verdict == hotseat.Fail || len(o.Requests) != 1 {
		t.Errorf("asked for %q: %v", o.Requests, o)
	}
	innocent(t, o)
}
