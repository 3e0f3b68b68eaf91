package runner

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hotseat"
	"hotseat/problem"
	"hotseat/service"
	"hotseat/stack"
)

// site is where a workspace's stack lives on this machine: its leased ports, its
// folders, and what its environment and configuration become there.
type site struct {
	workspace *problem.Workspace
	ports     map[string]int // by the name of the address
	canonical map[string]int
	subst     service.Substitution
	socket    string // of the database; empty without one
	measured  bool   // the rendered configuration has log lines of ours
}

// Canonical ports of servers that a contestant may add.
const (
	redisPort     = 6379
	memcachedPort = 11211
)

// siteOf leases the ports of a workspace; they stay the same from one time to
// the next.
func siteOf(w *problem.Workspace) (*site, error) {
	if err := service.CheckDir(w.Dir); err != nil {
		return nil, err
	}
	registry, err := stack.DefaultPorts()
	if err != nil {
		return nil, err
	}
	s := &site{workspace: w, canonical: canonicalPorts(w)}
	names := slices.Sorted(maps.Keys(s.canonical))
	if s.ports, err = registry.Lease(w.Dir, names); err != nil {
		return nil, err
	}
	for _, name := range names {
		s.subst.Addresses = append(s.subst.Addresses, service.Address{Name: name, CanonicalPort: s.canonical[name], Port: s.ports[name]})
	}
	for _, p := range w.Problem.Paths {
		base, rest, _ := strings.Cut(p.To, ":")
		to := map[string]string{"workspace": w.Dir, "run": w.RunDir(), "data": w.DataDir()}[base]
		s.subst.Paths = append(s.subst.Paths, service.PathMap{From: strings.TrimSuffix(p.From, "/"), To: filepath.Join(to, rest)})
	}
	if w.Problem.Services["mariadb"] != nil {
		if s.socket, err = stack.SocketPath(w.RunDir(), "mysql.sock"); err != nil {
			return nil, err
		}
		for _, from := range databaseSockets {
			s.subst.Paths = append(s.subst.Paths, service.PathMap{From: from, To: s.socket})
		}
	}
	return s, nil
}

// databaseSockets are where distributions and contests put the database's
// socket; all of them mean the workspace's.
var databaseSockets = []string{
	"/var/lib/mysql/mysql.sock", "/var/run/mysqld/mysqld.sock", "/run/mysqld/mysqld.sock", "/tmp/mysql.sock",
}

// canonicalPorts are the ports that configuration may name: the problem's, one
// for each further app process, and those of added servers.
func canonicalPorts(w *problem.Workspace) map[string]int {
	ports := map[string]int{}
	for _, a := range w.Problem.Addresses {
		ports[a.Name] = a.Port
	}
	for i := 2; i <= w.Config.App.Processes; i++ {
		ports[appName(i)] = w.Problem.AppPort(i)
	}
	if w.Config.Redis != nil {
		ports["redis"] = redisPort
	}
	if w.Config.Memcached != nil {
		ports["memcached"] = memcachedPort
	}
	return ports
}

// appName names the i-th app process, from 1.
func appName(i int) string {
	if i == 1 {
		return "app"
	}
	return "app" + strconv.Itoa(i)
}

// address is where the server of that name listens.
func (s *site) address(name string) string {
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(s.ports[name]))
}

// url is where the benchmark goes.
func (s *site) url() string {
	entry := s.workspace.Entry()
	return s.workspace.Problem.Scheme(entry) + "://" + s.address(entry)
}

// env is the environment of the init script, with canonical addresses, ports and
// paths replaced. A bare number counts as a port where the variable's name ends
// in PORT.
func (s *site) env() []string {
	env := maps.Clone(s.workspace.Problem.Env)
	if env == nil {
		env = map[string]string{}
	}
	maps.Copy(env, s.workspace.Config.Env)
	var out []string
	for _, k := range slices.Sorted(maps.Keys(env)) {
		out = append(out, k+"="+s.value(k, env[k]))
	}
	return out
}

func (s *site) value(name, text string) string {
	if canonical, err := strconv.Atoi(text); err == nil && strings.HasSuffix(name, "PORT") {
		if port, ok := s.subst.Port(canonical); ok {
			return strconv.Itoa(port)
		}
	}
	return s.subst.Text(text)
}

// appEnv is the environment of the i-th app process: the common one, the app's
// own, and the canonical port of the app replaced by that process's.
func (s *site) appEnv(i int) []string {
	env := s.env()
	own := s.workspace.Config.App.Env
	for _, k := range slices.Sorted(maps.Keys(own)) {
		env = append(env, k+"="+s.value(k, own[k]))
	}
	if i == 1 {
		return env
	}
	first, mine := strconv.Itoa(s.ports["app"]), strconv.Itoa(s.ports[appName(i)])
	for n, kv := range env {
		if k, v, _ := strings.Cut(kv, "="); v == first && strings.HasSuffix(k, "PORT") {
			env[n] = k + "=" + mine
		}
	}
	return env
}

// appAddress is where the i-th app process is to be found.
func (s *site) appAddress(i int) string {
	listen := s.workspace.Config.App.Listen
	if strings.HasPrefix(listen, "unix:") {
		return "unix:" + s.subst.Text(strings.TrimPrefix(listen, "unix:"))
	}
	return s.address(appName(i))
}

// processEnv is the environment of a process of the problem's own.
func (s *site) processEnv(p *problem.Process) []string {
	env := s.env()
	for _, k := range slices.Sorted(maps.Keys(p.Env)) {
		env = append(env, k+"="+s.value(k, p.Env[k]))
	}
	return env
}

// render writes the copy of a configuration file that a server runs with, and
// returns its path.
func (s *site) effective(name string) string {
	return filepath.Join(s.workspace.RunDir(), "effective", filepath.FromSlash(name))
}

// readConfig reads a configuration file of the workspace.
func (s *site) readConfig(name string) (string, error) {
	text, err := os.ReadFile(filepath.Join(s.workspace.Dir, filepath.FromSlash(name)))
	if err != nil {
		return "", hotseat.Invalid("bring it back: git checkout -- "+name, "the stack's configuration: %w", err)
	}
	return string(text), nil
}

// writeEffective keeps the copy that runs.
func (s *site) writeEffective(name, text string) (string, error) {
	path := s.effective(name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return "", hotseat.Unavailable("", "write the rendered configuration: %w", err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		return "", noSpaceHint(fmt.Errorf("write the rendered configuration: %w", err))
	}
	return path, nil
}

// buildState remembers what the app was last built from.
type buildState struct {
	Source string   `json:"source"` // hash of the source
	Build  []string `json:"build"`
	Result string   `json:"result"` // hash of what came out
}

// buildFile is where the last build of that name is remembered.
func (s *site) buildFile(name string) string {
	if name == "app" {
		return filepath.Join(s.workspace.StateDir(), "build.json")
	}
	return filepath.Join(s.workspace.StateDir(), "build-"+name+".json")
}

func (s *site) lastBuild(name string) buildState {
	var b buildState
	if text, err := os.ReadFile(s.buildFile(name)); err == nil {
		_ = json.Unmarshal(text, &b) // unreadable: as if there had been none
	}
	return b
}

func (s *site) rememberBuild(name string, b buildState) error {
	text, err := json.Marshal(b)
	if err != nil {
		return err
	}
	return os.WriteFile(s.buildFile(name), text, 0o644)
}

// revision is a short hash of what a process runs with.
func revision(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		_, _ = fmt.Fprintf(h, "%d:%s", len(p), p) // a hash takes everything
	}
	return hex.EncodeToString(h.Sum(nil))
}
