package problemtest

import (
	"bytes"
	"context"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat/stack/stacktest"
)

// ready is how long a server may take to answer: others are tested at the same time.
const ready = 60 * time.Second

// lastWords is how many bytes of what a server said are shown if the test failed.
const lastWords = 4000

// Start runs a server until the test ends. The last it said is shown if the test
// failed.
func Start(t testing.TB, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait() // servers end by the signal, which is an error to Wait
		if t.Failed() {
			text := said.String()
			t.Logf("%s said:\n%s", cmd.Path, text[max(0, len(text)-lastWords):])
		}
	})
}

// Answers waits until a URL is answered, with whatever status.
func Answers(t testing.TB, url string) {
	t.Helper()
	WaitFor(t, url, func() error {
		response, err := http.Get(url)
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
}

// WaitFor asks again and again until there is no error. It ends the test after a minute.
func WaitFor(t testing.TB, what string, ask func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), ready)
	defer cancel()
	for {
		err := ask()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is not ready: %v", what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// FreePort returns a port that nobody uses, for a server of the test's own.
func FreePort(t testing.TB) string {
	t.Helper()
	return strconv.Itoa(stacktest.FreePort(t))
}

// Run runs a command in a folder, to its end. A command with a slash in it is one
// of that folder; Go builds as hotseat has it do.
func Run(t testing.TB, dir string, env []string, argv ...string) {
	t.Helper()
	name := argv[0]
	if strings.Contains(name, "/") {
		name = filepath.Join(dir, name)
	}
	cmd := exec.Command(name, argv[1:]...)
	cmd.Dir, cmd.Env = dir, slices.Concat(env, []string{"GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off"})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}
