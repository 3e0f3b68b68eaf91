package slowlog

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/measure/logfile"
)

func digest(t testing.TB, o Options, logs ...string) *Log {
	t.Helper()
	var inputs []logfile.Input
	for i, log := range logs {
		inputs = append(inputs, logfile.Reader(fmt.Sprintf("log%d", i), strings.NewReader(log)))
	}
	d, err := Read(t.Context(), inputs, o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// story is what a table wants to say of a digest, in short.
func story(d *Log) string {
	var b strings.Builder
	for _, q := range d.Classes {
		fmt.Fprintf(&b, "%s n=%d t=%g lock=%g sent=%d examined=%d", q.Fingerprint, q.Count, math.Round(q.QueryTime.Sum*1e6)/1e6, math.Round(q.LockTime.Sum*1e6)/1e6, q.RowsSent.Sum, q.RowsExamined.Sum)
		for schema, n := range q.Schemas {
			fmt.Fprintf(&b, " %s=%d", schema, n)
		}
		if q.Plans.Known > 0 {
			fmt.Fprintf(&b, " known=%d scans=%d sorts=%d", q.Plans.Known, q.Plans.FullScan, q.Plans.Filesort)
		}
		if q.Errors > 0 {
			fmt.Fprintf(&b, " errors=%d", q.Errors)
		}
		b.WriteByte('\n')
	}
	if d.Unparsed > 0 {
		fmt.Fprintf(&b, "unparsed=%d: %s\n", d.Unparsed, d.UnparsedExamples[0].Why)
	}
	return b.String()
}

const (
	mariaBanner = "/usr/sbin/mariadbd, Version: 10.11.14-MariaDB-0+deb12u2-log (Debian 12). started with:\nTcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\nTime\t\t    Id Command\tArgument\n"
	mariaHead   = "# User@Host: app[app] @ localhost [127.0.0.1]\n# Thread_id: 5  Schema: shop  QC_hit: No\n# Query_time: 0.010000  Lock_time: 0.001000  Rows_sent: 1  Rows_examined: 3000\n# Rows_affected: 0  Bytes_sent: 65\n"
	mysqlHead   = "# Time: 2026-11-21T14:05:06.123456Z\n# User@Host: app[app] @ localhost [127.0.0.1]  Id:    42\n# Query_time: 0.010000  Lock_time: 0.001000 Rows_sent: 1  Rows_examined: 3000\n"
)

// TestLogs is the corpus of what servers write, each with its traps.
func TestLogs(t *testing.T) {
	for name, c := range map[string]struct{ log, kind, want string }{
		"MariaDB inherits the time": {mariaBanner + "# Time: 261121 14:05:06\n" + mariaHead + "SET timestamp=1795269906;\nSELECT 1;\n" + mariaHead + "SET timestamp=1795269906;\nSELECT 2;\n", "mariadb",
			"select ? n=2 t=0.02 lock=0.002 sent=2 examined=6000 shop=2\n"},
		"an hour of one digit, and tabs": {"# Time: 261121  9:05:06\n" + mariaHead + "SELECT 1;\n# Time: 261121\t 9:05:07\n" + mariaHead + "SELECT 2;\n", "mariadb",
			"select ? n=2 t=0.02 lock=0.002 sent=2 examined=6000 shop=2\n"},
		"the banner comes again": {mariaBanner + mariaHead + "SET timestamp=1;\nSELECT 1;\n" + mariaBanner + mariaHead + "SELECT 1;\n" + mariaBanner, "mariadb",
			"select ? n=2 t=0.02 lock=0.002 sent=2 examined=6000 shop=2\n"},
		"no schema": {"# User@Host: root[root] @ localhost []\n# Thread_id: 3  Schema:   QC_hit: No\n# Query_time: 0.5  Lock_time: 0.0  Rows_sent: 0  Rows_examined: 0\nuse shop;\nSET timestamp=1;\nSELECT 1;\n", "mariadb",
			"select ? n=1 t=0.5 lock=0 sent=0 examined=0\n"},
		"plan and explain": {mariaHead + "# Pages_accessed: 13  Pages_read: 0  Pages_prefetched: 0  Pages_updated: 0  Old_rows_read: 0\n# Pages_read_time: 0.0000  Engine_time: 0.3759\n" +
			"# Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No\n# Filesort: Yes  Filesort_on_disk: No  Merge_passes: 0  Priority_queue: Yes\n#\n# explain: id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\tfiltered\tr_filtered\tExtra\n" +
			"# explain: 1\tSIMPLE\titems\tALL\tNULL\tNULL\tNULL\tNULL\t3000\t3003.00\t100.00\t2.00\tUsing where\n#\nSET timestamp=1;\nselect * from items where a = 5;\n", "mariadb",
			"select * from items where a = ? n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1 known=1 scans=1 sorts=1\n"},
		"administrator commands": {mariaHead + "SET timestamp=1;\n# administrator command: Prepare;\n" + mariaHead + "SET timestamp=1;\n# administrator command: Close stmt;\n", "mariadb",
			"administrator command: Close stmt n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\nadministrator command: Prepare n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\n"},
		"MySQL 8": {"/usr/sbin/mysqld, Version: 8.0.36 (MySQL Community Server - GPL). started with:\nTcp port: 3306  Unix socket: /s\nTime                 Id Command    Argument\n" + mysqlHead + "use shop;\nSET timestamp=1795269906;\nSELECT * FROM t WHERE id IN (1,2);\n" + mysqlHead + "SET timestamp=1795269906;\nSELECT * FROM t WHERE id IN (3);\n", "mysql",
			"select * from t where id in(?+) n=2 t=0.02 lock=0.002 sent=2 examined=6000 shop=2\n"},
		"MySQL 8 with log_slow_extra": {"# Time: 2026-11-21T14:05:06.123456+09:00\n# User@Host: app[app] @  [10.0.0.1]  Id:     8\n# Query_time: 1.5  Lock_time: 0.000001 Rows_sent: 1  Rows_examined: 10 Thread_id: 8 Errno: 1146 Killed: 0 Bytes_received: 0 Bytes_sent: 57 Read_first: 1 Read_last: 0 Read_key: 1 Read_next: 0 Read_prev: 0 Read_rnd: 0 Read_rnd_next: 11 Sort_merge_passes: 0 Sort_range_count: 0 Sort_rows: 5 Sort_scan_count: 1 Created_tmp_disk_tables: 0 Created_tmp_tables: 0 Start: 2026-11-21T14:05:04.6Z End: 2026-11-21T14:05:06.1Z\nSET timestamp=1795269906;\nSELECT 1;\n", "mysql",
			"select ? n=1 t=1.5 lock=1e-06 sent=1 examined=10 known=1 scans=1 sorts=1 errors=1\n"},
		"MySQL 5.6": {"# Time: 261121 14:05:06\n# User@Host: app[app] @ localhost []\n# Query_time: 0.010000  Lock_time: 0.001000 Rows_sent: 1  Rows_examined: 5\nuse shop;\nSET last_insert_id=3,insert_id=4,timestamp=1795269906;\nINSERT INTO t VALUES (1),(2);\n", "",
			"insert into t values(?+) n=1 t=0.01 lock=0.001 sent=1 examined=5 shop=1\n"},
		"Percona Server": {"# User@Host: app[app] @ localhost []  Id:     8\n# Schema: shop  Last_errno: 0  Killed: 0\n# Query_time: 0.010000  Lock_time: 0.001000  Rows_sent: 1  Rows_examined: 5  Rows_affected: 0\n# Bytes_sent: 57\n# QC_Hit: No  Full_scan: Yes  Full_join: No  Tmp_table: No  Tmp_table_on_disk: No\n# Filesort: No  Filesort_on_disk: No  Merge_passes: 0\nSET timestamp=1;\nSELECT 1;\n", "percona",
			"select ? n=1 t=0.01 lock=0.001 sent=1 examined=5 shop=1 known=1 scans=1 sorts=0\n"},
		"statements of many lines, with comments and semicolons": {mariaHead + "SELECT a;b\n# a comment of the statement\n, 'x;\ny'\n\nFROM t;\n" + mariaHead + "SELECT 1;\n", "mariadb",
			"select ? n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\nselect a;b , ? from t n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\n"},
		"the log ends within a statement": {mariaHead + "SELECT 1;\n" + mariaHead + "SELECT 1 FROM", "mariadb",
			"select ? n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\nselect ? from n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\n"},
		"what cannot be read is counted": {"the end of something;\n" + mariaHead + "SELECT 1;\n# User@Host: a[a] @ b []\nSELECT 2;\n# User@Host: a[a] @ b []\n# Query_time: x  Lock_time: 0.0\nSELECT 3;\n" + mariaHead + mariaHead + "SELECT 4;\n# User@Host: a[a] @ b []\n", "mariadb",
			"select ? n=2 t=0.02 lock=0.002 sent=2 examined=6000 shop=2\nunparsed=5: no header came before it\n"},
		"windows line ends": {strings.ReplaceAll(mariaHead+"SELECT 1;\n", "\n", "\r\n"), "mariadb", "select ? n=1 t=0.01 lock=0.001 sent=1 examined=3000 shop=1\n"},
	} {
		t.Run(name, func(t *testing.T) {
			d := digest(t, Options{}, c.log)
			if diff := cmp.Diff(c.want, story(d)); diff != "" {
				t.Errorf("digest (-want +got):\n%s", diff)
			}
			if d.Files[0].Format != c.kind {
				t.Errorf("written by %q, want %q", d.Files[0].Format, c.kind)
			}
		})
	}
}

func TestTimes(t *testing.T) {
	d := digest(t, Options{}, mysqlHead+"SET timestamp=1795269900;\nSELECT 1;\n")
	if d.FirstUnix != 1795269906.123456 {
		t.Errorf("MySQL's own time is %f", d.FirstUnix)
	}
	log := mariaHead + "SET timestamp=1795269906;\nSELECT 1;\n" + mariaHead + "SET timestamp=1795269999.5;\nSELECT 1;\n# Time: 261121 14:08:20\n" + mariaHead + "SELECT 1;\n"
	d = digest(t, Options{From: 1795269950, To: 1795270000}, log)
	if d.Entries != 1 || d.Filtered != 2 || d.FirstUnix != 1795269999.5 {
		t.Errorf("%d entries, %d filtered, at %f", d.Entries, d.Filtered, d.FirstUnix)
	}
}

func TestExampleAndPlan(t *testing.T) {
	slow := strings.Replace(mariaHead, "Query_time: 0.010000", "Query_time: 2.500000", 1) +
		"# explain: id\tselect_type\ttable\ttype\tpossible_keys\tkey\tkey_len\tref\trows\tr_rows\tfiltered\tr_filtered\tExtra\n# explain: 1\tSIMPLE\titems\tALL\tNULL\tNULL\tNULL\tNULL\t3000\t3003.00\t100.00\t2.00\tUsing where\n"
	d := digest(t, Options{}, mariaHead+"SELECT * FROM items WHERE a = 1;\n"+slow+"SET timestamp=1795269906;\nSELECT * FROM items WHERE a = 2;\n"+mariaHead+"SELECT * FROM items WHERE a = 3;\n")
	q := d.Classes[0]
	want := &hotseat.QueryExample{SQL: "SELECT * FROM items WHERE a = 2", TimeS: 2.5, LockTimeS: 0.001, RowsSent: 1, RowsExamined: 3000, Schema: "shop", AtUnix: 1795269906, ExplainSource: "log",
		Explain: []hotseat.ExplainRow{{ID: "1", SelectType: "SIMPLE", Table: "items", Type: "ALL", PossibleKeys: "NULL", Key: "NULL", KeyLen: "NULL", Ref: "NULL", Rows: "3000", RRows: "3003.00", Filtered: "100.00", RFiltered: "2.00", Extra: "Using where"}}}
	if diff := cmp.Diff(want, q.Example); diff != "" {
		t.Errorf("example (-want +got):\n%s", diff)
	}
	if q.ExaminedPerSent != 3000 || q.LongestRun != 3 || math.Abs(q.LockShare-0.003/2.52) > 1e-9 || len(q.ID) != 32 || q.ShortID != q.ID[16:] || q.Verb != "SELECT" {
		t.Errorf("class %+v", q)
	}
}

// A query in a loop shows as a run on one connection, whatever others do
// meanwhile and although its driver prepares each statement.
func TestRuns(t *testing.T) {
	head := func(thread int) string {
		return strings.Replace(mariaHead, "Thread_id: 5", fmt.Sprintf("Thread_id: %d", thread), 1)
	}
	log := ""
	for i := range 7 {
		log += head(1) + "# administrator command: Prepare;\n" + head(1) + fmt.Sprintf("SELECT * FROM a WHERE id = %d;\n", i) + head(2) + "SELECT 'other';\n" + head(2) + "COMMIT;\n"
	}
	d := digest(t, Options{}, log)
	for _, q := range d.Classes {
		longest, in := int64(1), int64(0)
		if strings.Contains(q.Fingerprint, "from a") {
			longest, in = 7, 7
		}
		if q.Verb == "ADMIN" {
			longest = 0
		}
		if q.LongestRun != longest || q.InRuns != in {
			t.Errorf("%s: longest run %d, %d in runs; want %d, %d", q.Fingerprint, q.LongestRun, q.InRuns, longest, in)
		}
	}
}

func TestRequestIDs(t *testing.T) {
	ids := map[string]int{"5f0c9a1b2c3d4e5f": 3, "req-00000042": 4}
	route := func(id []byte) (int, bool, bool) {
		at, ok := ids[string(id)]
		return at, ok, string(id) != "unknown-00000001"
	}
	log := ""
	for _, s := range []string{"/* 5f0c9a1b2c3d4e5f */ SELECT 1", "SELECT 2 /*request_id='5f0c9a1b2c3d4e5f',route='%2Fa'*/", "SELECT 3 -- controller=items rid=req-00000042",
		"SELECT 4 /* 9999999999999999 */", "SELECT 5 /* unknown-00000001 */", "SELECT 6 /* an ordinary comment */", "SELECT 7"} {
		log += mariaHead + s + ";\n"
	}
	d := digest(t, Options{Route: route}, log)
	if len(d.Classes) != 2 && len(d.Classes) != 1 {
		t.Fatalf("%d classes", len(d.Classes))
	}
	got := map[int]int64{}
	var unmatched int64
	for i := range d.Classes {
		for at, u := range d.Uses[i] {
			got[at] += u.Count
		}
		unmatched += d.Unmatched[i]
	}
	if diff := cmp.Diff(map[int]int64{3: 2, 4: 1}, got); diff != "" || unmatched != 1 || d.Untagged != 2 {
		t.Errorf("uses (-want +got):\n%s\n%d unmatched, %d untagged", diff, unmatched, d.Untagged)
	}
}

func TestWhatIsNoSlowLog(t *testing.T) {
	_, err := Digest(t.Context(), []logfile.Input{logfile.Reader("x", strings.NewReader("GET / HTTP/1.1\n"))}, Options{})
	if hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("error %v", err)
	}
	if d := digest(t, Options{}, ""); d.Entries != 0 {
		t.Errorf("%d entries in nothing", d.Entries)
	}
}

func TestLongStatementsAreCut(t *testing.T) {
	long := "INSERT INTO t (b) VALUES ('" + strings.Repeat("x", 3*maxStatement) + "')"
	d := digest(t, Options{}, mariaHead+long+";\n"+mariaHead+"SELECT 1;\n")
	if d.Entries != 2 || d.Unparsed != 0 || len(d.Notes) != 1 || !d.Classes[0].Example.Truncated && !d.Classes[1].Example.Truncated {
		t.Errorf("%d entries, %d unparsed, notes %q", d.Entries, d.Unparsed, d.Notes)
	}
}

func TestEntriesAllocateNothing(t *testing.T) {
	log := []byte("# Time: 261121 14:05:06\n" + mariaHead + "SET timestamp=1795269906;\nSELECT * FROM t WHERE id IN (1,2,3) AND a = 'x' LIMIT 1;\n")
	d := &digester{options: &Options{}, classes: map[uint64]*class{}, threads: map[uint64]thread{}}
	d.parser = parser{each: d.entry, reject: d.reject}
	block := &logfile.Block{Data: log, Line: 1}
	for range 200 {
		d.parser.block(block)
	}
	// The time of day, once a second in MariaDB's logs, may cost something.
	if n := testing.AllocsPerRun(200, func() { d.parser.block(block) }); n > 4 {
		t.Errorf("%v allocations for each entry", n)
	}
	block.Data = log[bytes.IndexByte(log, '\n')+1:]
	if n := testing.AllocsPerRun(200, func() { d.parser.block(block) }); n != 0 {
		t.Errorf("%v allocations for each entry without a new second", n)
	}
}

// TestRealServer lets MariaDB write a log with plans, digests it, and asks
// the server for the plan of what the log has none of.
func TestRealServer(t *testing.T) {
	dir, err := os.MkdirTemp("", "slowlog") // short: it holds a socket
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }() // the server is gone by then
	data, socket, slow := filepath.Join(dir, "data"), filepath.Join(dir, "s"), filepath.Join(dir, "slow.log")
	db := startMariaDB(t, data, socket, slow)
	for _, s := range []string{
		"CREATE DATABASE shop", "USE shop", "CREATE TABLE items (id INT PRIMARY KEY AUTO_INCREMENT, price INT, name VARCHAR(20))",
		"INSERT INTO items (price, name) SELECT seq % 100, CONCAT('n', seq) FROM seq_1_to_3000",
		"SELECT * FROM items WHERE price = 7 ORDER BY name LIMIT 5 /* 5f0c9a1b2c3d4e5f */",
		"SET SESSION log_slow_verbosity = ''", "SELECT name FROM items WHERE id = 5",
		"DO 1", // what comes before it is in the log by now
	} {
		if _, err := db.ExecContext(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	inputs, err := logfile.Inputs([]string{slow}, nil)
	if err != nil {
		t.Fatal(err)
	}
	d, err := Digest(t.Context(), inputs, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Explain(t.Context(), "root@unix("+socket+")/", d.Classes); err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, q := range d.Classes {
		switch x := q.Example; {
		case strings.HasPrefix(q.Fingerprint, "select * from items"):
			seen++
			if len(x.Explain) != 1 || x.ExplainSource != "log" || x.Explain[0].Type != "ALL" || x.Explain[0].Key != "NULL" || q.Plans.FullScan != 1 || q.RowsExamined.Sum < 3000 {
				t.Errorf("the scan: %+v", q)
			}
		case strings.HasPrefix(q.Fingerprint, "select name"):
			seen++
			if len(x.Explain) != 1 || x.ExplainSource != "server" || x.Explain[0].Type != "const" {
				t.Errorf("the point query: %+v", x)
			}
		case q.Verb == "INSERT":
			seen++
			if x.Explain == nil && x.ExplainError == "" {
				t.Error("nothing is said of the plan of an INSERT")
			}
		}
	}
	if seen != 3 || d.Unparsed != 0 || d.Files[0].Format != serverMariaDB {
		t.Errorf("%d of 3 classes, %d unparsed, format %s: %s", seen, d.Unparsed, d.Files[0].Format, story(&Log{SlowDigest: *d}))
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(mariaBanner + "# Time: 261121 14:05:06\n" + mariaHead + "use shop;\nSET timestamp=1;\nSELECT 1;\n# administrator command: Quit;\n"))
	f.Add([]byte(mysqlHead + "# explain: a\tb\tc\td\n# explain: 1\t2\nSELECT 1\n# x\n;\n"))
	f.Fuzz(func(t *testing.T, log []byte) {
		count := func(size int) (n, bad int64) {
			d := &digester{options: &Options{WindowS: 1}, classes: map[uint64]*class{}, threads: map[uint64]thread{}}
			d.parser = parser{each: d.entry, reject: d.reject}
			lines := bytes.SplitAfter(log, []byte("\n"))
			for i := 0; i < len(lines); i += size { // blocks end at ends of lines
				d.parser.block(&logfile.Block{Data: bytes.Join(lines[i:min(i+size, len(lines))], nil), Line: int64(i + 1)})
			}
			d.parser.finish()
			if log := d.finish(nil); log.Total.Count != log.Entries {
				t.Errorf("%d entries, %d in classes", log.Entries, log.Total.Count)
			}
			return d.entries, d.unparsed
		}
		n, bad := count(1)
		if m, worse := count(1 << 20); n != m || bad != worse {
			t.Errorf("%d entries and %d unreadable line by line, %d and %d at once", n, bad, m, worse)
		}
	})
}

// find is a program or the end of the test.
func find(t *testing.T, name string) string {
	t.Helper()
	for _, dir := range []string{"", "/usr/sbin/", "/usr/bin/"} {
		if path, err := exec.LookPath(dir + name); err == nil {
			return path
		}
	}
	t.Fatalf("%s is not installed; hotseat doctor --install installs it", name)
	return ""
}
