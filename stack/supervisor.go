package stack

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"hotseat"
)

// Supervisor runs a plan's processes as children of the calling process. The
// guardian owns one for a stack that outlives commands; Start gives one to a
// command that needs servers only for itself.
//
// Starting, stopping, restarting and applying exclude each other; reading the
// status does not wait for them. A process that ends unasked is told as an
// event and never started again by itself.
type Supervisor struct {
	dir     string // the plan's
	spawner *spawner
	events  *eventLog
	ctx     context.Context // ends with Close
	cancel  context.CancelFunc
	bg      sync.WaitGroup

	op sync.Mutex // held by what changes which processes run

	mu    sync.Mutex // guards what follows, and the fields of every unit
	plan  Plan
	units map[string]*unit
	caps  map[string]*memoryCap
}

// unit is one process of the plan with its life so far.
type unit struct {
	proc    Process
	state   State
	child   *child
	done    chan struct{} // closed when child is gone with all its family; nil before the first start
	asked   bool          // its end was asked for
	killAt  time.Time     // while stopping: when the grace is over
	started time.Time
	ready   time.Time
	starts  int
	exit    *Exit
	logFrom int64
	memory  *memoryCap // nil: none
	strikes int64      // of memory, before this start
}

// NewSupervisor makes a supervisor for a plan and starts nothing.
func NewSupervisor(plan Plan) (*Supervisor, error) {
	if err := plan.Validate(); err != nil {
		return nil, err
	}
	plan = plan.withDefaults()
	ctx, cancel := context.WithCancel(context.Background())
	s := &Supervisor{
		dir: plan.Dir, spawner: newSpawner(), events: newEventLog(), ctx: ctx, cancel: cancel,
		plan: plan, units: map[string]*unit{}, caps: map[string]*memoryCap{},
	}
	for _, p := range plan.Processes {
		s.units[p.Name] = &unit{proc: p, state: StatePending}
	}
	s.bg.Go(func() { cutLogs(ctx, s.logs) })
	return s, nil
}

// Start runs a plan inside the calling process and returns when everything is
// ready. If anything fails, what was started is stopped again and the error
// tells of the process that failed, with its last words. The caller must call
// Close. If the calling process is killed, the kernel kills the processes too,
// though perhaps not what they started in their turn: only a guardian does that.
func Start(ctx context.Context, plan Plan) (*Supervisor, error) {
	s, err := NewSupervisor(plan)
	if err != nil {
		return nil, err
	}
	if err := s.StartAll(ctx); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

// StartAll starts every process, each as soon as those it comes after are
// ready. If one fails, those that were started are stopped.
func (s *Supervisor) StartAll(ctx context.Context) error {
	s.op.Lock()
	defer s.op.Unlock()
	return s.startOrNothing(ctx, s.names())
}

// StopAll stops every process, each as soon as those that come after it have
// ended. No grace is longer than limit, if limit is not zero.
func (s *Supervisor) StopAll(limit time.Duration) {
	s.op.Lock()
	defer s.op.Unlock()
	s.stop(s.names(), limit)
}

// Close stops everything that still runs and frees the supervisor. What the
// processes left behind is killed.
func (s *Supervisor) Close() error {
	s.StopAll(0)
	s.cancel()
	s.bg.Wait()
	s.spawner.close()
	s.events.close()
	return s.removeCaps()
}

// Restart stops the named processes, or all if none is named, and starts them
// again, in order. Those that come after them keep running, as on a server where
// one service is restarted.
func (s *Supervisor) Restart(ctx context.Context, names ...string) error {
	s.op.Lock()
	defer s.op.Unlock()
	if len(names) == 0 {
		names = s.names()
	}
	for _, name := range names {
		if s.unit(name) == nil {
			return hotseat.NotFound("it has "+strings.Join(s.names(), ", "), "this stack has no process %q", name)
		}
	}
	s.stop(names, 0)
	return s.start(ctx, names)
}

// Changes is what Apply did.
type Changes struct {
	Stopped []string `json:"stopped"` // no longer part of the plan
	Started []string `json:"started"` // new, or found not running
	// Restarted differ from what ran.
	Restarted []string `json:"restarted"`
}

// Apply makes the stack run another plan: what is no longer part of it is
// stopped, what differs is restarted, what is new or has ended is started, and
// everything else is left alone. When something does not start, it and
// whatever comes after it is left stopped, and the rest keeps running.
func (s *Supervisor) Apply(ctx context.Context, plan Plan) (Changes, error) {
	if err := plan.Validate(); err != nil {
		return Changes{}, err
	}
	s.op.Lock()
	defer s.op.Unlock()
	if plan.Dir != s.dir {
		return Changes{}, hotseat.Invalid("stop the stack first", "a running stack cannot move from %s to %s", s.dir, plan.Dir)
	}
	plan = plan.withDefaults()
	var ch Changes
	for _, name := range s.names() {
		u := s.unit(name)
		switch p, ok := plan.process(name); {
		case !ok:
			ch.Stopped = append(ch.Stopped, name)
		case !s.runs(u):
			ch.Started = append(ch.Started, name)
		case !p.same(u.proc):
			ch.Restarted = append(ch.Restarted, name)
		}
	}
	s.stop(slices.Concat(ch.Stopped, ch.Restarted), 0)
	s.mu.Lock()
	for _, name := range ch.Stopped {
		delete(s.units, name)
	}
	for _, p := range plan.Processes {
		u, ok := s.units[p.Name]
		if !ok {
			u = &unit{state: StatePending}
			s.units[p.Name] = u
			ch.Started = append(ch.Started, p.Name)
		}
		u.proc = p
	}
	s.plan = plan
	s.mu.Unlock()
	return ch, s.start(ctx, slices.Concat(ch.Started, ch.Restarted))
}

// names lists the processes in the plan's order.
func (s *Supervisor) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, p := range s.plan.Processes {
		names = append(names, p.Name)
	}
	return names
}

