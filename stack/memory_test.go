package stack

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

func (p Process) within(mb int64, watched bool) Process {
	p.Memory = &MemoryLimit{Bytes: mb << 20, Watched: watched}
	return p
}

// keptHere is who keeps a memory limit on this machine, found out without
// anything that is under test but where to look.
func keptHere(t *testing.T) string {
	t.Helper()
	parents, version, err := memoryParents()
	if err != nil {
		t.Logf("no control groups: %v", err)
		return watcher
	}
	for _, parent := range parents {
		dir := filepath.Join(parent, "stack-test")
		if os.Mkdir(dir, 0o755) == nil {
			limit := map[int]string{1: "memory.limit_in_bytes", 2: "memory.max"}[version]
			f, err := os.OpenFile(filepath.Join(dir, limit), os.O_WRONLY, 0)
			if err == nil {
				_ = f.Close()
			}
			if rm := os.Remove(dir); rm != nil {
				t.Fatal(rm)
			}
			if err == nil {
				return "cgroup v" + itoa(version)
			}
		}
	}
	t.Logf("no control group can be made in %v", parents)
	return watcher
}

// bothWays runs a test with the best way of keeping a limit that this machine
// offers, and with the watcher.
func bothWays(t *testing.T, test func(t *testing.T, watched bool, by string)) {
	best := keptHere(t)
	t.Logf("memory limits are kept by: %s", best)
	t.Run("best", func(t *testing.T) { test(t, false, best) })
	t.Run("watched", func(t *testing.T) { test(t, true, watcher) })
}

