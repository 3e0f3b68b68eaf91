package wire

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"
)

const (
	// maxInterim bounds the 1xx responses before a final one.
	maxInterim = 10
	// inlineBody is the largest request body that is copied behind the head,
	// so that both leave in one system call.
	inlineBody = 16 << 10
	// lateAnswer is how long an answer is waited for on a connection that
	// broke while the request was being written.
	lateAnswer = time.Second
	// uploadGrace is how long an upload may still run when the response is
	// already complete, before it counts as cut short.
	uploadGrace = 10 * time.Millisecond
)

// Do makes one exchange: it sends req and fills resp. Redirects are responses
// like any other. The error, when there is one, is an *Error; a response with
// status 500 is not an error here.
//
// When ctx ends, the exchange is interrupted promptly and fails as canceled.
func (c *Client) Do(ctx context.Context, req *Request, resp *Response) error {
	resp.Redirects = resp.Redirects[:0]
	start := time.Now()
	limits := c.limitsFor(req, resp)
	if failure := c.do(ctx, req, resp, limits, start, start.Add(limits.Total)); failure != nil {
		return failure
	}
	return nil
}

// limitsFor gives the limits in effect for a request. The response lends the
// memory, so that a limit per request does not cost an allocation per request.
func (c *Client) limitsFor(req *Request, resp *Response) *Limits {
	if req.Limits == (Limits{}) {
		return &c.limits
	}
	resp.limits = req.Limits.over(c.options.Limits).effective()
	return &resp.limits
}

// exchange is one request on one connection.
type exchange struct {
	client *Client
	cn     *conn
	req    *Request
	resp   *Response
	limits *Limits
	until  time.Time // when Limits.Total ends

	sent int       // bytes written
	got  int       // bytes read
	idle idleState // if it was not alive, nothing was written
}

// do makes one exchange, with a second attempt if a stale connection was at fault.
func (c *Client) do(ctx context.Context, req *Request, resp *Response, limits *Limits, start, until time.Time) *Error {
	resp.begin(start)
	has, failure := req.check()
	if failure == nil && c.invalid != nil {
		failure = fail(CodeScenarioBug, "request", c.invalid)
	}
	if failure != nil {
		return failure
	}
	h := c.hostOf(req)
	resp.Method, resp.Host, resp.Path = req.method(), h.target.Host, req.Path
	name := h.name
	if req.Host != "" {
		resp.Host, name = req.Host, hostname(req.Host)
	}
	if ctx.Err() != nil {
		return canceled(ctx, "wait")
	}
	if failure := c.attempt(ctx, h, req, resp, has, name, limits, until); failure != nil {
		failure.Addr = h.target.Address
		return failure
	}
	if req.Coding == CodingKept {
		return nil
	}
	accepted := c.accepted
	if req.Coding == CodingNone {
		accepted = 0
	}
	if has&hasAcceptEncoding != 0 {
		value, _ := req.field("Accept-Encoding")
		accepted = parseAccepted(value)
	}
	if failure := resp.decodeBody(accepted, limits); failure != nil {
		failure.Addr, failure.Sent = h.target.Address, true
		return failure
	}
	return nil
}

// attempt makes the exchange on connections of h until one is not dead from
// the start, and twice if a stale one was at fault.
func (c *Client) attempt(ctx context.Context, h *host, req *Request, resp *Response, has fieldSet, name string, limits *Limits, until time.Time) *Error {
	sent := false
	for fresh := false; ; {
		cn, failure := c.acquire(ctx, h, fresh, limits, resp, until)
		if failure != nil {
			failure.Sent = sent
			return failure
		}
		x := exchange{client: c, cn: cn, req: req, resp: resp, limits: limits, until: until}
		failure = x.run(ctx, has)
		if x.idle != idleAlive {
			continue // nothing has happened
		}
		sent = sent || x.sent > 0
		// A browser keeps cookies as soon as it has read the head.
		if resp.Status != 0 && resp.head.cookies > 0 && c.options.Jar != nil {
			resp.keepCookies(c.options.Jar, name, req.Path, h.target.TLS != nil)
		}
		if failure == nil {
			return nil
		}
		failure.Sent = sent
		if failure.Code != CodeStaleKeepAlive || fresh || (x.sent > 0 && !req.idempotent()) {
			return failure
		}
		c.stats.StaleRetries.Add(1)
		resp.begin(resp.Timing.Start)
		resp.Retried, fresh = true, true
	}
}

