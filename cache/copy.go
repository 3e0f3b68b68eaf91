package cache

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sys/unix"
)

// copiers is how many files are copied side by side: enough to keep a disk
// busy, few enough for two CPUs.
const copiers = 4

// Copy copies a file, or a folder with everything below it, to a place where
// none of the files is yet. File systems that share blocks between files (xfs,
// btrfs) take no time; others copy inside the kernel. What is neither a file nor
// a folder is left out. After an error the copy is unfinished.
func Copy(ctx context.Context, from, to string) error {
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