// events is what has happened in a stack, and what happens.
func (c *Client) events(t *testing.T) <-chan Event {
	t.Helper()
	events, err := c.Events(t.Context(), 0)
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// follow is the same of a stack in this process.
func follow(t *testing.T, s *Supervisor) <-chan Event {
	events := make(chan Event, keptEvents)
	go func() { // ends with the test
		_ = s.events.follow(t.Context(), 0, func(e Event) error { events <- e; return nil })
	}()
	return events
}

// awaitExit returns how the process ended, or with "" the next one that does.
func awaitExit(t *testing.T, events <-chan Event, name string) Exit {
	t.Helper()
	late := time.After(20 * time.Second)
	for {
		select {
		case e := <-events:
			if (name == "" || e.Process == name) && e.Exit != nil {
				return *e.Exit
			}
		case <-late:
			t.Fatalf("%s has not ended", name)
		}
	}
}

func groupsOf(t *testing.T, maker int) []string {
	t.Helper()
	parents, _, err := memoryParents()
	if err != nil {
		return nil
	}
	var all []string
	for _, parent := range parents {
		found, err := filepath.Glob(filepath.Join(parent, fmt.Sprintf("hotseat-%d.*", maker)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, found...)
	}
	return all
}

func TestMemoryLimitEndsTheWholeTree(t *testing.T) {
	bothWays(t, func(t *testing.T, watched bool, by string) {
		for name, args := range map[string][]string{
			"itself":     {"eat=300", "serve"},
			"its child":  {"child=eat=300,serve", "serve"},
			"its daemon": {"setsid=eat=300,serve", "serve"},
		} {
			t.Run(name, func(t *testing.T) {
				c := launch(t, runDir(t), faked("app", args...).within(100, watched)) // a guardian has its orphans
				exit := awaitExit(t, c.events(t), "app")
				if exit.Memory == nil || !exit.Unasked || exit.Signal != "SIGKILL" {
					t.Fatalf("it %s (%+v)", exit, exit)
				}
				if exit.Memory.By != by || exit.Memory.LimitBytes != 100<<20 || exit.Memory.UsedBytes < 100<<20 {
					t.Errorf("killed by %+v, want %s at 100 MB", *exit.Memory, by)
				}
				if !strings.HasPrefix(exit.String(), "was killed at its memory limit of 100 MB: it held ") {
					t.Errorf("it is told as %q", exit)
				}
				pids, err := Descendants(status(t, c).Guardian)
				if err != nil || len(pids) > 0 {
					t.Errorf("left over: %v, %v", pids, err)
				}
			})
		}
	})
}

func TestMemoryBelowTheLimit(t *testing.T) {
	bothWays(t, func(t *testing.T, watched bool, by string) {
		s := startHere(t, faked("app", "eat=60", "say=full", "serve").within(200, watched).readyWhen(Probe{Kind: ProbeLog, Text: "full"}))
		for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
			use := s.Status().Processes[0].Memory
			if use == nil || use.By != by || use.LimitBytes != 200<<20 || watched != (use.By == watcher && use.Why == "it was asked for") && by != watcher {
				t.Fatalf("status %+v, want %s", use, by)
			}
			if use.PeakBytes >= 60<<20 && use.PeakBytes < 150<<20 && use.Bytes > 0 {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("status %+v", use)
			}
		}
		s.StopAll(0)
		if exit := awaitExit(t, follow(t, s), "app"); exit.Memory != nil || exit.Unasked {
			t.Errorf("it %s (%+v)", exit, exit)
		}
	})
}

func TestADeathOfItsOwnIsNotTheLimits(t *testing.T) {
	bothWays(t, func(t *testing.T, watched bool, _ string) {
		s := startHere(t, faked("app", "sleep=50ms", "die").within(200, watched))
		if exit := awaitExit(t, follow(t, s), "app"); exit.Memory != nil || exit.String() != "was killed by SIGKILL" {
			t.Errorf("it %s", exit)
		}
	})
}

func TestMemoryLimitIsShared(t *testing.T) {
	bothWays(t, func(t *testing.T, watched bool, by string) {
		half := func(name string) Process {
			p := faked(name, "eat=90", "serve").within(130, watched)
			p.Memory.Share = "app"
			return p
		}
		s := startHere(t, half("app"), half("app-2"))
		events := follow(t, s)
		for range 2 {
			if exit := awaitExit(t, events, ""); exit.Memory == nil || exit.Memory.By != by {
				t.Errorf("one %s", exit)
			}
		}
		// The next start has a clean slate.
		if _, err := s.Apply(t.Context(), Plan{ID: "x", Dir: s.dir, Processes: []Process{faked("app", "eat=90", "serve").within(130, watched)}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * WatchEvery)
		if st := s.Status(); len(st.Processes) != 1 || st.Processes[0].State != StateReady {
			t.Errorf("status %+v", st)
		}
	})
}

func TestMemoryLimitFollowsThePlan(t *testing.T) {
	s := startHere(t, faked("app", "serve").within(100, false))
	for _, mb := range []int64{300, 200} {
		plan := Plan{ID: "x", Dir: s.dir, Processes: []Process{faked("app", "eat=150", "serve").within(mb, false)}}
		if ch, err := s.Apply(t.Context(), plan); err != nil || len(ch.Restarted) != 1 {
			t.Fatalf("%+v, %v", ch, err)
		}
		time.Sleep(3 * WatchEvery)
		st := s.Status().Processes[0]
		if st.State != StateReady || st.Memory.LimitBytes != mb<<20 || st.Memory.By != keptHere(t) {
			t.Errorf("with %d MB: %+v, %+v", mb, st, st.Memory)
		}
	}
}

func TestNoControlGroupIsLeft(t *testing.T) {
	if keptHere(t) == watcher {
		t.Log("there are none on this machine; what follows cannot fail")
	}
	end := func(t *testing.T, victims func(guardian, watcher int) []int) {
		dir := runDir(t)
		c := launch(t, dir, faked("app", "serve").within(100, false))
		st := status(t, c)
		if by := st.Processes[0].Memory.By; by != keptHere(t) {
			t.Fatalf("kept by %s", by)
		}
		if n := len(groupsOf(t, st.Guardian)); (n == 1) != (keptHere(t) != watcher) {
			t.Fatalf("%d groups while it runs", n)
		}
		pids := slices.Concat(st.Processes[0].PIDs, []int{st.Guardian, watcherOf(t, st)})
		if which := victims(st.Guardian, watcherOf(t, st)); len(which) == 0 {
			stopStack(t, c)
		} else {
			for _, pid := range which {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
		}
		awaitDead(t, 5*time.Second, pids...)
		if len(victims(1, 2)) == 2 { // nobody was left to clear up: the next who makes one does
			launch(t, runDir(t), faked("app", "serve").within(100, false))
		}
		for deadline := time.Now().Add(3 * time.Second); len(groupsOf(t, st.Guardian)) > 0; time.Sleep(10 * time.Millisecond) {
			if time.Now().After(deadline) {
				t.Fatalf("left over: %v", groupsOf(t, st.Guardian))
			}
		}
	}
	t.Run("stopped", func(t *testing.T) { end(t, func(int, int) []int { return nil }) })
	t.Run("guardian killed", func(t *testing.T) { end(t, func(g, _ int) []int { return []int{g} }) })
	t.Run("watcher killed", func(t *testing.T) { end(t, func(_, w int) []int { return []int{w} }) })
	t.Run("both killed", func(t *testing.T) { end(t, func(g, w int) []int { return []int{w, g} }) })
}

func TestAGroupThatRefusesIsGivenUp(t *testing.T) {
	s := startHere(t)
	m := &memoryCap{name: "app", limit: 100 << 20, group: &memoryGroup{dir: filepath.Join(t.TempDir(), "gone"), version: 1}}
	out, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	c, err := s.startCapped(t.Context(), m, spec{argv: []string{"/bin/true"}, dir: "/", out: out})
	if err != nil {
		t.Fatal(err)
	}
	if c.reap(); m.use().By != watcher || !strings.Contains(m.use().Why, "gone") {
		t.Errorf("%+v", m.use())
	}
	if _, err := s.startCapped(t.Context(), m, spec{argv: []string{"/nowhere"}, dir: "/", out: out}); err == nil {
		t.Errorf("what cannot be executed: %v", err)
	}
}

func TestTheSpawnerComesHome(t *testing.T) {
	// With version 1 the forking thread visits the group: the next child must not
	// be born there.
	s := startHere(t, faked("app", "serve").within(100, false), faked("other", "serve").after("app"))
	for _, p := range s.Status().Processes {
		b, err := os.ReadFile("/proc/" + itoa(p.PID) + "/cgroup")
		if err != nil {
			t.Fatal(err)
		}
		in := strings.Contains(string(b), fmt.Sprintf("/hotseat-%d.", os.Getpid()))
		if want := p.Name == "app" && keptHere(t) != watcher; in != want {
			t.Errorf("%s is in\n%s", p.Name, b)
		}
	}
}

func TestCgroupFolder(t *testing.T) {
	const hybrid = `31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755
35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory
36 31 0:33 / /sys/fs/cgroup/unified rw,relatime shared:9 - cgroup2 cgroup2 rw,nsdelegate
`
	const unified = "26 25 0:24 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,memory_recursiveprot\n"
	const container = "700 699 0:32 /docker/abc /sys/fs/cgroup/memory ro,relatime master:15 - cgroup cgroup rw,memory\n"
	for name, tc := range map[string]struct {
		mounts, own string
		version     int
		want        string
	}{
		"v1 of a hybrid":            {hybrid, "4:memory:/user\n0::/\n", 1, "/sys/fs/cgroup/memory/user"},
		"v2 of a hybrid":            {hybrid, "4:memory:/user\n0::/a.scope\n", 2, "/sys/fs/cgroup/unified/a.scope"},
		"v1 with several":           {strings.Replace(hybrid, "rw,memory", "rw,cpu,memory", 1), "4:cpu,memory:/x\n", 1, "/sys/fs/cgroup/memory/x"},
		"no v1":                     {unified, "0::/user.slice\n", 1, ""},
		"v2":                        {unified, "0::/user.slice/s.scope\n", 2, "/sys/fs/cgroup/user.slice/s.scope"},
		"v2, own namespace":         {unified, "0::/\n", 2, "/sys/fs/cgroup"},
		"container":                 {container, "9:memory:/docker/abc/x\n", 1, "/sys/fs/cgroup/memory/x"},
		"container, its own group":  {container, "9:memory:/docker/abc\n", 1, "/sys/fs/cgroup/memory"},
		"container, somebody's":     {container, "9:memory:/docker/abcdef\n", 1, ""},
		"nothing mounted":           {"", "4:memory:/user\n0::/\n", 1, ""},
		"no line of ours":           {hybrid, "", 2, ""},
		"controllers of like names": {hybrid, "4:memory2:/user\n", 1, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cgroupFolder(tc.mounts, tc.own, tc.version); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

func TestResidentOf(t *testing.T) {
	self := []int{os.Getpid()}
	each, divided := residentOf(self, "status"), residentOf(self, "smaps_rollup")
	if each < 1<<20 || divided < 1<<20 || divided > 2*each {
		t.Errorf("%d by status, %d by smaps_rollup", each, divided)
	}
	if n := residentOf([]int{1 << 30}, "status"); n != 0 {
		t.Errorf("a process that is not there holds %d", n)
	}
}
