package slowlog

import (
	"bytes"
)

// entry is one statement with what the log says of it. Its slices are the
// parser's, and valid until the next entry.
type entry struct {
	line      int64 // of its first header
	headers   int   // how many header lines it has
	timed     bool  // Query_time was there
	started   bool  // the statement's first line was there
	admin     bool
	truncated bool

	queryTime, lockTime              int64 // µs
	rowsSent, rowsExamined           int64
	rowsAffected, bytesSent          int64
	hasSent, hasExamined             bool
	hasAffected, hasBytes            bool
	thread                           uint64
	errno                            int64
	plan, fullScan, fullJoin         bool
	tmpTable, tmpDisk                bool
	filesort, filesortDisk, cacheHit bool

	user, schema, use []byte
	explain           []byte // the rows of "# explain:", one a line
	sql               []byte

	timestamp float64 // of SET timestamp: when the statement began; 0 without
	ended     float64 // of an ISO "# Time:": when it was logged; 0 without
	bad       string  // what is wrong with it
}

func (e *entry) reset(line int64) {
	*e = entry{line: line, user: e.user[:0], schema: e.schema[:0], use: e.use[:0], explain: e.explain[:0], sql: e.sql[:0]}
}

// finished tells that the statement has its final semicolon.
func (e *entry) finished() bool {
	return e.started && len(e.sql) > 0 && e.sql[len(e.sql)-1] == ';'
}

// at is when the statement ended, in seconds since 1970, as well as the log tells; 0 if not.
func (e *entry) at(inherited float64) float64 {
	switch {
	case e.ended != 0:
		return e.ended
	case e.timestamp != 0:
		return e.timestamp
	default:
		return inherited
	}
}

// pairs takes every "Key: value" of a header line in; a key without a value, as
// Schema often is, has an empty one.
func (e *entry) pairs(line []byte) {
	var key []byte
	for i := 0; i < len(line); {
		for i < len(line) && (line[i] == ' ' || line[i] == '\t') {
			i++
		}
		start := i
		for i < len(line) && line[i] != ' ' && line[i] != '\t' {
			i++
		}
		token := line[start:i]
		if n := len(token); n > 1 && token[n-1] == ':' && token[0] >= 'A' && token[0] <= 'Z' {
			if key != nil {
				e.pair(key, nil)
			}
			key = token[:n-1]
			continue
		}
		if key != nil {
			e.pair(key, token)
			key = nil
		}
	}
	if key != nil {
		e.pair(key, nil)
	}
}

// pair takes one member of a header in.
func (e *entry) pair(key, value []byte) {
	var ok = true
	switch string(key) {
	case "Query_time":
		e.queryTime, ok = micros(value)
		e.timed = ok
	case "Lock_time":
		e.lockTime, ok = micros(value)
	case "Rows_sent":
		e.rowsSent, ok = number(value)
		e.hasSent = ok
	case "Rows_examined":
		e.rowsExamined, ok = number(value)
		e.hasExamined = ok
	case "Rows_affected":
		e.rowsAffected, ok = number(value)
		e.hasAffected = ok
	case "Bytes_sent":
		e.bytesSent, ok = number(value)
		e.hasBytes = ok
	case "Thread_id", "Id":
		var n int64
		n, ok = number(value)
		e.thread = uint64(n)
	case "Schema":
		e.schema = append(e.schema[:0], value...)
	case "Errno", "Last_errno":
		e.errno, ok = number(value)
	case "QC_hit", "QC_Hit":
		e.cacheHit = yes(value)
	case "Full_scan":
		e.plan, e.fullScan = true, yes(value)
	case "Full_join":
		e.fullJoin = yes(value)
	case "Tmp_table":
		e.tmpTable = yes(value)
	case "Tmp_table_on_disk", "Disk_tmp_table":
		e.tmpDisk = yes(value)
	case "Filesort":
		e.filesort = yes(value)
	case "Filesort_on_disk", "Disk_filesort":
		e.filesortDisk = yes(value)
	case "Created_tmp_tables": // MySQL 8 with log_slow_extra
		e.plan, e.tmpTable = true, positive(value)
	case "Created_tmp_disk_tables":
		e.tmpDisk = positive(value)
	case "Sort_merge_passes":
		e.filesortDisk = positive(value)
	case "Sort_range_count", "Sort_scan_count":
		e.filesort = e.filesort || positive(value)
	case "Read_rnd_next":
		e.fullScan = positive(value) && !e.tmpTable
	}
	if !ok {
		e.bad = "a number cannot be read"
	}
}

func yes(v []byte) bool { return string(v) == "Yes" }

func positive(v []byte) bool {
	n, ok := number(v)
	return ok && n > 0
}

func number(v []byte) (n int64, ok bool) {
	if len(v) == 0 || len(v) > 19 {
		return 0, false
	}
	for _, c := range v {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, n >= 0
}

// micros reads seconds with a fraction as microseconds; what is finer is cut.
func micros(v []byte) (n int64, ok bool) {
	whole, fraction, _ := bytes.Cut(v, []byte{'.'})
	if n, ok = number(whole); !ok || n > 1e12 {
		return 0, false
	}
	n *= 1e6
	scale := int64(100_000)
	for _, c := range fraction {
		if c-'0' > 9 {
			return 0, false
		}
		n += int64(c-'0') * scale
		scale /= 10
	}
	return n, true
}
