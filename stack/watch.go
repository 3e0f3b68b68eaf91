package stack

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// File descriptors that are handed down, after standard input, output and error.
const (
	watchLaunchFD = 3 // to whoever launched; closed once handed on
	watchLockFD   = 4

	guardLaunchFD = 3
	guardWatchFD  = 4 // closes when the watcher dies
	guardLockFD   = 5
)

// WatchMain is the hidden command _watch: it starts the guardian, waits for it,
// and if the guardian did not clear away what it owned, kills all of it. It
// does nothing else, so that nothing else can break it. args holds the run
// folder; the result is the exit status.
func WatchMain(args []string) int {
	if err := watchMain(args); err != nil {
		fmt.Fprintln(os.Stderr, "watch:", err)
		return 3
	}
	return 0
}

func watchMain(args []string) error {
	if len(args) != 1 {
		return errors.New("this command is for `hotseat up` only")
	}
	p := placeOf(args[0])
	unix.CloseOnExec(watchLaunchFD)
	unix.CloseOnExec(watchLockFD)
	if err := becomeReaper(); err != nil {
		return err
	}
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)

	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer func() { _ = w.Close() }() // kept open until then, whatever happens: the guardian waits for its end
	argv := slices.Concat(os.Args[:len(os.Args)-len(args)-1], []string{"_guardian", args[0]})
	guardian, err := syscall.ForkExec("/proc/self/exe", argv, &syscall.ProcAttr{
		Dir: "/", Env: os.Environ(),
		Files: []uintptr{0, 1, 2, watchLaunchFD, r.Fd(), watchLockFD},
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return fmt.Errorf("start the guardian: %w", err)
	}
	if err := errors.Join(r.Close(), syscall.Close(watchLaunchFD)); err != nil {
		return err
	}
	dead := make(chan syscall.WaitStatus)
	go func() { dead <- waitFor(guardian) }()
	for {
		select {
		case sig := <-signals:
			if sig != syscall.SIGHUP {
				_ = syscall.Kill(guardian, syscall.SIGTERM) // it may be gone already
			}
		case status := <-dead:
			fmt.Fprintln(os.Stderr, "watch: the guardian", exitOf(status))
			err := killDescendants(os.Getpid(), time.Minute)
			removeMemoryGroups(guardian)
			return errors.Join(err, p.clean())
		}
	}
}

// waitFor reaps whatever dies until it is the guardian.
func waitFor(guardian int) syscall.WaitStatus {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		if pid == guardian || err != nil && !errors.Is(err, syscall.EINTR) {
			return status
		}
	}
}

// becomeReaper makes orphaned descendants fall to this process instead of init
// (prctl(2), PR_SET_CHILD_SUBREAPER).
func becomeReaper() error {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("become a sub-reaper: %w", err)
	}
	return nil
}
