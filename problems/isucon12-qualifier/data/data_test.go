package data

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/problem/problemtest"
)

var update = flag.Bool("update", false, "record the digests of a new generation in testdata")

// folder is the problem's folder.
var folder = os.DirFS("..")

func generateInto(t *testing.T, opts Options) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := Generate(t.Context(), dir, folder, opts); err != nil {
		t.Fatal(err)
	}
	return dir
}

// tiny is a world in which few things happen.
func tiny() Options {
	o := Small()
	o.Tenants, o.HugePlayers, o.HugeCompetitions = 4, 30, 2
	return o
}

// digest hashes all statements, rows, truths and keys of a world. The databases
// made from the statements hold SQLite's version besides.
func digest(t *testing.T, opts Options) string {
	t.Helper()
	sum := sha256.New()
	dir := t.TempDir()
	ids := newDispenser(opts.Seed)
	tenants := drawTenants(opts, ids)
	err := writeAdmin(dir, tenants, func(visited visited) error {
		out := bufio.NewWriterSize(sum, outputBuffer)
		for i := range tenants {
			if err := writeTenantSQL(out, "", &tenants[i], ids, opts, visited); err != nil {
				return err
			}
		}
		return out.Flush()
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "truth"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(writeKeys(dir, opts.Seed), writeTruth(dir, tenants, opts.Seed)); err != nil {
		t.Fatal(err)
	}
	_, _ = sum.Write([]byte(problemtest.Digest(t, dir)))
	return fmt.Sprintf("%x", sum.Sum(nil))
}

// Caches of generated data are keyed by the generation.
func TestGenerationNamesTheOutput(t *testing.T) {
	other := Small()
	other.Seed = 1 << 63
	got := fmt.Sprintf("full\t%s\nsmall\t%s\nother seed\t%s\n", digest(t, Full()), digest(t, Small()), digest(t, other))
	problemtest.Recorded(t, generation, got, *update)
}

// The version of the data changes with what is taken from the problem's folder.
func TestVersionFollowsTheFolder(t *testing.T) {
	given := fstest.MapFS{
		"sql/tenant/10_schema.sql": {Data: []byte("CREATE TABLE a (b);")},
		"public/index.html":        {Data: []byte("<p>")},
		"README.md":                {Data: []byte("rules")},
	}
	version := func(change func(fstest.MapFS)) string {
		files := fstest.MapFS{}
		for name, f := range given {
			files[name] = f
		}
		change(files)
		v, err := Version(files)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	as := func(name, content string) func(fstest.MapFS) {
		return func(f fstest.MapFS) { f[name] = &fstest.MapFile{Data: []byte(content)} }
	}
	before := version(func(fstest.MapFS) {})
	for name, c := range map[string]struct {
		change func(fstest.MapFS)
		same   bool
	}{
		"another schema":      {as("sql/tenant/10_schema.sql", "CREATE TABLE a (c);"), false},
		"another page":        {as("public/index.html", "<b>"), false},
		"one more page":       {as("public/js/app.js", "1"), false},
		"one page less":       {func(f fstest.MapFS) { delete(f, "public/index.html"); f["public/a"] = given["README.md"] }, false},
		"what is not taken":   {as("README.md", "other rules"), true},
		"a page of no public": {as("other/index.html", "<b>"), true},
	} {
		t.Run(name, func(t *testing.T) {
			if after := version(c.change); (after == before) != c.same {
				t.Errorf("before %s, after %s, want the same: %t", before, after, c.same)
			}
		})
	}
	for _, missing := range []string{"sql/tenant/10_schema.sql", "public/index.html"} {
		files := fstest.MapFS{}
		for name, f := range given {
			if name != missing {
				files[name] = f
			}
		}
		if v, err := Version(files); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("without %s: got %q, %v", missing, v, err)
		}
	}
}

func TestSameSeedSameBytes(t *testing.T) {
	first, second := problemtest.Files(t, generateInto(t, tiny())), problemtest.Files(t, generateInto(t, tiny()))
	for path := range first {
		if first[path] != second[path] {
			t.Errorf("%s differs from one time to the next", path)
		}
	}
	other := tiny()
	other.Seed++
	third := problemtest.Files(t, generateInto(t, other))
	for path := range first {
		same, wantSame := first[path] == third[path], strings.HasPrefix(path, "truth/public/")
		if same != wantSame {
			t.Errorf("%s is the same for both seeds: %t, want %t", path, same, wantSame)
		}
	}
}

func TestFilesOfAWorld(t *testing.T) {
	got := problemtest.Files(t, generateInto(t, tiny()))
	want := []string{
		"admin/90_data.sql", "admin/visit_history.tsv", "blackauth/isuports.pem", "public.pem",
		"etc/nginx/tls/fullchain.pem", "etc/nginx/tls/privkey.pem",
		"initial_data/1.db", "initial_data/2.db", "initial_data/3.db", "initial_data/4.db",
		"truth/benchmarker.json", "truth/benchmarker_tenant.json", "truth/jwt.pem",
	}
	for path, content := range problemtest.Files(t, "../public") {
		if got["truth/public/"+path] != content {
			t.Errorf("truth/public/%s differs from what is served", path)
		}
		want = append(want, "truth/public/"+path)
	}
	for _, path := range want {
		if got[path] == "" {
			t.Errorf("%s is missing or empty", path)
		}
		delete(got, path)
	}
	for path := range got {
		t.Errorf("%s is nobody's", path)
	}
}

// A cache gives an empty folder, but nothing of an earlier world must shine
// through where somebody does not.
func TestGenerateTwiceIntoOneFolder(t *testing.T) {
	bigger := tiny()
	bigger.HugePlayers = 100
	dir := generateInto(t, bigger)
	if err := Generate(t.Context(), dir, folder, tiny()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(problemtest.Files(t, generateInto(t, tiny())), problemtest.Files(t, dir)); diff != "" {
		t.Error("the second world holds traces of the first")
	}
}

func TestGenerateRefuses(t *testing.T) {
	for name, spoil := range map[string]func(*Options){
		"no tenants":         func(o *Options) { o.Tenants = 0 },
		"too many tenants":   func(o *Options) { o.Tenants = 1000 },
		"no players":         func(o *Options) { o.Players = Range{0, 4} },
		"range upside down":  func(o *Options) { o.Competitions = Range{4, 3} },
		"nobody visits":      func(o *Options) { o.Visits = Range{0, 3} },
		"empty sheets":       func(o *Options) { o.Scores = Range{0, 3} },
		"nobody in the huge": func(o *Options) { o.HugePlayers = 0 },
		"no contest in it":   func(o *Options) { o.HugeCompetitions = 0 },
	} {
		t.Run(name, func(t *testing.T) {
			opts := tiny()
			spoil(&opts)
			if err := Generate(t.Context(), t.TempDir(), folder, opts); err == nil {
				t.Error("taken")
			}
		})
	}
}

func TestGenerateFails(t *testing.T) {
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Generate(ctx, t.TempDir(), folder, tiny()); !errors.Is(err, context.Canceled) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("no sqlite3", func(t *testing.T) {
		t.Setenv("PATH", t.TempDir())
		err := Generate(t.Context(), t.TempDir(), folder, tiny())
		var told *hotseat.Error
		if !errors.As(err, &told) || !strings.Contains(told.Hint, "doctor") {
			t.Errorf("got %v, without a hint at doctor", err)
		}
	})
	t.Run("a schema that SQLite does not take", func(t *testing.T) {
		files := fstest.MapFS{
			schemaFile:          {Data: []byte("CREATE TABEL player (id);")},
			"public/index.html": {Data: []byte("<p>")},
		}
		dir := t.TempDir()
		err := Generate(t.Context(), dir, files, tiny())
		var told *hotseat.Error
		if !errors.As(err, &told) || !strings.Contains(told.Detail, "TABEL") {
			t.Errorf("got %v, without SQLite's words", err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "spools-*")); left != nil {
			t.Errorf("left behind: %v", left)
		}
	})
	t.Run("a file where the folder should be", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Generate(t.Context(), path, folder, tiny()); err == nil {
			t.Error("taken")
		}
	})
}

func TestInsert(t *testing.T) {
	for rows, want := range []string{
		"",
		"INSERT INTO t VALUES\n(1,'it''s',NULL);\n",
		"INSERT INTO t VALUES\n(1,'it''s',NULL),\n(2,'it''s',NULL);\n",
		"INSERT INTO t VALUES\n(1,'it''s',NULL),\n(2,'it''s',NULL);\nINSERT INTO t VALUES\n(3,'it''s',NULL);\n",
	} {
		var b bytes.Buffer
		out := bufio.NewWriter(&b)
		i := insert{out: out, table: "t", size: 2}
		for n := range rows {
			i.row(number(n+1), text("it's"), null)
		}
		i.end()
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		if b.String() != want {
			t.Errorf("%d rows: got %s", rows, b.String())
		}
	}
}
