package advise

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hotseat"
)

// Thresholds of the database's detectors, from measure.md's table of detectors.
const (
	queryShare    = 0.02  // of the database's time, below which a class is not worth a word
	scanRatio     = 100.0 // rows examined for each row sent
	scanRows      = 1000.0
	sortRows      = 10_000.0 // examined to sort or group for a few
	fewRows       = 100.0
	loopRun       = 10  // statements of one class in a row on a connection
	loopEach      = 1.5 // at least, for each request, or a run of statements is one of requests
	chattyCalls   = 5.0 // per request
	chattySeconds = 0.0003
	fatRow        = 10 << 10 // bytes sent by a statement
	fsyncRate     = 50.0     // a second; a slow disk has no more than a hundred
	cacheRate     = 20.0     // results a second that go into the query cache
)

// class is one query class with what is derived from it.
type class struct {
	hotseat.QueryClass
	parsed statement
	share  float64 // of the time of all parts: what mending it could free
}

func (v *view) classes() []class {
	if v.p.Slow == nil {
		return nil
	}
	var all []class
	for _, c := range v.p.Slow.Classes {
		if c.Share < queryShare || c.Verb == "ADMIN" {
			continue
		}
		sql := c.Fingerprint
		if c.Example != nil && !c.Example.Truncated {
			sql = c.Example.SQL
		}
		one := class{QueryClass: c, parsed: parseSQL(sql), share: c.Share * v.dbShare()}
		one.countJoinBuffer()
		all = append(all, one)
	}
	return all
}

// countJoinBuffer adds the rows that were compared through a join buffer: MariaDB
// does not count them as examined, though there the time goes.
func (c *class) countJoinBuffer() {
	if c.Example == nil {
		return
	}
	for _, e := range c.Example.Explain {
		if strings.Contains(e.Extra, "join buffer") {
			c.RowsExamined.Mean += rowsOf(e)
		}
	}
	c.ExaminedPerSent = max(c.ExaminedPerSent, c.RowsExamined.Mean/max(c.RowsSent.Mean, 1))
}

// dbShare is how much of the run the database's statements stand for: its share
// of the CPU or, where it waits rather than computes, its statements' part of
// the time that requests took.
func (v *view) dbShare() float64 {
	share := v.share(subjectDB)
	if v.p.Access != nil && v.p.Slow != nil {
		if total := v.p.Access.Total.Time().Sum; total > 0 {
			share = max(share, min(v.p.Slow.Total.QueryTime.Sum*v.scale()/total, 1))
		}
	}
	return share
}

// scans tells whether the class reads many rows for few.
func (c *class) scans() bool {
	perCall := c.RowsExamined.Mean
	plan := c.Example != nil && slices.ContainsFunc(c.Example.Explain, func(e hotseat.ExplainRow) bool { return e.Type == "ALL" || e.Type == "index" })
	return perCall > scanRows && (c.ExaminedPerSent > scanRatio || plan || c.Plans.FullScan*2 > c.Plans.Known && c.Plans.Known > 0) ||
		c.ExaminedPerSent > scanRatio && perCall > scanRatio
}

// rowsOf is how many rows of a table a plan read: measured, or else estimated.
func rowsOf(e hotseat.ExplainRow) float64 {
	for _, text := range []string{e.RRows, e.Rows} {
		if n, err := strconv.ParseFloat(strings.TrimSpace(text), 64); err == nil {
			return n
		}
	}
	return 0
}

// worstTable is the table of the plan that most rows were read of without an
// index or, where each has one, most rows at all; the only one of the statement
// if there is no plan.
func (c *class) worstTable() string {
	alias, most, scanned := "", -1.0, false
	if c.Example != nil {
		for _, e := range c.Example.Explain {
			scan := e.Type == "ALL" || e.Type == "index"
			if rows := rowsOf(e); scan && !scanned || scan == scanned && rows > most {
				alias, most, scanned = e.Table, rows, scan
			}
		}
	}
	for _, l := range c.parsed.levels {
		if table, ok := l.tables[strings.ToLower(alias)]; ok {
			return table
		}
	}
	if len(c.parsed.levels) > 0 && len(c.parsed.levels[0].order) == 1 {
		return c.parsed.levels[0].tables[c.parsed.levels[0].order[0]]
	}
	return alias
}

