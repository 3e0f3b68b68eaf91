package slowlog

import (
	"slices"

	"hotseat"
	"hotseat/measure/fingerprint"
	"hotseat/measure/histogram"
	"hotseat/measure/series"
)

// class sums up the statements of one fingerprint.
type class struct {
	id, fingerprint, verb string
	count                 int64
	time, lock            spread
	sent, examined        sizes
	affected, bytes       sizes
	plans                 hotseat.PlanCounts
	errors                int64
	longest, inRuns       int64
	schemas, users        names
	example               *example
	series                series.Series
	requests              map[int]*Use // by route
	unmatched             int64        // statements whose request is not in the access log
}

// spread is times in microseconds.
type spread struct {
	sum, min, max int64
	histogram     histogram.Histogram
}

func (s *spread) record(v int64) {
	if s.histogram.Count() == 0 || v < s.min {
		s.min = v
	}
	s.max = max(s.max, v)
	s.sum += v
	s.histogram.Record(uint64(v))
}

func (s *spread) merge(o *spread) {
	if o.histogram.Count() == 0 {
		return
	}
	if s.histogram.Count() == 0 || o.min < s.min {
		s.min = o.min
	}
	s.max = max(s.max, o.max)
	s.sum += o.sum
	s.histogram.Merge(&o.histogram)
}

func (s *spread) summary() hotseat.Spread {
	n := s.histogram.Count()
	if n == 0 {
		return hotseat.Spread{}
	}
	seconds := func(v int64) float64 { return float64(v) / 1e6 }
	q := s.histogram.Quantiles(0.5, 0.9, 0.95, 0.99)
	at := func(i int) float64 { return seconds(min(max(int64(q[i]), s.min), s.max)) }
	return hotseat.Spread{Count: n, Sum: seconds(s.sum), Mean: seconds(s.sum) / float64(n), Min: seconds(s.min), Max: seconds(s.max),
		P50: at(0), P90: at(1), P95: at(2), P99: at(3)}
}

type sizes struct{ count, sum, min, max int64 }

func (s *sizes) record(n int64) {
	if s.count == 0 || n < s.min {
		s.min = n
	}
	s.count++
	s.sum += n
	s.max = max(s.max, n)
}

func (s *sizes) merge(o sizes) {
	if o.count == 0 {
		return
	}
	if s.count == 0 || o.min < s.min {
		s.min = o.min
	}
	s.count += o.count
	s.sum += o.sum
	s.max = max(s.max, o.max)
}

func (s sizes) summary() hotseat.Sizes {
	r := hotseat.Sizes{Count: s.count, Sum: s.sum, Min: s.min, Max: s.max}
	if s.count > 0 {
		r.Mean = float64(s.sum) / float64(s.count)
	}
	return r
}

// example is the slowest statement, the first of equals.
type example struct {
	hotseat.QueryExample
	micros  int64
	explain []byte
}

// What is kept of texts, so that memory stays bounded whatever a log holds.
const (
	maxExample     = 8 << 10
	maxFingerprint = 8 << 10
	maxNames       = 16
)

// add counts one entry.
func (c *class) add(e *entry, schema []byte, at float64) {
	c.count++
	c.time.record(e.queryTime)
	c.lock.record(e.lockTime)
	for _, s := range []struct {
		to    *sizes
		value int64
		has   bool
	}{{&c.sent, e.rowsSent, e.hasSent}, {&c.examined, e.rowsExamined, e.hasExamined}, {&c.affected, e.rowsAffected, e.hasAffected}, {&c.bytes, e.bytesSent, e.hasBytes}} {
		if s.has {
			s.to.record(s.value)
		}
	}
	if e.plan {
		c.plans.Known++
	}
	for _, p := range []struct {
		to  *int64
		has bool
	}{{&c.plans.FullScan, e.fullScan}, {&c.plans.FullJoin, e.fullJoin}, {&c.plans.TmpTable, e.tmpTable}, {&c.plans.TmpTableOnDisk, e.tmpDisk},
		{&c.plans.Filesort, e.filesort}, {&c.plans.FilesortOnDisk, e.filesortDisk}, {&c.plans.CacheHit, e.cacheHit}} {
		if p.has {
			*p.to++
		}
	}
	if e.errno != 0 {
		c.errors++
	}
	count(&c.schemas, schema)
	count(&c.users, e.user)
	if c.example == nil || e.queryTime > c.example.micros {
		x := c.example
		if x == nil {
			x = &example{}
			c.example = x
		}
		x.micros = e.queryTime
		x.explain = append(x.explain[:0], e.explain[:min(len(e.explain), maxExample)]...)
		x.QueryExample = hotseat.QueryExample{SQL: string(e.sql[:min(len(e.sql), maxExample)]), Truncated: e.truncated || len(e.sql) > maxExample,
			TimeS: float64(e.queryTime) / 1e6, LockTimeS: float64(e.lockTime) / 1e6, RowsSent: e.rowsSent, RowsExamined: e.rowsExamined,
			Schema: string(schema), AtUnix: at}
	}
}

