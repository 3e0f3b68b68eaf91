package problem

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hotseat"
)

// Manifest is problem.toml: everything about a problem that is not code.
type Manifest struct {
	ID      string `toml:"id"`      // folder name and command-line name: isucon4-qualifier
	Title   string `toml:"title"`   // one line for people
	Summary string `toml:"summary"` // a sentence or two: what is slow, what is learned
	Version string `toml:"version"` // of the problem as a whole; part of every result

	Languages []string        `toml:"languages"` // first is the default
	Packages  []string        `toml:"packages"`  // Debian packages that every app, script or the generator needs, besides the servers
	App       map[string]*App `toml:"app"`       // by language

	Addresses []Address           `toml:"address"`
	Paths     []Path              `toml:"path"`
	Services  map[string]*Service `toml:"service"`
	Processes map[string]*Process `toml:"process"` // programs of the problem's own besides the app
	Env       map[string]string   `toml:"env"`     // of the app, the processes, the init script and `hotseat env`; canonical addresses in it are rendered

	Init      Init      `toml:"init"`
	Data      Data      `toml:"data"`
	Benchmark Benchmark `toml:"benchmark"`
	Judge     Judge     `toml:"judge"`
}

// App is how one language's implementation is built and run as given. It is
// copied into the workspace's hotseat.toml, where the contestant changes it.
type App struct {
	Build     []string          `toml:"build"`     // argv in the app's folder; empty: nothing to build
	Command   []string          `toml:"command"`   // argv in the app's folder
	Artifacts []string          `toml:"artifacts"` // what the build writes, relative to the app's folder: not source
	Env       map[string]string `toml:"env"`       // added to the manifest's
	Packages  []string          `toml:"packages"`  // Debian packages that it needs to build and run, besides the language's compiler
	MemoryMB  int               `toml:"memory_mb"` // what all its processes together may hold, in 2^20 bytes, as MemoryLimit= of its service unit said; 0: no limit
}

// Address is a canonical address of the contest: the port that configuration
// files name. A stack listens elsewhere; the rendered copy says where.
type Address struct {
	Name   string `toml:"name"` // "web" is where the benchmark goes, if there is one; "app" where the first app process listens
	Port   int    `toml:"port"`
	Scheme string `toml:"scheme"` // "http", which is the default, or "https"
}

// Path is a canonical path of the contest's server and what stands for it here.
type Path struct {
	From string `toml:"from"` // absolute
	To   string `toml:"to"`   // relative to a base: workspace:…, run:… or data:…
}

// Service is a server of the stack other than the app.
type Service struct {
	Config string   `toml:"config"` // in the workspace: etc/nginx/nginx.conf
	After  []string `toml:"after"`  // names of services, processes or "app" that must be ready before
	Port   string   `toml:"port"`   // name of the address it listens on

	// MariaDB only: what the contest's image had.
	Database string `toml:"database"`
	User     string `toml:"user"`
	Password string `toml:"password"`
}

// Init is how the contest initialised before a run.
type Init struct {
	Command  []string `toml:"command"`   // argv in the workspace; empty: the benchmark initialises over HTTP, or the contest did not at all
	TimeoutS float64  `toml:"timeout_s"` // how long it may take
}

// Timeout is how long initialising may take.
func (i Init) Timeout() time.Duration { return time.Duration(i.TimeoutS * float64(time.Second)) }

// Data says what the generated data are and where they go.
type Data struct {
	Profile   string   `toml:"profile"`   // the scale that `init` lays out: full
	Generator []string `toml:"generator"` // argv, for problems whose generator is not compiled in: called with --dir and --profile
	Workspace []string `toml:"workspace"` // generated files and folders that are laid out in the workspace
	Ignored   []string `toml:"ignored"`   // those of them that its git ignores
	Truth     string   `toml:"truth"`     // the generated folder that --data points to
	// Load is the argv, in the workspace, of what fills an empty database; empty:
	// what initialises does. It finds the generated folder by HOTSEAT_DATA.
	Load []string `toml:"load"`
	// Reset lists those of Workspace that are data as the database is: `hotseat
	// reset` brings them back. What fills the database does without them.
	Reset []string `toml:"reset"`
	// Copies are folders of the workspace that begin as a copy of another, which
	// Reset lists: what the app works on, by what it is initialised from.
	Copies map[string]string `toml:"copies"`
}