// numbers is the evidence that every query finding begins with.
func (v *view) numbers(c *class) []string {
	return []string{
		fmt.Sprintf("%s: %s of the database's time, %s calls, %.1f ms each (slow log)", clip(c.Fingerprint, 90), percent(c.Share), count(float64(c.Count)*v.scale()), 1000*c.QueryTime.Mean),
		fmt.Sprintf("%s rows examined a call, %s sent", count(c.RowsExamined.Mean), count(c.RowsSent.Mean)),
	}
}

// missingIndex is detector 21.
func missingIndex(v *view) []hotseat.Finding {
	known := newCatalog(v.p.MariaDB)
	found := map[string]*hotseat.Finding{}
	var order []string
	for _, c := range v.classes() {
		if !c.scans() {
			continue
		}
		table := c.worstTable()
		columns := known.indexFor(c.parsed, table)
		if table == "" || len(columns) == 0 || c.sortsForFew() && !filtered(c.parsed) {
			continue
		}
		f := found[table]
		if f == nil {
			f = &hotseat.Finding{ID: table, Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.95,
				Title: fmt.Sprintf("No index serves the queries on %s: they read it row by row", table),
				Risk:  "each index costs a little on every insert; make it in the schema or a migrate hook, or the next reset loses it"}
			found[table] = f
			order = append(order, table)
		}
		kept := 1 - 1/max(c.ExaminedPerSent, 2) // an index leaves about the rows that are wanted
		f.Gain += c.share * kept
		f.Evidence = append(f.Evidence, v.numbers(&c)...)
		if rows := known.tables[strings.ToLower(table)]; rows != nil && len(f.Evidence) == 2 {
			about := float64(rows.Rows)
			if l := c.parsed.levels; len(l) == 1 && len(l[0].order) == 1 {
				about = max(about, c.RowsExamined.Mean) // InnoDB's own estimate lags behind a table that is filled anew
			}
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s has about %s rows; indexes: %s", table, count(about), known.list(table)))
		}
		line := fmt.Sprintf("CREATE INDEX %s ON %s (%s);", indexName(table, columns), table, strings.Join(columns, ", "))
		if !slices.Contains(f.Remedy, line) {
			f.Remedy = append(f.Remedy, line)
		}
	}
	var out []hotseat.Finding
	for _, table := range order {
		f := found[table]
		f.Remedy = dropPrefixes(f.Remedy)
		out = append(out, *f)
	}
	return out
}

// filtered tells whether a statement asks for some rows rather than all.
func filtered(s statement) bool {
	return slices.ContainsFunc(s.levels, func(l level) bool { return len(l.equal)+len(l.ranges) > 0 })
}

func indexName(table string, columns []string) string {
	return strings.ToLower("idx_" + table + "_" + strings.Join(columns, "_"))[:min(60, len("idx_"+table+"_"+strings.Join(columns, "_")))]
}

// dropPrefixes leaves out an index that another one begins with.
func dropPrefixes(lines []string) []string {
	inside := func(line string) string {
		_, rest, _ := strings.Cut(line, "(")
		columns, _, _ := strings.Cut(rest, ")")
		return columns
	}
	return slices.DeleteFunc(slices.Clone(lines), func(line string) bool {
		return slices.ContainsFunc(lines, func(other string) bool {
			return line != other && strings.HasPrefix(inside(other), inside(line)+", ")
		})
	})
}

// list names a table's indexes.
func (c *catalog) list(table string) string {
	var names []string
	for _, x := range c.indexes[strings.ToLower(table)] {
		names = append(names, fmt.Sprintf("%s (%s)", x.Name, strings.Join(x.Columns, ", ")))
	}
	if names == nil {
		return "none"
	}
	return strings.Join(names, ", ")
}

// sortsForFew tells whether many rows are sorted or grouped to show a few.
func (c *class) sortsForFew() bool {
	work := c.Plans.Filesort + c.Plans.TmpTable
	ordered := slices.ContainsFunc(c.parsed.levels, func(l level) bool {
		return l.limited && (len(l.sort) > 0 || l.maximum.column != "") || len(l.group) > 0 && l.maximum.column != ""
	})
	return ordered && (work > 0 || c.Plans.Known == 0) && c.RowsExamined.Mean > sortRows && c.RowsSent.Mean <= fewRows
}

