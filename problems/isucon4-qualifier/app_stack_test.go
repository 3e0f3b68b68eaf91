package isucon4q_test

import (
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hotseat/problem/problemtest"
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
	dbPort, appPort := problemtest.FreePort(t), problemtest.FreePort(t)
	b.env = append(os.Environ(),
		"ISU4_DB_HOST=127.0.0.1", "ISU4_DB_PORT="+dbPort,
		"PORT="+appPort, "STATIC_DIR="+filepath.Join(b.root, "public"))
	b.db = problemtest.StartDatabase(t, problemtest.Database{
		Config: "etc/my.cnf", Port: dbPort, User: "isucon", Password: "isucon", Name: "isu4_qualifier",
	})
	b.initialize(t)
	b.startApp(t, appPort)
	return b
}

// layOut makes the workspace as hotseat does: the .embed suffixes go.
func (b *bank) layOut(t *testing.T) {
	t.Helper()
	problemtest.Copy(t, b.root, map[string]string{"app": "app", "etc": "etc", "sql": "sql", "init.sh": "init.sh", "env.sh": "env.sh"})
	var users strings.Builder
	users.WriteString("INSERT INTO users (id, login, password_hash, salt) VALUES ")
	for i, login := range logins {
		if i > 0 {
			users.WriteString(",")
		}
		fmt.Fprintf(&users, "(%d,'%s',SHA2('pass-%s:salt',256),'salt')", i+1, login, login)
	}
	problemtest.Write(t, b.root, "sql/dummy_users.sql", users.String()+";\n")
	problemtest.Write(t, b.root, "sql/dummy_log.sql", smallLog)
	problemtest.Write(t, b.root, "public/stylesheets/isucon-bank.css", "body {}\n")
	problemtest.Write(t, b.root, "public/images/isucon-bank.png", "\x89PNG\r\n\x1a\n")
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
	problemtest.Run(t, source, os.Environ(), "go", "build", "-o", "webapp", ".")
	app := exec.Command(filepath.Join(b.root, "env.sh"), "./webapp")
	app.Dir, app.Env = source, b.env
	problemtest.Start(t, app)
	b.url = "http://127.0.0.1:" + port
	problemtest.Answers(t, b.url+"/images/isucon-bank.png")
}
