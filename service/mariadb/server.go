// Package mariadb runs the contestant's MariaDB: it renders their my.cnf,
// says how the server is started, and keeps golden data folders so that a new
// workspace has its data within a second.
package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"

	"hotseat"
	"hotseat/service"
	"hotseat/stack"
)

// Config is a MariaDB of a workspace.
type Config struct {
	Name string // of the process; empty means mariadb
	Tool service.Tool
	// Source is the contestant's my.cnf; empty means none.
	Source string
	// Out is the rendered file.
	Out string
	// DataDir is the data folder; it must hold a database.
	DataDir string
	// RunDir is where the pid file and logs go.
	RunDir string
	// Socket is where the server listens for clients on this machine;
	// stack.SocketPath finds a path that is short enough.
	Socket string
	// Port is the leased TCP port; zero means no TCP.
	Port         int
	Substitution service.Substitution
	After        []string
}

// canonicalPaths are where distributions keep a server's files. A problem's own
// declarations win.
func (c Config) canonicalPaths() []service.PathMap {
	logs := filepath.Join(c.RunDir, "logs")
	paths := []service.PathMap{
		{From: "/var/lib/mysql", To: c.DataDir},
		{From: "/var/log/mysql", To: logs},
		{From: "/var/log/mariadb", To: logs},
		{From: "/var/log/mysqld.log", To: filepath.Join(logs, "mysqld.log")},
	}
	for _, socket := range []string{
		"/var/lib/mysql/mysql.sock", "/var/run/mysqld/mysqld.sock", "/run/mysqld/mysqld.sock", "/tmp/mysql.sock",
	} {
		paths = append(paths, service.PathMap{From: socket, To: c.Socket})
	}
	for _, run := range []string{"/var/run/mysqld", "/run/mysqld", "/var/run/mariadb", "/run/mariadb"} {
		paths = append(paths, service.PathMap{From: run, To: c.RunDir})
	}
	return paths
}

// Prepare renders my.cnf and returns the process to run. The data folder,
// socket, port and pid file are always ours, whatever the file says; the address
// to bind is 127.0.0.1 unless the file names one.
func (c Config) Prepare(context.Context) (stack.Process, error) {
	if c.Name == "" {
		c.Name = "mariadb"
	}
	if err := service.CheckDir(c.DataDir); err != nil {
		return stack.Process{}, err
	}
	var text []byte
	if c.Source != "" {
		var err error
		if text, err = os.ReadFile(c.Source); err != nil {
			return stack.Process{}, hotseat.NotFound("restore it, or `hotseat init` another workspace", "read MariaDB's configuration: %w", err)
		}
	}
	rendered, settings := Render(string(text), c.Substitution.With(c.canonicalPaths()...))
	for _, dir := range []string{filepath.Dir(c.Out), filepath.Join(c.RunDir, "logs"), c.temp()} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return stack.Process{}, hotseat.Unavailable("", "write MariaDB's configuration: %w", err)
		}
	}
	if err := os.WriteFile(c.Out, []byte(rendered), 0o644); err != nil {
		return stack.Process{}, hotseat.Unavailable("", "write MariaDB's configuration: %w", err)
	}
	revision, err := service.Digest(c.Out, c.Tool.Path)
	if err != nil {
		return stack.Process{}, err
	}
	p := stack.Process{
		Name: c.Name, After: c.After, Dir: c.RunDir, Revision: revision,
		Argv: c.argv(settings), NoFile: 32768,
		Ready: []stack.Probe{{Kind: stack.ProbeMariaDB, Address: "unix:" + c.Socket}},
		// Recovery after a crash in the middle of a load takes its time, and so
		// does writing out a large buffer pool.
		ReadyTimeout: stack.Duration(2 * time.Minute), Grace: stack.Duration(30 * time.Second),
	}
	if c.Port != 0 && !settings.Has("networking") {
		p.Ready = append(p.Ready, stack.Probe{Kind: stack.ProbeMariaDB, Address: "127.0.0.1:" + strconv.Itoa(c.Port)})
	}
	return p, nil
}

// argv is the server's command line. --defaults-file must come first, or the
// machine's own /etc/mysql is read as well; later options win over the file.
func (c Config) argv(settings Settings) []string {
	argv := []string{
		c.Tool.Path, "--defaults-file=" + c.Out,
		"--datadir=" + c.DataDir, "--socket=" + c.Socket,
		"--pid-file=" + filepath.Join(c.RunDir, c.name()+".pid"),
	}
	if c.Port == 0 {
		argv = append(argv, "--skip-networking")
	} else {
		argv = append(argv, "--port="+strconv.Itoa(c.Port))
	}
	if !settings.Has("bind-address") {
		argv = append(argv, "--bind-address=127.0.0.1")
	}
	if !settings.Has("tmpdir") {
		argv = append(argv, "--tmpdir="+c.temp())
	}
	return append(argv, asRoot()...)
}

// temp is where temporary tables go. In the folder that servers share by
// themselves, each that starts removes those of all others.
func (c Config) temp() string { return filepath.Join(c.RunDir, "temp", c.name()) }

func (c Config) name() string {
	if c.Name == "" {
		return "mariadb"
	}
	return c.Name
}

// asRoot is what the server demands before it runs with root's rights.
func asRoot() []string {
	if os.Geteuid() == 0 {
		return []string{"--user=root"}
	}
	return nil
}

// Conn is how to reach a server as its administrator.
type Conn struct {
	Socket   string
	User     string
	Password string
}

// dsn is the connection as go-sql-driver/mysql takes it. The database may be
// empty.
func (c Conn) dsn(database string) string {
	password := ""
	if c.Password != "" {
		password = ":" + c.Password
	}
	return fmt.Sprintf("%s%s@unix(%s)/%s?multiStatements=true&interpolateParams=true", c.User, password, c.Socket, database)
}

// Open returns a pool of connections. What the driver would say on standard error
// when one breaks, for instance because the server was restarted, comes back as an
// error too, and nobody needs to read it twice.
func (c Conn) Open(database string) (*sql.DB, error) {
	config, err := mysql.ParseDSN(c.dsn(database))
	if err != nil {
		return nil, err
	}
	config.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(connector), nil
}
