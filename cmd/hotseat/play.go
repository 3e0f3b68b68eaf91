package main

import (
	"context"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"hotseat/problem"
	"hotseat/runner"
)

func (m *Main) playCommand() *cobra.Command {
	var flags benchFlags
	var dir, lang string
	var once bool
	cmd := &cobra.Command{
		Use:   "play PROBLEM|DIR",
		Short: "The whole thing once: workspace, stack, benchmark, score, report",
		Long: `Make a workspace (or go on in the one that is there), start its stack, run the
benchmark and show what came of it. On a terminal the stack stays up, so that you
can go on; with --once, or where no terminal is, it is stopped again unless it was
up before.`,
		Example: `  hotseat play isucon4-qualifier
  hotseat play isucon4-qualifier --dir try2 --duration 20s
  hotseat play isucon4-qualifier --once --duration 20s --json`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := flags.options()
			if err != nil {
				return err
			}
			if o.Problem, err = m.registry.Get(args[0]); err != nil {
				return err
			}
			if dir == "" {
				dir = workspaceDir(o.Problem)
			}
			return m.play(cmd.Context(), o, dir, lang, once || !m.onTerminal(), flags.json)
		},
	}
	flags.add(cmd)
	cmd.Flags().StringVar(&dir, "dir", "", "`folder` of the workspace (default ./PROBLEM)")
	cmd.Flags().StringVar(&lang, "lang", "", "`language` of the app (default: the problem's first)")
	cmd.Flags().BoolVar(&once, "once", false, "stop the stack at the end")
	return cmd
}

// workspaceDir is where a workspace goes if nobody says: ./PROBLEM, or beside the
// problem's own folder if that is it.
func workspaceDir(p *problem.Problem) string {
	if abs, err := filepath.Abs(p.ID); err == nil && abs == p.Dir {
		return p.ID + "-workspace"
	}
	return p.ID
}

func (m *Main) play(ctx context.Context, o runner.Options, dir, lang string, once, asJSON bool) (err error) {
	r, err := m.runner(m.observer())
	if err != nil {
		return err
	}
	if o.Workspace, err = m.workspaceFor(o.Problem, dir); err != nil {
		return err
	}
	if o.Workspace != nil {
		lang = o.Workspace.Config.Language
	} else if lang, err = o.Problem.Language(lang); err != nil {
		return err
	}
	if err := missingFor(o.Problem, lang); err != nil {
		return err
	}
	if o.Workspace == nil {
		done := m.step("Laying out the workspace " + dir)
		o.Workspace, err = problem.Create(ctx, o.Problem, dir, problem.CreateOptions{Language: lang, CacheRoot: r.CacheRoot})
		done(err)
		if err != nil {
			return err
		}
	}
	stop := once && !r.IsUp(ctx, o.Workspace)
	outcome, err := r.Run(ctx, o)
	if stop {
		// Also after an interruption: whoever asked for once wants nothing left.
		down, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		if downErr := r.Down(down, o.Workspace); err == nil {
			err = downErr
		}
	}
	if err != nil {
		return err
	}
	if err := m.show(ctx, outcome, asJSON); err != nil {
		return err
	}
	if !asJSON && !stop {
		m.say("\nThe stack is still up. Go on with:\n  cd %s\n  %-38s %s\n  %-38s %s\n  %-38s %s", relative(o.Workspace.Dir),
			"edit app/, etc/, sql/, init.sh", "the rules are in README.md",
			"hotseat bench", "rebuild what changed and run again",
			"hotseat down", "stop the stack")
	}
	return nil
}
