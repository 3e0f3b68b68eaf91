package tally_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"
	"github.com/google/go-cmp/cmp"

	"hotseat/bench/tally"
)

// Our recording and the library's must put every value in the same place.
func TestHistogramIsTheLibrarys(t *testing.T) {
	want := hdrhistogram.New(1, 256<<24-1, 2)
	tl := tally.New(tally.Config{Shards: 3})
	e := tl.Endpoint("GET", "/")
	users := []*tally.User{tl.User(), tl.User(), tl.User()}
	rnd := rand.New(rand.NewPCG(1, 1))
	record := func(us int64) {
		users[rnd.IntN(3)].Request(e, tally.Sample{Latency: time.Duration(us) * time.Microsecond, Status: 200})
		if err := want.RecordValue(us); err != nil {
			t.Fatal(us, err)
		}
	}
	for us := range int64(3000) {
		record(us)
	}
	for bit := range 32 {
		for d := int64(-2); d <= 2; d++ {
			if us := int64(1)<<bit + d; us >= 0 && us < 256<<24 {
				record(us)
			}
		}
	}
	for range 20_000 {
		record(int64(rnd.ExpFloat64() * float64(uint64(1)<<rnd.IntN(28))))
	}
	got := tl.Endpoints()[0].Latency
	if diff := cmp.Diff(want.Export().Counts, got.Export().Counts); diff != "" {
		t.Fatalf("counts differ (-library +ours):\n%s", diff)
	}
	for _, q := range []float64{0, 50, 90, 99, 99.9, 100} {
		if want, got := want.ValueAtQuantile(q), got.ValueAtQuantile(q); want != got {
			t.Errorf("p%v = %d µs, want %d", q, got, want)
		}
	}
}

func TestHistogramKeepsTheExtremes(t *testing.T) {
	tl := tally.New(tally.Config{})
	u := tl.User()
	e := tl.Endpoint("GET", "/")
	for _, d := range []time.Duration{-time.Second, 0, 100 * time.Hour} {
		u.Request(e, tally.Sample{Latency: d})
	}
	h := tl.Endpoints()[0].Latency
	if h.TotalCount() != 3 {
		t.Errorf("%d values kept, want 3", h.TotalCount())
	}
	if got := time.Duration(h.Max()) * time.Microsecond; got < time.Hour {
		t.Errorf("max = %v, want above an hour", got)
	}
}

func TestRequests(t *testing.T) {
	tl := tally.New(tally.Config{Codes: []string{"timeout"}, Shards: 2})
	get, post := tl.Endpoint("GET", "/"), tl.Endpoint("POST", "/login")
	tl.Endpoint("GET", "/never")
	a, b := tl.User(), tl.User()
	a.Request(get, tally.Sample{Latency: 2 * time.Millisecond, Status: 200, Bytes: 1000})
	b.Request(get, tally.Sample{Latency: 4 * time.Millisecond, Status: 302, Bytes: 500})
	b.Request(post, tally.Sample{Latency: 9 * time.Millisecond, Service: time.Millisecond, Status: 503, Failed: true})
	b.Request(post, tally.Sample{Failed: true})
	b.Failure(tl.Code("timeout"))
	a.Failure(tl.Code("reset"))
	a.Failure(tl.Code("reset"))
	b.Late(3 * time.Millisecond)

	want := tally.Totals{
		Points:   map[string]uint64{},
		Requests: 4, Errors: 2, Bytes: 1500, Users: 2,
		Failures: map[string]uint64{"timeout": 1, "reset": 2},
	}
	if diff := cmp.Diff(want, tl.Totals()); diff != "" {
		t.Errorf("totals (-want +got):\n%s", diff)
	}
	stats := tl.Endpoints()
	if len(stats) != 2 {
		t.Fatalf("%d endpoints, want the 2 that had requests", len(stats))
	}
	if s := stats[0]; s.Method != "GET" || s.Count != 2 || s.Waited != 6*time.Millisecond || s.Statuses != [6]uint64{2: 1, 3: 1} || s.Service != s.Latency {
		t.Errorf("GET / = %+v", s)
	}
	if s := stats[1]; s.Count != 2 || s.Errors != 2 || s.Waited != 9*time.Millisecond || s.Statuses != [6]uint64{0: 1, 5: 1} || s.Service.TotalCount() != 1 {
		t.Errorf("POST /login = %+v", s)
	}
	if got := tl.Lateness().Max(); got < 2900 || got > 3100 {
		t.Errorf("lateness = %d µs, want about 3000", got)
	}
}

func TestTooManyEndpointsAndCodes(t *testing.T) {
	tl := tally.New(tally.Config{})
	u := tl.User()
	for i := range 1000 {
		u.Request(tl.Endpoint("GET", fmt.Sprint("/", i)), tally.Sample{Status: 200})
		u.Failure(tl.Code(fmt.Sprint("code-", i)))
	}
	stats := tl.Endpoints()
	if len(stats) != tally.MaxEndpoints {
		t.Fatalf("%d endpoints, want %d", len(stats), tally.MaxEndpoints)
	}
	if last := stats[len(stats)-1]; last.Template != tally.Overflow || last.Count != 1000-tally.MaxEndpoints+1 {
		t.Errorf("the last endpoint is %s with %d requests", last.Template, last.Count)
	}
	totals := tl.Totals()
	var failures uint64
	for _, n := range totals.Failures {
		failures += n
	}
	if totals.Requests != 1000 || failures != 1000 {
		t.Errorf("%d requests and %d failures, want 1000 of each", totals.Requests, failures)
	}
}

func TestRequestsFromEverywhere(t *testing.T) {
	const users, each = 50, 2000
	tl := tally.New(tally.Config{Shards: 3})
	var busy sync.WaitGroup
	for range users {
		busy.Go(func() {
			u := tl.User()
			for i := range each {
				e := tl.Endpoint("GET", fmt.Sprint("/", i%7))
				u.Request(e, tally.Sample{Latency: time.Duration(i) * time.Microsecond, Status: 200, Bytes: 3})
			}
		})
	}
	busy.Wait()
	totals := tl.Totals()
	if totals.Requests != users*each || totals.Bytes != 3*users*each {
		t.Errorf("%d requests, %d bytes", totals.Requests, totals.Bytes)
	}
	var inHistograms int64
	for _, s := range tl.Endpoints() {
		inHistograms += s.Latency.TotalCount()
	}
	if inHistograms != users*each {
		t.Errorf("%d latencies, want %d", inHistograms, users*each)
	}
}

func BenchmarkRequest(b *testing.B) {
	tl := tally.New(tally.Config{})
	e := tl.Endpoint("GET", "/")
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		u := tl.User()
		d := time.Duration(0)
		for pb.Next() {
			d = (d + 37*time.Microsecond) % (20 * time.Millisecond)
			u.Request(e, tally.Sample{Latency: d, Status: 200, Bytes: 200})
		}
	})
}

func BenchmarkTotals10000Users(b *testing.B) {
	tl := tally.New(tally.Config{Tags: []string{"view", "post"}})
	for range 10_000 {
		tl.User().Point(0, 1)
	}
	for b.Loop() {
		tl.Totals()
	}
}
