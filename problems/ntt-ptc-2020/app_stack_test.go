package nttptc2020_test

import (
	"crypto/sha3"
	"database/sql"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotseat/problem/problemtest"
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
	problemtest.Copy(t, s.root, map[string]string{"app": "app/go", "sql": "sql", "public": "public", "env.sh": "env.sh"})
	fill(s, t)
	dbPort, appPort, webPort := problemtest.FreePort(t), problemtest.FreePort(t), problemtest.FreePort(t)
	s.env = append(os.Environ(),
		"MYSQL_HOST=127.0.0.1", "MYSQL_PORT="+dbPort, "MYSQL_USER=ptc-user", "MYSQL_PASSWORD=nplus", "MYSQL_DATABASE=app",
		"JWT_SECRET_KEY="+key, "REVOCATION_LIST_PATH="+filepath.Join(s.root, "revocated_token.list"),
		"STATIC_DIR="+filepath.Join(s.root, "public"), "PORT="+appPort, "HOTSEAT_DATA="+s.root)
	s.db = problemtest.StartDatabase(t, problemtest.Database{
		Config: "etc/my.cnf", Replace: []string{"buffer_pool_size=700M", "buffer_pool_size=64M"},
		Port: dbPort, User: "ptc-user", Password: "nplus", Name: "app",
	})
	problemtest.Run(t, s.root, s.env, "sql/load.sh")

	app := filepath.Join(s.root, "app")
	problemtest.Run(t, app, s.env, "go", "build", "-o", "nplus", ".")
	cmd := exec.Command("./nplus")
	cmd.Dir, cmd.Env = app, s.env
	problemtest.Start(t, cmd)
	problemtest.Answers(t, "http://127.0.0.1:"+appPort)

	problemtest.Write(t, s.root, "nginx.conf", s.nginx(t, appPort, webPort))
	if err := os.MkdirAll(filepath.Join(s.root, "logs"), 0o777); err != nil {
		t.Fatal(err)
	}
	problemtest.Start(t, exec.Command("nginx", "-p", s.root, "-e", "stderr", "-c", filepath.Join(s.root, "nginx.conf"),
		"-g", "daemon off; pid "+filepath.Join(s.root, "nginx.pid")+";"))
	s.url = "http://127.0.0.1:" + webPort
	problemtest.Answers(t, s.url)
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

// fill writes the rows and files that the generator would.
func (s *site) fill(t *testing.T) {
	t.Helper()
	for table, rows := range s.rows() {
		problemtest.Write(t, s.root, table+".sql", rows)
	}
	problemtest.Write(t, s.root, "public/img/default.png", defaultImage)
	problemtest.Write(t, s.root, "sql/seed.list", s.sign(pass{"user01", "audience", s.now.Unix(), s.now.AddDate(30, 0, 0).Unix()})+"\n")
}
