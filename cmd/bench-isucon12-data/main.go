// Command bench-isucon12-data measures how long the full data of the ISUCON12
// qualifier take: to be made on a machine that has never seen them, to be
// brought back from the cache, and to be reset by the app as given. `make
// bench-isucon12-data` runs it; it ends with status 1 if one of the figures is
// beyond what we promise.
//
// It drives the binary that people use, with a cache and a workspace of its own
// in a temporary folder, and leaves nothing behind.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
	"text/tabwriter"
	"time"
)

const (
	problemID = "isucon12-qualifier"
	adminHost = "admin.t.isucon.dev"
)

// What we promise, on two cores.
const (
	makingLimit     = 90 * time.Second // generating and loading together
	memoryLimit     = 2 << 30
	restoreLimit    = 5 * time.Second
	initializeLimit = 30 * time.Second // the contest's own
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

var errBeyond = errors.New("beyond the limit")

// run measures and prints as it goes.
func run(ctx context.Context, args []string, w io.Writer) (err error) {
	if len(args) != 1 {
		return errors.New("usage: bench-isucon12-data HOTSEAT")
	}
	binary, err := filepath.Abs(args[0])
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "bench-isucon12-data-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	l := &lab{hotseat: binary, dir: dir, table: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	_, _ = fmt.Fprintf(l.table, "what\ttook\tpeak memory\tlimit\n")
	return errors.Join(l.measure(ctx), l.table.Flush())
}

// lab is a cache and a workspace of our own.
type lab struct {
	hotseat, dir string
	table        *tabwriter.Writer
	beyond       bool
}

func (l *lab) workspace() string { return filepath.Join(l.dir, "workspace") }

func (l *lab) measure(ctx context.Context) (err error) {
	// Compiling SQLite for the app is not what is measured, so another workspace
	// has that done, in the same cache.
	small := filepath.Join(l.dir, "small")
	if _, _, err := l.command(ctx, l.dir, "init", problemID, small, "--data-profile", "small"); err != nil {
		return err
	}
	_, err = l.up(ctx, small)
	if err := errors.Join(err, l.down(ctx, small)); err != nil {
		return err
	}
	// The first workspace pays for the data, the first stack for the database.
	generating, memory, err := l.command(ctx, l.dir, "init", problemID, l.workspace())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.down(ctx, l.workspace())) }()
	building, err := l.up(ctx, l.workspace())
	if err != nil {
		return err
	}
	l.row("generate the data", generating, memory, 0)
	l.row("load the database, start the stack", building, 0, 0)
	l.row("both", generating+building, memory, makingLimit)
	for range 2 { // the first finds the folders as they were laid out, the second as an app left them
		took, err := l.initialize(ctx)
		if err != nil {
			return err
		}
		l.row("POST /initialize of the app as given", took, 0, initializeLimit)
	}
	if err := l.down(ctx, l.workspace()); err != nil {
		return err
	}
	for _, args := range [][]string{{"reset"}, {"init", problemID, filepath.Join(l.dir, "another")}} {
		took, memory, err := l.command(ctx, l.workspace(), args...)
		if err != nil {
			return err
		}
		l.row("hotseat "+args[0]+", from the cache", took, memory, restoreLimit)
	}
	if l.beyond {
		return errBeyond
	}
	return nil
}

func (l *lab) up(ctx context.Context, workspace string) (time.Duration, error) {
	took, _, err := l.command(ctx, workspace, "up")
	return took, err
}

// down ends a stack, whether or not it came up and ctx is over: servers must
// not outlive us.
func (l *lab) down(ctx context.Context, workspace string) error {
	_, _, err := l.command(context.WithoutCancel(ctx), workspace, "down")
	return err
}

func (l *lab) row(what string, took time.Duration, memory int64, limit time.Duration) {
	peak, promise := "", ""
	if memory > 0 {
		peak = fmt.Sprintf("%d MB", memory>>20)
	}
	if limit > 0 {
		promise = limit.String()
	}
	if limit > 0 && took > limit || memory > memoryLimit {
		l.beyond = true
		promise += "  BEYOND"
	}
	_, _ = fmt.Fprintf(l.table, "%s\t%.1f s\t%s\t%s\n", what, took.Seconds(), peak, promise)
}

// hotseatIn is a command with the cache and the state of the lab.
func (l *lab) hotseatIn(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, l.hotseat, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+filepath.Join(l.dir, "cache"), "XDG_STATE_HOME="+filepath.Join(l.dir, "state"))
	cmd.Stderr = os.Stderr
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	return cmd
}

// command runs hotseat and tells how long it took and how much memory it and
// its descendants held at most.
func (l *lab) command(ctx context.Context, dir string, args ...string) (took time.Duration, memory int64, err error) {
	cmd := l.hotseatIn(ctx, dir, args...)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		return 0, 0, err
	}
	peak := make(chan int64)
	ended := make(chan struct{})
	go func() { peak <- watchMemory(cmd.Process.Pid, ended) }()
	err = cmd.Wait()
	took = time.Since(start)
	close(ended)
	memory = <-peak
	if err != nil {
		return 0, 0, fmt.Errorf("hotseat %s: %w", args[0], err)
	}
	return took, memory, nil
}

// initialize resets the data as a benchmark does.
func (l *lab) initialize(ctx context.Context) (time.Duration, error) {
	cmd := l.hotseatIn(ctx, l.workspace(), "status", "--json")
	out, err := cmd.Output()
	if err != nil {
		return 0, fmt.Errorf("hotseat status: %w", err)
	}
	var status struct{ URL string }
	if err := json.Unmarshal(out, &status); err != nil {
		return 0, fmt.Errorf("hotseat status: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, status.URL+"/initialize", nil)
	if err != nil {
		return 0, err
	}
	req.Host = adminHost
	start := time.Now()
	resp, err := (&http.Client{Transport: &http.Transport{}}).Do(req) // by no proxy
	if err != nil {
		return 0, err
	}
	defer func() { _ = resp.Body.Close() }()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		return 0, err
	}
	if resp.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("POST /initialize: %s", resp.Status)
	}
	return time.Since(start), nil
}
