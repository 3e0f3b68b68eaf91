package isucon4q_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	_ "github.com/go-sql-driver/mysql"
)

// bank is a contestant's workspace that runs: the app as given on a MariaDB
// with the given my.cnf, initialised by init.sh from a small data set.
type bank struct {
	url  string
	db   *sql.DB
	root string   // the workspace
	env  []string // of the app and of init.sh
}

// The users of the small data set, id = index + 1; every password is "pass-"
// and the login name, every salt "salt".
var logins = []string{"isucon1", "isucon2", "isucon3", "isucon4", "isucon5", "isucon6", "isucon7", "old.locked", "old.fell"}

// smallLog is the log before the start, in the form of the contest's own file:
// times carry a zone, which strict mode would refuse. old.locked failed three
// times and never succeeded; old.fell succeeded first; isucon7 has come and gone.
const smallLog = `INSERT INTO login_log (created_at, user_id, login, ip, succeeded) VALUES
('2014-02-22 00:00:01+0900',8,'old.locked','127.200.1.1',0),
('2014-02-22 00:00:02+0900',8,'old.locked','127.200.1.2',0),
('2014-02-22 00:00:03+0900',8,'old.locked','127.200.1.3',0),
('2014-02-22 00:00:04+0900',9,'old.fell','127.250.0.1',1),
('2014-02-22 00:00:05+0900',9,'old.fell','127.200.1.4',0);
INSERT INTO login_log (created_at, user_id, login, ip, succeeded) VALUES
('2014-02-22 00:00:06+0900',9,'old.fell','127.200.1.5',0),
('2014-02-22 00:00:07+0900',9,'old.fell','127.200.1.6',0),
('2014-02-22 00:00:08+0900',7,'isucon7','127.200.1.7',0),
('2014-02-22 00:00:09+0900',7,'isucon7','127.250.0.1',1);
`

func startBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{root: t.TempDir()}
	b.layOut(t)
	dbPort, appPort := freePort(t), freePort(t)
	b.env = append(os.Environ(),
		"ISU4_DB_HOST=127.0.0.1", "ISU4_DB_PORT="+dbPort,
		"PORT="+appPort, "STATIC_DIR="+filepath.Join(b.root, "public"))
	b.startDatabase(t, dbPort)
	b.initialize(t)
	b.startApp(t, appPort)
	return b
}

// layOut makes the workspace as hotseat does: the .embed suffixes go.
func (b *bank) layOut(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"app", "etc", "sql"} {
		if err := os.CopyFS(filepath.Join(b.root, dir), os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		path := filepath.Join(b.root, "app/go", name)
		if err := os.Rename(path+".embed", path); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"init.sh", "env.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		b.write(t, name, string(text), 0o755)
	}
	var users strings.Builder
	users.WriteString("INSERT INTO users (id, login, password_hash, salt) VALUES ")
	for i, login := range logins {
		if i > 0 {
			users.WriteString(",")
		}
		fmt.Fprintf(&users, "(%d,'%s',SHA2('pass-%s:salt',256),'salt')", i+1, login, login)
	}
	b.write(t, "sql/dummy_users.sql", users.String()+";\n", 0o644)
	b.write(t, "sql/dummy_log.sql", smallLog, 0o644)
	b.write(t, "public/stylesheets/isucon-bank.css", "body {}\n", 0o644)
	b.write(t, "public/images/isucon-bank.png", "\x89PNG\r\n\x1a\n", 0o644)
}

func (b *bank) write(t *testing.T, name, text string, mode os.FileMode) {
	t.Helper()
	path := filepath.Join(b.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func (b *bank) startDatabase(t *testing.T, port string) {
	t.Helper()
	given, err := os.ReadFile("etc/my.cnf")
	if err != nil {
		t.Fatal(err)
	}
	// A socket's path may have 107 bytes at most; t.TempDir is longer at times.
	run, err := os.MkdirTemp("", "isu4q")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	socket := filepath.Join(run, "mysql.sock")
	config := strings.NewReplacer(
		"/var/lib/mysql/mysql.sock", socket,
		"/var/lib/mysql", filepath.Join(run, "data"),
		"port=3306", "port="+port+"\nbind-address=127.0.0.1",
	).Replace(string(given))
	b.write(t, "my.cnf", config, 0o644)

	defaults := "--defaults-file=" + filepath.Join(b.root, "my.cnf")
	var asRoot []string
	if os.Getuid() == 0 {
		asRoot = []string{"--user=root"}
	}
	install := exec.Command("mariadb-install-db", append([]string{defaults,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--debug-no-sync", "--innodb-log-file-size=16M"}, asRoot...)...)
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", install, err, out)
	}
	start(t, exec.Command("mariadbd", append([]string{defaults, "--innodb-log-file-size=16M"}, asRoot...)...))

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
	b.db, err = sql.Open("mysql", "isucon:isucon@tcp(127.0.0.1:"+port+")/isu4_qualifier")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.db.Close() })
}

func (b *bank) initialize(t *testing.T) {
	t.Helper()
	if out, err := b.runInit(); err != nil {
		t.Fatalf("init.sh: %v\n%s", err, out)
	}
}

// runInit runs init.sh from elsewhere, as a benchmark may.
func (b *bank) runInit(env ...string) (string, error) {
	cmd := exec.Command(filepath.Join(b.root, "init.sh"))
	cmd.Dir = "/"
	cmd.Env = append(append([]string{}, b.env...), env...)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (b *bank) startApp(t *testing.T, port string) {
	t.Helper()
	source := filepath.Join(b.root, "app/go")
	build := exec.Command("go", "build", "-o", "webapp", ".")
	build.Dir = source
	build.Env = append(os.Environ(), "GOFLAGS=-mod=readonly -buildvcs=false", "GOWORK=off")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	app := exec.Command(filepath.Join(b.root, "env.sh"), "./webapp")
	app.Dir, app.Env = source, b.env
	start(t, app)

	b.url = "http://127.0.0.1:" + port
	waitFor(t, "the app", func() error {
		response, err := http.Get(b.url + "/images/isucon-bank.png")
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
		_ = cmd.Wait() // the app ends by the signal, which is an error to Wait
		if t.Failed() {
			t.Logf("%s said:\n%s", cmd.Path, said.String())
		}
	})
}

func waitFor(t *testing.T, what string, ready func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
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
