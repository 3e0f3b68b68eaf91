package problem

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"hotseat"
)

// engine is a small stand-in for the sources that a new problem gets.
func engine() NewOptions {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	return NewOptions{
		Engine: fstest.MapFS{
			"go.mod":        file("module hotseat\n\ngo 1.26.0\n\nrequire example.com/x v1.2.3\n\nignore ./problems/a/app\n"),
			"go.sum":        file("example.com/x v1.2.3 h1:x\n"),
			"nouns.go":      file("package hotseat"),
			"nouns_test.go": file("package hotseat"),
			"docs/p.json":   file("{}"),
		},
		Bench: fstest.MapFS{"user.go": file("package bench"), "wire/client.go": file("package wire"), "wire/client_test.go": file("package wire")},
	}
}

func TestNewInGo(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "My 1st Problem!")
	p, err := New(dir, engine())
	if err != nil {
		t.Fatal(err)
	}
	if p.Judge.LoadS == 0 {
		t.Error("nothing to judge")
	}
	if p.ID != "my-1st-problem" || p.Dir != dir || p.Benchmark.Command[0] != "./scenario/run.sh" || !p.Benchmark.Replay {
		t.Errorf("%+v", p.Manifest)
	}
	for _, name := range []string{"README.md", "app/go/go.mod", "app/go/main.go", "scenario/.gitignore", "faults/faults.toml", "faults/lost-vote.patch", "scenario/go.sum",
		"scenario/hotseat/nouns.go", "scenario/hotseat/docs/p.json", "scenario/hotseat/bench/user.go", "scenario/hotseat/bench/wire/client.go"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	err = filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		if strings.HasSuffix(name, "_test.go") || strings.Contains(string(text), "{{ID") || strings.Contains(string(text), "{{COMMAND") || strings.HasSuffix(name, embedSuffix) {
			t.Errorf("%s should not be so", name)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "scenario/run.sh")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("run.sh: %v, %v", info.Mode(), err)
	}
	wantText(t, filepath.Join(dir, "scenario/hotseat/go.mod"), "module hotseat\n\ngo 1.26.0\n\nrequire example.com/x v1.2.3\n\n")
	mod, err := os.ReadFile(filepath.Join(dir, "scenario/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"module my-1st-problem-benchmark\n", "require hotseat v0.0.0\n", "replace hotseat => ./hotseat\n", "require example.com/x v1.2.3\n", "go 1.26.0\n"} {
		if !strings.Contains(string(mod), want) {
			t.Errorf("go.mod lacks %q:\n%s", want, mod)
		}
	}
}

func TestNewInPython(t *testing.T) {
	dir := t.TempDir() // an empty folder will do
	p, err := New(dir, NewOptions{Language: "python"})
	if err != nil {
		t.Fatal(err)
	}
	if p.Benchmark.Command[0] != "./scenario/benchmark.py" || p.Benchmark.Replay {
		t.Errorf("%+v", p.Benchmark)
	}
	if info, err := os.Stat(filepath.Join(dir, "scenario/benchmark.py")); err != nil || info.Mode().Perm() != 0o755 {
		t.Error(info, err)
	}
}

func TestNewRefuses(t *testing.T) {
	parent := t.TempDir()
	used := filepath.Join(parent, "used")
	if err := os.MkdirAll(filepath.Join(used, "thesis"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(parent, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		dir, lang string
		code      hotseat.ErrorCode
		message   string
	}{
		"a folder in use": {used, "go", hotseat.CodeConflict, "is not empty"},
		"a file":          {file, "go", hotseat.CodeConflict, "is no folder"},
		"a language":      {filepath.Join(parent, "new"), "cobol", hotseat.CodeInvalid, `no new benchmark in "cobol"`},
		"no name":         {filepath.Join(parent, "…"), "go", hotseat.CodeInvalid, "makes no name"},
		"no permission":   {"/proc/nothing/new", "go", hotseat.CodeUnavailable, "make problem"},
	} {
		t.Run(name, func(t *testing.T) {
			o := engine()
			o.Language = c.lang
			_, err := New(c.dir, o)
			if hotseat.CodeOf(err) != c.code || !strings.Contains(err.Error(), c.message) {
				t.Errorf("got %v", err)
			}
		})
	}
	entries, err := os.ReadDir(parent)
	if err != nil || len(entries) != 2 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
}

func wantText(t *testing.T, file, want string) {
	t.Helper()
	got, err := os.ReadFile(file)
	if err != nil || string(got) != want {
		t.Errorf("%s: %q, %v", file, got, err)
	}
}

func TestIgnoredBlocksGo(t *testing.T) {
	got := withoutIgnored([]byte("module x\n\nignore (\n\t./a\n\t./b\n)\n\ngo 1.26\nignore ./c\n"))
	if string(got) != "module x\n\n\ngo 1.26\n" {
		t.Errorf("got %q", got)
	}
}
