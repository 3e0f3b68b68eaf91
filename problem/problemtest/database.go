package problemtest

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	_ "github.com/go-sql-driver/mysql" // the driver of what StartDatabase returns
)

// Database is a MariaDB as a problem has it.
type Database struct {
	Config               string   // path of the given my.cnf
	Replace              []string // in Config, old and new in turn, besides paths and port
	Port                 string   // on 127.0.0.1, in place of 3306
	User, Password, Name string   // of the account and the database that the app uses
}

// StartDatabase runs a new, empty server until the test ends and returns the
// app's view of it. The account may do everything; the database is not there yet.
func StartDatabase(t testing.TB, d Database) *sql.DB {
	t.Helper()
	// A socket's path may have 107 bytes at most; t.TempDir is longer at times.
	run, err := os.MkdirTemp("", "hs-db")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(run) })
	socket := filepath.Join(run, "mysql.sock")
	given, err := os.ReadFile(d.Config)
	if err != nil {
		t.Fatal(err)
	}
	config := strings.NewReplacer(append([]string{
		"/var/lib/mysql/mysql.sock", socket,
		"/var/lib/mysql", filepath.Join(run, "data"),
		"port=3306", "port=" + d.Port + "\nbind-address=127.0.0.1",
	}, d.Replace...)...).Replace(string(given))
	Write(t, run, "my.cnf", config)

	options := []string{"--defaults-file=" + filepath.Join(run, "my.cnf"), "--innodb-log-file-size=16M"}
	if os.Getuid() == 0 {
		options = append(options, "--user=root")
	}
	Run(t, run, os.Environ(), append([]string{"mariadb-install-db"}, append(options,
		"--auth-root-authentication-method=normal", "--skip-test-db", "--debug-no-sync")...)...)
	Start(t, exec.Command("mariadbd", options...))

	root, err := sql.Open("mysql", "root@unix("+socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = root.Close() }()
	WaitFor(t, "MariaDB", root.Ping)
	account := fmt.Sprintf("`%s`@'127.0.0.1'", d.User)
	for _, statement := range []string{
		fmt.Sprintf("CREATE USER %s IDENTIFIED BY '%s'", account, d.Password),
		"GRANT ALL ON *.* TO " + account,
	} {
		if _, err := root.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	db, err := sql.Open("mysql", fmt.Sprintf("%s:%s@tcp(127.0.0.1:%s)/%s", d.User, d.Password, d.Port, d.Name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}
