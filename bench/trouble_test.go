package bench

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat"
	"hotseat/bench/wire"
)

// impatient shortens what the engine waits for by itself.
func impatient(c Contest) Contest {
	c.patience = patience{deadlock: 300 * time.Millisecond, stop: 300 * time.Millisecond, dead: 300 * time.Millisecond, preflight: 200 * time.Millisecond}
	return c
}

// visit is get with another iteration.
func visit(work func(u *User) error) Contest {
	c := get()
	c.Populations = func(*Run) []Population {
		return []Population{Closed("visitor", func(u *User) Iteration {
			return func() error { return work(u) }
		}).Start(2)}
	}
	return c
}

func wantVerdict(t *testing.T, o *outcomeOf, want hotseat.Verdict, reason string) {
	t.Helper()
	if o.verdict.Verdict != want || !strings.Contains(o.verdict.Reason, reason) {
		t.Errorf("verdict %s: %s; want %s: …%s…; failures %v", o.verdict.Verdict, o.verdict.Reason, want, reason, o.failures())
	}
}

func TestNobodyIsThere(t *testing.T) {
	o := play(t, impatient(get()), "--target", "http://127.0.0.1:1", "--duration", "60s")
	wantVerdict(t, o, hotseat.Fail, "cannot be reached")
	if f := o.sample(t, "refused"); f.Rule != "x.connect" || f.Side != hotseat.SideTarget {
		t.Errorf("failure %+v", f)
	}
	if o.phase(PhaseLoad) != nil || o.took > 30*time.Second {
		t.Errorf("it took %s, load phase %v", o.took, o.phase(PhaseLoad))
	}
}

func TestReadyPathIsAskedUntilItAnswers(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/ready" && asked.Add(1) < 3 {
			w.WriteHeader(502)
			return
		}
		ok(w, r)
	})
	c := get()
	c.Ready = "/ready"
	wantVerdict(t, play(t, c, "--target", s.URL), hotseat.Pass, "")
	if asked.Load() != 3 {
		t.Errorf("asked %d times, want until the first good answer, the third", asked.Load())
	}
	c = impatient(c)
	asked.Store(-1 << 40)
	o := play(t, c, "--target", s.URL)
	wantVerdict(t, o, hotseat.Fail, "/ready answers with status 502")
	if f := o.sample(t, hotseat.CodeStatus5xx); f.Rule != "x.server-error" || f.Class != hotseat.ClassStatus {
		t.Errorf("failure %+v", f)
	}
}

func TestTargetDiesDuringTheLoad(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	time.AfterFunc(200*time.Millisecond, func() {
		_ = s.Listener.Close()
		s.CloseClientConnections()
	})
	o := play(t, impatient(get()), "--target", s.URL, "--duration", "60s")
	wantVerdict(t, o, hotseat.Fail, "stopped taking connections")
	if f := o.sample(t, CodeServerDied); f.Class != hotseat.ClassLifecycle || f.Rule != "x.server-died" {
		t.Errorf("failure %+v", f)
	}
	if o.took > 30*time.Second {
		t.Errorf("it took %s", o.took)
	}
	refused := o.failures()["connect/refused [x.connect]"]
	if refused < 3 || refused > 2*1000 {
		t.Errorf("%d refused connections in 0.3 s by two users: want them to back off", refused)
	}
}

// A server that is restarted is back soon; users who then think for a while
// say nothing about it.
func TestOneRefusalAndSilenceIsNoDeath(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		outcomes []time.Duration // negative: refused
		want     bool
	}{
		"one refusal":          {[]time.Duration{1, -2}, false},
		"refused for long":     {[]time.Duration{1, -2, -3, -5}, true},
		"refused for a moment": {[]time.Duration{1, -2, -3, -4}, false},
		"back in between":      {[]time.Duration{1, -2, -3, 4, -5, -6, -7}, false},
		"two slow refusals":    {[]time.Duration{-1, -9}, false},
	} {
		var a pulse
		r := &Run{start: time.Now()}
		for _, at := range c.outcomes {
			p := &Page{}
			if at < 0 {
				at, p.wire = -at, &wire.Error{Class: wire.ClassConnect}
			}
			p.sentAt = r.start.Add(at * time.Second)
			p.step = &Step{user: &User{Run: r, lastAt: at * time.Second}}
			a.note(p)
		}
		if got := a.stopped(3 * time.Second); got != c.want {
			t.Errorf("%s: stopped %v, want %v", name, got, c.want)
		}
	}
}

