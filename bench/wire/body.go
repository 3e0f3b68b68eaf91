package wire

import (
	"errors"
	"io"
	"time"
)

// trusted is how much room a Content-Length gets before its bytes come.
const trusted = 1 << 20

// receiveBody reads the body that the head announces, RFC 9112 §6.3.
//
// Bytes behind the end of a response are a failure of that response when they
// came together with it. When they come later, the connection is found
// unsolicited and dropped before its next use, and only Stats.Unsolicited
// tells.
func (x *exchange) receiveBody() (keep bool, failure *Error) {
	resp, h := x.resp, &x.resp.head
	keep = h.persistent()
	switch {
	case resp.Method == "HEAD" || h.status == 204 || h.status == 304:
		if extra := len(resp.buf.b) - resp.headEnd; extra > 0 {
			failure = failf(CodeUnexpectedBody, "body", "%d bytes behind the head of a %s response to %s",
				extra, h.statusText(resp.buf.b), resp.Method)
		}
		resp.Body = resp.buf.b[resp.headEnd:resp.headEnd]
	case h.chunked:
		failure = x.receiveChunks()
	case h.length >= 0:
		failure = x.receiveLength()
	default:
		keep = false
		failure = x.receiveRest()
	}
	resp.hint = len(resp.buf.b) + 1
	return keep, failure
}

func (x *exchange) receiveLength() *Error {
	resp := x.resp
	if resp.head.length > int64(x.limits.MaxBody) {
		return failf(CodeBodyTooLarge, "body", "Content-Length %d exceeds %d", resp.head.length, x.limits.MaxBody)
	}
	end := resp.headEnd + int(resp.head.length)
	for len(resp.buf.b) < end {
		// Room for one byte too many shows most of the bodies that are longer
		// than announced.
		missing := end - len(resp.buf.b) + 1
		if err := x.fillBody(min(missing, trusted)); err != nil {
			resp.Body = resp.buf.b[resp.headEnd:]
			resp.RawLength = int64(len(resp.Body))
			return x.bodyFailure(err)
		}
	}
	resp.Body = resp.buf.b[resp.headEnd:end:end]
	resp.RawLength = resp.head.length
	if extra := len(resp.buf.b) - end; extra > 0 {
		return failf(CodeLengthMismatch, "body", "%d bytes behind a body of Content-Length %d", extra, resp.head.length)
	}
	return nil
}

func (x *exchange) receiveChunks() *Error {
	resp := x.resp
	var d chunked
	w, r := resp.headEnd, resp.headEnd
	for {
		var failure *Error
		w, r, failure = d.decode(resp.buf.b, w, r, x.limits)
		resp.Body = resp.buf.b[resp.headEnd:w:w]
		resp.RawLength = int64(len(resp.Body))
		if failure != nil {
			return failure
		}
		if d.state == chunkDone {
			break
		}
		// All input was used up: what is read next goes behind the data.
		resp.buf.b = resp.buf.b[:w]
		r = w
		// Ask for the rest of the chunk, and the framing behind it.
		if err := x.fillBody(int(min(d.left, trusted)) + 512); err != nil {
			resp.Body = resp.buf.b[resp.headEnd:w:w]
			return x.bodyFailure(err)
		}
	}
	if extra := len(resp.buf.b) - r; extra > 0 {
		return failf(CodeLengthMismatch, "body", "%d bytes behind the last chunk", extra)
	}
	return resp.parseTrailers(d.trailers)
}

func (r *Response) parseTrailers(raw []byte) *Error {
	if len(raw) == 0 {
		return nil
	}
	t := &trailers{raw: raw}
	for start, i := 0, 0; i < len(raw); i++ {
		if raw[i] != '\n' { // always behind a CR: chunked made sure
			continue
		}
		field, failure := parseField(raw, start, i-1)
		if failure != nil {
			return failure
		}
		t.fields = append(t.fields, field)
		start = i + 1
	}
	r.trailers = t
	return nil
}

// receiveRest reads a body that ends with the connection.
func (x *exchange) receiveRest() *Error {
	resp := x.resp
	for {
		resp.Body = resp.buf.b[resp.headEnd:]
		resp.RawLength = int64(len(resp.Body))
		if len(resp.Body) > x.limits.MaxBody {
			return failf(CodeBodyTooLarge, "body", "body exceeds %d bytes", x.limits.MaxBody)
		}
		switch err := x.fillBody(2 << 10); {
		case errors.Is(err, io.EOF) && (x.cn.under == nil || !x.cn.under.ended):
			return nil
		case err != nil:
			return x.bodyFailure(err)
		}
	}
}

// fillBody reads once more of the body, waiting no longer than Limits.Body.
// What is known of the body stays where the buffer is: making room may move it
// and give the old one to the next response, even when nothing more comes.
func (x *exchange) fillBody(n int) error {
	until := x.until
	if stall := x.resp.Timing.Done.Add(x.limits.Body); stall.Before(until) {
		until = stall
	}
	err := x.fill(n, until)
	end := x.resp.headEnd + len(x.resp.Body)
	x.resp.Body = x.resp.buf.b[x.resp.headEnd:end:end]
	return err
}

// bodyFailure tells a body that stopped coming from one that took too long.
func (x *exchange) bodyFailure(err error) *Error {
	failure := x.failure("body", err)
	if failure.Code == CodeTimeout && time.Now().Before(x.until) {
		return fail(CodeStalledBody, "body", err)
	}
	return failure
}
