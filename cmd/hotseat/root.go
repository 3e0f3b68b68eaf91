package main

import (
	"errors"

	"github.com/spf13/cobra"

	"hotseat"
)

// rootCommand builds the tree of commands anew, so that no state of one
// execution reaches the next.
func (m *Main) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:   "hotseat",
		Short: "Practise performance tuning: slow apps, real servers, a benchmark that says why",
		Long: `hotseat runs past performance contests on your own machine: a deliberately slow
web application on real servers, a benchmark that checks every answer, and a
report that shows where the time went.`,
		Example: `  hotseat play isucon4-qualifier     a workspace, a stack, a score, a report
  cd isucon4-qualifier               change what is slow …
  hotseat bench                      … and see what it brought`,
		SilenceUsage:  true,
		SilenceErrors: true,
		Version:       hotseat.Version,
		Args:          noArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SuggestionsMinimumDistance = 2
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddGroup(
		&cobra.Group{ID: "practise", Title: "Practise:"},
		&cobra.Group{ID: "stack", Title: "The stack of the workspace you stand in:"},
		&cobra.Group{ID: "look", Title: "Look at what happened:"},
		&cobra.Group{ID: "house", Title: "Problems and this machine:"},
	)
	add := func(group string, commands ...*cobra.Command) {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	add("practise", m.playCommand(), m.initCommand(), m.benchCommand())
	add("stack", m.upCommand(), m.downCommand(), m.restartCommand(), m.statusCommand(), m.logsCommand(),
		m.resetCommand(), m.sqlCommand(), m.envCommand())
	add("look", m.reportCommand(), m.adviseCommand(), m.historyCommand(), m.compareCommand(), m.notifyCommand(), m.digestCommand())
	add("house", m.problemsCommand(), m.problemCommand(), m.judgeCommand(), m.doctorCommand(), m.versionCommand())
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	return root
}

// noArgs refuses arguments, and tells a mistyped command from one too many.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	if cmd.HasSubCommands() {
		hint := "hotseat help shows the commands"
		if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
			hint = "did you mean hotseat " + s[0] + "?"
		}
		return hotseat.Invalid(hint, "there is no command %q", args[0])
	}
	return usageError{errors.New(cmd.CommandPath() + " takes no arguments, not " + args[0])}
}

// args wraps cobra's checks so that their errors count as usage errors.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if err := check(cmd, args); err != nil {
			return usageError{errors.New(cmd.CommandPath() + " " + err.Error() + "; usage: " + cmd.UseLine())}
		}
		return nil
	}
}
