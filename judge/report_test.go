package judge

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

func group(rule, code string, count int64) hotseat.FailureGroup {
	return hotseat.FailureGroup{Rule: rule, Code: code, Count: count, Message: "what happened"}
}

func TestCaughtMeansTheRightFailureAndNoOther(t *testing.T) {
	c := &Case{Name: "x", Kind: Fault, Rule: "p.a", Code: "wrong", Also: []string{"p.b"}}
	for _, test := range []struct {
		name     string
		verdict  hotseat.Verdict
		failures []hotseat.FailureGroup
		want     string // in the complaint; "" for none
	}{
		{"caught", hotseat.Fail, []hotseat.FailureGroup{group("p.a", "wrong", 3)}, ""},
		{"with another that follows from it", hotseat.Fail, []hotseat.FailureGroup{group("p.b", "x", 9), group("p.a", "wrong", 3)}, ""},
		{"with another code of the rule", hotseat.Fail, []hotseat.FailureGroup{group("p.a", "odd", 9), group("p.a", "wrong", 3)}, ""},
		{"missed", hotseat.Pass, nil, "verdict pass instead of fail"},
		{"seen but passed", hotseat.Pass, []hotseat.FailureGroup{group("p.a", "wrong", 3)}, "verdict pass instead of fail: because; seen: wrong of p.a × 3"},
		{"trouble of our own", hotseat.Infra, []hotseat.FailureGroup{group("p.a", "wrong", 3)}, "verdict infra instead of fail"},
		{"other code", hotseat.Fail, []hotseat.FailureGroup{group("p.a", "odd", 3)}, "no failure wrong of p.a; seen: odd of p.a × 3"},
		{"other rule", hotseat.Fail, []hotseat.FailureGroup{group("p.b", "wrong", 3)}, "no failure wrong of p.a"},
		{"an innocent rule blamed", hotseat.Fail, []hotseat.FailureGroup{group("p.a", "wrong", 3), group("p.c", "x", 1)}, "blamed as well: x of p.c; what happened"},
		{"no rule blamed", hotseat.Fail, []hotseat.FailureGroup{group("p.a", "wrong", 3), group("", "x", 1)}, "blamed as well: x of no rule"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := c.assess(&hotseat.Result{Verdict: test.verdict, Reason: "because", Failures: test.failures})
			if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestPassedMeansThatEveryRuleWasTested(t *testing.T) {
	c := &Case{Kind: Variant}
	rules := []hotseat.Rule{{ID: "p.a"}, {ID: "p.b"}, {ID: "p.optional", Conditional: true}}
	for _, test := range []struct {
		name    string
		verdict hotseat.Verdict
		tested  map[string]int64
		want    string
	}{
		{"all", hotseat.Pass, map[string]int64{"p.a": 1, "p.b": 7, "p.optional": 2}, ""},
		{"all that must", hotseat.Pass, map[string]int64{"p.a": 1, "p.b": 7}, ""},
		{"one idle", hotseat.Pass, map[string]int64{"p.a": 1, "p.b": 0, "p.optional": 2}, "never exercised: p.b"},
		{"accused", hotseat.Fail, map[string]int64{"p.a": 1, "p.b": 7}, "verdict fail instead of pass: because; seen: odd of p.a × 3"},
		{"undecided", hotseat.Infra, map[string]int64{"p.a": 1, "p.b": 7}, "verdict infra instead of pass"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := &hotseat.Result{Verdict: test.verdict, Reason: "because", Rules: test.tested, RuleInfo: rules}
			if test.verdict == hotseat.Fail {
				r.Failures = []hotseat.FailureGroup{group("p.a", "odd", 3)}
			}
			if got := c.assess(r); (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestUnwatchedRules(t *testing.T) {
	rules := []hotseat.Rule{{ID: "p.a", Semantic: true}, {ID: "p.b", Semantic: true}, {ID: "p.c", Semantic: true}, {ID: "p.connect"}}
	cases := []*Case{{Kind: Fault, Rule: "p.a"}, {Kind: Variant, Rule: "p.b"}, {Kind: Fault, Rule: "p.x", Also: []string{"p.c"}}}
	if d := cmp.Diff([]string{"p.b", "p.c"}, unwatched(rules, cases)); d != "" {
		t.Error(d)
	}
}

// The keys are a contract with whoever reads --json.
func TestReportAsJSON(t *testing.T) {
	var r Report
	r.add(CaseDone{Name: "a", Kind: Fault, ExpectedCode: "wrong", Rule: "p.a", Verdict: hotseat.Fail, Codes: []string{"wrong"}, OK: true})
	r.add(CaseDone{Name: "b", Kind: Fault, ExpectedCode: "odd", Rule: "p.b", Verdict: hotseat.Pass, Codes: []string{}, Problem: "missed"})
	r.add(CaseDone{Name: "c", Kind: Variant, Verdict: hotseat.Pass, Codes: []string{}, OK: true})
	if r.OK() {
		t.Error("a missed fault is fine")
	}
	text, err := json.Marshal(r)
	if err != nil {
		t.Fatal(err)
	}
	type oneCase struct {
		Name, Kind   string
		ExpectedCode string `json:"expected_code"`
		Rule         string
		Verdict      string
		Codes        []string
		OK           bool
	}
	type whole struct {
		Faults   struct{ Total, Caught int }
		Variants struct{ Total, Passed int }
		Cases    []oneCase
	}
	var got whole
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	want := whole{
		Faults:   struct{ Total, Caught int }{2, 1},
		Variants: struct{ Total, Passed int }{1, 1},
		Cases: []oneCase{
			{"a", "fault", "wrong", "p.a", "fail", []string{"wrong"}, true},
			{"b", "fault", "odd", "p.b", "pass", []string{}, false},
			{"c", "variant", "", "", "pass", []string{}, true},
		},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	for _, key := range []string{`"faults":{"total":2,"caught":1}`, `"variants":{"total":1,"passed":1}`, `"expected_code":"wrong"`} {
		if !strings.Contains(string(text), key) {
			t.Errorf("no %s in %s", key, text)
		}
	}
}

func TestOKNeedsEverything(t *testing.T) {
	good := Report{Cases: []CaseDone{{OK: true}}, Proofs: []Proof{{OK: true}}}
	if !good.OK() {
		t.Error("nothing was wrong")
	}
	for name, bad := range map[string]Report{
		"a case":    {Cases: []CaseDone{{OK: true}, {}}},
		"a proof":   {Cases: []CaseDone{{OK: true}}, Proofs: []Proof{{OK: true}, {}}},
		"unwatched": {Cases: []CaseDone{{OK: true}}, Unwatched: []string{"p.a"}},
	} {
		if bad.OK() {
			t.Errorf("%s was not ok", name)
		}
	}
}

func TestCodesAreListedOnce(t *testing.T) {
	r := &hotseat.Result{Failures: []hotseat.FailureGroup{group("p.a", "x", 3), group("p.b", "y", 2), group("p.c", "x", 1)}}
	if d := cmp.Diff([]string{"x", "y"}, codesOf(r)); d != "" {
		t.Error(d)
	}
	if codesOf(&hotseat.Result{}) == nil {
		t.Error("no codes are null in JSON")
	}
}

func TestInnocenceCountsVerdicts(t *testing.T) {
	var r InnocenceReport
	for _, v := range []hotseat.Verdict{hotseat.Pass, hotseat.Fail, hotseat.Infra, hotseat.Pass} {
		r.add(InnocentRun{Verdict: v})
	}
	if r.Runs != 4 || r.Accused != 1 || r.Troubled != 1 || r.OK() {
		t.Errorf("%+v", r)
	}
}

func TestSeedsAreExactInJSON(t *testing.T) {
	const exact = 1 << 53
	for _, seed := range []uint64{seedOf("a"), seedOf("untouched"), randomSeed(), randomSeed()} {
		if seed >= exact {
			t.Errorf("%d is not exact as a float64", seed)
		}
	}
	if again := seedOf("a"); seedOf("a") != again || again == seedOf("b") {
		t.Error("a case has no seed of its own, or another one each time")
	}
}
