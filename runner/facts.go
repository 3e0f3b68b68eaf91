package runner

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"hotseat/measure"
	"hotseat/service/mariadb"
	"hotseat/service/nginx"
	"hotseat/stack"
)

// serverCounts are counters of the servers at one moment. A nil one is not there.
type serverCounts struct {
	nginx            *nginx.Status
	mariadb          map[string]int64
	redis, memcached map[string]string
}

// counts asks every server that there is. One that does not answer is noted.
func (s *site) counts(ctx context.Context, note func(string, ...any)) serverCounts {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	var c serverCounts
	w := s.workspace
	if w.Problem.Services["nginx"] != nil {
		if socket, err := stack.SocketPath(w.RunDir(), "nginx-status.sock"); err == nil {
			if status, err := nginx.ReadStatus(ctx, socket); err == nil {
				c.nginx = &status
			} else {
				note("%v", err)
			}
		}
	}
	if s.socket != "" {
		all := map[string]int64{}
		err := s.query(ctx, "SHOW GLOBAL STATUS", func(row []string) error {
			if n, err := strconv.ParseInt(row[1], 10, 64); err == nil {
				all[row[0]] = n
			}
			return nil
		})
		if err == nil {
			c.mariadb = all
		} else {
			note("MariaDB's status: %v", err)
		}
	}
	if w.Config.Redis != nil {
		if text, err := talk(ctx, s.address("redis"), "INFO all\r\n", redisEnd); err == nil {
			c.redis = fieldsOf(text, ":")
		} else {
			note("Redis's status: %v", err)
		}
	}
	if w.Config.Memcached != nil {
		if text, err := talk(ctx, s.address("memcached"), "stats\r\n", func(line string) bool { return line == "END" }); err == nil {
			c.memcached = fieldsOf(strings.ReplaceAll(text, "STAT ", ""), " ")
		} else {
			note("memcached's status: %v", err)
		}
	}
	return c
}

// query runs a statement as the administrator.
func (s *site) query(ctx context.Context, statement string, f func([]string) error) error {
	conn, err := mariadb.Conn{Socket: s.socket, User: adminUser}.Open("")
	if err != nil {
		return err
	}
	defer func() { _ = conn.Close() }()
	return eachRow(ctx, conn, statement, f)
}

// redisEnd recognises the last line of INFO: its last section is the keyspace
// and each answer ends with an empty line.
func redisEnd(line string) bool {
	return strings.HasPrefix(line, "# Keyspace") || strings.HasPrefix(line, "-")
}

// talk sends one command over TCP and returns the lines up to the last one.
func talk(ctx context.Context, address, command string, last func(string) bool) (string, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // without one it lasts as long as the server does
	}
	if _, err := fmt.Fprint(conn, command); err != nil {
		return "", err
	}
	var text strings.Builder
	scanner := bufio.NewScanner(conn)
	for scanner.Scan() {
		line := strings.TrimRight(scanner.Text(), "\r")
		text.WriteString(line + "\n")
		if last(line) {
			return text.String(), nil
		}
	}
	return text.String(), cmp.Or(scanner.Err(), fmt.Errorf("%s hung up", address))
}

// fieldsOf reads lines of a name and a value.
func fieldsOf(text, between string) map[string]string {
	all := map[string]string{}
	for line := range strings.SplitSeq(text, "\n") {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), between); ok && name != "" && !strings.HasPrefix(name, "#") {
			all[name] = value
		}
	}
	return all
}

// describe writes into the picture what the servers are and what they did.
func (s *site) describe(ctx context.Context, p *measure.Picture, before, after serverCounts, note func(string, ...any)) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if n := s.workspace.Problem.Services["nginx"]; n != nil {
		p.Nginx = s.describeNginx(n.Config, before.nginx, after.nginx, note)
	}
	if after.mariadb != nil {
		p.MariaDB = s.describeMariaDB(ctx, before.mariadb, after.mariadb, note)
	}
	if after.redis != nil {
		p.Redis = keyValue(before.redis, after.redis)
		if text, err := talk(ctx, s.address("redis"), "CONFIG GET appendonly\r\n", lineNumber(5)); err == nil {
			p.Redis.Settings["appendonly"] = lastWord(text)
		}
		if text, err := talk(ctx, s.address("redis"), "CONFIG GET save\r\n", lineNumber(5)); err == nil {
			p.Redis.Settings["save"] = lastWord(text)
		}
	}
	if after.memcached != nil {
		p.Memcached = keyValue(before.memcached, after.memcached)
	}
}

