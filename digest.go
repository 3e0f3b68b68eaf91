package hotseat

// The schemas of the digests. Keys are added, never renamed.
const (
	AccessDigestSchema = "hotseat.digest.access/1"
	SlowDigestSchema   = "hotseat.digest.slow/1"
	JoinDigestSchema   = "hotseat.digest.join/1"
)

// AccessDigest is what an access log says, request by request summed up by
// method and path template. measure/accesslog makes it. All times are in seconds.
type AccessDigest struct {
	Schema string        `json:"schema"`
	Files  []DigestInput `json:"files"`
	Notes  []string      `json:"notes"` // what was inferred or assumed, for people

	Lines     int64   `json:"lines"`      // non-empty lines read, those of other times included
	Requests  int64   `json:"requests"`   // lines that the routes below count
	Filtered  int64   `json:"filtered"`   // parsed, but outside the asked-for time
	FirstUnix float64 `json:"first_unix"` // when the first request was logged; 0 if no line has a time
	LastUnix  float64 `json:"last_unix"`

	Unparsed         int64     `json:"unparsed"`
	UnparsedExamples []BadLine `json:"unparsed_examples"`

	TimeUnit  string        `json:"time_unit"` // how the log writes durations: s, ms, us, ns; empty if it has none
	UnitBasis string        `json:"time_unit_basis"`
	Total     AccessRoute   `json:"total"` // of all routes; Method and Template are empty
	Routes    []AccessRoute `json:"routes"`
}

// DigestInput is one file of a digest.
type DigestInput struct {
	Name        string `json:"name"`
	Format      string `json:"format"`      // ltsv, json, combined, regexp; mariadb, mysql
	Compression string `json:"compression"` // "", gzip or zstd
	Lines       int64  `json:"lines"`
	Bytes       int64  `json:"bytes"` // after decompression
}

// BadLine is a line, or an entry, that could not be understood.
type BadLine struct {
	File string `json:"file"`
	Line int64  `json:"line"` // from 1
	Text string `json:"text"` // its beginning
	Why  string `json:"why"`
}

// AccessRoute is all requests of one method to one path template. In a template
// a "*" stands for a part that varies.
type AccessRoute struct {
	Method   string `json:"method"`
	Template string `json:"template"`
	Count    int64  `json:"count"`

	// Share is this route's part of the time of all requests, or of their
	// number where the log has no times.
	Share  float64          `json:"share"`
	Status StatusClasses    `json:"status"`
	Codes  map[string]int64 `json:"codes"` // by exact status

	RequestTime  Spread `json:"request_time"`  // until the client had everything
	UpstreamTime Spread `json:"upstream_time"` // behind the proxy; Count says how many requests went there
	ConnectTime  Spread `json:"connect_time"`  // to the upstream, summed over its tries
	HeaderTime   Spread `json:"header_time"`   // until the upstream's header was there

	// Connected counts requests that waited for a new upstream connection:
	// a connect time above 0 (nginx writes 0.000 for a kept one).
	Connected int64 `json:"connected"`
	// Retries counts upstream tries beyond each request's first; Redirects
	// the internal ones (X-Accel-Redirect), told by a colon.
	Retries   int64 `json:"retries"`
	Redirects int64 `json:"redirects"`

	Bytes        Sizes            `json:"bytes"`               // of response bodies
	RequestBytes Sizes            `json:"request_bytes"`       // as the client sent them
	Upstreams    map[string]int64 `json:"upstreams,omitempty"` // by address; the rarest of very many under "other"
	Cache        map[string]int64 `json:"cache,omitempty"`     // by $upstream_cache_status
	Encodings    map[string]int64 `json:"encodings,omitempty"` // by Content-Encoding; "-" is none
	FirstOnConn  int64            `json:"first_on_connection"` // requests that opened their client's connection
	Slowest      *AccessExample   `json:"slowest,omitempty"`
}

// AccessExample is one request worth looking at.
type AccessExample struct {
	URI       string  `json:"uri"`
	Status    int     `json:"status"`
	TimeS     float64 `json:"time_s"`
	RequestID string  `json:"request_id,omitempty"`
	AtUnix    float64 `json:"at_unix,omitempty"`
}

