package judge

import (
	"context"
	"fmt"
	"time"

	"hotseat"
	"hotseat/runner"
)

// unwatched returns the semantic rules that no fault is there for.
func unwatched(rules []hotseat.Rule, cases []*Case) []string {
	var ids []string
	for _, r := range rules {
		if r.Semantic && len(faultsOf(r.ID, cases)) == 0 {
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func faultsOf(rule string, cases []*Case) []*Case {
	var faults []*Case
	for _, c := range cases {
		if c.Kind == Fault && c.Rule == rule {
			faults = append(faults, c)
		}
	}
	return faults
}

// prove shows of each semantic rule that it is needed: with the rule switched
// off, one of its faults must escape. (A fault may break more than one rule, so
// not all of them must.) Rules for which no fault was played are left out;
// [Report].Unwatched names them.
func (j *judge) prove(ctx context.Context, rules []hotseat.Rule, cases []*Case) error {
	for _, r := range rules {
		faults := faultsOf(r.ID, cases)
		if !r.Semantic || len(faults) == 0 {
			continue
		}
		p, err := j.proveOne(ctx, r.ID, faults)
		if err != nil {
			return err
		}
		j.report.Proofs = append(j.report.Proofs, p)
		if j.Proved != nil {
			j.Proved(p)
		}
	}
	return nil
}

func (j *judge) proveOne(ctx context.Context, rule string, faults []*Case) (Proof, error) {
	began := time.Now()
	p := Proof{Rule: rule}
	var last *runner.Outcome
	for _, c := range faults {
		discard(last)
		outcome, err := j.stage.run(ctx, trial{c: c, seed: seedOf(c.Name), disabled: []string{rule}})
		if ctx.Err() != nil {
			return p, ctx.Err()
		}
		last, p.Case = outcome, c.Name
		if err != nil {
			p.Problem = noRun(err)
			continue
		}
		p.Verdict = outcome.Result.Verdict
		if p.OK = p.Verdict == hotseat.Pass; p.OK {
			p.Problem = ""
			discard(outcome)
			break
		}
		p.Problem = fmt.Sprintf("without the rule the verdict is still %s: %s%s", p.Verdict, outcome.Result.Reason, seen(outcome.Result))
	}
	p.ElapsedS = seconds(began)
	return p, nil
}
