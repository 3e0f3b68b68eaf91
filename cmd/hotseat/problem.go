package main

import (
	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/bench"
	"hotseat/problem"
)

func (m *Main) problemCommand() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "problem",
		Short: "Start, and verify, a problem of your own",
		Long: `A problem is a folder: an app, a description of its stack, and a benchmark, which
may be any executable that speaks the protocol. docs/writing-a-problem.md tells
what is in it.`,
		Example: "  hotseat problem new ./mine\n  hotseat play ./mine\n  hotseat problem check ./mine",
		Args:    noArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(m.problemNewCommand(), m.problemCheckCommand())
	return cmd
}

func (m *Main) problemNewCommand() *cobra.Command {
	var lang string
	cmd := &cobra.Command{
		Use:   "new DIR",
		Short: "Write a small problem that plays at once",
		Long: `Write a small but complete problem into a folder: a slow app in Go, its rules, and
a benchmark to change into your own. With --lang go the benchmark is written in
package bench, whose source is unpacked beside it in scenario/hotseat; with --lang
python it speaks the protocol by itself, with nothing but the standard library.`,
		Example: "  hotseat problem new ./mine\n  hotseat problem new ./mine --lang python",
		Args:    args(cobra.ExactArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			p, err := problem.New(args[0], problem.NewOptions{Language: lang, Engine: hotseat.Source(), Bench: bench.Source()})
			if err != nil {
				return err
			}
			dir := pathArgument(p.Dir)
			m.say("The problem %s is in %s. Go on with:\n  %-30s %s\n  %-30s %s\n  %-30s %s", p.ID, relative(p.Dir),
				"hotseat play "+dir, "play it",
				"hotseat problem check "+dir, "see whether all of it holds",
				"edit "+relative(p.Dir)+"/scenario", "the benchmark; app/ is the app, README.md the rules")
			return nil
		},
	}
	cmd.Flags().StringVar(&lang, "lang", "go", "`language` of the benchmark: go or python")
	return cmd
}

// pathArgument is a folder as a command takes it: with a slash, or it would be
// the id of a built-in problem.
func pathArgument(dir string) string {
	if dir = relative(dir); dir != "" && dir[0] != '/' && dir[0] != '.' {
		return "./" + dir
	}
	return dir
}