// sortForFew is detector 22.
func sortForFew(v *view) []hotseat.Finding {
	known := newCatalog(v.p.MariaDB)
	var out []hotseat.Finding
	for _, c := range v.classes() {
		if !c.sortsForFew() || filtered(c.parsed) && len(known.indexFor(c.parsed, c.worstTable())) > 0 {
			continue
		}
		f := hotseat.Finding{ID: c.ShortID, Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.9, Gain: c.share * (1 - c.RowsSent.Mean/c.RowsExamined.Mean),
			Title:    fmt.Sprintf("%s rows are sorted or grouped to show %s", count(c.RowsExamined.Mean), count(max(c.RowsSent.Mean, 1))),
			Evidence: append(v.numbers(&c), fmt.Sprintf("plan: %s of %s with a filesort, %s with a temporary table", count(float64(c.Plans.Filesort)), count(float64(c.Plans.Known)), count(float64(c.Plans.TmpTable)))),
		}
		f.Remedy, f.Risk = sortRemedy(&c, known)
		out = append(out, f)
	}
	return out
}

// sortRemedy proposes an index on what is sorted by or, where that is the
// largest value of another table's rows, a column that keeps it.
func sortRemedy(c *class, known *catalog) (remedy []string, risk string) {
	for _, l := range c.parsed.levels {
		switch {
		case l.maximum.column != "" && len(l.group) > 0:
			from, to := tableOf(l, l.maximum, known), tableOf(l, l.group[0], known)
			key := l.group[0].column
			for i := 0; i+1 < len(l.joined); i += 2 { // the group may be named by the other side of the join
				for side := range 2 {
					mine, other := l.joined[i+side], l.joined[i+1-side]
					if tableOf(l, mine, known) == from && tableOf(l, other, known) != from {
						to, key = tableOf(l, other, known), mine.column
					}
				}
			}
			if from == "" || to == "" {
				continue
			}
			kept := "last_" + l.maximum.column
			return []string{
				fmt.Sprintf("keep the newest %s.%s of each row of %s in a column of its own, indexed, and set it where %s is inserted:", from, l.maximum.column, to, from),
				fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s DATETIME NULL, ADD INDEX (%s);", to, kept, kept),
				fmt.Sprintf("UPDATE %s SET %s = (SELECT MAX(%s) FROM %s WHERE %s.%s = %s.id);", to, kept, l.maximum.column, from, from, key, to),
				fmt.Sprintf("SELECT … FROM %s WHERE %s IS NOT NULL ORDER BY %s DESC LIMIT …", to, kept, kept),
			}, "every insert now writes two rows; both times must be told by one clock"
		case len(l.sort) > 0:
			table := tableOf(l, l.sort[0], known)
			if table == "" {
				continue
			}
			var names []string
			for _, ref := range l.sort {
				names = append(names, ref.column)
			}
			return []string{fmt.Sprintf("CREATE INDEX %s ON %s (%s);", indexName(table, names), table, strings.Join(names, ", "))},
				"an index is used for an order only if nothing before it is compared by range"
		}
	}
	return []string{"keep the answer ready: a column with what is sorted by, or a cache that is thrown away when its rows change"}, ""
}

// tableOf is the table that a column belongs to, "" if that cannot be told.
func tableOf(l level, ref columnRef, known *catalog) string {
	if ref.alias != "" {
		return l.tables[ref.alias]
	}
	if len(l.order) == 1 {
		return l.tables[l.order[0]]
	}
	owner := ""
	for _, alias := range l.order {
		table := l.tables[alias]
		if known.tables[strings.ToLower(table)] != nil && known.has(table, ref.column) {
			if owner != "" {
				return ""
			}
			owner = table
		}
	}
	return owner
}

// loops is detectors 23 and 31: statements in a row on one connection, reading
// one row each, or writing one.
func loops(writes bool) func(*view) []hotseat.Finding {
	return func(v *view) []hotseat.Finding {
		var out []hotseat.Finding
		for _, c := range v.classes() {
			write := c.Verb == "INSERT" || c.Verb == "REPLACE" || c.Verb == "UPDATE" || c.Verb == "DELETE"
			if write != writes || c.Share < 0.05 || c.LongestRun < loopRun && v.perRequest(c.ID) < loopRun {
				continue
			}
			if float64(c.InRuns) < 0.3*float64(c.Count) && v.perRequest(c.ID) < loopRun {
				continue
			}
			// A connection that serves one route has the same query in a row,
			// from as many requests: a loop makes more queries than requests.
			if v.perRequest(c.ID) < loopEach && float64(c.Count)*v.scale() < loopEach*v.requests() {
				continue
			}
			f := hotseat.Finding{ID: c.ShortID, Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.8, Gain: c.share * 0.8, Evidence: v.numbers(&c)}
			f.Evidence = append(f.Evidence, fmt.Sprintf("up to %s in a row on one connection; %s of all in runs of five and more", count(float64(c.LongestRun)), percent(float64(c.InRuns)/float64(max(c.Count, 1)))))
			if n := v.perRequest(c.ID); n >= 1 {
				f.Evidence = append(f.Evidence, fmt.Sprintf("%.0f for each request of %s (%s)", n, v.routeOf(c.ID), v.p.Join.Method))
			}
			if writes {
				f.Title = "Rows are written one by one in a loop"
				f.Remedy = []string{"write many at once: INSERT … VALUES (…), (…), …, a few hundred rows a statement, in one transaction", "if it only makes numbers, make them in the app"}
			} else {
				f.Title = "The same query runs in a loop, once for each row (N+1)"
				f.Remedy = []string{"ask once: WHERE … IN (…), or a JOIN in the query that gives the list", "or keep what rarely changes in the app's memory"}
			}
			out = append(out, f)
		}
		return out
	}
}

