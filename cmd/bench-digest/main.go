// Command bench-digest measures how fast hotseat digests logs, beside the tools
// that people use: alp for access logs and pt-query-digest for slow logs, on
// the same machine and the same logs. `make bench-digest` runs it.
//
// The logs are generated, always the same: 1,000,000 requests to 6,858 paths of 17
// routes as LTSV and as JSON, and 200,000 entries of a slow log in 14 classes. What
// compares is the CPU time in user mode: on a shared machine it is far steadier
// than time on the clock. It also holds what the tools found against the truth, which
// the generator knows, and against each other.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"
)

// options is what the command line says.
type options struct {
	hotseat, out, dir, tools string
	rounds, others           int
	seed                     uint64
	lines, entries           int
	keep                     bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout)
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	default:
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func parse(args []string) (*options, error) {
	o := new(options)
	fs := flag.NewFlagSet("bench-digest", flag.ContinueOnError)
	fs.StringVar(&o.hotseat, "hotseat", "bin/hotseat", "the `binary` to measure")
	fs.StringVar(&o.out, "out", "out/bench-digest.json", "the `file` for the results; the text goes beside it")
	fs.StringVar(&o.dir, "dir", "", "a `folder` for the logs, 730 MB (default: a temporary one)")
	fs.StringVar(&o.tools, "tools", ".tools", "the `folder` where alp is built")
	fs.IntVar(&o.rounds, "rounds", 3, "how often hotseat has its turn in each case")
	fs.IntVar(&o.others, "others", 1, "how often the others have theirs")
	fs.Uint64Var(&o.seed, "seed", 20261121, "from which the logs are made")
	fs.IntVar(&o.lines, "lines", lines, "requests in the access logs")
	fs.IntVar(&o.entries, "entries", entries, "entries in the slow log")
	fs.BoolVar(&o.keep, "keep", false, "leave the logs there")
	if err := fs.Parse(args); err != nil {
		return nil, err
	}
	if fs.NArg() > 0 || o.rounds < 1 || o.others < 0 || o.lines < 1 || o.entries < 1 {
		return nil, fmt.Errorf("want at least one round, line and entry, and no arguments, not %q", args)
	}
	return o, nil
}

// run does what the command line asks for and prints it to w.
func run(ctx context.Context, args []string, w io.Writer) (err error) {
	o, err := parse(args)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(o.out), 0o755); err != nil {
		return err
	}
	if o.dir == "" {
		if o.dir, err = os.MkdirTemp("", "hotseat-bench-digest-"); err != nil {
			return err
		}
		if !o.keep {
			defer func() { err = errors.Join(err, os.RemoveAll(o.dir)) }()
		}
	}
	r := &results{options: o}
	if o.others > 0 {
		if r.alp, err = buildAlp(ctx, o.tools); err != nil {
			r.missing = append(r.missing, "alp ("+err.Error()+")")
		}
		if r.pt, err = exec.LookPath("pt-query-digest"); err != nil {
			r.missing = append(r.missing, "pt-query-digest (apt-get install percona-toolkit)")
		}
	}
	say := func(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }
	say("Generating logs in %s", o.dir)
	site, slow := newSite(o.seed), newSlowLog(o.seed)
	for _, log := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{caseSlow, func(f io.Writer) error { return slow.write(f, o.entries) }},
		{caseJSON, func(f io.Writer) error { return site.writeJSON(f, o.lines) }},
		{caseLTSV, func(f io.Writer) error { return site.writeLTSV(f, o.lines) }},
	} {
		if err := writeLog(r.file(log.name), log.write); err != nil {
			return err
		}
	}
	for _, name := range []string{caseLTSV, caseJSON} {
		say("Digesting %s", name)
		if err := r.access(ctx, name, site); err != nil {
			return err
		}
	}
	say("Digesting %s", caseSlow)
	if err := r.slow(ctx, slow); err != nil {
		return err
	}
	return r.write(w)
}

func writeLog(path string, write func(io.Writer) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(write(f), f.Close())
}
