package nttscenario

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/problem/problemtest"
)

// chaos loses requests and answers of the load, in every way there is: a request
// that never arrives, an answer that does not, or only half of it, one that says 500
// before anything was done or after all was, one that is slow, and a request that is
// done much later than answered.
type chaos struct {
	*service
	share float64

	mu   sync.Mutex
	dice *rand.Rand
	late sync.WaitGroup
}

// The ways.
const (
	lostRequest = iota
	lostAnswer
	halfAnswer
	errorBefore
	errorAfter
	slowBefore
	slowAfter
	doneLate
	ways
	noChaos = -1
)

func (c *chaos) throw(r *http.Request) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ofLoad(r) {
		c.load.Store(true)
	}
	if !c.load.Load() || c.dice.Float64() >= c.share {
		return noChaos
	}
	return c.dice.IntN(ways)
}

func (c *chaos) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	const slow = 200 * time.Millisecond
	switch c.throw(r) {
	case noChaos:
		c.service.ServeHTTP(w, r)
	case lostRequest:
		panic(http.ErrAbortHandler)
	case lostAnswer:
		c.service.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case halfAnswer:
		answer := httptest.NewRecorder()
		c.service.ServeHTTP(answer, r)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.Header().Set("Content-Length", fmt.Sprint(answer.Body.Len()))
		w.WriteHeader(answer.Code)
		_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	case errorBefore:
		w.WriteHeader(http.StatusInternalServerError)
	case errorAfter:
		c.service.ServeHTTP(httptest.NewRecorder(), r)
		w.WriteHeader(http.StatusBadGateway)
	case slowBefore:
		time.Sleep(slow)
		c.service.ServeHTTP(w, r)
	case slowAfter:
		answer := httptest.NewRecorder()
		c.service.ServeHTTP(answer, r)
		time.Sleep(slow)
		for name, values := range answer.Header() {
			w.Header()[name] = values
		}
		w.WriteHeader(answer.Code)
		_, _ = answer.Body.WriteTo(w)
	case doneLate:
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return // whoever asked has gone
		}
		again := r.Clone(context.WithoutCancel(r.Context()))
		again.Body = io.NopCloser(bytes.NewReader(body))
		c.late.Go(func() {
			time.Sleep(slow)
			c.service.ServeHTTP(httptest.NewRecorder(), again)
		})
		w.WriteHeader(http.StatusGatewayTimeout)
	}
}

// What gets lost costs points, but is held against nobody as a wrong answer.
func TestChaosAccusesNobody(t *testing.T) {
	seed := testSeed(t)
	runs := problemtest.NewAtOnce(loadsAtOnce)
	inLoad := func(f hotseat.Failure) bool { return f.Phase == bench.PhaseLoad && f.Side == hotseat.SideTarget }
	ours := func(f hotseat.Failure) bool { return f.Class == hotseat.ClassAuthor }
	enough := func(o problemtest.Outcome) bool { return slices.ContainsFunc(o.Failures, inLoad) }
	for n := range uint64(6) {
		runs.Add(fmt.Sprint("seed ", n), until(enough, func(load ...string) problemtest.Outcome {
			c := &chaos{service: newService(seed), share: 0.02, dice: rand.New(rand.NewPCG(n, 1))}
			defer c.late.Wait()
			return execute(t.Context(), t, c, append(load, "--param", fmt.Sprint("campaign=", 2+n%2))...)
		}), func(t *testing.T, o problemtest.Outcome) {
			innocent(t, o)
			if !enough(o) || slices.ContainsFunc(o.Failures, ours) {
				t.Errorf("%v", o)
			}
		})
	}
	runs.Judge(t)
}

// Whoever ends a run in the middle of the load does not wait for it.
func TestInterrupted(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	service := newService(testSeed(t))
	var ended atomic.Int64
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if service.load.Load() && ended.CompareAndSwap(0, time.Now().UnixNano()) {
			cancel()
		}
		service.ServeHTTP(rw, r)
	})
	o := execute(ctx, t, h, "--param", "campaign=2", "--duration", "120s")
	if took := time.Since(time.Unix(0, ended.Load())); took > 30*time.Second {
		t.Errorf("it took %s to end", took)
	}
	if o.Verdict.Verdict != hotseat.Infra || o.Status != hotseat.ExitInterrupted {
		t.Errorf("%v", o)
	}
}

// A service that breaks down under load fails for that, and for nothing else.
func TestTooManyErrors(t *testing.T) {
	t.Parallel()
	service := newService(testSeed(t))
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if service.load.Load() {
			rw.WriteHeader(http.StatusInternalServerError)
			return
		}
		service.ServeHTTP(rw, r)
	})
	o := execute(t.Context(), t, h, "--param", "campaign=3", "--duration", "3s")
	if o.Verdict.Verdict != hotseat.Fail || !strings.Contains(o.Verdict.Reason, "error") || o.Verdict.RawScore >= 0 {
		t.Errorf("%v", o)
	}
	innocent(t, o)
}
