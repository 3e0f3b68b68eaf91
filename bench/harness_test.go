package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hotseat"
)

// outcomeOf is everything that a run told.
type outcomeOf struct {
	status  int
	events  []hotseat.Event
	verdict hotseat.VerdictEvent
	log     string
	took    time.Duration
}

// loudBuffer is a bytes.Buffer for several goroutines.
type loudBuffer struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (b *loudBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.Write(p)
}

func (b *loudBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.buf.String()
}

// play runs a contest and checks what every run must keep to: each line obeys
// the schema, the verdict is the last, phases nest, the exit status fits.
func play(t *testing.T, c Contest, args ...string) *outcomeOf {
	t.Helper()
	return playWith(context.Background(), t, nil, c, args...)
}

// unhurried plays again, with more time, as long as the machine is too busy
// with other things for what the test is about to happen.
func unhurried(t *testing.T, play func(load time.Duration) (o *outcomeOf, happened bool), loads ...time.Duration) *outcomeOf {
	t.Helper()
	for i, load := range loads {
		o, happened := play(load)
		if happened || i == len(loads)-1 {
			return o
		}
		t.Logf("this machine is too busy for a load of %v: %s", load, o.verdict.Reason)
	}
	panic("no loads")
}

func playWith(ctx context.Context, t *testing.T, in io.Reader, c Contest, args ...string) *outcomeOf {
	t.Helper()
	var out, log loudBuffer
	began := time.Now()
	o := &outcomeOf{status: c.Run(ctx, args, in, &out, &log)}
	o.took = time.Since(began)
	o.log = log.String()
	schema := compileSchema(t)
	text := strings.TrimSuffix(out.String(), "\n")
	open := ""
	for i, l := range strings.Split(text, "\n") {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(l))
		if err != nil {
			t.Fatalf("line %d is not JSON: %v: %s", i+1, err, l)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("line %d breaks the schema: %v\n%s", i+1, err, l)
		}
		var e hotseat.Event
		if err := json.Unmarshal([]byte(l), &e); err != nil {
			t.Fatal(err)
		}
		o.events = append(o.events, e)
		if e.PhaseEvent != nil {
			switch {
			case e.State == hotseat.PhaseBegin && open == "":
				open = e.Phase
			case e.State == hotseat.PhaseEnd && open == e.Phase:
				open = ""
			default:
				t.Errorf("phase %s: %s, in %q", e.Phase, e.State, open)
			}
		}
		if e.VerdictEvent != nil && i != strings.Count(text, "\n") {
			t.Error("the verdict is not the last line")
		}
	}
	last := o.events[len(o.events)-1]
	if last.VerdictEvent == nil {
		t.Fatalf("the last line is no verdict: %s", text)
	}
	o.verdict = *last.VerdictEvent
	want := o.verdict.Verdict.ExitStatus()
	switch {
	case o.verdict.ExitUsage:
		want = hotseat.ExitUsage
	case o.verdict.Reason == hotseat.ReasonInterrupted:
		want = hotseat.ExitInterrupted
	}
	if o.status != want {
		t.Errorf("exit status %d, want %d for %s: %s", o.status, want, o.verdict.Verdict, o.verdict.Reason)
	}
	if t.Failed() {
		t.Logf("verdict %s: %s", o.verdict.Verdict, o.verdict.Reason)
	}
	return o
}

func compileSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	compiler := jsonschema.NewCompiler()
	schema, err := compiler.Compile("../docs/protocol.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// points adds up the point events.
func (o *outcomeOf) points() map[string]int64 {
	sum := map[string]int64{}
	for _, e := range o.events {
		if e.PointEvent != nil {
			sum[e.Tag] += e.PointEvent.Count
		}
	}
	return sum
}

// failures adds up the failure events by class/code [rule].
func (o *outcomeOf) failures() map[string]int64 {
	sum := map[string]int64{}
	for _, e := range o.events {
		if f := e.FailureEvent; f != nil {
			sum[fmt.Sprintf("%s/%s [%s]", f.Class, f.Code, f.Rule)] += f.Count
		}
	}
	return sum
}

// sample returns the first sampled failure with that code.
func (o *outcomeOf) sample(t *testing.T, code string) hotseat.Failure {
	t.Helper()
	for _, e := range o.events {
		if e.FailureEvent != nil && e.Sampled && e.Code == code {
			return e.Failure
		}
	}
	t.Fatalf("no sample of %s; failures: %v", code, o.failures())
	return hotseat.Failure{}
}

// phase returns the end of a phase, nil if it never ended.
func (o *outcomeOf) phase(name string) *hotseat.PhaseEvent {
	for _, e := range o.events {
		if e.PhaseEvent != nil && e.Phase == name && e.State == hotseat.PhaseEnd {
			return e.PhaseEvent
		}
	}
	return nil
}

// serve starts a target.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// The rules of the contests in these tests.
const (
	ruleStatus = "x.status"
	ruleBody   = "x.body"
)

// get is a contest of one population that gets / and wants "ok".
func get() Contest {
	return Contest{
		Name:       "example",
		RulePrefix: "x",
		Rules: []hotseat.Rule{
			{ID: ruleStatus, Class: hotseat.ClassStatus, Text: "Pages answer."},
			{ID: ruleBody, Class: hotseat.ClassContent, Text: "Pages say ok.", Semantic: true},
		},
		Tags:  []string{"page"},
		Load:  300 * time.Millisecond,
		Drain: time.Second,
		Populations: func(*Run) []Population {
			return []Population{Closed("reader", func(u *User) Iteration {
				return func() error { return u.getOK("/").Err() }
			}).Start(2)}
		},
	}
}

// getOK gets a page that must say ok.
func (u *User) getOK(path string) *Page {
	return u.Get(path).Point("page").Expect(Status(ruleStatus, 200), saysOK())
}

func saysOK() Check {
	return That(ruleBody, func(p *Page) *Mismatch {
		if got := string(p.Body()); got != "ok" {
			return &Mismatch{Expected: "ok", Actual: got}
		}
		return nil
	})
}
