package compare

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

// Opener makes contenders of what people name.
type Opener struct {
	Runner   *runner.Runner
	Registry *problem.Registry
	Here     *problem.Workspace // the workspace that commits are of; nil outside one
	Options  runner.Options     // of every run: duration, parameters, measuring

	opened map[string]string // by folder: the name it was opened under
}

// Opened is a contender with a stack of its own.
type Opened struct {
	Contender

	runner    *runner.Runner
	workspace *problem.Workspace
	ours      bool // a checkout of ours, to be removed
	wasUp     bool
}

// Open makes a contender of a workspace's folder or of a commit of the
// workspace we stand in. A folder runs as it is, with its own data; a commit
// runs in a checkout of its own, on the golden data and after its own migrate
// hook. The caller closes it.
func (o *Opener) Open(ctx context.Context, name string) (*Opened, error) {
	w, ours, err := o.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if o.opened == nil {
		o.opened = map[string]string{}
	}
	o.opened[w.Dir] = name
	c := &Opened{runner: o.Runner, workspace: w, ours: ours}
	c.wasUp = o.Runner.IsUp(ctx, w)
	c.Name = name
	commit, dirty := w.Commit(ctx)
	c.Commit = commit
	if dirty {
		c.Name += " (with changes that are not committed)"
	} else if subject := w.Subject(ctx, commit); subject != "" {
		c.Name += " (" + subject + ")"
	}
	if ours && len(w.Config.Hooks.Migrate) > 0 {
		if err := o.Runner.Reset(ctx, w); err != nil {
			return nil, errors.Join(err, c.Close(context.WithoutCancel(ctx)))
		}
	}
	c.Run = func(ctx context.Context, seed uint64, note string) (*hotseat.Result, error) {
		run := o.Options
		run.Workspace, run.Problem, run.Seed, run.Note = w, w.Problem, &seed, note
		if ours {
			run.RunsDir = o.Here.RunsDir() // the checkout will be gone
		}
		outcome, err := o.Runner.Run(ctx, run)
		if err != nil {
			return nil, err
		}
		return outcome.Result, nil
	}
	return c, nil
}

// find tells a folder from a commit. Where a name is both, the folder counts if
// it is a workspace.
func (o *Opener) find(ctx context.Context, name string) (w *problem.Workspace, ours bool, err error) {
	if _, err := os.Stat(filepath.Join(name, problem.ConfigFile)); err == nil {
		w, err := o.Registry.OpenWorkspace(name)
		if err == nil {
			err = o.mustBeNew(w.Dir, name)
		}
		return w, false, err
	}
	if o.Here == nil {
		return nil, false, hotseat.NotFound("name folders of workspaces, or go into one to name its commits", "%s is no workspace, and this is none either", name)
	}
	commit, err := o.Here.ResolveCommit(ctx, name)
	if err != nil {
		return nil, false, err
	}
	dir := filepath.Join(o.Here.StateDir(), "compare", commit[:12])
	if err := o.mustBeNew(dir, name); err != nil {
		return nil, false, err
	}
	switch _, err := os.Lstat(dir); {
	case err == nil: // of a comparison that was killed
		if old, err := o.Registry.OpenWorkspace(dir); err == nil {
			if err := o.Runner.Down(ctx, old); err != nil {
				return nil, false, err
			}
		}
		if err := os.RemoveAll(dir); err != nil {
			return nil, false, err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, false, err
	}
	w, err = o.Here.Checkout(ctx, commit, dir, o.Runner.CacheRoot)
	return w, true, err
}

// mustBeNew refuses to compare a thing with itself.
func (o *Opener) mustBeNew(dir, name string) error {
	if first, ok := o.opened[dir]; ok {
		return hotseat.Invalid("for instance hotseat compare HEAD~1 HEAD", "%s and %s are the same", first, name)
	}
	return nil
}

// Problem is the problem that the contender is a workspace of.
func (c *Opened) Problem() *problem.Problem { return c.workspace.Problem }

// Language is what the side's app is written in, as its hotseat.toml says.
func (c *Opened) Language() string { return c.workspace.Config.Language }

// Close stops the stack unless it was up before, and removes a commit's checkout.
func (c *Opened) Close(ctx context.Context) error {
	if c.wasUp {
		return nil
	}
	err := c.runner.Down(ctx, c.workspace)
	if c.ours && err == nil {
		err = os.RemoveAll(c.workspace.Dir)
		_ = os.Remove(filepath.Dir(c.workspace.Dir)) // goes with the last one in it
	}
	return err
}
