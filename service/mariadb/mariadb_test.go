package mariadb

import (
	"context"
	"database/sql"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"hotseat"
	"hotseat/service"
	"hotseat/stack"
	"hotseat/stack/stacktest"
)

// shortDir is a folder with room for a socket's path, which t.TempDir's may
// lack.
func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "mdb")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func server(t *testing.T) service.Tool {
	t.Helper()
	tool, err := service.Find(t.Context(), "mariadbd")
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func open(t *testing.T, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("mysql", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// fillSmall makes the contest's user and one table.
func fillSmall(ctx context.Context, conn Conn) error {
	db, err := sql.Open("mysql", conn.dsn(""))
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	// The server's own thread counts the rows when it comes to it, or too late.
	_, err = db.ExecContext(ctx, `SET GLOBAL innodb_stats_auto_recalc = OFF; CREATE DATABASE bank; CREATE TABLE bank.t (n INT); INSERT INTO bank.t VALUES (1),(2),(3);
		CREATE USER isucon@'%' IDENTIFIED BY 'isucon'; GRANT ALL ON *.* TO isucon@'%'`)
	return err
}

func TestGoldenToServer(t *testing.T) {
	dir := shortDir(t)
	g := Golden{Server: server(t), CacheDir: filepath.Join(dir, "cache"), Args: []string{"--innodb-log-file-size=16M"}}
	began := time.Now()
	var builds atomic.Int32
	counted := func(ctx context.Context, conn Conn) error {
		builds.Add(1)
		return fillSmall(ctx, conn)
	}
	var wg sync.WaitGroup
	for range 2 { // two commands at once
		wg.Go(func() {
			if _, err := g.Get(t.Context(), "k1", counted); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	golden, err := g.Get(t.Context(), "k1", counted)
	if err != nil {
		t.Fatal(err)
	}
	if builds.Load() != 1 {
		t.Errorf("built %d times", builds.Load())
	}
	t.Logf("built in %s", time.Since(began))
	left, err := os.ReadDir(filepath.Dir(golden))
	if err != nil || len(left) != 1 {
		t.Errorf("the entry holds %v, %v", left, err)
	}

	data := filepath.Join(dir, "data")
	began = time.Now()
	if err := Copy(t.Context(), golden, data); err != nil {
		t.Fatal(err)
	}
	t.Logf("copied in %s", time.Since(began))
	cnf := filepath.Join(dir, "my.cnf")
	text := "[mysqld]\ndatadir=/var/lib/mysql\nsocket=/var/lib/mysql/mysql.sock\nport = 3306\nmax_allowed_packet=300M\nlog-error=/var/log/mysqld.log\n"
	if err := os.WriteFile(cnf, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	port := stacktest.FreePort(t)
	c := Config{
		Tool: g.Server, Source: cnf, Out: filepath.Join(dir, "effective", "my.cnf"), DataDir: data,
		RunDir: filepath.Join(dir, "run"), Socket: filepath.Join(dir, "m.sock"), Port: port,
		Substitution: service.Substitution{Addresses: []service.Address{{Name: "mysql", CanonicalPort: 3306, Port: port}}},
	}
	p, err := c.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	began = time.Now()
	sup, err := stack.Start(t.Context(), stack.Plan{Dir: dir, Processes: []stack.Process{p}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sup.Close() }()
	t.Logf("ready in %s", time.Since(began))
	db := open(t, "isucon:isucon@tcp("+net.JoinHostPort("127.0.0.1", strconv.Itoa(port))+")/bank")
	var n int
	if err := db.QueryRow("SELECT SUM(n) FROM t").Scan(&n); err != nil || n != 6 {
		t.Errorf("sum %d, %v", n, err)
	}
	if err := open(t, Conn{Socket: c.Socket, User: "root"}.dsn("mysql")).QueryRow("SELECT n_rows FROM innodb_table_stats WHERE table_name = 't'").Scan(&n); err != nil || n != 3 {
		t.Errorf("the optimizer takes the table for one of %d rows, %v", n, err)
	}
	var name, value string
	if err := db.QueryRow("SHOW VARIABLES LIKE 'max_allowed_packet'").Scan(&name, &value); err != nil || value != "314572800" {
		t.Errorf("the contestant's setting: %s, %v", value, err)
	}
	if b, err := os.ReadFile(filepath.Join(dir, "run", "logs", "mysqld.log")); err != nil || !strings.Contains(string(b), "ready for connections") {
		t.Errorf("the contestant's error log: %v", err)
	}
	began = time.Now()
	sup.StopAll(0)
	if exit := sup.Status().Processes[0].Exit; exit.Code != 0 {
		t.Errorf("stop: %s", exit)
	}
	t.Logf("stopped in %s", time.Since(began))
}

// TestInitScriptsMayComeByTCP: some contests' scripts know no socket.
func TestInitScriptsMayComeByTCP(t *testing.T) {
	g := Golden{Server: server(t), CacheDir: shortDir(t), Port: stacktest.FreePort(t), Args: []string{"--innodb-log-file-size=16M"}}
	_, err := g.Get(t.Context(), "k", func(ctx context.Context, _ Conn) error {
		return open(t, "root@tcp(127.0.0.1:"+strconv.Itoa(g.Port)+")/").PingContext(ctx)
	})
	if err != nil {
		t.Error(err)
	}
}

func TestAMistakeInMyCnfIsTold(t *testing.T) {
	dir := shortDir(t)
	cnf := filepath.Join(dir, "my.cnf")
	if err := os.WriteFile(cnf, []byte("[mysqld]\ninnodb_bufer_pool_size=1G\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	if err := os.Mkdir(data, 0o755); err != nil {
		t.Fatal(err)
	}
	p, err := Config{Tool: server(t), Source: cnf, Out: filepath.Join(dir, "out", "my.cnf"), DataDir: data, RunDir: dir, Socket: filepath.Join(dir, "s")}.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, err = stack.Start(t.Context(), stack.Plan{Dir: dir, Processes: []stack.Process{p}})
	var e *hotseat.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message+e.Detail, "innodb_bufer_pool_size") || e.Code != hotseat.CodeInvalid {
		t.Errorf("error %#v", err)
	}
}

func TestAHalfBuiltEntryIsNeverUsed(t *testing.T) {
	g := Golden{Server: server(t), CacheDir: shortDir(t), Args: []string{"--innodb-log-file-size=16M"}}
	root := filepath.Join(g.CacheDir, "mariadb")
	for name, prepare := range map[string]func() error{
		"interrupted build": func() error { return os.MkdirAll(filepath.Join(root, "k.part-1", dataFolder, "mysql"), 0o755) },
	} {
		t.Run(name, func(t *testing.T) {
			if err := prepare(); err != nil {
				t.Fatal(err)
			}
			boom := errors.New("boom")
			_, err := g.Get(t.Context(), "k", func(context.Context, Conn) error { return boom })
			if !errors.Is(err, boom) {
				t.Errorf("error %v: it was not built anew", err)
			}
			if left, _ := filepath.Glob(filepath.Join(root, "k*")); !slices.Equal(left, []string{filepath.Join(root, "k.lock")}) {
				t.Errorf("left behind: %v", left)
			}
		})
	}
	t.Run("server killed while building", func(t *testing.T) {
		_, err := g.Get(t.Context(), "k", func(ctx context.Context, conn Conn) error {
			db := open(t, conn.dsn(""))
			var pidFile string
			if err := db.QueryRowContext(ctx, "SELECT @@pid_file").Scan(&pidFile); err != nil {
				return err
			}
			if out, err := exec.Command("sh", "-c", "kill -9 $(cat "+pidFile+")").CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			time.Sleep(100 * time.Millisecond)
			return db.PingContext(ctx)
		})
		if err == nil || !strings.Contains(err.Error(), "was killed by SIGKILL") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("given up", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
		defer cancel()
		_, err := g.Get(ctx, "k", func(context.Context, Conn) error { return nil })
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
	if pids, err := stack.Descendants(os.Getpid()); err != nil || len(pids) > 0 {
		t.Errorf("still running: %v, %v", pids, err)
	}
}

func TestCopyReplacesAllOrNothing(t *testing.T) {
	dir := shortDir(t)
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	read := func(path string) string {
		b, err := os.ReadFile(filepath.Join(dir, path))
		if err != nil {
			return "absent"
		}
		return string(b)
	}
	write("golden/a", "new a")
	write("golden/db/b", "new b")
	write("data/a", "old a")
	write("data/gone", "old")
	write("data.new/junk", "junk")
	golden, data := filepath.Join(dir, "golden"), filepath.Join(dir, "data")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Copy(ctx, golden, data); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if read("data/a") != "old a" || read("data/gone") != "old" {
		t.Error("an interrupted copy changed the data")
	}
	if err := Copy(t.Context(), golden, data); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"data/a": "new a", "data/db/b": "new b", "data/gone": "absent", "data/junk": "absent",
		"data.new/junk": "absent", "data.old/a": "absent", "golden/a": "new a",
	} {
		if got := read(path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	// Killed between the two renames: the old data is called data.old.
	if err := os.Rename(data, data+".old"); err != nil {
		t.Fatal(err)
	}
	if err := Copy(ctx, golden, data); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if read("data/a") != "new a" {
		t.Error("the old data was lost")
	}
}

// TestAsOrdinaryUser builds and runs without root's rights.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // everything here has just run as an ordinary user
	}
	dir := shortDir(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	self, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "mariadb.test") // where the test binary lies only root may look
	if err := os.WriteFile(exe, self, 0o755); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.v", "-test.run", "^TestGoldenToServer$")
	cmd.Dir = "/tmp"
	cmd.Env = []string{"HOME=/nonexistent", "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestGoldenToServer") {
		t.Errorf("as nobody: %v\n%s", err, out)
	} else {
		t.Logf("%s", out)
	}
}
