package accesslog

import (
	"bytes"
	"math"

	"github.com/zeebo/xxh3"

	"hotseat"
	"hotseat/measure/logfile"
	"hotseat/measure/template"
)

// worker sums up blocks of lines. Each has everything of its own; at the end
// they are put together.
type worker struct {
	options *Options
	tree    *template.Tree[page, *page]
	own     map[string]*page // by the user's pattern
	known   []knownPath      // of the user's patterns, since matching is slow
	ids     ids

	file    int
	parser  parser
	record  record
	parsers map[int]parser

	lines, requests, filtered, unparsed int64
	bad                                 []badLine
	first, last                         float64
	timed                               int64 // requests with a time at which they were logged
	units                               [timeCount]unitEvidence
	firstSmaller, secondSmaller         int64 // of two bare numbers, for swapped
	lastTime                            []byte
	lastUnix                            float64
	lastTimeOK                          bool
}

// unitEvidence is what tells in which unit a duration is written.
type unitEvidence struct {
	told, fractions, wholes int64
	smallest                int64 // of the whole ones
}

type badLine struct {
	file int
	hotseat.BadLine
}

// maxBad is how many unreadable lines are shown, and maxBadText how much of each.
const (
	maxBad     = 5
	maxBadText = 300
)

func newWorker(o *Options) *worker {
	return &worker{options: o, tree: template.New[page](), own: map[string]*page{}, parsers: map[int]parser{}, ids: newIDs(o.RequestIDs),
		known: make([]knownPath, map[bool]int{false: 0, true: 1 << 13}[len(o.Match) > 0])}
}

// block sums up a block of one file, whose format is known.
func (w *worker) block(file int, format string, b *logfile.Block) {
	w.file = file
	w.parser = w.parsers[file]
	if w.parser == nil {
		w.parser = w.options.parserFor(format)
		w.parsers[file] = w.parser
	}
	logfile.Lines(b.Data, func(before int64, line []byte) {
		if len(line) == 0 || len(bytes.TrimSpace(line)) == 0 {
			return
		}
		w.lines++
		if why := w.line(line, b.Line+before); why != "" {
			w.reject(line, b.Line+before, why)
		}
	})
}

func (w *worker) reject(line []byte, number int64, why string) {
	w.unparsed++
	if len(w.bad) >= maxBad {
		return // blocks of a file come to a worker in their order
	}
	if line[0] == 0 {
		why = whyNULs
	}
	if len(line) >= logfile.MaxLine {
		why = whyTooLong
	}
	w.bad = append(w.bad, badLine{w.file, hotseat.BadLine{Line: number, Why: why, Text: string(line[:min(len(line), maxBadText)])}})
}

// line counts one line, or says why not.
func (w *worker) line(line []byte, number int64) (why string) {
	r := &w.record
	r.reset()
	if why := w.parser.parse(line, r); why != "" {
		return why
	}
	method, target := r.value[fieldMethod], r.value[fieldURI]
	if request := r.value[fieldRequest]; target == nil && request != nil {
		method, target = splitRequest(request)
	}
	if target == nil {
		return whyNoPath
	}
	if len(method) == 0 {
		method = dash
	}
	status, why := parseStatus(r.value[fieldStatus])
	if why != "" {
		return why
	}
	var times [timeCount]duration
	for i := range times {
		if times[i] = parseDuration(r.value[int(fieldRequestTime)+i]); !times[i].ok {
			return whyDuration
		}
	}
	size, hasSize, ok := parseSize(r.value[fieldSize])
	if !ok {
		return whySize
	}
	at, timed := w.at(r)
	if o := w.options; timed && (o.From != 0 && at < o.From || o.To != 0 && at > o.To) {
		w.filtered++
		return ""
	}
	w.requests++
	if timed {
		w.timed++
		if w.timed == 1 || at < w.first {
			w.first = at
		}
		w.last = max(w.last, at)
	}
	route := w.page(target).method(method)
	route.count++
	route.status(status)
	if hasSize {
		route.size.record(size)
	}
	w.times(route, &times, r)
	w.details(route, r)
	longest := times[requestTime].micro
	if !times[requestTime].present {
		longest = times[upstreamTime].micro
	}
	if s := &route.slowest; !s.set || longest > s.micro || longest == s.micro && (w.file < s.file || w.file == s.file && number < s.line) {
		*s = example{micro: longest, file: w.file, line: number, status: status, at: at, set: true,
			uri: append(s.uri[:0], target[:min(len(target), maxExample)]...), id: append(s.id[:0], idOf(r)...)}
	}
	if w.options.WindowS > 0 && timed {
		// The unit of the time is not certain yet, but who asks for windows has our own format: seconds.
		route.series.Spread(at-float64(times[requestTime].micro)/1e6, at, w.options.WindowS)
	}
	if w.options.RequestIDs {
		w.ids.add(idOf(r), route)
	}
	return ""
}

var dash = []byte("-")

// page is what a request target is counted under.
func (w *worker) page(target []byte) *page {
	path := template.Path(target)
	if len(w.options.Match) == 0 {
		return w.tree.At(path)
	}
	hash := xxh3.Hash(path)
	slot := &w.known[hash&uint64(len(w.known)-1)]
	if slot.hash != hash || !slot.set {
		*slot = knownPath{hash: hash, set: true, own: w.match(path)}
	}
	if slot.own != nil {
		return slot.own
	}
	return w.tree.At(path)
}

