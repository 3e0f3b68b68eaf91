// Package cache keeps folders that are expensive to make: each is made once,
// whole, and never used half-written, whoever asks at the same time and
// whenever the making is killed. And it copies them, as cheaply as the file
// system can.
//
// It is no store of last resort: everything in it can be made again, and
// deleting the cache folder is always safe while nothing uses it.
package cache

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// lockPoll is how often a waiting process looks whether the lock is free.
const lockPoll = 50 * time.Millisecond

// Root returns hotseat's cache folder of this user: $XDG_CACHE_HOME/hotseat or
// ~/.cache/hotseat.
func Root() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", hotseat.Invalid("set HOME or XDG_CACHE_HOME", "no cache folder: %w", err)
	}
	return filepath.Join(dir, "hotseat"), nil
}

// Folder returns the folder root/key. If it is not there yet, build fills an
// empty temporary folder beside it, which is then renamed: key names either
// nothing or the whole. Of several callers, in this process or others, one
// builds and the others wait. What a killed build left behind is removed by the
// next.
func Folder(ctx context.Context, root, key string, build func(ctx context.Context, dir string) error) (string, error) {
	final := filepath.Join(root, key)
	if exists(final) {
		return final, nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", hotseat.Unavailable("set XDG_CACHE_HOME to a folder that can be written", "cache folder: %w", err)
	}
	unlock, err := lock(ctx, final+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if exists(final) { // made while we waited
		return final, nil
	}
	if err := removeLeftovers(root, key); err != nil {
		return "", err
	}
	tmp, err := os.MkdirTemp(root, key+".part-")
	if err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	defer func() { _ = os.RemoveAll(tmp) }() // gone already after the rename
	if err := os.Chmod(tmp, 0o755); err != nil {
		return "", err
	}
	if err := build(ctx, tmp); err != nil {
		return "", err
	}
	// The rename must not reach the disk before the files do: a power cut would
	// leave an entry that looks whole.
	if err := Sync(tmp); err != nil {
		return "", err
	}
	if err := os.Rename(tmp, final); err != nil {
		return "", fmt.Errorf("cache folder: %w", err)
	}
	return final, nil
}

func exists(dir string) bool {
	info, err := os.Stat(dir)
	return err == nil && info.IsDir()
}

func removeLeftovers(root, key string) error {
	entries, err := os.ReadDir(root)
	if err != nil {
		return fmt.Errorf("cache folder: %w", err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), key+".part-") {
			if err := os.RemoveAll(filepath.Join(root, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return fmt.Errorf("remove what a killed command left: %w", err)
			}
		}
	}
	return nil
}

// lock takes an advisory lock that the kernel gives back when this process ends.
func lock(ctx context.Context, file string) (unlock func(), err error) {
	f, err := os.OpenFile(file, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("cache lock: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil // closing unlocks
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, fmt.Errorf("cache lock: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(lockPoll):
		}
	}
}

// Sync flushes the filesystem that holds dir: one call instead of one
// fsync for each of thousands of files.
func Sync(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return fmt.Errorf("sync the filesystem of %s: %w", dir, err)
	}
	return nil
}
