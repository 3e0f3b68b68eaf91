package problem

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hotseat"
)

// vote is the scaffold's app, and what may be wrong with it.
type vote struct {
	mu     sync.Mutex
	counts [10]int
	posts  int
	loses  int // the number of the vote that is lost
	breaks int // the number of the vote that is answered with 500
}

func (v *vote) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch r.Method + r.URL.Path {
	case "POST/initialize":
		for i := range v.counts {
			v.counts[i] = 5000
		}
	case "POST/votes":
		if v.posts++; v.posts == v.breaks {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		var n int
		if _, err := fmt.Sscan(r.FormValue("candidate"), &n); err == nil && v.posts != v.loses {
			v.counts[n]++
		}
		http.Redirect(w, r, "/", http.StatusSeeOther)
	default:
		for _, n := range v.counts {
			_, _ = fmt.Fprintf(w, `<tr><td class="votes">%d</td></tr>`, n) // a reader who went away is a test's failure already
		}
	}
}

// The benchmark in Python is to be read in one go, and to tell all the same what every parent needs to know.
func TestPythonBenchmark(t *testing.T) {
	const script = "_scaffold/python/scenario/benchmark.py"
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	code := 0
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			code++
		}
	}
	if code > 40 {
		t.Errorf("it has %d lines of code, more than 40", code)
	}
	file, err := filepath.Abs(script)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		app     *vote // nil: nobody listens
		args    []string
		stop    func(io.Closer, *os.Process) error // what ends it early, given its standard input
		verdict hotseat.Verdict
		status  int
		reason  string
		failure string // class/code [rule]
	}{
		"good":           {app: &vote{}, verdict: hotseat.Pass, reason: "all of them counted"},
		"a lost vote":    {app: &vote{loses: 3}, verdict: hotseat.Fail, status: 1, reason: "[vote.count]", failure: "consistency/sum-mismatch [vote.count]"},
		"a broken app":   {app: &vote{breaks: 2}, verdict: hotseat.Fail, status: 1, reason: "status 303 of POST /votes", failure: "status/unexpected-status [vote.answers]"},
		"no app":         {verdict: hotseat.Fail, status: 1, reason: "[vote.answers]", failure: "transport/no-answer [vote.answers]"},
		"hung up":        {app: &vote{}, args: []string{"--duration", "1h"}, stop: func(stdin io.Closer, _ *os.Process) error { return stdin.Close() }, verdict: hotseat.Infra, status: 130, reason: "interrupted"},
		"told to stop":   {app: &vote{}, args: []string{"--duration", "1h"}, stop: func(_ io.Closer, p *os.Process) error { return p.Signal(os.Interrupt) }, verdict: hotseat.Infra, status: 130, reason: "interrupted"},
		"another flag":   {app: &vote{}, args: []string{"--param", "a=b"}, verdict: hotseat.Infra, status: 2, reason: "--target"},
		"another target": {app: nil, args: []string{"--target", "https://127.0.0.1:1"}, verdict: hotseat.Infra, status: 2, reason: "--target"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			target := "http://127.0.0.1:1"
			if c.app != nil {
				server := httptest.NewServer(c.app)
				defer server.Close()
				target = server.URL
			}
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			args := append([]string{file, "--target", target, "--seed", "7", "--duration", "300ms"}, c.args...)
			cmd := exec.CommandContext(ctx, "python3", args...)
			stdin, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out := pointed{first: make(chan struct{})}
			cmd.Stdout, cmd.Stderr = &out, t.Output()
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c.stop != nil {
				select {
				case <-out.first:
				case <-ctx.Done():
				}
				if err := c.stop(stdin, cmd.Process); err != nil {
					t.Fatal(err)
				}
			}
			var died *exec.ExitError
			if err := cmd.Wait(); err != nil && !errors.As(err, &died) {
				t.Fatal(err)
			}
			if got := cmd.ProcessState.ExitCode(); got != c.status {
				t.Errorf("exit status %d, want %d", got, c.status)
			}
			checkPythonEvents(t, out.all.Bytes(), c.verdict, c.reason, c.failure)
		})
	}
}

// pointed keeps what is written, and tells of the first point.
type pointed struct {
	all   bytes.Buffer // a field: its ReadFrom would go past Write
	first chan struct{}
	once  sync.Once
}

func (w *pointed) Write(p []byte) (int, error) {
	if bytes.Contains(p, []byte(`"point"`)) {
		w.once.Do(func() { close(w.first) })
	}
	return w.all.Write(p)
}

func checkPythonEvents(t *testing.T, out []byte, verdict hotseat.Verdict, reason, failure string) {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("../docs/protocol.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	points, progress, failed := int64(0), 0, ""
	var last hotseat.Event
	for line := range bytes.Lines(out) {
		if v, err := jsonschema.UnmarshalJSON(bytes.NewReader(line)); err != nil || schema.Validate(v) != nil {
			t.Errorf("not of the protocol: %s (%v)", line, schema.Validate(v))
		}
		last = hotseat.Event{}
		if err := json.Unmarshal(line, &last); err != nil {
			t.Fatal(err)
		}
		switch {
		case last.PointEvent != nil:
			points += last.PointEvent.Count * map[string]int64{"vote": 5, "view": 1}[last.Tag]
		case last.FailureEvent != nil:
			failed = fmt.Sprintf("%s/%s [%s]", last.Class, last.Code, last.Rule)
		case last.ProgressEvent != nil:
			progress++
		}
	}
	v := last.VerdictEvent
	if v == nil {
		t.Fatalf("no verdict at the end of %s", out)
	}
	if v.Verdict != verdict || !strings.Contains(v.Reason, reason) || failed != failure {
		t.Errorf("%s, %s, failure %q", v.Verdict, v.Reason, failed)
	}
	if v.RawScore != points || verdict == hotseat.Pass && (points == 0 || progress == 0 || v.Score == nil || *v.Score != points) {
		t.Errorf("raw score %d, %d points, %d times progress", v.RawScore, points, progress)
	}
}
