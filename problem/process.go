package problem

import (
	"path/filepath"
	"slices"
)

// Process is a program of the problem's own that runs beside the app, such as a
// service that contestants were given and may leave alone.
type Process struct {
	Dir       string            `toml:"dir"`       // in the workspace; it runs and is built there
	Build     []string          `toml:"build"`     // argv; empty: nothing to build
	Command   []string          `toml:"command"`   // argv
	Artifacts []string          `toml:"artifacts"` // what the build writes, relative to Dir: not source
	Port      string            `toml:"port"`      // name of the address it listens on
	After     []string          `toml:"after"`     // names of services, processes or "app" that must be ready before
	Env       map[string]string `toml:"env"`       // added to the manifest's
}

func (m *Manifest) validateProcess(d *document, name string, p *Process) error {
	key := "process." + name
	switch {
	case !identifier.MatchString(name) || name == "app" || slices.Contains(kinds, name):
		return d.expect(key, "a name of lower-case letters, digits and hyphens that no service has")
	case p.Dir == "" || !filepath.IsLocal(p.Dir):
		return d.expect(key+".dir", "a folder of the workspace")
	case len(p.Command) == 0:
		return d.expect(key+".command", `the command that starts it, such as ["./login"]`)
	case m.Port(p.Port) == 0:
		return d.expect(key+".port", "the name of an [[address]]")
	}
	for _, a := range p.After {
		if a == name || !m.known(a) {
			return d.expect(key+".after", `"app" or the name of a service or another process`)
		}
	}
	return nil
}

// known tells whether something of that name is part of the stack.
func (m *Manifest) known(name string) bool {
	return name == "app" || m.Services[name] != nil || m.Processes[name] != nil
}