// StatusClasses counts answers by the first digit of their status. 499 is
// nginx's word for a client that gave up: it is not in Client. 0 and what is
// no status at all is Other.
type StatusClasses struct {
	Info        int64 `json:"1xx"`
	Success     int64 `json:"2xx"`
	Redirection int64 `json:"3xx"`
	Client      int64 `json:"4xx"`
	GaveUp      int64 `json:"499"`
	Server      int64 `json:"5xx"`
	Other       int64 `json:"other"`
}

// Errors are the answers that cost a score: 4xx, 5xx, and clients that gave up.
func (s StatusClasses) Errors() int64 { return s.Client + s.GaveUp + s.Server + s.Other }

// Spread is how durations, in seconds, are spread. Count, sum and extremes are
// exact; percentiles are within 1 %.
type Spread struct {
	Count int64   `json:"count"`
	Sum   float64 `json:"sum"`
	Mean  float64 `json:"mean"`
	Min   float64 `json:"min"`
	P50   float64 `json:"p50"`
	P90   float64 `json:"p90"`
	P95   float64 `json:"p95"`
	P99   float64 `json:"p99"`
	Max   float64 `json:"max"`
}

// Sizes are numbers of bytes or rows.
type Sizes struct {
	Count int64   `json:"count"` // how often one was told
	Sum   int64   `json:"sum"`
	Mean  float64 `json:"mean"`
	Min   int64   `json:"min"`
	Max   int64   `json:"max"`
}

// SlowDigest is what a slow log says, summed up by query class: statements that
// differ only in their values. measure/slowlog makes it. All times are in seconds.
type SlowDigest struct {
	Schema string        `json:"schema"`
	Files  []DigestInput `json:"files"`
	Notes  []string      `json:"notes"`

	Server    string  `json:"server"` // as the log's header names it; empty without one
	Entries   int64   `json:"entries"`
	Filtered  int64   `json:"filtered"` // parsed, but outside the asked-for time
	FirstUnix float64 `json:"first_unix"`
	LastUnix  float64 `json:"last_unix"`

	Unparsed         int64     `json:"unparsed"`
	UnparsedExamples []BadLine `json:"unparsed_examples"`

	Total   QueryClass   `json:"total"` // of all classes; its ID and Fingerprint are empty
	Classes []QueryClass `json:"classes"`
}

// QueryClass is all statements of one fingerprint.
type QueryClass struct {
	// ID is the MD5 of the fingerprint as pt-query-digest 3 writes it, 32
	// upper-case hexadecimal digits; ShortID its last 16, as pt-query-digest 2
	// and percona/go-mysql do.
	ID          string `json:"id"`
	ShortID     string `json:"short_id"`
	Fingerprint string `json:"fingerprint"`
	Verb        string `json:"verb"` // SELECT, INSERT …, or ADMIN for administrator commands
	Count       int64  `json:"count"`

	Share     float64 `json:"share"` // of the time of all classes
	QueryTime Spread  `json:"query_time"`
	LockTime  Spread  `json:"lock_time"`
	LockShare float64 `json:"lock_share"` // of the class's own time

	RowsSent     Sizes `json:"rows_sent"`
	RowsExamined Sizes `json:"rows_examined"`
	RowsAffected Sizes `json:"rows_affected"`
	BytesSent    Sizes `json:"bytes_sent"`
	// ExaminedPerSent is rows examined for each row sent (or affected, where
	// none was sent); of statements that gave nothing, the rows examined by each.
	ExaminedPerSent float64 `json:"examined_per_sent"`

	// Plans counts statements by what their plan did, as far as the log's
	// verbosity tells.
	Plans PlanCounts `json:"plans"`

	// LongestRun is the most statements of this class that one connection sent
	// without another between; InRuns counts statements in runs of 5 and more:
	// the mark of a query in a loop.
	LongestRun int64 `json:"longest_run"`
	InRuns     int64 `json:"in_runs"`

	Schemas map[string]int64 `json:"schemas,omitempty"`
	Users   map[string]int64 `json:"users,omitempty"`
	Errors  int64            `json:"errors"` // statements that ended with an error number, where the log has it

	Example *QueryExample `json:"example,omitempty"`
}

