package bench

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// dawdle answers well after d, or not at all once the client has gone.
func dawdle(d time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(d):
			ok(w, r)
		}
	}
}

func TestWhatTheEndCutsIsNotBlamed(t *testing.T) {
	for name, c := range map[string]struct {
		answer       time.Duration
		drain        time.Duration
		drainTimeout time.Duration
		points       int64
	}{
		"cut at once":                     {2 * time.Second, 0, 0, 0},
		"cut after the drain":             {2 * time.Second, 200 * time.Millisecond, 0, 0},
		"ends within the drain":           {500 * time.Millisecond, time.Minute, 0, 4},
		"second request gets little time": {500 * time.Millisecond, time.Minute, 50 * time.Millisecond, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, dawdle(c.answer))
			var cut, sent atomic.Int64
			contest := visit(func(u *User) error {
				for range 2 {
					p := u.getOK("/")
					if p.Cut() {
						cut.Add(1)
						if p.Sent() {
							sent.Add(1)
						}
						if p.Answered() || p.OK() || p.Status() != 0 {
							t.Error("a step that was cut says that it was answered")
						}
						return p.Err()
					}
				}
				return nil
			})
			contest.Drain, contest.DrainTimeout = c.drain, c.drainTimeout
			o := play(t, contest, "--target", s.URL, "--duration", "300ms")
			wantVerdict(t, o, hotseat.Pass, "")
			if len(o.failures()) > 0 {
				t.Errorf("failures %v", o.failures())
			}
			if got := o.points()["page"]; got != c.points {
				t.Errorf("%d points, want %d", got, c.points)
			}
			if c.points < 4 && (cut.Load() != 2 || sent.Load() != 2) {
				t.Errorf("%d users were cut, %d of them after sending; want both", cut.Load(), sent.Load())
			}
			if o.took > 30*time.Second {
				t.Errorf("it took %s", o.took)
			}
		})
	}
}

// Every answer that the target gave in full is a point, exactly once, however
// the load ends.
func TestPointsAreExact(t *testing.T) {
	for seed := range 4 {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			s := serve(t, ok)
			var mu sync.Mutex
			var counted, extra int64
			c := visit(nil)
			c.Tags = append(c.Tags, "extra")
			c.Populations = func(*Run) []Population {
				return []Population{Closed("visitor", func(u *User) Iteration {
					return func() error {
						pages := u.All(u.Get("/a").Point("page").Expecting(saysOK()), u.Get("/b").Point("page").Expecting(saysOK()), u.Get("/c").Point("page"))
						n := int64(0)
						for _, p := range pages {
							if p.OK() {
								n++
							}
						}
						u.Point("extra")
						mu.Lock()
						defer mu.Unlock()
						counted += n
						extra++
						return pages[0].Err()
					}
				}).Start(8)}
			}
			c.Drain = time.Duration(seed%2) * time.Second // with a drain nothing is cut
			duration := fmt.Sprintf("%dms", 200+37*seed)
			o := play(t, c, "--target", s.URL, "--duration", duration)
			got := o.points()
			if c.Drain > 0 && (got["page"] != counted || got["extra"] != extra) {
				t.Errorf("points %v, want page %d and extra %d", got, counted, extra)
			}
			// Without one, answers between the deadline and the cut do not count.
			if got["page"] > counted || got["page"]+got["extra"] != *o.verdict.Score {
				t.Errorf("points %v of %d answers, score %d", got, counted, *o.verdict.Score)
			}
		})
	}
}

func TestScorePerUser(t *testing.T) {
	s := serve(t, ok)
	var mu sync.Mutex
	pages := map[int]int64{}
	c := visit(func(u *User) error {
		if u.getOK("/").OK() {
			mu.Lock()
			pages[u.ID]++
			mu.Unlock()
		}
		return nil
	})
	c.Score = func(_ *Run, tally *Tally) (s Score) {
		tally.EachUser(func(u UserTally) {
			if u.Population == "visitor" {
				s.Raw += (u.Points("page") + 99) / 100
			}
		})
		s.Deduction = 1
		return s
	}
	o := play(t, c, "--target", s.URL)
	want := int64(0)
	for _, n := range pages {
		want += (n + 99) / 100
	}
	if len(pages) != 2 || *o.verdict.Score != want-1 || o.verdict.Deduction != 1 {
		t.Errorf("score %d, deduction %d; want %d for %v", *o.verdict.Score, o.verdict.Deduction, want-1, pages)
	}
}

