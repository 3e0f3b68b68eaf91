package isucon12qscenario

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat"
	"hotseat/problem/problemtest"
)

// chaos loses requests and answers of the load, in every way there is: a
// request that never arrives, an answer that does not, one that says 500 after
// all was done or before anything was or halfway, and one that is done much later.
type chaos struct {
	next  http.Handler
	share float64

	mu    sync.Mutex
	dice  *rand.Rand
	begun bool
	late  sync.WaitGroup
}

func (c *chaos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	// The load begins with this.
	if r.URL.Path == pathAdminBilling && r.FormValue("before") == "100" {
		c.begun = true
	}
	what := -1
	if c.begun && c.dice.Float64() < c.share {
		what = c.dice.IntN(6)
	}
	c.mu.Unlock()
	switch what {
	case 5:
		r.Header.Set(halfHeader, "1")
		c.next.ServeHTTP(w, r)
	case 0:
		panic(http.ErrAbortHandler)
	case 1:
		c.next.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case 2:
		w.WriteHeader(http.StatusInternalServerError)
	case 3:
		c.next.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusBadGateway)
	case 4:
		body := new(strings.Builder)
		buffer := make([]byte, 32<<10)
		for {
			n, err := r.Body.Read(buffer)
			body.Write(buffer[:n])
			if err != nil {
				break
			}
		}
		again := httptest.NewRequest(r.Method, r.URL.String(), strings.NewReader(body.String()))
		again.Host, again.Header = r.Host, r.Header
		c.late.Go(func() {
			time.Sleep(150 * time.Millisecond)
			c.next.ServeHTTP(httptest.NewRecorder(), again)
		})
		w.WriteHeader(http.StatusGatewayTimeout)
	default:
		c.next.ServeHTTP(w, r)
	}
}

// What gets lost costs points, but is held against nobody as a wrong answer.
func TestChaosAccusesNobody(t *testing.T) {
	t.Parallel()
	w := newTestWorld(t)
	runs := problemtest.NewAtOnce(atOnce)
	for seed := range uint64(8) {
		play := func() problemtest.Outcome {
			c := &chaos{next: w.service(), share: 0.01, dice: rand.New(rand.NewPCG(seed, 1))}
			defer c.late.Wait()
			return execute(t, w, c, "--param", "grace=300", "--duration", "5s")
		}
		runs.Add(fmt.Sprint("seed ", seed), play, func(t *testing.T, r problemtest.Outcome) {
			for _, f := range r.Failures {
				if f.WrongAnswer() || f.Side == hotseat.SideBench {
					t.Fatalf("accused: %v", r)
				}
			}
			if r.Verdict.Verdict == hotseat.Infra {
				t.Errorf("%v", r)
			}
		})
	}
	runs.Judge(t)
}

// Whoever ends a run in the middle of the load does not wait for it.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	w := newTestWorld(t)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	service := w.service()
	var ended atomic.Int64
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == pathAdminBilling && r.FormValue("before") == "100" { // the load begins
			time.AfterFunc(500*time.Millisecond, func() {
				ended.Store(time.Now().UnixNano())
				cancel()
			})
		}
		service.ServeHTTP(rw, r)
	})
	r := executeUntil(ctx, t, w, h, "--param", "grace=300", "--duration", "60s")
	if took := time.Since(time.Unix(0, ended.Load())); took > 30*time.Second {
		t.Errorf("it took %s to end", took)
	}
	if r.Verdict.Verdict != hotseat.Infra || r.Status != hotseat.ExitInterrupted {
		t.Errorf("%v", r)
	}
}

// A service that breaks down in the load has failed long before its end.
func TestTooManyErrors(t *testing.T) {
	t.Parallel()
	w := newTestWorld(t)
	service := w.service()
	var loading atomic.Bool
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path == pathAdminBilling && r.FormValue("before") == "100" {
			loading.Store(true)
		}
		if loading.Load() && r.Method == http.MethodPost {
			rw.WriteHeader(http.StatusInternalServerError)
			return
		}
		service.ServeHTTP(rw, r)
	})
	began := time.Now()
	r := execute(t, w, h, "--param", "grace=300", "--duration", "120s")
	if r.Verdict.Verdict != hotseat.Fail || !strings.Contains(r.Verdict.Reason, "errors took all points") || time.Since(began) > time.Minute {
		t.Errorf("after %s: %v", time.Since(began), r)
	}
	for _, f := range r.Failures {
		if f.WrongAnswer() {
			t.Errorf("accused: %v", r)
		}
	}
}
