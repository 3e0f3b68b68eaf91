package wire

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// peer is the server's end of one connection, in the hands of a script.
type peer struct {
	t      *testing.T
	nc     *net.TCPConn
	r      *bufio.Reader
	number int // of the connection, from 1
}

// request reads one request; false when the client has gone.
func (p *peer) request() bool {
	req, err := http.ReadRequest(p.r)
	if err != nil {
		return false
	}
	_, err = io.Copy(io.Discard, req.Body)
	return err == nil
}

// send writes pieces as they are; errors mean that the client has gone.
func (p *peer) send(pieces ...string) bool {
	for _, s := range pieces {
		if _, err := io.WriteString(p.nc, s); err != nil {
			return false
		}
	}
	return true
}

// drip writes byte by byte.
func (p *peer) drip(s string, pause time.Duration) {
	for i := range len(s) {
		if !p.send(s[i : i+1]) {
			return
		}
		time.Sleep(pause)
	}
}

// hold keeps the connection open until the client closes it.
func (p *peer) hold() { _, _ = io.Copy(io.Discard, p.nc) }

// reset ends the connection with RST instead of FIN.
func (p *peer) reset() {
	_ = p.nc.SetLinger(0)
	_ = p.nc.Close()
}

// hostile starts a server that runs script on every connection, and closes
// the connection when the script is done.
func hostile(t *testing.T, script func(*peer)) Target {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for number := 1; ; number++ {
			nc, err := listener.Accept()
			if err != nil {
				return
			}
			group.Go(func() {
				defer func() { _ = nc.Close() }()
				script(&peer{t, nc.(*net.TCPConn), bufio.NewReader(nc), number})
			})
		}
	})
	t.Cleanup(func() { _ = listener.Close(); group.Wait() })
	target, err := ParseTarget("http://" + listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	return target
}

// reply is the commonest script: read one request, send these bytes, close.
func reply(pieces ...string) func(*peer) {
	return func(p *peer) {
		if p.request() && p.send(pieces...) {
			// A server that closes with a request unread would reset.
			_ = p.nc.CloseWrite()
			p.hold()
		}
	}
}

// replyAndHold sends these bytes and then nothing more.
func replyAndHold(pieces ...string) func(*peer) {
	return func(p *peer) {
		if p.request() && p.send(pieces...) {
			p.hold()
		}
	}
}

// endless sends a beginning and then the same for ever.
func endless(begin, forever string) func(*peer) {
	forever = strings.Repeat(forever, 1+4096/len(forever))
	return func(p *peer) {
		if p.request() && p.send(begin) {
			for p.send(forever) {
			}
		}
	}
}

// hostileCase is one thing a server can do to us, and what we call it.
type hostileCase struct {
	name   string
	script func(*peer)
	req    Request
	limits Limits
	accept string // Accept-Encoding
	follow bool

	code   string // expected; empty: the response is fine
	status int    // expected, 0: not compared
	body   string // expected when the response is fine
}

const ok200 = "HTTP/1.1 200 OK\r\n"

func runHostile(t *testing.T, cases []hostileCase) {
	for _, test := range cases {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if test.req.Path == "" {
				test.req.Path = "/"
			}
			stats := new(Stats)
			client := NewClient(Options{
				Target: hostile(t, test.script), Limits: test.limits, AcceptEncoding: test.accept, Jar: new(Jar), Events: stats,
			})
			defer client.Close()
			// No case may hang: this is no time limit of the client's.
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			do := client.Do
			if test.follow {
				do = client.Follow
			}
			var resp Response
			err := do(ctx, &test.req, &resp)
			if ctx.Err() != nil {
				t.Error("it only ended because the test did")
			}
			switch {
			case test.code != "":
				expectFailure(t, err, test.code, true)
			case err != nil:
				t.Errorf("unexpected failure: %v", err)
			case string(resp.Body) != test.body:
				t.Errorf("body %.80q, want %.80q", resp.Body, test.body)
			}
			if test.status != 0 && resp.Status != test.status {
				t.Errorf("status %d, want %d", resp.Status, test.status)
			}
			// However much it sends, we hold little of it.
			if resp.buf != nil && cap(resp.buf.b) > 4<<20 && test.limits.MaxHead >= 0 {
				t.Errorf("buffer of %d bytes", cap(resp.buf.b))
			}
			client.mu.Lock()
			if client.main.slots != len(client.main.idle) || client.main.slots != len(client.main.conns) {
				t.Errorf("%d connections open, %d idle, %d slots taken", len(client.main.conns), len(client.main.idle), client.main.slots)
			}
			client.mu.Unlock()
			resp.Release()
		})
	}
}

