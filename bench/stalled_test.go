package bench

import (
	"testing"
	"time"

	"hotseat"
)

func TestStalledIsWhatOverlaps(t *testing.T) {
	t.Parallel()
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	g := newGenerator()
	for _, s := range []stall{{at(0), at(100)}, {at(200), at(250)}, {at(300), at(400)}, {at(900), at(1000)}} {
		g.note(s, s.to.Sub(s.from))
	}
	for _, c := range []struct{ from, to, want int }{{0, 1000, 350}, {50, 350, 150}, {100, 200, 0}, {210, 220, 10}, {2000, 3000, 0}} {
		if got := g.stalled(at(c.from), at(c.to)); got != time.Duration(c.want)*time.Millisecond {
			t.Errorf("from %d to %d ms: %s, want %d ms", c.from, c.to, got, c.want)
		}
	}
}

// Short stalls of the benchmark's, again and again as on a machine that the target fills,
// do not make it guilty of what a slow target missed all the time: every start waits
// until it is just too late, so that each was in time but for a stall.
func TestShortStallsExcuseNoSlowTarget(t *testing.T) {
	t.Parallel()
	c := open(func(p *OpenPopulation) *OpenPopulation {
		return p.PerSecond(200).Users(25).MaxLate(100 * time.Millisecond)
	})
	work := c.Populations
	c.Populations = func(r *Run) []Population {
		from := time.Now()
		for range 100 { // a tenth of the first ten seconds
			r.gen.note(stall{from, from.Add(10 * time.Millisecond)}, 10*time.Millisecond)
			from = from.Add(100 * time.Millisecond)
		}
		return work(r)
	}
	s := serve(t, dawdle(500*time.Millisecond))
	enough := func(o *outcomeOf) bool {
		return o.verdict.Verdict == hotseat.Pass && o.verdict.Arrivals[0].Missed > 100
	} // of 150
	o := unhurried(t, func(load time.Duration) (*outcomeOf, bool) {
		o := play(t, c, "--target", s.URL, "--duration", load.String())
		return o, enough(o)
	}, time.Second, time.Second, time.Second)
	if !enough(o) {
		t.Errorf("%s: %s, %+v", o.verdict.Verdict, o.verdict.Reason, o.verdict.Arrivals)
	}
}

func TestBrokeSchedule(t *testing.T) {
	for name, c := range map[string]struct {
		late, missed, all int64
		want              bool
	}{
		"on time":                              {0, 0, 1000, false},
		"one is an accident":                   {1, 0, 20, false},
		"one in a hundred":                     {10, 0, 1000, false},
		"more":                                 {11, 0, 1000, true},
		"the target misses some, too":          {11, 109, 1000, true},
		"the target missed far more by itself": {11, 110, 1000, false},
		"a starved benchmark":                  {400, 300, 1000, true},
	} {
		if got := brokeSchedule(c.late, c.missed, c.all); got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}
