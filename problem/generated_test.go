package problem

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"hotseat"
)

// ofMonth is a registry whose generator writes the month into its data.
func ofMonth(t *testing.T, month string) *Registry {
	t.Helper()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	r, err := NewRegistry(Builtin{
		Files: fstest.MapFS{
			"problem.toml": file(small + "\n[data]\nprofile = \"full\"\nworkspace = [\"rows\"]\nreset = [\"rows\"]\n"), "README.md": file("manual"),
			"app/go/main.go": file("package main"), "etc/nginx.conf": file(""),
		},
		DataVersion: month,
		Generate: func(_ context.Context, dir, _ string) error {
			return os.WriteFile(filepath.Join(dir, "rows"), []byte(month), 0o644)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestAWorkspaceKnowsItsData(t *testing.T) {
	cacheRoot := t.TempDir()
	dir := filepath.Join(t.TempDir(), "ws")
	if _, err := create(t, ofMonth(t, "november"), dir, CreateOptions{CacheRoot: cacheRoot}); err != nil {
		t.Fatal(err)
	}
	w, err := ofMonth(t, "december").OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	month := func() string {
		t.Helper()
		generated, err := w.Generated(t.Context(), cacheRoot)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(generated, "rows"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	if got := month(); got != "november" {
		t.Errorf("in December the workspace holds data of %s", got)
	}

	old, err := w.Generated(t.Context(), cacheRoot)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(old); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Generated(t.Context(), cacheRoot); hotseat.HintOf(err) != "hotseat reset" || !strings.Contains(err.Error(), "november") {
		t.Errorf("without its data: %v (%s)", err, hotseat.HintOf(err))
	}

	generated, err := w.Problem.Generated(t.Context(), cacheRoot, "full")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.ResetData(t.Context(), generated); err != nil {
		t.Fatal(err)
	}
	if got := month(); got != "december" {
		t.Errorf("after the reset the workspace holds data of %s", got)
	}
	if text, err := os.ReadFile(filepath.Join(dir, "rows")); err != nil || string(text) != "december" {
		t.Errorf("the rows are of %s, %v", text, err)
	}
	// Those of a version that took no notes hold what there is now.
	if err := os.Remove(filepath.Join(w.StateDir(), generatedFile)); err != nil {
		t.Fatal(err)
	}
	if got := month(); got != "december" {
		t.Errorf("without a note the workspace holds data of %s", got)
	}
}