// knownPath remembers what the user's patterns made of a path, by its hash: 64
// bits of xxh3 do not collide among what fits a log.
type knownPath struct {
	hash uint64
	set  bool
	own  *page
}

func (w *worker) match(path []byte) *page {
	for _, m := range w.options.Match {
		if !m.Match(path) {
			continue
		}
		p := w.own[m.String()]
		if p == nil {
			p = &page{}
			w.own[m.String()] = p
		}
		return p
	}
	return nil
}

// times counts the four durations.
func (w *worker) times(route *route, times *[timeCount]duration, r *record) {
	for i := range times {
		d := &times[i]
		if d.present {
			w.units[i].see(d, r.unit[i])
			route.times[i].record(d.micro)
		}
	}
	if up := &times[upstreamTime]; up.tries > 1 || up.hops > 0 {
		route.retries += int64(max(up.tries-1-up.hops, 0))
		route.redirects += int64(up.hops)
	}
	if times[connectTime].micro > 0 {
		route.connected++
	}
	if r.rank[fieldRequestTime] == firstNumber.rank && r.rank[fieldUpstreamTime] == secondNumber.rank && times[upstreamTime].present {
		switch a, b := times[requestTime].micro, times[upstreamTime].micro; {
		case a < b:
			w.firstSmaller++
		case b < a:
			w.secondSmaller++
		}
	} else if r.rank[fieldRequestTime] == firstNumber.rank && times[upstreamTime].present && !times[requestTime].present {
		w.firstSmaller++
	}
}

// see takes a duration as evidence, and makes seconds of it where its unit is told.
func (u *unitEvidence) see(d *duration, unit float64) {
	if d.unit != 0 {
		unit = d.unit
	}
	switch {
	case unit == 1:
		u.told++
	case unit != 0:
		u.told++
		d.micro = int64(math.Round(float64(d.micro) * unit))
	case d.whole:
		if u.wholes == 0 || d.micro < u.smallest {
			u.smallest = d.micro
		}
		u.wholes++
	default:
		u.fractions++
	}
}

// details counts what only richer formats tell.
func (w *worker) details(route *route, r *record) {
	if v := r.value[fieldRequestSize]; v != nil {
		if n, ok := whole(v); ok {
			route.requestSize.record(n)
		}
	}
	if v := r.value[fieldUpstream]; len(v) > 0 && string(v) != "-" {
		for more := true; more; {
			one := v
			if i := bytes.IndexByte(v, ','); i >= 0 {
				one, v = v[:i], v[i+1:]
			} else if i := bytes.Index(v, []byte(" : ")); i >= 0 {
				one, v = v[:i], v[i+3:]
			} else {
				more = false
			}
			route.upstreams.add(bytes.TrimSpace(one), 1)
		}
	}
	if v := r.value[fieldCache]; len(v) > 0 && string(v) != "-" {
		route.cache.add(v, 1)
	}
	if v := r.value[fieldEncoding]; len(v) > 0 {
		route.encodings.add(v, 1)
	}
	if v := r.value[fieldConnRequests]; len(v) == 1 && v[0] == '1' {
		route.firstOnConn++
	}
}

func idOf(r *record) []byte {
	id := r.value[fieldRequestID]
	if string(id) == "-" {
		return nil
	}
	return id[:min(len(id), 128)]
}

// at is when a request was logged. Most lines have the second of the one before.
func (w *worker) at(r *record) (unix float64, ok bool) {
	if v := r.value[fieldMsec]; len(v) > 0 {
		if d := parseDuration(v); d.ok && d.present {
			return float64(d.micro) / 1e6, true
		}
	}
	v := r.value[fieldTime]
	if len(v) == 0 {
		return 0, false
	}
	if !bytes.Equal(v, w.lastTime) {
		w.lastTime = append(w.lastTime[:0], v...)
		w.lastUnix, w.lastTimeOK = parseTime(v)
	}
	return w.lastUnix, w.lastTimeOK
}

// splitRequest takes "GET / HTTP/1.1" apart. What is no such line, as a TLS
// handshake sent to a plain port is, counts as a request without method and path.
func splitRequest(request []byte) (method, target []byte) {
	method, rest, ok := bytes.Cut(request, []byte{' '})
	if !ok || len(method) == 0 || len(method) > 20 {
		return dash, dash
	}
	for _, c := range method {
		if classUpper := c >= 'A' && c <= 'Z'; !classUpper {
			return dash, dash
		}
	}
	if i := bytes.LastIndex(rest, []byte(" HTTP/")); i >= 0 {
		rest = rest[:i]
	}
	return method, rest
}

// parseStatus reads a status; 0 is none, as "-" is.
func parseStatus(v []byte) (status int16, why string) {
	if len(v) == 0 || string(v) == "-" {
		return 0, ""
	}
	if n, ok := whole(v); ok && n < 1000 {
		return int16(n), ""
	}
	return 0, whyStatus
}

func parseSize(v []byte) (n int64, has, ok bool) {
	if len(v) == 0 || string(v) == "-" {
		return 0, false, true
	}
	if n, ok := whole(v); ok {
		return n, true, true
	}
	if d := parseDuration(v); d.ok && d.present { // 12.0
		return d.micro / 1e6, true, true
	}
	return 0, false, false
}
