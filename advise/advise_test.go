package advise

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"hotseat"
	"hotseat/measure"
)

// healthy is a run about which there is nothing to say: a library's site, tuned.
func healthy() Input {
	result := &hotseat.Result{
		Phases:    []hotseat.Phase{{Name: "load", ElapsedS: 60, OK: true}},
		Host:      hotseat.Host{CPUs: 2, MemoryBytes: 8 << 30},
		Generator: hotseat.Generator{Requests: 60_000},
		Processes: []hotseat.ProcessUse{{Name: "app", CPUS: 24}, {Name: "mariadb", CPUS: 18}, {Name: "nginx", CPUS: 9, CtxSwitches: 60_000}, {Name: "benchmark", CPUS: 9}},
	}
	slow := &hotseat.SlowDigest{Entries: 60_000, Total: hotseat.QueryClass{QueryTime: hotseat.Spread{Sum: 12}}, Classes: []hotseat.QueryClass{{
		ID: "A", ShortID: "a", Fingerprint: "select * from loans where id = ?", Verb: "SELECT", Count: 12_000, Share: 0.09, LongestRun: 2,
		QueryTime: hotseat.Spread{Mean: 0.0002, Sum: 2.4}, RowsExamined: hotseat.Sizes{Mean: 1, Sum: 12_000}, RowsSent: hotseat.Sizes{Mean: 1, Sum: 12_000}, ExaminedPerSent: 1,
		BytesSent: hotseat.Sizes{Mean: 200, Sum: 2_400_000}, Plans: hotseat.PlanCounts{Known: 12_000},
		Example: &hotseat.QueryExample{SQL: "SELECT * FROM loans WHERE id = 7", Explain: []hotseat.ExplainRow{{Table: "loans", Type: "const", Key: "PRIMARY", Rows: "1"}}},
	}}}
	routes := []hotseat.AccessRoute{
		{Method: "GET", Template: "/books/*", Count: 50_000, Share: 0.1, RequestTime: hotseat.Spread{Count: 50_000, Sum: 10}, UpstreamTime: hotseat.Spread{Count: 50_000, Sum: 9}, Status: hotseat.StatusClasses{Success: 50_000}},
		{Method: "GET", Template: "/style.css", Count: 10_000, Share: 0.01, RequestTime: hotseat.Spread{Count: 10_000, Sum: 1}, Bytes: hotseat.Sizes{Sum: 1 << 20}},
	}
	access := &hotseat.AccessDigest{Requests: 60_000, Routes: routes, Total: hotseat.AccessRoute{Count: 60_000, Status: hotseat.StatusClasses{Success: 60_000},
		RequestTime: hotseat.Spread{Count: 60_000, Sum: 100}, UpstreamTime: hotseat.Spread{Count: 50_000, Sum: 90}, Bytes: hotseat.Sizes{Sum: 100 << 20}}}
	db := library()
	db.Variables = map[string]string{"innodb_flush_log_at_trx_commit": "2", "log_bin": "OFF", "innodb_buffer_pool_size": "1073741824", "max_connections": "151", "query_cache_type": "OFF"}
	db.Status = map[string]int64{"Questions": 60_000, "Connections": 5, "Com_stmt_prepare": 10, "Com_stmt_execute": 60_000, "Innodb_buffer_pool_read_requests": 1_000_000, "Innodb_buffer_pool_reads": 10}
	db.Gauges = map[string]int64{"Max_used_connections": 20}
	db.DataBytes = 100 << 20
	return Input{
		Result:  result,
		Summary: &measure.Summary{Host: measure.HostSummary{BusyPct: 50, MemAvailableMinBytes: 4 << 30}},
		Picture: &measure.Picture{
			WindowS: 62, SlowShare: 1, Access: access, Slow: slow, MariaDB: db,
			Network: &measure.Network{PortRange: 28_232, TupleMax: 100, TimeWaitMax: 50, ActiveOpens: 500},
			Nginx: &measure.Nginx{Workers: 2, WorkerConnections: 1024, Accepts: 100, Handled: 100, Requests: 60_000, ActiveMax: 40, Config: map[string][]string{},
				Upstreams: []measure.Upstream{{Name: "app", Servers: []string{"127.0.0.1:8080"}, KeepAlive: 64, HTTP11: true}}},
			Redis:     &measure.KeyValue{Settings: map[string]string{"appendonly": "yes"}, Counters: map[string]int64{"total_commands_processed": 60_000}, Gauges: map[string]int64{}},
			Memcached: &measure.KeyValue{Counters: map[string]int64{"get_hits": 9000, "get_misses": 100}},
			Kernel:    map[string]string{"net.ipv4.tcp_max_tw_buckets": "65536", "net.core.somaxconn": "4096"},
			Processes: map[string]*measure.Process{
				"app": {PIDs: 1, Threads: 9, FDsMax: 50, FDsLimit: 65536, HotThread: 0.4, RunDelayS: 1, ReadBytes: 200 << 20}, "nginx": {PIDs: 3, FDsMax: 100, FDsLimit: 65536, HotThread: 0.2}, "mariadb": {PIDs: 1, FDsMax: 60, FDsLimit: 32000, HotThread: 0.3}},
			Peaks:    []measure.Connections{{From: "app", To: "mariadb", Port: 3306, Max: 20, Plateau: 0.1}},
			LogBytes: map[string]int64{"app": 1000},
		},
	}
}

