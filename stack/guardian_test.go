package stack

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat"
)

// launch starts a stack in the background and makes sure that the test leaves
// nothing of it.
func launch(t *testing.T, dir string, procs ...Process) *Client {
	t.Helper()
	c, err := Launch(t.Context(), []string{exePath}, Plan{ID: t.Name(), Dir: dir, Processes: procs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stopStack(t, c) })
	return c
}

func stopStack(t *testing.T, c *Client) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := c.Stop(ctx); err != nil && !errors.Is(err, ErrNotRunning) {
		t.Errorf("stop: %v", err)
	}
}

func status(t *testing.T, c *Client) Status {
	t.Helper()
	st, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// watcherOf returns the guardian's parent.
func watcherOf(t *testing.T, st Status) int {
	t.Helper()
	ps, err := readStat(st.Guardian)
	if err != nil {
		t.Fatal(err)
	}
	return ps.ppid
}

// drillStack is a stack with everything that is hard to get rid of: a master
// with workers that ignore TERM, a daemon in a session of its own, and one that
// has wiped its environment as well. It returns all their pids.
func drillStack(t *testing.T, dir string) (*Client, []int) {
	t.Helper()
	addr := freeAddress(t)
	c := launch(t, dir,
		faked("nginx", "child=ignore=TERM,serve", "listen="+addr, "serve").readyWhen(Probe{Kind: ProbeConnect, Address: addr}),
		faked("daemon", "setsid=ignore=TERM,say=daemon up,serve", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "daemon up"}),
		faked("bare", "bare-setsid=ignore=TERM,say=bare up,serve", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "bare up"}),
	)
	pids, err := Descendants(watcherOf(t, status(t, c)))
	if err != nil {
		t.Fatal(err)
	}
	if len(pids) != 7 { // the guardian, three children, three more
		for _, pid := range pids {
			t.Logf("%d %s", pid, command(pid))
		}
		t.Fatalf("%d processes below the watcher, want 7", len(pids))
	}
	return c, append(pids, watcherOf(t, status(t, c)))
}

func TestLaunchOutlivesNothingButStop(t *testing.T) {
	c, pids := drillStack(t, runDir(t))
	st := status(t, c)
	if len(st.Processes) != 3 || st.Processes[1].State != StateReady || len(st.Processes[1].PIDs) != 2 {
		t.Errorf("status %+v", st)
	}
	byName, err := c.PIDs(t.Context())
	if err != nil || len(byName["nginx"]) != 2 || len(byName["daemon"]) != 2 {
		t.Errorf("pids %v, %v", byName, err)
	}
	stopStack(t, c)
	awaitDead(t, 0, pids...)
	if _, err := Connect(t.Context(), c.Dir()); !errors.Is(err, ErrNotRunning) {
		t.Errorf("connect after stop: %v", err)
	}
}

func TestSIGKILLToGuardianAndToWatcher(t *testing.T) {
	for name, victim := range map[string]func(Status) int{
		"guardian": func(st Status) int { return st.Guardian },
		"watcher":  func(st Status) int { return watcherOf(t, st) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := runDir(t)
			c, pids := drillStack(t, dir)
			if err := syscall.Kill(victim(status(t, c)), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			// The next command starts cleanly, even at once.
			if _, err := Connect(t.Context(), dir); err != nil && !errors.Is(err, ErrNotRunning) {
				t.Errorf("connect: %v", err)
			}
			awaitDead(t, 5*time.Second, pids...)
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			defer cancel()
			if err := c.awaitGone(ctx); err != nil {
				t.Error(err)
			}
			c = launch(t, dir, faked("app", "serve"))
			if st := status(t, c); st.Processes[0].State != StateReady {
				t.Errorf("status %+v", st)
			}
		})
	}
}

