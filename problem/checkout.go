package problem

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hotseat"
)

// ResolveCommit returns the full hash of what rev names in the workspace's
// repository: a commit, a branch, a tag, HEAD~2.
func (w *Workspace) ResolveCommit(ctx context.Context, rev string) (string, error) {
	hash, err := git(ctx, w.Dir, "rev-parse", "--verify", "-q", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", hotseat.NotFound("git log --oneline shows the commits there are", "no commit %q in %s", rev, w.Dir)
	}
	return hash, nil
}

// Subject is the first line of a commit's message; empty if it cannot be read.
func (w *Workspace) Subject(ctx context.Context, commit string) string {
	subject, err := git(ctx, w.Dir, "log", "-1", "--format=%s", "--end-of-options", commit)
	if err != nil {
		return ""
	}
	return subject
}

// ChangedFiles lists the files that differ between two commits of the workspace.
func (w *Workspace) ChangedFiles(ctx context.Context, from, to string) ([]string, error) {
	out, err := git(ctx, w.Dir, "diff", "--name-only", "--end-of-options", from, to)
	if err != nil {
		return nil, fmt.Errorf("git diff: %w: %s", err, out)
	}
	return strings.Fields(out), nil
}

// Checkout lays out a workspace of its own in dir, which must not exist: the
// files of one commit of w, and the generated data that git ignores. Its
// database is made when its stack starts, from the golden data. If anything
// goes wrong, dir is not there.
func (w *Workspace) Checkout(ctx context.Context, commit, dir, cacheRoot string) (_ *Workspace, err error) {
	if _, err := os.Lstat(dir); !errors.Is(err, fs.ErrNotExist) {
		return nil, hotseat.Conflict("remove it", "%s is there already", dir)
	}
	generated, err := w.Generated(ctx, cacheRoot)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o755); err != nil {
		return nil, hotseat.Unavailable("", "make a workspace of commit %.12s: %w", commit, err)
	}
	defer func() {
		if err != nil {
			_ = os.RemoveAll(dir)
		}
	}()
	if err := w.Problem.LayOutData(ctx, dir, generated); err != nil {
		return nil, err
	}
	// The commit's files go over what was laid out; what the commit does not
	// have and git does not ignore goes away.
	for _, args := range [][]string{
		{"-c", "init.defaultBranch=main", "init", "-q", "--template="},
		{"fetch", "-q", "--no-tags", w.Dir, commit},
		{"checkout", "-q", "-f", "--detach", commit},
		{"clean", "-q", "-fd"},
	} {
		if out, err := git(ctx, dir, args...); err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", strings.Join(args, " "), err, out)
		}
	}
	return openAt(w.Problem, dir)
}
