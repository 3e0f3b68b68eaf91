package nttscenario

import (
	"context"
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/bench"
)

// The parameters.
const (
	paramCampaign = "campaign" // the level of the load, in place of what the app answers
	paramRestart  = "restart"
)

// Contest returns a fresh benchmark, for one run.
func Contest() *bench.Contest { return contest(time.Now, loadTruth) }

// contest makes the benchmark; clock tells the date, and load what is in the folder
// of --data, of which nothing is changed afterwards.
func contest(clock func() time.Time, load func(dir string) (*truth, error)) *bench.Contest {
	var made atomic.Pointer[world] // by Prepare, which comes first
	w := made.Load
	return &bench.Contest{
		Name:       "ntt-ptc-2020",
		RulePrefix: prefix,
		Rules:      rules(),
		Tags:       tags(),
		Params: []bench.Param{
			{
				Name: paramCampaign, Default: "", Check: isCampaign,
				Doc: "1 to 4: how much the site is advertised, whatever POST /api/initialize answers; 4 is beyond this machine's reach",
			},
			{
				Name: paramRestart, Default: "1", Check: bench.IntBetween(0, 1),
				Doc: "1: after the load the servers are restarted, if they are ours, and what was written has to be there; 0: not",
			},
		},
		Load:        60 * time.Second,
		InitTimeout: initializeTimeout + 15*time.Second,
		Limits:      bench.Limits{Connect: requestTimeout, Body: requestTimeout, Total: requestTimeout},

		Prepare: func(r *bench.Run) error {
			t, err := load(r.Data())
			if err != nil {
				return err
			}
			if err := t.fresh(clock()); err != nil {
				return err
			}
			w := newWorld(r, t, clock)
			if w.ground, err = newGround(t, clock()); err != nil {
				return hotseat.Invalid(dataHint, "%w", err)
			}
			made.Store(w)
			return nil
		},
		Initialize:    func(ctx context.Context, r *bench.Run) error { return w().initialize(ctx, r) },
		Verify:        append(verification(w), raceScenario(w)),
		VerifyTimeout: 3 * time.Minute,
		Populations:   func(*bench.Run) []bench.Population { return w().populations() },
		Finish:        finish(w),
		FinishTimeout: 3 * time.Minute,
		Score: func(_ *bench.Run, t *bench.Tally) bench.Score {
			if w() == nil {
				return bench.Score{}
			}
			return w().score(t)
		},
		Judge: func(*bench.Run, *bench.Tally) (hotseat.Verdict, string) {
			return hotseat.Pass, "there is a score; under rules=original a wrong answer costs 5 or 25 points like any failed check"
		},
	}
}
