package problem

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hotseat"
)

// generatedFile, in a workspace's state folder, names the generated data that
// the workspace holds. The generator's output may change meanwhile, with its
// version or with the calendar: a benchmark must know what the servers serve,
// not what a new workspace would get.
const generatedFile = "generated"

// Generated returns the folder of the generated data that the workspace was
// laid out from or, later, reset to. It fails when the cache has lost them and
// they cannot be made any more.
func (w *Workspace) Generated(ctx context.Context, cacheRoot string) (string, error) {
	current, err := w.Problem.generatedKey(w.Config.Profile)
	if err != nil || current == "" {
		return "", err
	}
	text, err := os.ReadFile(filepath.Join(w.StateDir(), generatedFile))
	held := strings.TrimSpace(string(text))
	switch {
	case errors.Is(err, fs.ErrNotExist): // of a version of hotseat that did not write it down
		held = current
	case err != nil:
		return "", err
	}
	if held == current {
		return w.Problem.Generated(ctx, cacheRoot, w.Config.Profile)
	}
	dir := filepath.Join(cacheRoot, "data", held)
	if info, err := os.Stat(dir); !filepath.IsLocal(held) || err != nil || !info.IsDir() {
		return "", hotseat.Invalid("hotseat reset", "this workspace holds data that are outdated and gone from the cache (%s)", held)
	}
	return dir, nil
}

// holds notes which generated data the workspace in dir now has.
func holds(dir, generated string) error {
	if generated == "" {
		return nil
	}
	file := filepath.Join((&Workspace{Dir: dir}).StateDir(), generatedFile)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, []byte(filepath.Base(generated)+"\n"), 0o644)
}
