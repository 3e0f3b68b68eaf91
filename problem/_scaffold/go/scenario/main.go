// Command benchmark loads the vote, checks every number and keeps the score.
//
// It is written in package bench: go doc -all hotseat/bench is the manual.
package main

import (
	"context"
	"strconv"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/bench/check"
	"hotseat/bench/model"
)

const (
	candidates   = 10
	initialVotes = 5000
)

// The promises of README.md. Every check names one.
const (
	rulePage  = "vote.page"
	ruleForm  = "vote.form"
	ruleCount = "vote.count"
)

func main() { bench.Main(contest()) }

func contest() bench.Contest {
	w := newWorld()
	return bench.Contest{
		Name:       "{{ID}}",
		RulePrefix: "vote",
		Rules: []hotseat.Rule{
			{ID: rulePage, Class: hotseat.ClassContent, Text: "The page has a row for each candidate, with a number of votes."},
			{ID: ruleForm, Class: hotseat.ClassContent, Text: "A vote is answered with 303 to the results."},
			{ID: ruleCount, Class: hotseat.ClassConsistency, Semantic: true, Text: "The results count every vote once, at once."},
		},
		Tags:   []string{"view", "vote"},
		Limits: bench.Limits{Total: 10 * time.Second},
		Initialize: func(ctx context.Context, r *bench.Run) error {
			return r.Alone(ctx, bench.Scenario{Name: "initialize", Run: func(u *bench.User) error {
				return u.Request("POST", "/initialize").Expect(bench.Status(rulePage, 200)).Err()
			}})
		},
		Verify: []bench.Scenario{{Name: "first look", Run: func(u *bench.User) error { return w.look(u) }}},
		Populations: func(*bench.Run) []bench.Population {
			return []bench.Population{
				bench.Closed("voter", w.voter).Start(2).Grow(1, time.Second, bench.CleanIterationsOnly).Max(32),
			}
		},
		Drain:  time.Second,
		Finish: []bench.Scenario{{Name: "last look", Run: func(u *bench.User) error { return w.look(u) }}},
		Score: func(_ *bench.Run, t *bench.Tally) bench.Score {
			return bench.Score{Raw: t.Points("view") + 5*t.Points("vote")}
		},
	}
}

// world is what the benchmark knows of the target: which totals the votes so far
// can have led to. A vote whose answer was lost may count or not.
type world struct {
	votes [candidates]*model.Sum
}

func newWorld() *world {
	w := &world{}
	for i := range w.votes {
		w.votes[i] = model.NewSum(model.Promise{Patience: 15 * time.Second}, initialVotes)
	}
	return w
}

// voter is one virtual user: a look at the results, a vote, and again.
func (w *world) voter(u *bench.User) bench.Iteration {
	return func() error {
		if err := w.look(u, "view"); err != nil {
			return err
		}
		return w.vote(u, u.Rand.IntN(candidates))
	}
}

// results is made once: a validator is compiled.
var results = check.HTML("results").
	Rule(rulePage).Count("td.votes", candidates).
	CaptureText("votes", "td.votes")

// look reads the results; each number must be one that is possible.
func (w *world) look(u *bench.User, tags ...string) error {
	return u.Get("/").Point(tags...).Expect(
		bench.Status(rulePage, 200),
		bench.Body(rulePage, results),
		bench.That(ruleCount, w.possible),
	).Err()
}

func (w *world) possible(p *bench.Page) *bench.Mismatch {
	at := model.Span{Sent: p.SentAt(), Done: p.DoneAt()}
	for i, text := range p.Found("votes") {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return &bench.Mismatch{Expected: "a number of votes", Actual: text}
		}
		if v := w.votes[i].Read(at, n); v != nil {
			v.Message = "candidate " + strconv.Itoa(i) + ": " + v.Message
			return (*bench.Mismatch)(v)
		}
	}
	return nil
}

// vote announces the vote to the model before it is sent, and settles it by what
// is known of it then.
func (w *world) vote(u *bench.User, candidate int) error {
	vote := w.votes[candidate].Add(time.Now(), 1)
	p := u.PostForm("/votes", "candidate", strconv.Itoa(candidate)).Point("vote").
		Expect(bench.Status(ruleForm, 303), bench.Header(ruleForm, "Location", "/"))
	switch {
	case p.OK():
		vote.Commit(p.DoneAt())
	case p.Sent():
		vote.Maybe(time.Now())
	default:
		vote.Never()
	}
	return p.Err()
}
