package service

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"hotseat"
)

// Build runs a build step of the contestant's app to its end. When it fails,
// the error is of the kind invalid and carries what the compiler wrote as
// Detail. An empty argv builds nothing.
func Build(ctx context.Context, dir string, argv, env []string) error {
	if len(argv) == 0 {
		return nil
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	// A compiler starts others: all of them end when the user gives up.
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err == nil {
		return nil
	}
	if errors.Is(err, exec.ErrNotFound) {
		return hotseat.Invalid("install it, or name another command in hotseat.toml", "build the app: %w", err)
	}
	return hotseat.Invalid("fix it and run the command again", "the app does not build: `%s` in %s: %w",
		strings.Join(argv, " "), dir, err).WithDetail(firstLines(out.String(), 60))
}

// firstLines keeps the beginning of a text, where compilers put what matters.
func firstLines(text string, n int) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	if len(lines) > n {
		lines = append(lines[:n], "…")
	}
	return strings.Join(lines, "\n")
}

// inherited are the variables a contestant's app and its compiler get from
// whoever runs hotseat: what finds tools and speaks a language, no more.
var inherited = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "TZ", "TMPDIR",
	"GOPATH", "GOROOT", "GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOTOOLCHAIN", "XDG_CACHE_HOME",
	"http_proxy", "https_proxy", "no_proxy", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY",
}

// BaseEnv returns the part of this process's environment that an app gets.
func BaseEnv() []string {
	var env []string
	for _, name := range inherited {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}
