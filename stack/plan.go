package stack

import (
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"time"

	"hotseat"
)

// Plan is what should run. It is handed to the guardian as JSON.
type Plan struct {
	// ID names the stack to its user, in messages and in process environments:
	// the workspace's path does well.
	ID string `json:"id"`
	// Dir is the run folder, an absolute path. Logs go to Dir/logs, the
	// guardian's own files to Dir/guardian.
	Dir       string    `json:"dir"`
	Processes []Process `json:"processes"`
}

// Process is one long-running child in the foreground; a server that puts
// itself into the background looks like one that ended.
type Process struct {
	Name string `json:"name"`
	// After names the processes that must be ready before this one starts and
	// that stop only after it has ended.
	After []string `json:"after,omitempty"`
	// Argv is what is executed, without a shell. Argv[0] is looked up in Env's
	// PATH if it holds no slash.
	Argv []string `json:"argv"`
	// Dir is the working directory; empty means the plan's.
	Dir string `json:"dir,omitempty"`
	// Env is the whole environment: nothing is inherited from whoever typed
	// the command, so that a stack behaves the same for everyone. A PATH is
	// given where none is set.
	Env []string `json:"env,omitempty"`
	// Revision stands for the contents of what Argv names: binary, rendered
	// configuration. Client.Apply restarts the process when it changes.
	Revision string `json:"revision,omitempty"`
	// Ready lists what must all hold before the process counts as ready. With
	// none, it is ready as soon as it runs.
	Ready []Probe `json:"ready,omitempty"`
	// Listens lists further addresses, in Probe.Address's form, that nobody
	// else may hold when the process starts; those of Ready are included.
	Listens []string `json:"listens,omitempty"`
	// ReadyTimeout bounds the time from start to ready; zero means 30 s.
	ReadyTimeout Duration `json:"ready_timeout,omitempty"`
	// StopSignal asks the process to end: TERM (the default), QUIT, INT or HUP.
	StopSignal string `json:"stop_signal,omitempty"`
	// Grace is how long it may take to end before its group is killed; zero
	// means 10 s.
	Grace Duration `json:"grace,omitempty"`
	// Log is the file its standard output and error are appended to; empty
	// means logs/NAME.log in the plan's folder.
	Log string `json:"log,omitempty"`
	// NoFile is the soft limit of open files; zero means 1024, as login shells
	// and systemd give. It is cut to the hard limit.
	NoFile uint64 `json:"nofile,omitempty"`
	// Memory caps what the process and all it starts may hold; nil means no cap.
	Memory *MemoryLimit `json:"memory,omitempty"`
}

// The defaults of a Process.
const (
	DefaultReadyTimeout = 30 * time.Second
	DefaultGrace        = 10 * time.Second
	DefaultNoFile       = 1024
)

// Duration is a time.Duration that is text such as "1.5s" in JSON.
type Duration time.Duration

// MarshalText writes d as time.Duration prints it.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// UnmarshalText reads what time.ParseDuration reads.
func (d *Duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// or returns d, or def if d is zero.
func (d Duration) or(def time.Duration) time.Duration {
	if d == 0 {
		return def
	}
	return time.Duration(d)
}

// processName is also a file name, a word on the command line and a label in a
// report.
var processName = regexp.MustCompile(`^[a-z][a-z0-9_-]{0,31}$`)

// Validate says what is wrong with the plan. Everything it finds is a mistake
// of whoever wrote the plan, so its errors are of the kind invalid.
func (p Plan) Validate() error {
	if !filepath.IsAbs(p.Dir) {
		return hotseat.Invalid("", "the run folder %q is not an absolute path", p.Dir)
	}
	seen := map[string]bool{}
	for _, proc := range p.Processes {
		if seen[proc.Name] {
			return hotseat.Invalid("give each process a name of its own", "two processes are called %q", proc.Name)
		}
		seen[proc.Name] = true
	}
	for _, proc := range p.Processes {
		if err := proc.validate(seen); err != nil {
			return err
		}
	}
	_, err := p.levels()
	return err
}

func (p Process) validate(known map[string]bool) error {
	if !processName.MatchString(p.Name) {
		return hotseat.Invalid("use up to 32 lower-case letters, digits, - and _, a letter first",
			"%q cannot be the name of a process", p.Name)
	}
	if len(p.Argv) == 0 || p.Argv[0] == "" {
		return hotseat.Invalid("", "process %s has no command", p.Name)
	}
	for _, a := range p.After {
		if !known[a] {
			return hotseat.Invalid("", "process %s starts after %q, which is not part of the stack", p.Name, a)
		}
	}
	if _, err := p.stopSignal(); err != nil {
		return err
	}
	if m := p.Memory; m != nil && (m.Bytes <= 0 || m.Share != "" && !processName.MatchString(m.Share)) {
		return hotseat.Invalid("", "process %s has a memory limit of %d bytes, shared as %q", p.Name, m.Bytes, m.Share)
	}
	for _, probe := range p.Ready {
		if err := probe.validate(); err != nil {
			return fmt.Errorf("process %s: %w", p.Name, err)
		}
	}
	return nil
}

// levels sorts the processes into groups: each group needs only what earlier
// groups hold, so that its members may start together.
func (p Plan) levels() ([][]string, error) {
	var levels [][]string
	placed := map[string]bool{}
	rest := slices.Clone(p.Processes)
	for len(rest) > 0 {
		var level []string
		var later []Process
		for _, proc := range rest {
			if slices.ContainsFunc(proc.After, func(a string) bool { return !placed[a] }) {
				later = append(later, proc)
				continue
			}
			level = append(level, proc.Name)
		}
		if len(level) == 0 {
			var names []string
			for _, proc := range later {
				names = append(names, proc.Name)
			}
			return nil, hotseat.Invalid("break the circle of `after`", "%s wait for each other", strings.Join(names, ", "))
		}
		for _, name := range level {
			placed[name] = true
		}
		levels = append(levels, level)
		rest = later
	}
	return levels, nil
}

// process returns the process of that name.
func (p Plan) process(name string) (Process, bool) {
	i := slices.IndexFunc(p.Processes, func(q Process) bool { return q.Name == name })
	if i < 0 {
		return Process{}, false
	}
	return p.Processes[i], true
}

// withDefaults spells out what the plan leaves to defaults that depend on it.
func (p Plan) withDefaults() Plan {
	p.Processes = slices.Clone(p.Processes)
	for i := range p.Processes {
		q := &p.Processes[i]
		if q.Dir == "" {
			q.Dir = p.Dir
		}
		if q.Log == "" {
			q.Log = filepath.Join(p.Dir, "logs", q.Name+".log")
		}
	}
	return p
}

// same tells whether both specifications run the same thing in the same way.
// What only orders the start is not part of it.
func (p Process) same(q Process) bool {
	p.After, q.After = nil, nil
	return reflect.DeepEqual(p, q)
}

// addresses lists what must not be held by anybody else at the start.
func (p Process) addresses() []string {
	out := slices.Clone(p.Listens)
	for _, probe := range p.Ready {
		if probe.Address != "" && !slices.Contains(out, probe.Address) {
			out = append(out, probe.Address)
		}
	}
	return out
}
