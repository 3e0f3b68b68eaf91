package slowlog

import (
	"bytes"
	"time"

	"hotseat/measure/logfile"
)

// The servers that a log may come from, told by its headers.
const (
	serverMariaDB = "mariadb"
	serverMySQL   = "mysql"
	serverPercona = "percona"
)

// maxStatement is how much of one statement is looked at. MariaDB and MySQL take
// 16 MB by default: only inserts of many rows and blobs are that long, and a
// fingerprint needs but their beginning.
const maxStatement = 1 << 20

// parser cuts a slow log into entries. It is fed line by line, so that it does
// not matter where blocks end.
type parser struct {
	e      entry
	open   bool // e has begun
	each   func(*entry)
	reject func(line int64, text []byte, why string)

	clock   float64 // of the last "# Time:", which MariaDB writes only when the second changes
	schema  []byte  // of the last "use"
	server  string  // as the log's header names it
	kind    string
	strange int // lines before the first entry that are nothing known
}

// Line starts that matter.
var (
	startTime    = []byte("# Time: ")
	startUser    = []byte("# User@Host: ")
	startAdmin   = []byte("# administrator command: ")
	startExplain = []byte("# explain:")
	startSet     = []byte("SET ")
	startUse     = []byte("use ")
)

// line takes one line in.
func (p *parser) line(number int64, line []byte) {
	if len(line) > 0 && line[0] == '#' && p.header(number, line) {
		return
	}
	if p.banner(line) {
		return
	}
	if !p.open {
		if len(bytes.TrimSpace(line)) > 0 {
			p.reject(number, line, "no header came before it")
			p.strange++
		}
		return
	}
	if !p.e.started && p.prelude(line) {
		return
	}
	p.text(line)
}

// text takes a line of the statement itself in.
func (p *parser) text(line []byte) {
	e := &p.e
	if e.started {
		e.sql = append(e.sql, '\n')
	}
	e.started = true
	room := maxStatement - len(e.sql)
	if len(line) <= room {
		e.sql = append(e.sql, line...)
		return
	}
	e.truncated = true
	e.sql = bytes.TrimRight(append(e.sql, line[:max(room, 0)]...), ";\n")
	if line[len(line)-1] == ';' { // which tells that the statement is over
		e.sql = append(e.sql, ';')
	}
}

// header takes a line in that begins with "#"; false if it belongs to the statement.
func (p *parser) header(number int64, line []byte) bool {
	isStart := bytes.HasPrefix(line, startTime) || bytes.HasPrefix(line, startUser)
	if p.open && p.e.started {
		if !p.e.finished() && !isStart {
			return false // a comment in the midst of a statement
		}
		p.finish()
	}
	if !p.open {
		if !isStart && !bytes.HasPrefix(line, []byte("# Thread_id: ")) && !bytes.HasPrefix(line, []byte("# Query_time: ")) {
			return false
		}
		p.open = true
		p.e.reset(number)
	} else if isStart && p.e.timed {
		// The entry before has no statement: the log was cut there.
		p.finish()
		p.open = true
		p.e.reset(number)
	}
	e := &p.e
	e.headers++
	switch {
	case bytes.HasPrefix(line, startTime):
		p.time(line[len(startTime):])
	case bytes.HasPrefix(line, startUser):
		p.user(line[len(startUser):])
	case bytes.HasPrefix(line, startAdmin):
		e.admin = true
		e.started = true
		e.sql = append(e.sql[:0], line[2:]...)
	case bytes.HasPrefix(line, startExplain):
		e.explain = append(append(e.explain, bytes.TrimLeft(line[len(startExplain):], " ")...), '\n')
	default:
		e.pairs(line[1:])
		if p.kind == "" || p.kind == serverMySQL {
			p.tell(line)
		}
	}
	return true
}

// tell finds out whose log this is from a header that not all write.
func (p *parser) tell(line []byte) {
	switch {
	case bytes.HasPrefix(line, []byte("# Thread_id: ")) && bytes.Contains(line, []byte("QC_hit: ")):
		p.kind = serverMariaDB
	case bytes.HasPrefix(line, []byte("# Schema: ")) && bytes.Contains(line, []byte("Last_errno: ")):
		p.kind = serverPercona
	}
}