func (r *Response) keepCookies(jar *Jar, host, path string, secure bool) {
	for value := range r.Values("Set-Cookie") {
		jar.SetCookie(host, path, secure, value)
	}
}

// run makes the exchange and lets go of the connection. If that was found
// dead before anything was written, x.idle tells.
func (x *exchange) run(ctx context.Context, has fieldSet) (failure *Error) {
	c, cn, resp := x.client, x.cn, x.resp
	resp.Reused, resp.LocalAddr = cn.served > 0, cn.local
	last := has&hasClose != 0 || (c.options.KeepAlive > 0 && cn.served+1 >= int(c.options.KeepAlive))

	keep := false
	if err := cn.begin(ctx, resp.Timing.Connected); err != nil {
		failure = x.failure("write", err)
	} else {
		keep, failure = x.talk(has, last)
	}
	intact := cn.end()
	c.account(x)
	if failure == nil && x.idle == idleAlive {
		if keep && !last && intact {
			cn.since = resp.Timing.Done
			c.giveBack(cn)
		} else {
			c.discard(cn, intact)
		}
		return nil
	}
	c.discard(cn, false)
	if failure == nil {
		return nil
	}
	if failure.Code == CodeCanceled && ctx.Err() != nil {
		failure = canceled(ctx, failure.Op)
	}
	if broke := failure.Code == CodeReset || failure.Code == CodeEarlyEOF; broke && resp.Reused && x.got == 0 {
		c.stats.Stale.Add(1)
		return fail(CodeStaleKeepAlive, failure.Op, failure.Err)
	}
	return failure
}

func (c *Client) account(x *exchange) {
	switch {
	case x.idle == idleClosed:
		c.stats.Dropped.Add(1)
	case x.idle == idleUnsolicited:
		c.stats.Unsolicited.Add(1)
	case x.sent > 0:
		c.stats.Exchanges.Add(1)
		c.stats.BytesOut.Add(int64(x.sent))
		c.stats.BytesIn.Add(int64(x.got))
	}
}

// talk writes the request and reads the response. Keep tells that the
// connection is good for another exchange.
func (x *exchange) talk(has fieldSet, last bool) (keep bool, failure *Error) {
	cn, resp, body := x.cn, x.resp, x.req.Body
	// The request is rendered into the buffer that the response will be read
	// into: by then it has been sent.
	if len(body) > inlineBody {
		body = nil
	}
	resp.room(minRead + len(body))
	request := x.client.appendHead(resp.buf.b[:0], cn.host, x.req, has, last)
	request = append(request, body...)
	resp.buf.b = request[:0]

	if cn.raw != nil && cn.under == nil && len(body) == len(x.req.Body) {
		s := cn.swap(request, resp, x.headUntil())
		x.sent, x.idle = s.sent, s.idle
		switch {
		case s.idle != idleAlive:
			return false, nil
		case s.got > 0:
			x.note(s.got)
			return x.receive()
		case s.err != nil && x.sent == len(request):
			return false, x.failure("head", s.err)
		case s.err != nil:
			return x.unwritten(s.err)
		}
		request = request[s.sent:] // the socket did not take all at once
	} else if resp.Reused {
		if x.idle = cn.look(); x.idle != idleAlive {
			return false, nil
		}
	}
	n, err := cn.write(request, x.until)
	x.sent += n
	switch {
	case err != nil:
		return x.unwritten(err)
	case len(body) < len(x.req.Body):
		return x.upload()
	}
	return x.receive()
}

// unwritten goes on after a write that failed: a server that refuses a
// request may answer and close without reading all of it.
func (x *exchange) unwritten(err error) (keep bool, failure *Error) {
	failure = x.failure("write", err)
	if failure.Code != CodeReset {
		return false, failure
	}
	if until := time.Now().Add(lateAnswer); until.Before(x.until) {
		x.until = until
	}
	if _, none := x.receive(); none == nil {
		return false, nil
	}
	return false, failure
}