func TestHostileHead(t *testing.T) {
	fine := "Content-Length: 2\r\n\r\nok"
	runHostile(t, []hostileCase{
		{name: "no answer", script: replyAndHold(), limits: Limits{Total: 80 * time.Millisecond}, code: CodeTimeout},
		{name: "slow head", code: CodeTimeout, limits: Limits{Head: 80 * time.Millisecond}, script: func(p *peer) {
			p.request()
			p.drip(ok200+strings.Repeat("X: y\r\n", 1000), 5*time.Millisecond)
		}},
		{name: "head byte by byte is fine", body: "ok", script: func(p *peer) { p.request(); p.drip(ok200+fine, 0); p.hold() }},
		{name: "endless header line", script: endless(ok200+"X-Long: ", "a"), code: CodeHeaderTooLarge},
		{name: "endless header lines", script: endless(ok200, "X-Long: "+strings.Repeat("a", 500)+"\r\n"), code: CodeHeaderTooLarge},
		{name: "endless tiny header lines", script: endless(ok200, "a:\r\n"), code: CodeHeaderTooLarge},
		{name: "six hundred header lines", script: reply(ok200 + strings.Repeat("a: b\r\n", 600) + fine), code: CodeHeaderTooLarge},
		{name: "five hundred header lines", script: reply(ok200 + strings.Repeat("a: b\r\n", 500) + fine), body: "ok"},
		{name: "endless status line", script: endless("HTTP/1.1 200 ", "a"), code: CodeHeaderTooLarge},
		{name: "ten megabytes of cookie", script: reply(ok200+"Set-Cookie: a=", strings.Repeat("x", 10<<20), "\r\n"+fine), code: CodeHeaderTooLarge},
		{name: "ten megabytes of cookie in a large head", body: "ok", limits: Limits{MaxHead: -1}, script: reply(ok200+"Set-Cookie: a=", strings.Repeat("x", 10<<20), "\r\n"+fine)},
		{name: "HTTP/0.9", script: reply("<html>hello</html>"), code: CodeBadStatusLine},
		{name: "HTTP/0.9, held open", script: replyAndHold("<html>hello</html>"), code: CodeBadStatusLine},
		{name: "HTTP/2 preface", script: replyAndHold("\x00\x00\x12\x04\x00\x00\x00\x00\x00"), code: CodeBadStatusLine},
		{name: "HTTP/2.0", script: reply("HTTP/2.0 200 OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "TLS alert to a plain client", script: replyAndHold("\x15\x03\x01\x00\x02\x02\x16"), code: CodeBadStatusLine},
		{name: "SSH banner", script: replyAndHold("SSH-2.0-OpenSSH_9.2\r\n"), code: CodeBadStatusLine},
		{name: "lower case version", script: reply("http/1.1 200 OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "blank line first", script: reply("\r\n" + ok200 + fine), code: CodeBadStatusLine},
		{name: "status of two digits", script: reply("HTTP/1.1 20 OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "status of four digits", script: reply("HTTP/1.1 2000 OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "status below 100", script: reply("HTTP/1.1 099 OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "status in letters", script: reply("HTTP/1.1 abc OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "NUL in the reason", script: reply("HTTP/1.1 200 O\x00K\r\n" + fine), code: CodeBadStatusLine},
		{name: "two spaces before the status", script: reply("HTTP/1.1  200 OK\r\n" + fine), code: CodeBadStatusLine},
		{name: "no reason", script: reply("HTTP/1.1 200\r\n" + fine), body: "ok", status: 200},
		{name: "status 999", script: reply("HTTP/1.1 999 Whatever\r\n" + fine), body: "ok", status: 999},
		{name: "bare LF line ends", script: reply("HTTP/1.1 200 OK\nContent-Length: 2\n\nok"), body: "ok"},
		{name: "CR in a value", script: reply(ok200 + "X: a\rb\r\n" + fine), code: CodeBadHeader},
		{name: "NUL in a value", script: reply(ok200 + "X: a\x00b\r\n" + fine), code: CodeBadHeader},
		{name: "NUL in a name", script: reply(ok200 + "X\x00: a\r\n" + fine), code: CodeBadHeader},
		{name: "escape character in a value", script: reply(ok200 + "X: \x1b[31m\r\n" + fine), code: CodeBadHeader},
		{name: "raw UTF-8 in a value", script: reply(ok200 + "X: 写真\r\n" + fine), body: "ok"},
		{name: "no colon", script: reply(ok200 + "what is this\r\n" + fine), code: CodeBadHeader},
		{name: "space before the colon", script: reply(ok200 + "X : a\r\n" + fine), code: CodeBadHeader},
		{name: "empty name", script: reply(ok200 + ": a\r\n" + fine), code: CodeBadHeader},
		{name: "folded line", script: reply(ok200 + "X: a\r\n b\r\n" + fine), code: CodeBadHeader},
		{name: "folded first line", script: reply(ok200 + " X: a\r\n" + fine), code: CodeBadHeader},
		{name: "close before anything", script: reply(), code: CodeEarlyEOF},
		{name: "half-closed before the answer", code: CodeEarlyEOF, script: func(p *peer) { p.request(); _ = p.nc.CloseWrite(); p.hold() }},
		{name: "reset before the answer", script: func(p *peer) { p.request(); p.reset() }, code: CodeReset},

		{name: "interim responses", script: reply("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n" + ok200 + fine), body: "ok"},
		{name: "interim storm", script: endless("", "HTTP/1.1 100 Continue\r\n\r\n"), code: CodeTooManyInterim},
		{name: "interim with endless head", script: endless("HTTP/1.1 103 Early Hints\r\n", "Link: </a.css>; rel=preload; as=style; nopush; crossorigin=anonymous; x=yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy\r\n"), code: CodeHeaderTooLarge},
		{name: "interim and close", script: reply("HTTP/1.1 100 Continue\r\n\r\n"), code: CodeEarlyEOF},
		{name: "interim and silence", script: replyAndHold("HTTP/1.1 100 Continue\r\n\r\n"), limits: Limits{Head: 50 * time.Millisecond}, code: CodeTimeout},
		{name: "protocol switch", script: replyAndHold("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n"), code: CodeBadStatusLine},
	})
}

// TestEarlyClose ends a response after every one of its bytes.
func TestEarlyClose(t *testing.T) {
	for name, response := range map[string]string{
		"length":  ok200 + "Content-Length: 10\r\n\r\n0123456789",
		"chunked": ok200 + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n3;x=y\r\nefg\r\n0\r\nT: v\r\n\r\n",
	} {
		for _, end := range []string{"close", "reset"} {
			t.Run(name+" "+end, func(t *testing.T) {
				t.Parallel()
				var cut atomic.Int32
				target := hostile(t, func(p *peer) {
					p.request()
					p.send(response[:cut.Load()])
					if end == "reset" {
						// RST may overtake data that has not been read.
						time.Sleep(2 * time.Millisecond)
						p.reset()
					}
				})
				client := NewClient(Options{Target: target})
				defer client.Close()
				var resp Response
				for n := range len(response) {
					cut.Store(int32(n))
					err := client.Do(t.Context(), &Request{Path: "/"}, &resp)
					code := CodeEarlyEOF
					if end == "reset" {
						code = CodeReset
					}
					expectFailure(t, err, code, true)
				}
				cut.Store(int32(len(response)))
				if end == "reset" {
					return
				}
				if err := client.Do(t.Context(), &Request{Path: "/"}, &resp); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestNothingLeft is the last word on all tests of this file: no goroutine
// survives its client.
func TestNothingLeft(t *testing.T) {
	target := hostile(t, func(p *peer) {
		for p.request() && p.send(ok200+"Content-Length: 2\r\n\r\nok") {
		}
	})
	settle := func() int {
		n := runtime.NumGoroutine()
		for range 100 {
			time.Sleep(5 * time.Millisecond)
			if m := runtime.NumGoroutine(); m >= n {
				return n
			} else {
				n = m
			}
		}
		return n
	}
	before := settle()
	body := bytes.Repeat([]byte("x"), 1<<20)
	for range 50 {
		client := NewClient(Options{Target: target})
		ctx, cancel := context.WithCancel(t.Context())
		for _, req := range []Request{{Path: "/"}, {Method: "POST", Path: "/", Body: body}} {
			if err := client.Do(ctx, &req, new(Response)); err != nil {
				t.Fatal(err)
			}
		}
		client.Close()
		cancel()
	}
	if after := settle(); after > before+2 {
		t.Errorf("%d goroutines before, %d after", before, after)
	}
}
