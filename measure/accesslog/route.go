package accesslog

import (
	"slices"

	"hotseat"
	"hotseat/measure/histogram"
	"hotseat/measure/series"
)

// The durations that a log may tell of each request.
const (
	requestTime = iota
	upstreamTime
	connectTime
	headerTime
	timeCount
)

// page is all that is known of one path template: its routes, by method.
type page struct{ routes []*route }

// route is one method of a template.
type route struct {
	method string
	count  int64
	codes  []codeCount
	times  [timeCount]spread

	connected, retries, redirects, firstOnConn int64

	size, requestSize           sizes
	upstreams, cache, encodings tallies
	slowest                     example
	series                      series.Series
	into                        *route // where this one went when templates were put together
}

type codeCount struct {
	code  int16 // 0 for what is no status
	count int64
}

type spread struct {
	sum, min, max int64 // millionths of the log's unit
	histogram     histogram.Histogram
}

func (s *spread) record(micro int64) {
	if s.histogram.Count() == 0 || micro < s.min {
		s.min = micro
	}
	s.max = max(s.max, micro)
	s.sum += micro
	s.histogram.Record(uint64(micro))
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

// seconds makes seconds of millionths of a unit.
func seconds(micro int64, unit float64) float64 { return float64(micro) * unit / 1e6 }

// summary is the spread in seconds.
func (s *spread) summary(unit float64) hotseat.Spread {
	n := s.histogram.Count()
	if n == 0 {
		return hotseat.Spread{}
	}
	result := hotseat.Spread{Count: n, Sum: seconds(s.sum, unit), Mean: float64(s.sum) / float64(n) * unit / 1e6,
		Min: seconds(s.min, unit), Max: seconds(s.max, unit)}
	for i, v := range s.histogram.Quantiles(0.5, 0.9, 0.95, 0.99) {
		within := min(max(int64(v), s.min), s.max)
		*[]*float64{&result.P50, &result.P90, &result.P95, &result.P99}[i] = seconds(within, unit)
	}
	return result
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

func (s *sizes) merge(o *sizes) {
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

func (s *sizes) summary() hotseat.Sizes {
	r := hotseat.Sizes{Count: s.count, Sum: s.sum, Min: s.min, Max: s.max}
	if s.count > 0 {
		r.Mean = float64(s.sum) / float64(s.count)
	}
	return r
}

// tallies counts a few names.
type tallies []tally

type tally struct {
	name  string
	count int64
}

// maxTallies names are told apart, the others are "other".
const (
	maxTallies = 16
	otherName  = "other"
)

func (t *tallies) add(name []byte, n int64) {
	for i := range *t {
		if (*t)[i].name == string(name) {
			(*t)[i].count += n
			return
		}
	}
	if len(*t) >= maxTallies && string(name) != otherName {
		t.add([]byte(otherName), n)
		return
	}
	*t = append(*t, tally{string(name), n})
}

func (t *tallies) merge(o tallies) {
	for _, x := range o {
		t.add([]byte(x.name), x.count)
	}
}

func (t tallies) summary() map[string]int64 {
	if len(t) == 0 {
		return nil
	}
	m := map[string]int64{}
	for _, x := range t {
		m[x.name] = x.count
	}
	return m
}

// example is the slowest request; of equals the first in the log.
type example struct {
	micro  int64
	file   int
	line   int64
	uri    []byte
	id     []byte
	status int16
	at     float64
	set    bool
}

// maxExample is how much of a request target is kept.
const maxExample = 500

func (e *example) beats(o *example) bool {
	switch {
	case !o.set || !e.set:
		return e.set
	case e.micro != o.micro:
		return e.micro > o.micro
	case e.file != o.file:
		return e.file < o.file
	default:
		return e.line < o.line
	}
}

func (r *route) status(code int16) {
	for i := range r.codes {
		if r.codes[i].code == code {
			r.codes[i].count++
			return
		}
	}
	r.codes = append(r.codes, codeCount{code, 1})
}

// Merge adds what another page has.
func (p *page) Merge(o *page) {
	for _, from := range o.routes {
		if to := p.find(from.method); to != nil {
			to.merge(from)
			from.into = to
		} else {
			p.routes = append(p.routes, from)
		}
	}
}

func (p *page) find(method string) *route {
	for _, r := range p.routes {
		if r.method == method {
			return r
		}
	}
	return nil
}

// method finds the route of a method, or makes it. Who sends anything as a
// method gets only so many routes.
func (p *page) method(method []byte) *route {
	for _, r := range p.routes {
		if r.method == string(method) {
			return r
		}
	}
	const most = 16
	if len(p.routes) >= most && string(method) != otherName {
		return p.method([]byte(otherName))
	}
	r := &route{method: string(method)}
	p.routes = append(p.routes, r)
	return r
}

// methodBits are the methods of RFC 9110 §9 and RFC 5789; all others share a bit.
var methodBits = map[string]uint32{"GET": 1, "HEAD": 1, "POST": 2, "PUT": 4, "PATCH": 8, "DELETE": 16, "OPTIONS": 32}

// Traits tells how often a page was asked for, and how.
func (p *page) Traits() (count int64, methods uint32) {
	for _, r := range p.routes {
		count += r.count
		if b, ok := methodBits[r.method]; ok {
			methods |= b
		} else {
			methods |= 64
		}
	}
	return count, methods
}

func (r *route) merge(o *route) {
	r.count += o.count
	for _, c := range o.codes {
		i := slices.IndexFunc(r.codes, func(x codeCount) bool { return x.code == c.code })
		if i < 0 {
			r.codes = append(r.codes, c)
		} else {
			r.codes[i].count += c.count
		}
	}
	for i := range r.times {
		r.times[i].merge(&o.times[i])
	}
	r.connected += o.connected
	r.retries += o.retries
	r.redirects += o.redirects
	r.firstOnConn += o.firstOnConn
	r.size.merge(&o.size)
	r.requestSize.merge(&o.requestSize)
	r.upstreams.merge(o.upstreams)
	r.cache.merge(o.cache)
	r.encodings.merge(o.encodings)
	if o.slowest.beats(&r.slowest) {
		r.slowest = o.slowest
	}
	r.series.Merge(&o.series)
}