func TestLaunchAtOnceAfterTheGuardianWasKilled(t *testing.T) {
	dir := runDir(t)
	c, pids := drillStack(t, dir)
	if err := syscall.Kill(status(t, c).Guardian, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	launch(t, dir, faked("app", "serve"))
	awaitDead(t, 0, pids...)
}

func TestSIGTERMToTheWatcherStopsInOrder(t *testing.T) {
	dir := runDir(t)
	c, pids := drillStack(t, dir)
	if err := syscall.Kill(watcherOf(t, status(t, c)), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	awaitDead(t, 8*time.Second, pids...)
	if b, err := os.ReadFile(filepath.Join(dir, "logs", "nginx.log")); err != nil || !strings.Contains(string(b), "ended by terminated") {
		t.Errorf("log %q, %v", b, err)
	}
}

func TestAFailedLaunchLeavesNothing(t *testing.T) {
	dir := runDir(t)
	var seen []string
	_, err := Launch(t.Context(), []string{exePath}, Plan{ID: "x", Dir: dir, Processes: []Process{
		faked("db", "say=up", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "up"}),
		faked("app", "say=no such table", "exit=1").after("db").readyWhen(Probe{Kind: ProbeLog, Text: "never"}),
	}}, func(e Event) { seen = append(seen, e.Process+" "+string(e.State)) })
	var e *hotseat.Error
	if !errors.As(err, &e) || e.Message != "app exited with status 1 before it was ready" || e.Detail != "no such table" {
		t.Errorf("error %#v", err)
	}
	want := []string{"db starting", "db ready", "app starting", "app exited", "db stopping", "db exited"}
	if !slices.Equal(seen, want) {
		t.Errorf("saw %q, want %q", seen, want)
	}
	if _, err := Connect(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("connect: %v", err)
	}
}

func TestAnInterruptedLaunchLeavesNothing(t *testing.T) {
	dir := runDir(t)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	var pid int
	_, err := Launch(ctx, []string{exePath}, Plan{ID: "x", Dir: dir, Processes: []Process{
		faked("app", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "never"}),
	}}, func(e Event) { pid = e.PID })
	if !errors.Is(err, context.DeadlineExceeded) || pid == 0 {
		t.Errorf("error %v, pid %d", err, pid)
	}
	awaitDead(t, 0, pid)
}

func TestOnlyOneStackPerFolder(t *testing.T) {
	dir := runDir(t)
	plan := Plan{ID: "x", Dir: dir, Processes: []Process{faked("app", "serve")}}
	launch(t, dir, plan.Processes...)
	if _, err := Launch(t.Context(), []string{exePath}, plan); !errors.Is(err, ErrRunning) || hotseat.CodeOf(err) != hotseat.CodeConflict {
		t.Errorf("second launch: %v", err)
	}
}

func TestTwoStacksSideBySide(t *testing.T) {
	a, b := launch(t, runDir(t), faked("app", "serve")), launch(t, runDir(t), faked("app", "serve"))
	pid := status(t, b).Processes[0].PID
	stopStack(t, a)
	if st := status(t, b); st.Processes[0].PID != pid || !alive(pid) {
		t.Error("stopping one stack touched the other")
	}
}

func TestAGuardianThatCannotStart(t *testing.T) {
	dir := runDir(t)
	_, err := Launch(t.Context(), []string{"/bin/sh", "-c", "echo cannot even begin; exit 1", "sh"}, Plan{Dir: dir})
	var e *hotseat.Error
	if !errors.As(err, &e) || !strings.Contains(e.Detail, "cannot even begin") {
		t.Errorf("error %#v", err)
	}
}

func TestAStaleSocketIsCleaned(t *testing.T) {
	dir := runDir(t)
	p := placeOf(dir)
	if err := p.make(); err != nil {
		t.Fatal(err)
	}
	l, err := p.listen()
	if err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	if _, err := os.Stat(p.file(socketFile)); err != nil {
		t.Fatal("the drill needs a socket:", err)
	}
	if _, err := Connect(t.Context(), dir); !errors.Is(err, ErrNotRunning) {
		t.Errorf("connect: %v", err)
	}
	if _, err := os.Stat(p.file(socketFile)); err == nil {
		t.Error("the socket is still there")
	}
	launch(t, dir, faked("app", "serve"))
}

func TestADeepFolder(t *testing.T) {
	dir := filepath.Join(runDir(t), strings.Repeat("deep/", 40), "with space")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	sock, err := SocketPath(dir, "mysql.sock")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(filepath.Dir(sock)) }()
	if len(sock) > maxSocketLen {
		t.Fatalf("%d bytes: %s", len(sock), sock)
	}
	c := launch(t, dir, faked("db", "listen=unix:"+sock, "serve").readyWhen(Probe{Kind: ProbeConnect, Address: sock}))
	if lines, err := c.Logs(t.Context(), "db", 5); err != nil || len(lines) != 0 {
		t.Errorf("logs %q, %v", lines, err)
	}
	fi, err := os.Stat(filepath.Join(dir, placeFolder))
	if err != nil || fi.Mode().Perm() != 0o700 {
		t.Errorf("control folder: %v, %v", fi.Mode(), err)
	}
}

