package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hotseat"
	"hotseat/runner"
	"hotseat/stack"
)

// The drills: what happens when something is killed, closed or broken in the
// middle of a run. Each has a workspace and a stack of its own.

// bank is a workspace with small data.
type bank struct {
	t   *testing.T
	dir string
	env []string
}

func newBank(t *testing.T) *bank {
	t.Helper()
	b := &bank{t: t, dir: filepath.Join(t.TempDir(), "bank"), env: append(os.Environ(), testFolders(t)...)}
	b.must(filepath.Dir(b.dir), "init", "isucon4-qualifier", "bank", "--data-profile", "small")
	t.Cleanup(func() { b.must(b.dir, "down") })
	return b
}

// command makes a command of the real program.
func (b *bank) command(dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(context.Background(), "hotseat", args...)
	cmd.Dir, cmd.Env = dir, b.env
	return cmd
}

func (b *bank) must(dir string, args ...string) string {
	b.t.Helper()
	out, err := b.command(dir, args...).CombinedOutput()
	if err != nil {
		b.t.Errorf("hotseat %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// fails runs a command that must fail and returns its exit status and words.
func (b *bank) fails(args ...string) (int, string) {
	b.t.Helper()
	cmd := b.command(b.dir, args...)
	out, err := cmd.CombinedOutput()
	if err == nil {
		b.t.Errorf("hotseat %s succeeded:\n%s", strings.Join(args, " "), out)
	}
	return cmd.ProcessState.ExitCode(), string(out)
}

// bench is a benchmark under way.
type benchRun struct {
	b      *bank
	cmd    *exec.Cmd
	stdout bytes.Buffer
	mu     sync.Mutex
	words  []string
	lines  chan string
}

// start starts hotseat bench and returns when the load has begun.
func (b *bank) start(args ...string) *benchRun {
	b.t.Helper()
	r := &benchRun{b: b, cmd: b.command(b.dir, append([]string{"bench", "--json"}, args...)...), lines: make(chan string, 1000)}
	r.cmd.Stdout = &r.stdout
	stderr, err := r.cmd.StderrPipe()
	if err != nil {
		b.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	go r.read(stderr)
	for line := range r.lines {
		if strings.HasPrefix(line, "load: begins") {
			time.Sleep(1500 * time.Millisecond) // into the load
			return r
		}
	}
	b.t.Fatalf("the load never began:\n%s", strings.Join(r.said(), "\n"))
	return nil
}

func (r *benchRun) read(stderr io.Reader) {
	defer close(r.lines)
	for in := bufio.NewScanner(stderr); in.Scan(); {
		r.mu.Lock()
		r.words = append(r.words, in.Text())
		r.mu.Unlock()
		r.lines <- in.Text()
	}
}

func (r *benchRun) said() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]string(nil), r.words...)
}

// end waits for hotseat bench and returns its exit status and result.
func (r *benchRun) end() (int, *hotseat.Result) {
	r.b.t.Helper()
	for range r.lines { // until it closes its standard error
	}
	_ = r.cmd.Wait() // the status tells
	var result hotseat.Result
	if err := json.Unmarshal(r.stdout.Bytes(), &result); err != nil {
		r.b.t.Fatalf("no result: %v\n%s\n%s", err, r.stdout.String(), strings.Join(r.said(), "\n"))
	}
	return r.cmd.ProcessState.ExitCode(), &result
}

// child finds the benchmark's process.
func (r *benchRun) child() int {
	r.b.t.Helper()
	pids, err := stack.Descendants(r.cmd.Process.Pid)
	if err != nil {
		r.b.t.Fatal(err)
	}
	for _, pid := range pids {
		if text, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(text, []byte("\x00_benchmark\x00")) {
			return pid
		}
	}
	r.b.t.Fatalf("no benchmark among %v", pids)
	return 0
}

func (b *bank) status() *runner.Status {
	b.t.Helper()
	var s runner.Status
	out, err := b.command(b.dir, "status", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &s)
	}
	if err != nil {
		b.t.Fatal(err)
	}
	return &s
}

