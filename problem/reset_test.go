package problem

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// filesManifest has a program beside the app, TLS, and data that are files.
const filesManifest = `
[[address]]
name = "login"
port = 3001

[[address]]
name = "tls"
port = 443
scheme = "https"

[process.login]
dir = "login"
command = ["./login"]
artifacts = ["login"]
port = "login"

[data]
profile = "full"
workspace = ["golden", "key"]
ignored = ["golden/", "live/"]
reset = ["golden"]

[data.copies]
live = "golden"
`

func withFiles(t *testing.T) *Workspace {
	t.Helper()
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	r, err := NewRegistry(Builtin{
		Files: fstest.MapFS{
			"problem.toml": file(small + filesManifest), "README.md": file("manual"),
			"app/go/main.go": file("package main"), "login/main.go": file("package main"), "etc/nginx.conf": file(""),
		},
		DataVersion: "1",
		Generate: func(_ context.Context, dir, _ string) error {
			return os.CopyFS(dir, fstest.MapFS{"golden/1.db": file("one"), "golden/2.db": file("two"), "key": file("k")})
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	w, err := create(t, r, filepath.Join(t.TempDir(), "ws"), CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// contents are the files of a folder of the workspace.
func contents(t *testing.T, w *Workspace, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(w.Dir, dir))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(w.Dir, dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		found[e.Name()] = string(text)
	}
	return found
}

func TestResetBringsFilesBack(t *testing.T) {
	w := withFiles(t)
	given := map[string]string{"1.db": "one", "2.db": "two"}
	for _, dir := range []string{"golden", "live"} {
		if diff := cmp.Diff(given, contents(t, w, dir)); diff != "" {
			t.Errorf("%s of a new workspace (-want +got):\n%s", dir, diff)
		}
	}
	for name, text := range map[string]string{"golden/1.db": "indexed", "live/2.db": "played", "live/3.db": "added", "key": "mine"} {
		if err := os.WriteFile(filepath.Join(w.Dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	generated, err := w.Problem.Generated(t.Context(), t.TempDir(), "full")
	if err != nil {
		t.Fatal(err)
	}
	if err := w.ResetData(t.Context(), generated); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"golden", "live"} {
		if diff := cmp.Diff(given, contents(t, w, dir)); diff != "" {
			t.Errorf("%s after the reset (-want +got):\n%s", dir, diff)
		}
	}
	if text, err := os.ReadFile(filepath.Join(w.Dir, "key")); err != nil || string(text) != "mine" {
		t.Errorf("the key is %q, %v: it is none of the data to reset", text, err)
	}
}

func TestLoadingDoesWithoutWhatResetBringsBack(t *testing.T) {
	w := withFiles(t)
	generated, err := w.Problem.Generated(t.Context(), t.TempDir(), "full")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := w.Problem.LayOutLoading(t.Context(), dir, generated); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"key": true, "login/main.go": true, "golden": false, "live": false} {
		if _, err := os.Stat(filepath.Join(dir, name)); (err == nil) != want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEntryOfAWorkspace(t *testing.T) {
	w := withFiles(t)
	if w.Entry() != "web" {
		t.Errorf("enters by %s", w.Entry())
	}
	file := filepath.Join(w.Dir, ConfigFile)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	enter := func(line string) error {
		changed := strings.Replace(string(text), `# entry = "tls"`, line, 1)
		if changed == string(text) {
			t.Fatalf("%s offers no TLS:\n%s", ConfigFile, text)
		}
		if err := os.WriteFile(file, []byte(changed), 0o644); err != nil {
			t.Fatal(err)
		}
		w, err = openAt(w.Problem, w.Dir)
		return err
	}
	if err := enter(`entry = "tls"`); err != nil || w.Problem.Scheme(w.Entry()) != "https" {
		t.Errorf("entry %v, %v", w, err)
	}
	if err := enter(`entry = "backdoor"`); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("an entry that is not there: %v", err)
	}
	ignored, err := os.ReadFile(filepath.Join(filepath.Dir(file), ".gitignore"))
	if err != nil || !strings.Contains(string(ignored), "\n/login/login\n") {
		t.Errorf(".gitignore %q, %v", ignored, err)
	}
}
