package mariadb

import (
	"bytes"
	"context"
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
	"hotseat/cache"
	"hotseat/service"
	"hotseat/stack"
)

// Golden keeps data folders that were built once and are copied from then on.
type Golden struct {
	// Server is mariadbd. Its version belongs into the key.
	Server service.Tool
	// CacheDir is the folder of all entries; see cache.Root.
	CacheDir string
	// Port is where the building server also listens, on 127.0.0.1, for init
	// scripts that come by TCP; zero means no TCP.
	Port int
	// Args are further options of the server that builds, such as
	// --innodb-log-file-size=128M: what shapes the data folder must be as the
	// contest's my.cnf has it, and belongs into the key as well.
	Args []string
}

// dataFolder is the data folder within an entry.
const dataFolder = "data"

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
	entry, err := cache.Folder(ctx, root, key, func(ctx context.Context, dir string) error {
		data := filepath.Join(dir, dataFolder)
		if err := g.install(ctx, data); err != nil {
			return err
		}
		return g.fill(ctx, dir, data, build)
	})
	if err != nil {
		return "", roomError(root, err)
	}
	return filepath.Join(entry, dataFolder), nil
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
	temp := filepath.Join(half, "temp") // for temporary tables, which other servers would remove
	if err := os.MkdirAll(temp, 0o755); err != nil {
		return hotseat.Unavailable("", "build the database: %w", err)
	}
	argv := append([]string{
		g.Server.Path, "--no-defaults", "--tmpdir=" + temp, "--datadir=" + data, "--socket=" + socket,
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
	conn := Conn{Socket: socket, User: "root"}
	if err = build(ctx, conn); err == nil {
		err = analyze(ctx, conn)
	}
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
	return errors.Join(remove(socket), remove(log), remove(filepath.Join(half, "build.pid")), os.RemoveAll(filepath.Join(half, "logs")), os.RemoveAll(temp))
}

// analyze writes the statistics that the optimizer chooses its plans by. The
// server's own thread may not have come to a table before the folder is closed:
// then every copy takes the table for empty, and joins it in an order of its own.
func analyze(ctx context.Context, c Conn) (err error) {
	db, err := c.Open("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	rows, err := db.QueryContext(ctx, `SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }() // Err tells
	var names []string
	for rows.Next() {
		var schema, table string
		if err := rows.Scan(&schema, &table); err != nil {
			return err
		}
		quote := func(name string) string { return "`" + strings.ReplaceAll(name, "`", "``") + "`" }
		names = append(names, quote(schema)+"."+quote(table))
	}
	if err := rows.Err(); err != nil || len(names) == 0 {
		return err
	}
	_, err = db.ExecContext(ctx, "ANALYZE NO_WRITE_TO_BINLOG TABLE "+strings.Join(names, ", "))
	return err
}

func remove(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
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
