package isucon1scenario

import (
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/bench"
)

// The parameters. The last ones exist to reach every rule in a short run.
const (
	paramConnections = "connections"
	paramPosts       = "posts"
	paramTimeout     = "timeout"
	paramRestart     = "restart"
)

// Contest returns a fresh benchmark, for one run.
func Contest() *bench.Contest { return contest(within) }

// contest is Contest with another time in which comments must show.
func contest(within time.Duration) *bench.Contest {
	var w *world // made by Prepare, which comes first
	return &bench.Contest{
		Name:       "isucon1",
		RulePrefix: prefix,
		Rules:      rules(),
		Tags:       []string{pointGet},
		Params: []bench.Param{
			{Name: paramConnections, Default: "10", Check: bench.IntBetween(1, 10_000),
				Doc: "connections of the load; the published tool's default was lowered to 2 after the contest"},
			{Name: paramPosts, Default: "60", Check: bench.IntBetween(1, 6000), Doc: "comments a minute"},
			{Name: paramTimeout, Default: "60", Check: bench.IntBetween(1, 60), Doc: "seconds that a request may take; the original waited for 60"},
			{Name: paramRestart, Default: "1", Check: bench.IntBetween(0, 1),
				Doc: "1: restart the stack after the load and look whether everything is still there"},
		},
		Load:          60 * time.Second,
		MaxErrorShare: 0.01, // §10
		// The original's idle timeout; parameter timeout says otherwise.
		Limits: bench.Limits{Body: 60 * time.Second, Total: 60 * time.Second},

		Prepare: func(r *bench.Run) error {
			t, err := loadTruth(r.Data())
			if err != nil {
				return err
			}
			w = newWorld(r, t, within)
			return nil
		},
		Verify:        []bench.Scenario{{Name: "prepare", Run: func(u *bench.User) error { return w.prepare(u) }}},
		VerifyTimeout: 2 * time.Minute,
		Populations: func(r *bench.Run) []bench.Population {
			// One connection per request. Where the original hung on one that was
			// kept, it is kept for that.
			idle := -1
			if !w.strict {
				idle = 1
			}
			var comments atomic.Int64
			list := []bench.Population{
				bench.Closed("load", func(u *bench.User) bench.Iteration { return newSlot(u, w) }).
					Start(r.Int(paramConnections)).Connections(1, idle),
				bench.Open("poster", func(u *bench.User) bench.Iteration { return newPoster(u, w, &comments) }).
					PerSecond(float64(r.Int(paramPosts))/60).Users(maxPosters).Connections(6, -1),
				bench.Closed("checker", func(u *bench.User) bench.Iteration { return newChecker(u, w) }).Connections(6, -1),
			}
			if w.strict {
				list = append(list, bench.Closed("reader", func(u *bench.User) bench.Iteration { return newReader(u, w) }).Connections(1, -1))
			}
			return list
		},
		Drain: 10 * time.Second, // a post of the last moment is verified a second later
		Finish: []bench.Scenario{
			{Name: "look back", Run: func(u *bench.User) error { return w.lookBack(u) }},
			{Name: "restart", Run: func(u *bench.User) error { return w.restart(u) }},
		},
		FinishTimeout: 2 * time.Minute,
		Score: func(_ *bench.Run, t *bench.Tally) bench.Score {
			return bench.Score{Raw: t.Points(pointGet)}
		},
		Judge: func(r *bench.Run, t *bench.Tally) (hotseat.Verdict, string) { return w.originalVerdict(r, t) },
	}
}

// maxPosters is how many comments may be under way, verification included: a
// new one waits for none.
const maxPosters = 100
