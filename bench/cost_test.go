package bench

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/netip"
	"strconv"
	"testing"

	"hotseat"
	"hotseat/bench/check"
)

// plainServer answers every request with the same bytes and allocates nothing
// in doing so, so that what is measured is the engine.
func plainServer(tb testing.TB, body string) string {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = l.Close() })
	go servePlainly(l, body)
	return "http://" + l.Addr().String()
}

// servePlainly gives every request the same answer, until the listener is closed.
func servePlainly(l net.Listener, body string) {
	answer := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nSet-Cookie: sid=abc; Path=/\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body)
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close() //nolint:errcheck // nothing to lose
			buf := make([]byte, 4096)
			for {
				n, err := conn.Read(buf)
				if err != nil {
					return
				}
				for range bytes.Count(buf[:n], []byte("\r\n\r\n")) {
					if _, err := conn.Write(answer); err != nil {
						return
					}
				}
			}
		}()
	}
}

// lone makes a user of a run that measures one thing.
func lone(tb testing.TB, target string) *User {
	tb.Helper()
	contest := get()
	c := contest.withDefaults()
	opts, err := c.parse([]string{"--target", target}, io.Discard)
	if err != nil {
		tb.Fatal(err)
	}
	r := &Run{contest: c, opts: opts, failures: newFailureLog(), gen: newGenerator(), loadEnded: make(chan struct{}), log: io.Discard}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	r.events = newEmitter(io.Discard, func(error) {})
	if err := r.assemble(); err != nil {
		tb.Fatal(err)
	}
	r.loading.Store(true)
	u := r.newUser(r.ctx, &population{name: "visitor"}, 1, netip.Addr{})
	u.SetHeader("User-Agent", "engine")
	u.SetHeader("X-Forwarded-For", "127.1.0.1")
	tb.Cleanup(func() {
		r.retire(u)
		r.cancel()
		r.events.close(hotseat.Event{})
	})
	return u
}

var okPage = check.HTML("page").Rule(ruleBody).Exists("#ok").Text("#ok", "yes")

// view is a page view as scenarios write it.
func view(u *User) error {
	p := u.Get("/").Point("page").Expect(Status(ruleStatus, 200), Path(ruleStatus, "/"), Body(ruleBody, okPage))
	return p.Err()
}

// A view costs next to nothing beside its system calls: the engine keeps what
// it needs from one iteration to the next.
func TestRequestsAllocateLittle(t *testing.T) {
	u := lone(t, plainServer(t, "<p id=ok>yes</p>"))
	iteration := func() {
		if !u.Run.iterate(u, func() error { return view(u) }) {
			t.Fatalf("not clean: %v", u.first)
		}
		u.endIteration()
	}
	for range 10 {
		iteration()
	}
	const most = 6 // three, and more under the race detector
	if n := testing.AllocsPerRun(200, iteration); n > most {
		t.Errorf("%.0f allocations per view, want at most %d", n, most)
	}
}

func BenchmarkView(b *testing.B) {
	for _, size := range []int{200, 10 << 10} {
		b.Run(strconv.Itoa(size), func(b *testing.B) {
			body := "<p id=ok>yes</p>"
			for len(body) < size {
				body += "<div class=post id=pid_" + strconv.Itoa(len(body)) + "><a href=/posts/1>text</a> and more of it</div>\n"
			}
			u := lone(b, plainServer(b, body))
			b.ReportAllocs()
			for b.Loop() {
				if !u.Run.iterate(u, func() error { return view(u) }) {
					b.Fatal(u.first)
				}
				u.endIteration()
			}
		})
	}
}

func BenchmarkPoint(b *testing.B) {
	u := lone(b, plainServer(b, ""))
	b.ReportAllocs()
	for b.Loop() {
		u.Point("page")
	}
}
