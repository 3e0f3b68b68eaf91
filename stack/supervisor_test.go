package stack

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat"
)

// faked makes a process of the plan that plays the fake with those arguments.
func faked(name string, args ...string) Process {
	return Process{Name: name, Argv: append([]string{exePath, "_fake"}, args...), Grace: Duration(3 * time.Second)}
}

var exePath = func() string {
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	return exe
}()

func (p Process) after(names ...string) Process     { p.After = names; return p }
func (p Process) readyWhen(probes ...Probe) Process { p.Ready = probes; return p }

// ports are given to this package's servers: stacktest.FreePort cannot be had here.
var ports = Ports{File: filepath.Join(os.TempDir(), "hotseat-test-"+itoa(os.Geteuid()), "stack.json"), From: 19000, To: 19900}

// freeAddress finds a port that nobody uses and that is given to nobody else until the test ends.
func freeAddress(t *testing.T) string {
	t.Helper()
	return "127.0.0.1:" + itoa(leaseOf(t, ports, t.TempDir(), "test")["test"])
}

// runDir is a short folder: t.TempDir holds the test's name.
func runDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "stk")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// startHere starts a plan in the test's own process.
func startHere(t *testing.T, procs ...Process) *Supervisor {
	t.Helper()
	s, err := Start(t.Context(), Plan{ID: t.Name(), Dir: runDir(t), Processes: procs})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// alive tells whether a process lives; a zombie does not.
func alive(pid int) bool {
	st, err := readStat(pid)
	return err == nil && !st.gone()
}

func awaitDead(t *testing.T, within time.Duration, pids ...int) {
	t.Helper()
	for deadline := time.Now().Add(within); ; time.Sleep(10 * time.Millisecond) {
		left := slices.DeleteFunc(slices.Clone(pids), func(pid int) bool { return !alive(pid) })
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			for _, pid := range left {
				t.Errorf("still alive after %s: %d (%s)", within, pid, command(pid))
				_ = syscall.Kill(pid, syscall.SIGKILL)
			}
			return
		}
	}
}

func states(s *Supervisor) map[string]State {
	out := map[string]State{}
	for _, p := range s.Status().Processes {
		out[p.Name] = p.State
	}
	return out
}

func TestEveryProbe(t *testing.T) {
	tcp, http, maria, talk := freeAddress(t), freeAddress(t), freeAddress(t), freeAddress(t)
	dir := runDir(t)
	sock := filepath.Join(dir, "s.sock")
	flag := filepath.Join(dir, "flag")
	s := startHere(t,
		faked("tcp", "sleep=50ms", "listen="+tcp, "serve").readyWhen(Probe{Kind: ProbeConnect, Address: tcp}),
		faked("unix", "sleep=50ms", "listen=unix:"+sock, "serve").readyWhen(Probe{Kind: ProbeConnect, Address: "unix:" + sock}),
		faked("http", "listen="+http, "serve").readyWhen(Probe{Kind: ProbeHTTP, Address: http}),
		faked("maria", "listen=mariadb:"+maria, "serve").readyWhen(Probe{Kind: ProbeMariaDB, Address: maria}),
		faked("talk", "listen="+talk, "serve").readyWhen(Probe{Kind: ProbeTalk, Address: talk, Send: "PING\r\n", Expect: []string{"-NOAUTH", "+PONG"}}),
		faked("log", "sleep=50ms", "say=here we are", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "here we"}),
		faked("exec", "sleep=50ms", "note="+flag+":x", "serve").readyWhen(Probe{Kind: ProbeExec, Argv: []string{"test", "-e", flag}}),
		faked("none", "serve"),
	)
	for name, state := range states(s) {
		if state != StateReady {
			t.Errorf("%s is %s", name, state)
		}
	}
}

