package isucon12q_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"database/sql"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"hotseat/problem/problemtest"
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
	dbPort, appPort, authPort := problemtest.FreePort(t), problemtest.FreePort(t), problemtest.FreePort(t)
	s.env = append(os.Environ(),
		"ISUCON_DB_HOST=127.0.0.1", "ISUCON_DB_PORT="+dbPort, "ISUCON_DB_USER=isucon", "ISUCON_DB_PASSWORD=isucon", "ISUCON_DB_NAME=isuports",
		"SERVER_APP_PORT="+appPort, "ISUCON_SQLITE_TRACE_FILE="+s.trace,
		"BLACKAUTH_PORT="+authPort, "HOTSEAT_DATA="+filepath.Join(s.root, "generated"))
	s.db = problemtest.StartDatabase(t, problemtest.Database{
		Config: "etc/my.cnf", Port: dbPort, User: "isucon", Password: "isucon", Name: "isuports",
	})
	problemtest.Run(t, s.root, s.env, "sql/admin/load.sh")

	c := commands[language]
	app := filepath.Join(s.root, "app")
	if c.build != nil {
		problemtest.Run(t, app, s.env, c.build...)
	}
	s.url = s.start(t, app, appPort, c.run...)
	auth := filepath.Join(s.root, "blackauth")
	problemtest.Run(t, auth, s.env, "go", "build", "-o", "blackauth", ".")
	s.auth = s.start(t, auth, authPort, "./blackauth")
	s.initialize(t)
	return s
}

// layOut makes the workspace as hotseat does: the .embed suffixes go.
func (s *site) layOut(t *testing.T, language string) {
	t.Helper()
	problemtest.Copy(t, s.root, map[string]string{"app": "app/" + language, "blackauth": "blackauth", "sql": "sql"})
	var err error
	if s.key, err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(&s.key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	problemtest.Write(t, s.root, "public.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: public})))
	problemtest.Write(t, s.root, "blackauth/isuports.pem", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(s.key)})))
	problemtest.Write(t, s.root, "generated/admin/90_data.sql", initialTenants)

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

// start runs a server until the test ends and returns its URL.
func (s *site) start(t *testing.T, dir, port string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, s.env
	problemtest.Start(t, cmd)
	url := "http://127.0.0.1:" + port
	problemtest.Answers(t, url)
	return url
}