// Benchmark is the program that loads, checks and scores.
type Benchmark struct {
	Command   []string          `toml:"command"` // argv relative to the problem's folder; empty: compiled in
	LoadS     float64           `toml:"load_s"`  // default of --duration
	LimitS    float64           `toml:"limit_s"` // everything besides the load: after load + limit the run is ended as infra
	Params    map[string]string `toml:"params"`  // defaults of --param
	Replay    bool              `toml:"replay"`  // an executable of its own knows --replay
	ExtraHelp string            `toml:"help"`    // what the parameters mean, for --help
}

// Load is the default duration of the load.
func (b Benchmark) Load() time.Duration { return time.Duration(b.LoadS * float64(time.Second)) }

// Limit is how long a run may take besides the load.
func (b Benchmark) Limit() time.Duration { return time.Duration(b.LimitS * float64(time.Second)) }

// Judge is the profile in which `hotseat judge` runs the benchmark: small data,
// an app whose speed is no obstacle, and parameters by which every rule is
// reached within seconds.
type Judge struct {
	Profile string            `toml:"profile"` // of the data
	Patch   string            `toml:"patch"`   // applied to the workspace first: the indexed app
	LoadS   float64           `toml:"load_s"`
	Params  map[string]string `toml:"params"`
	Vary    string            `toml:"vary"`  // parameter that --repeat gives 1 to 8 in turn; empty: none
	Reset   bool              `toml:"reset"` // golden data before each case: where no run initialises, a fault's traces stay
}

// Load is the duration of the load of one case.
func (j Judge) Load() time.Duration { return time.Duration(j.LoadS * float64(time.Second)) }

// kinds are the services that this version can run.
var kinds = []string{"mariadb", "memcached", "nginx", "redis"}

// identifier is what ids, languages and address names look like.
var identifier = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// DefaultLimit bounds a run besides its load where problem.toml says nothing.
const DefaultLimit = 240 * time.Second

// ParseManifest reads problem.toml. Errors name the file, the line and what was
// expected there.
func ParseManifest(file string, text []byte) (*Manifest, error) {
	var m Manifest
	d, err := decode(file, text, &m)
	if err != nil {
		return nil, err
	}
	if err := m.validate(d); err != nil {
		return nil, err
	}
	if m.Benchmark.LimitS == 0 {
		m.Benchmark.LimitS = DefaultLimit.Seconds()
	}
	return &m, nil
}

func (m *Manifest) validate(d *document) error {
	switch {
	case !identifier.MatchString(m.ID):
		return d.expect("id", "an id of lower-case letters, digits and hyphens, such as isucon4-qualifier")
	case m.Title == "":
		return d.expect("title", "a title of one line")
	case m.Version == "":
		return d.expect("version", `a version, such as "1"`)
	case len(m.Languages) == 0:
		return d.expect("languages", `at least one language, such as ["go"]`)
	case m.Init.TimeoutS < 0:
		return d.expect("init.timeout_s", "seconds, 0 or more")
	case len(m.Init.Command) > 0 && m.Init.TimeoutS == 0:
		return d.expect("init.timeout_s", "how many seconds the init command may take")
	case m.Benchmark.LoadS <= 0:
		return d.expect("benchmark.load_s", "seconds, more than 0")
	case m.Benchmark.LimitS < 0:
		return d.expect("benchmark.limit_s", "seconds, 0 or more")
	}
	for _, lang := range m.Languages {
		app := m.App[lang]
		if app == nil {
			return d.expect("languages", "a table [app."+lang+"] for each language")
		}
		if len(app.Command) == 0 {
			return d.expect("app."+lang+".command", `the command that starts the app, such as ["./webapp"]`)
		}
		if app.MemoryMB < 0 {
			return d.expect("app."+lang+".memory_mb", "megabytes, 0 or more")
		}
	}
	if err := m.validateAddresses(d); err != nil {
		return err
	}
	for _, p := range m.Paths {
		base, _, ok := strings.Cut(p.To, ":")
		if !strings.HasPrefix(p.From, "/") || !ok || !slices.Contains([]string{"workspace", "run", "data"}, base) {
			return d.expect("path", `from = an absolute path and to = "workspace:…", "run:…" or "data:…"`)
		}
	}
	for name, s := range m.Services {
		if err := m.validateService(d, name, s); err != nil {
			return err
		}
	}
	for name, p := range m.Processes {
		if err := m.validateProcess(d, name, p); err != nil {
			return err
		}
	}
	return m.validateData(d)
}

