package main

import (
	"os"

	"github.com/spf13/cobra"

	"hotseat/report"
	"hotseat/runner"
)

// findingsShown is how many findings are shown unless all are asked for.
const findingsShown = 5

func (m *Main) adviseCommand() *cobra.Command {
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "advise [RUN]",
		Short: "What to do next, with evidence",
		Long: `Look at what was measured around a run, the latest or the one that is named, and
say what to do next: causes before effects, what fails requests first, then by the
share of the limiting resource's time that the remedy could free.`,
		Example: "  hotseat advise\n  hotseat advise --all\n  hotseat advise 3fa9c1 --json",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			runs := "runs"
			if w, err := m.workspace(); err == nil {
				runs = w.RunsDir()
			}
			if err := runner.CompleteKilled(runs); err != nil {
				return err
			}
			dir, err := runner.FindRun(runs, append(args, "")[0])
			if err != nil {
				return err
			}
			advice, err := runner.Advice(dir)
			if err != nil {
				return err
			}
			if asJSON {
				return m.printJSON(advice)
			}
			o := report.TerminalOptions{Width: 80}
			if f, ok := m.Stdout.(*os.File); ok {
				o.Color, o.Width = report.ColorWanted(f, os.Getenv), report.Width(f)
			}
			limit := findingsShown
			if all {
				limit = 0
			}
			return report.Findings(m.Stdout, advice.Findings, advice.Fine, advice.NotSeen, limit, o)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	cmd.Flags().BoolVar(&all, "all", false, "all findings, not only the first")
	return cmd
}
