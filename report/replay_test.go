package report

import (
	"bytes"
	"strings"
	"testing"

	"hotseat"
)

func TestReplay(t *testing.T) {
	var out bytes.Buffer
	p := NewReplay(&out, TerminalOptions{})
	step := hotseat.StepEvent{Number: 1, Scenario: "visitor", User: 3, Step: "GET /", OK: true, ElapsedMS: 12.34,
		Request: "GET / HTTP/1.1\nHost: 127.0.0.1:8080", Expected: "status 200 [x.page]\nbody: front page [x.count]",
		Actual: "status 200\n\n<!DOCTYPE html>\n" + strings.Repeat("<p>一覧 and so on and on</p>\n", 40), Curl: "curl http://127.0.0.1:8080/"}
	p.Event(hotseat.Event{Type: hotseat.EventPhase, PhaseEvent: &hotseat.PhaseEvent{Phase: "load"}})
	p.Event(hotseat.Event{Type: hotseat.EventStep, Replayed: &step})
	failure := hotseat.Failure{Class: hotseat.ClassContent, Code: "value-mismatch", Rule: "x.count", StepNumber: 2, Message: "the number is wrong",
		Expected: "7", Actual: "\x1b[2Jeight"}
	// of the step to come, which tells it itself
	p.Event(hotseat.Event{Type: hotseat.EventFailure, FailureEvent: &hotseat.FailureEvent{Failure: failure, Sampled: true, Count: 1}})
	step = hotseat.StepEvent{Number: 2, Step: "POST /entries " + strings.Repeat("very long ", 20), Message: failure.Message, Rule: failure.Rule,
		Request: "POST /entries HTTP/1.1", Expected: "7", Actual: "\x1b[2Jeight", Curl: "curl --data-raw " + strings.Repeat("x", 100) + " http://127.0.0.1:8080/entries"}
	p.Event(hotseat.Event{Type: hotseat.EventStep, Replayed: &step})
	failure.Message, failure.Curl = "two pages differ", ""
	p.Event(hotseat.Event{Type: hotseat.EventFailure, FailureEvent: &hotseat.FailureEvent{Failure: failure, Sampled: true, Count: 1}})
	p.Verdict(hotseat.Fail, "POST /entries: the number is wrong [x.count] ×1")
	if p.Err() != nil {
		t.Fatal(p.Err())
	}
	golden(t, "replay.txt", out.String())
	for l := range strings.SplitSeq(out.String(), "\n") {
		if columns(l) > 80 && !strings.HasPrefix(l, "curl ") {
			t.Errorf("%d columns: %s", columns(l), l)
		}
	}
}

func TestReplayCommand(t *testing.T) {
	good := hotseat.Failure{Phase: "load", Scenario: "bank", User: 5, StepNumber: 17, Side: hotseat.SideTarget}
	for name, c := range map[string]struct {
		run    string
		change func(f *hotseat.Failure)
		want   string
	}{
		"a user's step":          {"r1", func(*hotseat.Failure) {}, "hotseat bench --replay r1:bank/5:17"},
		"one kind of users":      {"r1", func(f *hotseat.Failure) { f.Scenario = "" }, "hotseat bench --replay r1:5:17"},
		"a name for no shell":    {"r1", func(f *hotseat.Failure) { f.Scenario = "it's $HOME" }, `hotseat bench --replay 'r1:it'\''s $HOME/5:17'`},
		"before the load":        {"r1", func(f *hotseat.Failure) { f.Phase = "initialize" }, ""},
		"after it":               {"r1", func(f *hotseat.Failure) { f.Phase = "finish" }, ""},
		"nobody's":               {"r1", func(f *hotseat.Failure) { f.User = 0 }, ""},
		"steps are not counted":  {"r1", func(f *hotseat.Failure) { f.StepNumber = 0 }, ""},
		"the benchmark's fault":  {"r1", func(f *hotseat.Failure) { f.Side = hotseat.SideBench }, ""},
		"a result without a run": {"", func(*hotseat.Failure) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			f := good
			c.change(&f)
			if got := replayCommand(c.run, &f); got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}
