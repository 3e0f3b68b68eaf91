package main

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/mattn/go-sqlite3"
)

// tenantDriver returns the name of the driver for tenant databases. With a trace
// file, every statement leaves a line of JSON in it.
func tenantDriver(traceFile string) (name string, closeTrace func(), err error) {
	if traceFile == "" {
		return "sqlite3", func() {}, nil
	}
	file, err := os.OpenFile(traceFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return "", nil, fmt.Errorf("open trace: %w", err)
	}
	sql.Register("sqlite3-traced", &tracedDriver{trace: &trace{lines: json.NewEncoder(file)}})
	return "sqlite3-traced", func() { file.Close() }, nil
}

// trace writes one line for each statement.
type trace struct {
	mu    sync.Mutex
	lines *json.Encoder
}

type traceLine struct {
	Time         string  `json:"time"`
	Statement    string  `json:"statement"`
	Args         []any   `json:"args"`
	QueryTime    float64 `json:"query_time"` // seconds
	AffectedRows int64   `json:"affected_rows"`
}

func (t *trace) add(began time.Time, statement string, args []driver.NamedValue, affected int64) {
	line := traceLine{began.Format(time.RFC3339), statement, []any{}, time.Since(began).Seconds(), affected}
	for _, a := range args {
		line.Args = append(line.Args, a.Value)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lines.Encode(line)
}

type tracedDriver struct {
	sqlite3.SQLiteDriver
	trace *trace
}

func (d *tracedDriver) Open(name string) (driver.Conn, error) {
	conn, err := d.SQLiteDriver.Open(name)
	if err != nil {
		return nil, err
	}
	return &tracedConn{conn.(*sqlite3.SQLiteConn), d.trace}, nil
}

type tracedConn struct {
	*sqlite3.SQLiteConn
	trace *trace
}

func (c *tracedConn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	began := time.Now()
	result, err := c.SQLiteConn.ExecContext(ctx, query, args)
	var affected int64
	if err == nil {
		affected, _ = result.RowsAffected()
	}
	c.trace.add(began, query, args, affected)
	return result, err
}

func (c *tracedConn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	began := time.Now()
	rows, err := c.SQLiteConn.QueryContext(ctx, query, args)
	if err != nil {
		c.trace.add(began, query, args, 0)
		return nil, err
	}
	return &tracedRows{Rows: rows, done: func() { c.trace.add(began, query, args, 0) }}, nil
}

// tracedRows counts a query as long as its rows are read: SQLite finds them one
// by one.
type tracedRows struct {
	driver.Rows
	done func()
}

func (r *tracedRows) Close() error {
	err := r.Rows.Close()
	if r.done != nil {
		r.done()
		r.done = nil
	}
	return err
}
