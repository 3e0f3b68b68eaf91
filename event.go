package hotseat

import "encoding/json"

// EventType names what an [Event] tells.
type EventType string

// The event types. A benchmark prints one JSON object per line on standard
// output; a verdict is its last line.
const (
	EventPhase    EventType = "phase"    // a phase begins or ends
	EventProgress EventType = "progress" // once a second: how far, how well
	EventPoint    EventType = "point"    // points earned since the last point event of that tag
	EventFailure  EventType = "failure"  // one sampled failure, or a count of unsampled ones
	EventLog      EventType = "log"      // words for the team or for the administrator
	EventRequest  EventType = "request"  // asks the parent for something; a Reply comes on standard input
	EventStep     EventType = "step"     // one request of a replay, and what came of it
	EventVerdict  EventType = "verdict"  // last
)

// Event is one line of a benchmark's standard output. Exactly the member that
// belongs to Type is set. docs/protocol.md describes it for authors in other
// languages, docs/protocol.schema.json is its JSON Schema.
type Event struct {
	Type EventType `json:"event"`
	AtS  float64   `json:"at_s"` // seconds since the benchmark started

	*PhaseEvent
	*ProgressEvent
	*PointEvent
	*FailureEvent
	*LogEvent
	*RequestEvent
	*VerdictEvent

	Replayed *StepEvent // named, since its members would hide those of a failure
}

// Phase states.
const (
	PhaseBegin = "begin"
	PhaseEnd   = "end"
)

// PhaseEvent tells that a phase began or ended.
type PhaseEvent struct {
	Phase     string  `json:"phase"` // initialize, verify, load, drain, finish …
	State     string  `json:"state"` // PhaseBegin or PhaseEnd
	OK        bool    `json:"ok"`    // at the end: whether the phase did what it is for
	ElapsedS  float64 `json:"elapsed_s,omitempty"`
	ExpectedS float64 `json:"expected_s,omitempty"` // at the beginning, where it is known
}

// ProgressEvent sums up the run so far.
type ProgressEvent struct {
	Score    int64   `json:"score"`
	Requests int64   `json:"requests"` // answers received, good or bad
	Errors   int64   `json:"errors"`
	Users    int64   `json:"users"`               // virtual users at work
	LagMS    float64 `json:"lag_ms"`              // the generator's own largest delay in this second
	CPU      float64 `json:"generator_cpu_s"`     // CPU seconds the benchmark used so far
	LeftS    float64 `json:"left_s,omitempty"`    // seconds of load left
	Steal    float64 `json:"steal_pct,omitempty"` // share of this second the hypervisor took, in percent
}

// PointEvent adds points.
type PointEvent struct {
	Tag   string `json:"tag"`
	Count int64  `json:"count"`
}

// FailureEvent is a sampled failure (Count 1, all members) or a number of
// further failures alike (Count ≥ 1, Sampled false, no request, expected and
// actual). The sum of all Counts is the exact number of failures.
type FailureEvent struct {
	Failure
	Sampled bool  `json:"sampled"`
	Count   int64 `json:"count"`
}

// StepEvent is one request of the user who is replayed.
type StepEvent struct {
	Number    int     `json:"number"`   // of the user's requests, from 1
	Scenario  string  `json:"scenario"` // population or scenario
	User      int     `json:"user"`
	Step      string  `json:"step"`
	OK        bool    `json:"ok"` // an answer came, and every check held
	ElapsedMS float64 `json:"elapsed_ms"`
	Request   string  `json:"request"`
	Expected  string  `json:"expected"` // all checks, or what the one asks for that did not hold
	Actual    string  `json:"actual"`
	Message   string  `json:"message,omitempty"` // of the failure
	Rule      string  `json:"rule,omitempty"`    // the one that was broken
	Curl      string  `json:"curl"`
}

// Audiences of a log event.
const (
	AudienceTeam  = "team"
	AudienceAdmin = "admin"
)

// LogEvent is a line for people.
type LogEvent struct {
	Audience string `json:"audience"`
	Message  string `json:"message"`
}

// Actions a benchmark may ask its parent for.
const (
	ActionRestartStack = "restart-stack"
)

// RequestEvent asks the parent to do something that the benchmark cannot.
type RequestEvent struct {
	ID     int    `json:"id"`
	Action string `json:"action"`
}

