package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

// stackCommand is a command on the stack of the workspace we stand in.
func (m *Main) stackCommand(use, short, example string, run func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, args []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Example: example, Args: noArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			w, err := m.workspace()
			if err != nil {
				return err
			}
			r, err := m.runner(m.observer())
			if err != nil {
				return err
			}
			return run(cmd, r, w, args)
		},
	}
}

func (m *Main) upCommand() *cobra.Command {
	return m.stackCommand("up", "Start the stack, or bring it up to date with the workspace", "  hotseat up",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, _ []string) error {
			if err := missingFor(w.Problem, w.Config.Language); err != nil {
				return err
			}
			s, err := r.Up(cmd.Context(), w)
			if err != nil {
				return err
			}
			m.say("The stack is up: %s", s.URL)
			return nil
		})
}

func (m *Main) downCommand() *cobra.Command {
	return m.stackCommand("down", "Stop the stack", "  hotseat down",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, _ []string) error {
			if !r.IsUp(cmd.Context(), w) {
				m.say("The stack is not up.")
				return nil
			}
			if err := r.Down(cmd.Context(), w); err != nil {
				return err
			}
			m.say("The stack is down.")
			return nil
		})
}

func (m *Main) restartCommand() *cobra.Command {
	cmd := m.stackCommand("restart [NAME…]", "Rebuild and restart the stack, or parts of it", "  hotseat restart\n  hotseat restart app",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, args []string) error {
			if err := r.Restart(cmd.Context(), w, args...); err != nil {
				return err
			}
			m.say("Restarted.")
			return nil
		})
	cmd.Args = nil
	return cmd
}

func (m *Main) statusCommand() *cobra.Command {
	var asJSON bool
	cmd := m.stackCommand("status", "What runs, and on which ports", "  hotseat status\n  hotseat status --json",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, _ []string) error {
			s, err := r.Status(cmd.Context(), w)
			if err != nil {
				return err
			}
			if asJSON {
				return m.printJSON(s)
			}
			return m.printStatus(s)
		})
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func (m *Main) printStatus(s *runner.Status) error {
	if !s.Up {
		_, err := fmt.Fprintf(m.Stdout, "The stack of %s is not up.\n", s.Workspace)
		return err
	}
	w := tabwriter.NewWriter(m.Stdout, 0, 0, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "%s\t%s\n\n", s.Problem, s.URL)
	for _, p := range s.Processes {
		_, _ = fmt.Fprintf(w, "%s\t%s\tpid %d\tstarted %d ×\n", p.Name, p.State, p.PID, p.Starts)
	}
	_, _ = fmt.Fprintln(w)
	for _, name := range slices.Sorted(maps.Keys(s.Ports)) {
		_, _ = fmt.Fprintf(w, "%s\t127.0.0.1:%d\tinstead of port %d\n", name, s.Ports[name], s.Canonical[name])
	}
	return w.Flush()
}

func (m *Main) logsCommand() *cobra.Command {
	var lines int
	var follow bool
	cmd := m.stackCommand("logs [NAME…]", "What the servers wrote", "  hotseat logs app\n  hotseat logs -n 100 mariadb nginx\n  hotseat logs -f app",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, args []string) error {
			return r.Logs(cmd.Context(), w, m.Stdout, runner.LogOptions{Names: args, Lines: lines, Follow: follow})
		})
	cmd.Args = nil
	cmd.Flags().IntVarP(&lines, "lines", "n", 20, "how many last `lines` of each")
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on as they write, until interrupted")
	return cmd
}

func (m *Main) resetCommand() *cobra.Command {
	return m.stackCommand("reset", "Bring back the golden data, then run the workspace's migrate hook", "  hotseat reset",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, _ []string) error {
			if err := r.Reset(cmd.Context(), w); err != nil {
				return err
			}
			m.say("The data are as in the beginning.")
			return nil
		})
}

func (m *Main) sqlCommand() *cobra.Command {
	cmd := m.stackCommand("sql [-- ARGUMENT…]", "A prompt of the stack's database", "  hotseat sql\n  hotseat sql -- -e 'SHOW TABLES'\n  hotseat sql < indexes.sql",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, args []string) error {
			argv, env, err := r.SQL(cmd.Context(), w)
			if err != nil {
				return err
			}
			// Replacing ourselves gives the client the terminal, signals and exit status.
			if err := syscall.Exec(argv[0], append(argv, args...), env); err != nil {
				return fmt.Errorf("start %s: %w", argv[0], err)
			}
			return nil
		})
	cmd.Args = nil
	return cmd
}

func (m *Main) envCommand() *cobra.Command {
	cmd := m.stackCommand("env [-- COMMAND…]", "The environment of the app and the init script", "  eval \"$(hotseat env)\"\n  hotseat env -- ./init.sh",
		func(cmd *cobra.Command, r *runner.Runner, w *problem.Workspace, args []string) error {
			env, err := r.Env(w)
			if err != nil {
				return err
			}
			if len(args) > 0 {
				return execIn(w.Dir, args, append(os.Environ(), env...))
			}
			for _, kv := range env {
				k, v, _ := strings.Cut(kv, "=")
				if _, err := fmt.Fprintf(m.Stdout, "export %s='%s'\n", k, strings.ReplaceAll(v, "'", `'\''`)); err != nil {
					return err
				}
			}
			return nil
		})
	cmd.Args = nil
	return cmd
}

// execIn replaces this process by a command that runs in dir.
func execIn(dir string, argv, env []string) error {
	if err := os.Chdir(dir); err != nil {
		return err
	}
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return hotseat.NotFound("is it installed, and on PATH?", "no command %q", argv[0])
	}
	if err := syscall.Exec(path, argv, env); err != nil {
		return fmt.Errorf("start %s: %w", path, err)
	}
	return nil
}