// time reads "2026-11-21T23:05:06.123456Z" of MySQL and "261121  9:05:06" of
// MariaDB and MySQL before 5.7, which is the server's local time: it serves only where
// there is no SET timestamp.
func (p *parser) time(v []byte) {
	v = bytes.TrimSpace(v)
	if len(v) > 10 && v[10] == 'T' {
		if t, err := time.Parse(time.RFC3339Nano, string(v[:min(len(v), 40)])); err == nil {
			p.clock = float64(t.UnixMicro()) / 1e6
			p.e.ended = p.clock
			if p.kind == "" {
				p.kind = serverMySQL
			}
			return
		}
	}
	var fields [2][]byte
	n := 0
	for _, f := range bytes.Fields(v) { // a blank or a tab between, and another before a single digit
		if n < 2 {
			fields[n] = f
		}
		n++
	}
	if n >= 2 {
		if t, err := time.Parse("060102 15:4:5", string(fields[0])+" "+string(fields[1])); err == nil {
			p.clock = float64(t.Unix())
			return
		}
	}
	p.e.bad = "its time cannot be read"
}

// user reads "root[root] @ localhost [127.0.0.1]  Id:    42"; MySQL has the
// connection's number here. "# Time:" of MySQL 5.5 may have it on its own line.
func (p *parser) user(v []byte) {
	name, rest, _ := bytes.Cut(v, []byte{'['})
	p.e.user = append(p.e.user[:0], bytes.TrimSpace(name)...)
	if i := bytes.LastIndex(rest, []byte("Id:")); i >= 0 {
		if n, ok := number(bytes.TrimSpace(rest[i+3:])); ok {
			p.e.thread = uint64(n)
			if p.kind == "" {
				p.kind = serverMySQL
			}
		}
	}
}

// prelude takes "use db;" and "SET timestamp=…;" in, which the server writes
// before the statement.
func (p *parser) prelude(line []byte) bool {
	switch {
	case bytes.HasPrefix(line, startSet):
		v := line[len(startSet):]
		i := bytes.Index(v, []byte("timestamp="))
		if i != 0 && !bytes.HasPrefix(v, []byte("last_insert_id=")) && !bytes.HasPrefix(v, []byte("insert_id=")) {
			return false
		}
		if i >= 0 {
			v = v[i+len("timestamp="):]
			end := 0
			for end < len(v) && (v[end]-'0' <= 9 || v[end] == '.') {
				end++
			}
			if n, ok := micros(v[:end]); ok {
				p.e.timestamp = float64(n) / 1e6
			}
		}
		return true
	case bytes.HasPrefix(line, startUse) && len(line) > 5 && line[len(line)-1] == ';':
		name := bytes.Trim(line[len(startUse):len(line)-1], "`")
		p.schema = append(p.schema[:0], name...)
		p.e.use = append(p.e.use[:0], name...)
		return true
	}
	return false
}

// banner takes the three lines in that a server writes when it starts, also in
// the midst of a log.
func (p *parser) banner(line []byte) bool {
	if p.open && p.e.started && !p.e.finished() {
		return false
	}
	switch {
	case bytes.Contains(line, []byte(", Version: ")) && (bytes.HasSuffix(line, []byte("started with:")) || bytes.Contains(line, []byte("embedded library"))):
		_, version, _ := bytes.Cut(line, []byte(", Version: "))
		version, _, _ = bytes.Cut(version, []byte(". "))
		p.server = string(version[:min(len(version), 100)])
		if bytes.Contains(line, []byte("MariaDB")) || bytes.Contains(line, []byte("mariadbd")) {
			p.kind = serverMariaDB
		} else if p.kind == "" {
			p.kind = serverMySQL
		}
	case bytes.HasPrefix(line, []byte("Tcp port: ")), bytes.HasPrefix(line, []byte("TCP Port: ")):
	case bytes.HasPrefix(line, []byte("Time")) && bytes.Contains(line, []byte("Id Command")):
	default:
		return false
	}
	if p.open && p.e.started {
		p.finish()
	}
	return true
}

// finish hands the entry out.
func (p *parser) finish() {
	if !p.open {
		return
	}
	p.open = false
	e := &p.e
	switch {
	case e.bad != "":
		p.reject(e.line, e.sql, e.bad)
	case !e.started && !e.timed:
		p.reject(e.line, nil, "the log ends within its headers")
	case !e.started:
		p.reject(e.line, nil, "it has no statement")
	case !e.timed:
		p.reject(e.line, e.sql, "it has no Query_time")
	default:
		if e.finished() {
			e.sql = e.sql[:len(e.sql)-1]
		}
		p.each(e)
	}
}

// block takes a block of lines in.
func (p *parser) block(b *logfile.Block) {
	data := b.Data
	for number := b.Line; len(data) > 0; number++ {
		end := bytes.IndexByte(data, '\n')
		line := data
		if end < 0 {
			data = nil
		} else {
			line, data = data[:end], data[end+1:]
		}
		if n := len(line); n > 0 && line[n-1] == '\r' { // servers on Windows
			line = line[:n-1]
		}
		p.line(number, line)
	}
}