func (s *Supervisor) logs() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var paths []string
	for _, p := range s.plan.Processes {
		paths = append(paths, p.Log)
	}
	return paths
}

// unit returns the unit of that name, nil if there is none.
func (s *Supervisor) unit(name string) *unit {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.units[name]
}

func (s *Supervisor) runs(u *unit) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return u.state == StateStarting || u.state == StateReady || u.state == StateStopping
}

func (s *Supervisor) mark(name string) string { return markVariable + "=" + s.dir + ":" + name }

// enter moves a unit to a state and tells everybody. The caller holds s.mu.
func (s *Supervisor) enter(u *unit, state State, format string, args ...any) {
	u.state = state
	e := Event{At: time.Now(), Process: u.proc.Name, State: state, Message: fmt.Sprintf(format, args...)}
	if u.child != nil {
		e.PID = u.child.pid
	}
	if state == StateExited {
		e.Exit = u.exit
	}
	s.events.add(e)
}

// startOrNothing starts the named processes; if one fails it stops them all.
func (s *Supervisor) startOrNothing(ctx context.Context, names []string) error {
	err := s.start(ctx, names)
	if err != nil {
		s.stop(names, 0)
	}
	return err
}

// start starts the named processes side by side, each after those of its After
// that are named too. The first failure keeps those that wait from starting.
func (s *Supervisor) start(ctx context.Context, names []string) error {
	g, ctx := errgroup.WithContext(ctx)
	ready := map[string]chan struct{}{}
	for _, name := range names {
		ready[name] = make(chan struct{})
	}
	for _, name := range names {
		u := s.unit(name)
		g.Go(func() error {
			for _, a := range u.proc.After {
				if ready[a] == nil {
					continue
				}
				select {
				case <-ready[a]:
				case <-ctx.Done():
					return ctx.Err()
				}
			}
			if err := s.startOne(ctx, u); err != nil {
				return err
			}
			close(ready[name])
			return nil
		})
	}
	return g.Wait()
}