func TestPanicIsInfra(t *testing.T) {
	s := serve(t, ok)
	explode := func(u *User) error {
		if p := u.getOK("/"); p.OK() && u.ID == 2 {
			u.Run = nil
			u.Run.Log(hotseat.AudienceTeam, "oh")
		}
		return nil
	}
	for name, c := range map[string]struct {
		contest Contest
		code    string
		reason  string
	}{
		"panic in an iteration": {visit(explode), "panic", "nil pointer dereference (panic, user 2 of visitor"},
		"panic in verify":       {Contest{Name: "x", Verify: []Scenario{{Name: "v", Run: func(*User) error { panic("oh") }}}}, "panic", "panic: oh"},
		"panic in prepare":      {Contest{Name: "x", Prepare: func(*Run) error { panic("oh") }}, "panic", "panic: oh"},
		"panic in initialize":   {Contest{Name: "x", Initialize: func(context.Context, *Run) error { panic("oh") }}, "panic", "panic: oh"},
		"panic in populations":  {Contest{Name: "x", Populations: func(*Run) []Population { panic("oh") }}, "panic", "panic: oh"},
		"panic in score": {func() Contest {
			c := get()
			c.Score = func(*Run, *Tally) Score { panic("oh") }
			return c
		}(), "panic", "panic: oh"},
		"unknown rule": {visit(func(u *User) error { return u.Get("/").Expect(Status("x.nonsense", 200)).Err() }), "scenario-bug", `rule "x.nonsense" is not in Contest.Rules`},
		"unknown tag":  {visit(func(u *User) error { return u.Get("/").Point("nonsense").Do().Err() }), "scenario-bug", `point tag "nonsense" is not in Contest.Tags`},
		"bad path":     {visit(func(u *User) error { return u.Get("no slash").Do().Err() }), "scenario-bug", "does not begin with a slash"},
		"step twice": {visit(func(u *User) error {
			s := u.Get("/")
			s.Do()
			return s.Do().Err()
		}), "scenario-bug", "only once"},
		"error out of nowhere": {visit(func(*User) error { return errors.New("file not found") }), "scenario-bug", "file not found"},
		"rule declared twice": {func() Contest {
			c := get()
			c.Rules = append(c.Rules, c.Rules[0])
			return c
		}(), "", "x.status is declared twice"},
		"two populations of one name": {func() Contest {
			c := get()
			p := c.Populations
			c.Populations = func(r *Run) []Population { return append(p(r), p(r)...) }
			return c
		}(), "scenario-bug", `two populations are called "reader"`},
		"no rate": {open(func(p *OpenPopulation) *OpenPopulation { return p.PerSecond(0) }), "scenario-bug", "positive rate"},
		"no verdict from judge": {func() Contest {
			c := get()
			c.Judge = func(*Run, *Tally) (hotseat.Verdict, string) { return "", "" }
			return c
		}(), "scenario-bug", "Contest.Judge returned"},
		"panic in judge": {func() Contest {
			c := get()
			c.Judge = func(*Run, *Tally) (hotseat.Verdict, string) { panic("oh") }
			return c
		}(), "panic", "panic: oh"},
		"goexit": {visit(func(*User) error { runtime.Goexit(); return nil }), "scenario-bug", "ended its goroutine"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			args := []string{"--target", s.URL, "--duration", "60s", "--seed", "7"}
			if c.contest.Judge != nil { // it is asked at the end only
				args = []string{"--target", s.URL, "--param", "rules=original"}
			}
			o := play(t, c.contest, args...)
			wantVerdict(t, o, hotseat.Infra, c.reason)
			if o.verdict.Score != nil {
				t.Errorf("score %d, want none", *o.verdict.Score)
			}
			if c.code == "" {
				return
			}
			f := o.sample(t, c.code)
			if f.Class != hotseat.ClassAuthor || f.Side != hotseat.SideBench {
				t.Errorf("failure %+v", f)
			}
			if c.code == "panic" && (!strings.Contains(f.Actual, "trouble_test.go") || !strings.Contains(o.log, "trouble_test.go")) {
				t.Errorf("no stack in sample or log:\n%s\n%s", f.Actual, o.log)
			}
			if o.took > 30*time.Second {
				t.Errorf("it took %s", o.took)
			}
		})
	}
}

func TestDeadlockIsInfra(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	forever := make(chan struct{})
	t.Cleanup(func() { close(forever) })
	c := impatient(visit(func(u *User) error {
		u.getOK("/")
		<-forever
		return nil
	}))
	c.Drain = 0
	o := play(t, c, "--target", s.URL)
	wantVerdict(t, o, hotseat.Infra, "did not end")
	if !strings.Contains(o.log, "TestDeadlockIsInfra") {
		t.Errorf("no goroutines in the log:\n%s", o.log)
	}
	if n := o.points()["page"]; n != 2 {
		t.Errorf("%d points, want the 2 earned before the deadlock", n)
	}
}

