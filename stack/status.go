package stack

import (
	"os"
	"time"
)

// Status is a picture of a stack.
type Status struct {
	ID        string          `json:"id"`
	Dir       string          `json:"dir"`
	Guardian  int             `json:"guardian"` // pid
	Processes []ProcessStatus `json:"processes"`
}

// ProcessStatus is a picture of one process.
type ProcessStatus struct {
	Name     string    `json:"name"`
	State    State     `json:"state"`
	PID      int       `json:"pid,omitempty"`
	PIDs     []int     `json:"pids,omitempty"` // with everything it started
	Started  time.Time `json:"started,omitzero"`
	ReadyS   float64   `json:"ready_s,omitempty"` // seconds from start to ready
	Starts   int       `json:"starts"`            // how often it was started
	Exit     *Exit     `json:"exit,omitempty"`
	Log      string    `json:"log"`
	Revision string    `json:"revision,omitempty"`
	Argv     []string  `json:"argv"`
	// Memory is the limit it has run under, shared or its own; nil means none.
	Memory *MemoryUse `json:"memory,omitempty"`
}

// Status takes the picture.
func (s *Supervisor) Status() Status {
	all, _ := processes() // no pids rather than no status at all
	s.mu.Lock()
	defer s.mu.Unlock()
	st := Status{ID: s.plan.ID, Dir: s.plan.Dir, Guardian: os.Getpid()}
	for _, p := range s.plan.Processes {
		u := s.units[p.Name]
		ps := ProcessStatus{
			Name: p.Name, State: u.state, Starts: u.starts, Started: u.started, Exit: u.exit,
			Log: p.Log, Revision: p.Revision, Argv: p.Argv,
		}
		if !u.ready.IsZero() {
			ps.ReadyS = u.ready.Sub(u.started).Seconds()
		}
		if u.memory != nil {
			use := u.memory.use()
			ps.Memory = &use
		}
		if u.child != nil && u.state != StateExited {
			ps.PID = u.child.pid
			ps.PIDs = familyAmong(all, u.child.pid, s.mark(p.Name))
		}
		st.Processes = append(st.Processes, ps)
	}
	return st
}
