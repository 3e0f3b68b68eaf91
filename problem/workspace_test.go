package problem

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"hotseat"
)

// registry holds one tiny problem whose generator writes one file.
func registry(t *testing.T) *Registry {
	t.Helper()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	manifest := small + "\n[data]\nprofile = \"full\"\nworkspace = [\"sql\"]\nignored = [\"sql/big.sql\"]\n"
	r, err := NewRegistry(Builtin{
		Files: fstest.MapFS{
			"problem.toml":          file(strings.Replace(manifest, `command = ["./webapp"]`, "command = [\"./webapp\"]\nartifacts = [\"webapp\"]", 1)),
			"README.md":             file("manual"),
			"init.sh":               file("#!/bin/sh\n"),
			"problem.go":            file("package p"),
			"app/go/main.go":        file("package main"),
			"app/go/go.mod.embed":   file("module webapp"),
			"app/ruby/app.rb":       file("run"),
			"etc/nginx.conf":        file("events {}"),
			"faults/secret.patch":   file("no"),
			"scenario/scenario.go":  file("package scenario"),
			"sql/schema.sql":        file("CREATE"),
			"data/generate.go":      file("package data"),
			"ladder/x/01-one.patch": file("no"),
		},
		DataVersion: "1",
		Generate: func(_ context.Context, dir, profile string) error {
			if profile == "broken" {
				return errors.New("no such profile")
			}
			if err := os.Mkdir(filepath.Join(dir, "sql"), 0o755); err != nil {
				return err
			}
			return os.WriteFile(filepath.Join(dir, "sql", "big.sql"), []byte(profile), 0o644)
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func create(t *testing.T, r *Registry, dir string, o CreateOptions) (*Workspace, error) {
	t.Helper()
	p, err := r.Get("tiny")
	if err != nil {
		t.Fatal(err)
	}
	if o.CacheRoot == "" {
		o.CacheRoot = t.TempDir()
	}
	return Create(t.Context(), p, dir, o)
}

func TestReloadSeesAChangedConfiguration(t *testing.T) {
	w, err := create(t, registry(t), filepath.Join(t.TempDir(), "ws"), CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(w.Dir, ConfigFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	two := strings.Replace(string(text), "processes = 1", "processes = 2", 1)
	if err := os.WriteFile(file, []byte(two), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.Reload(); err != nil || w.Config.App.Processes != 2 {
		t.Errorf("%d processes, %v", w.Config.App.Processes, err)
	}
	if err := os.WriteFile(file, []byte("processes"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := w.Reload(); hotseat.CodeOf(err) != hotseat.CodeInvalid || w.Config.App.Processes != 2 {
		t.Errorf("%d processes, %v", w.Config.App.Processes, err)
	}
}

func TestCreateLaysOutAWorkspace(t *testing.T) {
	r := registry(t)
	dir := filepath.Join(t.TempDir(), "ws")
	w, err := create(t, r, dir, CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"README.md": "manual", "app/main.go": "package main", "app/go.mod": "module webapp",
		"etc/nginx.conf": "events {}", "sql/schema.sql": "CREATE", "sql/big.sql": "full",
	} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, name := range []string{"problem.toml", "problem.go", "faults", "scenario", "data", "ladder", "app/app.rb", "app/go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			t.Errorf("%s is no business of a contestant's", name)
		}
	}
	if info, err := os.Stat(filepath.Join(dir, "init.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("init.sh cannot be run: %v, %v", info, err)
	}
	commit, dirty := w.Commit(t.Context())
	if len(commit) != 40 || dirty {
		t.Errorf("after init: commit %q, dirty %v", commit, dirty)
	}
	if err := os.WriteFile(filepath.Join(dir, "app/main.go"), []byte("package main // faster"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, dirty := w.Commit(t.Context()); !dirty {
		t.Error("an edit does not show")
	}
	if err := w.Restore(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, dirty := w.Commit(t.Context()); dirty {
		t.Error("still dirty after Restore")
	}

	again, err := r.FindWorkspace(filepath.Join(dir, "app"))
	if err != nil {
		t.Fatal(err)
	}
	if again.Dir != w.Dir || again.Config.App.Processes != 1 || again.Config.App.Listen != "127.0.0.1:8080" {
		t.Errorf("opened again: %+v", again.Config)
	}
}

func TestCreateFailsWhole(t *testing.T) {
	r := registry(t)
	parent := t.TempDir()
	full := filepath.Join(parent, "full")
	if err := os.Mkdir(full, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(full, "thesis.tex"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := create(t, r, full, CreateOptions{}); hotseat.CodeOf(err) != hotseat.CodeConflict {
		t.Errorf("into a full folder: %v", err)
	}
	if _, err := create(t, r, filepath.Join(parent, "x"), CreateOptions{Language: "cobol"}); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("unknown language: %v", err)
	}
	if _, err := create(t, r, filepath.Join(parent, "x"), CreateOptions{Profile: "broken"}); err == nil {
		t.Error("a failing generator went unnoticed")
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	p, _ := r.Get("tiny")
	if _, err := Create(cancelled, p, filepath.Join(parent, "x"), CreateOptions{CacheRoot: t.TempDir()}); err == nil {
		t.Error("a cancelled Create succeeded")
	}
	left, _ := os.ReadDir(parent)
	if len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
}

func TestUnknownProblemSuggestsTheNearest(t *testing.T) {
	_, err := registry(t).Get("tinny")
	if hotseat.CodeOf(err) != hotseat.CodeNotFound || !strings.Contains(hotseat.HintOf(err), "did you mean tiny?") {
		t.Errorf("got %v", err)
	}
}

func TestOutsideAWorkspace(t *testing.T) {
	_, err := registry(t).FindWorkspace(t.TempDir())
	if hotseat.CodeOf(err) != hotseat.CodeNotFound || !strings.Contains(err.Error(), "not inside a workspace") {
		t.Errorf("got %v", err)
	}
}

func TestBrokenConfigNamesFileAndLine(t *testing.T) {
	const good = "problem = \"tiny\"\n[app]\ncommand = [\"./webapp\"]\nprocesses = 2\n"
	for _, c := range []struct{ name, old, new, want string }{
		{"syntax", `= 2`, `2`, "hotseat.toml:4:"},
		{"no problem", `problem = "tiny"`, ``, "hotseat.toml:1: problem is missing"},
		{"no command", `command = ["./webapp"]`, ``, "hotseat.toml:2: app.command is missing"},
		{"too many processes", `= 2`, `= 1000`, "hotseat.toml:4: app.processes is wrong"},
		{"negative memory", `processes = 2`, `memory_mb = -700`, "hotseat.toml:4: app.memory_mb is wrong"},
		{"dir outside", `processes = 2`, `dir = "../other"`, "hotseat.toml:4: app.dir is wrong"},
		{"two on a socket", `processes = 2`, "processes = 2\nlisten = \"unix:/tmp/a\"", "hotseat.toml:5: app.listen is wrong"},
		{"unknown key", `processes = 2`, `proceses = 2`, "hotseat.toml:4: unknown key app.proceses"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := strings.Replace(good, c.old, c.new, 1)
			if text == good {
				t.Fatal("the case changes nothing")
			}
			_, err := parseConfig("hotseat.toml", []byte(text))
			if hotseat.CodeOf(err) != hotseat.CodeInvalid || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
	if _, err := parseConfig("hotseat.toml", []byte(good)); err != nil {
		t.Error(err)
	}
}
