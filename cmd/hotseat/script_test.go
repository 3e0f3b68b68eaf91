package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"hotseat/stack"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"hotseat": func() { os.Exit(run()) },
	})
}

// TestScripts plays the stories in testscript/: the real program against real
// servers.
func TestScripts(t *testing.T) {
	shared := sharedFolders(t)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testscript",
		RequireExplicitExec: true,
		Setup: func(e *testscript.Env) error {
			e.Vars = append(e.Vars, shared...)
			e.Defer(func() { stopStacks(t, e.WorkDir) }) // of stories that ended too early
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": exitStatus,
		},
	})
}

// sharedFolders are the environment by which all stories share what is
// expensive to make, and the registry of ports.
func sharedFolders(t *testing.T) []string {
	t.Helper()
	env := testFolders(t)
	for _, name := range []string{"GOCACHE", "GOMODCACHE", "GOPROXY", "GOFLAGS", "GOSUMDB"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		env = append(env, name+"="+strings.TrimSpace(string(out)))
	}
	return env
}

// stopStacks stops what a story left running.
func stopStacks(t *testing.T, dir string) {
	workspaces, err := filepath.Glob(filepath.Join(dir, "*", ".hotseat"))
	if err != nil {
		t.Error(err)
	}
	for _, w := range workspaces {
		client, err := stack.Connect(context.Background(), filepath.Join(w, "run"))
		if err == nil {
			err = client.Stop(context.Background())
		}
		if err != nil && !errors.Is(err, stack.ErrNotRunning) {
			t.Error(err)
		}
	}
}

// testFolders are the cache, and the registry of ports, that all tests share.
func testFolders(t *testing.T) []string {
	t.Helper()
	return []string{"XDG_CACHE_HOME=" + testCache(t), "XDG_STATE_HOME=" + filepath.Join(testCache(t), "state")}
}

// testCache is a cache that outlives the test: databases of earlier runs of the
// tests are as good as new ones.
func testCache(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../out/test-cache")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// exitStatus runs a program and checks its exit status: status 2 hotseat bench.
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N program args...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	if err != nil {
		got = strings.TrimPrefix(err.Error(), "exit status ")
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}
