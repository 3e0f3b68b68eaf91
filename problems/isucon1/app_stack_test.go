package isucon1_test

import (
	"database/sql"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"hotseat/problem/problemtest"
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
	problemtest.Copy(t, s.root, map[string]string{"app": "app", "etc": "etc", "sql": "sql", "load.sh": "load.sh", "env.sh": "env.sh"})
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
	s.port = problemtest.FreePort(t)
	s.env = append(os.Environ(), "ISUCON_DB_HOST=127.0.0.1", "ISUCON_DB_PORT="+s.port)
	s.db = problemtest.StartDatabase(t, problemtest.Database{
		Config: "etc/my.cnf", Port: s.port, User: "isuconapp", Password: "sidebar", Name: "isucon",
	})
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
	problemtest.Run(t, source, os.Environ(), "go", "build", "-o", "webapp", ".")
	port := problemtest.FreePort(t)
	app := exec.Command(filepath.Join(s.root, "env.sh"), "./webapp")
	app.Dir = source
	app.Env = append(slices.Clone(s.env), "PORT="+port, "STATIC_DIR="+filepath.Join(s.root, "public"))
	problemtest.Start(t, app)
	s.url = "http://127.0.0.1:" + port
	problemtest.Answers(t, s.url+"/favicon.ico")
}
