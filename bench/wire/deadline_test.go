package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"
)

// TestDeadlineOfAnEarlierRequest: deadlines are left in force from one
// exchange to the next (conn.arm). A short one must not hit a later request
// that has more time, and a long one must not spare a later one that has less.
func TestDeadlineOfAnEarlierRequest(t *testing.T) {
	client, _ := serve(t, Options{MaxConns: 1}, func(w http.ResponseWriter, r *http.Request) {
		pause, _ := strconv.Atoi(r.URL.Query().Get("ms"))
		if r.URL.Path == "/body" {
			w.Header().Set("Content-Length", "4")
			_, _ = w.Write([]byte("ok"))
			w.(http.Flusher).Flush()
		}
		time.Sleep(time.Duration(pause) * time.Millisecond)
		_, _ = w.Write([]byte("ok"))
	})
	var resp Response
	do := func(path string, total time.Duration) error {
		return client.Do(t.Context(), &Request{Path: path, Limits: Limits{Total: total}}, &resp)
	}
	for _, path := range []string{"/", "/body"} {
		if err := do("/?ms=0", 100*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		if err := do(path+"?ms=300", 10*time.Second); err != nil {
			t.Errorf("%s: ten seconds cut short by the 100 ms of the request before: %v", path, err)
		}
		if !resp.Reused {
			t.Error("not the same connection: this proves nothing")
		}
		// Idle beyond a deadline that is still set.
		if err := do("/?ms=0", 50*time.Millisecond); err != nil {
			t.Fatal(err)
		}
		time.Sleep(80 * time.Millisecond)
		if err := do("/?ms=0", 10*time.Second); err != nil || !resp.Reused {
			t.Errorf("after idling beyond the last deadline: %v, reused %v", err, resp.Reused)
		}
		expectFailure(t, do(path+"?ms=2000", 100*time.Millisecond), CodeTimeout, true)
	}
}

// TestShortWrite gives the socket so little room that it takes a request only
// in parts: a unix socket, because TCP takes any request as one segment.
func TestShortWrite(t *testing.T) {
	listener, err := net.Listen("unix", filepath.Join(t.TempDir(), "app.sock"))
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		nc, err := listener.Accept()
		if err != nil {
			return
		}
		defer func() { _ = nc.Close() }()
		r := bufio.NewReader(nc)
		for {
			time.Sleep(30 * time.Millisecond) // let the buffer fill
			req, err := http.ReadRequest(r)
			if err != nil {
				return
			}
			n, _ := io.Copy(io.Discard, req.Body)
			_, _ = fmt.Fprintf(nc, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%d", len(strconv.FormatInt(n, 10)), n)
		}
	})
	t.Cleanup(func() { _ = listener.Close(); group.Wait() })
	client := NewClient(Options{Target: Target{Network: "unix", Address: listener.Addr().String()}, Limits: Limits{Total: 5 * time.Second}})
	defer client.Close()
	client.dialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = nc.(*net.UnixConn).SetWriteBuffer(1) // the kernel's least, about 4.5 KB
		}
		return nc, err
	}
	var resp Response
	for range 2 {
		err := client.Do(t.Context(), &Request{Method: "POST", Path: "/", Body: bytes.Repeat([]byte("x"), inlineBody)}, &resp)
		if err != nil || string(resp.Body) != strconv.Itoa(inlineBody) {
			t.Fatalf("%v, the server saw a body of %s", err, resp.Body)
		}
	}
}

// TestServerSpeaksFirst: what comes on a new connection before the request
// must not be lost, although it wakes nobody.
func TestServerSpeaksFirst(t *testing.T) {
	for _, test := range []struct {
		name   string
		script func(*peer)
		code   string
		status int
	}{
		{"a banner", func(p *peer) { p.send("220 mail.example ESMTP\r\n"); p.hold() }, CodeBadStatusLine, 0},
		{"an answer and a reset", func(p *peer) {
			time.Sleep(10 * time.Millisecond) // or connecting itself would fail
			p.send("HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			p.reset()
		}, "", 408},
		{"an answer and a goodbye", func(p *peer) {
			p.send("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		}, "", 503},
		{"a goodbye", func(*peer) {}, CodeEarlyEOF, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			client := NewClient(Options{Target: hostile(t, test.script), Limits: Limits{Total: 5 * time.Second}})
			defer client.Close()
			client.dialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
				nc, err := new(net.Dialer).DialContext(ctx, network, address)
				time.Sleep(30 * time.Millisecond)
				return nc, err
			}
			var resp Response
			err := client.Do(t.Context(), &Request{Path: "/"}, &resp)
			if test.code != "" {
				expectFailure(t, err, test.code, true)
			} else if err != nil {
				t.Error(err)
			}
			if resp.Status != test.status {
				t.Errorf("status %d, want %d", resp.Status, test.status)
			}
		})
	}
}

// TestCancelStorm ends exchanges at every moment there is; afterwards no
// connection and no place in the line may be lost.
func TestCancelStorm(t *testing.T) {
	client, _ := serve(t, Options{MaxConns: 2}, func(w http.ResponseWriter, _ *http.Request) {
		time.Sleep(200 * time.Microsecond)
		_, _ = w.Write([]byte("ok"))
	})
	var group sync.WaitGroup
	for user := range 8 {
		group.Go(func() {
			random := rand.New(rand.NewPCG(uint64(user), 3))
			var resp Response
			for range 150 {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(random.IntN(2000))*time.Microsecond)
				if err := client.Do(ctx, &Request{Path: "/"}, &resp); err != nil {
					var failure *Error
					if !errors.As(err, &failure) || failure.Code != CodeCanceled {
						t.Error(err)
					}
				} else if string(resp.Body) != "ok" {
					t.Errorf("body %q", resp.Body)
				}
				cancel()
			}
		})
	}
	group.Wait()
	client.mu.Lock()
	if h := &client.main; h.slots != len(h.idle) || h.slots != len(h.conns) || len(h.waiting) != 0 {
		t.Errorf("%d slots taken, %d connections, %d idle, %d in line", h.slots, len(h.conns), len(h.idle), len(h.waiting))
	}
	client.mu.Unlock()
	get(t, client, "/")
}
