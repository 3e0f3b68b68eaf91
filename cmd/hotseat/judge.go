package main

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/judge"
	"hotseat/problem"
	"hotseat/runner"
)

func (m *Main) judgeCommand() *cobra.Command {
	var o judge.Options
	var repeat int
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "judge PROBLEM",
		Short: "Judge a benchmark: every known fault caught, every correct variant passed",
		Long: `Run a problem's benchmark against every known fault, which it must catch with the
right code and rule, and against correct but unusual variants, which it must pass.

With --prove each rule is then switched off in turn, to see its fault escape.
With --repeat the correct app is run again and again instead, with changing seeds
and loads and with other work on the machine: it must never be accused.

Exit status: 0 all as it must be, 1 not so, 2 wrong usage, 3 trouble of the
judge's own, 130 interrupted.`,
		Example: `  hotseat judge isucon4-qualifier
  hotseat judge isucon4-qualifier --case ban-before-lock --prove
  hotseat judge isucon4-qualifier --repeat 100`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) (err error) {
			if repeat < 0 || repeat > 0 && (o.Case != "" || o.Prove) {
				return hotseat.Invalid("for instance --repeat 100", "--repeat is a number of runs, and goes with neither --case nor --prove")
			}
			if o.Problem, err = m.registry.Get(args[0]); err != nil {
				return err
			}
			if err := missingFor(o.Problem, o.Problem.Languages[0]); err != nil {
				return err
			}
			// Of dozens of runs nobody wants to follow every second.
			if o.Runner, err = m.runner(runner.Observer{}); err != nil {
				return err
			}
			if repeat > 0 {
				return m.repeat(cmd, o.Problem, o.Runner, repeat, asJSON)
			}
			return m.judge(cmd, o, asJSON)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Case, "case", "", "only the case of this `name`")
	flags.BoolVar(&o.Prove, "prove", false, "also show that no rule could be done without")
	flags.IntVar(&repeat, "repeat", 0, "run the correct app this `number` of times instead")
	flags.BoolVar(&asJSON, "json", false, "print the report as JSON")
	return cmd
}

// judge plays the cases. Its rows are the result; with --json they only tell
// how far it is.
func (m *Main) judge(cmd *cobra.Command, o judge.Options, asJSON bool) error {
	rows := m.Stdout
	if asJSON {
		rows = m.Stderr
	}
	o.Done = func(c judge.CaseDone) {
		printRow(rows, c.OK, string(c.Kind), c.Name, strings.TrimSpace(shortRule(c.Rule)+" "+c.ExpectedCode), c.ElapsedS, c.Problem, c.Run)
	}
	o.Proved = func(p judge.Proof) {
		printRow(rows, p.OK, "needed", shortRule(p.Rule), "or "+p.Case+" escapes", p.ElapsedS, p.Problem, "")
	}
	report, err := judge.Run(cmd.Context(), o)
	if err != nil {
		return err
	}
	if !report.OK() {
		m.status = hotseat.ExitFail
	}
	if asJSON {
		return m.printJSON(report)
	}
	for _, rule := range report.Unwatched {
		printRow(rows, false, "rule", shortRule(rule), "no fault", 0, "no case is there for "+rule+": nobody knows whether it catches anything", "")
	}
	_, err = fmt.Fprintf(m.Stdout, "\n%d of %d faults caught, %d of %d variants passed%s in %.0f s\n",
		report.Faults.Caught, report.Faults.Total, report.Variants.Passed, report.Variants.Total, proved(report), report.ElapsedS)
	m.kept(report.Kept)
	return err
}

func proved(r *judge.Report) string {
	if len(r.Proofs) == 0 {
		return ""
	}
	good := 0
	for _, p := range r.Proofs {
		if p.OK {
			good++
		}
	}
	return fmt.Sprintf(", %d of %d rules needed", good, len(r.Proofs))
}

// repeat runs the correct app again and again.
func (m *Main) repeat(cmd *cobra.Command, p *problem.Problem, r *runner.Runner, runs int, asJSON bool) error {
	rows := m.Stdout
	if asJSON {
		rows = m.Stderr
	}
	report, err := judge.Innocence(cmd.Context(), judge.InnocenceOptions{
		Problem: p, Runner: r, Runs: runs,
		Done: func(run judge.InnocentRun) {
			what := "alone"
			if run.Contended {
				what = "contended"
			}
			if vary := p.Judge.Vary; vary != "" {
				what = fmt.Sprintf("%s %d, %s", vary, run.Workload, what)
			}
			printRow(rows, run.OK, fmt.Sprintf("run %d", run.Number), fmt.Sprintf("seed %d", run.Seed), what, run.ElapsedS, run.Problem, run.Run)
		},
	})
	if err != nil {
		return err
	}
	if !report.OK() {
		m.status = hotseat.ExitFail
	}
	if asJSON {
		return m.printJSON(report)
	}
	_, err = fmt.Fprintf(m.Stdout, "\n%d runs of the correct app, %d accused, %d without a verdict, in %.0f s\n",
		report.Runs, report.Accused, report.Troubled, report.ElapsedS)
	m.kept(report.Kept)
	return err
}

// kept says where to look at what was not ok.
func (m *Main) kept(dir string) {
	if dir != "" {
		m.say("Workspace and runs are kept in %s", dir)
	}
}

// shortRule leaves out the problem's prefix.
func shortRule(id string) string {
	_, name, ok := strings.Cut(id, ".")
	if !ok {
		return id
	}
	return name
}

// printRow prints one row of at most 80 columns and, below it, what is wrong.
func printRow(w io.Writer, ok bool, kind, name, what string, elapsedS float64, problem, run string) {
	mark := "✓"
	if !ok {
		mark = "✗"
	}
	_, _ = fmt.Fprintf(w, "%s %-8s %s %s %5.1f s\n", mark, kind, cell(name, 27), cell(cmp.Or(what, "passes"), 32), elapsedS)
	if problem != "" {
		_, _ = fmt.Fprintf(w, "    %s\n", oneLine(problem))
	}
	if run != "" {
		_, _ = fmt.Fprintf(w, "    %s\n", run)
	}
}

// cell is s in exactly n columns.
func cell(s string, n int) string {
	if utf8.RuneCountInString(s) > n {
		s = string([]rune(s)[:n-1]) + "…"
	}
	return s + strings.Repeat(" ", n-utf8.RuneCountInString(s))
}