func TestSameSeedSameDice(t *testing.T) {
	s := serve(t, ok)
	throw := func(seed string) []string {
		var mu sync.Mutex
		var thrown []string
		c := get()
		c.Populations = func(r *Run) []Population {
			dice := r.Rand("world", 1).Uint64()
			return []Population{Closed("visitor", func(u *User) Iteration {
				mu.Lock()
				thrown = append(thrown, fmt.Sprint(u.ID, u.Rand.Uint64(), u.Rand.Uint64(), dice))
				mu.Unlock()
				return func() error { return u.getOK("/").Err() }
			}).Start(3)}
		}
		play(t, c, "--target", s.URL, "--seed", seed, "--duration", "50ms")
		slices.Sort(thrown)
		return thrown
	}
	first := throw("1")
	if diff := cmp.Diff(first, throw("1")); diff != "" {
		t.Errorf("the same seed gives other dice:\n%s", diff)
	}
	if slices.Equal(first, throw("2")) {
		t.Error("another seed gives the same dice")
	}
	if len(first) != 3 || first[0][2:] == first[1][2:] {
		t.Errorf("users share their dice: %v", first)
	}
}

func TestDisabledRule(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "wrong") })
	o := play(t, get(), "--target", s.URL, "--disable-rule", ruleBody)
	wantVerdict(t, o, hotseat.Pass, "")
	if n := o.verdict.Rules[ruleBody]; n != 0 || len(o.failures()) != 0 || o.points()["page"] == 0 {
		t.Errorf("exercised %d times, failures %v, points %v", n, o.failures(), o.points())
	}
	fail := func(u *User) error {
		if err := u.Fail(Problem{Rule: ruleBody, Code: "lost-write"}); err != nil {
			return err
		}
		return u.getOK("/").Err()
	}
	wantVerdict(t, play(t, visit(fail), "--target", s.URL, "--disable-rule", ruleBody), hotseat.Pass, "")
}

func TestSamplesAreFewAndCountsExact(t *testing.T) {
	t.Parallel()
	var served atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		served.Add(1)
		fmt.Fprintf(w, "\x00\xff\u202e%s", strings.Repeat("x", 100_000))
	})
	c := visit(func(u *User) error {
		return u.Get("/page/" + fmt.Sprint(u.Rand.IntN(1_000_000))).Route("/page/:id").Expect(saysOK()).Err()
	})
	c.Drain = time.Second
	o := play(t, c, "--target", s.URL, "--duration", "1200ms")
	samples := 0
	for _, e := range o.events {
		if e.FailureEvent != nil && e.Sampled {
			samples++
			if n := len(e.Actual); n > maxExcerpt+100 || strings.ContainsAny(e.Actual, "\x00\u202e\ufffd") {
				t.Errorf("actual of %d bytes: %.80q", n, e.Actual)
			}
		}
	}
	if samples != samplesPerStep {
		t.Errorf("%d samples, want %d", samples, samplesPerStep)
	}
	got := o.failures()
	if n := served.Load(); len(got) != 1 || got["content/value-mismatch [x.body]"] != n || n <= samplesPerStep {
		t.Errorf("failures %v, want %d", got, n)
	}
}

// However an author names things, the log stays small and the counts exact.
func TestFailureKindsAreBounded(t *testing.T) {
	l := newFailureLog()
	const n = 3 * maxFailureKinds
	samples := 0
	for i := range n {
		k := failureKind{class: hotseat.ClassContent, code: fmt.Sprint("code", i%7), rule: "r", phase: "load", scenario: "s", step: fmt.Sprint("step", i)}
		if l.add(k, 0, func() (string, string) { return "m", "" }) {
			samples++
		}
	}
	if len(l.kinds) > maxFailureKinds+1 || len(l.sampled) > maxFailureKinds+1 {
		t.Errorf("%d kinds, %d places", len(l.kinds), len(l.sampled))
	}
	told := int64(samples)
	for _, e := range l.flush(0) {
		told += e.FailureEvent.Count
	}
	if all := l.sum(func(*failureCount) bool { return true }); all != n || told != n {
		t.Errorf("%d counted, %d told, want %d", all, told, n)
	}
	if len(l.flush(0)) != 0 {
		t.Error("flush told twice")
	}
}

