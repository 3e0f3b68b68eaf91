package tally_test

import (
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat/bench/tally"
)

// ledgerPoints is how many points the property test makes: ten million here, any number by
// HOTSEAT_LEDGER_POINTS (the engine promises 10^8).
func ledgerPoints(t *testing.T) int {
	n := 10_000_000
	if s := os.Getenv("HOTSEAT_LEDGER_POINTS"); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if testing.Short() {
		n /= 10
	}
	return n
}

// Whatever moment the deadline falls on, whenever users are cut off and released, and whoever reads
// meanwhile: the points that were said to count are the points in the result and in the event log.
func TestNoPointIsLostOrDoubled(t *testing.T) {
	const rounds, workers = 40, 8
	perWorker := ledgerPoints(t) / rounds / workers
	rnd := rand.New(rand.NewPCG(1, 2))
	for round := range rounds {
		config := tally.Config{
			Tags:    []string{"page", "asset"},
			PerUser: round%2 == 0,
			Score:   func(n []uint64) int64 { return int64(n[0]*100+n[1]*2+99) / 100 },
		}
		tl := tally.New(config)
		start := time.Now()
		if round%3 != 0 { // with a deadline somewhere within the round
			tl.SetDeadline(time.Duration(rnd.Int64N(int64(perWorker) * workers * 20)))
		}
		closeAfter := time.Duration(rnd.Int64N(int64(perWorker)*workers*20) + 1)

		type promise struct{ page, asset uint64 }
		promised := make([]map[int]*promise, workers)
		var busy sync.WaitGroup
		for w := range workers {
			promised[w] = map[int]*promise{}
			seed := rnd.Uint64()
			busy.Go(func() {
				rnd := rand.New(rand.NewPCG(seed, uint64(w)))
				u := tl.User()
				mine := &promise{}
				promised[w][u.Number()] = mine
				for i := range perWorker {
					at := time.Duration(i) // most rounds: a clock too fine to matter
					if i%64 == 0 {
						at = time.Since(start)
					}
					if rnd.Uint32N(4) == 0 {
						if u.Points(1, 3, at) {
							mine.asset += 3
						}
					} else if u.Point(0, at) {
						mine.page++
					}
					if rnd.Uint32N(1<<16) == 0 { // cancelled: the next iteration is a new user's
						u.Release()
						if u.Point(0, 0) {
							t.Error("a released user's point counted")
						}
						u = tl.User()
						mine = &promise{}
						promised[w][u.Number()] = mine
					}
				}
			})
		}
		var events []tally.PointEvent
		reader := make(chan struct{})
		readerDone := make(chan struct{})
		go func() {
			defer close(readerDone)
			for {
				select {
				case <-reader:
					return
				default:
					events = append(events, tl.Drain(time.Since(start))...)
					tl.Totals()
				}
			}
		}()
		time.Sleep(closeAfter)
		tl.Close()
		busy.Wait()
		close(reader)
		<-readerDone
		events = append(events, tl.Drain(time.Since(start))...)

		want := map[string]uint64{"page": 0, "asset": 0}
		var score int64
		for _, users := range promised {
			for _, p := range users {
				want["page"] += p.page
				want["asset"] += p.asset
				score += config.Score([]uint64{p.page, p.asset})
			}
		}
		totals := tl.Totals()
		if diff := cmp.Diff(want, totals.Points); diff != "" {
			t.Fatalf("round %d: result is not what was promised (-promised +result):\n%s", round, diff)
		}
		if totals.Score != score {
			t.Fatalf("round %d: score %d, promised %d", round, totals.Score, score)
		}
		points, rescored := tally.Rescore(config, events)
		if diff := cmp.Diff(want, points); diff != "" {
			t.Fatalf("round %d: event log is not what was promised (-promised +log):\n%s", round, diff)
		}
		if config.PerUser && rescored != score {
			t.Fatalf("round %d: score from the log %d, promised %d", round, rescored, score)
		}
	}
}

func TestDeadline(t *testing.T) {
	tl := tally.New(tally.Config{Tags: []string{"view"}})
	u := tl.User()
	tl.SetDeadline(60 * time.Second)
	for _, c := range []struct {
		at   time.Duration
		want bool
	}{
		{0, true},
		{60*time.Second - 1, true},
		{60 * time.Second, false},
		{61 * time.Second, false},
		{59 * time.Second, true}, // said late, earned in time
	} {
		if got := u.Point(0, c.at); got != c.want {
			t.Errorf("point at %v counted: %t, want %t", c.at, got, c.want)
		}
	}
	tl.Close()
	if u.Point(0, 0) {
		t.Error("point after Close counted")
	}
	if tl.User().Point(0, 0) {
		t.Error("point of a user who came after Close counted")
	}
	if got := tl.Totals().Points["view"]; got != 3 {
		t.Errorf("points = %d, want 3", got)
	}
}

// ISUCON4's qualifier rounds each worker's raw points up to whole hundreds.
func TestScorePerUser(t *testing.T) {
	config := tally.Config{
		Tags:    []string{"page", "asset"},
		PerUser: true,
		Score:   func(n []uint64) int64 { return int64(n[0]*100+n[1]*2+99) / 100 },
	}
	tl := tally.New(config)
	a, b := tl.User(), tl.User()
	a.Point(tl.Tag("page"), 0)
	a.Points(tl.Tag("asset"), 4, 0) // 108 → 2
	b.Point(tl.Tag("asset"), 0)     // 2 → 1
	log := tl.Drain(time.Second)
	a.Release() // 2
	b.Point(tl.Tag("page"), 0)
	tl.Close()
	log = append(log, tl.Drain(2*time.Second)...) // b: 102 → 2
	if got := tl.Totals().Score; got != 4 {
		t.Errorf("score = %d, want 4", got)
	}
	if _, got := tally.Rescore(config, log); got != 4 {
		t.Errorf("score from the log = %d, want 4", got)
	}
	want := []tally.PointEvent{
		{Second: 1, Tag: "page", User: 0, Count: 1},
		{Second: 1, Tag: "asset", User: 0, Count: 4},
		{Second: 1, Tag: "asset", User: 1, Count: 1},
		{Second: 2, Tag: "page", User: 1, Count: 1},
	}
	if diff := cmp.Diff(want, log); diff != "" {
		t.Errorf("event log (-want +got):\n%s", diff)
	}
}

func TestTagNobodyDeclared(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	tally.New(tally.Config{Tags: []string{"view"}}).Tag("veiw")
}

func BenchmarkPoint(b *testing.B) {
	b.Run("one user each", func(b *testing.B) {
		tl := tally.New(tally.Config{Tags: []string{"view", "post"}})
		b.ReportAllocs()
		b.RunParallel(func(pb *testing.PB) {
			u := tl.User()
			for pb.Next() {
				u.Point(1, 5)
			}
		})
	})
	b.Run("10000 users", func(b *testing.B) {
		tl := tally.New(tally.Config{Tags: []string{"view", "post"}})
		users := make([]*tally.User, 10_000)
		for i := range users {
			users[i] = tl.User()
		}
		b.ReportAllocs()
		i := 0
		for b.Loop() {
			users[i].Point(1, 5)
			if i++; i == len(users) {
				i = 0
			}
		}
	})
}
