package hotseat

// Class is the broad kind of a failure. The taxonomy is one for engine, reports and docs.
type Class string

// The classes whose side is the target's, in the order in which a request meets them.
const (
	ClassConnect     Class = "connect"     // no connection came about
	ClassTransport   Class = "transport"   // the connection broke
	ClassTimeout     Class = "timeout"     // no answer in time
	ClassProtocol    Class = "protocol"    // not HTTP as RFC 9110 and 9112 define it
	ClassStatus      Class = "status"      // another status than the one due
	ClassContent     Class = "content"     // a wrong body, header or redirect
	ClassCache       Class = "cache"       // a lie about freshness
	ClassSession     Class = "session"     // a session lost, or somebody else's
	ClassConsistency Class = "consistency" // answers that contradict each other over time
	ClassLifecycle   Class = "lifecycle"   // initialize, verify, a server process dying
)

// The classes whose side is the benchmark's.
const (
	ClassGenerator Class = "generator" // lag, ports, file descriptors
	ClassAuthor    Class = "author"    // a panic or a bug in the scenario
)

// Side names who answers for a failure.
type Side string

// The two sides.
const (
	SideTarget Side = "target"
	SideBench  Side = "bench"
)

// Side returns whose fault a failure of this class is.
func (c Class) Side() Side {
	if c == ClassGenerator || c == ClassAuthor {
		return SideBench
	}
	return SideTarget
}

// WrongAnswer reports whether under rules=strict one failure of this class is
// enough to fail the run: a wrong answer, in contrast to a slow or refused one.
// A status failure is a wrong answer unless it is a 5xx or 429, which only the
// status itself tells; see [Failure.WrongAnswer].
func (c Class) WrongAnswer() bool {
	switch c {
	case ClassProtocol, ClassContent, ClassCache, ClassSession, ClassConsistency, ClassLifecycle:
		return true
	default:
		return false
	}
}

// Codes of status failures that cost points but are not wrong answers.
const (
	CodeStatus5xx = "unexpected-5xx"
	CodeStatus429 = "too-many-requests"
)

// Failure is one check that did not hold, with everything a contestant needs to
// see what was expected, what came instead, and where.
type Failure struct {
	Class Class  `json:"class"`
	Code  string `json:"code"`           // within the class: early-eof, value-mismatch …
	Rule  string `json:"rule,omitempty"` // the promise that was broken, for instance isucon4q.notice-exact
	Side  Side   `json:"side"`

	Phase    string  `json:"phase,omitempty"`
	Scenario string  `json:"scenario,omitempty"`
	Step     string  `json:"step,omitempty"` // where in the scenario: usually method and route
	User     int     `json:"user,omitempty"` // virtual user, from 1; 0 where there is none
	AtS      float64 `json:"at_s"`           // seconds since the benchmark started

	StepNumber int `json:"step_number,omitempty"` // of the user's requests, from 1: what --replay goes up to

	Message  string `json:"message"`            // one line, plain words
	Hint     string `json:"hint,omitempty"`     // what to look at
	Request  string `json:"request,omitempty"`  // request line and headers as sent
	Expected string `json:"expected,omitempty"` // what the rule asks for
	Actual   string `json:"actual,omitempty"`   // what came: a status, a text, an excerpt of the body
	Curl     string `json:"curl,omitempty"`     // a command line that sends the same request
}

// WrongAnswer reports whether under rules=strict this failure alone fails the run.
func (f *Failure) WrongAnswer() bool {
	if f.Class == ClassStatus {
		return f.Code != CodeStatus5xx && f.Code != CodeStatus429
	}
	return f.Class.WrongAnswer()
}
