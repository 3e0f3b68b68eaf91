package hotseat

// Severity says how much a finding matters.
type Severity string

// The severities, worst first.
const (
	Critical Severity = "critical" // requests fail, or will when the load grows
	Warning  Severity = "warning"  // it costs score
	Note     Severity = "note"     // worth knowing
)

// Finding is one thing that the advisor has to say about a run.
type Finding struct {
	ID       string   `json:"id"`      // of the detector, and after a slash what it found: missing-index/login_log
	Subject  string   `json:"subject"` // the part of the stack it is about: mariadb, nginx, app, host
	Severity Severity `json:"severity"`
	Title    string   `json:"title"`    // the cause, in one line
	Evidence []string `json:"evidence"` // literal numbers, each with its source
	Remedy   []string `json:"remedy"`   // what to do, as lines to paste where there are such
	Risk     string   `json:"risk,omitempty"`
	// Gain is the share of the saturated resource's time that the remedy could
	// free, 0 to 1: what the ranking goes by. It is an upper bound.
	Gain float64 `json:"gain"`
	// Confidence is how sure the cause is, 0 to 1.
	Confidence float64 `json:"confidence"`
	// Folded are the findings that this one explains: effects of the same cause.
	Folded []Finding `json:"folded,omitempty"`
}
