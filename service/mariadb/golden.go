package mariadb

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
	"hotseat/service"
	"hotseat/stack"
)

// Golden keeps data folders that were built once and are copied from then on.
type Golden struct {
	// Server is mariadbd. Its version belongs into the key.
	Server service.Tool
	// CacheDir is the folder of all entries; CacheDir() names the usual one.
	CacheDir string
	// Port is where the building server also listens, on 127.0.0.1, for init
	// scripts that come by TCP; zero means no TCP.
	Port int
	// Args are further options of the server that builds, such as
	// --innodb-log-file-size=128M: what shapes the data folder must be as the
	// contest's my.cnf has it, and belongs into the key as well.
	Args []string
}

// CacheDir is the user's cache folder for golden data.
func CacheDir() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", hotseat.Unavailable("set HOME", "find the cache folder: %w", err)
	}
	return filepath.Join(dir, "hotseat"), nil
}

const (
	// completeFile is written last: an entry without it is never used.
	completeFile = "complete"
	dataFolder   = "data"
)

// complete is what the marker holds.
type complete struct {
	Key     string    `json:"key"`
	Version string    `json:"version"`
	Built   time.Time `json:"built"`
}

// Get returns the data folder of that key and builds it if it is not there:
// build is given a fresh, empty server to fill. Two commands that want the same
// folder build it once. A half-built one is never returned, whatever was
// interrupted, and is cleared away by the next who wants it.
//
// The key must change with everything that shapes the folder: schema, data,
// their versions, MariaDB's version, Args. It is used as a file name.
func (g Golden) Get(ctx context.Context, key string, build func(context.Context, Conn) error) (string, error) {
	if key == "" || strings.ContainsAny(key, "/\x00") || key[0] == '.' {
		return "", fmt.Errorf("golden data: %q is no key", key)
	}
	root := filepath.Join(g.CacheDir, "mariadb")
	entry := filepath.Join(root, key)
	if isComplete(entry) {
		return filepath.Join(entry, dataFolder), nil
	}
	if err := os.MkdirAll(root, 0o755); err != nil {
		return "", hotseat.Unavailable("", "make the cache folder: %w", err)
	}
	unlock, err := lockFile(ctx, entry+".lock")
	if err != nil {
		return "", err
	}
	defer unlock()
	if isComplete(entry) { // somebody else built it meanwhile
		return filepath.Join(entry, dataFolder), nil
	}
	if err := g.make(ctx, key, entry, build); err != nil {
		return "", roomError(root, err)
	}
	return filepath.Join(entry, dataFolder), nil
}

func isComplete(entry string) bool {
	_, err := os.Stat(filepath.Join(entry, completeFile))
	return err == nil
}

// make builds an entry beside its place and moves it there. The caller holds
// the entry's lock.
func (g Golden) make(ctx context.Context, key, entry string, build func(context.Context, Conn) error) (err error) {
	half := entry + ".half"
	for _, leftover := range []string{entry, half} {
		if err := os.RemoveAll(leftover); err != nil {
			return fmt.Errorf("clear away half-built data: %w", err)
		}
	}
	if err := os.MkdirAll(half, 0o755); err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(half))
		}
	}()
	data := filepath.Join(half, dataFolder)
	if err := g.install(ctx, data); err != nil {
		return err
	}
	if err := g.fill(ctx, half, data, build); err != nil {
		return err
	}
	marker, err := json.Marshal(complete{Key: key, Version: g.Server.Version, Built: time.Now().UTC()})
	if err != nil {
		return err
	}
	if err := syncTree(data); err != nil {
		return err
	}
	if err := writeSynced(filepath.Join(half, completeFile), marker); err != nil {
		return err
	}
	if err := syncPath(half); err != nil {
		return err
	}
	if err := os.Rename(half, entry); err != nil {
		return err
	}
	return syncPath(filepath.Dir(entry))
}

