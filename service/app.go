package service

import (
	"path/filepath"
	"slices"
	"strconv"

	"hotseat/stack"
)

// App is the contestant's own server.
type App struct {
	Name string // usually "app"
	// Dir is where it lies and runs.
	Dir  string
	Argv []string
	// Env is added to BaseEnv.
	Env []string
	// Address is where it must listen: host:port, or unix:/path.
	Address string
	// ReadyPath is asked for until it is answered; empty means that accepting
	// connections is enough.
	ReadyPath string
	After     []string
	Revision  string
	NoFile    uint64
	Memory    *stack.MemoryLimit // nil: no limit
}

// Process says how the app runs.
func (a App) Process() stack.Process {
	probe := stack.Probe{Kind: stack.ProbeConnect, Address: a.Address}
	if a.ReadyPath != "" {
		probe.Kind, probe.Path = stack.ProbeHTTP, a.ReadyPath
	}
	p := stack.Process{
		Name: a.Name, Dir: a.Dir, Argv: a.Argv, Env: slices.Concat(BaseEnv(), a.Env),
		After: a.After, Revision: a.Revision, NoFile: a.NoFile, Memory: a.Memory,
	}
	if a.Address != "" {
		p.Ready = []stack.Probe{probe}
	}
	return p
}

// Memcached is a memcached server.
type Memcached struct {
	Name string
	Tool Tool
	// Address is host:port, or unix:/path.
	Address  string
	MemoryMB int // zero means memcached's own 64
	Args     []string
}

// Process says how memcached runs. UDP is off: replies larger than requests
// must not be had from it by anyone.
func (m Memcached) Process() stack.Process {
	argv := []string{m.Tool.Path, "-U", "0"}
	network, host, port := splitAddress(m.Address)
	if network == "unix" {
		argv = append(argv, "-s", host)
	} else {
		argv = append(argv, "-l", host, "-p", port)
	}
	if isRoot() {
		argv = append(argv, "-u", "root")
	}
	if m.MemoryMB > 0 {
		argv = append(argv, "-m", strconv.Itoa(m.MemoryMB))
	}
	return stack.Process{
		Name: m.Name, Argv: append(argv, m.Args...), NoFile: 4096,
		Ready: []stack.Probe{{Kind: stack.ProbeTalk, Address: m.Address, Send: "version\r\n", Expect: []string{"VERSION "}}},
	}
}

// Redis is a Redis server.
type Redis struct {
	Name    string
	Tool    Tool
	Address string // host:port, or unix:/path
	// Config is a rendered redis.conf; empty means none.
	Config string
	// Dir is where it keeps its data; it must exist.
	Dir      string
	Args     []string
	Revision string
}

// Process says how Redis runs. Options on the command line override the file.
func (r Redis) Process() stack.Process {
	argv := []string{r.Tool.Path}
	if r.Config != "" {
		argv = append(argv, r.Config)
	}
	network, host, port := splitAddress(r.Address)
	if network == "unix" {
		argv = append(argv, "--port", "0", "--unixsocket", host, "--unixsocketperm", "700")
	} else {
		argv = append(argv, "--port", port, "--bind", host)
	}
	argv = append(argv, "--dir", filepath.Clean(r.Dir), "--daemonize", "no", "--logfile", "")
	return stack.Process{
		Name: r.Name, Argv: append(argv, r.Args...), Dir: r.Dir, Revision: r.Revision, NoFile: 10032,
		// A server that wants a password is up as well; one that is still loading is not.
		Ready: []stack.Probe{{Kind: stack.ProbeTalk, Address: r.Address, Send: "PING\r\n", Expect: []string{"+PONG", "-NOAUTH"}}},
	}
}
