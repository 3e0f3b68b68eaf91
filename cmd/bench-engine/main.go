// Command bench-engine measures what a request costs hotseat's load engine, and
// what the same request costs other clients on the same machine: wrk, Go's
// net/http with goquery, and k6 where it is installed. `make bench-engine` runs
// it; docs/performance.md explains the method and keeps the results.
//
// It starts an nginx of its own in a temporary folder, on one core, runs the
// clients on another, one after the other in rounds, and compares the CPU time
// that each used per request: on a shared machine that is far steadier than
// requests per second. It leaves nothing behind but its results.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// options is what the command line says.
type options struct {
	rounds   int
	duration time.Duration
	users    int
	cases    string
	clients  string
	out      string
	profile  string
	soak     time.Duration
	quick    bool
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == asClient {
		os.Exit(beClient(os.Args[2:]))
	}
	os.Exit(harness())
}

// harness runs the command until it is done or told to stop, and returns the exit status.
func harness() int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	err := run(ctx, os.Args[1:], os.Stdout)
	if err == nil || errors.Is(err, flag.ErrHelp) {
		return 0
	}
	fmt.Fprintln(os.Stderr, "error:", err)
	return 1
}

// run does what the command line asks for and prints it to w.
func run(ctx context.Context, args []string, w io.Writer) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	// Children die with the thread that started them (Pdeathsig), so it must be
	// one that lives as long as we do.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	cores, err := chooseCores()
	if err != nil {
		return err
	}
	spoiled := spoiledShare
	if o.quick {
		spoiled = spoiledShareQuick
	}
	site, err := startSite(ctx, cores.server, spoiled)
	if err != nil {
		return err
	}
	defer site.stop()
	lab := &lab{options: o, site: site, cores: cores, log: w}
	if o.soak > 0 {
		return lab.soakEngine(ctx, o.soak)
	}
	return lab.compare(ctx)
}

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("bench-engine", flag.ContinueOnError)
	fs.IntVar(&o.rounds, "rounds", 5, "how often each client has its turn in each case")
	fs.DurationVar(&o.duration, "duration", 2*time.Second, "how long a turn lasts")
	fs.IntVar(&o.users, "users", 10_000, "users in the measurement of memory; 0 leaves it out")
	fs.StringVar(&o.cases, "cases", strings.Join(allCases, ","), "the `cases` to measure")
	fs.StringVar(&o.clients, "clients", "", "the `clients` to measure (default: all that are installed)")
	fs.StringVar(&o.out, "out", "out/bench-engine.json", "the `file` for the results; the text goes beside it")
	fs.StringVar(&o.profile, "profile", "", "a `folder` for CPU profiles of the engine, one per case")
	fs.DurationVar(&o.soak, "soak", 0, "instead of comparing, run the engine at full speed for so long and watch its memory")
	fs.BoolVar(&o.quick, "quick", false, "one tiny round: whether it works, not what it costs")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if o.quick {
		o.rounds, o.duration, o.users = 1, 300*time.Millisecond, min(o.users, 200)
	}
	if fs.NArg() > 0 || o.rounds < 1 || o.duration <= 0 {
		return nil, fmt.Errorf("want at least one round of some duration and no arguments, not %q", args)
	}
	for _, c := range strings.Split(o.cases, ",") {
		if !isCase(c) {
			return nil, fmt.Errorf("there is no case %q; the cases are %s", c, strings.Join(allCases, ", "))
		}
	}
	return o, nil
}
