// Package measure watches what a run costs the machine: the CPU, memory and
// context switches of each named part of the stack, the host around them, and
// what the database says it did. It appends typed samples to samples.jsonl while
// the run goes on and sums them up at its end.
//
// It is no monitoring system: it sees only the process trees it is told about,
// once a second, through /proc, and is meant to be cheap enough to leave on in
// every scored run (under 1 % of a core; it reports its own cost).
package measure

import "hotseat"

// Sample is one line of samples.jsonl.
type Sample struct {
	T         float64        `json:"t"` // seconds since sampling began
	Processes map[string]Use `json:"processes"`
	Host      HostUse        `json:"host"`
}

// Use is what one named process tree used so far. CPUS and CtxSwitches count
// from the beginning of the sampling and never fall: a process that has ended
// keeps what was last seen of it.
type Use struct {
	CPUS        float64 `json:"cpu_s"`
	RSSBytes    int64   `json:"rss_bytes"` // summed over processes; pages they share count once in each
	CtxSwitches int64   `json:"ctx_switches"`
	Threads     int     `json:"threads"`
	FDs         int     `json:"fds,omitempty"` // 0 where we may not look
	PIDs        int     `json:"pids"`
}

// HostUse is the whole machine over the time since the sample before.
type HostUse struct {
	BusyPct           float64 `json:"busy_pct"`   // share of all cores' time not idle, waiting for disks or stolen
	StealPct          float64 `json:"steal_pct"`  // taken by the hypervisor
	IOWaitPct         float64 `json:"iowait_pct"` // idle with a disk request outstanding
	MemAvailableBytes int64   `json:"mem_available_bytes"`
	Load1             float64 `json:"load1"`
}

// Summary is what the sampler has to say at the end of a run; without its
// Processes it is the member "measure" of result.json.
type Summary struct {
	IntervalS float64              `json:"interval_s"`
	Samples   int                  `json:"samples"`
	Processes []hotseat.ProcessUse `json:"-"` // belongs into Result.Processes; most CPU first
	Timeline  Timeline             `json:"timeline"`
	Host      HostSummary          `json:"host"`
	Database  *Database            `json:"database,omitempty"`
	Collector Collector            `json:"collector"`
}

// Timeline holds one value per sample, the first sample (which only sets the
// zero) left out. All slices are as long as T.
type Timeline struct {
	T         []float64                  `json:"t"` // end of each interval, seconds since sampling began
	Processes map[string]ProcessTimeline `json:"processes"`
	BusyPct   []float64                  `json:"busy_pct"`
	StealPct  []float64                  `json:"steal_pct"`
	IOWaitPct []float64                  `json:"iowait_pct"`
}

// ProcessTimeline is one named process tree over time.
type ProcessTimeline struct {
	Cores    []float64 `json:"cores"` // CPU seconds per second
	RSSBytes []int64   `json:"rss_bytes"`
}

// HostSummary is the machine over the whole run. Steal above a few percent
// makes a score doubtful.
type HostSummary struct {
	BusyPct              float64 `json:"busy_pct"`
	StealPct             float64 `json:"steal_pct"`
	StealMaxPct          float64 `json:"steal_max_pct"`
	IOWaitPct            float64 `json:"iowait_pct"`
	MemAvailableMinBytes int64   `json:"mem_available_min_bytes"`
}

// Collector is the cost of measuring.
type Collector struct {
	CPUS    float64 `json:"cpu_s"`    // of the sampling thread
	CorePct float64 `json:"core_pct"` // the same as a share of one core over the run
}
