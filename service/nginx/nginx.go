// Package nginx runs the contestant's nginx: it renders their configuration
// into the run folder, has nginx check it, and says how nginx is started.
package nginx

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"hotseat"
	"hotseat/service"
	"hotseat/stack"
)

// Config is an nginx of a workspace.
type Config struct {
	Name string // of the process; empty means nginx
	Tool service.Tool
	// Source is the folder of the contestant's files, Main the main one's name
	// in it; empty means nginx.conf.
	Source, Main string
	// OutDir is where the rendered files go. It is emptied first.
	OutDir string
	// RunDir is nginx's prefix: relative paths and what it must write lie there.
	RunDir       string
	Substitution service.Substitution
	// Address is where the contest's HTTP is served, with the leased port. It
	// must answer before nginx counts as ready, if the configuration listens there.
	Address   string
	ReadyPath string // asked for at Address; empty means /
	After     []string
	// Log is added for measuring; nil means none.
	Log *Log
	// Status is a unix socket where stub_status is added for measuring; see
	// [ReadStatus]. Empty means none.
	Status string
}

// canonicalPaths are where distributions let nginx write. A problem's own
// declarations win.
func (c Config) canonicalPaths() []service.PathMap {
	logs := filepath.Join(c.RunDir, "logs")
	return []service.PathMap{
		{From: "/var/log/nginx", To: logs},
		{From: "/var/run/nginx.pid", To: filepath.Join(c.RunDir, "nginx.pid")},
		{From: "/run/nginx.pid", To: filepath.Join(c.RunDir, "nginx.pid")},
		{From: "/etc/nginx", To: c.OutDir},
	}
}

// Prepare renders the configuration, lets nginx check it, and returns the
// process to run. What nginx says against it is the error's Detail, with the
// contestant's own file names and line numbers.
func (c Config) Prepare(ctx context.Context) (stack.Process, error) {
	if c.Name == "" {
		c.Name = "nginx"
	}
	if c.Main == "" {
		c.Main = "nginx.conf"
	}
	for _, dir := range []string{c.OutDir, c.RunDir} {
		if err := service.CheckDir(dir); err != nil {
			return stack.Process{}, err
		}
	}
	rendering, err := Render(os.DirFS(c.Source), c.Main, Options{
		Substitution: c.substitution(), OutDir: c.OutDir,
		AccessLog: filepath.Join(c.RunDir, "logs", "access.log"),
		TempDir:   filepath.Join(c.RunDir, "temp"),
		Without:   c.without(ctx), Log: c.Log, Status: c.Status,
		Distribution: os.DirFS(distribution),
	})
	if err != nil {
		return stack.Process{}, err
	}
	if err := c.write(rendering); err != nil {
		return stack.Process{}, hotseat.Unavailable("", "write nginx's configuration: %w", err)
	}
	if err := removeStale(c.Status); err != nil {
		return stack.Process{}, hotseat.Unavailable("", "make room for nginx's status: %w", err)
	}
	argv := c.argv(rendering)
	if err := c.check(ctx, argv); err != nil {
		return stack.Process{}, err
	}
	revision, err := service.Digest(c.OutDir, c.Tool.Path)
	if err != nil {
		return stack.Process{}, err
	}
	p := stack.Process{
		Name: c.Name, After: c.After, Argv: argv, Dir: c.RunDir, Revision: revision,
		Env:        []string{"PATH=" + os.Getenv("PATH")},
		StopSignal: "QUIT", Grace: stack.Duration(6 * time.Second), NoFile: 65536,
	}
	for _, l := range rendering.Listens {
		if l.Plain && sameListener(l.Address, c.Address) {
			p.Ready = append(p.Ready, stack.Probe{Kind: stack.ProbeHTTP, Address: l.Address, Path: c.ReadyPath})
		} else {
			p.Ready = append(p.Ready, stack.Probe{Kind: stack.ProbeConnect, Address: l.Address})
		}
	}
	return p, nil
}

func (c Config) substitution() service.Substitution {
	return c.Substitution.With(c.canonicalPaths()...)
}

// sameListener tells whether a listen address serves the port of want.
func sameListener(listen, want string) bool {
	return want != "" && listen[strings.LastIndexByte(listen, ':')+1:] == want[strings.LastIndexByte(want, ':')+1:]
}

