package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/problem"
	"hotseat/report"
	"hotseat/runner"
)

// benchFlags are the flags that play and bench share.
type benchFlags struct {
	duration time.Duration
	params   []string
	seed     string
	measure  string
	note     string
	json     bool

	target, init, data string
}

func (f *benchFlags) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.DurationVar(&f.duration, "duration", 0, "how long to load, such as 20s (default: the problem's)")
	flags.StringArrayVar(&f.params, "param", nil, "a parameter of the benchmark, `name=value`; may be given several times")
	flags.StringVar(&f.seed, "seed", "", "the benchmark's `number` of randomness (default: secret, recorded in the result)")
	flags.StringVar(&f.measure, "measure", "full", "`full`, or off for final scores")
	flags.StringVar(&f.note, "note", "", "`text` to remember with the run")
	flags.BoolVar(&f.json, "json", false, "print the result as JSON")
	flags.StringVar(&f.target, "target", "", "`URL` of a stack that somebody else runs")
	flags.StringVar(&f.init, "init", "", "`command` that initialises it")
	flags.StringVar(&f.data, "data", "", "`folder` with the truth to check against")
}

// options checks the flags and makes them a run's options.
func (f *benchFlags) options() (runner.Options, error) {
	o := runner.Options{
		Duration: f.duration, Measure: runner.Measure(f.measure), Note: f.note,
		Target: f.target, Init: f.init, Params: map[string]string{},
	}
	if f.duration < 0 {
		return o, hotseat.Invalid("for instance --duration 60s", "the duration is negative: %s", f.duration)
	}
	for _, p := range f.params {
		name, value, ok := strings.Cut(p, "=")
		if !ok || name == "" {
			return o, hotseat.Invalid("for instance --param workload=4", "--param %q is not name=value", p)
		}
		o.Params[name] = value
	}
	if f.seed != "" {
		seed, err := strconv.ParseUint(f.seed, 10, 53)
		if err != nil {
			return o, hotseat.Invalid("a whole number from 0 to 2⁵³−1", "--seed %q is no seed", f.seed)
		}
		o.Seed = &seed
	}
	if f.target != "" && !strings.Contains(f.target, "://") && !strings.HasPrefix(f.target, "unix:") {
		return o, hotseat.Invalid("for instance --target http://127.0.0.1:8080", "--target %q is not a URL", f.target)
	}
	if f.data != "" {
		abs, err := filepath.Abs(f.data)
		if err != nil {
			return o, err
		}
		o.Data = abs
	}
	return o, nil
}

func (m *Main) benchCommand() *cobra.Command {
	var flags benchFlags
	var id, replay string
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Run the benchmark against the workspace you stand in",
		Long: `Run the benchmark against the workspace you stand in. What changed since the last
run is rebuilt and restarted first.

Against a stack that somebody else runs, outside any workspace, give --problem,
--target, --init and --data.

--replay RUN:USER:STEP has one virtual user of an earlier run do again what it
did, alone, with the run's seed and parameters, up to STEP, and prints request,
expected and actual of each of its requests; nothing is scored or kept. RUN is
found as "hotseat report" finds it, and empty for the latest; USER is a number, or
"population/number"; STEP is the step_number of a failure in result.json, or a
step's name such as "POST /login". The target is initialised first, and what
changed in the workspace is rebuilt: exit status 0 means that the failure is gone.
What depended on other users, their writes for one, is not as it was.

Exit status: 0 pass, 1 fail, 2 wrong usage or configuration, 3 trouble of the
benchmark's own, 130 interrupted.`,
		Example: `  hotseat bench
  hotseat bench --duration 20s --param workload=4 --note "indexes"
  hotseat bench --problem isucon4-qualifier --target http://127.0.0.1:80 \
                --init /home/isucon/init.sh --data ./truth
  hotseat bench --replay :worker/3:17`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := flags.options()
			if err != nil {
				return err
			}
			if err := m.findStack(&o, id); err != nil {
				return err
			}
			if replay != "" {
				return m.replay(cmd.Context(), o, replay, flags.json)
			}
			return m.bench(cmd.Context(), o, flags.json)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&replay, "replay", "", "`RUN:USER:STEP`: repeat what one user of a run did, up to a step")
	cmd.Flags().StringVar(&id, "problem", "", "the `problem`, outside a workspace")
	return cmd
}

// findStack decides what the benchmark runs against: the workspace we stand in,
// or what the flags describe.
func (m *Main) findStack(o *runner.Options, id string) error {
	if id == "" {
		w, err := m.workspace()
		if err != nil {
			return err
		}
		o.Workspace, o.Problem = w, w.Problem
		return nil
	}
	p, err := m.registry.Get(id)
	if err != nil {
		return err
	}
	o.Problem = p
	switch {
	case o.Target == "":
		return hotseat.Invalid("for instance --target http://127.0.0.1:80", "--problem needs --target: where the stack is")
	case o.Data == "" && p.Data.Truth != "":
		return hotseat.Invalid("the folder with the truth files of its data", "--problem needs --data")
	case o.Init == "" && len(p.Init.Command) > 0:
		return hotseat.Invalid("the command that initialises it, or --init true", "%s needs --init: its contest initialised by a script", p.ID)
	}
	return nil
}

// bench does a run, shows it, and sets the exit status by its verdict.
func (m *Main) bench(ctx context.Context, o runner.Options, asJSON bool) error {
	r, err := m.runner(m.observer())
	if err != nil {
		return err
	}
	outcome, err := r.Run(ctx, o)
	if err != nil {
		return err
	}
	return m.show(ctx, outcome, asJSON)
}

// show prints an outcome and sets the exit status.
func (m *Main) show(ctx context.Context, outcome *runner.Outcome, asJSON bool) error {
	m.clearProgress()
	m.status = outcome.Result.Verdict.ExitStatus()
	if ctx.Err() != nil {
		m.status = hotseat.ExitInterrupted
	}
	if asJSON {
		return m.printJSON(outcome.Result)
	}
	return m.printReport(outcome.Dir)
}

// printReport tells a run's story on the terminal.
func (m *Main) printReport(dir string) error {
	result, err := runner.ReadResult(dir)
	if err != nil {
		return err
	}
	o := report.TerminalOptions{Width: 80, Report: relative(filepath.Join(dir, report.FileName))}
	if f, ok := m.Stdout.(*os.File); ok {
		o.Color, o.Width = report.ColorWanted(f, os.Getenv), report.Width(f)
	}
	return report.Terminal(m.Stdout, result, o)
}

// workspaceFor opens dir if it is a workspace of p, and refuses it if it is
// anything else that is not empty; nil means that there is none yet.
func (m *Main) workspaceFor(p *problem.Problem, dir string) (*problem.Workspace, error) {
	if _, err := os.Stat(filepath.Join(dir, problem.ConfigFile)); err != nil {
		return nil, nil // Create refuses a folder with something else in it
	}
	w, err := m.registry.OpenWorkspace(dir)
	if err != nil {
		return nil, err
	}
	if w.Problem.ID != p.ID {
		return nil, hotseat.Conflict("choose another folder with --dir", "%s is a workspace of %s, not of %s", dir, w.Problem.ID, p.ID)
	}
	return w, nil
}

// relative is a path as a user in the current folder would type it.
func relative(path string) string {
	wd, err := os.Getwd()
	if err != nil {
		return path
	}
	if rel, err := filepath.Rel(wd, path); err == nil && len(rel) < len(path) {
		return rel
	}
	return path
}

// say prints a line for people.
func (m *Main) say(format string, args ...any) {
	_, _ = fmt.Fprintf(m.Stderr, format+"\n", args...)
}