// Loading is the argv, in a workspace, of what fills an empty database server
// with the data as the contest gave them; empty if nothing does. Contests that
// initialise before each run do it with the same command.
func (m *Manifest) Loading() []string {
	if len(m.Data.Load) > 0 {
		return m.Data.Load
	}
	return m.Init.Command
}

func (m *Manifest) validateAddresses(d *document) error {
	seen := map[string]bool{}
	for _, a := range m.Addresses {
		if !identifier.MatchString(a.Name) || a.Port < 1 || a.Port > 65535 {
			return d.expect("address", "a name and a port from 1 to 65535")
		}
		if seen[a.Name] || seen[strconv.Itoa(a.Port)] {
			return d.expect("address", "each name and each port once, but "+a.Name+" or "+strconv.Itoa(a.Port)+" is there twice")
		}
		if a.Scheme != "" && a.Scheme != "http" && a.Scheme != "https" {
			return d.expect("address.scheme", `"http" or "https"`)
		}
		seen[a.Name], seen[strconv.Itoa(a.Port)] = true, true
	}
	if !seen["app"] {
		return d.expect("address", `an address named "app"`)
	}
	return nil
}

// Entry is the name of the address that the benchmark goes to: "web", or "app"
// where nothing stands before the app.
func (m *Manifest) Entry() string {
	if m.Port("web") != 0 {
		return "web"
	}
	return "app"
}

func (m *Manifest) validateService(d *document, name string, s *Service) error {
	key := "service." + name
	if !slices.Contains(kinds, name) {
		return d.expect(key, "one of the services "+strings.Join(kinds, ", "))
	}
	if s.Port != "" && m.Port(s.Port) == 0 {
		return d.expect(key+".port", "the name of an [[address]]")
	}
	for _, a := range s.After {
		if !m.known(a) {
			return d.expect(key+".after", `"app" or the name of another service or process`)
		}
	}
	return nil
}

func (m *Manifest) validateData(d *document) error {
	for _, name := range m.Data.Reset {
		if !slices.Contains(m.Data.Workspace, name) {
			return d.expect("data.reset", "names that data.workspace lists too")
		}
	}
	for to, from := range m.Data.Copies {
		if !filepath.IsLocal(to) || !slices.Contains(m.Data.Reset, from) {
			return d.expect("data.copies."+to, "a folder that data.reset lists, under the name of one in the workspace")
		}
	}
	return nil
}

// Scheme is that of the address of that name: http or https.
func (m *Manifest) Scheme(name string) string {
	for _, a := range m.Addresses {
		if a.Name == name && a.Scheme != "" {
			return a.Scheme
		}
	}
	return "http"
}

// Port is the canonical port of the address of that name, 0 if there is none.
func (m *Manifest) Port(name string) int {
	for _, a := range m.Addresses {
		if a.Name == name {
			return a.Port
		}
	}
	return 0
}

// AppPort is the canonical port of the i-th app process, from 1: that of "app" and
// the numbers after it, less those of other addresses.
func (m *Manifest) AppPort(i int) int {
	port := m.Port("app")
	for ; i > 1; i-- {
		port++
		for slices.ContainsFunc(m.Addresses, func(a Address) bool { return a.Port == port }) {
			port++
		}
	}
	return port
}

// Language checks a language's name; empty means the default.
func (m *Manifest) Language(name string) (string, error) {
	if name == "" {
		return m.Languages[0], nil
	}
	if !slices.Contains(m.Languages, name) {
		return "", hotseat.Invalid("choose one of: "+strings.Join(m.Languages, ", "),
			"%s has no app in %q", m.ID, name)
	}
	return name, nil
}