func lineNumber(n int) func(string) bool {
	return func(string) bool { n--; return n == 0 }
}

func lastWord(text string) string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[len(lines)-1]
}

// keyValue tells counters, which grew, from what else there is.
func keyValue(before, after map[string]string) *measure.KeyValue {
	kv := &measure.KeyValue{Settings: map[string]string{}, Counters: map[string]int64{}, Gauges: map[string]int64{}}
	for name, value := range after {
		now, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			kv.Settings[name] = value
			continue
		}
		kv.Gauges[name] = now
		if was, err := strconv.ParseInt(before[name], 10, 64); err == nil && now >= was {
			kv.Counters[name] = now - was
		}
	}
	return kv
}

func (s *site) describeNginx(config string, before, after *nginx.Status, note func(string, ...any)) *measure.Nginx {
	folder := s.effective(path.Dir(config))
	found, err := nginx.Inspect(os.DirFS(folder), path.Base(config), folder)
	if err != nil {
		note("%v", err)
		return nil
	}
	n := &measure.Nginx{Workers: found.Workers, WorkerConnections: found.WorkerConnections, Config: found.Directives, Upstreams: []measure.Upstream{}}
	for _, u := range found.Upstreams {
		n.Upstreams = append(n.Upstreams, measure.Upstream(u))
	}
	if before != nil && after != nil && after.Requests >= before.Requests {
		n.Accepts, n.Handled, n.Requests = after.Accepts-before.Accepts, after.Handled-before.Handled, after.Requests-before.Requests
	}
	return n
}

func (s *site) describeMariaDB(ctx context.Context, before, after map[string]int64, note func(string, ...any)) *measure.MariaDB {
	m := &measure.MariaDB{Variables: map[string]string{}, Status: map[string]int64{}, Gauges: after}
	for name, now := range after {
		was, known := before[name]
		switch {
		case !known:
		case now >= was:
			m.Status[name] = now - was
		default:
			m.Status[name] = now // it started anew
		}
	}
	err := s.query(ctx, "SHOW GLOBAL VARIABLES", func(row []string) error {
		m.Variables[row[0]] = row[1]
		return nil
	})
	m.Version = m.Variables["version"]
	if err == nil {
		err = s.query(ctx, `SELECT COALESCE(SUM(data_length + index_length), 0) FROM information_schema.tables
			WHERE `+notOurs("table_schema"), func(row []string) error {
			n, err := strconv.ParseFloat(row[0], 64)
			m.DataBytes = int64(n)
			return err
		})
	}
	if err == nil {
		m.Tables, err = s.tables(ctx)
	}
	if err == nil {
		m.Indexes, err = s.indexes(ctx)
	}
	if err != nil {
		note("MariaDB's settings: %v", err)
	}
	return m
}

// notOurs leaves the server's own schemas away.
func notOurs(column string) string {
	return column + " NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"
}

func (s *site) tables(ctx context.Context) ([]measure.Table, error) {
	var all []measure.Table
	err := s.query(ctx, `SELECT t.table_schema, t.table_name, COALESCE(t.engine, ''), COALESCE(t.table_rows, 0), COALESCE(t.data_length, 0), c.column_name, c.column_type
		FROM information_schema.tables t JOIN information_schema.columns c USING (table_schema, table_name)
		WHERE t.table_type = 'BASE TABLE' AND `+notOurs("t.table_schema")+`
		ORDER BY t.table_schema, t.table_name, c.ordinal_position`, func(row []string) error {
		column := measure.Column{Name: row[5], Type: row[6]}
		if n := len(all); n > 0 && all[n-1].Schema == row[0] && all[n-1].Name == row[1] {
			all[n-1].Columns = append(all[n-1].Columns, column)
			return nil
		}
		rows, err1 := strconv.ParseInt(row[3], 10, 64)
		size, err2 := strconv.ParseInt(row[4], 10, 64)
		all = append(all, measure.Table{Schema: row[0], Name: row[1], Engine: row[2], Rows: rows, DataBytes: size, Columns: []measure.Column{column}})
		return cmp.Or(err1, err2)
	})
	return all, err
}

