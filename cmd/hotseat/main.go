// Command hotseat is a benchmark contest in one binary: deliberately slow web
// applications on real servers, a benchmark that checks every answer, and a
// report that shows where the time went.
//
// Each command has a file of its own here; this is the only place where the
// rooms of the house meet.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"golang.org/x/term"

	"hotseat"
	"hotseat/cache"
	"hotseat/problem"
	"hotseat/report"
	"hotseat/runner"
)

func main() { os.Exit(run()) }

// run is main with an exit status, so that test scripts can call it.
func run() int {
	if status, ok := hidden(os.Args[1:]); ok {
		return status
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends us at once
	m := &Main{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr}
	return m.Run(ctx, os.Args[1:])
}

// Main is the program with everything it needs from outside.
type Main struct {
	Stdin  *os.File
	Stdout io.Writer
	Stderr io.Writer

	registry *problem.Registry
	progress *report.Progress // the live line, if there is one
	status   int              // what a command that succeeded in running wants to exit with
}

// Run executes one command line and returns its exit status.
func (m *Main) Run(ctx context.Context, args []string) int {
	registry, err := builtinProblems()
	if err != nil {
		return m.complain(err)
	}
	m.registry = registry
	root := m.rootCommand()
	root.SetArgs(args)
	root.SetIn(m.Stdin)
	root.SetOut(m.Stdout)
	root.SetErr(m.Stderr)
	err = root.ExecuteContext(ctx)
	m.clearProgress()
	if err != nil {
		if ctx.Err() != nil {
			_, _ = fmt.Fprintln(m.Stderr, "interrupted")
			return hotseat.ExitInterrupted
		}
		return m.complain(err)
	}
	return m.status
}

// usageError is a mistake in the command line itself.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

// complain prints an error as a user should see it and returns the exit status.
func (m *Main) complain(err error) int {
	var usage usageError
	var known *hotseat.Error
	isUsage := errors.As(err, &usage)
	_, _ = fmt.Fprintf(m.Stderr, "error: %s\n", oneLine(err.Error()))
	switch errors.As(err, &known); {
	case known != nil:
		if known.Detail != "" {
			_, _ = fmt.Fprintf(m.Stderr, "%s\n", indent(known.Detail))
		}
		if known.Hint != "" {
			_, _ = fmt.Fprintf(m.Stderr, "hint: %s\n", known.Hint)
		}
	case isUsage:
		_, _ = fmt.Fprintln(m.Stderr, "hint: hotseat help shows the commands, hotseat COMMAND --help one of them")
	}
	if isUsage {
		return hotseat.ExitUsage
	}
	return hotseat.ExitStatus(err)
}

// oneLine keeps an error on one line whatever it quotes.
func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// indent sets quoted output apart.
func indent(s string) string {
	return "  | " + strings.ReplaceAll(strings.TrimRight(s, "\n"), "\n", "\n  | ")
}

// onTerminal tells whether a person watches.
func (m *Main) onTerminal() bool {
	f, ok := m.Stderr.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// width is the terminal's, 80 off it.
func (m *Main) width() int {
	if f, ok := m.Stderr.(*os.File); ok {
		return report.Width(f)
	}
	return 80
}

// runner makes a Runner that tells this command's user what goes on.
func (m *Main) runner(observer runner.Observer) (*runner.Runner, error) {
	root, err := cache.Root()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("find this program: %w", err)
	}
	return &runner.Runner{
		Exe:       []string{exe},
		CacheRoot: root,
		Log:       slog.New(slog.NewTextHandler(m.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
		Observer:  observer,
	}, nil
}

// workspace opens the one we stand in.
func (m *Main) workspace() (*problem.Workspace, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return m.registry.FindWorkspace(dir)
}