// install makes an empty data folder: about a second with these options instead
// of four. What is not synced now is synced when everything is in it.
func (g Golden) install(ctx context.Context, data string) error {
	tool, err := service.Find(ctx, "mariadb-install-db")
	if err != nil {
		return err
	}
	args := append([]string{
		"--no-defaults", "--auth-root-authentication-method=normal", "--skip-test-db",
		"--debug-no-sync", "--datadir=" + data,
	}, asRoot()...)
	cmd := exec.CommandContext(ctx, tool.Path, append(args, g.Args...)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + filepath.Dir(data)}
	// The script starts a server, which must not outlive the command.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return hotseat.Unavailable("`hotseat doctor` looks at what is installed", "make an empty database: %w", err).
			WithDetail(strings.TrimSpace(out.String()))
	}
	return nil
}

// fill runs a server on the folder for as long as build takes.
func (g Golden) fill(ctx context.Context, half, data string, build func(context.Context, Conn) error) (err error) {
	socket, err := stack.SocketPath(half, "build.sock")
	if err != nil {
		return err
	}
	argv := append([]string{
		g.Server.Path, "--no-defaults", "--datadir=" + data, "--socket=" + socket,
		"--pid-file=" + filepath.Join(half, "build.pid"), "--debug-no-sync",
		"--innodb-buffer-pool-size=256M", "--max-allowed-packet=1G", "--skip-log-bin",
	}, asRoot()...)
	probes := []stack.Probe{{Kind: stack.ProbeMariaDB, Address: "unix:" + socket}}
	if g.Port == 0 {
		argv = append(argv, "--skip-networking")
	} else {
		port := strconv.Itoa(g.Port)
		argv = append(argv, "--bind-address=127.0.0.1", "--port="+port)
		probes = append(probes, stack.Probe{Kind: stack.ProbeMariaDB, Address: "127.0.0.1:" + port})
	}
	log := filepath.Join(half, "build.log")
	sup, err := stack.Start(ctx, stack.Plan{ID: "golden " + half, Dir: half, Processes: []stack.Process{{
		Name: "mariadb", Argv: append(argv, g.Args...), Log: log, NoFile: 32768,
		Ready:        probes,
		ReadyTimeout: stack.Duration(time.Minute), Grace: stack.Duration(2 * time.Minute),
	}}})
	if err != nil {
		return fmt.Errorf("build the database: %w", err)
	}
	err = build(ctx, Conn{Socket: socket, User: "root"})
	sup.StopAll(0)
	exit := sup.Status().Processes[0].Exit
	err = errors.Join(err, sup.Close())
	switch {
	case exit != nil && (exit.Unasked || exit.Code != 0): // the cause, rather than the lost connection
		return hotseat.Unavailable("see if memory and disk suffice", "build the database: mariadbd %s", exit).
			WithDetail(strings.Join(append(exit.LastWords, fmt.Sprint(err)), "\n"))
	case err != nil:
		return fmt.Errorf("build the database: %w", err)
	}
	return errors.Join(remove(socket), remove(log), remove(filepath.Join(half, "build.pid")), os.RemoveAll(filepath.Join(half, "logs")))
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// lockFile waits for a lock that only one process can hold.
func lockFile(ctx context.Context, path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, hotseat.Unavailable("", "lock the cache: %w", err)
	}
	for {
		err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			return func() { _ = f.Close() }, nil
		}
		if !errors.Is(err, unix.EWOULDBLOCK) && !errors.Is(err, unix.EINTR) {
			_ = f.Close()
			return nil, hotseat.Unavailable("", "lock the cache: %w", err)
		}
		select {
		case <-ctx.Done():
			_ = f.Close()
			return nil, ctx.Err()
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// roomError tells a full disk apart from everything else that may have failed.
func roomError(dir string, err error) error {
	var st unix.Statfs_t
	full := errors.Is(err, syscall.ENOSPC)
	if statErr := unix.Statfs(dir, &st); statErr == nil && st.Bavail*uint64(st.Bsize) < 1<<20 {
		full = true
	}
	if !full {
		return err
	}
	return hotseat.Unavailable("make room, or set XDG_CACHE_HOME to a folder on another disk", "no space left in %s: %w", dir, err)
}
