package accesslog

import "strings"

// field is one thing that a log may say about a request.
type field int8

const (
	fieldNone field = iota - 1
	fieldTime
	fieldMsec
	fieldMethod
	fieldURI
	fieldRequest // "GET / HTTP/1.1"
	fieldStatus
	fieldSize
	fieldRequestSize
	fieldRequestTime
	fieldUpstreamTime
	fieldConnectTime
	fieldHeaderTime
	fieldUpstream
	fieldCache
	fieldEncoding
	fieldRequestID
	fieldConnRequests
	fieldCount
)

// label is what a name in a log means.
type label struct {
	field field
	rank  uint8   // where two labels mean the same, the higher counts
	unit  float64 // seconds; 0 if the name does not tell
}

// names are the labels, keys and groups that people use. alp's come first in
// each line; the others are nginx's variables and what loggers of frameworks
// write (Caddy, Envoy, Echo, Fastify, Rails).
var names = func() map[string]label {
	table := map[string]label{}
	for f, list := range map[field]string{
		fieldTime:         "time time_local time_iso8601 timestamp @timestamp datetime date start_time ts t",
		fieldMsec:         "msec time_msec",
		fieldMethod:       "method request_method requestmethod http_method verb",
		fieldURI:          "request_uri uri requesturl url request_path path",
		fieldRequest:      "req request request_line",
		fieldStatus:       "status status_code response_code code http_status",
		fieldSize:         "size body_bytes body_bytes_sent bytes_sent response_size responsesize response_body_size bytes_out resp_size bytes length",
		fieldRequestSize:  "reqsize request_length request_size requestsize bytes_in bytes_received",
		fieldRequestTime:  "reqtime request_time duration latency elapsed elapsed_time time_taken rt taken",
		fieldUpstreamTime: "apptime response_time upstream_response_time upstream_time responsetime urt runtime",
		fieldConnectTime:  "conntime upstream_connect_time uct",
		fieldHeaderTime:   "headtime upstream_header_time uht",
		fieldUpstream:     "upstream upstream_addr upstream_host",
		fieldCache:        "cachestatus upstream_cache_status cache cache_status",
		fieldEncoding:     "encoding sent_http_content_encoding content_encoding",
		fieldRequestID:    "reqid request_id rid requestid x_request_id",
		fieldConnRequests: "connreqs connection_requests",
	} {
		for i, name := range strings.Fields(list) {
			table[name] = label{field: f, rank: uint8(100 - i)}
		}
	}
	return table
}()

// units are the endings of names that tell the unit.
var units = []struct {
	ending string
	unit   float64
}{
	{"_milliseconds", 1e-3}, {"_millis", 1e-3}, {"_msec", 1e-3}, {"_ms", 1e-3},
	{"_microseconds", 1e-6}, {"_micros", 1e-6}, {"_usec", 1e-6}, {"_us", 1e-6},
	{"_nanoseconds", 1e-9}, {"_nanos", 1e-9}, {"_ns", 1e-9},
	{"_seconds", 1}, {"_sec", 1}, {"_s", 1},
}

// meaning looks a name up, in any case.
func meaning(name string) label {
	name = strings.ToLower(name)
	if l, ok := names[name]; ok {
		return l
	}
	for _, u := range units {
		if short, ok := strings.CutSuffix(name, u.ending); ok {
			if l, ok := names[short]; ok && l.field.isDuration() {
				l.unit = u.unit
				return l
			}
		}
	}
	return label{field: fieldNone}
}

func (f field) isDuration() bool { return f >= fieldRequestTime && f <= fieldHeaderTime }

// record is one line, taken apart. Its values point into the line or into scratch.
type record struct {
	value   [fieldCount][]byte
	rank    [fieldCount]uint8
	unit    [4]float64 // of the four durations, where their names tell
	scratch []byte
}

func (r *record) reset() {
	clear(r.value[:])
	clear(r.rank[:])
	clear(r.unit[:])
	r.scratch = r.scratch[:0]
}

// set keeps a value unless a better label was there.
func (r *record) set(l label, value []byte) {
	if l.field == fieldNone || r.rank[l.field] >= l.rank {
		return
	}
	r.value[l.field], r.rank[l.field] = value, l.rank
	if l.unit != 0 {
		r.unit[l.field-fieldRequestTime] = l.unit
	}
}

// shape remembers the labels of the line before, since all lines of a log are
// mostly alike: then a label costs one comparison.
type shape struct {
	labels []remembered
}

type remembered struct {
	name string
	label
}

const maxShape = 64

// at is the meaning of the i-th name of a line.
func (s *shape) at(i int, name []byte) label {
	if i < len(s.labels) {
		if l := &s.labels[i]; l.name == string(name) {
			return l.label
		}
		l := remembered{string(name), meaning(string(name))}
		s.labels[i] = l
		return l.label
	}
	l := remembered{string(name), meaning(string(name))}
	if i < maxShape {
		s.labels = append(s.labels, l)
	}
	return l.label
}