// Reply answers a RequestEvent as one line on the benchmark's standard input.
type Reply struct {
	ID    int    `json:"id"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// VerdictEvent is the last line of a benchmark.
type VerdictEvent struct {
	Verdict   Verdict `json:"verdict"`
	Reason    string  `json:"reason"`    // one line, the cause first
	Score     *int64  `json:"score"`     // 0 on fail, null on infra
	RawScore  int64   `json:"raw_score"` // what the score would be on pass
	Deduction int64   `json:"deduction"`

	Endpoints []Endpoint       `json:"endpoints,omitempty"`
	Rules     map[string]int64 `json:"rules,omitempty"` // rule id: times exercised
	RuleInfo  []Rule           `json:"rule_info,omitempty"`
	Generator *Generator       `json:"generator,omitempty"`
	Arrivals  []Arrivals       `json:"arrivals,omitempty"` // of populations that come at a rate
	Remarks   []string         `json:"remarks,omitempty"`  // what else the contestant should know of this run
	ExitUsage bool             `json:"usage,omitempty"`    // the run could not start: bad data folder or parameter (exit 2)
	Hint      string           `json:"hint,omitempty"`
}

// Rule is one promise to the contestant. Many checks may share its id.
type Rule struct {
	ID          string `json:"id"`   // problem prefix, a dot, a slug: isucon4q.notice-exact
	Text        string `json:"text"` // the promise in one sentence
	Class       Class  `json:"class"`
	Semantic    bool   `json:"semantic"`    // about meaning, so that the judge can switch it off and see its fault escape
	Conditional bool   `json:"conditional"` // about optional behaviour (304, gzip, 429): need not be exercised in every run
}

// MarshalJSON writes the event as one flat object: type, time, and the members of the part that is set.
func (e Event) MarshalJSON() ([]byte, error) {
	var part any
	switch {
	case e.PhaseEvent != nil:
		part = e.PhaseEvent
	case e.ProgressEvent != nil:
		part = e.ProgressEvent
	case e.PointEvent != nil:
		part = e.PointEvent
	case e.FailureEvent != nil:
		part = e.FailureEvent
	case e.LogEvent != nil:
		part = e.LogEvent
	case e.RequestEvent != nil:
		part = e.RequestEvent
	case e.VerdictEvent != nil:
		part = e.VerdictEvent
	case e.Replayed != nil:
		part = e.Replayed
	}
	at := &e.AtS
	if e.FailureEvent != nil { // a failure brings its own at_s
		at = nil
	}
	head, err := json.Marshal(struct {
		Type EventType `json:"event"`
		AtS  *float64  `json:"at_s,omitempty"`
	}{e.Type, at})
	if err != nil || part == nil {
		return head, err
	}
	body, err := json.Marshal(part)
	if err != nil {
		return nil, err
	}
	if len(body) > 2 { // splice {"event":…} and {"phase":…} into one object
		head = append(append(head[:len(head)-1], ','), body[1:]...)
	}
	return head, nil
}

// UnmarshalJSON reads a line of the protocol. Unknown members are ignored, so
// that benchmarks may add their own; an unknown type leaves every part nil.
func (e *Event) UnmarshalJSON(line []byte) error {
	var head struct {
		Type EventType `json:"event"`
		AtS  float64   `json:"at_s"`
	}
	if err := json.Unmarshal(line, &head); err != nil {
		return err
	}
	*e = Event{Type: head.Type, AtS: head.AtS}
	var part any
	switch head.Type {
	case EventPhase:
		part = fresh(&e.PhaseEvent)
	case EventProgress:
		part = fresh(&e.ProgressEvent)
	case EventPoint:
		part = fresh(&e.PointEvent)
	case EventFailure:
		fresh(&e.FailureEvent).Count = 1 // unless it says otherwise
		part = e.FailureEvent
	case EventLog:
		part = fresh(&e.LogEvent)
	case EventRequest:
		part = fresh(&e.RequestEvent)
	case EventStep:
		part = fresh(&e.Replayed)
	case EventVerdict:
		part = fresh(&e.VerdictEvent)
	default:
		return nil
	}
	return json.Unmarshal(line, part)
}

// fresh sets a pointer to a new value and returns it.
func fresh[T any](p **T) *T {
	*p = new(T)
	return *p
}
