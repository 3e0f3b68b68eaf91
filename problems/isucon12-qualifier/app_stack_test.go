package isucon12q_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"fmt"
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
)

// site is a contestant's workspace that runs: one app on a MariaDB of its own
// with the given my.cnf, and the login service.
type site struct {
	root, url, auth string
	trace           string // where the app writes its SQLite statements
	key             *rsa.PrivateKey
	db              *sql.DB // of the operator
	env             []string
}

// commands are how problem.toml builds and runs each app.
var commands = map[string]struct{ build, run []string }{
	"go":   {[]string{"go", "build", "-o", "isuports", "."}, []string{"./isuports"}},
	"ruby": {nil, []string{"puma", "-C", "config/puma.rb"}},
}

// Initial data: tenant 1 has a finished competition with two scored players, one
// visitor in time, one in the very second of the finish and one late; and one
// that goes on. Tenant 2 has nobody.
const (
	initialTenants = `
INSERT INTO tenant (id, name, display_name, created_at, updated_at) VALUES
  (1, 'first', '一番', 1651363200, 1651363200), (2, 'second', 'Second', 1651363300, 1651363300);
INSERT INTO id_generator (id, stub) VALUES (26784000000, 'a');
INSERT INTO visit_history (player_id, tenant_id, competition_id, created_at, updated_at) VALUES
  ('a1', 1, 'c1', 1651400000, 1651400000),
  ('a3', 1, 'c1', 1651400000, 1651400000), ('a3', 1, 'c1', 1651400001, 1651400001), ('a3', 1, 'c1', 1651999999, 1651999999),
  ('a4', 1, 'c1', 1651500000, 1651500000),
  ('a5', 1, 'c1', 1651500001, 1651500001),
  ('a4', 1, 'c2', 1651500001, 1651500001);`
	initialFirst = `
INSERT INTO competition VALUES
  ('c1', 1, 'Opening', 1651500000, 1651363201, 1651500000), ('c2', 1, 'Going on', NULL, 1651363202, 1651363202);
INSERT INTO player VALUES
  ('a1', 1, 'Ann', 0, 1651363201, 1651363201), ('a2', 1, 'Bob', 1, 1651363202, 1651363202),
  ('a3', 1, 'Cid', 0, 1651363203, 1651363203), ('a4', 1, 'Dee', 0, 1651363204, 1651363204),
  ('a5', 1, 'Eve', 0, 1651363205, 1651363205);
INSERT INTO player_score VALUES
  ('s1', 1, 'a1', 'c1', 9, 1, 1651400000, 1651400000), ('s2', 1, 'a2', 'c1', 5, 2, 1651400000, 1651400000),
  ('s3', 1, 'a1', 'c1', 5, 3, 1651400000, 1651400000), ('s4', 1, 'a3', 'c2', 7, 1, 1651400000, 1651400000);`
)

func startSite(t *testing.T, language string) *site {
	t.Helper()
	s := &site{root: t.TempDir()}
	s.trace = filepath.Join(s.root, "trace.jsonl")
	s.layOut(t, language)
	dbPort, appPort, authPort := freePort(t), freePort(t), freePort(t)
	s.env = append(os.Environ(),
		"ISUCON_DB_HOST=127.0.0.1", "ISUCON_DB_PORT="+dbPort, "ISUCON_DB_USER=isucon", "ISUCON_DB_PASSWORD=isucon", "ISUCON_DB_NAME=isuports",
		"SERVER_APP_PORT="+appPort, "ISUCON_SQLITE_TRACE_FILE="+s.trace,
		"BLACKAUTH_PORT="+authPort, "HOTSEAT_DATA="+filepath.Join(s.root, "generated"))
	s.startDatabase(t, dbPort)
	s.run(t, s.root, "sql/admin/load.sh")

	c := commands[language]
	app := filepath.Join(s.root, "app")
	if c.build != nil {
		s.run(t, app, c.build...)
	}
	s.url = s.start(t, app, appPort, c.run...)
	auth := filepath.Join(s.root, "blackauth")
	s.run(t, auth, "go", "build", "-o", "blackauth", ".")
	s.auth = s.start(t, auth, authPort, "./blackauth")
	s.initialize(t)
	return s
}