// names counts how often each came.
type names map[string]*int64

// count counts a name; very many share one.
func count(n *names, name []byte) {
	if len(name) == 0 {
		return
	}
	if times := (*n)[string(name)]; times != nil {
		*times++
		return
	}
	if *n == nil {
		*n = names{}
	}
	if len(*n) >= maxNames && string(name) != "other" {
		count(n, []byte("other"))
		return
	}
	once := int64(1)
	(*n)[string(name)] = &once
}

func (n names) summary() map[string]int64 {
	if len(n) == 0 {
		return nil
	}
	m := map[string]int64{}
	for name, times := range n {
		m[name] = *times
	}
	return m
}

// ran takes a run of statements of this class on one connection in.
func (c *class) ran(n int64) {
	c.longest = max(c.longest, n)
	if n >= loop {
		c.inRuns += n
	}
}

// loop is from how many statements on a run looks like a loop in the app.
const loop = 5

func (c *class) summary(whole *spread) hotseat.QueryClass {
	q := hotseat.QueryClass{
		ID: c.id, Fingerprint: c.fingerprint, Verb: c.verb, Count: c.count,
		QueryTime: c.time.summary(), LockTime: c.lock.summary(),
		RowsSent: c.sent.summary(), RowsExamined: c.examined.summary(), RowsAffected: c.affected.summary(), BytesSent: c.bytes.summary(),
		Plans: c.plans, LongestRun: c.longest, InRuns: c.inRuns, Schemas: c.schemas.summary(), Users: c.users.summary(), Errors: c.errors,
	}
	if c.id != "" {
		q.ShortID = fingerprint.ShortID(c.id)
	}
	if whole.sum > 0 {
		q.Share = float64(c.time.sum) / float64(whole.sum)
	}
	if c.time.sum > 0 {
		q.LockShare = float64(c.lock.sum) / float64(c.time.sum)
	}
	given := c.sent.sum
	if given == 0 {
		given = c.affected.sum
	}
	if given == 0 {
		given = c.examined.count
	}
	if given > 0 {
		q.ExaminedPerSent = float64(c.examined.sum) / float64(given)
	}
	if c.example != nil {
		x := c.example.QueryExample
		if x.Explain = explainRows(c.example.explain); x.Explain != nil {
			x.ExplainSource = "log"
		}
		q.Example = &x
	}
	return q
}

func (c *class) merge(o *class) {
	c.count += o.count
	c.time.merge(&o.time)
	c.lock.merge(&o.lock)
	c.sent.merge(o.sent)
	c.examined.merge(o.examined)
	c.affected.merge(o.affected)
	c.bytes.merge(o.bytes)
	p, q := &c.plans, &o.plans
	for _, s := range [][2]*int64{{&p.Known, &q.Known}, {&p.FullScan, &q.FullScan}, {&p.FullJoin, &q.FullJoin}, {&p.TmpTable, &q.TmpTable},
		{&p.TmpTableOnDisk, &q.TmpTableOnDisk}, {&p.Filesort, &q.Filesort}, {&p.FilesortOnDisk, &q.FilesortOnDisk}, {&p.CacheHit, &q.CacheHit}} {
		*s[0] += *s[1]
	}
	c.errors += o.errors
	c.longest = max(c.longest, o.longest)
	c.inRuns += o.inRuns
}

// byTime orders classes, the one that took most time first.
func byTime(a, b *class) int {
	switch {
	case a.time.sum != b.time.sum:
		return map[bool]int{true: -1, false: 1}[a.time.sum > b.time.sum]
	case a.count != b.count:
		return map[bool]int{true: -1, false: 1}[a.count > b.count]
	default:
		return slices.Compare([]byte(a.fingerprint), []byte(b.fingerprint))
	}
}