// perRequest is how many statements of a class the route that sends most of
// them sends for each request, by the join of both logs.
func (v *view) perRequest(id string) float64 {
	n := 0.0
	if v.p.Join != nil {
		for _, e := range v.p.Join.Edges {
			if e.QueryID == id {
				n = max(n, e.PerRequest)
			}
		}
	}
	return n
}

func (v *view) routeOf(id string) string {
	route, most := "", int64(-1)
	if v.p.Join != nil {
		for _, e := range v.p.Join.Edges {
			if e.QueryID == id && e.Statements > most {
				route, most = e.HTTPMethod+" "+e.Template, e.Statements
			}
		}
	}
	return route
}

// chatty is detector 24.
func chatty(v *view) []hotseat.Finding {
	if v.share(subjectDB) < 0.3 || v.requests() == 0 {
		return nil
	}
	var out []hotseat.Finding
	for _, c := range v.classes() {
		perRequest := float64(c.Count) * v.scale() / v.requests()
		if c.Verb != "SELECT" || c.Share < 0.1 || c.QueryTime.Mean > chattySeconds || c.scans() || perRequest < 0.5 {
			continue
		}
		out = append(out, hotseat.Finding{ID: c.ShortID, Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.6, Gain: c.share * 0.9,
			Title:    "A quick query costs by its number",
			Evidence: append(v.numbers(&c), fmt.Sprintf("%.1f for each request", perRequest)),
			Remedy:   []string{"keep its answers in the app's memory, or in Redis, and throw them away where the rows change"},
			Risk:     "with several app processes each has its own memory",
		})
	}
	return out
}

// prepares is detector 25.
func prepares(v *view) []hotseat.Finding {
	prepared, executed := v.status("Com_stmt_prepare"), v.status("Com_stmt_execute")
	if executed < 100 || prepared < 0.5*executed {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.25 * v.dbShare(),
		Title: "Statements are prepared for one execution each: two or three round trips for one",
		Evidence: []string{fmt.Sprintf("Com_stmt_prepare +%s, Com_stmt_execute +%s", count(prepared), count(executed)),
			fmt.Sprintf("%s prepares a second", count(v.perSecond(prepared)))},
		Remedy: []string{"Go: add interpolateParams=true to the DSN", "elsewhere: let the client put the values in, or keep prepared statements"},
		Risk:   "interpolation is unsafe with multibyte character sets other than utf8mb4, which the driver refuses",
	}}
}

// commits is detector 26.
func commits(v *view) []hotseat.Finding {
	// MariaDB has counted all fsyncs together since 10.8.
	fsyncs := v.perSecond(max(v.status("Innodb_os_log_fsyncs"), v.status("Innodb_data_fsyncs")))
	flush, binlog := v.variable("innodb_flush_log_at_trx_commit"), v.variable("log_bin")
	if fsyncs < fsyncRate || flush != "1" && binlog != "ON" {
		return nil
	}
	writeTime := 0.0
	if v.p.Slow != nil {
		for _, c := range v.p.Slow.Classes {
			if slices.Contains([]string{"INSERT", "UPDATE", "DELETE", "REPLACE", "COMMIT"}, c.Verb) {
				writeTime += c.Share
			}
		}
		if writeTime < 0.05 {
			return nil
		}
	}
	f := hotseat.Finding{Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.8, Gain: writeTime * 0.6 * v.dbShare(),
		Title:    "Each commit waits for the disk",
		Evidence: []string{fmt.Sprintf("%s fsyncs a second, innodb_flush_log_at_trx_commit = %s, log_bin = %s", count(fsyncs), flush, binlog)},
		Risk:     "with 2, a crash of the machine loses the last second of commits: read the contest's rules on durability",
	}
	if writeTime > 0 {
		f.Evidence = append(f.Evidence, fmt.Sprintf("statements that write: %s of the database's time", percent(writeTime)))
	}
	if flush == "1" {
		f.Remedy = append(f.Remedy, "innodb_flush_log_at_trx_commit = 2    # under [mysqld]")
	}
	if binlog == "ON" {
		f.Remedy = append(f.Remedy, "skip-log-bin                          # under [mysqld]; there is no replica")
	}
	return []hotseat.Finding{f}
}

