package report

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"hotseat"
)

// Run is everything a report is drawn from. Any part but Result may be empty:
// runs get killed, and a run that never started measured nothing.
type Run struct {
	Result   hotseat.Result
	Complete bool // whether there was a result.json

	Progress []ProgressPoint
	Spans    []Span
	Logs     []Log
	Samples  []Sample
	Measure  Measure

	Queries       *Queries // nil where the database was not measured
	Configuration Configuration
	flames        []*Flame

	Notes []string // what is missing or damaged, in plain words
}

// ProgressPoint is one progress event; counts are sums since the start.
type ProgressPoint struct {
	AtS                     float64
	Score, Requests, Errors int64
	LagMS, StealPct         float64
}

// Span is a phase's place in time. Both ends are seconds since the benchmark started.
type Span struct {
	Name     string
	From, To float64
	OK       bool
	Ended    bool // false: the run ended before the phase did
}

// Log is a line the benchmark had for the team.
type Log struct {
	AtS     float64
	Message string
}

// Sample is one line of samples.jsonl, as far as it is drawn; see package
// measure, which writes it.
type Sample struct {
	T         float64              `json:"t"`
	Processes map[string]SampleUse `json:"processes"`
	Host      SampleHost           `json:"host"`
}

// SampleUse is what a process tree used since sampling began.
type SampleUse struct {
	CPUS     float64 `json:"cpu_s"`
	RSSBytes int64   `json:"rss_bytes"`
}

// SampleHost is the machine since the sample before.
type SampleHost struct {
	BusyPct  float64 `json:"busy_pct"`
	StealPct float64 `json:"steal_pct"`
}

// Measure is what is shown of the member "measure" of result.json; see package
// measure, which writes it.
type Measure struct {
	Samples  int      `json:"samples"`
	Timeline Timeline `json:"timeline"`
	Host     struct {
		BusyPct     float64 `json:"busy_pct"`
		StealPct    float64 `json:"steal_pct"`
		StealMaxPct float64 `json:"steal_max_pct"`
		IOWaitPct   float64 `json:"iowait_pct"`
	} `json:"host"`
	Database *Database `json:"database"`
	Cost     *struct {
		Ratio float64 `json:"ratio"`
		Low   float64 `json:"low"`
		High  float64 `json:"high"`
		Pairs int     `json:"pairs"`
	} `json:"cost"`
	Collector struct {
		CPUS    float64 `json:"cpu_s"`
		CorePct float64 `json:"core_pct"`
	} `json:"collector"`
}

// Timeline is the sampled CPU use kept in result.json, which outlives samples.jsonl.
type Timeline struct {
	T         []float64 `json:"t"`
	Processes map[string]struct {
		Cores []float64 `json:"cores"`
	} `json:"processes"`
	BusyPct  []float64 `json:"busy_pct"`
	StealPct []float64 `json:"steal_pct"`
}

// Database is what the database server did during the run.
type Database struct {
	Counters map[string]struct {
		Delta int64 `json:"delta"`
	} `json:"counters"`
	Queries      int64   `json:"queries"`
	RowsRead     int64   `json:"rows_read"`
	RowsPerQuery float64 `json:"rows_per_query"`
	ScanShare    float64 `json:"scan_share"`
	PerRequest   []struct {
		Method   string  `json:"method"`
		Template string  `json:"template"`
		Count    int64   `json:"count"`
		Rows     float64 `json:"rows_at_most"`
	} `json:"per_request"`
	Error string `json:"error"`
}

