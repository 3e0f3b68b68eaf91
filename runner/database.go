package runner

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"hotseat"
	"hotseat/measure"
	"hotseat/problem"
	"hotseat/service"
	"hotseat/service/mariadb"
	"hotseat/stack"
)

// adminUser is a database user of ours that the contestant's settings do not
// touch. It has no password and comes by the socket only, whose folder only the
// owner of the workspace may enter.
const adminUser = "root"

// database is the MariaDB of a workspace.
type database struct {
	site    *site
	spec    *problem.Service
	tool    service.Tool
	socket  string
	dataDir string
}

// databaseOf finds the workspace's MariaDB.
func databaseOf(ctx context.Context, s *site) (*database, error) {
	tool, err := service.Find(ctx, "mariadbd")
	if err != nil {
		return nil, err
	}
	return &database{
		site: s, spec: s.workspace.Problem.Services["mariadb"], tool: tool, socket: s.socket,
		dataDir: filepath.Join(s.workspace.DataDir(), "mysql"),
	}, nil
}

// database finds the workspace's MariaDB and makes sure that it has its data.
func (r *Runner) database(ctx context.Context, s *site) (*database, error) {
	db, err := databaseOf(ctx, s)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(db.dataDir); err == nil {
		return db, nil
	}
	generated, err := s.workspace.Generated(ctx, r.CacheRoot)
	if err != nil {
		return nil, err
	}
	return db, r.restore(ctx, db, generated)
}

// restore copies the golden data, made of generated ones, into the workspace.
func (r *Runner) restore(ctx context.Context, db *database, generated string) error {
	golden, err := r.golden(ctx, db, generated)
	if err != nil {
		return err
	}
	done := r.Observer.step("Copying the golden database")
	err = mariadb.Copy(ctx, golden, db.dataDir)
	done(err)
	return err
}

// golden returns the data folder as the problem gives it, building it if the
// cache does not have it: the problem's own script fills an empty server.
func (r *Runner) golden(ctx context.Context, db *database, generated string) (string, error) {
	w := db.site.workspace
	g := mariadb.Golden{Server: db.tool, CacheDir: r.CacheRoot, Port: db.site.ports["db"], Args: goldenArgs(w)}
	key, err := goldenKey(w, db.tool.Version, generated, g.Args)
	if err != nil {
		return "", err
	}
	done := r.Observer.step("Building the golden database (once)")
	dir, err := g.Get(ctx, key, func(ctx context.Context, c mariadb.Conn) error {
		return r.fill(ctx, db, generated, c)
	})
	done(err)
	return dir, err
}

// goldenArgs are options that shape a data folder. The contest's own my.cnf is
// what the golden data are made for; a contestant's changes come after.
func goldenArgs(w *problem.Workspace) []string {
	return []string{"--character-set-server=utf8mb4"}
}

// goldenKey names the data folder by everything that shapes it.
func goldenKey(w *problem.Workspace, version, generated string, args []string) (string, error) {
	files, err := problem.HashFS(w.Problem.Files, "app", "faults", "ladder", "scenario", "README.md", "README.ja.md")
	if err != nil {
		return "", err
	}
	hash := revision(append([]string{"analyzed", files, version, filepath.Base(generated)}, args...)...)
	return w.Problem.ID + "-" + w.Config.Profile + "-" + hash[:16], nil
}

// fill makes the contest's user and lets the problem's own files, not the
// workspace's, load the data.
func (r *Runner) fill(ctx context.Context, db *database, generated string, c mariadb.Conn) error {
	conn, err := c.Open("")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	if err := createUser(ctx, conn, db.spec); err != nil {
		return err
	}
	w := db.site.workspace
	load := w.Problem.Loading()
	if len(load) == 0 {
		return nil
	}
	pristine, err := os.MkdirTemp("", "hotseat-golden-")
	if err != nil {
		return noSpaceHint(err)
	}
	defer func() { _ = os.RemoveAll(pristine) }()
	if err := w.Problem.LayOutLoading(ctx, pristine, generated); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, filepath.Join(pristine, load[0]), load[1:]...)
	cmd.Dir = pristine
	cmd.Env = slices.Concat(os.Environ(), db.site.env(), []string{"HOTSEAT_DATA=" + generated})
	if out, err := cmd.CombinedOutput(); err != nil {
		return hotseat.Invalid("this is the problem's own script; hotseat doctor tells what the machine lacks",
			"load the data: %s: %w", strings.Join(load, " "), err).WithDetail(string(out))
	}
	return nil
}