// pid of a process of the stack.
func (b *bank) pid(name string) int {
	b.t.Helper()
	for _, p := range b.status().Processes {
		if p.Name == name {
			return p.PID
		}
	}
	b.t.Fatalf("no process %s", name)
	return 0
}

func kill(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

func alive(pid int) bool {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := bytes.Cut(text, []byte(") "))
	return len(rest) > 0 && rest[0] != 'Z'
}

// gone waits until none of the processes is alive.
func gone(pids []int, limit time.Duration) (left []int) {
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		left = nil
		for _, pid := range pids {
			if alive(pid) {
				left = append(left, pid)
			}
		}
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
	}
}

func wantVerdict(t *testing.T, exit int, r *hotseat.Result, wantExit int, want hotseat.Verdict, words ...string) {
	t.Helper()
	if exit != wantExit || r.Verdict != want {
		t.Errorf("exit %d, verdict %s (%s), want %d and %s", exit, r.Verdict, r.Reason, wantExit, want)
	}
	for _, w := range words {
		if !strings.Contains(r.Reason, w) {
			t.Errorf("reason %q does not say %q", r.Reason, w)
		}
	}
	switch {
	case want == hotseat.Fail && (r.Score == nil || *r.Score != 0):
		t.Errorf("score of a failed run: %v", r.Score)
	case want == hotseat.Infra && r.Score != nil:
		t.Errorf("score of an infra run: %d", *r.Score)
	}
}

func TestDrillBenchmarkKilled(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	r := b.start("--duration", "30s")
	kill(t, r.child())
	exit, result := r.end()
	wantVerdict(t, exit, result, 3, hotseat.Infra, "SIGKILL")
	if result.RawScore == 0 {
		t.Error("what it told before is lost")
	}
}

func TestDrillServerKilled(t *testing.T) {
	for _, name := range []string{"app", "mariadb"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBank(t)
			r := b.start("--duration", "30s")
			kill(t, b.pid(name))
			exit, result := r.end()
			wantVerdict(t, exit, result, 1, hotseat.Fail, name+" died", "SIGKILL")
			if f := result.Failures[0]; f.Class != hotseat.ClassLifecycle || f.Code != "server-died" {
				t.Errorf("first failure is %s/%s", f.Class, f.Code)
			}
			// The next run starts what has died, and passes.
			var again hotseat.Result
			out, err := b.command(b.dir, "bench", "--duration", "2s", "--json").Output()
			if err != nil {
				t.Errorf("the run after: %v", err)
			}
			if err := json.Unmarshal(out, &again); err != nil || again.Verdict != hotseat.Pass {
				t.Errorf("the run after: %s (%s), %v", again.Verdict, again.Reason, err)
			}
		})
	}
}

func TestDrillGuardianKilled(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	b.must(b.dir, "up")
	s := b.status()
	pids := []int{s.Guardian}
	for _, p := range s.Processes {
		pids = append(pids, p.PIDs...)
	}
	if len(pids) < 5 { // guardian, mariadb, app, nginx and its worker
		t.Fatalf("the stack has only %v", pids)
	}
	kill(t, s.Guardian)
	if left := gone(pids, 5*time.Second); left != nil {
		t.Errorf("alive 5 s after the guardian's death: %v", left)
	}
	if out := b.must(b.dir, "up"); !strings.Contains(out, "is up") {
		t.Errorf("the next command: %s", out)
	}
}

