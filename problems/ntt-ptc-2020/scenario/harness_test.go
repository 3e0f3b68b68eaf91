package nttscenario

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"hotseat"
)

// sharedSeed is what all tests' services begin with: generating it takes longest.
type sharedSeed struct {
	once sync.Once
	seed *testData
	dir  string
	err  error
}

var shared sharedSeed

// testSeed returns generated data for today.
func testSeed(t testing.TB) *testData {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "ntt-scenario"); shared.err != nil {
			return
		}
		if shared.seed, shared.err = newSeed(context.Background(), shared.dir); shared.err == nil {
			shared.err = shared.seed.check()
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.seed
}

func TestMain(m *testing.M) {
	status := m.Run()
	_ = os.RemoveAll(shared.dir)
	os.Exit(status)
}

// run is the outcome of one execution of the contest.
type run struct {
	status   int
	verdict  hotseat.VerdictEvent
	failures []hotseat.Failure // samples
	points   map[string]int64
	requests []string // of the parent
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
	var b bytes.Buffer
	fmt.Fprintf(&b, "exit %d, %s: %s\n", r.status, r.verdict.Verdict, r.verdict.Reason)
	for i, f := range r.failures {
		if i == 8 {
			break
		}
		fmt.Fprintf(&b, "  [%s %s %s] %s %s: %s; want %.200q, got %.300q; %s\n", f.Class, f.Code, f.Rule, f.Scenario, f.Step, f.Message, f.Expected, f.Actual, f.Hint)
	}
	b.WriteString(r.log)
	return b.String()
}

// restarter is a target that can be stopped and started again.
type restarter interface{ restart() }

// execute runs the contest against a handler. Where the handler is a restarter, it
// is restarted if the benchmark asks for that.
func execute(ctx context.Context, t testing.TB, h http.Handler, args ...string) run {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	defer server.CloseClientConnections()
	args = append([]string{"--target", server.URL, "--data", testSeed(t).truth(), "--duration", "2s"}, args...)
	in, replies := io.Pipe()
	out, events := io.Pipe()
	var log bytes.Buffer
	r := run{points: map[string]int64{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		r.status = contest(time.Now).Run(ctx, args, in, events, &log)
		_ = events.Close()
	}()
	defer func() { _ = replies.Close() }()
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var e hotseat.Event
		if err := json.Unmarshal(line, &e); err != nil {
			t.Errorf("%v: %s", err, line)
		}
		switch {
		case e.VerdictEvent != nil:
			r.verdict = *e.VerdictEvent
		case e.FailureEvent != nil && e.Sampled:
			r.failures = append(r.failures, e.Failure)
		case e.PointEvent != nil:
			r.points[e.Tag] += e.PointEvent.Count
		case e.RequestEvent != nil:
			r.requests = append(r.requests, e.Action)
			reply := hotseat.Reply{ID: e.ID, Error: "this is no stack of mine"}
			if target, ok := h.(restarter); ok {
				target.restart()
				reply = hotseat.Reply{ID: e.ID, OK: true}
			}
			text, err := json.Marshal(reply)
			if err != nil {
				t.Error(err)
			}
			if _, err := replies.Write(append(text, '\n')); err != nil {
				t.Error(err)
			}
		}
	}
	<-done
	r.log = log.String()
	return r
}

// atOnce is how many runs go on at the same time: they mostly wait for time to pass.
const atOnce = 24

// runs are executions that go on at the same time, each judged in a subtest of its own.
type runs struct {
	all []func() (name string, judge func(t *testing.T))
}

func (r *runs) add(name string, play func() run, judge func(t *testing.T, r run)) {
	r.all = append(r.all, func() (string, func(t *testing.T)) {
		outcome := play()
		return name, func(t *testing.T) { judge(t, outcome) }
	})
}

func (r *runs) judge(t *testing.T) {
	t.Helper()
	room := make(chan struct{}, atOnce)
	done := make(chan func(), len(r.all))
	for _, play := range r.all {
		go func() {
			room <- struct{}{}
			name, judge := play()
			<-room
			done <- func() { t.Run(name, judge) }
		}()
	}
	for range r.all {
		(<-done)()
	}
}
