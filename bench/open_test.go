package bench

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hotseat"
)

// open is a contest with one open population.
func open(change func(p *OpenPopulation) *OpenPopulation) Contest {
	c := get()
	c.Populations = func(*Run) []Population {
		return []Population{change(Open("visitor", func(u *User) Iteration {
			return func() error { return u.getOK("/").Err() }
		}))}
	}
	return c
}

func TestOpenPopulationKeepsItsRate(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	for _, poisson := range []bool{false, true} {
		c := open(func(p *OpenPopulation) *OpenPopulation {
			if poisson {
				p = p.Poisson()
			}
			return p.PerSecond(100).Users(20)
		})
		o := play(t, c, "--target", s.URL, "--duration", "1s", "--seed", "5")
		if o.verdict.Verdict == hotseat.Infra {
			t.Logf("this machine is too busy: %s", o.verdict.Reason)
		}
		if n := o.points()["page"]; n < 70 || n > 135 {
			t.Errorf("poisson %v: %d iterations in 1 s, want about 100", poisson, n)
		}
	}
}

func TestOpenPopulationMissesStartsOfASlowTarget(t *testing.T) {
	t.Parallel()
	s := serve(t, dawdle(400*time.Millisecond))
	c := open(func(p *OpenPopulation) *OpenPopulation {
		return p.PerSecond(50).Users(2).MaxLate(100 * time.Millisecond)
	})
	var missed int64
	c.Score = func(_ *Run, tally *Tally) Score {
		missed = tally.Missed("visitor")
		return Score{}
	}
	c.Drain = 2 * time.Second
	o := unhurried(t, func(load time.Duration) (*outcomeOf, bool) {
		o := play(t, c, "--target", s.URL, "--duration", load.String())
		return o, o.verdict.Verdict != hotseat.Infra // else it was us who were late
	}, time.Second, time.Second, time.Second, time.Second, time.Second)
	// Two users serve a start each 200 ms: 5 or 6 of 50; those due in the last
	// 100 ms are not missed yet.
	if n := o.points()["page"]; n < 2 || n > 7 || missed+n < 42 || missed+n > 48 {
		t.Errorf("%d iterations, %d missed", n, missed)
	}
	wantVerdict(t, o, hotseat.Pass, "") // the target is slow, not wrong, and we are not late
	if e := o.verdict.Endpoints[0]; e.MaxMS < 399 {
		t.Errorf("largest response time %f ms", e.MaxMS)
	}
	if a := o.verdict.Arrivals; len(a) != 1 || a[0].Population != "visitor" || a[0].Users != 2 || a[0].Missed != missed || a[0].Ended != o.points()["page"] || a[0].Due < a[0].Missed+a[0].Ended {
		t.Errorf("arrivals: %+v, with %d missed", a, missed)
	}
	told := slices.ContainsFunc(o.events, func(e hotseat.Event) bool {
		return e.LogEvent != nil && e.Audience == hotseat.AudienceTeam && strings.Contains(e.Message, "could not start")
	})
	if !told {
		t.Error("the team was not told of missed starts")
	}
}

// In an open population a response time begins when the request was due.
func TestOpenPopulationCountsFromTheIntendedStart(t *testing.T) {
	t.Parallel()
	s := serve(t, dawdle(200*time.Millisecond))
	c := open(func(p *OpenPopulation) *OpenPopulation {
		return p.PerSecond(20).Users(1).MaxLate(time.Minute)
	})
	c.Drain = 2 * time.Second
	o := play(t, c, "--target", s.URL, "--duration", "1s")
	// The nth start is due at 50n ms and begins at 200n ms.
	if e := o.verdict.Endpoints[0]; e.MaxMS < 600 {
		t.Errorf("largest response time %f ms although the last start waited for 600 ms", e.MaxMS)
	}
}

func TestLateStartsAreOurs(t *testing.T) {
	t.Parallel()
	c := open(func(p *OpenPopulation) *OpenPopulation {
		return p.PerSecond(100).Users(4).MaxLate(50 * time.Millisecond)
	})
	work := c.Populations
	c.Populations = func(r *Run) []Population {
		// As if this process had not been given the CPU all the time.
		began := time.Now()
		for i := range 40 {
			from := began.Add(time.Duration(i) * 50 * time.Millisecond)
			r.gen.note(stall{from, from.Add(49 * time.Millisecond)}, 49*time.Millisecond)
		}
		return work(r)
	}
	s := serve(t, dawdle(300*time.Millisecond))
	o := play(t, c, "--target", s.URL, "--duration", "1s")
	wantVerdict(t, o, hotseat.Infra, "iterations of visitor too late")
	if f := o.sample(t, codeLateStart); f.Side != hotseat.SideBench {
		t.Errorf("%+v", f)
	}
}