// layOut makes the workspace as hotseat does: the .embed suffixes go.
func (s *site) layOut(t *testing.T, language string) {
	t.Helper()
	for to, from := range map[string]string{"app": "app/" + language, "blackauth": "blackauth", "sql": "sql"} {
		if err := os.CopyFS(filepath.Join(s.root, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	embedded, err := filepath.Glob(filepath.Join(s.root, "*", "go.*.embed"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range embedded {
		if err := os.Rename(path, strings.TrimSuffix(path, ".embed")); err != nil {
			t.Fatal(err)
		}
	}
	if s.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "public.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})))
	s.write(t, "blackauth/isuports.pem", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(s.key)})))
	s.write(t, "generated/admin/90_data.sql", initialTenants)

	schema, err := os.ReadFile("sql/tenant/10_schema.sql")
	if err != nil {
		t.Fatal(err)
	}
	for name, rows := range map[string]string{"1.db": initialFirst, "2.db": ""} {
		if err := os.MkdirAll(filepath.Join(s.root, "initial_data"), 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command("sqlite3", filepath.Join(s.root, "initial_data", name))
		cmd.Stdin = strings.NewReader(string(schema) + rows)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("sqlite3: %v: %s", err, out)
		}
	}
}

func (s *site) write(t *testing.T, name, text string) {
	t.Helper()
	path := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// run runs a command to its end.
func (s *site) run(t *testing.T, dir string, argv ...string) {
	t.Helper()
	if strings.Contains(argv[0], "/") {
		argv[0] = filepath.Join(dir, argv[0])
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, slices.Concat(s.env, []string{"GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off"})
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
}

func (s *site) startDatabase(t *testing.T, port string) {
	t.Helper()
	given, err := os.ReadFile("etc/my.cnf")
	if err != nil {
		t.Fatal(err)
	}
	// A socket's path may have 107 bytes at most; t.TempDir is longer at times.
	run, err := os.MkdirTemp("", "isu12q")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	socket := filepath.Join(run, "mysql.sock")
	s.write(t, "my.cnf", strings.NewReplacer(
		"/var/lib/mysql/mysql.sock", socket,
		"/var/lib/mysql", filepath.Join(run, "data"),
		"port=3306", "port="+port+"\nbind-address=127.0.0.1",
	).Replace(string(given)))

	options := []string{"--defaults-file=" + filepath.Join(s.root, "my.cnf"), "--innodb-log-file-size=16M"}
	if os.Getuid() == 0 {
		options = append(options, "--user=root")
	}
	s.run(t, s.root, append([]string{"mariadb-install-db"}, append(options,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--debug-no-sync")...)...)
	start(t, exec.Command("mariadbd", options...))

	root, err := sql.Open("mysql", "root@unix("+socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	waitFor(t, "MariaDB", root.Ping)
	for _, statement := range []string{
		"CREATE USER isucon@'127.0.0.1' IDENTIFIED BY 'isucon'",
		"GRANT ALL ON *.* TO isucon@'127.0.0.1'",
	} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if s.db, err = sql.Open("mysql", "isucon:isucon@tcp(127.0.0.1:"+port+")/isuports"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
}

// start runs a server until the test ends and returns its URL.
func (s *site) start(t *testing.T, dir, port string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, s.env
	start(t, cmd)
	url := "http://127.0.0.1:" + port
	waitFor(t, argv[0], func() error {
		response, err := http.Get(url)
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
	return url
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
		_ = cmd.Wait() // the app ends by the signal, which is an error to Wait
		if t.Failed() {
			text := said.String()
			t.Logf("%s said:\n%s", cmd.Path, text[max(0, len(text)-4000):])
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
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}
