package main

import (
	"fmt"
	"os"
	"runtime/pprof"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/bench/check"
)

// The contest's rules.
const (
	ruleStatus = "engine.status"
	rulePage   = "engine.page"
)

// workload is what a client is told to do.
type workload struct {
	name     string // the case
	target   string
	duration time.Duration
	users    int
	profile  string // a file; "" for none
}

// feed is the validator of the pages: what checkTree asks of goquery.
func feed() *check.HTMLValidator {
	return check.HTML("feed").
		Count(postSelector, posts).
		Count(imageSelector, images).
		Count(assetSelector, assets).
		AttrMatch(postSelector, "id", check.Var("first"))
}

// contest is the workload as a problem's author would write it: users with
// cookies, a check of each status, a point for each page, everything counted.
func contest(w *workload) bench.Contest {
	return bench.Contest{
		Name:       "bench-engine",
		RulePrefix: "engine",
		Rules: []hotseat.Rule{
			{ID: ruleStatus, Class: hotseat.ClassStatus, Text: "Pages answer."},
			{ID: rulePage, Class: hotseat.ClassContent, Text: "Pages show the posts, images and assets that they should."},
		},
		Tags:  []string{"view"},
		Drain: 10 * time.Second, // whatever was served is judged
		Populations: func(*bench.Run) []bench.Population {
			return []bench.Population{bench.Closed("reader", newReader(w.name)).Start(w.users)}
		},
	}
}

// newReader makes the users of a case. What does not change from request to
// request is made once, as package bench advises.
func newReader(name string) func(u *bench.User) bench.Iteration {
	ok := bench.Status(ruleStatus, 200)
	switch name {
	case caseScanned:
		page := feed()
		paths, bodies := make([]string, pageCount), make([]bench.Check, pageCount)
		for n := range pageCount {
			paths[n] = pagePath(n)
			bodies[n] = bench.Body(rulePage, page, check.Set("first", firstID(n)))
		}
		return func(u *bench.User) bench.Iteration {
			return func() error {
				n := u.Rand.IntN(pageCount)
				return u.Get(paths[n]).Route("/scanned/:page").Point("view").Expect(ok, bodies[n]).Err()
			}
		}
	case caseMemoised:
		page := bench.Body(rulePage, feed().Memo(), check.Set("first", firstID(0)))
		return func(u *bench.User) bench.Iteration {
			return func() error { return u.Get("/"+caseMemoised).Point("view").Expect(ok, page).Err() }
		}
	default:
		path := "/" + name
		return func(u *bench.User) bench.Iteration {
			return func() error { return u.Get(path).Point("view").Expect(ok).Err() }
		}
	}
}

// beEngine is the engine's process. It speaks the protocol on standard output.
func beEngine(w *workload) int {
	if w.profile != "" {
		f, err := os.Create(w.profile)
		if err == nil {
			err = pprof.StartCPUProfile(f)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "profile:", err)
			return hotseat.ExitUsage
		}
		defer func() {
			pprof.StopCPUProfile()
			_ = f.Close() // a torn profile shows when it is read
		}()
	}
	return bench.Execute(contest(w), []string{"--target", w.target, "--duration", w.duration.String(), "--seed", "1"})
}
