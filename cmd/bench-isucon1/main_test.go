package main

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	isucon1 "hotseat/problems/isucon1"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asEngine { // the child of a turn
		main()
		return
	}
	os.Exit(m.Run())
}

// One short turn each: whether it works, not how fast anybody is.
func TestCeiling(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out", "ceiling.json")
	var text strings.Builder
	err := run(t.Context(), []string{"ceiling", "-rounds", "1", "-duration", "1s", "-out", out}, &text)
	if err != nil && !strings.Contains(err.Error(), "of wrk's rate") {
		t.Fatal(err)
	}
	written, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var c comparison
	if err := json.Unmarshal(written, &c); err != nil {
		t.Fatal(err)
	}
	if len(c.Turns) != 2 || c.Ratio <= 0 {
		t.Fatalf("%+v", c)
	}
	for _, turn := range c.Turns {
		if turn.PerSecond <= 0 || turn.Micros <= 0 || turn.Errors > 0 {
			t.Errorf("%+v", turn)
		}
	}
}

// The patches fit the app as it is given now.
func TestPatchesApply(t *testing.T) {
	p := &player{root: t.TempDir()}
	p.workspace = filepath.Join(p.root, "blog")
	err := fs.WalkDir(isucon1.Files, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := isucon1.Files.ReadFile(path)
		if err != nil {
			return err
		}
		path = strings.TrimSuffix(strings.Replace(path, "app/go/", "app/", 1), ".embed")
		to := filepath.Join(p.workspace, path)
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		return os.WriteFile(to, content, 0o644)
	})
	if err != nil {
		t.Fatal(err)
	}
	// hotseat.toml is made with the workspace; here it is what the patch is about.
	tuned, err := isucon1.Files.ReadFile(tunedPatch)
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "git", "init", "-q", p.workspace).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for _, patch := range [][]byte{tuned, stalePages} {
		file := filepath.Join(p.root, "change.patch")
		if err := os.WriteFile(file, patch, 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := exec.CommandContext(t.Context(), "git", "apply", "--exclude=hotseat.toml", file)
		cmd.Dir = p.workspace
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "vet", ".")
	build.Dir = filepath.Join(p.workspace, "app")
	build.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"floor"}, {"ceiling", "-rounds", "x"}, {"stale", "-hotseat", "/none"}} {
		if err := run(t.Context(), args, &strings.Builder{}); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