func TestGrowth(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(5 * time.Millisecond)
		ok(w, r)
	})
	bad := serve(t, every(2, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) }))
	grown := func(target string, rule Growth, limit int) int {
		var users atomic.Int64
		c := get()
		c.MaxErrorShare = 1
		c.Populations = func(*Run) []Population {
			return []Population{Closed("visitor", func(u *User) Iteration {
				users.Add(1)
				return func() error { return u.getOK("/").Err() }
			}).Start(1).Grow(2, 100*time.Millisecond, rule).Max(limit)}
		}
		play(t, c, "--target", target, "--duration", "550ms")
		return int(users.Load())
	}
	if n := grown(s.URL, CleanIterationsOnly, 0); n < 5 || n > 11 {
		t.Errorf("%d users after 5 steps of 2, want about 11", n)
	}
	if n := grown(s.URL, CleanIterationsOnly, 4); n != 4 {
		t.Errorf("%d users, want no more than 4", n)
	}
	if n := grown(bad.URL, CleanIterationsOnly, 0); n != 1 {
		t.Errorf("%d users although iterations failed", n)
	}
	if n := grown(bad.URL, Always, 0); n < 5 {
		t.Errorf("%d users, want growth whatever happens", n)
	}
}

func TestTimeoutsOfAStarvedGeneratorAreDoubtful(t *testing.T) {
	s := serve(t, dawdle(5*time.Second))
	c := get()
	c.Limits.Total = 100 * time.Millisecond
	work := c.Populations
	c.Populations = func(r *Run) []Population {
		r.gen.note(stall{time.Now(), time.Now().Add(2 * time.Second)}, 2*time.Second)
		return work(r)
	}
	o := play(t, c, "--target", s.URL)
	wantVerdict(t, o, hotseat.Infra, "lost too many")
	if got := o.failures(); len(got) != 1 || got["generator/late-read []"] == 0 {
		t.Errorf("failures %v", got)
	}
}

func TestThinkEndsWithTheLoad(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	c := visit(func(u *User) error {
		u.getOK("/")
		u.Think(time.Minute, 2*time.Minute)
		return nil
	})
	c.Drain = 2 * time.Minute
	if o := play(t, c, "--target", s.URL); o.took > 30*time.Second {
		t.Errorf("it took %s", o.took)
	}
}

func TestUsersThatDoNothingDoNotSpin(t *testing.T) {
	s := serve(t, ok)
	var rounds atomic.Int64
	c := visit(func(*User) error { rounds.Add(1); return nil })
	play(t, c, "--target", s.URL)
	if n := rounds.Load(); n > 2*400 {
		t.Errorf("%d empty iterations by two users in 300 ms", n)
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	in, parent := io.Pipe()
	c := get()
	var answers []string
	c.Verify = []Scenario{{Name: "ask", Run: func(u *User) error {
		for range 2 {
			answers = append(answers, fmt.Sprint(u.Run.Ask(u.Context(), hotseat.ActionRestartStack)))
		}
		return nil
	}}}
	go func() {
		// Replies in the wrong order and lines of a later protocol are no harm.
		time.Sleep(300 * time.Millisecond)
		_, _ = fmt.Fprintf(parent, "what?\n{\"hello\":1}\n{\"id\":9,\"ok\":true}\n{\"id\":1,\"ok\":true}\n")
		time.Sleep(300 * time.Millisecond)
		_ = json.NewEncoder(parent).Encode(hotseat.Reply{ID: 2, Error: "not ours"})
	}()
	t.Cleanup(func() { _ = parent.Close() })
	o := playWith(context.Background(), t, in, c, "--target", s.URL)
	wantVerdict(t, o, hotseat.Pass, "")
	if diff := cmp.Diff([]string{"<nil>", "the parent refused to restart-stack: not ours"}, answers); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

func TestParentThatReadsNoMore(t *testing.T) {
	s := serve(t, ok)
	read, write := io.Pipe()
	_ = read.Close()
	c := get()
	began := time.Now()
	status := c.Run(context.Background(), []string{"--target", s.URL, "--duration", "60s"}, nil, write, io.Discard)
	if took := time.Since(began); status != hotseat.ExitInterrupted || took > 30*time.Second {
		t.Errorf("status %d after %s", status, took)
	}
}

// After the cut a user's requests are refused, and their pages hold nothing of
// an earlier one.
func TestNothingIsSentAfterTheCut(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	var refused atomic.Int64
	c := visit(func(u *User) error {
		first := u.getOK("/")
		u.endIteration() // as if another iteration had begun
		<-u.Context().Done()
		p := u.getOK("/late")
		if p.Cut() && !p.Sent() && !p.Answered() && p.Status() == 0 && len(p.Body()) == 0 && p.Path() == "/late" {
			refused.Add(1)
		}
		u.Point("page")
		_ = u.Fail(Problem{Rule: ruleBody, Message: "seen too late", Page: p})
		return first.Err()
	})
	c.Drain = 0
	o := play(t, c, "--target", s.URL)
	if refused.Load() != 2 || o.points()["page"] != 2 || len(o.failures()) != 0 {
		t.Errorf("%d refused, points %v, failures %v", refused.Load(), o.points(), o.failures())
	}
}