func TestClientOperations(t *testing.T) {
	dir := runDir(t)
	app := faked("app", "say=one", "say=two", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "two"})
	c := launch(t, dir, app)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	first, err := c.Events(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	second, err := c.Events(ctx, 2)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(ctx, "app"); err != nil {
		t.Fatal(err)
	}
	if lines, err := c.Logs(ctx, "app", 2); err != nil || !slices.Equal(lines, []string{"one", "two"}) {
		t.Errorf("logs %q, %v", lines, err)
	}
	if err := c.Restart(ctx, "nobody"); hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("restart: %v", err)
	}
	ch, err := c.Apply(ctx, Plan{Dir: dir, Processes: []Process{app, faked("more", "serve")}})
	if err != nil || !slices.Equal(ch.Started, []string{"more"}) || len(ch.Restarted) != 0 {
		t.Errorf("apply: %+v, %v", ch, err)
	}
	bad := faked("bad", "exit=1").readyWhen(Probe{Kind: ProbeLog, Text: "never"})
	if _, err = c.Apply(ctx, Plan{Dir: dir, Processes: []Process{app, bad}}); err == nil || !strings.Contains(err.Error(), "bad exited") {
		t.Errorf("apply of something broken: %v", err)
	}
	if st := status(t, c); st.Processes[0].State != StateReady || st.Processes[1].State != StateExited {
		t.Errorf("after a broken apply: %+v", st.Processes)
	}
	stopStack(t, c)
	for name, events := range map[string]<-chan Event{"first": first, "second": second} {
		var got []string
		for e := range events {
			if e.Process == "app" {
				got = append(got, string(e.State))
			}
		}
		want := []string{"starting", "ready", "stopping", "exited", "starting", "ready", "stopping", "exited"}
		if name == "second" {
			want = want[2:]
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s listener got %q, want %q", name, got, want)
		}
	}
}

func TestHold(t *testing.T) {
	dir := runDir(t)
	c := launch(t, dir, faked("db", "serve"))
	file := filepath.Join(dir, "slow-log-is-on")
	hold := Hold{
		Do:   Command{Argv: []string{"sh", "-c", "touch slow-log-is-on; echo done"}},
		Undo: Command{Argv: []string{"rm", "slow-log-is-on"}},
	}
	is := func(want bool) {
		t.Helper()
		for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			_, err := os.Stat(file)
			if (err == nil) == want {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("the change is there: %v, want %v", err == nil, want)
			}
		}
	}
	begin := func() *Held {
		t.Helper()
		h, err := c.Hold(t.Context(), hold)
		if err != nil {
			t.Fatal(err)
		}
		if h.Output != "done" {
			t.Errorf("output %q", h.Output)
		}
		is(true)
		return h
	}
	t.Run("released", func(t *testing.T) {
		if err := begin().Release(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(file); err == nil {
			t.Error("Release came back before it was undone")
		}
	})
	t.Run("client gone", func(t *testing.T) {
		_ = begin().conn.Conn.Close()
		is(false)
	})
	t.Run("refused", func(t *testing.T) {
		_, err := c.Hold(t.Context(), Hold{Do: Command{Argv: []string{"sh", "-c", "echo no such variable; exit 1"}}, Undo: hold.Undo})
		if err == nil || !strings.Contains(err.Error(), "no such variable") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("undo fails", func(t *testing.T) {
		h, err := c.Hold(t.Context(), Hold{Undo: Command{Argv: []string{"false"}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := h.Release(); err == nil {
			t.Error("nobody heard of it")
		}
	})
	t.Run("stack stopped", func(t *testing.T) {
		h := begin()
		stopStack(t, c)
		is(false)
		if err := h.Release(); err != nil {
			t.Error(err)
		}
	})
}

// TestOrphansAreWaitedFor: whatever falls to the guardian must not stay a
// zombie.
func TestOrphansAreWaitedFor(t *testing.T) {
	c := launch(t, runDir(t), faked("app", "setsid=say=orphan up,exit=0", "sleep=100ms", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "orphan up"}))
	guardian := status(t, c).Guardian
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		all, err := processes()
		if err != nil {
			t.Fatal(err)
		}
		children := slices.DeleteFunc(all, func(st procStat) bool { return st.ppid != guardian })
		if len(children) == 1 && children[0].state != 'Z' {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the guardian's children: %+v", children)
		}
	}
}

// TestSignalsAreAsUsual: a guardian that ignores a signal would make every
// server ignore it.
func TestSignalsAreAsUsual(t *testing.T) {
	c := launch(t, runDir(t), Process{
		Name: "app", Argv: []string{"sh", "-c", "grep SigIgn /proc/self/status; exec sleep 600"},
		Ready: []Probe{{Kind: ProbeLog, Text: "SigIgn"}},
	})
	own, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	lines, err := c.Logs(t.Context(), "app", 1)
	if err != nil || len(lines) != 1 {
		t.Fatalf("%q, %v", lines, err)
	}
	ignored := func(status string) uint64 {
		_, value, _ := strings.Cut(status, "SigIgn:\t")
		set, err := strconv.ParseUint(value[:16], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		return set
	}
	// The guardian may ignore less: nohup's SIGHUP is not handed on.
	if more := ignored(lines[0]) &^ ignored(string(own)); more != 0 {
		t.Errorf("the child ignores signals that are not ignored here: %#x", more)
	}
}

// TestAsOrdinaryUser runs the drills once more without root's rights.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // everything here has just run as an ordinary user
	}
	runAsNobody(t, "TestSIGKILLToGuardianAndToWatcher|TestLaunchOutlivesNothingButStop|TestADeepFolder|TestEveryProbe|TestAPortThatIsTakenByAnotherUser")
}