// bufferPool is detector 27.
func bufferPool(v *view) []hotseat.Finding {
	asked, read := v.status("Innodb_buffer_pool_read_requests"), v.status("Innodb_buffer_pool_reads")
	pool, data := v.number("innodb_buffer_pool_size"), float64(v.p.MariaDB.DataBytes)
	free := float64(v.Summary.Host.MemAvailableMinBytes)
	if asked < 10_000 || read/asked < 0.01 || data <= pool || free < pool/4 {
		return nil
	}
	want := min(data*1.2, pool+free*0.7)
	return []hotseat.Finding{{Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.8, Gain: min(read/asked*5, 0.5) * v.dbShare(),
		Title: "The buffer pool is too small for the data",
		Evidence: []string{fmt.Sprintf("innodb_buffer_pool_size %s, data and indexes %s, memory free %s", megabytes(pool), megabytes(data), megabytes(free)),
			fmt.Sprintf("%s of %s page reads went to the disk (%.1f %%)", count(read), count(asked), 100*read/asked)},
		Remedy: []string{fmt.Sprintf("innodb_buffer_pool_size = %dM    # under [mysqld]", int(want/(1<<20))+1)},
		Risk:   "leave room for the app and the page cache",
	}}
}

// locks is detector 28.
func locks(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for _, c := range v.classes() {
		explicit := strings.HasPrefix(strings.ToUpper(c.Fingerprint), "LOCK TABLE")
		if c.LockShare < 0.2 && !explicit || c.LockTime.Sum < 0.5 && !explicit {
			continue
		}
		f := hotseat.Finding{ID: c.ShortID, Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.85, Gain: c.share * max(c.LockShare, 0.3),
			Title: "Statements wait for each other's locks",
			Evidence: append(v.numbers(&c), fmt.Sprintf("%s of the class's time is waiting for locks; Innodb_row_lock_waits +%s, %s ms in all",
				percent(c.LockShare), count(v.status("Innodb_row_lock_waits")), count(v.status("Innodb_row_lock_time")))),
			Remedy: []string{"lock rows, not tables, by an index that finds just them; hold locks for one short transaction", "take locks in one order everywhere, or count on a unique key and handle the duplicate"},
			Risk:   "check afterwards that nothing can be taken twice"}
		if explicit {
			f.Title = "Tables are locked as a whole"
			f.Remedy = append([]string{"replace LOCK TABLES by SELECT … FOR UPDATE in a transaction, or by one conditional UPDATE or INSERT"}, f.Remedy...)
		}
		out = append(out, f)
	}
	return out
}

// queryCache is detector 29.
func queryCache(v *view) []hotseat.Finding {
	inserts, hits := v.status("Qcache_inserts"), v.status("Qcache_hits")
	if v.variable("query_cache_type") == "OFF" || v.perSecond(inserts) < cacheRate || inserts <= hits {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.7, Gain: 0.05 * v.dbShare(),
		Title: "The query cache is filled and emptied without being asked",
		Evidence: []string{fmt.Sprintf("Qcache_inserts +%s, Qcache_hits +%s, Qcache_lowmem_prunes +%s", count(inserts), count(hits), count(v.status("Qcache_lowmem_prunes"))),
			"each write to a table throws away all that was kept of it"},
		Remedy: []string{"query_cache_type = OFF    # under [mysqld]", "cache in the app, where it is known what a write changes"},
	}}
}

