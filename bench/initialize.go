package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"
)

const (
	initLines = 40      // of the init command's output that a failure shows
	initLine  = 1 << 10 // bytes kept of a line
)

// outputGrace is how long a finished command's output may stay open. A command
// that restarts a server in the background leaves it its own output.
const outputGrace = time.Second

// RunInit runs the command of --init with sh -c and waits for it, at most
// [Contest].InitTimeout long: then it kills the command's process group. What
// the command leaves running in the background when it ends well is left
// alone. An error shows the last 40 lines of the output. Without a command
// RunInit does nothing.
func (r *Run) RunInit(ctx context.Context) error {
	if r.opts.init == "" {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, r.contest.InitTimeout)
	defer cancel()
	var out lastLines
	cmd := exec.CommandContext(ctx, "sh", "-c", r.opts.init)
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = outputGrace
	// A group of its own, so that what the shell started can be killed with it,
	// and so that a Ctrl-C at the parent's terminal reaches us alone.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

	err := cmd.Run()
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return &initError{command: r.opts.init, output: out.String(),
			err: fmt.Errorf("was still running after %s and was killed", r.contest.InitTimeout)}
	case ctx.Err() != nil:
		return context.Cause(ctx)
	default:
		return &initError{command: r.opts.init, output: out.String(), err: err}
	}
}

// initError is an init command that failed.
type initError struct {
	command string
	output  string
	err     error
}

func (e *initError) Error() string {
	return fmt.Sprintf("the init command %q failed: %v", e.command, e.err)
}

func (e *initError) Unwrap() error { return e.err }

// lastLines keeps the last lines written to it.
type lastLines struct {
	mu    sync.Mutex
	lines []string
	part  []byte // of a line that has not ended
	total int
}

func (l *lastLines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for rest := p; len(rest) > 0; {
		head, tail, ended := bytes.Cut(rest, []byte("\n"))
		if room := initLine - len(l.part); room > 0 {
			l.part = append(l.part, head[:min(len(head), room)]...)
		}
		if ended {
			l.end()
		}
		rest = tail
	}
	return len(p), nil
}

func (l *lastLines) end() {
	l.lines = append(l.lines, string(l.part))
	l.part = l.part[:0]
	l.total++
	if len(l.lines) > initLines {
		l.lines = l.lines[1:]
	}
}

func (l *lastLines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.part) > 0 {
		l.end()
	}
	if l.total == 0 {
		return "(it printed nothing)"
	}
	text := strings.Join(l.lines, "\n")
	if l.total > len(l.lines) {
		text = fmt.Sprintf("(the last %d of %d lines)\n%s", len(l.lines), l.total, text)
	}
	return text
}
