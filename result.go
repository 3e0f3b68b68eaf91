package hotseat

import (
	"encoding/json"
	"time"
)

// ResultSchema identifies the layout of result.json. Keys are added, never renamed.
const ResultSchema = "hotseat.result/1"

// Result is what is known about a run: the content of result.json.
type Result struct {
	Schema         string    `json:"schema"`
	Run            string    `json:"run"` // the name of the run's folder
	Problem        string    `json:"problem"`
	ProblemVersion string    `json:"problem_version"`
	StartedAt      time.Time `json:"started_at"`
	ElapsedS       float64   `json:"elapsed_s"`

	Verdict   Verdict          `json:"verdict"`
	Reason    string           `json:"reason"`
	Hint      string           `json:"hint,omitempty"`
	Score     *int64           `json:"score"` // 0 on fail, null on infra
	RawScore  int64            `json:"raw_score"`
	Deduction int64            `json:"deduction"`
	Points    map[string]int64 `json:"points"`

	Phases    []Phase           `json:"phases"`
	Endpoints []Endpoint        `json:"endpoints"`
	Queries   []Query           `json:"queries,omitempty"` // as the database's own log saw them
	Failures  []FailureGroup    `json:"failures"`
	Rules     map[string]int64  `json:"rules"`
	RuleInfo  []Rule            `json:"rule_info,omitempty"`
	Generator Generator         `json:"generator"`
	Arrivals  []Arrivals        `json:"arrivals,omitempty"` // of populations that come at a rate
	Remarks   []string          `json:"remarks,omitempty"`  // what else the contestant should know of this run
	Host      Host              `json:"host"`
	Processes []ProcessUse      `json:"processes"`
	Limits    []MemoryLimit     `json:"limits,omitempty"`  // that parts of the stack ran under
	Measure   json.RawMessage   `json:"measure,omitempty"` // what was measured and how; see package measure
	Params    map[string]string `json:"params"`
	Seed      uint64            `json:"seed"`
	Commit    string            `json:"commit"` // of the workspace; empty outside one
	Dirty     bool              `json:"dirty"`  // uncommitted changes in the workspace
	Note      string            `json:"note,omitempty"`
	Target    string            `json:"target"`
	Ran       map[string]string `json:"ran,omitempty"` // sha256 of what really ran: app binary, rendered configuration
	Findings  []Finding         `json:"findings"`
}

// Phase is a finished part of a run.
type Phase struct {
	Name     string  `json:"name"`
	ElapsedS float64 `json:"elapsed_s"`
	OK       bool    `json:"ok"`
}

// Endpoint is one method and path template as the client saw it. Times are from
// sending the request to having read the whole answer.
type Endpoint struct {
	Method   string  `json:"method"`
	Template string  `json:"template"`
	Count    int64   `json:"count"`
	Errors   int64   `json:"errors"`
	P50MS    float64 `json:"p50_ms"`
	P90MS    float64 `json:"p90_ms"`
	P99MS    float64 `json:"p99_ms"`
	MaxMS    float64 `json:"max_ms"`
	TotalS   float64 `json:"total_s,omitempty"` // the sum of all of them; 0 if the benchmark does not tell
	Bytes    int64   `json:"bytes"`             // of bodies, as they came over the wire
}

// Query is one class of database statements: those that differ in nothing but
// their values.
type Query struct {
	ID           string  `json:"id"` // upper-case MD5 of the fingerprint, as pt-query-digest prints it
	Fingerprint  string  `json:"fingerprint"`
	Calls        int64   `json:"calls"`
	TotalS       float64 `json:"total_s"`
	P95MS        float64 `json:"p95_ms"`
	LockS        float64 `json:"lock_s"`
	RowsExamined int64   `json:"rows_examined"`
	RowsSent     int64   `json:"rows_sent"`
	Example      string  `json:"example,omitempty"` // the slowest one, as it was sent
}

// FailureGroup is all failures of one class, code and rule: the exact count and
// the first samples of each step.
type FailureGroup struct {
	Class   Class     `json:"class"`
	Code    string    `json:"code"`
	Rule    string    `json:"rule,omitempty"`
	Side    Side      `json:"side"`
	Count   int64     `json:"count"`
	Message string    `json:"message"`
	Hint    string    `json:"hint,omitempty"`
	Samples []Failure `json:"samples"`
}

// Generator is what the benchmark measured about itself.
type Generator struct {
	CPUS            float64 `json:"cpu_s"`
	Requests        int64   `json:"requests"`
	RequestsPerCPUS float64 `json:"requests_per_cpu_s"`
	MaxLagMS        float64 `json:"max_lag_ms"`
	RunQueueS       float64 `json:"run_queue_s"`   // time its threads were runnable but not running
	Connections     int64   `json:"connections"`   // opened during the run
	StaleRetries    int64   `json:"stale_retries"` // idempotent requests sent again on a fresh connection
	MaxFileDesc     int64   `json:"max_fds"`       // most file descriptors open at once
	Saturated       bool    `json:"saturated"`     // at its limit under a closed loop: still scored
	SaturatedReason string  `json:"saturated_reason,omitempty"`
}

// Arrivals is what became of a population whose users come at a rate, however slow
// the target is.
type Arrivals struct {
	Population string `json:"population"`
	Users      int64  `json:"users"`  // so many at most at once
	Due        int64  `json:"due"`    // iterations that the rate asked for
	Ended      int64  `json:"ended"`  // those that came to their end, in success or failure
	Missed     int64  `json:"missed"` // those that did not begin: all users were waiting for the target
}

// Host describes the machine, since scores are comparable only on one kind of machine and tier.
type Host struct {
	CPUs        int    `json:"cpus"`
	CPUModel    string `json:"cpu_model"`
	Kernel      string `json:"kernel"`
	MemoryBytes int64  `json:"memory_bytes"`
	Tier        string `json:"tier"` // local: benchmark and servers share one network namespace
}

// ProcessUse is what one named part of the stack used during the run.
type ProcessUse struct {
	Name        string  `json:"name"`
	CPUS        float64 `json:"cpu_s"`
	RSSMaxBytes int64   `json:"rss_max_bytes"`
	CtxSwitches int64   `json:"ctx_switches"`
}

// MemoryLimit is how much memory a part of the stack might hold, swap and what it
// starts included, and who saw to that.
type MemoryLimit struct {
	Process     string `json:"process"`
	MemoryBytes int64  `json:"memory_bytes"`
	// By is "cgroup v2" or "cgroup v1" where the kernel keeps the limit, or
	// "watcher": one of ours looks a few times a second and kills.
	By        string `json:"by"`
	Why       string `json:"why,omitempty"` // there is a watcher and no control group
	PeakBytes int64  `json:"peak_bytes"`    // the most that was seen since the part was first started
}
