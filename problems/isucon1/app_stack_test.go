package isucon1_test

import (
	"bytes"
	"context"
	"database/sql"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"

	"hotseat/problems/isucon1/data"
)

// site is a contestant's workspace that runs: the app as given on a MariaDB with
// the given my.cnf, its data loaded by load.sh.
type site struct {
	url  string
	db   *sql.DB
	root string   // the workspace
	env  []string // of the app and of load.sh
	port string   // of the database
}

// layOut makes a workspace as hotseat does, with the data of one world: the
// .embed suffixes go.
func layOut(t *testing.T, world data.Options) *site {
	t.Helper()
	s := &site{root: t.TempDir()}
	for _, dir := range []string{"app", "etc", "sql"} {
		if err := os.CopyFS(filepath.Join(s.root, dir), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		path := filepath.Join(s.root, "app/go", name)
		if err := os.Rename(path+".embed", path); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"load.sh", "env.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(s.root, name), text, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := data.Generate(t.Context(), s.root, world); err != nil {
		t.Fatal(err)
	}
	if err := data.Static(filepath.Join(s.root, "public")); err != nil {
		t.Fatal(err)
	}
	return s
}

// startDatabase starts MariaDB with the given my.cnf and has load.sh fill it.
func (s *site) startDatabase(t *testing.T) {
	t.Helper()
	given, err := os.ReadFile("etc/my.cnf")
	if err != nil {
		t.Fatal(err)
	}
	// A socket's path may have 107 bytes at most; t.TempDir is longer at times.
	run, err := os.MkdirTemp("", "isu1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	s.port = freePort(t)
	s.env = append(os.Environ(), "ISUCON_DB_HOST=127.0.0.1", "ISUCON_DB_PORT="+s.port)
	socket := filepath.Join(run, "mysql.sock")
	config := strings.NewReplacer(
		"/var/lib/mysql/mysql.sock", socket,
		"/var/lib/mysql", filepath.Join(run, "data"),
		"port=3306", "port="+s.port+"\nbind-address=127.0.0.1",
	).Replace(string(given))
	cnf := filepath.Join(run, "my.cnf")
	if err := os.WriteFile(cnf, []byte(config), 0o644); err != nil {
		t.Fatal(err)
	}

	options := []string{"--defaults-file=" + cnf, "--innodb-log-file-size=16M"}
	if os.Getuid() == 0 {
		options = append(options, "--user=root")
	}
	install := exec.Command("mariadb-install-db", append(options, "--auth-root-authentication-method=normal", "--skip-test-db", "--debug-no-sync")...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", install, err, out)
	}
	start(t, exec.Command("mariadbd", options...))

	root, err := sql.Open("mysql", "root@unix("+socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	waitFor(t, "MariaDB", root.Ping)
	for _, statement := range []string{
		"CREATE USER isuconapp@'127.0.0.1' IDENTIFIED BY 'sidebar'",
		"GRANT ALL ON *.* TO isuconapp@'127.0.0.1'",
	} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	s.db, err = sql.Open("mysql", "isuconapp:sidebar@tcp(127.0.0.1:"+s.port+")/isucon")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
	if out, err := s.load(); err != nil {
		t.Fatalf("load.sh: %v\n%s", err, out)
	}
}

// load runs load.sh from elsewhere, as somebody may.
func (s *site) load(env ...string) (string, error) {
	cmd := exec.Command(filepath.Join(s.root, "load.sh"))
	cmd.Dir = "/"
	cmd.Env = slices.Concat(s.env, env)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// startApp builds and starts the app, which then answers at s.url.
func (s *site) startApp(t *testing.T) {
	t.Helper()
	source := filepath.Join(s.root, "app/go")
	build := exec.Command("go", "build", "-o", "webapp", ".")
	build.Dir = source
	build.Env = append(os.Environ(), "GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	port := freePort(t)
	app := exec.Command(filepath.Join(s.root, "env.sh"), "./webapp")
	app.Dir = source
	app.Env = append(slices.Clone(s.env), "PORT="+port, "STATIC_DIR="+filepath.Join(s.root, "public"))
	start(t, app)
	s.url = "http://127.0.0.1:" + port
	waitFor(t, "the app", func() error {
		response, err := http.Get(s.url + "/favicon.ico")
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
}

// start runs a server until the test ends; what it said is shown if the test failed.
func start(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	var said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &said
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM)
		_ = cmd.Wait() // servers end by the signal, which is an error to Wait
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, said.String())
		}
	})
}

func waitFor(t *testing.T, what string, ready func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		err := ready()
		if err == nil {
			return
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is not ready: %v", what, err)
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	_, port, err := net.SplitHostPort(listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return port
}
