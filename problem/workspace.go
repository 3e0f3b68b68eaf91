package problem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"hotseat"
	"hotseat/cache"
)

// Workspace is a contestant's own copy of a problem.
type Workspace struct {
	Dir     string // absolute, symbolic links resolved
	Problem *Problem
	Config  *Config
}

// StateDir is where hotseat keeps what it needs for this workspace: rendered
// configuration, the servers' data, logs. Git ignores it.
func (w *Workspace) StateDir() string { return filepath.Join(w.Dir, ".hotseat") }

// RunDir is the folder the stack runs in.
func (w *Workspace) RunDir() string { return filepath.Join(w.StateDir(), "run") }

// DataDir is where the servers keep their data.
func (w *Workspace) DataDir() string { return filepath.Join(w.StateDir(), "data") }

// RunsDir holds a folder for each run of the benchmark.
func (w *Workspace) RunsDir() string { return filepath.Join(w.Dir, "runs") }

// Entry is the name of the address that the benchmark goes to.
func (w *Workspace) Entry() string {
	if w.Config.Entry != "" {
		return w.Config.Entry
	}
	return w.Problem.Entry()
}

// AppDir is the folder of the app's source.
func (w *Workspace) AppDir() string { return filepath.Join(w.Dir, w.Config.App.Dir) }

// CreateOptions are the choices of [Create].
type CreateOptions struct {
	Language  string // empty: the problem's first
	Profile   string // of the data; empty: the problem's default
	CacheRoot string // see cache.Root
}

