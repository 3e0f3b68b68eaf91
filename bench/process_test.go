package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat"
)

// childEnv makes the test binary a benchmark, so that tests can signal a real one.
const childEnv = "HOTSEAT_BENCH_TEST_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(childEnv) != "" {
		Main(get())
	}
	os.Exit(m.Run())
}

// child prepares a benchmark process that loads the target for a minute.
func child(t *testing.T, target string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0], "--target", target, "--duration", "60s")
	cmd.Env = append(os.Environ(), childEnv+"=1")
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
		if e.PhaseEvent != nil && e.PhaseEvent.Phase == PhaseLoad {
			return
		}
	}
}

func TestSignalsEndTheRun(t *testing.T) {
	s := serve(t, ok)
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT} {
		t.Run(sig.String(), func(t *testing.T) {
			cmd := child(t, s.URL)
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
			rest, err := io.ReadAll(out)
			if err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the exit status is looked at below
			lines := strings.Split(strings.TrimSpace(string(rest)), "\n")
			var e hotseat.Event
			if err := json.Unmarshal([]byte(lines[len(lines)-1]), &e); err != nil {
				t.Fatal(err)
			}
			if e.VerdictEvent == nil || e.Verdict != hotseat.Infra || e.Reason != hotseat.ReasonInterrupted {
				t.Errorf("last line %s", lines[len(lines)-1])
			}
			if code := cmd.ProcessState.ExitCode(); code != hotseat.ExitInterrupted {
				t.Errorf("exit status %d", code)
			}
		})
	}
}

func TestBenchmarkDiesWithItsParent(t *testing.T) {
	s := serve(t, ok)
	benchmark := child(t, s.URL)
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
