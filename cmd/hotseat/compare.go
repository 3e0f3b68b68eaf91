package main

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/compare"
	"hotseat/runner"
)

func (m *Main) compareCommand() *cobra.Command {
	var flags benchFlags
	var pairs int
	var benchstat, measureCost bool
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Is B faster than A? Paired, interleaved runs and an honest interval",
		Long: `Run A and B in turns, both runs of a pair with the same seed, and say what the
pairs show: the ratio of the scores with a 95 % interval, or that this many runs
can show no difference. Endpoints and queries are compared in the same way.

A and B are folders of workspaces, or commits of the workspace you stand in. A
folder runs as it is, uncommitted changes and its own data included; a commit
runs in a checkout of its own on golden data, after its migrate hook, so an index
made by hand with "hotseat sql" is no part of it. The runs are kept as any others.

--measure-cost compares the workspace you stand in with itself, measured (B) and
not (A): what the servers' logs cost. The workspace's reports say it from then on.

Exit status: 0 both passed every run, 1 one failed, 2 wrong usage, 3 trouble of the
benchmark's own, 130 interrupted.`,
		Example: `  hotseat compare HEAD~1 HEAD
  hotseat compare HEAD . --pairs 8 --duration 20s
  hotseat compare ../try1 ../try2 --benchstat > scores.txt
  hotseat compare --measure-cost`,
		Args: args(func(cmd *cobra.Command, args []string) error {
			if measureCost {
				return cobra.NoArgs(cmd, args)
			}
			return cobra.ExactArgs(2)(cmd, args)
		}),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := flags.options()
			if err != nil {
				return err
			}
			switch {
			case pairs < 2 || pairs > 100:
				return hotseat.Invalid("for instance --pairs 5", "--pairs %d: it takes 2 to 100", pairs)
			case flags.target != "" || flags.init != "" || flags.data != "":
				return hotseat.Invalid("both sides are stacks of workspaces", "compare takes no --target, --init or --data")
			case flags.note != "":
				return hotseat.Invalid("each run's note says which side and pair it is", "compare takes no --note")
			case flags.json && benchstat:
				return hotseat.Invalid("choose one of --json and --benchstat", "there is only one output")
			}
			var c *compare.Comparison
			if measureCost {
				c, err = m.measureCost(cmd.Context(), o, pairs)
			} else {
				c, err = m.compare(cmd.Context(), o, args[0], args[1], pairs)
			}
			if err != nil {
				return err
			}
			if c.Failed != nil {
				m.status = c.Failed.Verdict.ExitStatus()
			}
			m.clearProgress()
			switch {
			case flags.json:
				return m.printJSON(c)
			case benchstat:
				return c.Benchstat(m.Stdout)
			}
			return c.Text(m.Stdout, m.width())
		},
	}
	flags.add(cmd)
	cmd.Flags().IntVar(&pairs, "pairs", 5, "how many `pairs` of runs")
	cmd.Flags().BoolVar(&measureCost, "measure-cost", false, "what measuring costs in the workspace you stand in")
	cmd.Flags().BoolVar(&benchstat, "benchstat", false, "print the scores as Go benchmark text")
	return cmd
}

// compare opens both sides and runs them; whatever happens, nothing of them
// stays behind but their runs.
func (m *Main) compare(ctx context.Context, o runner.Options, nameA, nameB string, pairs int) (c *compare.Comparison, err error) {
	r, err := m.runner(m.observer())
	if err != nil {
		return nil, err
	}
	opener := &compare.Opener{Runner: r, Registry: m.registry, Options: o}
	if w, err := m.workspace(); err == nil {
		opener.Here = w
	}
	var opened []*compare.Opened
	defer func() {
		down, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		for _, side := range opened {
			err = errors.Join(err, side.Close(down))
		}
	}()
	for _, name := range []string{nameA, nameB} {
		side, err := opener.Open(ctx, name)
		if err != nil {
			return nil, err
		}
		opened = append(opened, side)
		if err := missingFor(side.Problem(), side.Language()); err != nil {
			return nil, err
		}
	}
	a, b := opened[0], opened[1]
	if a.Problem().ID != b.Problem().ID {
		return nil, hotseat.Invalid("scores of different problems have no ratio", "%s is of %s, %s of %s", nameA, a.Problem().ID, nameB, b.Problem().ID)
	}
	return compare.Run(ctx, a.Contender, b.Contender, m.pairsOf(o, pairs))
}

// pairsOf is the plan of a comparison: a seed of its own for each pair, and a
// line for each run that ends.
func (m *Main) pairsOf(o runner.Options, pairs int) compare.Plan {
	first := rand.Uint64N(1 << 52)
	if o.Seed != nil {
		first = *o.Seed
	}
	return compare.Plan{
		Pairs: pairs,
		Seed:  func() uint64 { first++; return first - 1 },
		Done: func(pair int, side string, r *hotseat.Result) {
			m.clearProgress()
			if r.Score == nil {
				m.say("pair %d of %d, %s: %s: %s", pair, pairs, side, r.Verdict, r.Reason)
				return
			}
			m.say("pair %d of %d, %s: %s, score %d", pair, pairs, side, r.Verdict, *r.Score)
		},
	}
}

// measureCost compares a workspace with itself, logs off and on, and remembers
// the answer for its reports.
func (m *Main) measureCost(ctx context.Context, o runner.Options, pairs int) (c *compare.Comparison, err error) {
	w, err := m.workspace()
	if err != nil {
		return nil, err
	}
	if err := missingFor(w.Problem, w.Config.Language); err != nil {
		return nil, err
	}
	r, err := m.runner(m.observer())
	if err != nil {
		return nil, err
	}
	if !r.IsUp(ctx, w) {
		defer func() {
			down, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
			defer cancel()
			err = errors.Join(err, r.Down(down, w))
		}()
	}
	side := func(name string, level runner.Measure) compare.Contender {
		return compare.Contender{Name: name, Run: func(ctx context.Context, seed uint64, note string) (*hotseat.Result, error) {
			run := o
			run.Workspace, run.Problem, run.Seed, run.Note, run.Measure = w, w.Problem, &seed, note, level
			outcome, err := r.Run(ctx, run)
			if err != nil {
				return nil, err
			}
			return outcome.Result, nil
		}}
	}
	c, err = compare.Run(ctx, side("--measure off", runner.MeasureOff), side("--measure full", runner.MeasureFull), m.pairsOf(o, pairs))
	if err == nil && c.Score != nil {
		err = runner.RememberCost(w, runner.Cost{Ratio: c.Score.Ratio, Low: c.Score.Low, High: c.Score.High, Pairs: c.Score.Pairs})
	}
	return c, err
}
