package data

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat/problem/problemtest"
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

// Caches of generated data are keyed by Version.
func TestVersionNamesTheOutput(t *testing.T) {
	static := t.TempDir()
	if err := Static(static); err != nil {
		t.Fatal(err)
	}
	other := Small()
	other.Seed = 1 << 63
	got := fmt.Sprintf("full\t%s\nsmall\t%s\nother seed\t%s\nstatic\t%s\n", problemtest.Digest(t, generate(t, Full())),
		problemtest.Digest(t, generate(t, Small())), problemtest.Digest(t, generate(t, other)), problemtest.Digest(t, static))
	problemtest.Recorded(t, Version, got, *update)
}

func TestWorldsDifferBySeed(t *testing.T) {
	a, b := Small(), Small()
	b.Seed++
	first, second := problemtest.Files(t, generate(t, a)), problemtest.Files(t, generate(t, b))
	for path := range first {
		same, wantSame := first[path] == second[path], path == "truth/static.tsv"
		if same != wantSame {
			t.Errorf("%s is the same for both seeds: %t, want %t", path, same, wantSame)
		}
	}
}

func TestFilesOfAWorld(t *testing.T) {
	got := problemtest.Files(t, generate(t, Small()))
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
	if diff := cmp.Diff(problemtest.Digest(t, generate(t, Small())), problemtest.Digest(t, dir)); diff != "" {
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