// query adds a class of statements to a run.
func query(in *Input, c hotseat.QueryClass) *hotseat.QueryClass {
	c.ShortID = "q"
	if c.Count == 0 {
		c.Count = 10_000
	}
	if c.Verb == "" {
		c.Verb, _, _ = strings.Cut(strings.ToUpper(c.Fingerprint), " ")
	}
	if c.QueryTime.Sum == 0 {
		c.QueryTime.Sum = c.QueryTime.Mean * float64(c.Count)
	}
	in.Picture.Slow.Classes = append(in.Picture.Slow.Classes, c)
	return &in.Picture.Slow.Classes[len(in.Picture.Slow.Classes)-1]
}

// troubles make a healthy run ill, each in one way that one detector is for.
var troubles = []struct {
	finding string // its id
	says    string // in title, evidence or remedy
	make    func(*Input)
}{
	{"missing-index/loans", "CREATE INDEX idx_loans_reader_at ON loans (reader, at);", func(in *Input) {
		query(in, hotseat.QueryClass{Fingerprint: "select at from loans where reader = ? and at > ?", Share: 0.6, QueryTime: hotseat.Spread{Mean: 0.05}, ExaminedPerSent: 50_000,
			RowsExamined: hotseat.Sizes{Mean: 100_000}, RowsSent: hotseat.Sizes{Mean: 2}, Plans: hotseat.PlanCounts{Known: 10_000, FullScan: 10_000},
			Example: &hotseat.QueryExample{SQL: "SELECT at FROM loans WHERE reader = 5 AND at > '2026-01-01'", Explain: []hotseat.ExplainRow{{Table: "loans", Type: "ALL", Rows: "100000", RRows: "100000.00"}}}})
	}},
	{"sort-for-few/q", "ALTER TABLE books ADD COLUMN last_at", func(in *Input) {
		query(in, hotseat.QueryClass{Fingerprint: "select b.id, b.title from loans l join books b on b.id = l.book group by b.id order by max(l.at) desc limit ?", Share: 0.8, QueryTime: hotseat.Spread{Mean: 0.1},
			RowsExamined: hotseat.Sizes{Mean: 172_853}, RowsSent: hotseat.Sizes{Mean: 10}, ExaminedPerSent: 17_285, Plans: hotseat.PlanCounts{Known: 100, Filesort: 100, TmpTable: 100, FullScan: 100}})
	}},
	{"sort-for-few/q", "ALTER TABLE books ADD COLUMN last_at", func(in *Input) { // loans come through a join buffer, which MariaDB does not count
		query(in, hotseat.QueryClass{Fingerprint: "select b.id, b.title from loans l join books b on b.id = l.book group by b.id order by max(l.at) desc limit ?", Share: 0.7, QueryTime: hotseat.Spread{Mean: 0.5},
			RowsExamined: hotseat.Sizes{Mean: 410}, RowsSent: hotseat.Sizes{Mean: 10}, ExaminedPerSent: 41, Plans: hotseat.PlanCounts{Known: 78, Filesort: 78, TmpTable: 78, FullScan: 78},
			Example: &hotseat.QueryExample{Explain: []hotseat.ExplainRow{
				{Table: "b", Type: "ALL", Rows: "2", RRows: "200.00", Extra: "Using temporary; Using filesort"},
				{Table: "l", Type: "ALL", Rows: "5000", RRows: "20000.00", Extra: "Using where; Using join buffer (flat, BNL join)"},
			}, SQL: "SELECT b.id, b.title FROM loans l JOIN books b ON b.id = l.book GROUP BY b.id ORDER BY MAX(l.at) DESC LIMIT 10"}})
	}},
	{"sort-for-few/q", "CREATE INDEX idx_books_at ON books (at);", func(in *Input) {
		query(in, hotseat.QueryClass{Fingerprint: "select id from books order by at desc limit ?", Share: 0.5, QueryTime: hotseat.Spread{Mean: 0.02},
			RowsExamined: hotseat.Sizes{Mean: 50_010}, RowsSent: hotseat.Sizes{Mean: 10}, ExaminedPerSent: 5001, Plans: hotseat.PlanCounts{Known: 100, Filesort: 100, FullScan: 100}})
	}},
	{"query-loop/q", "WHERE … IN", func(in *Input) {
		query(in, hotseat.QueryClass{ID: "Q", Fingerprint: "select name from readers where id = ?", Share: 0.3, Count: 500_000, QueryTime: hotseat.Spread{Mean: 0.0001}, LongestRun: 40, InRuns: 400_000, RowsExamined: hotseat.Sizes{Mean: 1}, RowsSent: hotseat.Sizes{Mean: 1}})
		in.Picture.Join = &hotseat.JoinDigest{Method: hotseat.JoinExact, Edges: []hotseat.JoinEdge{{HTTPMethod: "GET", Template: "/list", QueryID: "Q", PerRequest: 40, Statements: 500_000}}}
	}},
	{"write-loop/q", "INSERT … VALUES", func(in *Input) {
		query(in, hotseat.QueryClass{Fingerprint: "insert into loans values(?+)", Share: 0.3, Count: 100_000, QueryTime: hotseat.Spread{Mean: 0.0002}, LongestRun: 300, InRuns: 95_000})
	}},
	{"chatty-query/q", "in the app's memory", func(in *Input) {
		in.Result.Processes[1].CPUS = 60
		query(in, hotseat.QueryClass{Fingerprint: "select * from readers where id = ?", Share: 0.4, Count: 120_000, QueryTime: hotseat.Spread{Mean: 0.0001}, LongestRun: 2, RowsExamined: hotseat.Sizes{Mean: 1}, RowsSent: hotseat.Sizes{Mean: 1}})
	}},
	{"prepare-chatter", "interpolateParams=true", func(in *Input) { in.Picture.MariaDB.Status["Com_stmt_prepare"] = 59_000 }},
	{"commit-fsync", "innodb_flush_log_at_trx_commit = 2", func(in *Input) {
		in.Picture.MariaDB.Variables["innodb_flush_log_at_trx_commit"] = "1"
		in.Picture.MariaDB.Status["Innodb_data_fsyncs"] = 30_000
		query(in, hotseat.QueryClass{Fingerprint: "update loans set returned = ? where id = ?", Share: 0.4, QueryTime: hotseat.Spread{Mean: 0.004}})
	}},
	{"buffer-pool", "innodb_buffer_pool_size = ", func(in *Input) {
		in.Picture.MariaDB.Variables["innodb_buffer_pool_size"] = "134217728"
		in.Picture.MariaDB.DataBytes = 2 << 30
		in.Picture.MariaDB.Status["Innodb_buffer_pool_reads"] = 50_000
	}},
	{"lock-wait/q", "SELECT … FOR UPDATE", func(in *Input) {
		query(in, hotseat.QueryClass{Fingerprint: "lock tables loans write", Verb: "LOCK", Share: 0.3, QueryTime: hotseat.Spread{Mean: 0.01}, LockTime: hotseat.Spread{Sum: 20}, LockShare: 0.9})
	}},
	{"query-cache", "query_cache_type = OFF", func(in *Input) {
		in.Picture.MariaDB.Variables["query_cache_type"] = "ON"
		in.Picture.MariaDB.Status["Qcache_inserts"], in.Picture.MariaDB.Status["Qcache_hits"] = 40_000, 100
	}},
	{"fat-rows/q", "let nginx serve them", func(in *Input) {
		query(in, hotseat.QueryClass{Fingerprint: "select cover from books where id = ?", Share: 0.3, Count: 5000, QueryTime: hotseat.Spread{Mean: 0.001}, RowsExamined: hotseat.Sizes{Mean: 1}, RowsSent: hotseat.Sizes{Mean: 1}, BytesSent: hotseat.Sizes{Mean: 300_000, Sum: 1_500_000_000}})
	}},
	{"pool-too-small", "max_connections is 1,000", func(in *Input) {
		in.Picture.Peaks[0].Max, in.Picture.Peaks[0].Plateau = 150, 0.97
		in.Picture.Access.Total.UpstreamTime.Sum, in.Picture.Access.Total.RequestTime.Sum = 13_000, 13_000 // 220 at once for a minute
		in.Picture.MariaDB.Variables["max_connections"] = "1000"
	}},
	{"pools-exceed-server", "12 refused", func(in *Input) {
		in.Picture.MariaDB.Gauges["Max_used_connections"] = 152
		in.Picture.MariaDB.Status["Connection_errors_max_connections"] = 12
	}},
	{"connection-churn", "SetMaxIdleConns", func(in *Input) { in.Picture.MariaDB.Status["Connections"] = 20_000 }},
	{"ports", "keepalive 64;", func(in *Input) {
		in.Picture.Network.TupleMax, in.Picture.Network.Tuple, in.Picture.Network.TuplePort = 27_900, "127.0.0.1 → 127.0.0.1:8080", 8080
		in.Picture.Nginx.Errors = []measure.ErrorKind{{Text: "connect() to N failed (99: Cannot assign requested address) while connecting to upstream", Count: 7}}
	}},
	{"accept-queue", "ListenOverflows +40", func(in *Input) { in.Picture.Network.ListenOverflows = 40 }},
	{"handshakes", "TCPTimeWaitOverflow +3", func(in *Input) { in.Picture.Network.TimeWaitRefused = 3 }},
	{"conntrack", "nf_conntrack_max", func(in *Input) {
		in.Picture.Kernel["net.netfilter.nf_conntrack_max"], in.Picture.Kernel["net.netfilter.nf_conntrack_count"] = "65536", "65000"
	}},
	{"file-limit/nginx", "worker_rlimit_nofile", func(in *Input) {
		in.Picture.Processes["nginx"].FDsMax, in.Picture.Processes["nginx"].FDsLimit = 1020, 1024
		in.Picture.Nginx.Errors = []measure.ErrorKind{{Text: "accept4() failed (24: Too many open files)", Count: 3}}
	}},
	{"nginx-slots", "worker_connections 3072", func(in *Input) {
		in.Picture.Nginx.WorkerConnections, in.Picture.Nginx.ActiveMax, in.Picture.Nginx.Handled = 768, 760, 90
	}},
	{"upstream-keepalive", "proxy_http_version 1.1", func(in *Input) {
		in.Picture.Nginx.Upstreams[0].KeepAlive = 0
		in.Picture.Network.ActiveOpens = 50_500
	}},
	{"upstream-retries", "sent requests again", func(in *Input) { in.Picture.Access.Total.Retries = 900 }},
	{"client-keepalive", "keepalive_timeout 65", func(in *Input) {
		in.Picture.Nginx.Accepts, in.Picture.Nginx.Handled = 60_000, 60_000
		in.Picture.Nginx.Config["keepalive_timeout"] = []string{"0"}
	}},
	{"nginx-workers", "worker_processes auto", func(in *Input) {
		in.Picture.Nginx.Workers = 8
		in.Result.Processes[2].CtxSwitches = 600_000
	}},
	{"proxy-spill", "proxy_buffers", func(in *Input) {
		in.Picture.Nginx.Errors = []measure.ErrorKind{{Text: "an upstream response is buffered to a temporary file N", Count: 40}}
	}},
	{"saturated/mariadb", "the machine was 99 % busy", func(in *Input) {
		in.Summary.Host.BusyPct = 99
		in.Result.Processes = []hotseat.ProcessUse{{Name: "mariadb", CPUS: 90}, {Name: "app", CPUS: 12}, {Name: "nginx", CPUS: 6}, {Name: "benchmark", CPUS: 9}}
	}},
	{"hot-thread/app", "app.processes", func(in *Input) {
		in.Picture.Processes["app"].HotThread = 1
		in.Result.Processes[0].CPUS = 58
		in.Summary.Host.BusyPct = 60
	}},
	{"app-workers/app", "64 processes", func(in *Input) { in.Picture.Processes["app"].PIDs, in.Picture.Processes["app"].RunDelayS = 64, 200 }},
	{"memory/host", "nearly out of memory", func(in *Input) { in.Summary.Host.MemAvailableMinBytes = 100 << 20 }},
	{"file-reads/app", "read for each request", func(in *Input) { in.Picture.Processes["app"].ReadBytes = 60_000 * (300 << 10) }},
	{"log-writer/app", "request log off", func(in *Input) { in.Picture.LogBytes["app"] = 60_000 * 400 }},
	{"server-errors", "30 × 502", func(in *Input) {
		in.Picture.Access.Total.Status.Server = 30
		in.Picture.Access.Routes[0].Status.Server, in.Picture.Access.Routes[0].Codes = 30, map[string]int64{"502": 30, "200": 49_970}
	}},
	{"server-errors", "60 clients that gave up", func(in *Input) { // the other 20 were cut at the load's end
		in.Result.Failures = append(in.Result.Failures, hotseat.FailureGroup{Class: hotseat.ClassTimeout, Code: "timeout", Count: 60})
		in.Picture.Access.Total.Status.GaveUp, in.Picture.Access.Requests = 80, 10_000
	}},
	{"hot-route/POST /loans", "2.5 times as fast", func(in *Input) {
		in.Picture.Access.Routes = append(in.Picture.Access.Routes, hotseat.AccessRoute{Method: "POST", Template: "/loans", Share: 0.6, Count: 9000, RequestTime: hotseat.Spread{Count: 9000, Sum: 60}})
	}},
	{"static-via-app", "open_file_cache", func(in *Input) {
		in.Picture.Access.Routes[1].UpstreamTime = hotseat.Spread{Count: 10_000, Sum: 5}
		in.Picture.Access.Routes[1].RequestTime.Sum = 6
	}},
	{"big-answers", "gigabit", func(in *Input) { in.Picture.Access.Total.Bytes.Sum = 60 * 120 << 20 }},
	{"redis/round-trips", "pipelines", func(in *Input) { in.Picture.Redis.Counters["total_commands_processed"] = 900_000 }},
	{"redis/evicted", "maxmemory", func(in *Input) { in.Picture.Redis.Counters["evicted_keys"] = 5 }},
	{"cache-misses", "get_misses +9,000", func(in *Input) {
		in.Picture.Memcached.Counters["get_misses"] = 9000
		in.Picture.Memcached.Counters["get_hits"] = 100
	}},
	{"drift", "innodb_buffer_pool_size: 1073741824 → 2147483648", func(in *Input) {
		before := healthy()
		in.Before, in.BeforeResult = before.Picture, before.Result
		in.Picture.MariaDB.Variables["innodb_buffer_pool_size"] = "2147483648"
	}},
	{"drift", "index loans.reader (reader)", func(in *Input) {
		before := healthy()
		in.Before, in.BeforeResult = before.Picture, before.Result
		in.Picture.MariaDB.Indexes = append(in.Picture.MariaDB.Indexes, measure.Index{Table: "loans", Name: "reader", Columns: []string{"reader"}})
	}},
	{"trust/sampled", "25 % of the load", func(in *Input) { in.Picture.SlowShare = 0.25 }},
	{"trust/warm-up", "last quarter 2.00", func(in *Input) {
		line := measure.ProcessTimeline{}
		for i := range 40 {
			line.Cores = append(line.Cores, 0.5+0.5*float64(i/20))
		}
		in.Summary.Timeline.Processes = map[string]measure.ProcessTimeline{"app": line}
	}},
	{"noise/steal", "steal 9.0 %", func(in *Input) { in.Summary.Host.StealPct = 9 }},
	{"noise/iowait", "iowait 40 %", func(in *Input) { in.Summary.Host.IOWaitPct = 40 }},
	{"foreign-load", "no part of the run", func(in *Input) { in.Summary.Host.BusyPct = 95 }},
}

