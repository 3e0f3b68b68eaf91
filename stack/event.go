package stack

import (
	"context"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// State is where a process is in its life.
type State string

// The states, in order. A process that is restarted goes round again.
const (
	StatePending  State = "pending"  // not started yet: waiting for those before it
	StateStarting State = "starting" // runs, not proven ready
	StateReady    State = "ready"
	StateStopping State = "stopping" // asked to end
	StateExited   State = "exited"   // ended, or was never there
)

// Event is one thing that happened to a process. Events of one process come in
// the order in which they happened.
type Event struct {
	Seq     uint64    `json:"seq"` // 1, 2, 3 … over the whole stack
	At      time.Time `json:"at"`
	Process string    `json:"process"`
	State   State     `json:"state"` // the state it entered
	PID     int       `json:"pid,omitempty"`
	// Exit is set when State is exited.
	Exit *Exit `json:"exit,omitempty"`
	// Message is one line for people, such as "ready after 0.31 s" or
	// "was killed by SIGKILL".
	Message string `json:"message"`
}

// Crashed tells whether the process ended without having been asked to.
func (e Event) Crashed() bool { return e.Exit != nil && e.Exit.Unasked }

// Exit is how a process ended.
type Exit struct {
	Code    int    `json:"code"`             // exit status, -1 if a signal ended it
	Signal  string `json:"signal,omitempty"` // SIGKILL, SIGSEGV …
	Unasked bool   `json:"unasked"`          // nobody had asked it to end
	// LastWords are the last lines it wrote, kept only when Unasked.
	LastWords []string `json:"last_words,omitempty"`
	// Memory is set when its memory limit ended it.
	Memory *MemoryKill `json:"memory,omitempty"`
}

// String says how it ended: "exited with status 1", "was killed by SIGKILL".
func (e Exit) String() string {
	if e.Memory != nil {
		return "was killed at its memory limit of " + megabytes(e.Memory.LimitBytes) + ": " + e.Memory.String()
	}
	if e.Signal != "" {
		return "was killed by " + e.Signal
	}
	return "exited with status " + itoa(e.Code)
}

// exitOf translates what wait4 said.
func exitOf(status syscall.WaitStatus) Exit {
	if status.Signaled() {
		return Exit{Code: -1, Signal: unix.SignalName(status.Signal())}
	}
	return Exit{Code: status.ExitStatus()}
}

// keptEvents bounds the history that a late listener still gets. A stack makes
// about four events per process and start.
const keptEvents = 1000

// eventLog keeps the latest events and wakes those who read them.
type eventLog struct {
	mu      sync.Mutex
	events  []Event // at most keptEvents, oldest first
	last    uint64
	changed chan struct{} // closed and replaced at each new event
	closed  bool
}

func newEventLog() *eventLog { return &eventLog{changed: make(chan struct{})} }

func (l *eventLog) add(e Event) Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.last++
	e.Seq = l.last
	l.events = append(l.events, e)
	if len(l.events) > keptEvents {
		l.events = append(l.events[:0:0], l.events[len(l.events)-keptEvents:]...)
	}
	if !l.closed {
		close(l.changed)
		l.changed = make(chan struct{})
	}
	return e
}

// close lets the readers end once they have read everything.
func (l *eventLog) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.changed)
	}
}

// after returns the kept events with a number above seq, whether the log is
// closed, and a channel that is closed when there is more to know.
func (l *eventLog) after(seq uint64) (events []Event, closed bool, more <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, e := range l.events {
		if e.Seq > seq {
			events = append(events, l.events[i:]...)
			break
		}
	}
	return events, l.closed, l.changed
}

// follow calls fn with each event numbered above seq, until ctx ends, the log
// is closed or fn fails. What had happened by then is still told.
func (l *eventLog) follow(ctx context.Context, seq uint64, fn func(Event) error) error {
	for {
		over := ctx.Err()
		events, closed, more := l.after(seq)
		for _, e := range events {
			if err := fn(e); err != nil {
				return err
			}
			seq = e.Seq
		}
		if over != nil || closed && len(events) == 0 {
			return over
		}
		if closed {
			continue
		}
		select {
		case <-ctx.Done():
		case <-more:
		}
	}
}
