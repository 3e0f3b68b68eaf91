package problem

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"hotseat"
)

// scaffold holds the problem that New writes: common/ and, by language of the
// benchmark, go/ or python/. The underscore keeps it out of our own packages.
//
//go:embed _scaffold
var scaffold embed.FS

// NewOptions are the choices of [New].
type NewOptions struct {
	Language string // of the benchmark: "go", which is the default, or "python"
	Engine   fs.FS  // hotseat.Source, for benchmarks in Go
	Bench    fs.FS  // bench.Source
}

// benchmarks are the languages that a new problem's benchmark can be in, with
// its command.
var benchmarks = map[string]string{
	"go":     "./scenario/run.sh",
	"python": "./scenario/benchmark.py",
}

// engineDir is where a benchmark in Go has the source of package bench.
const engineDir = "scenario/hotseat"

// New writes a small but complete problem into dir, which must not exist or be
// empty: a manifest, rules, a slow app and a benchmark that plays at once. If
// anything goes wrong, dir is as it was.
func New(dir string, o NewOptions) (*Problem, error) {
	if o.Language == "" {
		o.Language = "go"
	}
	if benchmarks[o.Language] == "" {
		return nil, hotseat.Invalid("choose one of: "+strings.Join(slices.Sorted(maps.Keys(benchmarks)), ", ")+"; any executable will do, if you write it yourself",
			"there is no new benchmark in %q", o.Language)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	id := identify(filepath.Base(abs))
	if id == "" {
		return nil, hotseat.Invalid("a problem is called like its folder: use letters, digits and hyphens", "%q makes no name", filepath.Base(abs))
	}
	if err := mustBeFree(abs); err != nil {
		return nil, err
	}
	parent := filepath.Dir(abs)
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return nil, hotseat.Unavailable("choose another folder", "make problem: %w", err)
	}
	tmp, err := os.MkdirTemp(parent, "."+filepath.Base(abs)+".part-")
	if err != nil {
		return nil, hotseat.Unavailable("choose another folder", "make problem: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }() // gone already after the rename
	if err := writeNew(tmp, id, o); err != nil {
		return nil, hotseat.Unavailable("", "make problem: %w", err)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(abs); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.Rename(tmp, abs); err != nil {
		return nil, hotseat.Unavailable("choose another folder", "make problem: %w", err)
	}
	return Open(dir)
}

// foreign is what an id has no place for.
var foreign = regexp.MustCompile(`[^a-z0-9]+`)

// identify makes an id of a folder's name, "" if there is nothing to make one of.
func identify(name string) string {
	return strings.Trim(foreign.ReplaceAllString(strings.ToLower(name), "-"), "-")
}

func writeNew(dir, id string, o NewOptions) error {
	more := ""
	if o.Language == "go" {
		more = "replay = true # package bench knows --replay\n\n[judge] # how `hotseat judge` plays the cases of faults/\nload_s = 1"
	}
	fill := strings.NewReplacer("{{ID}}", id, "{{COMMAND}}", benchmarks[o.Language], "{{MORE}}", more)
	for _, part := range []string{"common", o.Language} {
		files, err := fs.Sub(scaffold, "_scaffold/"+part)
		if err != nil {
			return err
		}
		err = unpack(files, dir, func(name string, text []byte) []byte {
			if path.Dir(name) == "app/go" { // its templates have braces of their own
				return text
			}
			return []byte(fill.Replace(string(text)))
		})
		if err != nil {
			return err
		}
	}
	if o.Language != "go" {
		return nil
	}
	return writeEngine(dir, id, o)
}

// writeEngine lays the engine beside the benchmark, as a module that only the
// benchmark's go.mod knows, and pins the versions that hotseat itself is built with.
func writeEngine(dir, id string, o NewOptions) error {
	engine := filepath.Join(dir, filepath.FromSlash(engineDir))
	for to, files := range map[string]fs.FS{engine: o.Engine, filepath.Join(engine, "bench"): o.Bench} {
		if err := unpack(files, to, nil); err != nil {
			return fmt.Errorf("unpack the engine: %w", err)
		}
	}
	mod, err := fs.ReadFile(o.Engine, "go.mod")
	if err != nil {
		return err
	}
	sum, err := fs.ReadFile(o.Engine, "go.sum")
	if err != nil {
		return err
	}
	scenario := filepath.Join(dir, "scenario")
	return errors.Join(
		os.WriteFile(filepath.Join(engine, "go.mod"), withoutIgnored(mod), 0o644),
		os.WriteFile(filepath.Join(scenario, "go.mod"), benchmarkModule(mod, id), 0o644),
		os.WriteFile(filepath.Join(scenario, "go.sum"), sum, 0o644),
	)
}

// ignored are the lines of our go.mod about folders that the engine does not have.
var ignored = regexp.MustCompile(`(?m)^ignore (\([^)]*\)|.*)\n`)

func withoutIgnored(mod []byte) []byte { return ignored.ReplaceAll(mod, nil) }

// benchmarkModule makes the go.mod of a benchmark from ours: all our
// requirements in the same versions, so that it builds wherever hotseat does.
func benchmarkModule(mod []byte, id string) []byte {
	_, requirements, _ := strings.Cut(string(withoutIgnored(mod)), "\n")
	return []byte("module " + id + "-benchmark\n\n" +
		"// The engine is beside the benchmark. What follows is what hotseat is built with;\n" +
		"// `go mod tidy` leaves of it what the benchmark needs.\n" +
		"require hotseat v0.0.0\n\nreplace hotseat => ./hotseat\n" + requirements)
}

// unpack writes files without their tests, changed by edit if there is one.
func unpack(files fs.FS, dir string, edit func(name string, text []byte) []byte) error {
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if d.IsDir() {
			return os.MkdirAll(to, 0o755)
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		if edit != nil {
			text = edit(name, text)
		}
		mode := fs.FileMode(0o644)
		if strings.HasPrefix(string(text[:min(2, len(text))]), "#!") {
			mode = 0o755
		}
		to = strings.TrimSuffix(to, embedSuffix)
		if path.Base(name) == "gitignore" {
			to = filepath.Join(filepath.Dir(to), ".gitignore")
		}
		return os.WriteFile(to, text, mode)
	})
}
