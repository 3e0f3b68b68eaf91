package stack

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"hotseat"
)

// The guardian's files, in the folder "guardian" of the run folder, which only
// its owner may enter.
const (
	placeFolder  = "guardian"
	socketFile   = "control.sock"
	lockFile     = "lock"      // flocked by watcher and guardian as long as either lives
	planFile     = "plan.json" // what the stack was launched with
	guardianLog  = "guardian.log"
	maxSocketLen = 107 // sun_path less its final zero byte, unix(7)
)

type place string

func placeOf(dir string) place { return place(filepath.Join(dir, placeFolder)) }

func (p place) file(name string) string { return filepath.Join(string(p), name) }

// make creates the folder, or checks that it is ours.
func (p place) make() error {
	if err := os.MkdirAll(filepath.Dir(string(p)), 0o755); err != nil {
		return hotseat.Unavailable("", "make the run folder: %w", err)
	}
	return makePrivate(string(p))
}

// makePrivate makes a folder that only its owner may enter. One that somebody
// else made beforehand is refused.
func makePrivate(dir string) error {
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return hotseat.Unavailable("", "make %s: %w", dir, err)
	}
	fi, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := fi.Sys().(*syscall.Stat_t)
	if !fi.IsDir() || !ok || int(st.Uid) != os.Geteuid() {
		return hotseat.Conflict("remove it", "%s is not a folder of this user", dir)
	}
	if fi.Mode().Perm() != 0o700 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// errLocked tells that a watcher or guardian still lives.
var errLocked = errors.New("the guardian's lock is held")

// lock takes the lock, or fails with errLocked.
func (p place) lock() (*os.File, error) {
	f, err := os.OpenFile(p.file(lockFile), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = f.Close()
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, errLocked
		}
		return nil, fmt.Errorf("lock %s: %w", p.file(lockFile), err)
	}
	return f, nil
}

// through calls fn with a path to the control socket that is short enough for
// bind and connect, however deep the workspace lies: the folder is opened and
// named by its descriptor.
func (p place) through(fn func(path string) error) error {
	fd, err := unix.Open(string(p), unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return &fs.PathError{Op: "open", Path: string(p), Err: err}
	}
	defer func() { _ = unix.Close(fd) }()
	return fn("/proc/self/fd/" + strconv.Itoa(fd) + "/" + socketFile)
}

func (p place) listen() (*net.UnixListener, error) {
	var l *net.UnixListener
	err := p.through(func(path string) error {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		var err error
		l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listen for commands: %w", err)
	}
	l.SetUnlinkOnClose(false) // the short path means nothing any more; clean removes it
	return l, nil
}

func (p place) dial(ctx context.Context) (net.Conn, error) {
	var conn net.Conn
	err := p.through(func(path string) error {
		var d net.Dialer
		var err error
		conn, err = d.DialContext(ctx, "unix", path)
		return err
	})
	return conn, err
}

// clean removes the socket of a guardian that is gone. The caller holds the lock.
func (p place) clean() error {
	err := os.Remove(p.file(socketFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// ShortDir makes and returns a folder of this user with a short path, for
// sockets of a stack whose run folder lies too deep (at most 107 bytes, unix(7)).
// It is the same for the same id. It lies in /tmp rather than in
// XDG_RUNTIME_DIR, which is taken away when the user logs out while the stack
// keeps running.
func ShortDir(id string) (string, error) {
	base := filepath.Join("/tmp", "hotseat-"+strconv.Itoa(os.Geteuid()))
	if err := makePrivate(base); err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(id))
	dir := filepath.Join(base, hex.EncodeToString(sum[:6]))
	return dir, makePrivate(dir)
}

// SocketPath returns where a server of the stack with that run folder may
// listen: in the run folder if the path fits, otherwise in its ShortDir.
func SocketPath(dir, name string) (string, error) {
	path := filepath.Join(dir, name)
	if len(path) <= maxSocketLen && !strings.ContainsAny(path, " ,;") {
		return path, nil
	}
	short, err := ShortDir(dir)
	return filepath.Join(short, name), err
}
