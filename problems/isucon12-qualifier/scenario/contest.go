package isucon12qscenario

import (
	"context"
	"crypto/rsa"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/bench"
)

// The parameters. All but reproduce are for short runs.
const (
	paramReproduce = "reproduce"
	paramSize      = "size"
	paramGrace     = "grace"
)

// Contest returns a fresh benchmark, for one run.
func Contest() *bench.Contest { return contest(strangersKey) }

// contest makes the benchmark; stranger makes a key that nobody knows.
func contest(stranger func() (*rsa.PrivateKey, error)) *bench.Contest {
	var made atomic.Pointer[world] // by Prepare, which comes first
	w := made.Load
	c := &bench.Contest{
		Name:       "isucon12-qualifier",
		RulePrefix: prefix,
		Rules:      rules(),
		Params: []bench.Param{
			{
				Name: paramReproduce, Default: "false", Check: oneOfTexts("true", "false"),
				Doc: "true: players who find an empty ranking ask again at once, as on the day of the contest",
			},
			{
				Name: paramSize, Default: full, Check: oneOfTexts(full, small),
				Doc: "full: the contest's numbers; small: few players, short sheets and short pauses, for runs of seconds",
			},
			{
				Name: paramGrace, Default: "3000", Check: bench.IntBetween(0, 60_000),
				Doc: "milliseconds until finishes and disqualifications have to show; the contest promised 3000",
			},
		},
		Load:           60 * time.Second,
		InitTimeout:    initializeTimeout + 15*time.Second,
		Limits:         bench.Limits{Connect: 30 * time.Second, Body: 30 * time.Second, Total: 30 * time.Second},
		AnyCertificate: true,
		// The score alone says how much may go wrong: at 100 % the run fails.
		MaxErrorShare: 1,

		Prepare: func(r *bench.Run) error {
			t, err := loadTruth(r.Data())
			if err != nil {
				return err
			}
			key, err := stranger()
			if err != nil {
				return err
			}
			made.Store(newWorld(r, t, newSigner(key)))
			return nil
		},
		Initialize:    func(ctx context.Context, r *bench.Run) error { return w().initialize(ctx, r) },
		Verify:        checks(w),
		VerifyTimeout: time.Minute,
		Populations:   func(*bench.Run) []bench.Population { return w().populations() },
		Finish: []bench.Scenario{
			{Name: "score", Run: func(*bench.User) error { return w().conclude() }},
		},
		Pause: time.Second,
		Score: func(_ *bench.Run, t *bench.Tally) bench.Score {
			if made.Load() == nil {
				return bench.Score{}
			}
			return w().score(t)
		},
		Judge: func(*bench.Run, *bench.Tally) (hotseat.Verdict, string) {
			return hotseat.Pass, "there is a score; rules=original takes 1 % off for an error and 10 % for one of an update"
		},
	}
	for _, tag := range worth {
		c.Tags = append(c.Tags, tag.tag)
	}
	return c
}

func oneOfTexts(texts ...string) func(string) error {
	return func(value string) error {
		if slices.Contains(texts, value) {
			return nil
		}
		return fmt.Errorf("want %s, not %q", strings.Join(texts, " or "), value)
	}
}

// score adds the points up and takes off what failures cost (§16.7).
func (w *world) score(t *bench.Tally) bench.Score {
	var raw int64
	for _, tag := range worth {
		raw += tag.points * t.Points(tag.tag)
	}
	return bench.Score{Raw: raw, Deduction: raw * min(w.weight.Load(), weightLimit) / weightLimit}
}

// conclude fails a run that is worth nothing.
func (w *world) conclude() error {
	if !w.earned.Load() {
		w.run.Disqualify("no point was earned", "look at the failures")
	}
	return nil
}
