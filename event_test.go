package hotseat

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestEventRoundTrip(t *testing.T) {
	score := int64(7)
	events := []Event{
		{Type: EventPhase, AtS: 1.5, PhaseEvent: &PhaseEvent{Phase: "load", State: PhaseEnd, OK: true, ElapsedS: 60}},
		{Type: EventProgress, AtS: 2, ProgressEvent: &ProgressEvent{Score: 3, Requests: 4, Errors: 1, Users: 2}},
		{Type: EventPoint, AtS: 2, PointEvent: &PointEvent{Tag: "page", Count: 12}},
		{Type: EventFailure, AtS: 3, FailureEvent: &FailureEvent{Count: 1, Sampled: true,
			Failure: Failure{Class: ClassContent, Code: "value-mismatch", Rule: "x.y", Side: SideTarget, Phase: "load", AtS: 3, Message: "m"}}},
		{Type: EventLog, AtS: 4, LogEvent: &LogEvent{Audience: AudienceTeam, Message: "<b>"}},
		{Type: EventRequest, AtS: 5, RequestEvent: &RequestEvent{ID: 1, Action: ActionRestartStack}},
		{Type: EventStep, AtS: 5.5, Replayed: &StepEvent{Number: 3, Scenario: "reader", User: 2, Step: "GET /", Request: "GET /"}},
		{Type: EventVerdict, AtS: 6, VerdictEvent: &VerdictEvent{Verdict: Pass, Reason: "r", Score: &score, RawScore: 7}},
	}
	for _, want := range events {
		t.Run(string(want.Type), func(t *testing.T) {
			line, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			if strings.Count(string(line), `"at_s"`) != 1 || strings.ContainsRune(string(line), '\n') {
				t.Errorf("want one line with one at_s: %s", line)
			}
			var got Event
			if err := json.Unmarshal(line, &got); err != nil {
				t.Fatal(err)
			}
			if want.Type == EventFailure {
				got.AtS = want.AtS
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("after a round trip (-want +got):\n%s\n%s", diff, line)
			}
		})
	}
}

func TestEventOfUnknownTypeIsKept(t *testing.T) {
	var e Event
	if err := json.Unmarshal([]byte(`{"event":"colour","at_s":1,"x":2}`), &e); err != nil || e.Type != "colour" || e.AtS != 1 {
		t.Errorf("got %+v, %v", e, err)
	}
}
