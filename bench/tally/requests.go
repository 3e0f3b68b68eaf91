package tally

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// MaxEndpoints is how many endpoints a run may tell apart. What comes later is counted under
// [Overflow], so that templates made from ids by mistake cannot eat the memory.
const MaxEndpoints = 256

// maxCodes is how many failure codes are told apart; the last one takes what comes later.
const maxCodes = 128

// Overflow names the endpoint, and the failure code, that stands for all beyond the limit.
const Overflow = "(others)"

// An Endpoint stands for a method and a URL template.
type Endpoint int

// A Code stands for a failure code.
type Code int

// A Sample is one finished request as its user saw it.
type Sample struct {
	// Latency is the response time: from the intended start in an open population, from the
	// send in a closed one, to the last byte of the body.
	Latency time.Duration
	// Service is the time from the actual send to the last byte; zero means the same as Latency.
	Service time.Duration
	// Status is the HTTP status, zero when no response came.
	Status int
	// Bytes is the length of the body as it came over the wire.
	Bytes int64
	// Failed marks a request whose answer was not accepted.
	Failed bool
}

// shard is the request counters that some users share. Everything in it is added to
// atomically, and read by adding the shards up.
type shard struct {
	_         [128]byte
	endpoints [MaxEndpoints]atomic.Pointer[traffic]
	codes     [maxCodes]atomic.Uint64
	late      histogram
	_         [128]byte
}

// traffic is one endpoint in one shard.
type traffic struct {
	latency  histogram
	service  histogram // only of samples whose service time differs from the latency
	errors   atomic.Uint64
	bytes    atomic.Uint64
	waited   atomic.Int64     // the sum of all latencies, in nanoseconds
	statuses [6]atomic.Uint64 // by hundreds; 0 is "no response"
}

func (s *shard) endpoint(e Endpoint) *traffic {
	slot := &s.endpoints[e]
	if t := slot.Load(); t != nil {
		return t
	}
	slot.CompareAndSwap(nil, new(traffic))
	return slot.Load()
}

// Request counts a finished request. Samples after Close count too: they are what the server did,
// not what it earned.
func (u *User) Request(e Endpoint, s Sample) {
	t := u.shard.endpoint(e)
	t.latency.record(s.Latency)
	t.waited.Add(int64(max(s.Latency, 0)))
	if s.Service != 0 && s.Service != s.Latency {
		t.service.record(s.Service)
	}
	t.bytes.Add(uint64(max(s.Bytes, 0)))
	class := s.Status / 100
	if class < 0 || class > 5 {
		class = 0
	}
	t.statuses[class].Add(1)
	if s.Failed {
		t.errors.Add(1)
	}
}

// Failure counts a failure of that code.
func (u *User) Failure(c Code) { u.shard.codes[c].Add(1) }

// Late records how far behind its plan the generator itself sent something.
func (u *User) Late(by time.Duration) { u.shard.late.record(by) }

// endpointTable numbers endpoints in the order in which they were first asked for.
type endpointTable struct {
	mu    sync.RWMutex
	ids   map[[2]string]Endpoint
	names [][2]string
}

func (t *endpointTable) init() {
	t.ids = map[[2]string]Endpoint{}
}

// Endpoint returns the number of a method and template ("GET", "/posts/:id"), the same each time. A scenario asks
// once and keeps it.
func (t *Tally) Endpoint(method, template string) Endpoint {
	key := [2]string{method, template}
	e := &t.endpoints
	e.mu.RLock()
	id, ok := e.ids[key]
	e.mu.RUnlock()
	if ok {
		return id
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if id, ok := e.ids[key]; ok {
		return id
	}
	id = Endpoint(len(e.names))
	if id == MaxEndpoints-1 {
		key = [2]string{"*", Overflow}
	} else if id >= MaxEndpoints {
		return MaxEndpoints - 1
	}
	e.ids[key] = id
	e.names = append(e.names, key)
	return id
}

type codeTable struct {
	mu    sync.RWMutex
	ids   map[string]Code
	names []string
}

func (t *codeTable) list() []string {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return t.names[:len(t.names):len(t.names)]
}

// Code returns the number of a failure code, the same each time.
func (t *Tally) Code(name string) Code {
	c := &t.codes
	c.mu.RLock()
	id, ok := c.ids[name]
	c.mu.RUnlock()
	if ok {
		return id
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if id, ok := c.ids[name]; ok {
		return id
	}
	if c.ids == nil {
		c.ids = map[string]Code{}
	}
	id = Code(len(c.names))
	if id == maxCodes-1 {
		name = Overflow
	} else if id >= maxCodes {
		return maxCodes - 1
	}
	c.ids[name] = id
	c.names = append(c.names, name)
	return id
}

func (s *shard) addTotals(out *Totals, codes []string) {
	for i := range s.endpoints {
		t := s.endpoints[i].Load()
		if t == nil {
			continue
		}
		for class := range t.statuses {
			out.Requests += t.statuses[class].Load()
		}
		out.Errors += t.errors.Load()
		out.Bytes += t.bytes.Load()
	}
	for i, code := range codes {
		if n := s.codes[i].Load(); n > 0 {
			out.Failures[code] += n
		}
	}
}

// EndpointStats is what all users together saw of one endpoint.
type EndpointStats struct {
	Method, Template string
	Count            uint64
	Errors           uint64
	Bytes            uint64
	// Statuses counts responses by hundreds of their status: Statuses[2] is 2xx. Statuses[0] is requests that got no response.
	Statuses [6]uint64
	// Waited is the sum of all latencies: how long users stood waiting for this endpoint, all of them together.
	Waited time.Duration
	// Latency and Service are in microseconds; Service equals Latency where no sample told them apart.
	Latency, Service *hdrhistogram.Histogram
}

// Endpoints merges the shards, endpoint by endpoint, in the order in which endpoints were first asked for; those without a
// request are left out.
func (t *Tally) Endpoints() []EndpointStats {
	t.endpoints.mu.RLock()
	names := t.endpoints.names[:len(t.endpoints.names):len(t.endpoints.names)]
	t.endpoints.mu.RUnlock()
	var out []EndpointStats
	for i, name := range names {
		e := EndpointStats{Method: name[0], Template: name[1]}
		var latency, service merged
		for _, s := range t.shards {
			shared := s.endpoints[i].Load()
			if shared == nil {
				continue
			}
			latency.add(&shared.latency)
			service.add(&shared.service)
			e.Errors += shared.errors.Load()
			e.Bytes += shared.bytes.Load()
			e.Waited += time.Duration(shared.waited.Load())
			for class := range shared.statuses {
				n := shared.statuses[class].Load()
				e.Statuses[class] += n
				e.Count += n
			}
		}
		if e.Count == 0 {
			continue
		}
		e.Latency = latency.histogram()
		e.Service = e.Latency
		if !service.empty() {
			e.Service = service.histogram()
		}
		out = append(out, e)
	}
	return out
}

// Lateness is the merged distribution of what Late recorded, in microseconds.
func (t *Tally) Lateness() *hdrhistogram.Histogram {
	var all merged
	for _, s := range t.shards {
		all.add(&s.late)
	}
	return all.histogram()
}
