package measure

import (
	"context"

	"hotseat"
)

// Counters are a database server's status counters by name, as SHOW GLOBAL
// STATUS of MariaDB or MySQL names them.
type Counters map[string]int64

// CounterFunc reads the counters of a running server. Whoever owns the
// connection gives it, so that this package needs no driver.
type CounterFunc func(ctx context.Context) (Counters, error)

// handlerReads are the ways in which a storage engine is asked for a row: their
// sum is the rows a server read, whether from an index or in a scan.
var handlerReads = []string{
	"Handler_read_first", "Handler_read_key", "Handler_read_last",
	"Handler_read_next", "Handler_read_prev",
	"Handler_read_rnd", "Handler_read_rnd_deleted", "Handler_read_rnd_next",
}

// watched are the counters whose growth is kept, beyond the reads above.
var watched = append([]string{
	"Questions", "Connections", "Slow_queries", "Bytes_sent", "Rows_sent",
	"Com_select", "Com_insert", "Com_update", "Com_delete", "Com_commit",
	"Com_stmt_prepare", "Com_stmt_execute", "Select_scan", "Sort_rows", "Created_tmp_disk_tables",
	"Innodb_rows_read", "Innodb_rows_inserted", "Innodb_data_fsyncs", "Innodb_os_log_fsyncs",
	"Innodb_buffer_pool_read_requests", "Innodb_buffer_pool_reads",
	"Innodb_row_lock_waits", "Innodb_row_lock_time",
}, handlerReads...)

// statements are the counters of what a client asked for. Questions would be
// the natural total, but counts a prepared statement's preparation and closing too.
var statements = []string{"Com_select", "Com_insert", "Com_update", "Com_delete"}

// Database is what the database server did during the run.
type Database struct {
	Counters map[string]CounterDelta `json:"counters"`

	Queries      int64   `json:"queries"`        // SELECT, INSERT, UPDATE and DELETE statements
	RowsRead     int64   `json:"rows_read"`      // asked of the storage engine, by index or scan
	RowsPerQuery float64 `json:"rows_per_query"` // RowsRead per query
	ScanShare    float64 `json:"scan_share"`     // share of RowsRead that came from reading tables from end to end

	PerRequest []RowsPerRequest `json:"per_request,omitempty"`
	Error      string           `json:"error,omitempty"` // why counters are missing
}

// CounterDelta is one counter over the run.
type CounterDelta struct {
	Before int64 `json:"before"`
	After  int64 `json:"after"`
	Delta  int64 `json:"delta"` // After alone if the server restarted and counts anew
}

// RowsPerRequest sets the rows of the whole run against the requests of one
// endpoint. Rows cannot be told apart by endpoint, so this is an upper bound,
// near the truth only where the endpoint causes most of the reading.
type RowsPerRequest struct {
	Method   string  `json:"method"`
	Template string  `json:"template"`
	Count    int64   `json:"count"`
	Rows     float64 `json:"rows_at_most"`
}

func newDatabase(before Counters, beforeErr error, after Counters, afterErr error) *Database {
	d := &Database{Counters: map[string]CounterDelta{}}
	for _, err := range []error{beforeErr, afterErr} {
		if err != nil {
			d.Error = err.Error()
			return d
		}
	}
	for _, name := range watched {
		now, ok := after[name]
		if !ok {
			continue
		}
		c := CounterDelta{Before: before[name], After: now, Delta: now - before[name]}
		if c.Delta < 0 {
			c.Delta = now
		}
		d.Counters[name] = c
	}
	for _, name := range statements {
		d.Queries += d.Counters[name].Delta
	}
	for _, name := range handlerReads {
		d.RowsRead += d.Counters[name].Delta
	}
	if d.Queries > 0 {
		d.RowsPerQuery = round(float64(d.RowsRead)/float64(d.Queries), 2)
	}
	if d.RowsRead > 0 {
		d.ScanShare = round(float64(d.Counters["Handler_read_rnd_next"].Delta)/float64(d.RowsRead), 4)
	}
	return d
}

// PerEndpoint fills PerRequest for the endpoints that change something: in a
// contest's app these carry the queries worth an index.
func (d *Database) PerEndpoint(endpoints []hotseat.Endpoint) {
	d.PerRequest = nil
	for _, e := range endpoints {
		if e.Count == 0 || e.Method == "GET" || e.Method == "HEAD" || e.Method == "OPTIONS" {
			continue
		}
		d.PerRequest = append(d.PerRequest, RowsPerRequest{
			Method: e.Method, Template: e.Template, Count: e.Count,
			Rows: round(float64(d.RowsRead)/float64(e.Count), 1),
		})
	}
}
