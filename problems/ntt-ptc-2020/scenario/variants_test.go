package nttscenario

import (
	"fmt"
	"net/http"
	"slices"
	"sync/atomic"
	"testing"

	"hotseat"
	"hotseat/problem/problemtest"
)

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
		play := func(load ...string) problemtest.Outcome {
			return execute(t.Context(), t, newService(seed, v.variant), slices.Concat(load, v.args)...)
		}
		runs.Add(fmt.Sprintf("%q %q", v.variant, v.args), until(allExercised, play), func(t *testing.T, o problemtest.Outcome) {
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

// allExercised tells whether a run was about every rule, or failed.
func allExercised(o problemtest.Outcome) bool {
	missing := func(rule hotseat.Rule) bool { return o.Verdict.Rules[rule.ID] == 0 }
	return o.Verdict.Verdict == hotseat.Fail || o.Verdict.Verdict == hotseat.Pass && !slices.ContainsFunc(rules(), missing)
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

// tight returns a world in which every venue has room for a few more tickets than are
// reserved for its fullest event.
func tight(t *testing.T, seed *testData) (*testData, *truth) {
	t.Helper()
	const more = 8
	small, known := *seed, *shared.truth
	small.venues, known.venues = slices.Clone(seed.venues), slices.Clone(known.venues)
	for i := range small.venues {
		small.venues[i].capacity = more
	}
	for _, e := range known.events {
		venue := &small.venues[e.venue-1]
		venue.capacity = max(venue.capacity, e.tickets+more)
	}
	for i := range known.venues {
		known.venues[i].capacity = small.venues[i].capacity
	}
	return &small, &known
}

// Where tickets run out, refusals are right, and one too many is wrong.
func TestSoldOut(t *testing.T) {
	seed, known := tight(t, testSeed(t))
	runs := problemtest.NewAtOnce(loadsAtOnce)
	for wrong, rule := range map[string]string{"": "", "reserves-some": ruleReservationPossible, "sells-too-much": ruleCapacityRace} {
		var refused atomic.Int64
		enough := func(o problemtest.Outcome) bool { return o.Has(rule, "") || rule == "" && refused.Load() > 0 }
		runs.Add(wrong, until(enough, func(load ...string) problemtest.Outcome {
			service := newService(seed, wrong)
			return executeOn(t.Context(), t, known, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				seen := &statusWriter{ResponseWriter: w}
				service.ServeHTTP(seen, r)
				if seen.status == http.StatusConflict {
					refused.Add(1)
				}
			}), append(load, "--param", "campaign=2", "--param", "rules=original")...)
		}), func(t *testing.T, o problemtest.Outcome) {
			if rule != "" && !o.Has(rule, "") {
				t.Errorf("not caught: %v", o)
			}
			if rule != "" {
				return
			}
			innocent(t, o)
			if refused.Load() == 0 {
				t.Error("nothing was sold out")
			}
		})
	}
	runs.Judge(t)
}

// statusWriter remembers the status of an answer.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}
