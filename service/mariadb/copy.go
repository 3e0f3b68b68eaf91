package mariadb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"hotseat"
	"hotseat/cache"
)

// Copy puts a copy of a data folder at dst and replaces what was there. It is
// all or nothing: an interrupted copy leaves the old folder in place. No server
// may run on either folder. File systems that share blocks between files
// (xfs, btrfs) take no time; others copy inside the kernel.
func Copy(ctx context.Context, golden, dst string) error {
	if err := os.MkdirAll(filepath.Dir(dst), 0o755); err != nil {
		return hotseat.Unavailable("", "make room for the data: %w", err)
	}
	fresh, old := dst+".new", dst+".old"
	// Leftovers of an interrupted copy. If it was interrupted between the two
	// renames the old data is all there is, and goes back first.
	if _, err := os.Lstat(dst); errors.Is(err, fs.ErrNotExist) {
		if err := os.Rename(old, dst); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("put back the old data: %w", err)
		}
	}
	for _, leftover := range []string{fresh, old} {
		if err := os.RemoveAll(leftover); err != nil {
			return fmt.Errorf("clear away an unfinished copy: %w", err)
		}
	}
	if err := cache.Copy(ctx, golden, fresh); err != nil {
		err = roomError(filepath.Dir(dst), fmt.Errorf("copy the data: %w", err))
		return errors.Join(err, os.RemoveAll(fresh))
	}
	if err := os.Rename(dst, old); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("replace the data: %w", err)
	}
	if err := os.Rename(fresh, dst); err != nil {
		return fmt.Errorf("replace the data: %w", err)
	}
	return os.RemoveAll(old)
}