func (s *site) indexes(ctx context.Context) ([]measure.Index, error) {
	var all []measure.Index
	err := s.query(ctx, `SELECT i.table_schema, i.table_name, i.index_name, GROUP_CONCAT(i.column_name ORDER BY i.seq_in_index), COALESCE(MAX(t.table_rows), 0)
		FROM information_schema.statistics i JOIN information_schema.tables t USING (table_schema, table_name)
		WHERE `+notOurs("i.table_schema")+`
		GROUP BY i.table_schema, i.table_name, i.index_name`, func(row []string) error {
		rows, err := strconv.ParseInt(row[4], 10, 64)
		all = append(all, measure.Index{Schema: row[0], Table: row[1], Name: row[2], Columns: strings.Split(row[3], ","), Rows: rows})
		return err
	})
	return all, err
}

// logGrowth is how much the stack's logs grew since it was brought up to date.
func (s *Stack) logGrowth() map[string]int64 {
	grown := map[string]int64{}
	for _, file := range logFiles(s.workspace) {
		if info, err := os.Stat(file); err == nil {
			grown[strings.TrimSuffix(filepath.Base(file), ".log")] = info.Size() - s.logSizes[file]
		}
	}
	return grown
}

// What varies in nginx's error messages: numbers, addresses, and the request
// that is quoted behind the message.
var (
	errorHead    = regexp.MustCompile(`^\S+ \S+ \[(\w+)\] \d+#\d+: (?:\*\d+ )?`)
	errorContext = regexp.MustCompile(`, (?:client|server|request|upstream|host|subrequest|referrer): .*$`)
	errorNumber  = regexp.MustCompile(`\d+`)
)

// maxErrorKinds is how many kinds of error lines a picture holds.
const maxErrorKinds = 20

// nginxErrors sums up what nginx's error logs got during the run.
func (s *Stack) nginxErrors() []measure.ErrorKind {
	kinds := map[string]*measure.ErrorKind{}
	for _, file := range logFiles(s.workspace) {
		f, err := os.Open(file)
		if err != nil {
			continue
		}
		_, err = f.Seek(s.logSizes[file], 0)
		scanner := bufio.NewScanner(f)
		scanner.Buffer(nil, 1<<20)
		for err == nil && scanner.Scan() {
			addErrorLine(kinds, scanner.Text())
		}
		_ = f.Close() // opened for reading
	}
	all := []measure.ErrorKind{}
	for _, k := range kinds {
		all = append(all, *k)
	}
	slices.SortFunc(all, func(a, b measure.ErrorKind) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Text, b.Text))
	})
	return all[:min(len(all), maxErrorKinds)]
}

// addErrorLine takes a line if it is one of nginx's error log.
func addErrorLine(kinds map[string]*measure.ErrorKind, line string) {
	head := errorHead.FindStringSubmatch(line)
	if head == nil || head[1] == "notice" || head[1] == "info" || head[1] == "debug" {
		return
	}
	text := errorContext.ReplaceAllString(line[len(head[0]):], "")
	// The number of a system's error stays: "(24: Too many open files)".
	text = errorNumber.ReplaceAllStringFunc(text, func(n string) string {
		if len(n) <= 3 && strings.Contains(text, "("+n+": ") {
			return n
		}
		return "N"
	})
	if kinds[text] == nil {
		kinds[text] = &measure.ErrorKind{Text: text, Example: line}
	}
	kinds[text].Count++
}
