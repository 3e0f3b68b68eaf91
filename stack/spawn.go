package stack

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"hotseat"
)

// spawner starts children. All are forked by one goroutine that never leaves
// its thread, because a parent-death signal is sent when the parent's *thread*
// ends (prctl(2), PR_SET_PDEATHSIG).
type spawner struct {
	work chan func()
	done chan struct{}

	mu       sync.Mutex
	children map[int]bool // pids that a goroutine of ours waits for
}

func newSpawner() *spawner {
	s := &spawner{work: make(chan func()), done: make(chan struct{}), children: map[int]bool{}}
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		defer close(s.done)
		for fn := range s.work {
			fn()
		}
	}()
	return s
}

// close ends the spawner's thread, and with it whatever still runs of what it started.
func (s *spawner) close() {
	close(s.work)
	<-s.done
}

// child is a started process. Its pid stays ours, as a zombie, until reap.
type child struct {
	pid    int
	ended  chan struct{} // closed when it has ended, before it is waited for
	owner  *spawner
	reaped sync.Once
	status syscall.WaitStatus
}

// spec is what start needs to know.
type spec struct {
	argv   []string
	env    []string
	dir    string
	out    *os.File
	noFile uint64       // 0: as this process has it
	group  *memoryGroup // nil: that of this process
}

// start forks and executes. The child leads a process group of its own.
func (s *spawner) start(sp spec) (*child, error) {
	path, err := lookPath(sp.argv[0], sp.env, sp.dir)
	if err != nil {
		return nil, err
	}
	null, err := os.Open(os.DevNull)
	if err != nil {
		return nil, err
	}
	defer func() { _ = null.Close() }()
	attr := &syscall.ProcAttr{
		Dir:   sp.dir,
		Env:   sp.env,
		Files: []uintptr{null.Fd(), sp.out.Fd(), sp.out.Fd()},
		Sys:   &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL},
	}
	c := &child{ended: make(chan struct{}), owner: s}
	started := make(chan error)
	s.work <- func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		leave := func() error { return nil }
		restore, err := limitFiles(sp.noFile)
		if err == nil && sp.group != nil {
			if leave, err = sp.group.enter(attr.Sys); err != nil {
				restore()
			}
		}
		if err == nil {
			c.pid, err = syscall.ForkExec(path, sp.argv, attr)
			restore()
			_ = leave() // this thread forks and nothing else: it may stay there
		}
		if err == nil {
			s.children[c.pid] = true
		}
		started <- err
	}
	if err := <-started; err != nil {
		return nil, hotseat.Invalid("", "execute %s in %s: %w", path, sp.dir, err)
	}
	go func() {
		defer close(c.ended)
		for {
			// WNOWAIT leaves a zombie: as long as it is there nobody else gets its
			// pid or its group's, so that killing what it left behind is safe.
			err := unix.Waitid(unix.P_PID, c.pid, nil, unix.WEXITED|unix.WNOWAIT, nil)
			if !errors.Is(err, syscall.EINTR) {
				return
			}
		}
	}()
	return c, nil
}

// reap waits for an ended child and returns how it ended.
func (c *child) reap() syscall.WaitStatus {
	<-c.ended
	c.reaped.Do(func() {
		for {
			_, err := syscall.Wait4(c.pid, &c.status, 0, nil)
			if !errors.Is(err, syscall.EINTR) {
				break
			}
		}
		c.owner.mu.Lock()
		delete(c.owner.children, c.pid)
		c.owner.mu.Unlock()
	})
	return c.status
}

// run executes a short command to its end and returns what it wrote. When ctx
// ends first, its group is killed.
func (s *spawner) run(ctx context.Context, sp spec) (output string, err error) {
	out, err := os.CreateTemp("", "hotseat-run-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = out.Close() }()
	if err := os.Remove(out.Name()); err != nil {
		return "", err
	}
	sp.out = out
	c, err := s.start(sp)
	if err != nil {
		return "", err
	}
	select {
	case <-c.ended:
	case <-ctx.Done():
	}
	_ = syscall.Kill(-c.pid, syscall.SIGKILL) // usually there is nobody left to kill
	exit := exitOf(c.reap())
	text := make([]byte, 16<<10)
	n, _ := out.ReadAt(text, 0) // what there is; a short read says so with EOF
	output = strings.TrimSpace(string(text[:n]))
	switch {
	case ctx.Err() != nil:
		return output, fmt.Errorf("`%s` was cut off: %w", strings.Join(sp.argv, " "), ctx.Err())
	case exit.Code != 0:
		return output, fmt.Errorf("`%s` %s: %s", strings.Join(sp.argv, " "), exit, output)
	}
	return output, nil
}

// reapOrphans waits for dead children that nobody else waits for: what fell to
// this process as a sub-reaper.
func (s *spawner) reapOrphans() {
	s.mu.Lock()
	defer s.mu.Unlock()
	all, err := processes()
	if err != nil {
		return
	}
	self := os.Getpid()
	for _, st := range all {
		if st.ppid == self && st.gone() && !s.children[st.pid] {
			_, _ = syscall.Wait4(st.pid, nil, syscall.WNOHANG, nil) // somebody else's zombie is no concern of ours
		}
	}
}

// limitFiles sets this process's soft limit of open files, which a child
// inherits, and returns how to set it back.
func limitFiles(soft uint64) (restore func(), err error) {
	if soft == 0 {
		return func() {}, nil
	}
	var old syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &old); err != nil {
		return nil, fmt.Errorf("read the limit of open files: %w", err)
	}
	lim := syscall.Rlimit{Cur: min(soft, old.Max), Max: old.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &lim); err != nil {
		return nil, fmt.Errorf("set the limit of open files to %d: %w", lim.Cur, err)
	}
	return func() { _ = syscall.Setrlimit(syscall.RLIMIT_NOFILE, &old) }, nil // back to what it was is always allowed
}

// defaultPath is where commands are looked up when an environment has no PATH.
// The sbin folders are part of it because servers live there and an ordinary
// user's PATH lacks them.
const defaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// lookPath finds a command as execvp would in the child's own environment.
func lookPath(name string, env []string, dir string) (string, error) {
	executable := func(path string) bool {
		fi, err := os.Stat(path)
		return err == nil && fi.Mode().IsRegular() && fi.Mode()&0o111 != 0
	}
	if strings.Contains(name, "/") {
		full := name
		if !filepath.IsAbs(full) {
			full = filepath.Join(dir, name)
		}
		if !executable(full) {
			return "", hotseat.Invalid("", "%s is not there or cannot be executed", full)
		}
		return full, nil
	}
	for _, p := range filepath.SplitList(variable(env, "PATH")) {
		if full := filepath.Join(p, name); filepath.IsAbs(p) && executable(full) {
			return full, nil
		}
	}
	return "", hotseat.Invalid("", "command %q is in no folder of PATH (%s)", name, variable(env, "PATH"))
}

// variable returns the last value that env gives to the variable.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if v, ok := strings.CutPrefix(kv, name+"="); ok {
			return v
		}
	}
	return ""
}

// childEnv completes a process's environment.
func childEnv(env []string, mark string) []string {
	env = slices.Clone(env)
	if variable(env, "PATH") == "" {
		env = append(env, "PATH="+defaultPath)
	}
	return append(env, mark)
}