func TestAHealthyRunHasNoFindings(t *testing.T) {
	a := Advise(healthy())
	for _, f := range a.Findings {
		t.Errorf("%s: %s (%s)", f.ID, f.Title, strings.Join(f.Evidence, "; "))
	}
	if len(a.Fine) != len(detectors) || len(a.NotSeen) != 0 {
		t.Errorf("%d of %d detectors found it fine, not seen: %v", len(a.Fine), len(detectors), a.NotSeen)
	}
}

func TestEachTroubleIsFound(t *testing.T) {
	covered := map[string]bool{}
	for _, c := range troubles {
		t.Run(c.finding, func(t *testing.T) {
			in := healthy()
			c.make(&in)
			id, _, _ := strings.Cut(c.finding, "/")
			covered[id] = true
			v := newView(in)
			i := slices.IndexFunc(detectors, func(d detector) bool { return d.id == id })
			if i < 0 {
				t.Fatalf("there is no detector %s", id)
			}
			var own []hotseat.Finding
			for _, f := range detectors[i].look(v) {
				if f.ID != "" {
					f.ID = id + "/" + f.ID
				} else {
					f.ID = id
				}
				own = append(own, f)
			}
			at := slices.IndexFunc(own, func(f hotseat.Finding) bool { return f.ID == c.finding })
			if at < 0 {
				t.Fatalf("not found; the detector says %+v", own)
			}
			text, err := json.Marshal(own[at])
			if err != nil {
				t.Fatal(err)
			}
			plain := strings.NewReplacer(`\u003e`, ">", `\u0026`, "&", `\"`, `"`).Replace(string(text))
			if !strings.Contains(plain, c.says) {
				t.Errorf("no %q in %s", c.says, plain)
			}
			if len(own[at].Evidence) == 0 || own[at].Title == "" {
				t.Errorf("a finding without title or evidence: %s", plain)
			}
			// In the whole advice it is there too, or folded under its cause.
			if !strings.Contains(string(must(json.Marshal(Advise(in)))), `"id":"`+c.finding+`"`) {
				t.Error("the whole advice has lost it")
			}
		})
	}
	for _, d := range detectors {
		if !covered[d.id] {
			t.Errorf("detector %s has no trouble that shows it", d.id)
		}
	}
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

func TestErrorsComeFirstAndEffectsFold(t *testing.T) {
	in := healthy()
	for _, c := range troubles {
		if slices.Contains([]string{"missing-index/loans", "ports", "upstream-keepalive", "server-errors", "static-via-app"}, c.finding) {
			c.make(&in)
		}
	}
	a := Advise(in)
	if a.Findings[0].ID != "ports" || a.Findings[1].ID != "missing-index/loans" {
		t.Errorf("order: %v", ids(a.Findings))
	}
	if !slices.Contains(ids(a.Findings[0].Folded), "server-errors") || !slices.Contains(ids(a.Findings[0].Folded), "upstream-keepalive") {
		t.Errorf("under ports: %v, want the errors and the missing keep-alive", ids(a.Findings[0].Folded))
	}
	if slices.Contains(ids(a.Findings), "server-errors") {
		t.Error("an effect stands beside its cause")
	}
}

// Requests that the benchmark cut at the end of its load have not failed.
func TestCutRequestsAreNoErrors(t *testing.T) {
	in := healthy()
	in.Picture.Access.Total.Status.GaveUp = in.Picture.Access.Requests / 10
	if found := ids(Advise(in).Findings); slices.Contains(found, "server-errors") {
		t.Errorf("found %v", found)
	}
}

func TestNothingMeasuredIsNothingSaid(t *testing.T) {
	a := Advise(Input{})
	if len(a.Findings) != 0 || len(a.NotSeen) < 25 {
		t.Errorf("findings %v, %d not seen", ids(a.Findings), len(a.NotSeen))
	}
}

func ids(list []hotseat.Finding) []string {
	var all []string
	for _, f := range list {
		all = append(all, f.ID)
	}
	return all
}

// Right after it is filled, InnoDB thinks that a table is nearly empty.
func TestATableHasTheRowsThatAScanReads(t *testing.T) {
	for _, c := range []struct {
		estimate int64
		want     string
	}{{156, "loans has about 100,000 rows"}, {120_000, "loans has about 120,000 rows"}} {
		in := healthy()
		for _, trouble := range troubles {
			if trouble.finding == "missing-index/loans" {
				trouble.make(&in)
			}
		}
		for i := range in.Picture.MariaDB.Tables {
			if table := &in.Picture.MariaDB.Tables[i]; table.Name == "loans" {
				table.Rows = c.estimate
			}
		}
		if a := Advise(in); !strings.Contains(strings.Join(a.Findings[0].Evidence, "\n"), c.want) {
			t.Errorf("no %q in %q", c.want, a.Findings[0].Evidence)
		}
	}
}
