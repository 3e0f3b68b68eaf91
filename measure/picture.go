package measure

import "hotseat"

// PictureSchema identifies the layout of picture.json. Keys are added, never renamed.
const PictureSchema = "hotseat.picture/1"

// Picture is everything that was measured around one run: what the advisor
// looks at. It lies beside result.json as picture.json. A nil part was not
// measured: there is no such server, or it would not tell.
type Picture struct {
	Schema string `json:"schema"`
	// WindowS is the length of the measured time in seconds: from the start of
	// the benchmark to its end, initialisation included.
	WindowS float64 `json:"window_s"`

	Access *hotseat.AccessDigest `json:"access,omitempty"`
	Slow   *hotseat.SlowDigest   `json:"slow,omitempty"`
	Join   *hotseat.JoinDigest   `json:"join,omitempty"`
	// SlowShare is the share of the time in which the slow log was on; below 1
	// it was switched on and off in turns to stay cheap, and counts of Slow
	// are that share of the truth.
	SlowShare float64 `json:"slow_share,omitempty"`

	Network   *Network            `json:"network,omitempty"`
	MariaDB   *MariaDB            `json:"mariadb,omitempty"`
	Nginx     *Nginx              `json:"nginx,omitempty"`
	Redis     *KeyValue           `json:"redis,omitempty"`
	Memcached *KeyValue           `json:"memcached,omitempty"`
	Kernel    map[string]string   `json:"kernel,omitempty"` // settings by their sysctl name
	Processes map[string]*Process `json:"processes"`
	Peaks     []Connections       `json:"peaks,omitempty"` // most connections at once, by who connects to whom

	// LogBytes is how much each log of the stack's own grew, by its name
	// without ".log".
	LogBytes map[string]int64 `json:"log_bytes,omitempty"`
	// Effective are the hashes of what really ran, by file or server: two
	// pictures tell by them what changed.
	Effective map[string]string `json:"effective,omitempty"`
	// Notes say what could not be measured, and why.
	Notes []string `json:"notes"`
}

// Process is one named part of the stack, its worst sample.
type Process struct {
	PIDs        int     `json:"pids"`
	Threads     int     `json:"threads"`
	FDsMax      int     `json:"fds_max"`   // in the process that had most open
	FDsLimit    int64   `json:"fds_limit"` // soft limit of that process
	HotThread   float64 `json:"hot_thread"`
	RunDelayS   float64 `json:"run_delay_s"` // runnable but not running, all threads
	ReadBytes   int64   `json:"read_bytes"`  // rchar of /proc/PID/io: by read(2) and alike, cached or not
	ReadCalls   int64   `json:"read_calls"`
	WriteBytes  int64   `json:"write_bytes"`
	MajorFaults int64   `json:"major_faults"`
	Forks       int64   `json:"forks"` // processes of this part that came and went
}

// Connections are TCP connections of one kind.
type Connections struct {
	From string `json:"from"` // part of the stack that opened them, "benchmark", or "outside"
	To   string `json:"to"`   // part that listens
	Port int    `json:"port"` // where it listens
	Max  int    `json:"max"`  // most at once
	// Plateau is the share of samples under load that had exactly Max: near 1
	// it is a limit, not chance.
	Plateau float64 `json:"plateau"`
}

// Network is what the kernel counted of TCP in the stack's network namespace,
// over the run.
type Network struct {
	ActiveOpens     int64 `json:"active_opens"` // connections that were opened from here
	PassiveOpens    int64 `json:"passive_opens"`
	ListenOverflows int64 `json:"listen_overflows"` // the accept queue was full
	ListenDrops     int64 `json:"listen_drops"`
	SYNDrops        int64 `json:"syn_drops"`          // TCPReqQFullDrop
	TimeWaitRefused int64 `json:"time_wait_overflow"` // TCPTimeWaitOverflow
	Retransmits     int64 `json:"retransmits"`

	TimeWaitMax int `json:"time_wait_max"` // sockets in TIME_WAIT at once
	// Tuple is the pair of addresses and the port that most local ports were
	// taken for, TIME_WAIT included: such a tuple has no more than the range.
	Tuple     string `json:"tuple"` // "127.0.0.1 → 127.0.0.1:8080"
	TuplePort int    `json:"tuple_port"`
	TupleMax  int    `json:"tuple_max"`
	PortRange int    `json:"port_range"` // local ports there are
}

// MariaDB is the database server as it was configured and what it counted.
type MariaDB struct {
	Version   string            `json:"version"`
	Variables map[string]string `json:"variables"` // SHOW GLOBAL VARIABLES
	Status    map[string]int64  `json:"status"`    // growth of SHOW GLOBAL STATUS over the run
	Gauges    map[string]int64  `json:"gauges"`    // values at the end that do not only grow
	DataBytes int64             `json:"data_bytes"`
	Tables    []Table           `json:"tables,omitempty"`
	Indexes   []Index           `json:"indexes,omitempty"`
}

// Table is one table of the contest's database.
type Table struct {
	Schema    string   `json:"schema"`
	Name      string   `json:"name"`
	Engine    string   `json:"engine"`
	Rows      int64    `json:"rows"` // estimated by the server
	DataBytes int64    `json:"data_bytes"`
	Columns   []Column `json:"columns"`
}

// Column is one column, its type as SQL writes it.
type Column struct {
	Name string `json:"name"`
	Type string `json:"type"`
}

// Index is one index of a table of the contest's database.
type Index struct {
	Schema  string   `json:"schema"`
	Table   string   `json:"table"`
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"` // of the table, estimated by the server
}

// Nginx is the web server as it was configured and what it counted.
type Nginx struct {
	Version  string `json:"version"`
	Accepts  int64  `json:"accepts"` // of stub_status, over the run
	Handled  int64  `json:"handled"`
	Requests int64  `json:"requests"`
	// ActiveMax is the most client connections at once that a sample saw.
	ActiveMax int64 `json:"active_max"`

	Workers           int                 `json:"workers"`
	WorkerConnections int                 `json:"worker_connections"`
	Config            map[string][]string `json:"config"` // directives by name: their arguments, in order
	Upstreams         []Upstream          `json:"upstreams"`
	// Errors are lines of the error log over the run, by kind of message.
	Errors []ErrorKind `json:"errors"`
}

// Upstream is one upstream block, or an address that proxy_pass names itself.
type Upstream struct {
	Name      string   `json:"name"`
	Servers   []string `json:"servers"`
	KeepAlive int      `json:"keepalive"` // idle connections kept per worker; 0: none
	// HTTP11 tells that some proxy_pass to it speaks HTTP/1.1 with an empty
	// Connection header, without which nothing is kept.
	HTTP11 bool `json:"http11"`
}

// ErrorKind is one kind of line of an error log.
type ErrorKind struct {
	Text    string `json:"text"` // with what varies replaced
	Count   int64  `json:"count"`
	Example string `json:"example"`
}

// KeyValue is a Redis or memcached: its settings, and the growth of its counters.
type KeyValue struct {
	Settings map[string]string `json:"settings,omitempty"`
	Counters map[string]int64  `json:"counters"`
	Gauges   map[string]int64  `json:"gauges"`
}
