package model

import (
	"slices"
	"sync"
	"time"
)

// Session is one client that was promised [Promise.Monotonic] reads or to see its [Promise.OwnWrites]: usually
// a virtual user, or one browser session of it. One session serves any number
// of registers and sets. Nil is nobody in particular: a client without memory.
//
// It remembers what it was shown for as long as a lag could still excuse that it is
// not shown again, so its memory is bounded by what it sees within a lag.
type Session struct {
	mu    sync.Mutex
	known map[any][]observation // by *Register[V] or *element[K]
	size  int
	limit int // size at which to look for what may be forgotten
}

// observation is a state that a session knows to have been reached.
type observation struct {
	state any // of a register: *state[V]; of an element: added or removed
	done  time.Time
	until time.Time // a read sent later must show it anyway, whoever sends it
	own   bool      // by its own write
}

// NewSession returns the session of a client that has seen nothing yet.
func NewSession() *Session {
	return &Session{known: map[any][]observation{}, limit: minLimit}
}

// minLimit lets requests of one session overlap: they are told out of order, so
// observations are dropped only when there are many.
const minLimit = 64

// note remembers a state of something that was observed at that time.
func (s *Session) note(of, state any, at Span, lag time.Duration, own bool) {
	if s == nil || lag == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.known[of]
	for i := range known {
		if k := &known[i]; k.state == state && k.own == own {
			if at.Done.Before(k.done) {
				k.done, k.until = at.Done, at.Done.Add(lag)
			}
			return
		}
	}
	if s.size >= s.limit {
		s.prune(at.Sent)
		known = s.known[of]
	}
	s.known[of] = append(known, observation{state: state, done: at.Done, until: at.Done.Add(lag), own: own})
	s.size++
}

func (s *Session) prune(now time.Time) {
	s.size = 0
	for of, known := range s.known {
		known = slices.DeleteFunc(known, func(o observation) bool { return o.until.Before(now) })
		if len(known) == 0 {
			delete(s.known, of)
			continue
		}
		s.known[of] = known
		s.size += len(known)
	}
	s.limit = max(2*s.size, minLimit)
}

// before calls f for every state of something that was known before a request was sent.
func (s *Session) before(of any, sent time.Time, f func(o observation)) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.known[of] {
		if o.done.Before(sent) && !o.until.Before(sent) {
			f(o)
		}
	}
}