// upload sends a large body while the response is already being read: a
// server may refuse it before its end, and both of us would wait for ever if
// each only wrote.
func (x *exchange) upload() (keep bool, failure *Error) {
	cn := x.cn
	type outcome struct {
		n   int
		err error
	}
	cn.exact, cn.split = true, true
	if err := cn.setWrite(x.until); err != nil {
		return false, x.failure("write", err)
	}
	body, done := x.req.Body, make(chan outcome, 1)
	go func() {
		n, err := cn.nc.Write(body)
		done <- outcome{n, err}
	}()
	keep, failure = x.receive()
	// Whatever came of it, the writer is not left behind.
	grace := time.Now()
	if failure == nil {
		grace = grace.Add(uploadGrace)
	}
	var written outcome
	select {
	case written = <-done:
	default:
		_ = cn.setWrite(grace) // fails only when the write fails anyway
		written = <-done
	}
	x.sent += written.n
	cn.armed = time.Time{}
	// A socket tells of a reset only once, and it may have told the writer.
	if failure != nil && failure.Code == CodeEarlyEOF && written.err != nil {
		if reset := x.failure("write", written.err); reset.Code == CodeReset {
			failure = reset
		}
	}
	return keep && written.err == nil, failure
}

// headUntil is when the response head must be complete.
func (x *exchange) headUntil() time.Time {
	if t := x.resp.Timing.Connected.Add(x.limits.Head); t.Before(x.until) {
		return t
	}
	return x.until
}

// receive reads one final response, or the rest of it.
func (x *exchange) receive() (keep bool, failure *Error) {
	resp := x.resp
	for {
		if resp.buf != nil && len(resp.buf.b) > 0 {
			if failure := x.parseHead(); failure != nil {
				return false, failure
			}
		}
		if resp.headEnd > 0 {
			return x.receiveBody()
		}
		if err := x.fill(minRead, x.headUntil()); err != nil {
			return false, x.failure("head", err)
		}
	}
}

// parseHead parses what has come, and steps over interim responses.
func (x *exchange) parseHead() *Error {
	resp := x.resp
	for {
		end, failure := resp.head.advance(resp.buf.b)
		switch {
		case failure != nil:
			return failure
		case max(end, resp.head.scan) > x.limits.MaxHead:
			return failf(CodeHeaderTooLarge, "head", "response head exceeds %d bytes", x.limits.MaxHead)
		case end == 0:
			return nil
		case resp.head.status >= 200:
			resp.headEnd = end
			resp.Status = resp.head.status
			resp.Proto = "HTTP/1.1"
			if resp.head.minor == 0 {
				resp.Proto = "HTTP/1.0"
			}
			return nil
		}
		if resp.Interim++; resp.Interim > maxInterim {
			return failf(CodeTooManyInterim, "head", "more than %d interim responses", maxInterim)
		}
		resp.head.begin(end)
	}
}

// fill reads once, into at least n bytes of free buffer.
func (x *exchange) fill(n int, until time.Time) error {
	resp := x.resp
	resp.room(n)
	b := resp.buf.b
	got, err := x.cn.read(b[len(b):cap(b)], until)
	if err != nil {
		return err
	}
	x.note(got)
	resp.buf.b = b[:len(b)+got]
	return nil
}

// note takes down that bytes came.
func (x *exchange) note(n int) {
	x.got += n
	now := time.Now()
	if x.resp.Timing.FirstByte.IsZero() {
		x.resp.Timing.FirstByte = now
	}
	x.resp.Timing.Done = now
}

// failure says what an error of reading or writing means here.
func (x *exchange) failure(op string, err error) *Error {
	switch {
	case errors.Is(err, errInterrupted):
		return fail(CodeCanceled, op, err)
	case errors.Is(err, errTimedOut):
		return fail(CodeTimeout, op, err)
	case errors.Is(err, net.ErrClosed):
		return fail(CodeCanceled, op, errClientClosed)
	case errors.Is(err, syscall.EMFILE):
		return fail(CodeFDExhausted, op, err)
	}
	return ioFailure(op, err)
}
