package problemtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"testing"

	"hotseat"
	"hotseat/bench"
)

// Outcome is what one execution of a contest came to.
type Outcome struct {
	Status   int // of the process
	Verdict  hotseat.VerdictEvent
	Failures []hotseat.Failure // those that are told in full
	Points   map[string]int64  // by their tags
	Requests []string          // actions that the parent was asked for
	Log      string
}

// Has tells whether a failure of a rule is among those told; an empty code is any.
func (o Outcome) Has(rule, code string) bool {
	for _, f := range o.Failures {
		if f.Rule == rule && (code == "" || f.Code == code) {
			return true
		}
	}
	return false
}

// Passed tells whether the verdict is pass.
func (o Outcome) Passed() bool { return o.Verdict.Verdict == hotseat.Pass }

// shownFailures are enough for seeing what went wrong.
const shownFailures = 8

// String is all that a reader of a failed test needs.
func (o Outcome) String() string {
	var b bytes.Buffer
	fmt.Fprintf(&b, "exit %d, %s: %s\n", o.Status, o.Verdict.Verdict, o.Verdict.Reason)
	for _, f := range o.Failures[:min(shownFailures, len(o.Failures))] {
		fmt.Fprintf(&b, "  [%s %s %s] %s, %s, %s: %s; want %.200q, got %.300q; %s\n",
			f.Class, f.Code, f.Rule, f.Phase, f.Scenario, f.Step, f.Message, f.Expected, f.Actual, f.Hint)
	}
	b.WriteString(o.Log)
	return b.String()
}

// Execute runs a contest as a child process would, without one. A request of the
// benchmark's is done by restart, or refused if that is nil.
func Execute(ctx context.Context, t testing.TB, c *bench.Contest, restart func(), args ...string) Outcome {
	t.Helper()
	in, replies := io.Pipe()
	out, events := io.Pipe()
	var log bytes.Buffer
	o := Outcome{Points: map[string]int64{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		o.Status = c.Run(ctx, args, in, events, &log)
		_ = events.Close() // of a pipe, which has no errors
	}()
	for lines := bufio.NewReader(out); ; {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			o.take(t, line, restart, replies)
		}
		if err != nil {
			break // the pipe's end
		}
	}
	<-done
	_ = replies.Close()
	o.Log = log.String()
	return o
}

// take notes what an event says and answers it if it asks for something.
func (o *Outcome) take(t testing.TB, line []byte, restart func(), replies io.Writer) {
	t.Helper()
	var e hotseat.Event
	if err := json.Unmarshal(line, &e); err != nil {
		t.Errorf("event %s: %v", line, err)
		return
	}
	switch {
	case e.VerdictEvent != nil:
		o.Verdict = *e.VerdictEvent
	case e.FailureEvent != nil && e.Sampled:
		o.Failures = append(o.Failures, e.Failure)
	case e.PointEvent != nil:
		o.Points[e.Tag] += e.PointEvent.Count
	case e.RequestEvent != nil:
		o.Requests = append(o.Requests, e.Action)
		reply := hotseat.Reply{ID: e.ID, Error: "nothing here can be restarted"}
		if restart != nil {
			restart()
			reply = hotseat.Reply{ID: e.ID, OK: true}
		}
		text, err := json.Marshal(reply)
		if err != nil {
			t.Error(err)
			return
		}
		_, _ = replies.Write(append(text, '\n')) // whoever asked may have given up
	}
}

// AtOnce plays many executions, so many at the same time however few CPUs there are:
// they mostly wait for time to pass. Each is judged in a subtest of its own, as soon as
// it is over.
type AtOnce struct {
	places int
	plays  []play
}

type play struct {
	name    string
	execute func() Outcome
	judge   func(t *testing.T, o Outcome)
}

// NewAtOnce returns a list of no executions yet.
func NewAtOnce(places int) *AtOnce { return &AtOnce{places: places} }

// Add plans an execution.
func (a *AtOnce) Add(name string, execute func() Outcome, judge func(t *testing.T, o Outcome)) {
	a.plays = append(a.plays, play{name, execute, judge})
}

// Until returns an execution that goes on with one load after the other, each a value of
// --duration, until enough has happened or an answer was wrong: a machine that is busy
// elsewhere may leave a moment's load no time for what a test is about. Play executes the
// contest with further arguments.
func Until(enough func(o Outcome) bool, play func(args ...string) Outcome, loads ...string) func() Outcome {
	return func() (o Outcome) {
		for _, load := range loads {
			if o = play("--duration", load); enough(o) || o.accuses() {
				break
			}
		}
		return o
	}
}

// accuses tells whether an answer was called wrong.
func (o Outcome) accuses() bool {
	return slices.ContainsFunc(o.Failures, func(f hotseat.Failure) bool { return f.WrongAnswer() })
}

// AddFault adds a fault twice: its rule must catch it, with that code, if any, and with the
// rule switched off it must escape. Play executes the contest with further arguments, for
// one of the loads after the other as [Until] does.
func (a *AtOnce) AddFault(name, rule, code string, play func(args ...string) Outcome, loads ...string) {
	caught := func(o Outcome) bool { return o.Verdict.Verdict == hotseat.Fail && o.Has(rule, code) }
	unseen := func(args ...string) Outcome { return play(append(args, "--disable-rule", rule)...) }
	a.Add(name, Until(caught, play, loads...), func(t *testing.T, o Outcome) {
		if !caught(o) {
			t.Errorf("not caught: %v", o)
		}
	})
	a.Add(name+" unseen", Until(Outcome.Passed, unseen, loads...), func(t *testing.T, o Outcome) {
		if !o.Passed() {
			t.Errorf("did not escape: %v", o)
		}
	})
}

// Judge plays them all and waits for the last.
func (a *AtOnce) Judge(t *testing.T) {
	t.Helper()
	places := make(chan struct{}, a.places)
	done := make(chan func(), len(a.plays))
	for _, p := range a.plays {
		go func() {
			places <- struct{}{}
			o := p.execute()
			<-places
			done <- func() { t.Run(p.name, func(t *testing.T) { p.judge(t, o) }) }
		}()
	}
	for range a.plays {
		(<-done)()
	}
}