// Create lays out a new workspace in dir, which must not exist or be empty: the
// app's source, server configuration, schema and data, hotseat.toml, the manual,
// and a git repository with a first commit. If anything goes wrong, dir is as it
// was.
func Create(ctx context.Context, p *Problem, dir string, o CreateOptions) (*Workspace, error) {
	lang, err := p.Language(o.Language)
	if err != nil {
		return nil, err
	}
	profile := o.Profile
	if profile == "" {
		profile = p.Data.Profile
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if err := mustBeFree(dir); err != nil {
		return nil, err
	}
	generated, err := p.Generated(ctx, o.CacheRoot, profile)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, hotseat.Unavailable("choose another --dir", "make workspace: %w", err)
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "."+filepath.Base(dir)+".part-")
	if err != nil {
		return nil, hotseat.Unavailable("choose another --dir", "make workspace: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }() // gone already after the rename
	if err := p.layOut(ctx, tmp, lang, profile, generated); err != nil {
		return nil, fmt.Errorf("make workspace: %w", err)
	}
	if err := os.Chmod(tmp, 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(dir); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if err := os.Rename(tmp, dir); err != nil {
		return nil, hotseat.Unavailable("choose another --dir", "make workspace: %w", err)
	}
	return openAt(p, dir)
}

// mustBeFree checks that dir does not exist or is an empty folder.
func mustBeFree(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return hotseat.Conflict("choose another --dir", "%s is there already and is no folder", dir)
	case len(entries) > 0:
		return hotseat.Conflict("choose another folder, or remove this one", "%s is there already and is not empty", dir)
	}
	return nil
}

// notForContestants are the parts of a problem's folder that stay with the organiser.
var notForContestants = []string{"app", "data", "faults", "ladder", "scenario", "testdata", "problem.toml"}

// isOurs tells whether a file is the benchmark or the generator.
func (p *Problem) isOurs(name string) bool {
	for _, argv := range [][]string{p.Benchmark.Command, p.Data.Generator} {
		if len(argv) > 0 && path.Clean(argv[0]) == name {
			return true
		}
	}
	return false
}

// embedSuffix marks files that Go's embed would not take under their own name,
// such as go.mod: a folder with a go.mod is another module.
const embedSuffix = ".embed"

// LayOutData writes everything that a workspace gets besides the app and
// hotseat.toml: configuration, schema, scripts and generated data.
func (p *Problem) LayOutData(ctx context.Context, dir, generated string) error {
	if err := p.LayOutLoading(ctx, dir, generated); err != nil {
		return err
	}
	if err := p.layOutReset(ctx, dir, generated); err != nil {
		return err
	}
	return holds(dir, generated)
}

// layOutReset writes the generated data that `hotseat reset` brings back.
func (p *Problem) layOutReset(ctx context.Context, dir, generated string) error {
	for _, name := range p.Data.Reset {
		if err := cache.Copy(ctx, filepath.Join(generated, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("lay out data: %w", err)
		}
	}
	for _, to := range slices.Sorted(maps.Keys(p.Data.Copies)) {
		if err := cache.Copy(ctx, filepath.Join(generated, p.Data.Copies[to]), filepath.Join(dir, to)); err != nil {
			return fmt.Errorf("lay out data: %w", err)
		}
	}
	return nil
}

// ResetData brings the generated data of a workspace back that are no database,
// as far as the problem says so. What else lies in those folders goes away. From
// then on the workspace holds these data, and its database must do so as well.
func (w *Workspace) ResetData(ctx context.Context, generated string) error {
	names := slices.Concat(w.Problem.Data.Reset, slices.Sorted(maps.Keys(w.Problem.Data.Copies)))
	for _, name := range names {
		if err := os.RemoveAll(filepath.Join(w.Dir, name)); err != nil {
			return fmt.Errorf("reset data: %w", err)
		}
	}
	if err := w.Problem.layOutReset(ctx, w.Dir, generated); err != nil {
		return err
	}
	return holds(w.Dir, generated)
}

// LayOutLoading writes the part of a workspace that fills an empty database:
// scripts, schema and generated data, less those that are brought back by
// themselves.
func (p *Problem) LayOutLoading(ctx context.Context, dir, generated string) error {
	err := fs.WalkDir(p.Files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		top, _, _ := strings.Cut(name, "/")
		if slices.Contains(notForContestants, top) || path.Ext(name) == ".go" && top == name || p.isOurs(name) {
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		return copyOut(p.Files, name, filepath.Join(dir, filepath.FromSlash(name)), d)
	})
	if err != nil {
		return err
	}
	for _, name := range p.Data.Workspace {
		if slices.Contains(p.Data.Reset, name) {
			continue
		}
		if err := cache.Copy(ctx, filepath.Join(generated, name), filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("lay out data: %w", err)
		}
	}
	return nil
}

func (p *Problem) layOut(ctx context.Context, dir, lang, profile, generated string) error {
	if err := p.LayOutData(ctx, dir, generated); err != nil {
		return err
	}
	app, err := fs.Sub(p.Files, "app/"+lang)
	if err != nil {
		return err
	}
	err = fs.WalkDir(app, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return copyOut(app, name, filepath.Join(dir, "app", filepath.FromSlash(name)), d)
	})
	if err != nil {
		return err
	}
	if err := writeConfig(dir, p, lang, profile); err != nil {
		return err
	}
	if err := writeGitignore(dir, p, lang); err != nil {
		return err
	}
	return firstCommit(ctx, dir, p)
}

// copyOut writes one file or folder of a problem into a workspace. File modes
// are lost in embedding: scripts are what ends in .sh or begins with #!.
func copyOut(files fs.FS, name, to string, d fs.DirEntry) error {
	if d.IsDir() {
		return os.MkdirAll(to, 0o755)
	}
	text, err := fs.ReadFile(files, name)
	if err != nil {
		return err
	}
	mode := fs.FileMode(0o644)
	if path.Ext(name) == ".sh" || strings.HasPrefix(string(text[:min(2, len(text))]), "#!") {
		mode = 0o755
	}
	return os.WriteFile(strings.TrimSuffix(to, embedSuffix), text, mode)
}

func writeGitignore(dir string, p *Problem, lang string) error {
	lines := []string{"/.hotseat/", "/runs/"}
	for _, name := range p.Data.Ignored {
		lines = append(lines, "/"+name)
	}
	for _, name := range p.App[lang].Artifacts {
		lines = append(lines, "/app/"+name)
	}
	for _, process := range slices.Sorted(maps.Keys(p.Processes)) {
		for _, name := range p.Processes[process].Artifacts {
			lines = append(lines, "/"+path.Join(p.Processes[process].Dir, name))
		}
	}
	return os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(strings.Join(lines, "\n")+"\n"), 0o644)
}

// firstCommit makes the workspace a git repository, so that every tuning step
// can be told from the app as given. The contestant's own hooks, templates and
// signing keys have no part in it.
func firstCommit(ctx context.Context, dir string, p *Problem) error {
	if _, err := exec.LookPath("git"); err != nil {
		return hotseat.Invalid("hotseat doctor --install", "git is not installed")
	}
	for _, args := range [][]string{
		{"-c", "init.defaultBranch=main", "init", "-q", "--template="},
		{"add", "-A"},
		{"-c", "user.name=hotseat", "-c", "user.email=hotseat@localhost", "-c", "commit.gpgsign=false",
			"commit", "-q", "--no-verify", "-m", p.Title + ", as given"},
	} {
		if out, err := git(ctx, dir, args...); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[len(args)-1], err, out)
		}
	}
	return nil
}

