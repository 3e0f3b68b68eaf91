package judge

import (
	"context"
	"errors"
	"time"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

// untouched is the name of the first case, which is not in faults.toml: the
// judge's app behind the proxy without any tampering.
const untouched = "untouched"

// Options are the choices of [Run].
type Options struct {
	Problem *problem.Problem
	Runner  *runner.Runner
	Case    string // only this one; empty: all
	Prove   bool   // also show that no semantic rule could be done without
	Dir     string // where the temporary folder is made; empty: the system's

	// Done is told of each case as it is finished; may be nil.
	Done func(CaseDone)
	// Proved is told of each proof; may be nil.
	Proved func(Proof)
}

// Run plays the cases of a problem, one after the other on one stack, and
// reports which were judged as they must be. If the untouched app fails there is
// no use in going on, and nothing else is played.
//
// Whatever happens, the stack is stopped; the temporary folder is removed unless
// something was not as it must be. An error means that judging was not possible,
// or was interrupted.
func Run(ctx context.Context, o Options) (report *Report, err error) {
	began := time.Now()
	book, err := loadCases(o.Problem.ID, o.Problem.Files)
	if err != nil {
		return nil, err
	}
	cases, err := book.selected(o.Case)
	if err != nil {
		return nil, err
	}
	s, err := openStage(ctx, o.Problem, o.Runner, o.Dir)
	if err != nil {
		return nil, err
	}
	report = &Report{Problem: o.Problem.ID, Cases: []CaseDone{}}
	defer func() {
		report.Kept, err = s.finish(ctx, report.OK(), err)
		report.ElapsedS = seconds(began)
	}()
	j := &judge{Options: o, stage: s, report: report}

	rules, err := j.playUntouched(ctx)
	if err != nil || !report.OK() {
		return report, err
	}
	if err := book.checkRules(rules); err != nil {
		return report, err
	}
	for _, c := range cases {
		if err := j.play(ctx, c); err != nil {
			return report, err
		}
	}
	if o.Case == "" {
		report.Unwatched = unwatched(rules, cases)
	}
	if o.Prove {
		err = j.prove(ctx, rules, cases)
	}
	return report, err
}

// judge is a [Run] under way.
type judge struct {
	Options
	stage  *stage
	report *Report
}

// playUntouched is the case without a fault. It tells the benchmark's rules.
func (j *judge) playUntouched(ctx context.Context) ([]hotseat.Rule, error) {
	c := &Case{Name: untouched, Kind: Variant}
	began := time.Now()
	outcome, err := j.stage.run(ctx, trial{c: c, proxied: true, seed: seedOf(c.Name)})
	if err != nil {
		return nil, err // without a stack that works there is nothing to judge
	}
	j.conclude(c, outcome, nil, began)
	return outcome.Result.RuleInfo, nil
}

// play runs one case. An error ends the judging; a case that could not be run
// is only a case that is not ok.
func (j *judge) play(ctx context.Context, c *Case) error {
	began := time.Now()
	outcome, err := j.stage.run(ctx, trial{c: c, seed: seedOf(c.Name)})
	if ctx.Err() != nil {
		return ctx.Err()
	}
	j.conclude(c, outcome, err, began)
	return nil
}

// noRun says why there was no run, with the words of the compiler or server
// that was the cause.
func noRun(err error) string {
	text := "there was no run: " + err.Error()
	var known *hotseat.Error
	if errors.As(err, &known) && known.Detail != "" {
		text += ": " + known.Detail
	}
	return text
}

// conclude assesses a case's outcome and reports it.
func (j *judge) conclude(c *Case, outcome *runner.Outcome, err error, began time.Time) {
	done := CaseDone{Name: c.Name, Kind: c.Kind, ExpectedCode: c.Code, Rule: c.Rule, Codes: []string{}}
	if err != nil {
		done.Problem = noRun(err)
	} else {
		r := outcome.Result
		done.Verdict, done.Codes, done.Seed = r.Verdict, codesOf(r), r.Seed
		done.Problem = c.assess(r)
	}
	done.OK = done.Problem == ""
	if done.OK {
		discard(outcome)
	} else if outcome != nil {
		done.Run = outcome.Dir
	}
	done.ElapsedS = seconds(began)
	j.report.add(done)
	if j.Done != nil {
		j.Done(done)
	}
}
