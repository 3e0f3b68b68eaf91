package judge

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"hotseat"
)

// Report is what came of judging a problem's benchmark.
type Report struct {
	Problem  string     `json:"problem"`
	Faults   Faults     `json:"faults"`
	Variants Variants   `json:"variants"`
	Cases    []CaseDone `json:"cases"`

	// Unwatched are semantic rules that no fault is there for: whether they
	// ever catch anything is unknown. Filled in only when all cases ran.
	Unwatched []string `json:"unwatched,omitempty"`
	// Proofs tell, with [Options].Prove, for each semantic rule whether one of
	// its faults escapes without it.
	Proofs []Proof `json:"proofs,omitempty"`

	ElapsedS float64 `json:"elapsed_s"`
	Kept     string  `json:"kept,omitempty"` // the folder with workspace and runs, if something was not ok
}

// Faults counts the faults.
type Faults struct {
	Total  int `json:"total"`
	Caught int `json:"caught"`
}

// Variants counts the correct variants.
type Variants struct {
	Total  int `json:"total"`
	Passed int `json:"passed"`
}

// CaseDone is what came of one case.
type CaseDone struct {
	Name         string          `json:"name"`
	Kind         Kind            `json:"kind"`
	ExpectedCode string          `json:"expected_code"` // "" for variants
	Rule         string          `json:"rule"`          // "" for variants
	Verdict      hotseat.Verdict `json:"verdict"`       // "" if there was no run
	Codes        []string        `json:"codes"`         // of the failures seen, the most frequent first
	OK           bool            `json:"ok"`

	Problem  string  `json:"problem,omitempty"` // why it is not ok
	Seed     uint64  `json:"seed,omitempty"`
	Run      string  `json:"run,omitempty"` // the run's folder, kept where it is not ok
	ElapsedS float64 `json:"elapsed_s"`
}

// Proof is what came of a semantic rule's faults once it was switched off.
type Proof struct {
	Rule     string          `json:"rule"`
	Case     string          `json:"case"` // the fault that escaped, or the last one tried
	Verdict  hotseat.Verdict `json:"verdict"`
	OK       bool            `json:"ok"`
	Problem  string          `json:"problem,omitempty"`
	ElapsedS float64         `json:"elapsed_s"`
}

// OK reports whether the benchmark may judge: everything was as it must be.
func (r *Report) OK() bool {
	return len(r.Unwatched) == 0 &&
		!slices.ContainsFunc(r.Cases, func(c CaseDone) bool { return !c.OK }) &&
		!slices.ContainsFunc(r.Proofs, func(p Proof) bool { return !p.OK })
}

// add counts a finished case.
func (r *Report) add(c CaseDone) {
	r.Cases = append(r.Cases, c)
	good := 0
	if c.OK {
		good = 1
	}
	if c.Kind == Fault {
		r.Faults.Total++
		r.Faults.Caught += good
	} else {
		r.Variants.Total++
		r.Variants.Passed += good
	}
}

// assess compares a result with what the case asks for and returns what is
// wrong, "" if nothing is.
func (c *Case) assess(r *hotseat.Result) string {
	if c.Kind == Fault {
		return c.caught(r)
	}
	return passed(r)
}

// caught wants the verdict fail, the failure that the case names, and no
// failure of a rule that has nothing to do with it: a contestant who is told
// of five broken rules mends the wrong one first.
func (c *Case) caught(r *hotseat.Result) string {
	if r.Verdict != hotseat.Fail {
		return fmt.Sprintf("verdict %s instead of fail: %s%s", r.Verdict, r.Reason, seen(r))
	}
	if !slices.ContainsFunc(r.Failures, func(g hotseat.FailureGroup) bool { return g.Code == c.Code && g.Rule == c.Rule }) {
		return fmt.Sprintf("no failure %s of %s%s", c.Code, c.Rule, seen(r))
	}
	for _, g := range r.Failures {
		if g.Rule != c.Rule && !slices.Contains(c.Also, g.Rule) {
			return fmt.Sprintf("blamed as well: %s of %s; %s", g.Code, cmp.Or(g.Rule, "no rule"), g.Message)
		}
	}
	return ""
}

// passed wants the verdict pass, and every rule to have been put to the test
// that is not about optional behaviour.
func passed(r *hotseat.Result) string {
	if r.Verdict != hotseat.Pass {
		return fmt.Sprintf("verdict %s instead of pass: %s%s", r.Verdict, r.Reason, seen(r))
	}
	var idle []string
	for _, rule := range r.RuleInfo {
		if !rule.Conditional && r.Rules[rule.ID] == 0 {
			idle = append(idle, rule.ID)
		}
	}
	if len(idle) > 0 {
		return "never exercised: " + strings.Join(idle, ", ")
	}
	return ""
}

// seen lists the failures of a result for people.
func seen(r *hotseat.Result) string {
	if len(r.Failures) == 0 {
		return ""
	}
	const most = 5
	var list []string
	for i, g := range r.Failures {
		if i == most {
			list = append(list, fmt.Sprintf("and %d kinds more", len(r.Failures)-most))
			break
		}
		list = append(list, fmt.Sprintf("%s of %s × %d", g.Code, cmp.Or(g.Rule, "no rule"), g.Count))
	}
	return "; seen: " + strings.Join(list, ", ")
}

// codesOf lists the codes of a result's failures, each once, the most frequent first.
func codesOf(r *hotseat.Result) []string {
	codes := []string{}
	for _, g := range r.Failures {
		if !slices.Contains(codes, g.Code) {
			codes = append(codes, g.Code)
		}
	}
	return codes
}
