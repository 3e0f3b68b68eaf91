package stack

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orphanLimit is how long the processes get to end when the guardian has lost
// its watcher: nobody would clear up if it died as well.
const orphanLimit = 2 * time.Second

// GuardianMain is the hidden command _guardian: it owns a stack's processes
// until it is told to stop. args holds the run folder; the result is the exit
// status.
func GuardianMain(args []string) int {
	if len(args) != 1 {
		fmt.Fprintln(os.Stderr, "guardian: this command is for `hotseat up` only")
		return 3
	}
	if err := guard(placeOf(args[0])); err != nil {
		fmt.Fprintln(os.Stderr, "guardian:", err)
		return 3
	}
	return 0
}

// guardian is the process that owns a running stack.
type guardian struct {
	sup  *Supervisor
	ctx  context.Context // ends when the stack is to stop
	stop context.CancelCauseFunc

	stopped chan struct{} // closed when no process is left
	clients sync.WaitGroup

	mu      sync.Mutex
	ending  bool // no new holds
	holding sync.WaitGroup
}

// errWatcherGone is why a guardian stops in a hurry.
var errWatcherGone = errors.New("the watcher is gone")

func guard(p place) error {
	for _, fd := range []int{guardLaunchFD, guardWatchFD, guardLockFD} {
		unix.CloseOnExec(fd)
	}
	if err := becomeReaper(); err != nil {
		return err
	}
	launcher, err := fileConn(guardLaunchFD)
	if err != nil {
		return err
	}
	defer func() { _ = launcher.Close() }()
	fail := func(err error) error { return errors.Join(err, writeJSON(launcher, reply{Error: toWire(err)})) }

	b, err := os.ReadFile(p.file(planFile))
	if err != nil {
		return fail(err)
	}
	var plan Plan
	if err := json.Unmarshal(b, &plan); err != nil {
		return fail(fmt.Errorf("%s: %w", p.file(planFile), err))
	}
	sup, err := NewSupervisor(plan)
	if err != nil {
		return fail(err)
	}
	ctx, stop := context.WithCancelCause(context.Background())
	g := &guardian{sup: sup, ctx: ctx, stop: stop, stopped: make(chan struct{})}
	l, err := p.listen()
	if err != nil {
		return fail(errors.Join(err, sup.Close()))
	}
	var bg sync.WaitGroup
	bg.Go(g.obeySignals)
	bg.Go(func() { g.serve(l) })
	bg.Go(func() { g.watchFolder(p) })
	go func() { // ends with the process: a blocking read of a pipe that never gets data
		_, _ = os.NewFile(guardWatchFD, "watcher").Read(make([]byte, 1))
		stop(errWatcherGone)
	}()
	err = g.launch(launcher)
	if err == nil {
		<-ctx.Done()
	}
	stop(err)

	limit := time.Duration(0)
	if g.hurried() {
		limit = orphanLimit
		// A command that is changing the stack at this moment may not hold it up.
		bg.Go(func() {
			select {
			case <-g.stopped:
			case <-time.After(orphanLimit):
				_ = killDescendants(os.Getpid(), unkillable) // tried again, and told, below
			}
		})
	}
	g.endHolds()
	sup.StopAll(limit)
	err = errors.Join(err, killDescendants(os.Getpid(), unkillable))
	close(g.stopped)
	if err != nil {
		_ = writeJSON(launcher, reply{Error: toWire(err)}) // a launcher that is gone has no use for it
	}
	err = errors.Join(err, sup.Close(), l.Close())
	bg.Wait()
	g.clients.Wait()
	return errors.Join(err, p.clean())
}

// hurried tells whether the guardian stops because it lost its watcher.
func (g *guardian) hurried() bool { return errors.Is(context.Cause(g.ctx), errWatcherGone) }

// launch starts the stack and lets the launcher follow. A launcher that goes
// away before everything is ready takes the stack with it.
func (g *guardian) launch(launcher net.Conn) error {
	ctx, cancel := context.WithCancelCause(g.ctx)
	defer cancel(nil)
	started := make(chan struct{})
	var bg sync.WaitGroup
	defer bg.Wait()
	bg.Go(func() {
		_, _ = io.Copy(io.Discard, launcher) // says nothing; its end is what matters
		cancel(errors.New("the command that started the stack was interrupted"))
	})
	follow, unfollow := context.WithCancel(ctx)
	bg.Go(func() {
		defer close(started)
		_ = g.sup.events.follow(follow, 0, func(e Event) error { return writeJSON(launcher, reply{Event: &e}) })
	})
	err := g.sup.StartAll(ctx)
	unfollow()
	<-started
	if err != nil {
		if cause := context.Cause(ctx); cause != nil && errors.Is(err, context.Canceled) {
			err = cause
		}
		// The processes must be gone before the launcher hears of the failure.
		// guard tells it at the end.
		_ = launcher.(*net.UnixConn).CloseRead()
		return err
	}
	err = writeJSON(launcher, reply{OK: true})
	_ = launcher.Close() // its reader ends; whether it was still there makes no difference now
	if err != nil {
		return fmt.Errorf("tell the launcher: %w", err)
	}
	return nil
}

// obeySignals stops the stack on SIGTERM or SIGINT and reaps orphans on SIGCHLD.
func (g *guardian) obeySignals() {
	signals := make(chan os.Signal, 16)
	// SIGHUP is caught and dropped, not ignored: what is ignored stays so in children.
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGCHLD, syscall.SIGHUP)
	defer signal.Stop(signals)
	for {
		select {
		case <-g.ctx.Done():
			return
		case sig := <-signals:
			switch sig {
			case syscall.SIGCHLD:
				g.sup.spawner.reapOrphans()
			case syscall.SIGTERM, syscall.SIGINT:
				g.stop(fmt.Errorf("got %s", sig))
				return
			}
		}
	}
}

// lookEvery is how often a guardian looks whether its run folder is still there.
const lookEvery = 2 * time.Second

// watchFolder stops the stack when its run folder has been removed: nobody could
// reach it any more to stop it.
func (g *guardian) watchFolder(p place) {
	ticker := time.NewTicker(lookEvery)
	defer ticker.Stop()
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-ticker.C:
			if _, err := os.Lstat(p.file(planFile)); errors.Is(err, fs.ErrNotExist) {
				g.stop(errors.New("the run folder was removed"))
				return
			}
		}
	}
}

// fileConn makes a connection of an inherited descriptor.
func fileConn(fd int) (net.Conn, error) {
	f := os.NewFile(uintptr(fd), "launcher")
	defer func() { _ = f.Close() }()
	conn, err := net.FileConn(f)
	if err != nil {
		return nil, fmt.Errorf("this command is for `hotseat up` only: %w", err)
	}
	return conn, nil
}