func TestAProbeThatIsNeverAnswered(t *testing.T) {
	addr := freeAddress(t)
	for name, c := range map[string]struct {
		args  []string
		probe Probe
	}{
		"connect": {[]string{"serve"}, Probe{Kind: ProbeConnect, Address: addr}},
		"mariadb": {[]string{"listen=" + addr, "serve"}, Probe{Kind: ProbeMariaDB, Address: addr}},
		"talk":    {[]string{"listen=" + addr, "serve"}, Probe{Kind: ProbeTalk, Address: addr, Send: "PING\r\n", Expect: []string{"-NO"}}},
		"exec":    {[]string{"serve"}, Probe{Kind: ProbeExec, Argv: []string{"false"}}},
		"log":     {[]string{"say=other", "serve"}, Probe{Kind: ProbeLog, Text: "never"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := faked("app", c.args...).readyWhen(c.probe)
			p.ReadyTimeout = Duration(200 * time.Millisecond)
			_, err := Start(t.Context(), Plan{Dir: runDir(t), Processes: []Process{p}})
			if err == nil || !strings.Contains(err.Error(), "app was not ready within 200ms") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestOrder(t *testing.T) {
	notes := filepath.Join(runDir(t), "notes")
	note := func(name string) string { return "note=" + notes + ":" + name }
	s := startHere(t,
		faked("nginx", note("nginx"), "serve").after("app"),
		faked("db", note("db"), "sleep=100ms", "say=up", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "up"}),
		faked("app", note("app"), "sleep=100ms", "say=up", "serve").after("db", "cache").readyWhen(Probe{Kind: ProbeLog, Text: "up"}),
		faked("cache", note("cache"), "sleep=100ms", "say=up", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "up"}),
	)
	time.Sleep(50 * time.Millisecond) // nginx has no probe: let it get to its note and its signal handler
	s.StopAll(0)
	b, err := os.ReadFile(notes)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Split(strings.TrimSpace(string(b)), "\n")
	slices.Sort(got[:2])
	slices.Sort(got[len(got)-2:])
	want := []string{"start cache", "start db", "start app", "start nginx", "stop nginx", "stop app", "stop cache", "stop db"}
	if !slices.Equal(got, want) {
		t.Errorf("order %q, want %q", got, want)
	}
}

func TestSiblingsStartAndStopTogether(t *testing.T) {
	notes := filepath.Join(runDir(t), "notes")
	var procs []Process
	for _, name := range []string{"a", "b", "c", "d"} { // none is ready before all have been started
		procs = append(procs, faked(name, "note="+notes+":"+name, "slowstop=2s", "serve").
			readyWhen(Probe{Kind: ProbeExec, Argv: []string{"sh", "-c", "test $(wc -l <" + notes + ") -eq 4"}}))
	}
	s := startHere(t, procs...)
	began := time.Now()
	s.StopAll(0)
	if d := time.Since(began); d >= 8*time.Second {
		t.Errorf("four siblings of 2 s each stopped in %s: one after the other", d)
	}
}

func TestAFailingStartStopsWhatItStarted(t *testing.T) {
	addr := freeAddress(t)
	var s *Supervisor
	s, err := NewSupervisor(Plan{ID: "x", Dir: runDir(t), Processes: []Process{
		faked("db", "listen="+addr, "serve").readyWhen(Probe{Kind: ProbeConnect, Address: addr}),
		faked("app", "say=first words", "say=cannot open config", "exit=3").after("db").readyWhen(Probe{Kind: ProbeLog, Text: "never"}),
		faked("nginx", "serve").after("app"),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	began := time.Now()
	err = s.StartAll(t.Context())
	if time.Since(began) > 10*time.Second {
		t.Error("waited for a process that was dead")
	}
	var e *hotseat.Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v", err)
	}
	if want := "app exited with status 3 before it was ready"; e.Message != want {
		t.Errorf("message %q, want %q", e.Message, want)
	}
	if !strings.Contains(e.Detail, "cannot open config") || !strings.Contains(e.Hint, "app.log") {
		t.Errorf("detail %q, hint %q", e.Detail, e.Hint)
	}
	got := states(s)
	if got["db"] != StateExited || got["app"] != StateExited || got["nginx"] != StatePending {
		t.Errorf("states %v", got)
	}
	if err := CheckFree(addr); err != nil {
		t.Error(err)
	}
}

func TestACrashIsToldAndNotRepaired(t *testing.T) {
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"status": {[]string{"say=up", "sleep=100ms", "say=out of cheese", "exit=4"}, "exited with status 4"},
		"signal": {[]string{"say=up", "sleep=100ms", "say=out of cheese", "die"}, "was killed by SIGKILL"},
	} {
		t.Run(name, func(t *testing.T) {
			s := startHere(t, faked("app", c.args...).readyWhen(Probe{Kind: ProbeLog, Text: "up"}))
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
			defer cancel()
			var crash Event
			_ = s.events.follow(ctx, 0, func(e Event) error {
				if e.State == StateExited {
					crash = e
					cancel()
				}
				return nil
			})
			if !crash.Crashed() || crash.Message != c.want {
				t.Fatalf("event %+v, exit %+v", crash, crash.Exit)
			}
			if !slices.Contains(crash.Exit.LastWords, "out of cheese") {
				t.Errorf("last words %q", crash.Exit.LastWords)
			}
			if st := s.Status().Processes[0]; st.State != StateExited || st.Starts != 1 {
				t.Errorf("status %+v", st)
			}
		})
	}
}

func TestACrashTakesItsGroupAlong(t *testing.T) {
	addr := freeAddress(t)
	s := startHere(t, faked("nginx", "child=listen="+addr+",ignore=TERM,serve", "serve").
		readyWhen(Probe{Kind: ProbeConnect, Address: addr}))
	st := s.Status().Processes[0]
	if len(st.PIDs) != 2 {
		t.Fatalf("pids %v", st.PIDs)
	}
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitDead(t, 10*time.Second, st.PIDs...)
}

func TestGrandchildrenThatIgnoreTermAreKilled(t *testing.T) {
	p := faked("app", "child=say=child up,ignore=TERM,serve", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "child up"})
	p.Grace = Duration(300 * time.Millisecond)
	s := startHere(t, p)
	pids := s.Status().Processes[0].PIDs
	if len(pids) != 2 {
		t.Fatalf("pids %v", pids)
	}
	began := time.Now()
	s.StopAll(0)
	if time.Since(began) < 250*time.Millisecond {
		t.Error("the grace was not given")
	}
	awaitDead(t, 0, pids...)
}

func TestASlowStopGetsItsGrace(t *testing.T) {
	s := startHere(t, faked("app", "slowstop=300ms", "say=up", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "up"}))
	s.StopAll(0)
	if exit := s.Status().Processes[0].Exit; exit == nil || exit.Code != 0 || exit.Unasked {
		t.Errorf("exit %+v", exit)
	}
}

func TestStopSignal(t *testing.T) {
	p := faked("nginx", "ignore=TERM", "say=up", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "up"})
	p.StopSignal = "QUIT"
	s := startHere(t, p)
	s.StopAll(0)
	lines, err := s.logTail([]string{"nginx"}, 1)
	if err != nil || !slices.Equal(lines, []string{"ended by quit"}) {
		t.Errorf("log %q, %v", lines, err)
	}
}

