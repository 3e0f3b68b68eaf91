package stack

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// MemoryLimit caps what a process and everything it starts may hold, as
// MemoryLimit= of a systemd unit does. Where a control group can be made the
// kernel keeps the limit; elsewhere a watcher looks every WatchEvery and kills.
// Either way the whole process tree ends at the limit, and Exit.Memory says so.
type MemoryLimit struct {
	Bytes int64 `json:"bytes"`
	// Share names the limit: processes that give the same name share one.
	// Empty means the process's own.
	Share string `json:"share,omitempty"`
	// Watched asks for the watcher even where the kernel would keep the limit.
	Watched bool `json:"watched,omitempty"`
}

// WatchEvery is how often memory is looked at.
const WatchEvery = 250 * time.Millisecond

// MemoryUse is a limit as it is kept.
type MemoryUse struct {
	LimitBytes int64  `json:"limit_bytes"`
	By         string `json:"by"` // "cgroup v2", "cgroup v1" or "watcher"
	// Why there is a watcher and no control group.
	Why       string `json:"why,omitempty"`
	Bytes     int64  `json:"bytes"`      // held when last looked at
	PeakBytes int64  `json:"peak_bytes"` // the most that was seen, not always the most there was
}

// MemoryKill is a process's end at its memory limit.
type MemoryKill struct {
	LimitBytes int64  `json:"limit_bytes"`
	UsedBytes  int64  `json:"used_bytes"` // of all processes that share the limit, when it struck
	By         string `json:"by"`         // as MemoryUse has it
}

// String says what the process held and what it might.
func (k MemoryKill) String() string {
	if k.By == watcher {
		return fmt.Sprintf("it held %s (seen by a watcher that looks every %s)", megabytes(k.UsedBytes), WatchEvery)
	}
	return fmt.Sprintf("it held %s and wanted more (kept by %s)", megabytes(k.UsedBytes), k.By)
}

// megabytes are those of systemd and of manifests: 2^20 bytes.
func megabytes(n int64) string { return strconv.FormatInt((n+1<<19)>>20, 10) + " MB" }

const watcher = "watcher"

// memoryCap keeps one limit.
type memoryCap struct {
	name string

	mu      sync.Mutex
	limit   int64
	group   *memoryGroup // nil: watched
	why     string
	now     int64
	peak    int64
	strikes int64 // how often the limit struck
	atKill  int64
}

// capOf returns the cap that a process starts under, made if this is the first
// of those that share it, and with the limit that the process names.
func (s *Supervisor) capOf(p Process) *memoryCap {
	if p.Memory == nil {
		return nil
	}
	name := p.Memory.Share
	if name == "" {
		name = p.Name
	}
	s.mu.Lock()
	m := s.caps[name]
	if m == nil {
		m = &memoryCap{name: name}
		s.caps[name] = m
		s.bg.Go(func() { s.keepLimit(m) })
	}
	s.mu.Unlock()

	m.mu.Lock()
	defer m.mu.Unlock()
	m.limit = p.Memory.Bytes
	var err error
	switch {
	case p.Memory.Watched && m.group == nil:
		m.why = "it was asked for"
	case m.group != nil:
		err = m.group.setLimit(m.limit)
	case m.why == "":
		m.group, err = newMemoryGroup(m.name, m.limit)
	}
	if err != nil {
		m.watchInstead(err)
	}
	return m
}

// watchInstead gives up the control group. The caller holds m.mu.
func (m *memoryCap) watchInstead(why error) {
	if m.group != nil {
		_ = m.group.remove() // it is empty, or it goes with its last process
	}
	m.group, m.why = nil, why.Error()
}

// cgroup is the control group, nil if there is none.
func (m *memoryCap) cgroup() *memoryGroup {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.group
}

