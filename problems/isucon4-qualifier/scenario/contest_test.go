package scenario

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"testing"

	"hotseat"
	"hotseat/bench"
)

// run is the outcome of one execution of the contest.
type run struct {
	status   int
	verdict  hotseat.VerdictEvent
	failures []hotseat.Failure // samples
	points   map[string]int64
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
		fmt.Fprintf(&b, "  [%s %s %s] %s: %s; want %.200q, got %.300q; %s\n", f.Class, f.Code, f.Rule, f.Step, f.Message, f.Expected, f.Actual, f.Hint)
	}
	b.WriteString(r.log)
	return b.String()
}

// execute runs the contest against a handler, with short lists.
func execute(t testing.TB, w *testWorld, h http.Handler, args ...string) run {
	t.Helper()
	return executeContest(t, w, h, func(*bench.Contest) {}, args...)
}

func executeContest(t testing.TB, w *testWorld, h http.Handler, change func(*bench.Contest), args ...string) run {
	t.Helper()
	c := Contest()
	change(c)
	args = append([]string{"--target", serve(t, h), "--data", w.dir, "--seed", "1", "--duration", "150ms",
		"--param", "workload=2", "--param", "addresses=9", "--param", "users=12", "--param", "recheck=4", "--param", "pause=0"}, args...)
	var out, log bytes.Buffer
	r := run{status: c.Run(t.Context(), args, nil, &out, &log), points: map[string]int64{}}
	for lines := bufio.NewReader(&out); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e hotseat.Event
			if err := json.Unmarshal(line, &e); err != nil {
				t.Fatalf("event %s: %v", line, err)
			}
			switch {
			case e.FailureEvent != nil && e.Sampled:
				r.failures = append(r.failures, e.Failure)
			case e.PointEvent != nil:
				r.points[e.Tag] += e.PointEvent.Count
			case e.VerdictEvent != nil:
				r.verdict = *e.VerdictEvent
			}
		}
		if err == io.EOF {
			break
		}
	}
	r.log = log.String()
	return r
}

func TestRightBankPasses(t *testing.T) {
	w := newTestWorld(t, 400)
	r := execute(t, w, newBank(w))
	if r.verdict.Verdict != hotseat.Pass || r.status != hotseat.ExitPass {
		t.Fatal(r)
	}
	t.Log(r, *r.verdict.Score, r.verdict.Rules)
}