func TestAPortThatIsTakenBeforehand(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	p := faked("nginx", "serve").readyWhen(Probe{Kind: ProbeConnect, Address: l.Addr().String()})
	_, err = Start(t.Context(), Plan{Dir: runDir(t), Processes: []Process{p}})
	var takenErr *TakenError
	if !errors.As(err, &takenErr) || takenErr.PID != os.Getpid() || hotseat.CodeOf(err) != hotseat.CodeConflict {
		t.Fatalf("error %v", err)
	}
	for _, want := range []string{l.Addr().String(), itoa(os.Getpid()), filepath.Base(os.Args[0])} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %q does not name %q", err, want)
		}
	}
}

func TestAPortThatIsTakenMeanwhile(t *testing.T) {
	addr := freeAddress(t)
	go func() {
		time.Sleep(100 * time.Millisecond)
		l, err := net.Listen("tcp", addr)
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { _ = l.Close() })
	}()
	p := faked("nginx", "serve").readyWhen(Probe{Kind: ProbeConnect, Address: addr})
	_, err := Start(t.Context(), Plan{Dir: runDir(t), Processes: []Process{p}})
	var takenErr *TakenError
	if !errors.As(err, &takenErr) {
		t.Fatalf("error %v", err)
	}
}

func TestUnixSocketTakenAndStale(t *testing.T) {
	sock := filepath.Join(runDir(t), "s.sock")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: sock, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	var takenErr *TakenError
	if err := CheckFree("unix:" + sock); !errors.As(err, &takenErr) || takenErr.PID != os.Getpid() {
		t.Errorf("while somebody listens: %v", err)
	}
	_ = l.Close()
	startHere(t, faked("app", "listen=unix:"+sock, "serve").readyWhen(Probe{Kind: ProbeConnect, Address: sock}))
}

