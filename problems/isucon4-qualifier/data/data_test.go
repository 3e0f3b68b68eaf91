package data

import (
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "record the digests of a new Version in testdata")

func generate(t *testing.T, opts Options) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := Generate(t.Context(), dir, opts); err != nil {
		t.Fatal(err)
	}
	return dir
}

// files reads a folder into a map from relative path to content.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	contents := make(map[string]string)
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		contents[path] = string(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return contents
}

// digest hashes the names and contents of a folder's files, in order of name.
func digest(t *testing.T, dir string) string {
	t.Helper()
	sum := sha256.New()
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		_, _ = fmt.Fprintf(sum, "%s\x00%d\x00%s", path, len(content), content) // a hash takes everything
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// Caches of generated data are keyed by Version, on every machine. Where this
// fails, either output changed by accident, or Version has to be raised and
// the new digests recorded: go test -run TestVersion -update.
func TestVersionNamesTheOutput(t *testing.T) {
	static := t.TempDir()
	if err := Static(static); err != nil {
		t.Fatal(err)
	}
	other := Small()
	other.Seed = 1 << 63
	got := fmt.Sprintf("version\t%s\nfull\t%s\nsmall\t%s\nother seed\t%s\nstatic\t%s\n", Version,
		digest(t, generate(t, Full())), digest(t, generate(t, Small())), digest(t, generate(t, other)), digest(t, static))

	const path = "testdata/digests.tsv"
	recorded, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	switch {
	case got == string(recorded):
	case strings.HasPrefix(string(recorded), "version\t"+Version+"\n"):
		t.Errorf("the output changed under the same Version (-recorded +got):\n%s", cmp.Diff(string(recorded), got))
	case *update:
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("Version %s is not recorded yet: go test -run TestVersion -update", Version)
	}
}

func TestWorldsDifferBySeed(t *testing.T) {
	a, b := Small(), Small()
	b.Seed++
	first, second := files(t, generate(t, a)), files(t, generate(t, b))
	for path := range first {
		same, wantSame := first[path] == second[path], path == "truth/static.tsv"
		if same != wantSame {
			t.Errorf("%s is the same for both seeds: %t, want %t", path, same, wantSame)
		}
	}
}

func TestFilesOfAWorld(t *testing.T) {
	got := files(t, generate(t, Small()))
	for path, original := range map[string]string{
		"truth/users.tsv":      "sql/dummy_users.tsv",
		"truth/users_used.tsv": "sql/dummy_users_used.tsv",
	} {
		if got[path] == "" || got[path] != got[original] {
			t.Errorf("%s differs from %s, or is empty", path, original)
		}
		delete(got, path)
		delete(got, original)
	}
	for _, path := range []string{"sql/dummy_users.sql", "sql/dummy_log.sql", "truth/static.tsv"} {
		if got[path] == "" {
			t.Errorf("%s is missing or empty", path)
		}
		delete(got, path)
	}
	for path := range got {
		t.Errorf("%s is nobody's", path)
	}
}

func TestGenerateTwiceIntoOneFolder(t *testing.T) {
	longer := Small() // whose files must not shine through
	longer.Users, longer.LogRows = 3*longer.Users, 3*longer.LogRows
	dir := generate(t, longer)
	if err := Generate(t.Context(), dir, Small()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(digest(t, generate(t, Small())), digest(t, dir)); diff != "" {
		t.Error("the second world holds traces of the first")
	}
}

func TestGenerateRefuses(t *testing.T) {
	for want, change := range map[string]func(*Options){
		"users: want at least 9":           func(o *Options) { o.Users = 8 },
		"log users: want 0 to 2000":        func(o *Options) { o.LogUsers = 2001 },
		"log users: want 0 to 2000, got -": func(o *Options) { o.LogUsers = -1 },
		"locked users: want 0 to 100":      func(o *Options) { o.Locked = 101 },
		"locked users: want 0 to 100, got": func(o *Options) { o.Locked = -1 },
		"log rows: want 0 to 3000000, got": func(o *Options) { o.LogRows = -1 },
		"log rows: want 0 to 3000000":      func(o *Options) { o.LogRows = maxLogRows + 1 },
	} {
		opts := Small()
		change(&opts)
		if err := Generate(t.Context(), t.TempDir(), opts); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// lastingContext is cancelled once it has been asked often enough.
type lastingContext struct {
	context.Context
	asked, lasts int
}

func (c *lastingContext) Err() error {
	if c.asked++; c.asked > c.lasts {
		return context.Canceled
	}
	return nil
}

func TestGenerateEndsWithItsContext(t *testing.T) {
	opts := Small()
	for name, rows := range map[string]int{
		"before the users":   0,
		"amid the users":     opts.Users / 2,
		"amid the login log": opts.Users + opts.LogRows/2,
	} {
		t.Run(name, func(t *testing.T) {
			ctx := &lastingContext{Context: t.Context(), lasts: rows}
			if err := Generate(ctx, t.TempDir(), opts); !errors.Is(err, context.Canceled) {
				t.Fatalf("want context.Canceled, got %v", err)
			}
			if ctx.asked > rows+1 {
				t.Errorf("asked %d times after the end", ctx.asked-rows)
			}
		})
	}
}

func TestErrorsOfTheDisk(t *testing.T) {
	t.Run("full", func(t *testing.T) {
		err := writeTo(func(out *output) error { return out.row(endStatement) }, "/dev/full")
		if !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("want no space left on device, got %v", err)
		}
	})
	t.Run("a file where the folder should be", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Generate(t.Context(), path, Small()); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("Generate: want not a directory, got %v", err)
		}
		if err := Static(path); !errors.Is(err, syscall.ENOTDIR) {
			t.Errorf("Static: want not a directory, got %v", err)
		}
	})
}
