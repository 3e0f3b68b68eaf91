package wire

import (
	"errors"
	"strconv"
	"time"
)

// Field is one header field of a request.
type Field struct{ Name, Value string }

// Request is one request to make. Wire only reads it, so one Request may be
// used again and by many users at once.
type Request struct {
	// Method defaults to GET. CONNECT is refused.
	Method string
	// Path is what goes into the request line: path and query, beginning
	// with "/", already percent-encoded ("*" is possible for OPTIONS).
	Path string
	// Host overrides the target's Host header.
	Host string
	// Header holds further fields, sent in this order with these letters.
	// Host, Content-Length, Transfer-Encoding and Expect are refused here:
	// framing is wire's business. A Cookie field replaces the jar's cookies
	// and an Accept-Encoding field the client's.
	Header []Field
	// Body is sent with a Content-Length. POST, PUT and PATCH without a body
	// say "Content-Length: 0".
	Body []byte
	// Limits override the client's, field by field.
	Limits Limits
	// Target, when not nil, is asked instead of the client's own.
	Target *Target
	// Coding says what to make of content codings.
	Coding Coding
	// NoRetry forbids sending the request a second time after a stale
	// connection, although its method is idempotent.
	NoRetry bool

	prepared bool
	lines    []byte // the rendered Header
	has      fieldSet
}

// Coding is what a request makes of content codings (RFC 9110 §8.4).
type Coding uint8

const (
	// CodingUndone asks for the client's AcceptEncoding, unless the request has
	// one of its own, and undoes what the answer has of it.
	CodingUndone Coding = iota
	// CodingNone sends no Accept-Encoding unless the request has one of its own.
	// Without one an answer in any coding is bad-encoding.
	CodingNone
	// CodingKept is CodingNone but leaves the body as it comes, whatever its
	// coding: for load whose contents nobody looks at.
	CodingKept
)

// fieldSet notes which special fields a request's Header holds.
type fieldSet uint8

const (
	hasCookie fieldSet = 1 << iota
	hasAcceptEncoding
	hasClose // Connection: close
)

// Prepare checks the request and renders its header fields once and for all.
// It pays for requests that are made many times; afterwards Header must not
// be changed (everything else may). Its error is a scenario-bug.
func (r *Request) Prepare() error {
	r.prepared = false
	has, failure := r.check()
	if failure != nil {
		return failure
	}
	r.lines = appendFields(nil, r.Header)
	r.has, r.prepared = has, true
	return nil
}

func (r *Request) method() string {
	if r.Method == "" {
		return "GET"
	}
	return r.Method
}

// idempotent tells whether sending the request twice means the same as once,
// by its method, RFC 9110 §9.2.2.
func (r *Request) idempotent() bool {
	switch r.method() {
	case "GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE":
		return !r.NoRetry
	}
	return false
}

// check finds what cannot be sent: anything that would break the framing.
func (r *Request) check() (fieldSet, *Error) {
	if failure := r.checkLine(); failure != nil || r.prepared {
		return r.has, failure
	}
	var has fieldSet
	for i := range r.Header {
		name, value := r.Header[i].Name, r.Header[i].Value
		if !isToken(name) || !isValue(value) {
			return 0, failf(CodeScenarioBug, "request", "header field %q: %q cannot be sent", name, value)
		}
		switch len(name) {
		case len("host"), len("cookie"): // and expect
			switch {
			case equalFold(name, "host"):
				return 0, fail(CodeScenarioBug, "request", errors.New("header field Host: use Request.Host"))
			case equalFold(name, "expect"):
				return 0, fail(CodeScenarioBug, "request", errors.New("header field Expect is not supported"))
			case equalFold(name, "cookie"):
				has |= hasCookie
			}
		case len("connection"):
			if equalFold(name, "connection") && hasToken([]byte(value), "close") {
				has |= hasClose
			}
		case len("content-length"):
			if equalFold(name, "content-length") {
				return 0, fail(CodeScenarioBug, "request", errors.New("header field Content-Length is computed from Body"))
			}
		case len("accept-encoding"):
			if equalFold(name, "accept-encoding") {
				has |= hasAcceptEncoding
			}
		case len("transfer-encoding"):
			if equalFold(name, "transfer-encoding") {
				return 0, fail(CodeScenarioBug, "request", errors.New("header field Transfer-Encoding is not supported"))
			}
		}
	}
	return has, nil
}

