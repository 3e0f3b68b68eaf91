package bench

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat"
)

// Users let others in, who leave when they have done their part; the load goes
// on for as long as anybody is at work.
func TestJoinAndLeave(t *testing.T) {
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	var guests, own, rounds atomic.Int64
	c := get()
	c.Load = time.Minute // they all leave long before
	c.Populations = func(*Run) []Population {
		guest := Closed("guest", func(u *User) Iteration {
			own.Add(1)
			return func() error { u.Leave(); return u.getOK("/").Err() }
		}).Start(0)
		host := Closed("host", func(u *User) Iteration {
			return func() error {
				if !guest.Join(nil) || !guest.Join(func(u *User) Iteration {
					guests.Add(1)
					left := 2
					return func() error {
						if left--; left == 0 {
							u.Leave()
						}
						return u.getOK("/").Err()
					}
				}) {
					t.Error("nobody may join")
				}
				if rounds.Add(1) == 3 {
					u.Leave()
				}
				return u.getOK("/").Err()
			}
		})
		return []Population{guest, host}
	}
	o := play(t, c, "--target", target.URL)
	if o.verdict.Verdict != hotseat.Pass || o.took > 30*time.Second {
		t.Errorf("%s after %s: %s", o.verdict.Verdict, o.took, o.verdict.Reason)
	}
	if guests.Load() != 3 || own.Load() != 3 || rounds.Load() != 3 || o.points()["page"] != 3+3+2*3 {
		t.Errorf("%d guests, %d of the population's own, %d rounds, %v", guests.Load(), own.Load(), rounds.Load(), o.points())
	}
}

// A name of its own goes into the Host header, and cookies stay with it.
func TestHost(t *testing.T) {
	var mu sync.Mutex
	var seen []string
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		seen = append(seen, r.Host+" "+r.Header.Get("Cookie"))
		http.SetCookie(w, &http.Cookie{Name: "me", Value: r.Host})
		_, _ = w.Write([]byte("ok"))
	})
	c := get()
	c.Populations = nil
	c.Verify = []Scenario{{Name: "hosts", Run: func(u *User) error {
		u.SetHost("a.test")
		u.getOK("/")
		u.Get("/").Host("b.test").Expect(Status(ruleStatus, 200))
		u.getOK("/")
		return u.Get("/").Host("b.test").Expect(Status(ruleStatus, 404)).Err()
	}}}
	o := play(t, c, "--target", target.URL)
	want := []string{"a.test ", "b.test ", "a.test me=a.test", "b.test me=b.test"}
	for i := range want {
		if len(seen) != len(want) || seen[i] != want[i] {
			t.Fatalf("got %q, want %q", seen, want)
		}
	}
	if f := o.sample(t, CodeUnexpectedStatus); !strings.Contains(f.Curl, "Host: b.test") || !strings.Contains(f.Request, "Host: b.test") {
		t.Errorf("no host in %s\n%s", f.Curl, f.Request)
	}
}

// Scenarios beside each other overlap, and one that fails ends the others.
func TestBeside(t *testing.T) {
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	meet := make(chan struct{})
	met := func(u *User) error {
		select {
		case meet <- struct{}{}:
		case <-meet:
		case <-time.After(30 * time.Second):
			t.Error("alone")
		}
		return u.getOK("/").Err()
	}
	var after atomic.Bool
	c := get()
	c.Populations = nil
	c.Verify = []Scenario{
		{Name: "one", Run: met}, {Name: "two", Run: met, Beside: true},
		{Name: "wrong", Run: func(u *User) error { return u.Get("/").Expect(Status(ruleStatus, 404)).Err() }},
		{Name: "waiting", Beside: true, Run: func(u *User) error { u.Think(time.Minute, time.Minute); return nil }},
		{Name: "after", Run: func(*User) error { after.Store(true); return nil }},
	}
	o := play(t, c, "--target", target.URL)
	if o.verdict.Verdict != hotseat.Fail || !strings.Contains(o.verdict.Reason, "verify: wrong") || o.took > 30*time.Second || after.Load() {
		t.Errorf("%s after %s: %s", o.verdict.Verdict, o.took, o.verdict.Reason)
	}
}

// A contest that has seen enough ends the run.
func TestDisqualify(t *testing.T) {
	target := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	c := get()
	c.Load = time.Minute
	c.Populations = func(r *Run) []Population {
		return []Population{Closed("judge", func(u *User) Iteration {
			return func() error { r.Disqualify("enough", "look"); return u.getOK("/").Err() }
		})}
	}
	o := play(t, c, "--target", target.URL)
	if o.verdict.Verdict != hotseat.Fail || o.verdict.Reason != "enough" || o.verdict.Hint != "look" || o.took > 30*time.Second {
		t.Errorf("%s after %s: %s (%s)", o.verdict.Verdict, o.took, o.verdict.Reason, o.verdict.Hint)
	}
}

// A certificate that nobody vouches for is good where the contest says so.
func TestAnyCertificate(t *testing.T) {
	target := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) }))
	defer target.Close()
	for _, any := range []bool{true, false} {
		c := get()
		c.AnyCertificate = any
		want := hotseat.Fail
		if any {
			want = hotseat.Pass
		}
		if o := play(t, c, "--target", target.URL); o.verdict.Verdict != want {
			t.Errorf("any %v: %s: %s", any, o.verdict.Verdict, o.verdict.Reason)
		}
	}
}