// startOne starts one process and waits until it is ready. If it does not get
// ready it is stopped.
func (s *Supervisor) startOne(ctx context.Context, u *unit) error {
	p := u.proc
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, a := range p.addresses() {
		if err := CheckFree(a); err != nil {
			return fmt.Errorf("start %s: %w", p.Name, err)
		}
	}
	log, from, err := openLog(p.Log)
	if err != nil {
		return hotseat.Unavailable("", "start %s: open its log: %w", p.Name, err)
	}
	defer func() { _ = log.Close() }()
	noFile := p.NoFile
	if noFile == 0 {
		noFile = DefaultNoFile
	}
	env := childEnv(p.Env, s.mark(p.Name))
	memory := s.capOf(p)
	struck := memory.struck()
	c, err := s.startCapped(ctx, memory, spec{argv: p.Argv, env: env, dir: p.Dir, out: log, noFile: noFile})
	if err != nil {
		return fmt.Errorf("start %s: %w", p.Name, err)
	}
	s.mu.Lock()
	u.child, u.done, u.asked, u.exit = c, make(chan struct{}), false, nil
	u.started, u.ready, u.logFrom = time.Now(), time.Time{}, from
	u.memory, u.strikes = memory, struck
	u.starts++
	s.enter(u, StateStarting, "started: %s", strings.Join(p.Argv, " "))
	s.mu.Unlock()
	s.bg.Go(func() { s.watch(u, p, c) })

	in := probed{log: p.Log, logFrom: from, exec: func(ctx context.Context, argv []string) error {
		_, err := s.spawner.run(ctx, spec{argv: argv, env: env, dir: p.Dir})
		return err
	}}
	err = s.awaitReady(ctx, u, c, in)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil && u.state == StateStarting {
		u.ready = time.Now()
		s.enter(u, StateReady, "ready after %s", u.ready.Sub(u.started).Round(time.Millisecond))
		return nil
	}
	if err == nil {
		err = s.notReady(u, "ended right after it was ready")
	}
	return err
}

// awaitReady asks all probes until each has said yes once.
func (s *Supervisor) awaitReady(ctx context.Context, u *unit, c *child, in probed) error {
	timeout := u.proc.ReadyTimeout.or(DefaultReadyTimeout)
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	dead, die := context.WithCancel(limited)
	defer die()
	s.bg.Go(func() {
		select {
		case <-c.ended:
			die()
		case <-dead.Done():
		}
	})
	for _, probe := range u.proc.Ready {
		err := s.await(dead, u, c, probe, in)
		if err == nil {
			continue
		}
		select {
		case <-c.ended:
			<-u.done // how it ended is known now
			s.mu.Lock()
			defer s.mu.Unlock()
			return s.notReady(u, u.exit.String()+" before it was ready")
		default:
		}
		stopped := func(err error) error {
			s.stopOne(u, 0)
			return err
		}
		if ctx.Err() == nil && limited.Err() != nil {
			s.mu.Lock()
			failed := s.notReady(u, fmt.Sprintf("was not ready within %s: waited for %s: %v", timeout, probe, err))
			s.mu.Unlock()
			return stopped(failed)
		}
		if ctx.Err() != nil {
			return stopped(ctx.Err())
		}
		return stopped(fmt.Errorf("start %s: %w", u.proc.Name, err))
	}
	return nil
}

// await asks one probe until it says yes. The error is the last answer, or that
// somebody else answers in the process's place.
func (s *Supervisor) await(ctx context.Context, u *unit, c *child, probe Probe, in probed) error {
	var last error
	strangers := 0
	for wait := 2 * time.Millisecond; ; wait = min(wait*3/2, 50*time.Millisecond) {
		err := probe.try(ctx, in)
		if err == nil {
			var whose ownership
			if whose, err = s.whose(u, c, probe); err == nil {
				switch whose {
				case ours, unproven:
					return nil
				case foreign:
					// Twice in a row, lest a listener that was handed over meanwhile counts.
					if strangers++; strangers > 1 {
						return CheckFree(probe.Address)
					}
				}
				err = errors.New("something answers there that is not this process")
			}
		}
		if ctx.Err() == nil || last == nil {
			last = err
		}
		select {
		case <-ctx.Done():
			return last
		case <-time.After(wait):
		}
	}
}

// whose tells who holds the socket that answered.
func (s *Supervisor) whose(u *unit, c *child, probe Probe) (ownership, error) {
	if probe.Address == "" {
		return ours, nil
	}
	pids, err := family(c.pid, s.mark(u.proc.Name))
	if err != nil {
		return nobodys, err
	}
	return owner(probe.Address, pids)
}

// notReady makes the error of a process that did not get ready. The caller
// holds s.mu.
func (s *Supervisor) notReady(u *unit, what string) error {
	words, _ := tail(u.proc.Log, u.logFrom, lastWordLines) // nothing to quote is no reason to hide the error
	hint := "see " + u.proc.Log
	if rel, err := filepath.Rel(s.dir, u.proc.Log); err == nil && filepath.IsLocal(rel) {
		hint = "`hotseat logs " + u.proc.Name + "` shows all it wrote (" + u.proc.Log + ")"
	}
	return hotseat.Invalid(hint, "%s %s", u.proc.Name, what).WithDetail(strings.Join(words, "\n"))
}
