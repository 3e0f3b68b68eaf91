// Package scenario is the benchmark of the ISUCON4 qualifier: workers that log
// in to a bank, one attempt after the other, and know at any moment whether the
// bank must accept or refuse them, and why.
//
// It follows the contest's own benchmarker v2 (§15 of the specification) in
// load, order of checks and score. Under rules=strict it also holds the bank to
// what the original let pass or could not see: the time of the last login, a
// session that leaks, entries of the report that do not belong there. And where
// the original blamed the bank for its own guesses it does not: an attempt that
// was never sent changes nothing, and one whose answer was lost may or may not
// have happened, see [failures].
//
// Read worker.go for what the load is, outcome.go for what is due, failures.go
// for what is believed, rehearsal.go and report.go for before and after.
package scenario

import (
	"fmt"
	"strconv"
	"time"

	"hotseat/bench"
)

// The parameters. All but the workload exist to reach every rule in a short run.
const (
	paramWorkload  = "workload"
	paramAddresses = "addresses"
	paramUsers     = "users"
	paramRecheck   = "recheck"
	paramPause     = "pause"
)

// maxWorkload keeps every worker of a run within the machine's file descriptors.
const maxWorkload = 10_000

// Contest returns a fresh benchmark, for one run.
func Contest() *bench.Contest {
	var w *world // made by Prepare, which comes first
	return &bench.Contest{
		Name:       "isucon4-qualifier",
		RulePrefix: prefix,
		Rules:      rules(),
		Tags:       []string{pointPage, pointAsset},
		Params: []bench.Param{
			{
				Name: paramWorkload, Default: "1", Check: integer(-maxWorkload, maxWorkload),
				Doc: "workers, each with one attempt to log in after the other; less than 1 means 1",
			},
			{
				Name: paramAddresses, Default: strconv.Itoa(listSize), Check: integer(3, listSize),
				Doc: "client addresses in a worker's list, 3 to 127: the first ones of each list",
			},
			{
				Name: paramUsers, Default: "100", Check: integer(1, 1_000_000),
				Doc: "customers in a worker's window: rows of users.tsv in a row",
			},
			{
				Name: paramRecheck, Default: "20", Check: integer(1, 1_000_000),
				Doc: "attempts after which a worker takes a new list if half of the old one is banned, and a new window if a fifth is locked",
			},
			{
				Name: paramPause, Default: "5", Check: integer(0, 60),
				Doc: "seconds of quiet between the load and the report",
			},
		},
		Load:        60 * time.Second,
		InitTimeout: 60 * time.Second,
		Limits:      bench.Limits{Connect: 10 * time.Second, Total: 10 * time.Second},
		Ready:       "/",

		Prepare: func(r *bench.Run) error {
			t, err := loadTruth(r.Data())
			if err != nil {
				return err
			}
			w = newWorld(r, t)
			return nil
		},
		Verify: []bench.Scenario{
			{Name: "rehearsal", Run: func(u *bench.User) error { return w.rehearse(u) }},
		},
		// 30 logins of an app that is far slower than any in the contest.
		VerifyTimeout: 3 * time.Minute,
		Populations: func(r *bench.Run) []bench.Population {
			workers := bench.Closed(population, func(u *bench.User) bench.Iteration { return newWorker(u, w) }).
				Start(max(r.Int(paramWorkload), 1)).
				Connections(maxConnections, idleConnections)
			return []bench.Population{workers}
		},
		Drain:        10 * time.Second,
		DrainTimeout: 50 * time.Millisecond,
		PauseParam:   paramPause,
		Finish: []bench.Scenario{
			{Name: "return", Run: func(u *bench.User) error { return w.comeBack(u) }},
			{Name: "report", Run: func(u *bench.User) error { return w.checkReport(u) }},
		},
		FinishTimeout: 2 * time.Minute,
		Score:         score,
		Judge:         originalVerdict,
	}
}

// The original's client opened a connection for whatever it fetched at once
// and kept two of them: with four assets to a page about two are closed again
// for each page, which is a good part of the load (§15.5).
const (
	maxConnections  = 64
	idleConnections = 2
)

// score rounds each worker's points up on their own (§15.8).
func score(_ *bench.Run, t *bench.Tally) bench.Score {
	var total int64
	t.EachUser(func(u bench.UserTally) {
		if u.Population == population {
			total += workerScore(u.Points(pointPage), u.Points(pointAsset))
		}
	})
	return bench.Score{Raw: total}
}

func workerScore(pages, assets int64) int64 {
	return (pages*pageWorth + assets*assetWorth + 99) / 100
}

func integer(least, most int) func(string) error {
	return func(value string) error {
		if n, err := strconv.Atoi(value); err != nil || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d", least, most)
		}
		return nil
	}
}
