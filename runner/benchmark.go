package runner

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// Times that bound how a benchmark ends.
const (
	// termGrace is how long a benchmark may take to print its verdict once asked to end.
	termGrace = 3 * time.Second
	// quitGrace is how long a hanging one may take to print its goroutines.
	quitGrace = 2 * time.Second
	// maxLine bounds one event; a longer line is noise, not an event.
	maxLine = 1 << 20
	// lastWords is how many lines of standard error a result quotes.
	lastWords = 20
	// maxCause is how many bytes of a panic's text go into a result's reason.
	maxCause = 300
)

// benchmark is the child process that loads, checks and scores.
type benchmark struct {
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	exited chan struct{} // closed when the process has ended and all its output is read

	mu     sync.Mutex
	stderr []string // its last words, or the first from its cause of death on
	cause  string   // of its death, as far as its words tell
	killed bool     // by us
	state  *os.ProcessState
}

// startBenchmark starts argv. Its events go to onLine, one call per line, until
// it returns an error; its standard error goes to log. The child dies with us.
func startBenchmark(argv, env []string, dir string, log io.Writer, onLine func([]byte) error) (*benchmark, error) {
	b := &benchmark{cmd: exec.Command(argv[0], argv[1:]...), exited: make(chan struct{})}
	b.cmd.Dir, b.cmd.Env = dir, env
	// Own group: what it started (an init script) ends with it. The death signal
	// comes on top of its own watch on standard input.
	b.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	stdin, err := b.cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	b.stdin = stdin
	stdout, err := b.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	stderr, err := b.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	started := make(chan error, 1)
	go b.serve(started, stdout, stderr, log, onLine)
	if err := <-started; err != nil {
		return nil, hotseat.Invalid("is it there, and executable?", "start the benchmark %s: %w", argv[0], err)
	}
	return b, nil
}

// serve starts the process, reads its output and waits for it, all on one
// thread: the death signal is tied to the thread that started the child.
func (b *benchmark) serve(started chan<- error, stdout, stderr io.Reader, log io.Writer, onLine func([]byte) error) {
	defer close(b.exited)
	runtime.LockOSThread() // never unlocked: the thread ends with this goroutine, after the child
	if err := b.cmd.Start(); err != nil {
		started <- err
		return
	}
	started <- nil
	var wg sync.WaitGroup
	wg.Go(func() { b.readErrors(stderr, log) })
	wg.Go(func() {
		if err := readLines(stdout, onLine); err != nil {
			b.kill() // nobody listens any more
			_, _ = io.Copy(io.Discard, stdout)
		}
	})
	wg.Wait()
	_ = b.cmd.Wait() // its state tells
	// Whatever it left behind in its group must not outlive the run.
	_ = unix.Kill(-b.cmd.Process.Pid, unix.SIGKILL)
	b.mu.Lock()
	b.state = b.cmd.ProcessState
	b.mu.Unlock()
}

func (b *benchmark) readErrors(stderr io.Reader, log io.Writer) {
	_ = readLines(stderr, func(line []byte) error {
		_, _ = fmt.Fprintf(log, "%s\n", line) // bench.log is a courtesy; the run goes on without it
		b.mu.Lock()
		defer b.mu.Unlock()
		b.hear(string(line))
		return nil
	})
}

// hear takes in a line of standard error. A Go program that dies says why, and
// then where each of its goroutines was, which may be any number of lines.
func (b *benchmark) hear(line string) {
	if b.cause == "" && (strings.HasPrefix(line, "panic: ") || strings.HasPrefix(line, "fatal error: ")) {
		b.cause, b.stderr = strings.ToValidUTF8(line[:min(len(line), maxCause)], ""), nil
	}
	if len(b.stderr) == lastWords {
		if b.cause != "" {
			return
		}
		b.stderr = b.stderr[1:]
	}
	b.stderr = append(b.stderr, line)
}

// readLines calls f for each line; overlong ones are dropped. It returns f's
// error or nil at the end.
func readLines(r io.Reader, f func([]byte) error) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var line []byte
	for {
		part, more, err := in.ReadLine()
		if err != nil {
			return nil // the writer is gone
		}
		if len(line) <= maxLine {
			line = append(line, part...)
		}
		if more {
			continue
		}
		if len(line) <= maxLine {
			if err := f(line); err != nil {
				return err
			}
		}
		line = line[:0]
	}
}

// reply answers a request of the benchmark.
func (b *benchmark) reply(r hotseat.Reply) error {
	line, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = b.stdin.Write(append(line, '\n'))
	return err
}

// end asks the benchmark to stop and makes sure that it does. With dump it is
// first made to print where its goroutines hang.
func (b *benchmark) end(dump bool) {
	steps := []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, termGrace}, {syscall.SIGQUIT, quitGrace}}
	if !dump {
		steps = steps[:1]
	}
	for _, s := range steps {
		_ = b.cmd.Process.Signal(s.signal)
		select {
		case <-b.exited:
			return
		case <-time.After(s.wait):
		}
	}
	b.kill()
	<-b.exited
}

func (b *benchmark) kill() {
	b.mu.Lock()
	b.killed = true
	b.mu.Unlock()
	_ = unix.Kill(-b.cmd.Process.Pid, unix.SIGKILL)
}

// pid of the child.
func (b *benchmark) pid() int { return b.cmd.Process.Pid }

// exitStatus is that of a child that has ended, -1 if a signal ended it.
func (b *benchmark) exitStatus() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state.ExitCode()
}

// obituary says how a benchmark that printed no verdict ended, and its last
// words, or the first ones of its death.
func (b *benchmark) obituary() (reason, words string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	words = strings.Join(b.stderr, "\n")
	status, ok := b.state.Sys().(syscall.WaitStatus)
	switch {
	case ok && status.Signaled() && status.Signal() == syscall.SIGKILL && !b.killed:
		return "the benchmark was killed by SIGKILL: by somebody, or by the kernel when memory ran out", words
	case ok && status.Signaled():
		return "the benchmark was killed by " + unix.SignalName(status.Signal()), words
	default:
		reason = fmt.Sprintf("the benchmark ended with status %d and without a verdict", b.state.ExitCode())
		if b.cause != "" {
			reason += ": " + b.cause
		}
		return reason, words
	}
}

// parseLine reads one line of a benchmark's standard output. What is no event is
// an error that says so.
func parseLine(line []byte) (hotseat.Event, error) {
	var e hotseat.Event
	if len(bytes.TrimSpace(line)) == 0 {
		return e, errors.New("an empty line")
	}
	if err := json.Unmarshal(line, &e); err != nil {
		return e, fmt.Errorf("not a JSON object: %w", err)
	}
	if e.Type == "" {
		return e, errors.New(`no member "event"`)
	}
	return e, nil
}