func TestDrillRunnerKilled(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	r := b.start("--duration", "30s")
	child := r.child()
	kill(t, r.cmd.Process.Pid)
	_ = r.cmd.Wait() // killed
	if left := gone([]int{child}, 5*time.Second); left != nil {
		t.Errorf("the benchmark outlives its runner: %v", left)
	}
	if s := b.status(); !s.Up || len(s.Processes) != 3 || s.Processes[0].Starts != 1 {
		t.Errorf("the stack was harmed: %+v", s)
	}
	var result hotseat.Result
	out, err := b.command(b.dir, "report", "--json").Output()
	if err == nil {
		err = json.Unmarshal(out, &result)
	}
	if err != nil || result.Verdict != hotseat.Infra || result.Reason != "interrupted" || result.Generator.Requests == 0 {
		t.Errorf("the killed run reads %s, %s, %d requests, %v", result.Verdict, result.Reason, result.Generator.Requests, err)
	}
}

func TestDrillInterrupted(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	r := b.start("--duration", "30s")
	child := r.child()
	if err := r.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	exit, result := r.end()
	wantVerdict(t, exit, result, 130, hotseat.Infra, "interrupted")
	if left := gone([]int{child}, time.Second); left != nil {
		t.Error("the benchmark is still there")
	}
}

func TestDrillInit(t *testing.T) {
	for _, c := range []struct{ name, script, reason, output string }{
		{"fails", "#!/bin/sh\necho no such table: users >&2\nexit 3\n", "status 3", "no such table"},
		{"takes longer than its minute", "#!/bin/sh\necho still waiting\nsleep 300\n", "after 1m0s", "still waiting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBank(t)
			if err := os.WriteFile(filepath.Join(b.dir, "init.sh"), []byte(c.script), 0o755); err != nil {
				t.Fatal(err)
			}
			cmd := b.command(b.dir, "bench", "--duration", "20s", "--json")
			out, _ := cmd.Output() // the status tells
			var result hotseat.Result
			if err := json.Unmarshal(out, &result); err != nil {
				t.Fatal(err)
			}
			wantVerdict(t, cmd.ProcessState.ExitCode(), &result, 1, hotseat.Fail, c.reason)
			if len(result.Failures) != 1 || !strings.Contains(result.Failures[0].Samples[0].Actual, c.output) {
				t.Errorf("its output is not in %+v", result.Failures)
			}
		})
	}
}

// nobodyListens is a target on a port that no other test's server is ever given.
const nobodyListens = "http://127.0.0.1:1"

func TestDrillTargetClosed(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	truth, err := filepath.Glob(filepath.Join(testCache(t), "hotseat", "data", "isucon4-qualifier-small-*", "truth"))
	if err != nil || len(truth) == 0 {
		t.Fatalf("no truth: %v, %v", truth, err)
	}
	began := time.Now()
	exit, words := b.fails("bench", "--problem", "isucon4-qualifier", "--target", nobodyListens, "--init", "true", "--data", truth[0], "--duration", "60s")
	if exit != 1 || !strings.Contains(words, "refused") {
		t.Errorf("exit %d:\n%s", exit, words)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("the verdict came after %s: after the load", took)
	}
}

func TestDrillPortTaken(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	port := b.status().Ports["web"]
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	exit, words := b.fails("up")
	if exit != 2 || !strings.Contains(words, "error: ") || !strings.Contains(words, strconv.Itoa(port)) || !strings.Contains(words, "hint: ") {
		t.Errorf("exit %d:\n%s", exit, words)
	}
	if s := b.status(); s.Up {
		t.Error("half a stack was left running")
	}
}

// Nobody could stop a stack whose workspace was removed: it stops by itself.
func TestDrillWorkspaceRemoved(t *testing.T) {
	t.Parallel()
	b := newBank(t)
	b.must(b.dir, "up")
	s := b.status()
	pids := []int{s.Guardian}
	for _, p := range s.Processes {
		pids = append(pids, p.PIDs...)
	}
	away := b.dir + ".gone"
	if err := os.Rename(b.dir, away); err != nil {
		t.Fatal(err)
	}
	if left := gone(pids, 15*time.Second); left != nil {
		t.Errorf("still there: %v", left)
	}
	if err := os.Rename(away, b.dir); err != nil {
		t.Fatal(err)
	}
}
