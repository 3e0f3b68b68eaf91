package bench

import (
	"compress/gzip"
	"net/http"
	"strings"
	"testing"
	"time"
)

// A step says what it wants to have to do with compression.
func TestStepCodings(t *testing.T) {
	asked := make(chan string, 10)
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked <- r.Header.Get("Accept-Encoding")
		if r.URL.Path == "/plain" {
			_, _ = w.Write([]byte("hello"))
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		_, _ = z.Write([]byte("hello"))
		_ = z.Close()
	}).URL
	for _, test := range []struct {
		name, path, asked, body string
		change                  func(s *Step)
		protocol                bool
	}{
		{"default", "/", "gzip", "hello", func(*Step) {}, false},
		{"plain", "/plain", "", "hello", func(s *Step) { s.Plain() }, false},
		{"plain, compressed all the same", "/", "", "", func(s *Step) { s.Plain() }, true},
		{"plain but asked", "/", "gzip, deflate", "hello", func(s *Step) { s.Plain().Header("Accept-Encoding", "gzip, deflate") }, false},
		{"unread", "/", "", "\x1f\x8b", func(s *Step) { s.Unread() }, false},
		{"unread and asked", "/", "gzip", "\x1f\x8b", func(s *Step) { s.Unread().Header("Accept-Encoding", "gzip") }, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var body string
			c := &Contest{Name: "t", Verify: []Scenario{{Name: "ask", Run: func(u *User) error {
				s := u.Get(test.path)
				test.change(s)
				p := s.Do()
				body = string(p.Body())
				return p.Err()
			}}}}
			var out, log strings.Builder
			status := c.Run(t.Context(), []string{"--target", target}, nil, &out, &log)
			if got := <-asked; got != test.asked {
				t.Errorf("asked for %q, want %q", got, test.asked)
			}
			if failed := status != 0; failed != test.protocol {
				t.Errorf("exit status %d: %s", status, out.String())
			}
			if test.protocol {
				if !strings.Contains(out.String(), "bad-encoding") || strings.Contains(out.String(), "--compressed") {
					t.Error(out.String())
				}
			} else if !strings.HasPrefix(body, test.body) {
				t.Errorf("body %q, want %q", body, test.body)
			}
		})
	}
}

// Linger ends when the server closes, or when its time is up.
func TestLinger(t *testing.T) {
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/close" {
			w.Header().Set("Connection", "close")
		}
	}).URL
	c := &Contest{Name: "t", Verify: []Scenario{{Name: "linger", Run: func(u *User) error {
		if !u.Linger(0) {
			t.Error("lingers without a connection")
		}
		u.Get("/close").Do()
		if !u.Linger(time.Minute) {
			t.Error("lingers for a connection that the server has closed")
		}
		u.Get("/").Do()
		began := time.Now()
		if u.Linger(50 * time.Millisecond) {
			t.Error("the server keeps the connection, and that is not seen")
		}
		if d := time.Since(began); d < 50*time.Millisecond {
			t.Errorf("lingered for %v only", d)
		}
		u.ResetConnections()
		if !u.Linger(0) {
			t.Error("lingers for nobody")
		}
		return nil
	}}}}
	var out, log strings.Builder
	if status := c.Run(t.Context(), []string{"--target", target}, nil, &out, &log); status != 0 {
		t.Fatal(out.String())
	}
}