func (r *Request) checkLine() *Error {
	if r.Method != "" && r.Method != "GET" && (!isToken(r.Method) || r.Method == "CONNECT") {
		return failf(CodeScenarioBug, "request", "method %q cannot be sent", r.Method)
	}
	if (r.Path == "" || r.Path[0] != '/') && (r.Path != "*" || r.Method != "OPTIONS") {
		return failf(CodeScenarioBug, "request", "path %q does not begin with a slash", r.Path)
	}
	for i := range len(r.Path) {
		if c := r.Path[i]; c <= ' ' || c >= 0x7f {
			return failf(CodeScenarioBug, "request", "path %q must be percent-encoded", r.Path)
		}
	}
	for i := range len(r.Host) {
		if c := r.Host[i]; c <= ' ' || c >= 0x7f || c == '/' {
			return failf(CodeScenarioBug, "request", "host %q cannot be sent", r.Host)
		}
	}
	return nil
}

func isToken(s string) bool {
	for i := range len(s) {
		if !tokenByte[s[i]] {
			return false
		}
	}
	return s != ""
}

func isValue(s string) bool {
	for i := range len(s) {
		if !valueByte[s[i]] {
			return false
		}
	}
	return true
}

func appendFields(dst []byte, fields []Field) []byte {
	for i := range fields {
		dst = appendField(dst, fields[i].Name, fields[i].Value)
	}
	return dst
}

func appendField(dst []byte, name, value string) []byte {
	dst = append(dst, name...)
	dst = append(dst, ": "...)
	dst = append(dst, value...)
	return append(dst, "\r\n"...)
}

func (r *Request) field(name string) (string, bool) {
	for i := range r.Header {
		if equalFold(r.Header[i].Name, name) {
			return r.Header[i].Value, true
		}
	}
	return "", false
}

// AppendHead appends the request's head exactly as c would send it now,
// cookies included: for samples and messages.
func (c *Client) AppendHead(dst []byte, req *Request) ([]byte, error) {
	has, failure := req.check()
	if failure != nil {
		return dst, failure
	}
	return c.appendHead(dst, c.hostOf(req), req, has, c.options.KeepAlive == KeepNever), nil
}

// appendHead renders a checked request.
func (c *Client) appendHead(dst []byte, h *host, req *Request, has fieldSet, last bool) []byte {
	hostHeader, name := h.target.Host, h.name
	if req.Host != "" {
		hostHeader, name = req.Host, hostname(req.Host)
	}
	method := req.method()
	dst = append(dst, method...)
	dst = append(dst, ' ')
	dst = append(dst, req.Path...)
	dst = append(dst, " HTTP/1.1\r\nHost: "...)
	dst = append(dst, hostHeader...)
	dst = append(dst, "\r\n"...)
	for i := range c.options.Header {
		f := &c.options.Header[i]
		if _, overridden := req.field(f.Name); !overridden {
			dst = appendField(dst, f.Name, f.Value)
		}
	}
	if req.prepared {
		dst = append(dst, req.lines...)
	} else {
		dst = appendFields(dst, req.Header)
	}
	if has&hasAcceptEncoding == 0 && c.options.AcceptEncoding != "" && req.Coding == CodingUndone {
		dst = appendField(dst, "Accept-Encoding", c.options.AcceptEncoding)
	}
	if c.options.Jar != nil && has&hasCookie == 0 {
		dst = c.options.Jar.appendHeader(dst, "Cookie: ", name, req.Path, h.target.TLS != nil, "\r\n")
	}
	if len(req.Body) > 0 || method == "POST" || method == "PUT" || method == "PATCH" {
		dst = append(dst, "Content-Length: "...)
		dst = strconv.AppendInt(dst, int64(len(req.Body)), 10)
		dst = append(dst, "\r\n"...)
	}
	if last && has&hasClose == 0 {
		dst = append(dst, "Connection: close\r\n"...)
	}
	return append(dst, "\r\n"...)
}

// IfNoneMatch makes a request conditional on an entity tag, given as the
// server sent it, quotes and W/ included.
func IfNoneMatch(etag string) Field { return Field{"If-None-Match", etag} }

// IfModifiedSince makes a request conditional on a date; what the server sent
// as Last-Modified is better repeated letter by letter.
func IfModifiedSince(t time.Time) Field { return Field{"If-Modified-Since", HTTPDate(t)} }

// HTTPDate gives a time in the form of HTTP's date fields, RFC 9110 §5.6.7.
func HTTPDate(t time.Time) string { return t.UTC().Format("Mon, 02 Jan 2006 15:04:05 GMT") }
