package bench

import (
	"testing"
	"time"
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

// Stalls of the benchmark's do not make it guilty of what a slow target missed all the time:
// neither one, nor short ones again and again as on a machine that the target fills. There
// every start waits until it is just too late, so that each was in time but for a stall.
func TestStallsExcuseNoSlowTarget(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		rate          float64
		users         int
		first, length time.Duration
		stalls        int   // a tenth of a second apart
		missed        int64 // more than so many in the first second
		none          bool  // of the starts is ours
	}{
		"one":             {50, 2, 400 * time.Millisecond, 60 * time.Millisecond, 1, 30, false}, // of 45; some of them were in time but for the stall
		"again and again": {200, 25, 0, 10 * time.Millisecond, 100, 100, true},                  // of 150
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contest := open(func(p *OpenPopulation) *OpenPopulation {
				return p.PerSecond(c.rate).Users(c.users).MaxLate(100 * time.Millisecond)
			})
			work := contest.Populations
			contest.Populations = func(r *Run) []Population {
				from := time.Now().Add(c.first)
				for range c.stalls {
					r.gen.note(stall{from, from.Add(c.length)}, c.length)
					from = from.Add(100 * time.Millisecond)
				}
				return work(r)
			}
			s := serve(t, dawdle(500*time.Millisecond))
			enough := func(o *outcomeOf) bool {
				return o.verdict.Arrivals[0].Missed > c.missed && (!c.none || len(o.failures()) == 0)
			}
			o := unhurried(t, func(load time.Duration) (*outcomeOf, bool) {
				o := play(t, contest, "--target", s.URL, "--duration", load.String())
				return o, enough(o)
			}, time.Second, time.Second, time.Second)
			if !enough(o) {
				t.Errorf("%s: %s, %+v, failures %v", o.verdict.Verdict, o.verdict.Reason, o.verdict.Arrivals, o.failures())
			}
		})
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
