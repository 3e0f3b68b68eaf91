package bench

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// childEnv makes the test binary a benchmark, so that tests can signal a real one.
const childEnv = "HOTSEAT_BENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "closed":
		Main(get())
	case "target": // of many connections
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			panic(err)
		}
		go servePlainly(l, "ok")
		fmt.Println("http://" + l.Addr().String())
		_, _ = io.Copy(io.Discard, os.Stdin) // until the test ends
		return
	case "fds":
		c := get()
		work := c.Populations
		c.Populations = func(r *Run) []Population {
			few := uint64(openFDs() + 3)
			if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: few, Max: few}); err != nil {
				panic(err)
			}
			p := work(r)
			p[0].(*ClosedPopulation).Start(20)
			return p
		}
		Main(c)
	case "open":
		Main(open(func(p *OpenPopulation) *OpenPopulation {
			return p.PerSecond(50).Users(10).MaxLate(100 * time.Millisecond)
		}))
	case "idle": // each user has a start of its own to wait for, for two seconds
		Main(open(func(p *OpenPopulation) *OpenPopulation {
			return p.PerSecond(5).Users(10).MaxLate(100 * time.Millisecond)
		}))
	}
	os.Exit(m.Run())
}

// child prepares a benchmark process that loads the target.
func child(t *testing.T, kind, target, duration string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--target", target, "--duration", duration)
	cmd.Env = append(os.Environ(), childEnv+"="+kind)
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe() // open until the test ends
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = stdin.Close() })
	return cmd
}

// untilLoad reads events until the load begins.
func untilLoad(t *testing.T, out *bufio.Reader) {
	t.Helper()
	for {
		l, err := out.ReadBytes('\n')
		if err != nil {
			t.Fatal(err)
		}
		var e hotseat.Event
		if err := json.Unmarshal(l, &e); err != nil {
			t.Fatalf("%v: %s", err, l)
		}
		if e.PhaseEvent != nil && e.Phase == PhaseLoad {
			return
		}
	}
}

func TestSignalsEndTheRun(t *testing.T) {
	s := serve(t, ok)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd := child(t, "closed", s.URL, "60s")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out := bufio.NewReader(stdout)
			untilLoad(t, out)
			if err := cmd.Process.Signal(sig); err != nil {
				t.Fatal(err)
			}
			e := lastEvent(t, out)
			_ = cmd.Wait() // the exit status is looked at below
			if e.VerdictEvent == nil || e.Verdict != hotseat.Infra || e.Reason != hotseat.ReasonInterrupted {
				t.Errorf("last event %+v", e)
			}
			if code := cmd.ProcessState.ExitCode(); code != hotseat.ExitInterrupted {
				t.Errorf("exit status %d", code)
			}
		})
	}
}

// lastEvent reads to the end and returns the last event.
func lastEvent(t *testing.T, out io.Reader) hotseat.Event {
	t.Helper()
	rest, err := io.ReadAll(out)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(rest)), "\n")
	var e hotseat.Event
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// What the benchmark itself has run out of is never charged to the target.
func TestOutOfFileDescriptorsIsInfra(t *testing.T) {
	t.Parallel()
	s := serve(t, dawdle(50*time.Millisecond)) // so that the lucky users do not outweigh the others
	cmd := child(t, "fds", s.URL, "300ms")
	text, err := cmd.Output()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != hotseat.ExitInfra {
		t.Errorf("%v, want exit status %d", err, hotseat.ExitInfra)
	}
	exhausted := 0
	for _, l := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var e hotseat.Event
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatal(err)
		}
		if f := e.FailureEvent; f != nil {
			exhausted++
			if f.Class != hotseat.ClassGenerator || f.Code != "fd-exhausted" || f.Side != hotseat.SideBench || f.Rule != "" {
				t.Errorf("failure %s", l)
			}
		}
		if v := e.VerdictEvent; v != nil && (!v.Generator.Saturated || v.Verdict != hotseat.Infra || !strings.Contains(v.Reason, "lost too many")) {
			t.Errorf("verdict %s: %s", v.Verdict, v.Reason)
		}
	}
	if exhausted == 0 {
		t.Error("no failure told of it")
	}
}

// A benchmark that was not run for a while cannot have kept its timetable, and
// the target is not to blame.
func TestStarvedOpenLoadIsInfra(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	for kind, who := range map[string]string{
		"open": "",        // all users are soon behind their timetable
		"idle": `"user":`, // those who were waiting are late
	} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			cmd := child(t, kind, s.URL, "2s")
			stdout, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			out := bufio.NewReader(stdout)
			untilLoad(t, out)
			time.Sleep(200 * time.Millisecond)
			for _, sig := range []syscall.Signal{syscall.SIGSTOP, syscall.SIGCONT} {
				if err := cmd.Process.Signal(sig); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Second)
			}
			var told strings.Builder
			e := lastEvent(t, io.TeeReader(out, &told))
			_ = cmd.Wait()
			if e.VerdictEvent == nil || e.Verdict != hotseat.Infra || !strings.Contains(e.Reason, "iterations of visitor too late") {
				t.Errorf("verdict %+v", e.VerdictEvent)
			}
			if code := cmd.ProcessState.ExitCode(); code != hotseat.ExitInfra {
				t.Errorf("exit status %d", code)
			}
			if !strings.Contains(told.String(), "late although a user was free") || !strings.Contains(told.String(), who) {
				t.Errorf("no failure tells of a late user in\n%s", &told)
			}
		})
	}
}

func TestBenchmarkDiesWithItsParent(t *testing.T) {
	s := serve(t, ok)
	benchmark := child(t, "closed", s.URL, "60s")
	// A shell between us and the benchmark; it prints the benchmark's pid
	// first. The benchmark keeps our pipe as its standard input.
	shell := exec.Command("sh", "-c", `exec 3<&0; "$@" <&3 & echo $!; wait`, "sh")
	shell.Args = append(shell.Args, benchmark.Args...)
	shell.Env, shell.Stdin = benchmark.Env, benchmark.Stdin
	stdout, err := shell.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := shell.Start(); err != nil {
		t.Fatal(err)
	}
	out := bufio.NewReader(stdout)
	first, err := out.ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil {
		t.Fatal(err)
	}
	untilLoad(t, out)
	defer runtime.KeepAlive(stdout) // its end would be a reason to stop as well
	if !alive(pid) {
		t.Fatal("the benchmark is gone already")
	}
	if err := shell.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = shell.Process.Release()
	for range 200 {
		if !alive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Error("the benchmark outlived its parent by 2 s")
}

// alive reports whether a process runs; a zombie does not.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return !strings.HasPrefix(after, "Z")
}
