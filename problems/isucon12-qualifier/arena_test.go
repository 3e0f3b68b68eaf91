package isucon12q_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// arena is a contestant's workspace with small data whose stack runs: the real
// program, the real servers.
type arena struct {
	dir  string // the workspace
	port int    // where its web server listens
}

// address is where people find a tenant.
func (a *arena) address(tenant string) string {
	return fmt.Sprintf("http://%s.localhost:%d", tenant, a.port)
}

// newArena starts a stack with the app in a language.
func newArena(t *testing.T, language string) *arena {
	t.Helper()
	parent := t.TempDir()
	a := &arena{dir: filepath.Join(parent, "isuports")}
	// Data and golden databases of earlier tests are as good as new ones.
	cache, err := filepath.Abs("../../out/test-cache")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(parent, "hotseat")
	run := func(dir string, argv ...string) []byte {
		t.Helper()
		cmd := exec.CommandContext(context.WithoutCancel(t.Context()), argv[0], argv[1:]...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "XDG_CACHE_HOME="+cache, "XDG_STATE_HOME="+filepath.Join(cache, "state"))
		var complaint bytes.Buffer
		cmd.Stderr = &complaint
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v\n%s", strings.Join(argv, " "), err, complaint.String())
		}
		return out
	}
	run(".", "go", "build", "-o", program, "hotseat/cmd/hotseat")
	run(parent, program, "init", "isucon12-qualifier", "isuports", "--lang", language, "--data-profile", "small")
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("%s", run(a.dir, program, "logs", "--lines", "60"))
		}
		run(a.dir, program, "down")
	})
	run(a.dir, program, "up")

	var status struct{ Ports map[string]int }
	if err := json.Unmarshal(run(a.dir, program, "status", "--json"), &status); err != nil {
		t.Fatal(err)
	}
	a.port = status.Ports["web"]
	return a
}