// A user that is stuck may hold a lock that the score needs.
func TestDeadlockWithTheScore(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	var world sync.Mutex
	world.Lock()
	t.Cleanup(world.Unlock)
	locked := func(change func(c *Contest)) *outcomeOf {
		c := impatient(get())
		c.Drain = 0
		change(&c)
		return play(t, c, "--target", s.URL, "--duration", "1200ms", "--param", "rules=original")
	}
	o := locked(func(c *Contest) {
		c.Score = func(*Run, *Tally) Score { world.Lock(); defer world.Unlock(); return Score{} }
	})
	wantVerdict(t, o, hotseat.Infra, "did not end")
	o = locked(func(c *Contest) {
		c.Judge = func(*Run, *Tally) (hotseat.Verdict, string) {
			world.Lock()
			defer world.Unlock()
			return hotseat.Pass, ""
		}
	})
	wantVerdict(t, o, hotseat.Infra, "Contest.Judge did not end")
}

func TestInterrupt(t *testing.T) {
	t.Parallel()
	slow := serve(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(time.Minute):
		}
	})
	long := []string{"--target", slow.URL, "--duration", "60s"}
	check := func(t *testing.T, o *outcomeOf) {
		t.Helper()
		wantVerdict(t, o, hotseat.Infra, hotseat.ReasonInterrupted)
		if o.status != hotseat.ExitInterrupted || o.took > 30*time.Second {
			t.Errorf("exit status %d after %s", o.status, o.took)
		}
		if len(o.failures()) != 0 {
			t.Errorf("somebody was blamed: %v", o.failures())
		}
	}
	t.Run("context", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(200*time.Millisecond, cancel)
		check(t, playWith(ctx, t, nil, get(), long...))
	})
	t.Run("end of standard input", func(t *testing.T) {
		in, parent := io.Pipe()
		time.AfterFunc(200*time.Millisecond, func() { _ = parent.Close() })
		check(t, playWith(context.Background(), t, in, get(), long...))
	})
	t.Run("while init runs", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(200*time.Millisecond, cancel)
		check(t, playWith(ctx, t, nil, get(), append(long, "--init", "sleep 60")...))
	})
	t.Run("with a stuck user", func(t *testing.T) {
		forever := make(chan struct{})
		t.Cleanup(func() { close(forever) })
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(200*time.Millisecond, cancel)
		c := impatient(visit(func(*User) error { <-forever; return nil }))
		check(t, playWith(ctx, t, nil, c, long...))
	})
}

func TestVerifyAndFinish(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			ok(w, r)
		case "/slow":
			time.Sleep(300 * time.Millisecond)
			ok(w, r)
		default:
			w.WriteHeader(503)
		}
	})
	page := func(path string) Scenario {
		return Scenario{Name: "look at " + path, Run: func(u *User) error { return u.getOK(path).Err() }}
	}
	for name, c := range map[string]struct {
		change  func(c *Contest)
		verdict hotseat.Verdict
		reason  string
		loads   bool
	}{
		"both well":          {func(c *Contest) { c.Verify, c.Finish = []Scenario{page("/")}, []Scenario{page("/")} }, hotseat.Pass, "", true},
		"5xx in verify":      {func(c *Contest) { c.Verify = []Scenario{page("/"), page("/no")} }, hotseat.Fail, "verify: look at /no: GET /no: status 503", false},
		"5xx in finish":      {func(c *Contest) { c.Finish = []Scenario{page("/no")} }, hotseat.Fail, "finish: GET /no: status 503", true},
		"verify out of time": {func(c *Contest) { c.Verify, c.VerifyTimeout = []Scenario{page("/slow")}, 50*time.Millisecond }, hotseat.Fail, "did not end within 50ms", false},
		"finish out of time": {func(c *Contest) { c.Finish, c.FinishTimeout = []Scenario{page("/slow")}, 50*time.Millisecond }, hotseat.Fail, "did not end within 50ms", true},
		"a failure that was not passed": {func(c *Contest) {
			c.Verify = []Scenario{{Name: "v", Run: func(u *User) error { u.getOK("/no"); return nil }}}
		}, hotseat.Fail, "status 503", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contest := get()
			contest.Pause = 10 * time.Millisecond
			c.change(&contest)
			o := play(t, contest, "--target", s.URL)
			wantVerdict(t, o, c.verdict, c.reason)
			if (o.phase(PhaseLoad) != nil) != c.loads {
				t.Errorf("load phase %+v", o.phase(PhaseLoad))
			}
		})
	}
}

func TestOriginalRules(t *testing.T) {
	t.Parallel()
	s := serve(t, every(5, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "wrong") }))
	c := get()
	c.Judge = func(r *Run, tally *Tally) (hotseat.Verdict, string) {
		if tally.FailuresOf(ruleBody) == 0 || tally.FailuresIn(PhaseLoad)+tally.FailuresIn(PhaseDrain) != tally.Failures() || tally.ClassFailures(hotseat.ClassContent) != tally.WrongAnswers() {
			return hotseat.Fail, "the tally is wrong"
		}
		return hotseat.Pass, "everybody passes"
	}
	wantVerdict(t, play(t, c, "--target", s.URL, "--param", "rules=original"), hotseat.Pass, "everybody passes")
	wantVerdict(t, play(t, c, "--target", s.URL), hotseat.Fail, "want ok, got wrong")
}