func TestRestartAndApply(t *testing.T) {
	dir := runDir(t)
	one := faked("one", "serve")
	two := faked("two", "serve").after("one")
	three := faked("three", "serve")
	s, err := Start(t.Context(), Plan{Dir: dir, Processes: []Process{one, two, three}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	pids := func() map[string]int {
		out := map[string]int{}
		for _, p := range s.Status().Processes {
			out[p.Name] = p.PID
		}
		return out
	}
	before := pids()
	if err := s.Restart(t.Context(), "one"); err != nil {
		t.Fatal(err)
	}
	after := pids()
	if after["one"] == before["one"] || after["two"] != before["two"] || after["three"] != before["three"] {
		t.Errorf("restart one: %v, then %v", before, after)
	}
	before = after
	if err := s.Restart(t.Context()); err != nil {
		t.Fatal(err)
	}
	after = pids()
	for name := range before {
		if after[name] == before[name] || after[name] == 0 {
			t.Errorf("restart of all: %s was %d, is %d", name, before[name], after[name])
		}
	}
	if err := s.Restart(t.Context(), "four"); hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("restart of nobody: %v", err)
	}

	two.Revision = "new"
	four := faked("four", "serve").after("two")
	before = after
	ch, err := s.Apply(t.Context(), Plan{Dir: dir, Processes: []Process{one, two, four}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(ch.Stopped, []string{"three"}) || !slices.Equal(ch.Started, []string{"four"}) || !slices.Equal(ch.Restarted, []string{"two"}) {
		t.Errorf("changes %+v", ch)
	}
	after = pids()
	if after["one"] != before["one"] || after["two"] == before["two"] || after["four"] == 0 || len(after) != 3 || alive(before["three"]) {
		t.Errorf("apply: %v, then %v", before, after)
	}
	if ch, err = s.Apply(t.Context(), Plan{Dir: dir, Processes: []Process{one, two, four}}); err != nil || len(ch.Stopped)+len(ch.Started)+len(ch.Restarted) > 0 {
		t.Errorf("applying the same: %+v, %v", ch, err)
	}
	awaitDead(t, 0)
	_ = syscall.Kill(after["one"], syscall.SIGKILL)
	awaitDead(t, 10*time.Second, after["one"])
	for states(s)["one"] != StateExited {
		time.Sleep(time.Millisecond)
	}
	if ch, err = s.Apply(t.Context(), Plan{Dir: dir, Processes: []Process{one, two, four}}); err != nil || !slices.Equal(ch.Started, []string{"one"}) {
		t.Errorf("applying after a crash: %+v, %v", ch, err)
	}
}

func TestInterruptedStart(t *testing.T) {
	s, err := NewSupervisor(Plan{Dir: runDir(t), Processes: []Process{
		faked("app", "serve").readyWhen(Probe{Kind: ProbeLog, Text: "never"}),
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if err := s.StartAll(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if st := s.Status().Processes[0]; st.State != StateExited || st.Exit.Unasked {
		t.Errorf("status %+v %+v", st, st.Exit)
	}
}

func TestNoFile(t *testing.T) {
	p := Process{Name: "sh", Argv: []string{"sh", "-c", "ulimit -Sn; sleep 60"}, Ready: []Probe{{Kind: ProbeLog, Text: "\n"}}}
	q := p
	q.Name, q.NoFile = "more", 2048
	s := startHere(t, p, q)
	for name, want := range map[string]string{"sh": "1024", "more": "2048"} {
		if got, err := s.logTail([]string{name}, 1); err != nil || !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestBadPlans(t *testing.T) {
	ok := faked("a", "serve")
	for name, c := range map[string]struct {
		plan Plan
		want string
	}{
		"relative folder": {Plan{Dir: "x"}, "not an absolute path"},
		"twice":           {Plan{Dir: "/x", Processes: []Process{ok, ok}}, `two processes are called "a"`},
		"circle":          {Plan{Dir: "/x", Processes: []Process{faked("a").after("b"), faked("b").after("a")}}, "a, b wait for each other"},
		"unknown after":   {Plan{Dir: "/x", Processes: []Process{ok.after("b")}}, `after "b"`},
		"name":            {Plan{Dir: "/x", Processes: []Process{faked("../a")}}, `"../a" cannot be the name`},
		"no command":      {Plan{Dir: "/x", Processes: []Process{{Name: "a"}}}, "no command"},
		"probe":           {Plan{Dir: "/x", Processes: []Process{ok.readyWhen(Probe{Kind: "smell"})}}, `no probe of kind "smell"`},
		"probe address":   {Plan{Dir: "/x", Processes: []Process{ok.readyWhen(Probe{Kind: ProbeConnect, Address: "localhost"})}}, "missing port"},
		"signal":          {Plan{Dir: "/x", Processes: []Process{{Name: "a", Argv: []string{"x"}, StopSignal: "SEGV"}}}, "SEGV"},
	} {
		t.Run(name, func(t *testing.T) {
			err := c.plan.Validate()
			if err == nil || !strings.Contains(err.Error(), c.want) || hotseat.CodeOf(err) != hotseat.CodeInvalid {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
