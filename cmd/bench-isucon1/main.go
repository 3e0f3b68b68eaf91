// Command bench-isucon1 holds the benchmark of ISUCON1 to two claims that no test can
// make in seconds. `make bench-isucon1-ceiling` measures whether a tuned app could
// outrun it, beside wrk; `make bench-isucon1-stale` whether it catches an app whose
// article pages are up to ten seconds old. docs/performance.md keeps the results.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"

	"hotseat/bench"
	scenario "hotseat/problems/isucon1/scenario"
)

// asEngine is the argument that makes this program the benchmark itself, for a child.
const asEngine = "engine"

func main() {
	if len(os.Args) > 1 && os.Args[1] == asEngine {
		os.Exit(bench.Execute(*scenario.Contest(), os.Args[2:]))
	}
	os.Exit(harness())
}

// harness runs the command until it is done or told to stop, and returns the exit status.
func harness() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	// Children die with the thread that started them (Pdeathsig), so it must be
	// one that lives as long as we do.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 1
}

const usage = "want ceiling or stale, and their flags; -h after one of them lists these"

func run(ctx context.Context, args []string, w io.Writer) error {
	if len(args) == 0 {
		return errors.New(usage)
	}
	switch args[0] {
	case "ceiling":
		return ceiling(ctx, args[1:], w)
	case "stale":
		return stale(ctx, args[1:], w)
	default:
		return errors.New(usage)
	}
}

// save writes results as JSON.
func save(path string, results any) error {
	text, err := json.MarshalIndent(results, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644)
}
