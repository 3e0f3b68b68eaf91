package runner

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"hotseat/service"
	"hotseat/service/mariadb"
	"hotseat/stack"
)

// slowLogRate is how much the slow log may grow, in bytes a second, before it is
// switched on and off in turns: about two thousand statements, some two percent
// of a core.
const slowLogRate = 1 << 20

// slowSettings make MariaDB log every statement with its plan. They are copied
// into each connection when that is opened, so they must hold before the app
// connects; log_output alone is looked at for each statement, and is the gate.
var slowSettings = []struct{ name, value string }{
	{"long_query_time", "0"}, {"min_examined_row_limit", "0"}, {"log_slow_rate_limit", "1"},
	{"log_slow_verbosity", "query_plan,explain"}, {"log_slow_filter", ""}, {"log_queries_not_using_indexes", "OFF"},
	{"log_slow_disabled_statements", ""}, {"slow_query_log", "ON"},
}

// startSlowLog has the guardian switch the slow log on, and off again when we
// end, however that happens.
func (m *measuring) startSlowLog(ctx context.Context) {
	gate, err := newSlowGate(m.stack)
	if err == nil {
		err = m.hold(ctx, gate)
	}
	if err != nil {
		m.note("slow log: %v", err)
		return
	}
	m.slow = gate
	// Connections that were there before log by the rules that they were
	// opened with: whoever holds them starts anew.
	if gate.clients(ctx) > 0 {
		if err := m.stack.client.Restart(ctx, m.stack.site.appNames()...); err != nil {
			m.note("slow log: connections from before the run are not in it: %v", err)
		}
	}
}

func (m *measuring) hold(ctx context.Context, gate *slowGate) error {
	client, err := service.Find(ctx, "mariadb")
	if err != nil {
		return err
	}
	_ = os.Remove(m.stack.site.slowLog()) // MariaDB makes it, as the user it runs as
	var do, undo []string
	set := func(name, value, before string) {
		do = append(do, fmt.Sprintf("GLOBAL %s = %s", name, settingSQL(value)))
		undo = append(undo, fmt.Sprintf("GLOBAL %s = %s", name, settingSQL(before)))
	}
	now, err := gate.settings(ctx)
	if err != nil {
		return err
	}
	set("log_output", "NONE", now["log_output"])
	for _, s := range slowSettings {
		before, known := now[s.name]
		if known {
			set(s.name, s.value, before)
		}
	}
	set("slow_query_log_file", m.stack.site.slowLog(), now["slow_query_log_file"])
	slices.Reverse(undo)
	argv := func(settings []string) []string {
		return []string{client.Path, "--no-defaults", "--socket=" + gate.socket, "--user=" + adminUser, "-e", "SET " + strings.Join(settings, ", ")}
	}
	m.held, err = m.stack.client.Hold(ctx, stack.Hold{Do: stack.Command{Argv: argv(do)}, Undo: stack.Command{Argv: argv(undo)}})
	return err
}

// settingSQL writes a value of a system variable: a number bare, words quoted.
func settingSQL(value string) string {
	if value != "" && strings.Trim(value, "0123456789.") == "" {
		return value
	}
	return quoteSQL(value)
}

// slowGate lets the slow log through during the load, in turns if it is much.
type slowGate struct {
	conn   *sql.DB
	socket string
	file   string

	mu      sync.Mutex
	cancel  context.CancelFunc
	running sync.WaitGroup
	onTime  time.Duration
	total   time.Duration
}

func newSlowGate(s *Stack) (*slowGate, error) {
	conn, err := mariadb.Conn{Socket: s.database.socket, User: adminUser}.Open("")
	if err != nil {
		return nil, err
	}
	conn.SetMaxOpenConns(1)
	return &slowGate{conn: conn, socket: s.database.socket, file: s.site.slowLog()}, nil
}

// settings reads what the gate is about to change.
func (g *slowGate) settings(ctx context.Context) (map[string]string, error) {
	now := map[string]string{}
	err := eachRow(ctx, g.conn, "SHOW GLOBAL VARIABLES WHERE Variable_name LIKE '%log%' OR Variable_name IN ('long_query_time', 'min_examined_row_limit')",
		func(row []string) error {
			now[row[0]] = row[1]
			return nil
		})
	return now, err
}

// clients counts the connections that are neither ours nor the server's own.
func (g *slowGate) clients(ctx context.Context) int {
	n := 0
	err := eachRow(ctx, g.conn, "SELECT COUNT(*) FROM information_schema.processlist WHERE user NOT IN ('"+adminUser+"', 'system user', 'event_scheduler')",
		func(row []string) error {
			_, err := fmt.Sscan(row[0], &n)
			return err
		})
	if err != nil {
		return 0
	}
	return n
}

// open lets statements through from now on.
func (g *slowGate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cancel != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	g.cancel = cancel
	g.running.Go(func() { g.run(ctx) })
}

// run keeps the gate open, or, while the log grows too fast, for one second in
// as many as it takes to keep to the rate.
func (g *slowGate) run(ctx context.Context) {
	began := time.Now()
	defer func() { g.total += time.Since(began) }()
	wait := func(d time.Duration) bool {
		select {
		case <-ctx.Done():
			return false
		case <-time.After(d):
			return true
		}
	}
	size := g.size()
	for going := true; going; {
		if g.set("FILE") != nil {
			return // the server is gone: the run ends for that reason
		}
		opened := time.Now()
		going = wait(time.Second)
		open := time.Since(opened)
		g.onTime += open
		grown := g.size() - size
		size += grown
		rate := float64(grown) / open.Seconds()
		if going && rate > slowLogRate {
			if g.set("NONE") != nil {
				return
			}
			g.onTime += time.Since(opened) - open
			going = wait(time.Duration((rate/slowLogRate - 1) * float64(time.Second)))
			size = g.size()
		}
	}
	_ = g.set("NONE") // undone with the rest if this fails
}

func (g *slowGate) set(output string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	_, err := g.conn.ExecContext(ctx, "SET GLOBAL log_output = '"+output+"'")
	return err
}

func (g *slowGate) size() int64 {
	info, err := os.Stat(g.file)
	if err != nil {
		return 0
	}
	return info.Size()
}

// shut lets nothing through from now on.
func (g *slowGate) shut() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.cancel != nil {
		g.cancel()
		g.running.Wait()
		g.cancel = nil
	}
}

// stop ends the gate and returns the share of the load that it was open for.
func (g *slowGate) stop() float64 {
	g.shut()
	_ = g.conn.Close() // nothing was left to write
	if g.total <= 0 {
		return 1
	}
	return min(float64(g.onTime)/float64(g.total), 1)
}
