package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
	"hotseat/bench/check"
	"hotseat/bench/tally"
)

// Execute is [Main] for programs that do other things too: it runs the contest
// with these arguments on this process's standard input and output, and
// returns the exit status. The process dies with its parent from here on, and
// SIGTERM and SIGINT end the run.
func Execute(c Contest, args []string) int {
	// The parent's watcher sees to it as well, but only if it lives. The call
	// cannot fail with a valid signal.
	_ = unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0)
	// Caught, so that a closed standard output is a write error and not our
	// death; not ignored, since the init command would inherit that.
	broken := make(chan os.Signal, 1)
	signal.Notify(broken, syscall.SIGPIPE)
	defer signal.Stop(broken)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	return c.Run(ctx, args, os.Stdin, os.Stdout, os.Stderr)
}

// Run executes the contest once and returns its exit status. It prints one
// hotseat.Event per line to out and words for the administrator to log, and
// reads replies from in. When in ends or ctx is done the run stops, and the
// verdict is infra, interrupted. A nil in is one that never ends; otherwise a
// goroutine goes on reading it until it ends.
func (c *Contest) Run(ctx context.Context, args []string, in io.Reader, out, log io.Writer) int {
	contest := c.withDefaults()
	opts, err := contest.parse(args, log)
	if errors.Is(err, errHelp) {
		return hotseat.ExitPass
	}
	r := &Run{contest: contest, opts: opts, start: time.Now(), log: log, failures: newFailureLog(), gen: newGenerator(),
		loadEnded: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	defer r.cancel()
	r.events = newEmitter(out, func(error) { r.interrupt() })
	if err != nil {
		r.refuse(err)
		return r.conclude()
	}
	if err := r.assemble(); err != nil {
		r.decide(outcome{verdict: hotseat.Infra, reason: fmt.Sprintf("%s (%s)", err, codeScenarioBug)})
		return r.conclude()
	}
	defer context.AfterFunc(ctx, r.interrupt)()
	if in != nil {
		go r.parent.read(in, r.interrupt)
	}
	if !opts.seedGiven {
		r.Log(hotseat.AudienceTeam, "seed %d", opts.seed)
	}

	stop := make(chan struct{})
	var background sync.WaitGroup
	background.Go(func() { r.gen.watch(stop) })
	background.Go(func() { r.report(stop) })
	done := make(chan struct{})
	r.limit(contest.InitTimeout) // for Prepare
	go func() {
		defer close(done)
		r.phases()
	}()
	r.await(done)
	close(stop)
	// The reporter asks the author for the score, which may be what is stuck.
	if !r.within(r.contest.patience.stop, background.Wait) {
		r.stuck.Store(true)
		r.dumpGoroutines()
		r.deadlocked("Contest.Score")
	}
	return r.conclude()
}

// withDefaults returns a copy with the defaults filled in.
func (c *Contest) withDefaults() *Contest {
	d := *c
	pick := func(field *time.Duration, otherwise time.Duration) {
		if *field == 0 {
			*field = otherwise
		}
	}
	pick(&d.Load, time.Minute)
	pick(&d.InitTimeout, time.Minute)
	pick(&d.VerifyTimeout, time.Minute)
	pick(&d.FinishTimeout, time.Minute)
	pick(&d.patience.deadlock, 5*time.Second)
	pick(&d.patience.stop, 3*time.Second)
	pick(&d.patience.dead, 3*time.Second)
	pick(&d.patience.preflight, 3*time.Second)
	if d.MaxErrorShare == 0 {
		d.MaxErrorShare = 0.10
	}
	return &d
}

// assemble makes the parts of a run whose command line is good.
func (r *Run) assemble() error {
	book, err := r.contest.ruleBook(r.opts.disabled)
	if err != nil {
		return err
	}
	book.base(ruleInitialize).Conditional = !r.initializes()
	r.rules, r.exercised = book, make([]int64, len(book.all))
	counts := tally.New(tally.Config{Tags: r.contest.Tags})
	r.tags = make(map[string]tally.Tag, len(r.contest.Tags))
	for i, name := range r.contest.Tags {
		if slices.Index(r.contest.Tags, name) < i {
			return fmt.Errorf("point tag %s is declared twice", name)
		}
		r.tags[name] = counts.Tag(name)
	}
	r.tally = counts
	if r.contest.Sources != "" {
		if r.addresses, err = parseAddresses(r.contest.Sources); err != nil {
			return err
		}
	}
	if tls := r.opts.target.TLS; tls != nil {
		tls.InsecureSkipVerify = r.contest.AnyCertificate
	}
	r.stats = make([]paddedStats, 4*r.gen.procs)
	r.cookieHost = cookieHost(r.opts.target.Host)
	r.skip = func(id string) bool { return r.rule(id).off }
	r.disagreed = func(d check.Disagreement) {
		r.Log(hotseat.AudienceAdmin, "validator %s: scanner and reference parser differ (%v, %v); the reference parser judges from now on",
			d.Check, d.Scanner, d.Reference)
	}
	return nil
}

// refuse ends a run that cannot start because of what it was given.
func (r *Run) refuse(err error) {
	o := outcome{verdict: hotseat.Infra, reason: err.Error(), usage: true}
	var known *hotseat.Error
	if errors.As(err, &known) {
		o.hint = known.Hint
	}
	r.decide(o)
}

// interrupt stops the run because a person, a signal or the parent wants it.
func (r *Run) interrupt() {
	r.decide(outcome{verdict: hotseat.Infra, reason: hotseat.ReasonInterrupted})
}

// limit tells the watchdog how long what follows may take.
func (r *Run) limit(d time.Duration) {
	r.deadline.Store(int64(r.Elapsed() + d + r.contest.patience.deadlock))
}

// await waits for the phases to end. If they overstay, some goroutine waits
// for something that never comes: the run is given up without it.
func (r *Run) await(done <-chan struct{}) {
	const look = 100 * time.Millisecond
	ticker := time.NewTicker(look)
	defer ticker.Stop()
	var stopAt time.Duration
	for last := r.Elapsed(); ; {
		select {
		case <-done:
			return
		case <-ticker.C:
		}
		now := r.Elapsed()
		if gap := now - last; gap > 5*look {
			// The machine, or this process, stood still: nobody could do anything.
			r.deadline.Add(int64(gap))
			if stopAt != 0 {
				stopAt += gap
			}
		}
		last = now
		if r.ctx.Err() != nil && stopAt == 0 {
			stopAt = now + r.contest.patience.stop
		}
		stuck := int64(now) > r.deadline.Load()
		if !stuck && (stopAt == 0 || now < stopAt) {
			continue
		}
		r.stuck.Store(true)
		r.dumpGoroutines()
		if stuck {
			r.deadlocked("phase " + r.phaseName())
		}
		return
	}
}

// deadlocked decides that the benchmark is at fault because something of it did not end.
func (r *Run) deadlocked(what string) {
	r.authorFailure(nil, codeDeadlock, what+" did not end: a goroutine of the benchmark is stuck; the log shows all of them", "")
}

func (r *Run) dumpGoroutines() {
	stacks := make([]byte, 1<<20)
	stacks = stacks[:runtime.Stack(stacks, true)]
	r.note("stuck in phase %s; all goroutines:\n%s", r.phaseName(), stacks)
}

// within does the work on a goroutine of its own and reports whether it ended
// in time; if not, the goroutine is given up.
func (r *Run) within(d time.Duration, work func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}