// git runs git on a workspace's own repository, whatever repository surrounds
// it or the environment points to.
func git(ctx context.Context, dir string, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", dir}, args...)...)
	cmd.Env = append(withoutGit(os.Environ()), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "LC_ALL=C")
	out, err := cmd.CombinedOutput()
	return strings.TrimSpace(string(out)), err
}

func withoutGit(env []string) []string {
	return slices.DeleteFunc(env, func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
}

// FindWorkspace opens the workspace that dir is in.
func (r *Registry) FindWorkspace(dir string) (*Workspace, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	for at := abs; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, ConfigFile)); err == nil {
			return r.OpenWorkspace(at)
		}
		if at == filepath.Dir(at) {
			return nil, hotseat.NotFound("go into one, or make one: hotseat init PROBLEM DIR",
				"not inside a workspace: no %s here or above %s", ConfigFile, abs)
		}
	}
}

// OpenWorkspace opens the workspace whose hotseat.toml is in dir.
func (r *Registry) OpenWorkspace(dir string) (*Workspace, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	p, err := r.Get(c.Problem)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", filepath.Join(dir, ConfigFile), err)
	}
	return openAt(p, dir)
}

func openAt(p *Problem, dir string) (*Workspace, error) {
	c, err := readConfig(dir)
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err != nil {
		return nil, err
	}
	if c.Profile == "" {
		c.Profile = p.Data.Profile
	}
	if c.Entry != "" && p.Port(c.Entry) == 0 {
		return nil, hotseat.Invalid("hotseat status lists the addresses", "%s: entry: there is no address %q", filepath.Join(dir, ConfigFile), c.Entry)
	}
	return &Workspace{Dir: dir, Problem: p, Config: c}, nil
}

// Reload reads hotseat.toml again, which a patch may have changed.
func (w *Workspace) Reload() error {
	again, err := openAt(w.Problem, w.Dir)
	if err != nil {
		return err
	}
	w.Config = again.Config
	return nil
}

func readConfig(dir string) (*Config, error) {
	file := filepath.Join(dir, ConfigFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hotseat.NotFound("make a workspace: hotseat init PROBLEM DIR", "%s is no workspace: it has no %s", dir, ConfigFile)
	}
	if err != nil {
		return nil, fmt.Errorf("read workspace: %w", err)
	}
	return parseConfig(file, text)
}

// Commit returns the workspace's HEAD and whether there are uncommitted changes;
// "" where there is no repository.
func (w *Workspace) Commit(ctx context.Context) (hash string, dirty bool) {
	hash, err := git(ctx, w.Dir, "rev-parse", "--verify", "-q", "HEAD")
	if err != nil {
		return "", false
	}
	changes, err := git(ctx, w.Dir, "status", "--porcelain")
	return hash, err != nil || changes != ""
}

// Apply applies a patch to the workspace, whole or not at all.
func (w *Workspace) Apply(ctx context.Context, patch string) error {
	if out, err := git(ctx, w.Dir, "apply", "--whitespace=nowarn", patch); err != nil {
		return hotseat.Invalid("", "apply %s: %w: %s", filepath.Base(patch), err, out)
	}
	return nil
}

// Restore undoes every change to tracked files and removes untracked ones that
// git does not ignore.
func (w *Workspace) Restore(ctx context.Context) error {
	for _, args := range [][]string{{"reset", "-q", "--hard"}, {"clean", "-q", "-fd"}} {
		if out, err := git(ctx, w.Dir, args...); err != nil {
			return fmt.Errorf("git %s: %w: %s", args[0], err, out)
		}
	}
	return nil
}
