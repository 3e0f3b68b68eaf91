package runner

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"hotseat"
	"hotseat/problem"
	"hotseat/service/mariadb"
)

// Reboot is what the reboot drill found: whether a stack that was stopped comes
// back from its files alone with everything it had. Contests restart the servers
// before the final run; what was only ever set by hand is gone by then.
type Reboot struct {
	DownS float64 `json:"down_s"` // how long stopping took, in seconds
	UpS   float64 `json:"up_s"`   // how long starting took

	Settings int    `json:"settings"` // server variables compared
	Tables   int    `json:"tables"`   // tables compared, row by row
	Lost     []Loss `json:"lost"`     // empty: everything survived
}

// Loss is one thing that a restart did not bring back.
type Loss struct {
	Kind   string `json:"kind"` // setting, table or answer
	Name   string `json:"name"`
	Before string `json:"before"`
	After  string `json:"after"`
	Remedy string `json:"remedy"`
}

// state is what a stack must keep.
type state struct {
	variables map[string]string
	bySQL     map[string]bool   // variables that were set while the server ran
	tables    map[string]string // checksum of the rows, by database.table
	answer    string
}

// Reboot stops the workspace's stack, starts it from its files, and compares. A
// stack that was not up is started first, so that there is something to lose.
func (r *Runner) Reboot(ctx context.Context, w *problem.Workspace) (*Reboot, error) {
	if !r.IsUp(ctx, w) {
		if _, err := r.Up(ctx, w); err != nil {
			return nil, err
		}
	}
	s, err := siteOf(w)
	if err != nil {
		return nil, err
	}
	before, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	found := &Reboot{Settings: len(before.variables), Tables: len(before.tables), Lost: []Loss{}}
	began := time.Now()
	if err := r.Down(ctx, w); err != nil {
		return nil, err
	}
	found.DownS = time.Since(began).Seconds()
	began = time.Now()
	if _, err := r.Up(ctx, w); err != nil {
		return nil, hotseat.Invalid("it ran before: something it needs is in no file of the workspace", "the stack does not start from its files: %w", err)
	}
	found.UpS = time.Since(began).Seconds()
	after, err := s.state(ctx)
	if err != nil {
		return nil, err
	}
	found.Lost = append(found.Lost, losses(before, after, w.Problem.Services["mariadb"])...)
	return found, nil
}

// losses compares what there was with what came back.
func losses(before, after *state, spec *problem.Service) []Loss {
	var lost []Loss
	for _, name := range slices.Sorted(maps.Keys(before.variables)) {
		was, is := before.variables[name], after.variables[name]
		if was == is {
			continue
		}
		remedy := "the server's configuration changed since it was started; nothing to do if that was meant"
		if before.bySQL[name] {
			remedy = fmt.Sprintf("write %s = %s under [mysqld] in %s", name, was, spec.Config)
		}
		lost = append(lost, Loss{Kind: "setting", Name: name, Before: was, After: is, Remedy: remedy})
	}
	for _, name := range slices.Sorted(maps.Keys(before.tables)) {
		if was, is := before.tables[name], after.tables[name]; was != is {
			if is == "" {
				is = "gone"
			}
			lost = append(lost, Loss{Kind: "table", Name: name, Before: was, After: is,
				Remedy: "rows were lost: is its engine one that keeps them (InnoDB), and innodb_flush_log_at_trx_commit or sync settings not too daring?"})
		}
	}
	if before.answer != after.answer {
		lost = append(lost, Loss{Kind: "answer", Name: "GET /", Before: before.answer, After: after.answer,
			Remedy: "hotseat logs app nginx: what did the app have in memory only?"})
	}
	return lost
}

// state reads what a stack must keep.
func (s *site) state(ctx context.Context) (*state, error) {
	st := &state{variables: map[string]string{}, bySQL: map[string]bool{}, tables: map[string]string{}}
	if s.socket != "" {
		if err := s.databaseState(ctx, st); err != nil {
			return nil, fmt.Errorf("look at the database: %w", err)
		}
	}
	st.answer = s.answer(ctx)
	return st, nil
}

// restless are variables that differ from one start to the next by themselves.
var restless = []string{"gtid_binlog_pos", "gtid_binlog_state", "gtid_current_pos", "gtid_slave_pos", "hostname", "timestamp",
	"innodb_buffer_pool_load_now", "innodb_buffer_pool_dump_now", "pid_file", "server_uid", "last_insert_id", "pseudo_thread_id", "in_transaction"}

func (s *site) databaseState(ctx context.Context, st *state) error {
	conn, err := mariadb.Conn{Socket: s.socket, User: adminUser}.Open("")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	err = eachRow(ctx, conn, `SELECT LOWER(variable_name), COALESCE(global_value, ''), COALESCE(global_value_origin, '')
		FROM information_schema.system_variables WHERE global_value IS NOT NULL`, func(row []string) error {
		if !slices.Contains(restless, row[0]) {
			st.variables[row[0]], st.bySQL[row[0]] = row[1], row[2] == "SQL"
		}
		return nil
	})
	if err != nil {
		return err
	}
	var tables []string
	err = eachRow(ctx, conn, `SELECT table_schema, table_name FROM information_schema.tables
		WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')`, func(row []string) error {
		tables = append(tables, quoteName(row[0])+"."+quoteName(row[1]))
		return nil
	})
	if err != nil || len(tables) == 0 {
		return err
	}
	for _, t := range tables {
		err := eachRow(ctx, conn, "CHECKSUM TABLE "+t+" EXTENDED", func(row []string) error {
			st.tables[row[0]] = row[1]
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// eachRow calls f with the columns of each row.
func eachRow(ctx context.Context, conn *sql.DB, query string, f func([]string) error) error {
	rows, err := conn.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	names, err := rows.Columns()
	if err != nil {
		return err
	}
	for rows.Next() {
		row := make([]sql.NullString, len(names))
		to := make([]any, len(names))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			return err
		}
		values := make([]string, len(names))
		for i := range row {
			values[i] = row[i].String
		}
		if err := f(values); err != nil {
			return err
		}
	}
	return rows.Err()
}

// quoteName writes an identifier of SQL.
func quoteName(s string) string {
	out := []rune{'`'}
	for _, r := range s {
		if r == '`' {
			out = append(out, '`')
		}
		out = append(out, r)
	}
	return string(append(out, '`'))
}

// answer is the status of the front page, or why there is none.
func (s *site) answer(ctx context.Context) string {
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, s.url()+"/", nil)
	if err != nil {
		return err.Error()
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		return "no answer: " + err.Error()
	}
	_ = resp.Body.Close()
	return resp.Status
}
