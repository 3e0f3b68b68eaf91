package stack

import (
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

var stopSignals = map[string]syscall.Signal{
	"": syscall.SIGTERM, "TERM": syscall.SIGTERM, "QUIT": syscall.SIGQUIT,
	"INT": syscall.SIGINT, "HUP": syscall.SIGHUP,
}

func (p Process) stopSignal() (syscall.Signal, error) {
	sig, ok := stopSignals[p.StopSignal]
	if !ok {
		return 0, hotseat.Invalid("use TERM, QUIT, INT or HUP", "process %s: there is no stop signal %q", p.Name, p.StopSignal)
	}
	return sig, nil
}

// stop stops the named processes side by side, each after those that come after it.
func (s *Supervisor) stop(names []string, limit time.Duration) {
	stopped := map[string]chan struct{}{}
	for _, name := range names {
		stopped[name] = make(chan struct{})
	}
	var wg sync.WaitGroup
	for _, name := range names {
		u := s.unit(name)
		var dependents []string
		for _, p := range s.plan.Processes {
			if slices.Contains(p.After, name) && stopped[p.Name] != nil {
				dependents = append(dependents, p.Name)
			}
		}
		wg.Go(func() {
			defer close(stopped[name])
			for _, d := range dependents {
				<-stopped[d]
			}
			s.stopOne(u, limit)
		})
	}
	wg.Wait()
}

// stopOne asks a process to end, asks again with TERM after half of its grace,
// kills it with all its family at the end of it, and returns when all are gone.
func (s *Supervisor) stopOne(u *unit, limit time.Duration) {
	s.mu.Lock()
	if u.child == nil || u.state == StateExited || u.state == StatePending {
		s.mu.Unlock()
		return
	}
	grace := u.proc.Grace.or(DefaultGrace)
	if limit > 0 {
		grace = min(grace, limit)
	}
	sig, _ := u.proc.stopSignal() // the plan was validated
	p, c, done := u.proc, u.child, u.done
	u.asked, u.killAt = true, time.Now().Add(grace)
	s.enter(u, StateStopping, "asked to end with %s", unix.SignalName(sig))
	s.mu.Unlock()

	s.signal(p, c, sig)
	again := time.NewTimer(grace / 2)
	defer again.Stop()
	kill := time.NewTimer(grace)
	defer kill.Stop()
	for {
		select {
		case <-done:
			return
		case <-again.C:
			if sig != syscall.SIGTERM {
				s.signal(p, c, syscall.SIGTERM)
			}
		case <-kill.C:
			s.signal(p, c, syscall.SIGKILL)
			kill.Reset(50 * time.Millisecond) // whatever was forked meanwhile
		}
	}
}

// signal sends sig to a child's group and to those of its family that left the
// group.
func (s *Supervisor) signal(p Process, c *child, sig syscall.Signal) {
	pids, _ := family(c.pid, s.mark(p.Name)) // without /proc the group is what can be reached
	_ = syscall.Kill(-c.pid, sig)            // gone already is as good
	for _, pid := range pids {
		if st, err := readStat(pid); err == nil && st.pgid != c.pid {
			_ = syscall.Kill(pid, sig)
		}
	}
}

// unkillable is how long to wait for what was sent SIGKILL: a process of
// another user, or one stuck in the kernel, must not stop everything else.
const unkillable = 5 * time.Second

// watch waits for a child's end, clears away what it leaves behind and tells.
// A process that was asked to end leaves its family the rest of its grace; one
// that died does not: half a server would only answer in its place.
func (s *Supervisor) watch(u *unit, p Process, c *child) {
	<-c.ended
	s.mu.Lock()
	asked, killAt := u.asked, u.killAt
	s.mu.Unlock()
	if !asked {
		killAt = time.Now()
	}
	for wait := time.Millisecond; ; wait = min(2*wait, 20*time.Millisecond) {
		pids, err := family(c.pid, s.mark(p.Name))
		if err != nil || len(pids) == 0 && !orphansExit() || time.Since(killAt) > unkillable {
			break
		}
		if time.Since(killAt) >= 0 {
			s.signal(p, c, syscall.SIGKILL)
		}
		time.Sleep(wait)
	}
	exit := exitOf(c.reap())
	s.mu.Lock()
	defer s.mu.Unlock()
	exit.Unasked = !u.asked
	if exit.Unasked && u.memory.struck() > u.strikes {
		exit.Memory = u.memory.kill()
	}
	if exit.Unasked {
		exit.LastWords, _ = tail(p.Log, u.logFrom, lastWordLines) // an exit without words is told as well
	}
	u.exit = &exit
	s.enter(u, StateExited, "%s", exit)
	close(u.done)
}
