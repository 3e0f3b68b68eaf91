package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// serve starts a real net/http server and a client of it.
func serve(t *testing.T, options Options, handler http.HandlerFunc) (*Client, *httptest.Server) {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	target, err := ParseTarget(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	if options.Target.Host != "" {
		target.Host = options.Target.Host
	}
	target.Source = options.Target.Source
	options.Target = target
	if options.Events == nil {
		options.Events = new(Stats)
	}
	client := NewClient(options)
	t.Cleanup(client.Close)
	return client, server
}

func get(t *testing.T, client *Client, path string) *Response {
	t.Helper()
	resp := new(Response)
	if err := client.Do(t.Context(), &Request{Path: path}, resp); err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return resp
}

func TestDo(t *testing.T) {
	client, _ := serve(t, Options{}, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("X-Query", r.URL.RawQuery)
		w.Header().Add("X-Many", "one")
		w.Header().Add("X-Many", "two")
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		if r.URL.Path == "/flush" {
			w.(http.Flusher).Flush() // makes it chunked
		}
		_, _ = w.Write([]byte("hello " + string(body)))
	})
	for _, test := range []struct {
		name string
		req  Request
		body string
	}{
		{"get", Request{Path: "/?q=1"}, "hello "},
		{"chunked", Request{Path: "/flush?q=1"}, "hello "},
		{"post", Request{Method: "POST", Path: "/?q=1", Body: []byte("world")}, "hello world"},
		{"head", Request{Method: "HEAD", Path: "/?q=1"}, ""},
		{"large post", Request{Method: "POST", Path: "/?q=1", Body: []byte(strings.Repeat("x", 3<<20))}, "hello " + strings.Repeat("x", 3<<20)},
	} {
		t.Run(test.name, func(t *testing.T) {
			var resp Response
			for range 3 {
				if err := client.Do(t.Context(), &test.req, &resp); err != nil {
					t.Fatal(err)
				}
				method, _ := resp.Get("x-method")
				query, _ := resp.Get("X-QUERY")
				if resp.Status != 200 || string(resp.Body) != test.body || string(method) != test.req.method() || string(query) != "q=1" {
					t.Errorf("got %d %.40q method %q query %q", resp.Status, resp.Body, method, query)
				}
				var many []string
				for v := range resp.Values("x-many") {
					many = append(many, string(v))
				}
				if strings.Join(many, ",") != "one,two" {
					t.Errorf("X-Many = %q", many)
				}
				if resp.Timing.FirstByte.Before(resp.Timing.Connected) || resp.Timing.Done.Before(resp.Timing.FirstByte) {
					t.Errorf("times out of order: %+v", resp.Timing)
				}
				resp.Release()
			}
		})
	}
	if n := client.stats.Opened.Load(); n != 1 {
		t.Errorf("opened %d connections for requests one after the other", n)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app.sock")
	listener, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Host) })}
	var group sync.WaitGroup
	group.Go(func() { _ = server.Serve(listener) })
	t.Cleanup(func() { _ = server.Close(); group.Wait() })

	target, err := ParseTarget("unix:" + path)
	if err != nil {
		t.Fatal(err)
	}
	target.Host = "photo.example"
	client := NewClient(Options{Target: target})
	defer client.Close()
	if resp := get(t, client, "/"); string(resp.Body) != "photo.example" {
		t.Errorf("server saw Host %q", resp.Body)
	}
}

func TestConnectionsPerClient(t *testing.T) {
	var now, most atomic.Int32
	client, _ := serve(t, Options{MaxConns: 4, MaxIdle: 2}, func(w http.ResponseWriter, r *http.Request) {
		n := now.Add(1)
		for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
		}
		time.Sleep(20 * time.Millisecond)
		now.Add(-1)
	})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() {
			var resp Response
			if err := client.Do(t.Context(), &Request{Path: "/"}, &resp); err != nil {
				t.Error(err)
			}
			resp.Release()
		})
	}
	group.Wait()
	if most.Load() != 4 {
		t.Errorf("at most %d requests at once, want 4", most.Load())
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	if len(client.main.idle) != 2 || client.main.slots != 2 || len(client.main.conns) != 2 {
		t.Errorf("afterwards %d idle, %d slots, %d open, want 2 of each", len(client.main.idle), client.main.slots, len(client.main.conns))
	}
}

