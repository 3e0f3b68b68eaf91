package bench

import (
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lagTick     = 5 * time.Millisecond // how often the generator looks whether it is on time
	lagNotable  = 10 * time.Millisecond
	stallsKept  = 4096
	wakeUps     = 4 // of an exchange: connected, written, head, body; each may have been late
	doubtfulLag = 4 // lag that ate a quarter of a time limit makes a timeout doubtful, and a missed start
)

// generator is what the benchmark watches about itself: whether it was given
// the CPU it needed, and what else of the machine it used up.
type generator struct {
	mu      sync.Mutex
	stalls  []stall // a ring of the last notable ones
	next    int
	maxLag  time.Duration // of the run
	lastLag time.Duration // the largest since the last tick of the reporter

	maxFDs    int64
	load      usage // used during the load
	loadTime  time.Duration
	procs     int
	laggyTime time.Duration // of the load's seconds, those with a lag past 100 ms
}

// stall is a time in which a goroutine that should have run did not.
type stall struct{ from, to time.Time }

// usage is what the process has used up to a moment.
type usage struct {
	cpu      time.Duration
	runQueue time.Duration // its threads were runnable, but not running
}

func newGenerator() *generator {
	return &generator{procs: runtime.GOMAXPROCS(0)}
}

// watch measures the lag of a goroutine that wants to run every 5 ms, until stop is closed.
func (g *generator) watch(stop <-chan struct{}) {
	ticker := time.NewTimer(lagTick)
	defer ticker.Stop()
	due := time.Now().Add(lagTick)
	for {
		select {
		case <-stop:
			return
		case <-ticker.C:
		}
		now := time.Now()
		if lag := now.Sub(due); lag > 0 {
			g.note(stall{due, now}, lag)
		}
		due = now.Add(lagTick)
		ticker.Reset(lagTick)
	}
}

func (g *generator) note(s stall, lag time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.maxLag, g.lastLag = max(g.maxLag, lag), max(g.lastLag, lag)
	if lag < lagNotable {
		return
	}
	if len(g.stalls) < stallsKept {
		g.stalls = append(g.stalls, s)
		return
	}
	g.stalls[g.next] = s
	g.next = (g.next + 1) % stallsKept
}

// worst returns the longest stall that touches the time from…to.
func (g *generator) worst(from, to time.Time) (longest time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.stalls {
		if s.to.After(from) && s.from.Before(to) {
			longest = max(longest, s.to.Sub(s.from))
		}
	}
	return longest
}

// stalled returns for how much of the time from…to the generator did not run.
func (g *generator) stalled(from, to time.Time) (sum time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, s := range g.stalls {
		if s.from.Before(from) {
			s.from = from
		}
		if s.to.After(to) {
			s.to = to
		}
		sum += max(s.to.Sub(s.from), 0)
	}
	return sum
}

// couldHaveFalsified reports whether the generator was kept from running so
// long that an exchange which timed out might have been in time.
func (g *generator) couldHaveFalsified(from, to time.Time) bool {
	return g.worst(from, to)*wakeUps*doubtfulLag >= to.Sub(from)
}

// takeLag returns the largest lag since it was last called.
func (g *generator) takeLag() time.Duration {
	g.mu.Lock()
	defer g.mu.Unlock()
	lag := g.lastLag
	g.lastLag = 0
	return lag
}

// endLoad notes what the load took.
func (g *generator) endLoad(before usage, took time.Duration) {
	after := used()
	g.mu.Lock()
	defer g.mu.Unlock()
	g.load = usage{cpu: after.cpu - before.cpu, runQueue: after.runQueue - before.runQueue}
	g.loadTime = took
}

// saturated says why the generator was at its limit during the load, "" if it was not.
func (g *generator) saturated() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.loadTime < time.Second {
		return ""
	}
	all := time.Duration(g.procs) * g.loadTime
	switch wanted := g.load.cpu + g.load.runQueue; {
	case g.load.cpu*10 >= all*9:
		return fmt.Sprintf("it used %.0f %% of all %d CPUs", 100*g.load.cpu.Seconds()/all.Seconds(), g.procs)
	case g.load.runQueue > g.load.cpu && wanted*2 > g.loadTime:
		return fmt.Sprintf("its threads waited %.1f s for a CPU to do %.1f s of work", g.load.runQueue.Seconds(), g.load.cpu.Seconds())
	case g.laggyTime*20 >= g.loadTime:
		return fmt.Sprintf("in %.0f of %.0f s it was more than 100 ms late", g.laggyTime.Seconds(), g.loadTime.Seconds())
	}
	return ""
}

// countFDs notes how many file descriptors are open.
func (g *generator) countFDs() {
	n := openFDs()
	g.mu.Lock()
	g.maxFDs = max(g.maxFDs, n)
	g.mu.Unlock()
}

// openFDs returns the number of open file descriptors. Since Linux 6.2 the
// size of /proc/self/fd is that number; before, it has to be counted.
func openFDs() int64 {
	if info, err := os.Stat("/proc/self/fd"); err == nil && info.Size() > 0 {
		return info.Size()
	}
	dir, err := os.Open("/proc/self/fd")
	if err != nil {
		return 0
	}
	defer dir.Close() //nolint:errcheck // only read
	names, _ := dir.Readdirnames(-1)
	return int64(len(names)) - 1 // without the one that reads
}

// used returns what this process has used so far.
func used() usage {
	var ru unix.Rusage
	_ = unix.Getrusage(unix.RUSAGE_SELF, &ru) // cannot fail with these arguments
	u := usage{cpu: time.Duration(ru.Utime.Nano() + ru.Stime.Nano())}
	// /proc/self/schedstat is about the first thread only.
	tasks, _ := os.ReadDir("/proc/self/task")
	for _, t := range tasks {
		text, err := os.ReadFile("/proc/self/task/" + t.Name() + "/schedstat")
		if err != nil {
			continue // it ended
		}
		fields := strings.Fields(string(text))
		if len(fields) < 2 {
			continue
		}
		ns, _ := strconv.ParseInt(fields[1], 10, 64)
		u.runQueue += time.Duration(ns)
	}
	return u
}

// machineTime returns how much time all CPUs spent in all, and how much of it
// the hypervisor gave to others, in ticks.
func machineTime() (total, steal int64) {
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0
	}
	first, _, _ := bytes.Cut(text, []byte("\n"))
	for i, f := range strings.Fields(string(first)) {
		n, err := strconv.ParseInt(f, 10, 64)
		if err != nil || i > 8 { // the name of the row, and guest times, which user time holds already
			continue
		}
		total += n
		if i == 8 {
			steal = n
		}
	}
	return total, steal
}