// createUser makes the user of the contest's image, with all rights.
func createUser(ctx context.Context, conn *sql.DB, spec *problem.Service) error {
	statements := []string{"DELETE FROM mysql.global_priv WHERE User = ''", "FLUSH PRIVILEGES"}
	if spec.User != "" && spec.User != "root" {
		for _, host := range []string{"localhost", "127.0.0.1", "%"} {
			statements = append(statements,
				fmt.Sprintf("CREATE USER IF NOT EXISTS %s@%s IDENTIFIED BY %s", quoteSQL(spec.User), quoteSQL(host), quoteSQL(spec.Password)),
				fmt.Sprintf("GRANT ALL ON *.* TO %s@%s WITH GRANT OPTION", quoteSQL(spec.User), quoteSQL(host)))
		}
	}
	for _, s := range statements {
		if _, err := conn.ExecContext(ctx, s); err != nil {
			return fmt.Errorf("make the contest's database user: %w", err)
		}
	}
	return nil
}

// quoteSQL writes a string literal.
func quoteSQL(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `\'`).Replace(s) + "'"
}

// process says how the workspace's MariaDB runs.
func (db *database) process(ctx context.Context) (stack.Process, error) {
	w := db.site.workspace
	return mariadb.Config{
		Tool: db.tool, Source: filepath.Join(w.Dir, filepath.FromSlash(db.spec.Config)), Out: db.site.effective(db.spec.Config),
		DataDir: db.dataDir, RunDir: w.RunDir(), Socket: db.socket, Port: db.site.ports[db.spec.Port],
		Substitution: db.site.subst,
	}.Prepare(ctx)
}

// counters reads the server's status.
func (db *database) counters(ctx context.Context) (measure.Counters, error) {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	conn, err := mariadb.Conn{Socket: db.socket, User: adminUser}.Open("")
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }()
	rows, err := conn.QueryContext(ctx, "SHOW GLOBAL STATUS")
	if err != nil {
		return nil, fmt.Errorf("read the database's status: %w", err)
	}
	defer func() { _ = rows.Close() }()
	counters := measure.Counters{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			return nil, err
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			counters[name] = n
		}
	}
	return counters, rows.Err()
}

// Reset brings the golden data back and then runs the workspace's migrate hook.
// A stack that was up is up again afterwards.
func (r *Runner) Reset(ctx context.Context, w *problem.Workspace) error {
	s, err := siteOf(w)
	if err != nil {
		return err
	}
	wasUp := r.IsUp(ctx, w)
	if err := r.Down(ctx, w); err != nil {
		return err
	}
	generated, err := w.Problem.Generated(ctx, r.CacheRoot, w.Config.Profile)
	if err != nil {
		return err
	}
	if w.Problem.Services["mariadb"] != nil {
		db, err := databaseOf(ctx, s)
		if err != nil {
			return err
		}
		if err := r.restore(ctx, db, generated); err != nil {
			return err
		}
	}
	if err := r.resetData(ctx, w, generated); err != nil {
		return err
	}
	hook := w.Config.Hooks.Migrate
	if len(hook) == 0 && !wasUp {
		return nil
	}
	up, err := r.Up(ctx, w)
	if err != nil {
		return err
	}
	if len(hook) > 0 {
		done := r.Observer.step("Running the migrate hook")
		cmd := exec.CommandContext(ctx, hook[0], hook[1:]...)
		cmd.Dir, cmd.Env = w.Dir, up.Env
		out, err := cmd.CombinedOutput()
		done(err)
		if err != nil {
			return hotseat.Invalid("hooks.migrate in hotseat.toml names it", "migrate hook %s: %w", strings.Join(hook, " "), err).
				WithDetail(string(out))
		}
	}
	if !wasUp {
		return r.Down(ctx, w)
	}
	return nil
}

// resetData brings back the generated data that no server keeps.
func (r *Runner) resetData(ctx context.Context, w *problem.Workspace, generated string) error {
	done := func(error) {}
	if len(w.Problem.Data.Reset) > 0 {
		done = r.Observer.step("Copying the golden files")
	}
	err := noSpaceHint(w.ResetData(ctx, generated))
	done(err)
	return err
}

// SQL returns the command line of a client for the stack's database, as the
// contest's user, and its environment.
func (r *Runner) SQL(ctx context.Context, w *problem.Workspace) (argv, env []string, err error) {
	spec := w.Problem.Services["mariadb"]
	if spec == nil {
		return nil, nil, hotseat.NotFound("", "%s has no database server", w.Problem.ID)
	}
	s, err := siteOf(w)
	if err != nil {
		return nil, nil, err
	}
	if !r.IsUp(ctx, w) {
		return nil, nil, hotseat.NotFound("hotseat up", "the stack is not up")
	}
	tool, err := service.Find(ctx, "mariadb")
	if err != nil {
		return nil, nil, err
	}
	argv = []string{tool.Path, "--no-defaults", "--protocol=TCP", "--host=127.0.0.1", "--port=" + strconv.Itoa(s.ports[spec.Port]),
		"--user=" + spec.User, "--default-character-set=utf8mb4", spec.Database}
	return argv, append(os.Environ(), "MYSQL_PWD="+spec.Password), nil
}