func TestKeepAlive(t *testing.T) {
	for _, test := range []struct {
		name   string
		policy KeepAlive
		header []Field
		opened int64
	}{
		{"always", KeepAlways, nil, 1},
		{"never", KeepNever, nil, 9},
		{"three per connection", 3, nil, 3},
		{"asked by the request", KeepAlways, []Field{{"Connection", "close"}}, 9},
	} {
		t.Run(test.name, func(t *testing.T) {
			client, _ := serve(t, Options{KeepAlive: test.policy}, func(http.ResponseWriter, *http.Request) {})
			var resp Response
			for i := range 9 {
				if err := client.Do(t.Context(), &Request{Path: "/", Header: test.header}, &resp); err != nil {
					t.Fatal(err)
				}
				if fresh := i == 0 || test.opened == 9 || (test.opened == 3 && i%3 == 0); resp.Reused == fresh {
					t.Errorf("request %d: Reused = %v", i, resp.Reused)
				}
			}
			if n := client.stats.Opened.Load(); n != test.opened {
				t.Errorf("%d connections, want %d", n, test.opened)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	release := make(chan struct{})
	client, server := serve(t, Options{MaxConns: 1}, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			<-release
		}
	})
	defer server.Close()
	defer close(release)
	t.Run("in flight", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(20*time.Millisecond, cancel)
		begun := time.Now()
		err := client.Do(ctx, &Request{Path: "/slow"}, new(Response))
		expectFailure(t, err, CodeCanceled, true)
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v does not wrap context.Canceled", err)
		}
		if took := time.Since(begun); took > 30*time.Second {
			t.Errorf("took %v", took)
		}
	})
	t.Run("with a cause of its own", func(t *testing.T) {
		over := errors.New("the run is over")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(20*time.Millisecond, func() { cancel(over) })
		err := client.Do(ctx, &Request{Path: "/slow"}, new(Response))
		expectFailure(t, err, CodeCanceled, true)
		if !errors.Is(err, context.Canceled) || !errors.Is(err, over) {
			t.Errorf("%v wraps not both reasons", err)
		}
	})
	t.Run("in line", func(t *testing.T) {
		var group sync.WaitGroup
		ctx, cancel := context.WithCancel(t.Context())
		group.Go(func() {
			expectFailure(t, client.Do(ctx, &Request{Path: "/slow"}, new(Response)), CodeCanceled, true)
		})
		time.Sleep(20 * time.Millisecond)
		second, giveUp := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer giveUp()
		expectFailure(t, client.Do(second, &Request{Path: "/"}, new(Response)), CodeCanceled, false)
		cancel()
		group.Wait()
		get(t, client, "/") // the slot is free again
	})
	t.Run("before", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		expectFailure(t, client.Do(ctx, &Request{Path: "/"}, new(Response)), CodeCanceled, false)
	})
	t.Run("after, a connection outlives its request's context", func(t *testing.T) {
		for range 20 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			if err := client.Do(ctx, &Request{Path: "/"}, new(Response)); err != nil {
				t.Error(err)
			}
			cancel()
		}
	})
	t.Run("close", func(t *testing.T) {
		time.AfterFunc(20*time.Millisecond, client.Close)
		expectFailure(t, client.Do(t.Context(), &Request{Path: "/slow"}, new(Response)), CodeCanceled, true)
		expectFailure(t, client.Do(t.Context(), &Request{Path: "/"}, new(Response)), CodeCanceled, false)
	})
}

// expectFailure checks code, and whether the request may have been sent.
func expectFailure(t *testing.T, err error, code string, sent bool) {
	t.Helper()
	var failure *Error
	if !errors.As(err, &failure) {
		t.Errorf("error %v is no *Error, want code %s", err, code)
		return
	}
	if failure.Code != code || failure.Sent != sent {
		t.Errorf("code %s, sent %v, want %s, %v (%v)", failure.Code, failure.Sent, code, sent, failure)
	}
	if failure.Class != ClassOf(code) || failure.Side != SideOf(failure.Class) || failure.Err == nil || failure.Op == "" {
		t.Errorf("incomplete error: %+v", failure)
	}
}