// fatRows is detector 30.
func fatRows(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for _, c := range v.p.Slow.Classes {
		sent := c.BytesSent.Mean
		if sent < fatRow || c.Verb != "SELECT" || c.RowsSent.Mean > 0 && sent/c.RowsSent.Mean < fatRow || float64(c.BytesSent.Sum)*v.scale() < 50<<20 && c.Share < queryShare {
			continue
		}
		out = append(out, hotseat.Finding{ID: c.ShortID, Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.8, Gain: max(c.Share, 0.1) * v.dbShare(),
			Title: "Large values travel through the database",
			Evidence: []string{fmt.Sprintf("%s: %s a call, %s in all", clip(c.Fingerprint, 90), megabytes(sent), megabytes(float64(c.BytesSent.Sum)*v.scale())),
				fmt.Sprintf("%s calls, %s of the database's time", count(float64(c.Count)*v.scale()), percent(c.Share))},
			Remedy: []string{"write files once and let nginx serve them; keep only the name in the database", "until then: name the columns instead of SELECT *"},
			Risk:   "files must survive a restart and be reset with the data",
		})
	}
	return out
}

// poolTooSmall is detector 18: a number of connections that is reached and never passed.
func poolTooSmall(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	for _, c := range v.p.Peaks {
		if c.To != subjectDB || !isApp(c.From) || c.Plateau < 0.8 || c.Max < 2 {
			continue
		}
		busy := v.busyPct()
		if v.cpu[subjectDB] > 0.7*v.cores*v.loadS || busy > 85 {
			continue // more connections would only wait elsewhere
		}
		// Little's law: so many requests were under way at once, on average.
		// As many connections as requests are no limit.
		under := 0.0
		if v.p.Access != nil && v.loadS > 0 {
			under = v.p.Access.Total.Time().Sum / v.loadS
		}
		if under < 1.1*float64(c.Max) {
			continue
		}
		allowed := v.number("max_connections")
		if allowed <= float64(c.Max)+10 {
			continue
		}
		out = append(out, hotseat.Finding{Subject: subjectApp, Severity: hotseat.Warning, Confidence: 0.7, Gain: 0.3,
			Title: fmt.Sprintf("The app's pool of %d database connections is the limit", c.Max),
			Evidence: []string{fmt.Sprintf("exactly %d connections to the database in %s of the samples; max_connections is %s", c.Max, percent(c.Plateau), count(allowed)),
				fmt.Sprintf("%.0f requests were under way at once on average; the stack and its benchmark used %.0f %% of the machine", under, busy)},
			Remedy: []string{fmt.Sprintf("raise the pool, stepwise, to at most %s in all processes together (Go: SetMaxOpenConns and SetMaxIdleConns alike)", count(allowed-10))},
			Risk:   "more connections use more memory and, once the database is the limit, only wait there",
		})
	}
	return out
}

// poolsExceedServer is detector 19.
func poolsExceedServer(v *view) []hotseat.Finding {
	refused := v.status("Connection_errors_max_connections")
	used, allowed := float64(v.p.MariaDB.Gauges["Max_used_connections"]), v.number("max_connections")
	if allowed <= 0 || refused == 0 && used < 0.85*allowed {
		return nil
	}
	f := hotseat.Finding{Subject: subjectDB, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.1,
		Title:    "The app's pools can take more connections than the database allows",
		Evidence: []string{fmt.Sprintf("at most %s connections at once, max_connections = %s, %s refused", count(used), count(allowed), count(refused))},
		Remedy:   []string{fmt.Sprintf("max_connections = %d    # under [mysqld]; processes × pool must stay below", int(2*allowed)), "or a smaller pool in each process"},
	}
	if refused > 0 {
		f.Severity, f.Gain = hotseat.Critical, 0.3
	}
	return []hotseat.Finding{f}
}

// connectionChurn is detector 20.
func connectionChurn(v *view) []hotseat.Finding {
	opened, asked := v.status("Connections"), v.status("Questions")
	for _, c := range v.p.Peaks { // a pool that fills is no churn
		if c.To == subjectDB {
			opened = max(opened-float64(c.Max), 0)
		}
	}
	if rate := v.perSecond(opened); asked == 0 || rate < 10 || opened/asked < 0.02 {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectApp, Severity: hotseat.Warning, Confidence: 0.9, Gain: min(opened/asked, 0.5) * max(v.dbShare(), 0.2),
		Title:    "Database connections are opened and closed all the time",
		Evidence: []string{fmt.Sprintf("%s new connections a second, one for every %.0f statements", count(v.perSecond(opened)), asked/max(opened, 1))},
		Remedy:   []string{"Go keeps two idle connections unless told otherwise: SetMaxIdleConns to the same as SetMaxOpenConns", "elsewhere: one connection for each worker, kept"},
	}}
}
