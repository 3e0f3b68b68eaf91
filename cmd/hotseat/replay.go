package main

import (
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	"hotseat"
	"hotseat/problem"
	"hotseat/report"
	"hotseat/runner"
)

// replayed is what a replay found, for scripts.
type replayed struct {
	Run     string              `json:"run"`
	Replay  string              `json:"replay"` // USER:STEP
	Verdict hotseat.Verdict     `json:"verdict"`
	Reason  string              `json:"reason"`
	Steps   []hotseat.StepEvent `json:"steps"`
}

// replay has one user of a run do again what it did, against what the
// workspace is now. It is no run: nothing of it is kept.
func (m *Main) replay(ctx context.Context, o runner.Options, what string, asJSON bool) error {
	name, rest, ok := strings.Cut(what, ":")
	user, step, ok2 := strings.Cut(rest, ":")
	if !ok || !ok2 || user == "" || step == "" {
		return hotseat.Invalid("for instance --replay :worker/3:17, or 20261121-204512-3fa9c1:worker/3:17; result.json has user and step_number of failures",
			"--replay %q is not RUN:USER:STEP", what)
	}
	if !replays(o.Problem) {
		return hotseat.Invalid("if it can, say replay = true under [benchmark] in its problem.toml; benchmarks written with package bench can",
			"the benchmark of %s, a program of its own, does not replay", o.Problem.ID)
	}
	runs := "runs"
	if o.Workspace != nil {
		runs = o.Workspace.RunsDir()
	}
	dir, err := runner.FindRun(runs, name)
	if err != nil {
		return err
	}
	run, err := runner.ReadResult(dir)
	if err != nil {
		return err
	}
	if err := repeat(&o, run); err != nil {
		return err
	}
	o.Replay = user + ":" + stepNumber(run, user, step)

	if o.RunsDir, err = os.MkdirTemp("", "hotseat-replay-"); err != nil {
		return hotseat.Unavailable("set TMPDIR to a folder with some free space", "make a folder for the replay: %w", err)
	}
	defer func() { _ = os.RemoveAll(o.RunsDir) }()

	found := replayed{Run: run.Run, Replay: o.Replay, Steps: []hotseat.StepEvent{}}
	t := report.TerminalOptions{Width: 80}
	if f, ok := m.Stdout.(*os.File); ok {
		t.Color, t.Width = report.ColorWanted(f, os.Getenv), report.Width(f)
	}
	story := report.NewReplay(m.Stdout, t)
	observer := runner.Observer{Step: m.step, Event: func(e hotseat.Event) {
		if e.Replayed != nil {
			found.Steps = append(found.Steps, *e.Replayed)
		}
		if !asJSON {
			story.Event(e)
		}
	}}
	m.say("Replaying %s of run %s (seed %d)", o.Replay, run.Run, run.Seed)
	r, err := m.runner(observer)
	if err != nil {
		return err
	}
	outcome, err := r.Run(ctx, o)
	if err != nil {
		return err
	}
	found.Verdict, found.Reason = outcome.Result.Verdict, outcome.Result.Reason
	m.status = found.Verdict.ExitStatus()
	if ctx.Err() != nil {
		m.status = hotseat.ExitInterrupted
	}
	if asJSON {
		return m.printJSON(found)
	}
	story.Verdict(found.Verdict, found.Reason)
	return story.Err()
}

// replays tells whether a problem's benchmark knows --replay: those compiled in
// are written with package bench, of others the manifest says so.
func replays(p *problem.Problem) bool {
	return len(p.Benchmark.Command) == 0 || p.Benchmark.Replay
}

// repeat makes o the options of that run again: its seed, parameters and
// duration, where the command line does not say otherwise.
func repeat(o *runner.Options, run *hotseat.Result) error {
	if run.Problem != o.Problem.ID {
		return hotseat.Invalid("go into a workspace of "+run.Problem, "run %s is of %s, not of %s", run.Run, run.Problem, o.Problem.ID)
	}
	if o.Seed != nil {
		return hotseat.Invalid("leave --seed away", "--replay takes the seed of its run")
	}
	o.Seed = &run.Seed
	params := maps.Clone(run.Params)
	if params == nil {
		params = map[string]string{}
	}
	maps.Copy(params, o.Params)
	o.Params = params
	for _, p := range run.Phases {
		if o.Duration == 0 && p.Name == "load" {
			o.Duration = time.Duration(math.Ceil(p.ElapsedS)) * time.Second
		}
	}
	o.Measure, o.NoReport = runner.MeasureOff, true
	return nil
}

// stepNumber turns a step's name into the number at which it failed in that
// run, if it did and was sampled; otherwise the benchmark takes the first step
// of that name.
func stepNumber(run *hotseat.Result, user, step string) string {
	for _, g := range run.Failures {
		for _, f := range g.Samples {
			id := strconv.Itoa(f.User)
			if f.StepNumber > 0 && f.Step == step && (user == id || user == fmt.Sprintf("%s/%s", f.Scenario, id)) {
				return strconv.Itoa(f.StepNumber)
			}
		}
	}
	return step
}
