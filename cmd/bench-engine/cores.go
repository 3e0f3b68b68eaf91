package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// cores says which core is whose; -1 is any.
type cores struct{ server, client int }

// chooseCores takes the first two cores that we may use. With only one there
// is nothing to pin.
func chooseCores() (cores, error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return cores{}, fmt.Errorf("ask for our cores: %w", err)
	}
	var ours []int
	for cpu := 0; cpu < len(set)*64 && len(ours) < 2; cpu++ {
		if set.IsSet(cpu) {
			ours = append(ours, cpu)
		}
	}
	if len(ours) < 2 {
		return cores{-1, -1}, nil
	}
	return cores{ours[0], ours[1]}, nil
}

// pinned is a command that runs on one core only, with one processor for Go
// programs, and dies with the thread that starts it.
func pinned(ctx context.Context, core int, name string, args ...string) *exec.Cmd {
	if core >= 0 {
		args = append([]string{"-c", strconv.Itoa(core), name}, args...)
		name = "taskset"
	}
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	return cmd
}

// allowFiles raises the number of open files to what we may have, for us and
// our children, and returns it.
func allowFiles() (int, error) {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("ask for the limit of open files: %w", err)
	}
	limit.Cur = limit.Max
	// Go gives children the limit that it found at its own start, unless it is
	// set explicitly.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return 0, fmt.Errorf("raise the limit of open files: %w", err)
	}
	const most = 1 << 16 // nginx makes room for all of them at its start
	return int(min(limit.Cur, most)), nil
}
