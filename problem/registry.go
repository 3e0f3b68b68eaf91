package problem

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"hotseat"
	"hotseat/cache"
)

// Problem is a contest exercise: its manifest and its files.
type Problem struct {
	*Manifest
	Files fs.FS  // the problem's folder
	Dir   string // where it is on disk; empty if it is compiled in

	generate    func(ctx context.Context, dir, profile string) error // nil: no generated data
	dataVersion string
}

// Builtin is a problem that is compiled into the binary.
type Builtin struct {
	Files       fs.FS  // with problem.toml at its root
	DataVersion string // changes whenever the generator's output does
	// Generate writes the data of a profile into an empty folder, the same bytes
	// every time for the same DataVersion.
	Generate func(ctx context.Context, dir, profile string) error
}

// Registry holds the built-in problems.
type Registry struct {
	problems map[string]*Problem
}

// NewRegistry reads the manifests of the built-in problems.
func NewRegistry(builtins ...Builtin) (*Registry, error) {
	r := &Registry{problems: map[string]*Problem{}}
	for _, b := range builtins {
		p, err := load(b.Files, "problem.toml")
		if err != nil {
			return nil, err
		}
		p.generate, p.dataVersion = b.Generate, b.DataVersion
		r.problems[p.ID] = p
	}
	return r, nil
}

// List returns the built-in problems, sorted by id.
func (r *Registry) List() []*Problem {
	var out []*Problem
	for _, p := range r.problems {
		out = append(out, p)
	}
	slices.SortFunc(out, func(a, b *Problem) int { return strings.Compare(a.ID, b.ID) })
	return out
}

// Get returns a built-in problem by id or, if name holds a slash or is ".", the
// problem in that folder.
func (r *Registry) Get(name string) (*Problem, error) {
	if strings.ContainsRune(name, filepath.Separator) || name == "." || name == ".." {
		return Open(name)
	}
	if p := r.problems[name]; p != nil {
		return p, nil
	}
	var ids []string
	for _, p := range r.List() {
		ids = append(ids, p.ID)
	}
	hint := "hotseat problems lists them: " + strings.Join(ids, ", ")
	if best := nearest(name, ids); best != "" {
		hint = "did you mean " + best + "? `hotseat problems` lists them all"
	}
	return nil, hotseat.NotFound(hint, "no problem is called %q", name)
}

// Open reads a problem from its folder.
func Open(dir string) (*Problem, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	p, err := load(os.DirFS(abs), filepath.Join(dir, "problem.toml"))
	if err != nil {
		return nil, err
	}
	p.Dir = abs
	if argv := p.Data.Generator; len(argv) > 0 {
		p.generate = func(ctx context.Context, out, profile string) error { return p.runGenerator(ctx, out, profile) }
	}
	return p, nil
}

func load(files fs.FS, name string) (*Problem, error) {
	text, err := fs.ReadFile(files, "problem.toml")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hotseat.NotFound("a problem's folder holds a problem.toml; `hotseat problems` lists the built-in ones", "%s is not there", name)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	m, err := ParseManifest(name, text)
	if err != nil {
		return nil, err
	}
	return &Problem{Manifest: m, Files: files}, nil
}

// runGenerator runs a generator that is a program of the problem's own.
func (p *Problem) runGenerator(ctx context.Context, out, profile string) error {
	argv := p.Data.Generator
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:len(argv):len(argv)], "--dir", out, "--profile", profile)...)
	cmd.Dir = p.Dir
	if words, err := cmd.CombinedOutput(); err != nil {
		return hotseat.Invalid("run it by hand in "+p.Dir, "data generator %s: %w", strings.Join(argv, " "), err).
			WithDetail(string(words))
	}
	return nil
}

// Generated returns the folder with the problem's generated data of a profile,
// making it first if the cache does not have it.
func (p *Problem) Generated(ctx context.Context, cacheRoot, profile string) (string, error) {
	key, err := p.generatedKey(profile)
	if err != nil || key == "" {
		return "", err
	}
	return cache.Folder(ctx, filepath.Join(cacheRoot, "data"), key, func(ctx context.Context, dir string) error {
		if err := p.generate(ctx, dir, profile); err != nil {
			return fmt.Errorf("generate data of %s: %w", p.ID, err)
		}
		return nil
	})
}

// generatedKey names the data that the generator would write now; empty if there
// is no generator.
func (p *Problem) generatedKey(profile string) (string, error) {
	if p.generate == nil {
		return "", nil
	}
	version := p.dataVersion
	if version == "" { // somebody else's generator: any change in their folder may change its output
		sum, err := HashFS(p.Files)
		if err != nil {
			return "", err
		}
		version = sum[:16]
	}
	return strings.Join([]string{p.ID, profile, version}, "-"), nil
}

// HashFS returns the SHA-256, in hex, of all names and contents in files, less
// the files and folders to skip.
func HashFS(files fs.FS, skip ...string) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case slices.Contains(skip, name) && d.IsDir():
			return fs.SkipDir
		case slices.Contains(skip, name) || !d.Type().IsRegular():
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(text), text)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}

// nearest returns the candidate that differs from word in few enough letters to
// be meant, or "".
func nearest(word string, candidates []string) string {
	best, least := "", len(word)/3+1
	for _, c := range candidates {
		if d := distance(word, c); d <= least {
			best, least = c, d
		}
		if len(word) >= 3 && strings.HasPrefix(c, word) {
			return c
		}
	}
	return best
}

// distance is the Levenshtein distance of two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(diagonal+cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
