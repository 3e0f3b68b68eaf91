package problem

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"hotseat"
)

// ConfigFile is the file at the root of a workspace that makes it one.
const ConfigFile = "hotseat.toml"

// MaxProcesses bounds app.processes.
const MaxProcesses = 64

// Config is hotseat.toml: the part of a stack's description that belongs to the
// contestant.
type Config struct {
	Problem  string `toml:"problem"`      // id of a built-in problem, or the folder of another
	Language string `toml:"language"`     // for people; the commands below are what runs
	Profile  string `toml:"data_profile"` // scale of the generated data
	Entry    string `toml:"entry"`        // name of the address that the benchmark goes to; empty: the problem's

	App       AppConfig         `toml:"app"`
	Env       map[string]string `toml:"env"` // added to the problem's, for app and init script
	Hooks     Hooks             `toml:"hooks"`
	Redis     *ExtraService     `toml:"redis"`
	Memcached *ExtraService     `toml:"memcached"`
}

// AppConfig is how the contestant's app is built and run.
type AppConfig struct {
	Dir       string            `toml:"dir"`
	Build     []string          `toml:"build"`
	Command   []string          `toml:"command"`
	Artifacts []string          `toml:"artifacts"`
	Processes int               `toml:"processes"`
	Listen    string            `toml:"listen"` // canonical address or unix:PATH; ready once it answers there
	Env       map[string]string `toml:"env"`
	MemoryMB  int               `toml:"memory_mb"` // of all processes of the app together; 0: no limit
}

// Hooks are commands that hotseat runs in the workspace.
type Hooks struct {
	Migrate []string `toml:"migrate"` // after `hotseat reset` brought back the golden data
}

// ExtraService is a server that the contestant added to the stack.
type ExtraService struct {
	Config string   `toml:"config"` // optional configuration file in the workspace
	Args   []string `toml:"args"`   // more arguments
	Port   int      `toml:"port"`   // canonical port; 0 means the server's usual one
}

// parseConfig reads hotseat.toml. Errors name the file, the line and what was
// expected there.
func parseConfig(file string, text []byte) (*Config, error) {
	var c Config
	d, err := decode(file, text, &c)
	if err != nil {
		return nil, err
	}
	if c.App.Dir == "" {
		c.App.Dir = "app"
	}
	if c.App.Processes == 0 {
		c.App.Processes = 1
	}
	switch {
	case c.Problem == "":
		return nil, d.expect("problem", "the id of the workspace's problem, such as \"isucon4-qualifier\"")
	case len(c.App.Command) == 0:
		return nil, d.expect("app.command", `the command that starts the app, such as ["./webapp"]`)
	case c.App.Processes < 1 || c.App.Processes > MaxProcesses:
		return nil, d.expect("app.processes", "a number from 1 to "+strconv.Itoa(MaxProcesses))
	case c.App.MemoryMB < 0:
		return nil, d.expect("app.memory_mb", "megabytes, 0 for no limit")
	case filepath.IsAbs(c.App.Dir) || strings.HasPrefix(filepath.Clean(c.App.Dir), ".."):
		return nil, d.expect("app.dir", "a folder inside the workspace, relative to it")
	case strings.HasPrefix(c.App.Listen, "unix:") && c.App.Processes > 1:
		return nil, d.expect("app.listen", "a TCP address where app.processes is more than 1")
	}
	return &c, nil
}

// writeConfig writes the hotseat.toml of a new workspace, with the explanations
// a contestant wants at hand.
func writeConfig(dir string, p *Problem, lang, profile string) error {
	app := p.App[lang]
	var b strings.Builder
	fmt.Fprintf(&b, "# How hotseat builds and runs this workspace. It is yours: change it as you need.\n")
	id := p.ID
	if p.Dir != "" {
		id = p.Dir
	}
	fmt.Fprintf(&b, "problem = %q\nlanguage = %q\n", id, lang)
	fmt.Fprintf(&b, "data_profile = %q # the scale of the data; `hotseat reset` brings it back\n", profile)
	for _, a := range p.Addresses {
		if a.Scheme == "https" {
			fmt.Fprintf(&b, "# entry = %q # the benchmark comes with TLS, to canonical port %d\n", a.Name, a.Port)
		}
	}
	b.WriteString("\n")
	fmt.Fprintf(&b, "[app]\ndir = \"app\"\n")
	if len(app.Build) > 0 {
		fmt.Fprintf(&b, "build = %s # run in dir when the source changed\n", quoteList(app.Build))
	}
	fmt.Fprintf(&b, "command = %s # run in dir\n", quoteList(app.Command))
	if len(app.Artifacts) > 0 {
		fmt.Fprintf(&b, "artifacts = %s # what build writes: not source\n", quoteList(app.Artifacts))
	}
	port := p.Port("app")
	fmt.Fprintf(&b, "processes = 1 # the second listens on canonical port %d, and so on\n", p.AppPort(2))
	fmt.Fprintf(&b, "listen = \"127.0.0.1:%d\" # canonical; or \"unix:/path/to/app.sock\"\n", port)
	if app.MemoryMB > 0 {
		fmt.Fprintf(&b, "memory_mb = %d # what the app's processes may hold together, as on the contest's server; 0 for no limit\n", app.MemoryMB)
	}
	if len(app.Env) > 0 {
		b.WriteString("\n[app.env]\n")
		for _, k := range slices.Sorted(maps.Keys(app.Env)) {
			fmt.Fprintf(&b, "%s = %q\n", k, app.Env[k])
		}
	}
	b.WriteString("\n# [env]                    # more environment for the app and the init script\n" +
		"# NAME = \"value\"\n" +
		"\n# [redis]                  # start Redis with the stack, canonical port 6379\n" +
		"\n# [memcached]              # start memcached with the stack, canonical port 11211\n" +
		"\n# [hooks]\n# migrate = [\"./migrate.sh\"] # run after `hotseat reset`\n")
	if err := os.WriteFile(filepath.Join(dir, ConfigFile), []byte(b.String()), 0o644); err != nil {
		return hotseat.Unavailable("", "write %s: %w", ConfigFile, err)
	}
	return nil
}
