package nttptc2020_test

import (
	"bytes"
	"context"
	"crypto/sha3"
	"database/sql"
	"encoding/hex"
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

// site is a contestant's workspace that runs: the app behind nginx, on a MariaDB
// of its own with the given my.cnf.
type site struct {
	root, url string
	key       string // of the tokens
	db        *sql.DB
	env       []string
	now       time.Time // of the initial rows, in UTC
}

const salt = "5a17"

// hashed is how the database keeps the password "password".
func hashed() string {
	s := "password" + salt
	for range 100 {
		sum := sha3.Sum512([]byte(s))
		s = hex.EncodeToString(sum[:])
	}
	return s
}

// Initial rows. Users 1 and 2 are audiences, 3 and 5 artists, 4 an owner. Venue 1
// has room for 10. Its slots are half days, from tomorrow on; slots 1 and 2 belong
// to event 1, which user 1 has reserved; event 2 was yesterday.
func (s *site) rows() map[string]string {
	day := func(days int, clock string) string { return s.now.AddDate(0, 0, days).Format("2006-01-02 ") + clock }
	var users []string
	for id, name := range []string{"user01 audience", "user02 audience", "user03 artist", "sawady owner", "user04 artist"} {
		username, role, _ := strings.Cut(name, " ")
		users = append(users, fmt.Sprintf("(%d, '%s', '%s', '%s', '%s')", id+1, username, role, hashed(), salt))
	}
	var slots []string
	for i := range 8 { // days 1 to 4 at venue 1
		event := "NULL"
		if i < 2 {
			event = "1"
		}
		start, end := "00:00:00", "11:59:59"
		if i%2 == 1 {
			start, end = "12:00:00", "23:59:59"
		}
		slots = append(slots, fmt.Sprintf("(%d, 1, %s, '%s', '%s')", i+1, event, day(i/2+1, start), day(i/2+1, end)))
	}
	slots = append(slots, fmt.Sprintf("(9, 2, NULL, '%s', '%s')", day(1, "00:00:00"), day(1, "11:59:59")))
	return map[string]string{
		"rows/users":  "INSERT INTO users (id, username, role, password_hash, salt) VALUES " + strings.Join(users, ", "),
		"rows/venues": "INSERT INTO venues (id, name, capacity) VALUES (1, 'venues01', 10), (2, '武道館', 14471)",
		"rows/genres": "INSERT INTO eventgenres (id, name) VALUES (1, 'Pop'), (2, 'Rock')",
		"rows/events": "INSERT INTO events (id, user_id, venue_id, eventgenre_id, name, start_at, end_at, price, created_at, updated_at) VALUES " +
			fmt.Sprintf("(1, 3, 1, 2, 'tomorrow', '%s', '%s', 5000, '2020-07-01 00:00:00', '2020-07-01 00:00:00'),", day(1, "10:00:00"), day(1, "18:00:00")) +
			fmt.Sprintf("(2, 5, 2, 1, 'yesterday', '%s', '%s', 1000, '2020-07-02 00:00:00', '2020-07-02 00:00:00')", day(-1, "10:00:00"), day(-1, "18:00:00")),
		"sql/timeslots": "INSERT INTO timeslots (id, venue_id, event_id, start_at, end_at) VALUES " + strings.Join(slots, ", "),
		"sql/reservations": "INSERT INTO reservations (id, user_id, event_id, num_of_resv, created_at, updated_at) VALUES " +
			"(1, 1, 1, 3, '2020-07-03 01:02:03', '2020-07-03 01:02:03'), (2, 2, 2, 1, '2020-07-03 01:02:03', '2020-07-03 01:02:03')",
	}
}

// startSite starts the servers on whatever rows fill writes.
func startSite(t *testing.T, key string, fill func(*site, *testing.T)) *site {
	t.Helper()
	s := &site{root: t.TempDir(), key: key, now: time.Now().UTC()}
	s.layOut(t)
	fill(s, t)
	dbPort, appPort, webPort := freePort(t), freePort(t), freePort(t)
	s.env = append(os.Environ(),
		"MYSQL_HOST=127.0.0.1", "MYSQL_PORT="+dbPort, "MYSQL_USER=ptc-user", "MYSQL_PASSWORD=nplus", "MYSQL_DATABASE=app",
		"JWT_SECRET_KEY="+key, "REVOCATION_LIST_PATH="+filepath.Join(s.root, "revocated_token.list"),
		"STATIC_DIR="+filepath.Join(s.root, "public"), "PORT="+appPort, "HOTSEAT_DATA="+s.root)
	s.startDatabase(t, dbPort)
	s.run(t, s.root, "sql/load.sh")

	app := filepath.Join(s.root, "app")
	s.run(t, app, "go", "build", "-o", "nplus", ".")
	cmd := exec.Command("./nplus")
	cmd.Dir, cmd.Env = app, s.env
	start(t, cmd)
	answers(t, "http://127.0.0.1:"+appPort)

	s.write(t, "nginx.conf", s.nginx(t, appPort, webPort))
	if err := os.MkdirAll(filepath.Join(s.root, "logs"), 0o777); err != nil {
		t.Fatal(err)
	}
	start(t, exec.Command("nginx", "-p", s.root, "-e", "stderr", "-c", filepath.Join(s.root, "nginx.conf"),
		"-g", "daemon off; pid "+filepath.Join(s.root, "nginx.pid")+";"))
	s.url = "http://127.0.0.1:" + webPort
	answers(t, s.url)
	return s
}

// nginx is the given configuration with the test's ports and folders.
func (s *site) nginx(t *testing.T, appPort, webPort string) string {
	t.Helper()
	given, err := os.ReadFile("etc/nginx/nginx.conf")
	if err != nil {
		t.Fatal(err)
	}
	temporary := ""
	for _, kind := range []string{"client_body", "proxy", "fastcgi", "uwsgi", "scgi"} {
		temporary += "    " + kind + "_temp_path " + filepath.Join(s.root, kind) + ";\n"
	}
	text := strings.NewReplacer("/var/log/nginx", filepath.Join(s.root, "logs"),
		"listen 80;", "listen 127.0.0.1:"+webPort+";", "127.0.0.1:5000", "127.0.0.1:"+appPort,
		"http {\n", "http {\n"+temporary).Replace(string(given))
	if os.Getuid() == 0 {
		return "user root;\n" + text // who alone may enter the test's folder
	}
	return text
}

// layOut makes the workspace as hotseat does: the .embed suffixes go.
func (s *site) layOut(t *testing.T) {
	t.Helper()
	for to, from := range map[string]string{"app": "app/go", "sql": "sql", "public": "public"} {
		if err := os.CopyFS(filepath.Join(s.root, to), os.DirFS(from)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		path := filepath.Join(s.root, "app", name)
		if err := os.Rename(path+".embed", path); err != nil {
			t.Fatal(err)
		}
	}
	environment, err := os.ReadFile("env.sh")
	if err != nil {
		t.Fatal(err)
	}
	s.write(t, "env.sh", string(environment))
}

// fill writes the rows and files that the generator would.
func (s *site) fill(t *testing.T) {
	t.Helper()
	for table, rows := range s.rows() {
		s.write(t, table+".sql", rows)
	}
	s.write(t, "public/img/default.png", defaultImage)
	s.write(t, "sql/seed.list", s.sign(pass{"user01", "audience", s.now.Unix(), s.now.AddDate(30, 0, 0).Unix()})+"\n")
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
	run, err := os.MkdirTemp("", "nplus")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	socket := filepath.Join(run, "mysql.sock")
	s.write(t, "my.cnf", strings.NewReplacer(
		"/var/lib/mysql/mysql.sock", socket,
		"/var/lib/mysql", filepath.Join(run, "data"),
		"port=3306", "port="+port+"\nbind-address=127.0.0.1",
		"buffer_pool_size=700M", "buffer_pool_size=64M",
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
		"CREATE USER `ptc-user`@'127.0.0.1' IDENTIFIED BY 'nplus'",
		"GRANT ALL ON *.* TO `ptc-user`@'127.0.0.1'",
	} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if s.db, err = sql.Open("mysql", "ptc-user:nplus@tcp(127.0.0.1:"+port+")/app"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.db.Close() })
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

func answers(t *testing.T, url string) {
	t.Helper()
	waitFor(t, url, func() error {
		response, err := http.Get(url)
		if err != nil {
			return err
		}
		return response.Body.Close()
	})
}

func waitFor(t *testing.T, what string, ready func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
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
