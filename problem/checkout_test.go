package problem

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestCheckoutIsAWorkspaceOfThatCommit(t *testing.T) {
	r := registry(t)
	cacheRoot := t.TempDir()
	w, err := create(t, r, filepath.Join(t.TempDir(), "ws"), CreateOptions{CacheRoot: cacheRoot})
	if err != nil {
		t.Fatal(err)
	}
	given, _ := w.Commit(t.Context())
	tune(t, w, "app/main.go", "package main // faster")
	if err := os.Remove(filepath.Join(w.Dir, "sql/schema.sql")); err != nil {
		t.Fatal(err)
	}
	tune(t, w, "app/extra.go", "package main")
	tuned, err := w.ResolveCommit(t.Context(), "HEAD")
	if err != nil || tuned == given {
		t.Fatalf("HEAD is %q, %v", tuned, err)
	}
	// What is not committed is no part of a commit.
	if err := os.WriteFile(filepath.Join(w.Dir, "app/main.go"), []byte("package main // half an idea"), 0o644); err != nil {
		t.Fatal(err)
	}

	for _, c := range []struct {
		commit, main string
		schema       bool
	}{{given, "package main", true}, {tuned, "package main // faster", false}} {
		got, err := w.Checkout(t.Context(), c.commit, filepath.Join(w.StateDir(), "compare", c.commit[:12]), cacheRoot)
		if err != nil {
			t.Fatal(err)
		}
		text, err := os.ReadFile(filepath.Join(got.Dir, "app/main.go"))
		if err != nil || string(text) != c.main {
			t.Errorf("%.12s: app/main.go is %q, %v", c.commit, text, err)
		}
		if _, err := os.Stat(filepath.Join(got.Dir, "sql/schema.sql")); (err == nil) != c.schema {
			t.Errorf("%.12s: sql/schema.sql: %v, want it there: %v", c.commit, err, c.schema)
		}
		if commit, dirty := got.Commit(t.Context()); commit != c.commit || dirty {
			t.Errorf("it is at %s (dirty %v), want %s", commit, dirty, c.commit)
		}
		if text, err := os.ReadFile(filepath.Join(got.Dir, "sql/big.sql")); err != nil || string(text) != "full" {
			t.Errorf("%.12s: the data that git ignores: %q, %v", c.commit, text, err)
		}
		if _, err := w.Checkout(t.Context(), c.commit, got.Dir, cacheRoot); err == nil {
			t.Error("a folder that was there already was taken")
		}
	}
	files, err := w.ChangedFiles(t.Context(), given, tuned)
	if err != nil || !slices.Equal(files, []string{"app/extra.go", "app/main.go", "sql/schema.sql"}) {
		t.Errorf("changed files: %v, %v", files, err)
	}
	if s := w.Subject(t.Context(), tuned); s != "change app/extra.go" {
		t.Errorf("subject %q", s)
	}
}

func TestResolveCommitRefuses(t *testing.T) {
	w, err := create(t, registry(t), filepath.Join(t.TempDir(), "ws"), CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for _, rev := range []string{"nonsense", "", "--output=/tmp/x", "HEAD~5", "HEAD:app"} {
		if got, err := w.ResolveCommit(t.Context(), rev); err == nil {
			t.Errorf("%q is %s", rev, got)
		}
	}
}

// tune writes a file and commits everything.
func tune(t *testing.T, w *Workspace, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=t", "-c", "user.email=t@localhost", "commit", "-q", "-m", "change " + name}} {
		if out, err := git(t.Context(), w.Dir, args...); err != nil {
			t.Fatalf("git: %v: %s", err, out)
		}
	}
}
