package wire

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
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
// in parts.
func TestShortWrite(t *testing.T) {
	body := bytes.Repeat([]byte("0123456789abcdef"), inlineBody/16)
	got := make(chan int, 1)
	target := hostile(t, func(p *peer) {
		time.Sleep(50 * time.Millisecond) // let the buffers fill
		for p.request() {
			got <- p.number
			p.send(ok200 + "Content-Length: 2\r\n\r\nok")
		}
	})
	client := NewClient(Options{Target: target})
	defer client.Close()
	client.dialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		nc, err := new(net.Dialer).DialContext(ctx, network, address)
		if err == nil {
			err = nc.(*net.TCPConn).SetWriteBuffer(1) // the kernel rounds up to about 4.5 KB
		}
		return nc, err
	}
	var resp Response
	for range 2 {
		err := client.Do(t.Context(), &Request{Method: "POST", Path: "/", Body: body}, &resp)
		if err != nil || string(resp.Body) != "ok" {
			t.Fatal(err)
		}
		<-got
	}
}