// struck counts how often the limit has struck.
func (m *memoryCap) struck() int64 {
	if m == nil {
		return 0
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.group != nil {
		if kills := m.group.kills(); kills > m.strikes {
			m.strikes, m.atKill = kills, m.limit
		}
	}
	return m.strikes
}

// use tells how the limit is kept.
func (m *memoryCap) use() MemoryUse {
	m.mu.Lock()
	defer m.mu.Unlock()
	u := MemoryUse{LimitBytes: m.limit, By: watcher, Why: m.why, Bytes: m.now, PeakBytes: m.peak}
	if m.group != nil {
		u.By = m.group.String()
	}
	return u
}

// kill tells of the last strike.
func (m *memoryCap) kill() *MemoryKill {
	by := m.use().By
	m.mu.Lock()
	defer m.mu.Unlock()
	return &MemoryKill{LimitBytes: m.limit, UsedBytes: m.atKill, By: by}
}

// keepLimit looks at the memory of a cap's processes, kills where nobody else
// does, and ends what is left of a tree of which the kernel killed a part: a
// server with half of its workers would be a riddle.
func (s *Supervisor) keepLimit(m *memoryCap) {
	tick := time.NewTicker(WatchEvery)
	defer tick.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-tick.C:
		}
		members := s.members(m)
		if len(members) == 0 {
			continue
		}
		m.look(members)
		for _, u := range members {
			if m.struck() > u.strikes {
				s.signal(u.proc, u.child, syscall.SIGKILL)
			}
		}
	}
}

// capped is a running process under a cap, as it was a moment ago.
type capped struct {
	proc    Process
	child   *child
	mark    string
	strikes int64 // those before it started
}

// members lists the running processes that share a cap.
func (s *Supervisor) members(m *memoryCap) []capped {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []capped
	for _, u := range s.units {
		if u.memory == m && u.child != nil && u.state != StateExited {
			out = append(out, capped{u.proc, u.child, s.mark(u.proc.Name), u.strikes})
		}
	}
	return out
}

// look takes a sample, and where no kernel does, decides.
func (m *memoryCap) look(members []capped) {
	if g := m.cgroup(); g != nil {
		used := g.use()
		m.mu.Lock()
		defer m.mu.Unlock()
		m.now, m.peak = used, max(m.peak, used)
		return
	}
	var pids []int
	for _, u := range members {
		its, _ := family(u.child.pid, u.mark) // those that have ended hold nothing
		pids = append(pids, its...)
	}
	m.mu.Lock()
	limit := m.limit
	m.mu.Unlock()
	used := residentOf(pids, "status")
	if used > limit && len(pids) > 1 {
		// Pages that processes share were counted once for each: a look at the page
		// tables, which takes milliseconds, divides them.
		if shared := residentOf(pids, "smaps_rollup"); shared > 0 {
			used = shared
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.now, m.peak = used, max(m.peak, used)
	if used > limit {
		m.strikes++
		m.atKill = used
	}
}

// residentOf adds up the bytes that processes hold and the kernel cannot take
// back without swap: anonymous and shared memory. file is status, in which pages
// count for each process that has them, or smaps_rollup, in which they are
// divided among those.
func residentOf(pids []int, file string) (total int64) {
	for _, pid := range pids {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/" + file)
		if err != nil {
			continue
		}
		lines := bufio.NewScanner(bytes.NewReader(b))
		for lines.Scan() {
			name, rest, _ := strings.Cut(lines.Text(), ":")
			switch name {
			case "RssAnon", "RssShmem", "Pss_Anon", "Pss_Shmem":
				kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64) // the kernel writes numbers
				total += kb << 10
			}
		}
	}
	return total
}

// startCapped starts a process inside its cap. A control group that turns out
// not to take it is given up for the watcher.
func (s *Supervisor) startCapped(ctx context.Context, m *memoryCap, sp spec) (*child, error) {
	sp.group = m.cgroup()
	c, err := s.spawner.start(sp)
	if err == nil || sp.group == nil || ctx.Err() != nil {
		return c, err
	}
	why := err
	sp.group = nil
	if c, err = s.spawner.start(sp); err != nil {
		return nil, err // the group was not to blame
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.watchInstead(why)
	return c, nil
}

// removeCaps removes the control groups, once nothing runs in them.
func (s *Supervisor) removeCaps() error {
	for _, m := range s.caps {
		if g := m.cgroup(); g != nil {
			if err := g.remove(); err != nil {
				return fmt.Errorf("remove the control group of %s: %w", m.name, err)
			}
		}
	}
	return nil
}
