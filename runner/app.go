package runner

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"hotseat"
	"hotseat/problem"
	"hotseat/service"
	"hotseat/stack"
)

// buildable is a program of the workspace that may have to be built.
type buildable struct {
	name      string // of the process
	dir       string
	where     string // what in which file names the folder
	command   []string
	artifacts []string // relative to dir
	env       []string
}

// appBuild is the contestant's app.
func (s *site) appBuild() buildable {
	app := s.workspace.Config.App
	return buildable{"app", s.workspace.AppDir(), "app.dir in hotseat.toml", app.Build, app.Artifacts, s.appEnv(1)}
}

// build builds a program if its source, its build command or what came out of it
// has changed since, and returns the revision of the result.
func (r *Runner) build(ctx context.Context, s *site, b buildable) (string, error) {
	if info, err := os.Stat(b.dir); err != nil || !info.IsDir() {
		return "", hotseat.Invalid(b.where+" names the folder of "+b.name, "there is no folder %s", b.dir)
	}
	source, err := problem.HashFS(os.DirFS(b.dir), b.artifacts...)
	if err != nil {
		return "", fmt.Errorf("look at the source of %s: %w", b.name, err)
	}
	last := s.lastBuild(b.name)
	if last.Source == source && slices.Equal(last.Build, b.command) {
		if result, err := b.made(); err == nil && result == last.Result {
			return revision(source, result), nil
		}
	}
	done := func(error) {}
	if len(b.command) > 0 {
		what := b.name
		if what == "app" {
			what = "the app"
		}
		done = r.Observer.step("Building %s", what)
	}
	err = service.Build(ctx, b.dir, b.command, slices.Concat(service.BaseEnv(), b.env))
	done(err)
	if err != nil {
		return "", err
	}
	result, err := b.made()
	if err != nil {
		return "", fmt.Errorf("look at what the build of %s made: %w", b.name, err)
	}
	if err := s.rememberBuild(b.name, buildState{Source: source, Build: b.command, Result: result}); err != nil {
		return "", noSpaceHint(err)
	}
	return revision(source, result), nil
}

// made is a digest of what the build made.
func (b buildable) made() (string, error) {
	var paths []string
	for _, name := range b.artifacts {
		paths = append(paths, filepath.Join(b.dir, name))
	}
	return service.Digest(paths...)
}

// ownProcesses builds the problem's own programs and says how they run.
func (r *Runner) ownProcesses(ctx context.Context, s *site) ([]stack.Process, error) {
	var out []stack.Process
	processes := s.workspace.Problem.Processes
	for _, name := range slices.Sorted(maps.Keys(processes)) {
		p := processes[name]
		b := buildable{name, filepath.Join(s.workspace.Dir, filepath.FromSlash(p.Dir)), "process." + name + ".dir in problem.toml",
			p.Build, p.Artifacts, s.processEnv(p)}
		rev, err := r.build(ctx, s, b)
		if err != nil {
			return nil, err
		}
		out = append(out, service.App{
			Name: name, Dir: b.dir, Argv: s.subst.All(p.Command), Env: b.env,
			Address: s.address(p.Port), ReadyPath: "/", After: s.withAppNames(p.After), Revision: rev, NoFile: 65536,
		}.Process())
	}
	return out, nil
}

// appProcesses are the contestant's own servers.
func (s *site) appProcesses(rev string, after []string) []stack.Process {
	app := s.workspace.Config.App
	var memory *stack.MemoryLimit
	if app.MemoryMB > 0 {
		memory = &stack.MemoryLimit{Bytes: int64(app.MemoryMB) << 20, Share: "app"}
	}
	var out []stack.Process
	for i := 1; i <= app.Processes; i++ {
		out = append(out, service.App{
			Name: appName(i), Dir: s.workspace.AppDir(), Argv: s.subst.All(app.Command), Env: s.appEnv(i),
			// An answer of any kind will do: what it says belongs to the contestant.
			Address: s.appAddress(i), ReadyPath: "/",
			After: after, Revision: rev, NoFile: 65536, Memory: memory,
		}.Process())
	}
	return out
}

// appNames are the names of the app's processes.
func (s *site) appNames() []string {
	var names []string
	for i := 1; i <= s.workspace.Config.App.Processes; i++ {
		names = append(names, appName(i))
	}
	return names
}

// withAppNames puts the names of all app processes in the place of "app".
func (s *site) withAppNames(names []string) []string {
	if !slices.Contains(names, "app") {
		return slices.Clone(names)
	}
	rest := slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "app" })
	return append(rest, s.appNames()...)
}
