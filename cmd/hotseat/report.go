package main

import (
	"github.com/spf13/cobra"

	"hotseat/runner"
)

func (m *Main) reportCommand() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "report [RUN]",
		Short:   "Look at a run: the latest, or the one that is named",
		Example: "  hotseat report\n  hotseat report 20261121-204512-3fa9c1\n  hotseat report ./runs/20261121-204512-3fa9c1 --json",
		Args:    args(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			name := append(args, "")[0]
			runs := "runs"
			if w, err := m.workspace(); err == nil {
				runs = w.RunsDir()
			}
			if err := runner.CompleteKilled(runs); err != nil {
				return err
			}
			dir, err := runner.FindRun(runs, name)
			if err != nil {
				return err
			}
			if err := runner.DrawMissingReport(dir); err != nil {
				return err
			}
			if asJSON {
				result, err := runner.ReadResult(dir)
				if err != nil {
					return err
				}
				return m.printJSON(result)
			}
			return m.printReport(dir)
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print the result as JSON")
	return cmd
}
