package judge

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// deliveries are the ways in which an answer can go over the wire. The first
// ones are unusual but right (RFC 9112), the last ones fail the client.
var deliveries = []string{
	"chunked", // in chunks, without a length
	"close",   // and the connection is closed after it
	"http10",  // as an HTTP/1.0 server does: its end is the end of the connection
	"terse",   // names in lower case, no space after the colon, no reason phrase
	"dribble", // in many small packets
	"reset",   // the connection is reset after the head
	"half",    // half of the body, then the end of the connection
	"hang",    // the head, and then nothing more until the client gives up
}

// deliver sends an answer to the client.
func (p *proxy) deliver(w http.ResponseWriter, a *answer, how string) {
	switch how {
	case "", "close", "chunked":
		p.deliverByServer(w, a, how)
		return
	}
	conn, out := hijack(w)
	if conn == nil {
		return
	}
	defer func() { _ = conn.Close() }()
	// Write errors below are the client's going away: its business.
	switch how {
	case "http10":
		writeHead(out, "HTTP/1.0", a, nil)
		_, _ = out.Write(a.body)
	case "terse":
		writeTersely(out, a)
	case "dribble":
		dribble(conn, a)
	case "half":
		writeHead(out, "HTTP/1.1", a, contentLength(a))
		_, _ = out.Write(a.body[:len(a.body)/2])
	default: // reset, hang
		writeHead(out, "HTTP/1.1", a, contentLength(a))
	}
	_ = out.Flush()
	switch how {
	case "reset":
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0)
		}
	case "hang":
		p.wait(conn)
	}
}

// deliverByServer lets net/http do it, which keeps the connection.
func (p *proxy) deliverByServer(w http.ResponseWriter, a *answer, how string) {
	maps.Copy(w.Header(), a.head)
	if how == "close" {
		w.Header().Set("Connection", "close")
	}
	if how != "chunked" {
		w.Header().Set("Content-Length", strconv.Itoa(len(a.body)))
		w.WriteHeader(a.status)
		_, _ = w.Write(a.body) // the client may have gone: its business
		return
	}
	w.WriteHeader(a.status)
	flush := http.NewResponseController(w)
	const chunk = 1000 // bytes; no power of two, so that chunks end anywhere
	for part := range slices.Chunk(a.body, chunk) {
		_, _ = w.Write(part)
		_ = flush.Flush()
	}
	_ = flush.Flush() // an empty body needs its chunked end as well
}

// contentLength announces at least two bytes, so that half of them are missing.
func contentLength(a *answer) http.Header {
	return http.Header{"Content-Length": {strconv.Itoa(max(len(a.body), 2))}}
}

func writeHead(out *bufio.ReadWriter, version string, a *answer, more http.Header) {
	_, _ = fmt.Fprintf(out, "%s %d %s\r\n", version, a.status, http.StatusText(a.status))
	_ = a.head.Write(out)
	_ = more.Write(out)
	_, _ = out.WriteString("\r\n")
}

// writeTersely uses every freedom that RFC 9112 §4 and §5 leave in a head.
func writeTersely(out io.Writer, a *answer) {
	_, _ = fmt.Fprintf(out, "HTTP/1.1 %d \r\n", a.status)
	for name, values := range a.head {
		for _, v := range values {
			_, _ = fmt.Fprintf(out, "%s:%s\t \r\n", strings.ToLower(name), v)
		}
	}
	_, _ = fmt.Fprintf(out, "content-length:%d\r\nconnection:close\r\n\r\n", len(a.body))
	_, _ = out.Write(a.body)
}

// dribble sends the head and the beginning of the body in pieces of a few
// bytes, each a packet of its own, and the rest in two.
func dribble(conn net.Conn, a *answer) {
	var b bytes.Buffer
	text := bufio.NewReadWriter(nil, bufio.NewWriter(&b))
	writeHead(text, "HTTP/1.1", a, http.Header{"Content-Length": {strconv.Itoa(len(a.body))}, "Connection": {"close"}})
	_, _ = text.Write(a.body)
	_ = text.Flush()
	const piece, pieces = 97, 12
	rest := b.Bytes()
	for range pieces {
		n := min(piece, len(rest))
		if _, err := conn.Write(rest[:n]); err != nil {
			return
		}
		rest = rest[n:]
		time.Sleep(100 * time.Microsecond)
	}
	_, _ = conn.Write(rest[:len(rest)/2])
	_, _ = conn.Write(rest[len(rest)/2:])
}

// hijack takes the connection from net/http, which cannot fail there: nil says
// that the client has gone.
func hijack(w http.ResponseWriter) (net.Conn, *bufio.ReadWriter) {
	conn, out, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, nil
	}
	return conn, out
}

// hangUp closes the client's connection, after raw if there is any.
func hangUp(w http.ResponseWriter, raw string) {
	conn, _ := hijack(w)
	if conn == nil {
		return
	}
	_, _ = io.WriteString(conn, raw)
	_ = conn.Close()
}

// wait returns when the client has closed the connection, or the proxy does.
func (p *proxy) wait(conn net.Conn) {
	stop := make(chan struct{})
	over := make(chan struct{})
	go func() {
		defer close(over)
		select {
		case <-p.stopped.Done():
			_ = conn.Close() // ends the read below
		case <-stop:
		}
	}()
	_, _ = io.Copy(io.Discard, conn)
	close(stop)
	<-over
}