// PlanCounts counts statements with a property.
type PlanCounts struct {
	Known          int64 `json:"known"` // statements whose entry tells of its plan at all
	FullScan       int64 `json:"full_scan"`
	FullJoin       int64 `json:"full_join"`
	TmpTable       int64 `json:"tmp_table"`
	TmpTableOnDisk int64 `json:"tmp_table_on_disk"`
	Filesort       int64 `json:"filesort"`
	FilesortOnDisk int64 `json:"filesort_on_disk"`
	CacheHit       int64 `json:"cache_hit"` // answered from the query cache
}

// QueryExample is the slowest statement of a class.
type QueryExample struct {
	SQL          string  `json:"sql"` // its beginning, if Truncated
	Truncated    bool    `json:"truncated"`
	TimeS        float64 `json:"time_s"`
	LockTimeS    float64 `json:"lock_time_s"`
	RowsSent     int64   `json:"rows_sent"`
	RowsExamined int64   `json:"rows_examined"`
	Schema       string  `json:"schema,omitempty"`
	AtUnix       float64 `json:"at_unix,omitempty"`
	RequestID    string  `json:"request_id,omitempty"` // from a comment in the statement

	// Explain is the plan: with measured rows from the log itself (MariaDB with
	// log_slow_verbosity=explain), or estimated by a server that was asked.
	Explain       []ExplainRow `json:"explain,omitempty"`
	ExplainSource string       `json:"explain_source,omitempty"` // "log" or "server"
	ExplainError  string       `json:"explain_error,omitempty"`
}

// ExplainRow is one table of a plan, as EXPLAIN shows it. Absent values are "".
type ExplainRow struct {
	ID           string `json:"id"`
	SelectType   string `json:"select_type"`
	Table        string `json:"table"`
	Type         string `json:"type"` // ALL, index, range, ref, eq_ref, const …
	PossibleKeys string `json:"possible_keys"`
	Key          string `json:"key"`
	KeyLen       string `json:"key_len"`
	Ref          string `json:"ref"`
	Rows         string `json:"rows"`
	RRows        string `json:"r_rows,omitempty"` // what was really read
	Filtered     string `json:"filtered,omitempty"`
	RFiltered    string `json:"r_filtered,omitempty"`
	Extra        string `json:"extra"`
}

// The ways in which a [JoinDigest] knows what it says.
const (
	JoinExact     = "exact"     // by the request id in a comment of each statement
	JoinEstimated = "estimated" // by what rose and fell together in windows of time
)

// JoinDigest says which routes send which queries. measure/join makes it.
type JoinDigest struct {
	Schema  string     `json:"schema"`
	Method  string     `json:"method"` // JoinExact or JoinEstimated
	Notes   []string   `json:"notes"`
	WindowS float64    `json:"window_s,omitempty"` // width of the windows of an estimate
	Windows int        `json:"windows,omitempty"`
	Matched int64      `json:"matched"` // statements that belong to a request of the access log
	Missed  int64      `json:"missed"`  // statements that do not, or cannot be told
	Edges   []JoinEdge `json:"edges"`
}

// JoinEdge is one route and one query class.
type JoinEdge struct {
	HTTPMethod string `json:"http_method"`
	Template   string `json:"template"`
	QueryID    string `json:"query_id"`
	// Fingerprint is the class's, so that an edge can be read alone.
	Fingerprint string  `json:"fingerprint"`
	PerRequest  float64 `json:"per_request"`   // statements for each request of the route
	Statements  int64   `json:"statements"`    // exact, or rounded from the estimate
	TimeS       float64 `json:"time_s"`        // that the statements took
	ShareOfTime float64 `json:"share_of_time"` // of the route's own time
}

// Time is the time by which a route counts: of the request or, where the log
// has none, behind the proxy.
func (r *AccessRoute) Time() Spread {
	if r.RequestTime.Count > 0 {
		return r.RequestTime
	}
	return r.UpstreamTime
}