// argv is nginx's command line. Directives that the contestant's file sets
// itself are not given again: nginx refuses duplicates.
func (c Config) argv(r *Rendering) []string {
	globals := ""
	add := func(name, value string) {
		if !r.Main[name] {
			globals += name + " " + value + "; "
		}
	}
	add("daemon", "off")
	add("pid", quote(filepath.Join(c.RunDir, "nginx.pid")))
	if os.Geteuid() == 0 {
		// The default user may not read a workspace below /root.
		add("user", "root")
	}
	if c.Log != nil {
		// That a body went to a temporary file is a warning, which nginx by
		// itself leaves away.
		add("error_log", "stderr warn")
	}
	return []string{
		c.Tool.Path, "-p", c.RunDir + "/", "-e", "stderr", "-c", filepath.Join(c.OutDir, c.Main), "-g", strings.TrimSpace(globals),
	}
}

// without asks nginx which modules it was built without.
func (c Config) without(ctx context.Context) map[string]bool {
	out := map[string]bool{}
	text, err := exec.CommandContext(ctx, c.Tool.Path, "-V").CombinedOutput()
	if err != nil {
		return out // the check will tell what is wrong with it
	}
	for word := range strings.FieldsSeq(string(text)) {
		if module, ok := strings.CutPrefix(word, "--without-"); ok {
			out[module] = true
		}
	}
	out[statusModule] = !strings.Contains(string(text), "--with-"+statusModule)
	return out
}

// statusModule is the module of stub_status, which nginx has only if asked for.
const statusModule = "http_stub_status_module"

// removeStale removes a socket that a killed nginx left: a new one would take it
// for an address in use. One that answers is left alone.
func removeStale(socket string) error {
	if socket == "" {
		return nil
	}
	conn, err := net.Dial("unix", socket)
	if err == nil {
		return conn.Close()
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return os.Remove(socket)
}

// write fills OutDir with the rendered files and copies of all others, and
// makes the folders that nginx does not make itself.
func (c Config) write(r *Rendering) error {
	if err := os.RemoveAll(c.OutDir); err != nil {
		return err
	}
	for _, dir := range []string{"logs", "temp"} {
		if err := os.MkdirAll(filepath.Join(c.RunDir, dir), 0o755); err != nil {
			return err
		}
	}
	if err := c.linkModules(); err != nil {
		return err
	}
	return filepath.WalkDir(c.Source, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(c.Source, path)
		if err != nil {
			return err
		}
		out := filepath.Join(c.OutDir, rel)
		fi, err := os.Stat(path) // through links: sites-enabled is made of them
		if err != nil {
			return nil // a link to nowhere: nginx will say if it minds
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(out, 0o755)
		case fi.IsDir():
			return os.Symlink(path, out)
		case !fi.Mode().IsRegular():
			return nil
		}
		text, ok := r.Files[filepath.ToSlash(rel)]
		if ok {
			return os.WriteFile(out, []byte(text), 0o644)
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(out, b, fi.Mode().Perm())
	})
}

// modulesDir is where Debian keeps what `load_module modules/…` names, which is
// relative to the prefix.
const modulesDir = "/usr/lib/nginx/modules"

func (c Config) linkModules() error {
	link := filepath.Join(c.RunDir, "modules")
	if _, err := os.Stat(modulesDir); err != nil {
		return nil
	}
	if err := os.Symlink(modulesDir, link); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// check runs nginx -t.
func (c Config) check(ctx context.Context, argv []string) error {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], slices.Concat([]string{"-t", "-q"}, argv[1:])...)
	cmd.Dir = c.RunDir
	out, err := cmd.CombinedOutput()
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return fmt.Errorf("nginx -t: %w", ctx.Err())
	}
	words := c.original(string(out))
	first, _, _ := strings.Cut(words, "\n")
	return hotseat.Invalid("correct "+filepath.Join(c.Source, c.Main)+" and run the command again",
		"nginx refuses its configuration: %s", first).WithDetail(words)
}

// original turns what nginx says about rendered files into what it would say
// about the contestant's: line numbers are the same, folders are not.
func (c Config) original(out string) string {
	var lines []string
	for line := range strings.Lines(out) {
		line = strings.TrimSpace(strings.ReplaceAll(line, c.OutDir, c.Source))
		// "2026/11/21 20:41:19 [emerg] 9519#9519: what it is about"
		if _, rest, ok := strings.Cut(line, "[emerg] "); ok {
			if _, what, ok := strings.Cut(rest, ": "); ok {
				line = what
			}
		}
		if line != "" && !strings.HasSuffix(line, "test failed") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}
