package wire

import (
	"iter"
	"net/netip"
	"time"
)

// Response is what came back. The zero value is ready; use one again for the
// next exchange, which overwrites it. It is not safe for concurrent use.
//
// After a failure it holds as much as was understood: Status is 0 if no
// complete head came, and Body the part that arrived.
type Response struct {
	Status int
	Proto  string // "HTTP/1.1" or "HTTP/1.0"
	// Body is the body with its content coding undone. It is a slice of a
	// reused buffer: valid until the next exchange with this Response, or
	// Release.
	Body []byte
	// RawLength is the number of body bytes on the wire, before decoding and
	// without chunk framing.
	RawLength int64

	// Method, Host and Path are those of the request that was answered: after
	// Follow, the last one. Path includes the query.
	Method, Host, Path string
	// Redirects are the hops that Follow took to get there.
	Redirects []Hop

	Timing Timing
	// Reused tells that the connection had carried an exchange before.
	Reused bool
	// Retried tells that a stale connection made wire send the request twice.
	Retried bool
	// LocalAddr is our end of the connection; not valid for unix sockets.
	LocalAddr netip.AddrPort
	// Interim counts the 1xx responses that came before the final one.
	Interim int

	head     head
	headEnd  int
	buf      *buffer // head and raw body
	decoded  *buffer // Body, when it was decoded
	trailers *trailers
	limits   Limits // in effect, when the request has its own
	hint     int    // bytes the last response needed, to begin with enough room
}

// Timing says when things happened, by the monotonic clock.
type Timing struct {
	Start     time.Time // Do was called
	Connected time.Time // a connection was ready; equal to Start when one was idle
	FirstByte time.Time // the first piece of the response was read
	Done      time.Time // the last piece was read
}

// Hop is one redirect that was followed.
type Hop struct {
	Status   int
	Method   string // of the request that was answered with the redirect
	Host     string
	Path     string
	Location string // as the server sent it
}

// trailers are the fields behind a chunked body.
type trailers struct {
	raw    []byte
	fields []fieldSpan
}

// Get gives the first value of a header field; name may be in any case. The
// slice is valid as long as Body is.
func (r *Response) Get(name string) (value []byte, ok bool) {
	for i := range r.head.fields {
		f := &r.head.fields[i]
		if int(f.colon-f.name) == len(name) {
			if n, v := r.span(i); equalFold(n, name) {
				return v, true
			}
		}
	}
	return nil, false
}

// Values gives all values of a header field, in the order they came.
func (r *Response) Values(name string) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for n, v := range r.Fields() {
			if equalFold(n, name) && !yield(v) {
				return
			}
		}
	}
}

// Fields gives all header fields, in the order they came.
func (r *Response) Fields() iter.Seq2[[]byte, []byte] {
	return func(yield func(name, value []byte) bool) {
		for i := range r.head.fields {
			if !yield(r.span(i)) {
				return
			}
		}
	}
}

// Trailer gives the first value of a field that came behind a chunked body.
// Unlike header fields, these prove nothing about the body before them.
func (r *Response) Trailer(name string) (value []byte, ok bool) {
	if r.trailers == nil {
		return nil, false
	}
	for _, f := range r.trailers.fields {
		if equalFold(r.trailers.raw[f.name:f.colon], name) {
			return r.trailers.raw[f.value:f.end], true
		}
	}
	return nil, false
}

// Head gives the raw bytes of the response head, with the empty line: for
// samples and messages. Without a complete head it gives what came.
func (r *Response) Head() []byte {
	if r.buf == nil {
		return nil
	}
	end := r.headEnd
	if end == 0 {
		end = len(r.buf.b)
	}
	return r.buf.b[min(r.head.start, end):end]
}

// Reason gives the reason phrase of the status line. It means nothing.
func (r *Response) Reason() []byte {
	if r.Status == 0 {
		return nil
	}
	return r.buf.b[r.head.reason[0]:r.head.reason[1]]
}

// Release gives the buffers back. Status, Timing and the other plain fields
// stay; Body and the header fields are gone.
func (r *Response) Release() {
	r.lend()
	if r.decoded != nil {
		r.decoded.free()
		r.decoded = nil
	}
	r.trailers = nil
	r.Body = nil
	r.headEnd = 0
	r.head.begin(0)
}

func (r *Response) span(i int) (name, value []byte) {
	f := &r.head.fields[i]
	return r.buf.b[f.name:f.colon], r.buf.b[f.value:f.end]
}

// begin forgets the last exchange but keeps the buffers and the hops.
func (r *Response) begin(start time.Time) {
	r.Status, r.Proto, r.Body, r.RawLength = 0, "", nil, 0
	r.Reused, r.Retried, r.LocalAddr, r.Interim = false, false, netip.AddrPort{}, 0
	r.Timing = Timing{Start: start}
	r.headEnd, r.trailers = 0, nil
	r.head.begin(0)
	if r.decoded != nil {
		r.decoded.free()
		r.decoded = nil
	}
	if r.buf != nil {
		r.buf.b = r.buf.b[:0]
	}
}

// room makes sure that n more bytes fit into the buffer.
func (r *Response) room(n int) {
	if r.buf == nil {
		r.buf = getBuffer(max(n, min(r.hint, maxHint)))
		return
	}
	if cap(r.buf.b)-len(r.buf.b) < n {
		r.buf = r.buf.grown(max(len(r.buf.b)+n, 2*cap(r.buf.b)))
	}
}

// lend gives the buffer back until room wants one.
func (r *Response) lend() {
	if r.buf != nil {
		r.buf.free()
		r.buf = nil
	}
}

// minRead is the least room that a read of a head is given.
const minRead = 512

// maxHint bounds the buffer that a user begins a request with, however large
// the last response was.
const maxHint = 64 << 10
