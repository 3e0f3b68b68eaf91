package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hotseat"
	"hotseat/stack"
)

// drillLoad is how long the drills of the engine load.
const drillLoad = 2 * time.Second

// drillGrace is what a run may take besides, whatever happens to its benchmark.
const drillGrace = 10 * time.Second

// buildDrill makes a problem whose benchmark is testdata/drill, and returns its folder.
func buildDrill(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "drill")
	files := map[string]string{
		"README.md":     "Serve a page.\n",
		"app/go/run.sh": "#!/bin/sh\n",
		"problem.toml": `id = "drill"
title = "A drill"
version = "1"
languages = ["go"]

[app.go]
command = ["./run.sh"]

[[address]]
name = "app"
port = 8000

[benchmark]
command = ["./drill"]
load_s = 2

[benchmark.params]
mood = "good"
`,
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil { // scripts
			t.Fatal(err)
		}
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", filepath.Join(dir, "drill"), "./testdata/drill")
	build.Env = append(os.Environ(), "CGO_ENABLED=0") // C's threads have address space of their own, which a drill limits
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return dir
}

// Whatever becomes of the benchmark itself, the run ends soon, is nobody's
// fault but ours, and says why.
func TestDrillEngine(t *testing.T) {
	t.Parallel()
	folder := buildDrill(t)
	target := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(time.Millisecond)
		fmt.Fprint(w, "ok")
	}))
	t.Cleanup(target.Close)
	for name, c := range map[string]struct {
		mood   string
		starve bool
		exit   int
		want   hotseat.Verdict
		reason []string
		words  string // somewhere in the result's failures
	}{
		"nothing":                     {mood: "good", want: hotseat.Pass},
		"open":                        {mood: "open", want: hotseat.Pass},
		"panic":                       {mood: "panic", exit: 3, want: hotseat.Infra, reason: []string{"panic: a mistake of the scenario's", "user 1 of visitor"}, words: "testdata/drill/main.go"},
		"panic of another goroutine":  {mood: "panic-elsewhere", exit: 3, want: hotseat.Infra, reason: []string{"panic: a mistake that the engine cannot catch"}, words: "testdata/drill/main.go"},
		"deadlock":                    {mood: "deadlock", exit: 3, want: hotseat.Infra, reason: []string{"did not end", "stuck"}},
		"out of memory":               {mood: "memory", exit: 3, want: hotseat.Infra, reason: []string{"out of memory"}, words: "useUpMemory"},
		"5 % CPU under open arrivals": {mood: "open", starve: true, exit: 3, want: hotseat.Infra, reason: []string{"too late", "not given enough CPU"}, words: "late-start"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd := exec.CommandContext(t.Context(), "hotseat", "bench", "--problem", folder, "--target", target.URL, "--init", "true",
				"--duration", drillLoad.String(), "--param", "mood="+c.mood, "--json")
			cmd.Dir, cmd.Env = t.TempDir(), append(os.Environ(), testFolders(t)...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			began := time.Now()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.starve {
				defer starve(t, cmd.Process.Pid, filepath.Join(folder, "drill"))()
			}
			_ = cmd.Wait() // the status tells
			took := time.Since(began)
			var result hotseat.Result
			if err := json.Unmarshal(stdout.Bytes(), &result); err != nil {
				t.Fatalf("no result: %v\n%s\n%s", err, &stdout, &stderr)
			}
			if c.want == hotseat.Pass && result.Verdict == hotseat.Infra && c.mood == "open" {
				t.Logf("this machine is too busy: %s", result.Reason)
				return
			}
			wantVerdict(t, cmd.ProcessState.ExitCode(), &result, c.exit, c.want, c.reason...)
			if took > drillLoad+drillGrace {
				t.Errorf("it took %s", took)
			}
			failures, err := json.Marshal(result.Failures)
			if err != nil || !strings.Contains(string(failures), c.words) {
				t.Errorf("nothing tells of %q in %s", c.words, failures)
			}
			for _, f := range result.Failures {
				if c.want == hotseat.Infra && f.Side != hotseat.SideBench {
					t.Errorf("the target is blamed: %+v", f)
				}
			}
		})
	}
}

// starve lets a process that a run is about to start have a twentieth of a CPU
// from then on, as a machine with too much to do would. What it returns ends that.
func starve(t *testing.T, run int, program string) (end func()) {
	t.Helper()
	const slice, period = 10 * time.Millisecond, 200 * time.Millisecond
	stop := make(chan struct{})
	var done sync.WaitGroup
	done.Go(func() {
		ticker := time.NewTicker(period)
		defer ticker.Stop()
		for {
			if child := running(run, program); child != 0 {
				_ = syscall.Kill(child, syscall.SIGCONT) // it may be gone
				time.Sleep(slice)
				_ = syscall.Kill(child, syscall.SIGSTOP)
			}
			select {
			case <-ticker.C:
			case <-stop:
				return
			}
		}
	})
	return func() {
		close(stop)
		done.Wait()
	}
}

// running finds a program that a process has started; 0 if it has not yet.
func running(by int, program string) int {
	pids, err := stack.Descendants(by)
	if err != nil {
		return 0
	}
	for _, pid := range pids {
		if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid)); err == nil && exe == program {
			return pid
		}
	}
	return 0
}
