package bench

import (
	"net/http"
	"sync"
	"testing"
	"time"
)

// A crowd enters in batches, all of it, and does not outstay the load.
func TestCrowdEntersInBatches(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("ok")) })
	const users = 3*startBatch + 1
	var mu sync.Mutex
	begun := map[int]time.Time{}
	c := get()
	c.Load = time.Second
	c.Populations = func(*Run) []Population {
		return []Population{Closed("reader", func(u *User) Iteration {
			mu.Lock()
			begun[u.ID] = time.Now()
			mu.Unlock()
			return func() error {
				u.Think(time.Second, time.Second)
				return u.getOK("/").Err()
			}
		}).Start(users)}
	}
	o := play(t, c, "--target", server.URL)
	if o.verdict.Verdict != "pass" {
		t.Errorf("verdict %s: %s", o.verdict.Verdict, o.verdict.Reason)
	}
	if len(begun) != users {
		t.Fatalf("%d of %d users began", len(begun), users)
	}
	// Three batches follow the first one. A ticker may be late once and then early, so one interval is for that.
	if took := begun[users].Sub(begun[1]); took < 2*startEvery {
		t.Errorf("the last user began %s after the first", took)
	}
}