// Load reads a run's folder: result.json, events.jsonl and samples.jsonl. A
// missing or damaged part becomes a note, a missing folder an error.
func Load(dir string) (*Run, error) {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		if err == nil || errors.Is(err, fs.ErrNotExist) {
			return nil, hotseat.NotFound("name a run by its folder, usually runs/<time>-<id>", "no run in %s", dir)
		}
		return nil, fmt.Errorf("open run: %w", err)
	}
	run := &Run{}
	if err := run.readResult(filepath.Join(dir, "result.json")); err != nil {
		return nil, err
	}
	fromEvents := newTally()
	for _, part := range []struct {
		name string
		take func(line []byte) error
	}{
		{"events.jsonl", func(line []byte) error {
			var e hotseat.Event
			if err := json.Unmarshal(line, &e); err != nil {
				return err
			}
			run.addEvent(e)
			fromEvents.add(e)
			return nil
		}},
		{"samples.jsonl", func(line []byte) error {
			var s Sample
			if err := json.Unmarshal(line, &s); err != nil {
				return err
			}
			run.Samples = append(run.Samples, s)
			return nil
		}},
	} {
		if err := run.readLines(filepath.Join(dir, part.name), part.take); err != nil {
			return nil, err
		}
	}
	run.readQueries(dir)
	run.readConfiguration(dir)
	run.readFlames(dir)
	if run.Result.Run == "" {
		run.Result.Run = filepath.Base(dir)
	}
	if !run.Complete {
		fromEvents.complete(&run.Result)
	}
	return run, nil
}

func (run *Run) readResult(path string) error {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		run.note("result.json is missing: the run did not end by itself. What follows is what its events tell.")
		return nil
	case err != nil:
		return fmt.Errorf("read run: %w", err)
	}
	if err := json.Unmarshal(text, &run.Result); err != nil {
		run.Result = hotseat.Result{}
		run.note("result.json cannot be read (%v). What follows is what the run's events tell.", err)
		return nil
	}
	run.Complete = true
	if len(run.Result.Measure) > 0 {
		if err := json.Unmarshal(run.Result.Measure, &run.Measure); err != nil {
			run.note("what was measured cannot be read: %v", err)
		}
	}
	return nil
}

// readLines gives each line of a file to take. Lines it refuses are counted:
// the last line of a killed run is usually cut.
func (run *Run) readLines(path string, take func([]byte) error) error {
	name := filepath.Base(path)
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		run.note("%s is missing: what it would show is left out.", name)
		return nil
	}
	if err != nil {
		return fmt.Errorf("read run: %w", err)
	}
	defer func() { _ = file.Close() }() // read only
	reader := bufio.NewReaderSize(file, 64<<10)
	bad := int64(0)
	for {
		line, err := reader.ReadBytes('\n')
		if len(line) > 0 && take(line) != nil {
			bad++
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read %s: %w", name, err)
		}
	}
	if bad > 0 {
		run.note("%s: %s could not be read (a killed run's last line is often cut).", name, plural(bad, "line", "lines"))
	}
	return nil
}

func (run *Run) note(format string, args ...any) {
	run.Notes = append(run.Notes, fmt.Sprintf(format, args...))
}

func (run *Run) addEvent(e hotseat.Event) {
	switch {
	case e.PhaseEvent != nil && e.State == hotseat.PhaseBegin:
		run.Spans = append(run.Spans, Span{Name: e.Phase, From: e.AtS, To: e.AtS})
	case e.PhaseEvent != nil:
		for i := len(run.Spans) - 1; i >= 0; i-- {
			if s := &run.Spans[i]; s.Name == e.Phase && !s.Ended {
				s.To, s.OK, s.Ended = e.AtS, e.OK, true
				break
			}
		}
	case e.ProgressEvent != nil:
		p := e.ProgressEvent
		run.Progress = append(run.Progress, ProgressPoint{e.AtS, p.Score, p.Requests, p.Errors, p.LagMS, p.Steal})
	case e.LogEvent != nil && e.Audience == hotseat.AudienceTeam:
		run.Logs = append(run.Logs, Log{e.AtS, e.Message})
	}
	// A phase that never ended lasts as long as anything happened.
	for i := range run.Spans {
		if s := &run.Spans[i]; !s.Ended {
			s.To = max(s.To, e.AtS)
		}
	}
}
