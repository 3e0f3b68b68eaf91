package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"hotseat"
	"hotseat/problem"
	"hotseat/service"
	"hotseat/stack"
)

// build builds the app if its source, its build command or what came out of it
// has changed since, and returns the revision of the result.
func (r *Runner) build(ctx context.Context, s *site) (string, error) {
	app := s.workspace.Config.App
	dir := s.workspace.AppDir()
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return "", hotseat.Invalid("app.dir in hotseat.toml names the folder of the app", "there is no folder %s", dir)
	}
	source, err := problem.HashFS(os.DirFS(dir), app.Artifacts...)
	if err != nil {
		return "", fmt.Errorf("look at the app's source: %w", err)
	}
	last := s.lastBuild()
	if last.Source == source && slices.Equal(last.Build, app.Build) {
		if result, err := s.artifacts(); err == nil && result == last.Result {
			return revision(source, result), nil
		}
	}
	done := r.Observer.step("Building the app")
	err = service.Build(ctx, dir, app.Build, slices.Concat(service.BaseEnv(), s.appEnv(1)))
	done(err)
	if err != nil {
		return "", err
	}
	result, err := s.artifacts()
	if err != nil {
		return "", fmt.Errorf("look at what the build made: %w", err)
	}
	if err := s.rememberBuild(buildState{Source: source, Build: app.Build, Result: result}); err != nil {
		return "", noSpaceHint(err)
	}
	return revision(source, result), nil
}

// artifacts is a digest of what the build made.
func (s *site) artifacts() (string, error) {
	var paths []string
	for _, name := range s.workspace.Config.App.Artifacts {
		paths = append(paths, filepath.Join(s.workspace.AppDir(), name))
	}
	return service.Digest(paths...)
}

// appProcesses are the contestant's own servers.
func (s *site) appProcesses(rev string, after []string) []stack.Process {
	app := s.workspace.Config.App
	var out []stack.Process
	for i := 1; i <= app.Processes; i++ {
		out = append(out, service.App{
			Name: appName(i), Dir: s.workspace.AppDir(), Argv: s.subst.All(app.Command), Env: s.appEnv(i),
			// An answer of any kind will do: what it says belongs to the contestant.
			Address: s.appAddress(i), ReadyPath: "/",
			After: after, Revision: rev, NoFile: 65536,
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
