package isucon1scenario

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"hotseat"
)

// run is the outcome of one execution of the contest.
type run struct {
	status   int
	verdict  hotseat.VerdictEvent
	failures []hotseat.Failure // samples
	requests []string          // actions that were asked for
	log      string
}

func (r run) has(rule, code string) bool {
	for _, f := range r.failures {
		if f.Rule == rule && (code == "" || f.Code == code) {
			return true
		}
	}
	return false
}

func (r run) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "exit %d, %s: %s\n", r.status, r.verdict.Verdict, r.verdict.Reason)
	for i, f := range r.failures {
		if i == 8 {
			break
		}
		fmt.Fprintf(&b, "  [%s %s %s] %s, %s: %s; want %.200q, got %.300q\n", f.Class, f.Code, f.Rule, f.Phase, f.Step, f.Message, f.Expected, f.Actual)
	}
	return b.String() + r.log
}

// testWithin is how soon comments must show here, so that tests need not wait
// for a second again and again.
const testWithin = 150 * time.Millisecond

// atOnce runs a subtest for each of the names, eight at a time however few CPUs
// there are: they mostly wait.
func atOnce(t *testing.T, names []string, test func(t *testing.T, i int)) {
	var wait sync.WaitGroup
	places := make(chan struct{}, 8)
	for i, name := range names {
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(name, func(t *testing.T) { test(t, i) })
		})
	}
	wait.Wait()
}

// execute runs the contest against a handler, for a moment, with many posts.
// A restart that it asks for is done by the function.
func execute(t testing.TB, w *testWorld, h http.Handler, restart func(), args ...string) run {
	t.Helper()
	args = append([]string{"--target", serve(t, h), "--data", w.dir, "--seed", "1", "--duration", "400ms",
		"--param", "connections=1", "--param", "posts=1200"}, args...)
	in, reply := io.Pipe()
	out, events := io.Pipe()
	var log bytes.Buffer
	var r run
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.status = contest(testWithin).Run(t.Context(), args, in, events, &log)
		_ = events.Close()
	}()
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e hotseat.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Errorf("event %s: %v", line, err)
			}
			switch {
			case e.FailureEvent != nil && e.Sampled:
				r.failures = append(r.failures, e.Failure)
			case e.VerdictEvent != nil:
				r.verdict = *e.VerdictEvent
			case e.RequestEvent != nil:
				r.requests = append(r.requests, e.Action)
				answer := hotseat.Reply{ID: e.ID, OK: restart != nil}
				if restart != nil {
					restart()
				}
				text, _ := json.Marshal(answer)
				_, _ = reply.Write(append(text, '\n'))
			}
		}
		if err != nil {
			break
		}
	}
	<-done
	_ = reply.Close()
	r.log = log.String()
	return r
}

func TestRightBlogPasses(t *testing.T) {
	w := newTestWorld(t, 40)
	r := execute(t, w, newBlog(w), func() {}, "--duration", "2s")
	if r.verdict.Verdict != hotseat.Pass || r.status != hotseat.ExitPass {
		t.Fatal(r)
	}
	for rule, n := range r.verdict.Rules {
		if n == 0 && rule != ruleNotModified && rule != prefix+".initialize" {
			t.Errorf("%s was not exercised", rule)
		}
	}
	if *r.verdict.Score == 0 || len(r.requests) != 1 {
		t.Error(*r.verdict.Score, r.requests)
	}
}
