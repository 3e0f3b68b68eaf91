package problem

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"hotseat"
)

// protocol is docs/protocol.schema.json, compiled.
type protocol struct {
	line  *jsonschema.Schema
	event map[hotseat.EventType]*jsonschema.Schema // without the envelope: its complaints are to the point
}

// schemaURL is only a name; nothing is fetched.
const schemaURL = "protocol.schema.json"

func newProtocol() (*protocol, error) {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(hotseat.ProtocolSchema()))
	if err != nil {
		return nil, fmt.Errorf("read the protocol's schema: %w", err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, fmt.Errorf("read the protocol's schema: %w", err)
	}
	p := &protocol{event: map[hotseat.EventType]*jsonschema.Schema{}}
	if p.line, err = c.Compile(schemaURL + "#/$defs/event"); err != nil {
		return nil, fmt.Errorf("compile the protocol's schema: %w", err)
	}
	for _, e := range []hotseat.EventType{hotseat.EventPhase, hotseat.EventProgress, hotseat.EventPoint, hotseat.EventFailure,
		hotseat.EventLog, hotseat.EventRequest, hotseat.EventStep, hotseat.EventVerdict} {
		if p.event[e], err = c.Compile(schemaURL + "#/$defs/" + string(e)); err != nil {
			return nil, fmt.Errorf("compile the protocol's schema: %w", err)
		}
	}
	return p, nil
}

// check says what is wrong with a line, "" if nothing is.
func (p *protocol) check(line []byte) string {
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(line))
	if err != nil {
		return "is not JSON"
	}
	object, ok := value.(map[string]any)
	if !ok {
		return "is no JSON object"
	}
	err = p.line.Validate(value)
	if err == nil {
		return ""
	}
	kind, ok := object["event"].(string)
	if !ok {
		return `has no member "event"`
	}
	part := p.event[hotseat.EventType(kind)]
	if part == nil {
		return fmt.Sprintf("is of the unknown event %q", kind)
	}
	// Of all the alternatives that do not fit only the one that was meant is of interest.
	if better := part.Validate(value); better != nil {
		err = better
	} else if _, ok := object["at_s"].(json.Number); !ok {
		return "(" + kind + `) has no number "at_s"`
	}
	return "(" + kind + ") " + complaint(err)
}

// complaint is the first thing that a validation found, on one line.
func complaint(err error) string {
	known, ok := err.(*jsonschema.ValidationError) //nolint:errorlint // Validate returns nothing else, unwrapped
	if !ok {
		return err.Error()
	}
	for len(known.Causes) > 0 {
		known = known.Causes[0]
	}
	// A leaf says: at '/count': minimum: got 0, want 1
	text := strings.Join(strings.Fields(known.Error()), " ")
	where, what, found := strings.Cut(strings.TrimPrefix(text, "at "), ": ")
	if !found {
		return text
	}
	if where = strings.Trim(where, "'/"); where != "" {
		what = where + ": " + what
	}
	return what
}

// transcript is what a benchmark printed in one run, and whether it kept to the
// protocol.
type transcript struct {
	protocol *protocol
	lines    int
	wrong    []string // in the order of the lines, the first few
	phase    string   // that is going on
	loading  bool     // the load has begun
	verdict  *hotseat.VerdictEvent
}

// maxWrong is how many mistakes are told: the first ones lead to the others.
const maxWrong = 3

func (t *transcript) add(line []byte) {
	t.lines++
	if t.verdict != nil {
		t.complain("comes after the verdict, which is the last", line)
		return
	}
	if what := t.protocol.check(line); what != "" {
		t.complain(what, line)
		return
	}
	var e hotseat.Event
	if err := json.Unmarshal(line, &e); err != nil {
		t.complain("is not understood: "+err.Error(), line)
		return
	}
	switch {
	case e.VerdictEvent != nil:
		t.verdict = e.VerdictEvent
	case e.PhaseEvent != nil && e.State == hotseat.PhaseBegin:
		if t.phase != "" {
			t.complain("begins a phase while "+t.phase+" goes on", line)
		}
		t.phase = e.Phase
		t.loading = t.loading || e.Phase == "load"
	case e.PhaseEvent != nil:
		if t.phase != e.Phase {
			t.complain("ends a phase that is not going on", line)
		}
		t.phase = ""
	}
}

func (t *transcript) complain(what string, line []byte) {
	if len(t.wrong) >= maxWrong {
		return
	}
	const shown = 160
	quoted := string(line)
	if len(quoted) > shown {
		quoted = strings.ToValidUTF8(quoted[:shown], "") + "…"
	}
	t.wrong = append(t.wrong, fmt.Sprintf("line %d %s: %s", t.lines, what, quoted))
}

// status says what is wrong with the exit status, "" if nothing is.
func (t *transcript) status(got int) string {
	if t.verdict == nil {
		return fmt.Sprintf("it ended with status %d and printed no verdict", got)
	}
	want := t.verdict.Verdict.ExitStatus()
	switch {
	case t.verdict.ExitUsage:
		want = hotseat.ExitUsage
	case t.verdict.Verdict == hotseat.Infra && t.verdict.Reason == hotseat.ReasonInterrupted:
		want = hotseat.ExitInterrupted
	}
	switch {
	case got == want:
		return ""
	case got < 0:
		return fmt.Sprintf("it was killed after its verdict %s, instead of ending with status %d", t.verdict.Verdict, want)
	default:
		return fmt.Sprintf("status %d after verdict %s, which wants %d", got, t.verdict.Verdict, want)
	}
}
