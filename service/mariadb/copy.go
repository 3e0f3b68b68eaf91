package mariadb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"

	"hotseat"
)

// copiers is how many files are copied side by side: enough to keep a disk
// busy, few enough for two CPUs.
const copiers = 4

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
	if err := copyTree(ctx, golden, fresh); err != nil {
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

func copyTree(ctx context.Context, from, to string) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(copiers)
	var clones atomic.Bool // until one failed
	clones.Store(true)
	err := filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		out := filepath.Join(to, rel)
		fi, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.MkdirAll(out, fi.Mode().Perm()|0o700)
		case fi.Mode().IsRegular():
			g.Go(func() error { return copyFile(path, out, fi.Mode().Perm(), &clones) })
		}
		return nil // sockets and the like belong to a server that is gone
	})
	return errors.Join(g.Wait(), err)
}

func copyFile(from, to string, mode fs.FileMode, clones *atomic.Bool) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode|0o200)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	if clones.Load() {
		if err := unix.IoctlFileClone(int(out.Fd()), int(in.Fd())); err == nil {
			return nil
		}
		clones.Store(false)
	}
	_, err = io.Copy(out, in) // copy_file_range, on Linux
	return err
}

// syncTree makes every file and folder below dir durable.
func syncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if !d.IsDir() && !d.Type().IsRegular() {
			return nil
		}
		return syncPath(path)
	})
}

func syncPath(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func writeSynced(path string, b []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(b)
	return errors.Join(err, f.Sync(), f.Close())
}
