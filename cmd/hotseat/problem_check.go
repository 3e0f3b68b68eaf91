package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

func (m *Main) problemCheckCommand() *cobra.Command {
	var duration time.Duration
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "check DIR",
		Short: "See whether a problem holds: files, app, stack, protocol, verdicts",
		Long: `Verify the problem in a folder: its manifest and the files that it names; the app
builds and the stack comes up; every line that the benchmark prints is as the
protocol says, and its exit status fits its verdict; the app as given passes; the
benchmark ends when it is told to; a server that answers nothing but empty
pages, and none at all, fail without being called the benchmark's own trouble.

All of it happens in a folder of its own that is removed again.

Exit status: 0 all right, 1 something is wrong, 2 wrong usage or no problem
there, 3 trouble of this machine's own, 130 interrupted.`,
		Example: "  hotseat problem check ./mine\n  hotseat problem check ./mine --duration 20s",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			if duration <= 0 {
				return hotseat.Invalid("for instance --duration 3s", "the duration is not positive: %s", duration)
			}
			return m.checkProblem(cmd.Context(), args[0], duration, asJSON)
		},
	}
	cmd.Flags().DurationVar(&duration, "duration", 3*time.Second, "how long to load in each run")
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (m *Main) checkProblem(ctx context.Context, dir string, duration time.Duration, asJSON bool) (err error) {
	var s *trialStage
	o := problem.CheckOptions{Duration: duration, Open: func(p *problem.Problem) problem.Stage {
		s = &trialStage{main: m, problem: p}
		return s
	}}
	if !asJSON {
		o.Tell = m.printFinding
	}
	findings, err := problem.Check(ctx, dir, o)
	if s != nil {
		err = errors.Join(err, s.close(ctx))
	}
	if err != nil {
		return err
	}
	if !problem.AllRight(findings) {
		m.status = hotseat.ExitFail
	}
	if asJSON {
		return m.printJSON(findings)
	}
	return nil
}

func (m *Main) printFinding(f problem.Finding) {
	mark := "ok   "
	if !f.OK {
		mark = "wrong"
	}
	lines := strings.Split(strings.TrimRight(f.Found, "\n"), "\n")
	_, _ = fmt.Fprintf(m.Stdout, "%s  %-13s %s\n", mark, f.Name, lines[0])
	for _, l := range lines[1:] {
		_, _ = fmt.Fprintf(m.Stdout, "       | %s\n", l)
	}
	if f.Hint != "" {
		_, _ = fmt.Fprintf(m.Stdout, "       hint: %s\n", f.Hint)
	}
}

// trialStage is a workspace of a problem that lasts as long as its check.
type trialStage struct {
	main      *Main
	problem   *problem.Problem
	dir       string
	workspace *problem.Workspace
}

const stepBuilding = "Building the app"

// Up implements problem.Stage.
func (s *trialStage) Up(ctx context.Context) (built bool, err error) {
	if err := missingFor(s.problem, s.problem.Languages[0]); err != nil {
		return false, err
	}
	if s.dir, err = os.MkdirTemp("", "hotseat-check-"); err != nil {
		return false, hotseat.Unavailable("set TMPDIR to a folder with some free space", "make a folder for the check: %w", err)
	}
	// Servers that run as somebody else must reach what is theirs in it.
	if err := os.Chmod(s.dir, 0o755); err != nil {
		return false, err
	}
	r, err := s.main.runner(runner.Observer{})
	if err != nil {
		return false, err
	}
	s.workspace, err = problem.Create(ctx, s.problem, filepath.Join(s.dir, "workspace"), problem.CreateOptions{CacheRoot: r.CacheRoot})
	if err != nil {
		return false, err
	}
	built = true
	r.Observer.Step = func(text string) func(error) {
		done := s.main.step(text)
		return func(err error) {
			if text == stepBuilding && err != nil {
				built = false
			}
			done(err)
		}
	}
	_, err = r.Up(ctx, s.workspace)
	return built, err
}

// Play implements problem.Stage.
func (s *trialStage) Play(ctx context.Context, a problem.Attempt) (problem.Performance, error) {
	r, err := s.main.runner(runner.Observer{Line: a.Line})
	if err != nil {
		return problem.Performance{}, err
	}
	o := runner.Options{Problem: s.problem, Workspace: s.workspace, Duration: a.Duration,
		Measure: runner.MeasureOff, NoReport: true, RunsDir: filepath.Join(s.dir, "runs")}
	what := "Playing the app as given"
	if a.Target != "" {
		o.Workspace, o.Target = nil, a.Target
		what = "Playing against " + a.Target
		if len(s.problem.Init.Command) > 0 {
			o.Init = "true" // there is nothing to initialise
		}
	}
	done := s.main.step(what)
	outcome, err := r.Run(ctx, o)
	done(err)
	if err != nil {
		return problem.Performance{}, err
	}
	result := outcome.Result
	return problem.Performance{Verdict: result.Verdict, Reason: result.Reason, Hint: result.Hint, Exit: outcome.Exit}, nil
}

// close stops the stack and removes everything, also after an interruption.
func (s *trialStage) close(ctx context.Context) error {
	if s.workspace != nil {
		r, err := s.main.runner(runner.Observer{})
		if err != nil {
			return err
		}
		down, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if err := r.Down(down, s.workspace); err != nil { // servers that still run must not lose their files
			return err
		}
	}
	return os.RemoveAll(s.dir)
}
