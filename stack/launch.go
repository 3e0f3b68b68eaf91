package stack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// Launch starts a stack in the background and returns when everything is ready;
// it then outlives the caller. exe is the command line that reaches the hidden
// commands _watch and _guardian when they are appended: usually the path of
// this executable alone. Each event of the start is given to observe, in order.
//
// If anything fails, or ctx ends, or the caller is killed before everything is
// ready, all that was started is stopped; the error tells of the process that
// failed, with its last words as Detail. If a stack runs in the plan's folder
// already the error wraps ErrRunning.
func Launch(ctx context.Context, exe []string, plan Plan, observe ...func(Event)) (*Client, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	c := &Client{dir: plan.Dir, place: placeOf(plan.Dir)}
	if err := c.place.make(); err != nil {
		return nil, err
	}
	lock, err := c.lockForLaunch(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = lock.Close() }() // the watcher has inherited it by then
	conn, err := c.startWatcher(exe, plan, lock)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() }) // which interrupts the start
	defer stop()
	if err := followLaunch(conn, observe); err != nil {
		_ = conn.Close()
		_ = lock.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		if errors.Is(err, errHungUp) {
			words, _ := tail(c.place.file(guardianLog), 0, lastWordLines) // nothing to quote is no reason to hide the error
			err = hotseat.Unavailable("see "+c.place.file(guardianLog), "the guardian ended before the stack was ready").
				WithDetail(strings.Join(words, "\n"))
		}
		gone, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Minute)
		defer cancel()
		return nil, errors.Join(err, c.awaitGone(gone))
	}
	return c, nil
}

// lockForLaunch takes the stack's lock. A guardian that is just ending, or
// whose remains the watcher is still clearing away, is waited for.
func (c *Client) lockForLaunch(ctx context.Context) (*os.File, error) {
	for give := time.Now().Add(settleTime); ; {
		lock, err := c.place.lock()
		if err == nil {
			return lock, c.place.clean()
		}
		if !errors.Is(err, errLocked) {
			return nil, hotseat.Unavailable("", "%w", err)
		}
		ending, err := c.ping(ctx)
		if err == nil && !ending {
			return nil, hotseat.Conflict("`hotseat status` shows it, `hotseat down` stops it", "%w (%s)", ErrRunning, c.dir)
		}
		if time.Now().After(give) && !ending {
			return nil, hotseat.Conflict("wait for the other command to end", "another command is starting or stopping the stack in %s", c.dir)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// startWatcher starts the watcher in a session of its own, so that no terminal
// can signal it, and returns the connection on which the guardian reports.
func (c *Client) startWatcher(exe []string, plan Plan, lock *os.File) (*os.File, error) {
	b, err := json.MarshalIndent(plan, "", "  ")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(c.place.file(planFile), b, 0o600); err != nil {
		return nil, hotseat.Unavailable("", "write the plan: %w", err)
	}
	log, err := os.OpenFile(c.place.file(guardianLog), os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, hotseat.Unavailable("", "open the guardian's log: %w", err)
	}
	defer func() { _ = log.Close() }()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("make a pair of sockets: %w", err)
	}
	ours, theirs := os.NewFile(uintptr(pair[0]), "guardian"), os.NewFile(uintptr(pair[1]), "launcher")
	defer func() { _ = theirs.Close() }()

	path, err := exec.LookPath(exe[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("find this program: %w", err)
	}
	cmd := exec.Command(path, append(exe[1:len(exe):len(exe)], "_watch", plan.Dir)...)
	cmd.Dir = "/"
	cmd.Stdout, cmd.Stderr = log, log
	cmd.ExtraFiles = []*os.File{theirs, lock}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		_ = ours.Close()
		return nil, fmt.Errorf("start the watcher: %w", err)
	}
	// The watcher usually outlives this process; if not, it is waited for here so
	// that no zombie stays. How it ended is told by the guardian's lock and log.
	go func() { _ = cmd.Wait() }()
	return ours, nil
}

// followLaunch reads the guardian's report until everything is ready.
func followLaunch(conn *os.File, observe []func(Event)) error {
	in := json.NewDecoder(bufio.NewReader(conn))
	for {
		var r reply
		if err := in.Decode(&r); err != nil {
			return errHungUp
		}
		if r.Error != nil {
			return r.Error.err()
		}
		if r.OK {
			return nil
		}
		if r.Event != nil {
			for _, fn := range observe {
				fn(*r.Event)
			}
		}
	}
}
