package data

import (
	"math"
	"strconv"
	"testing"
)

// volume is what a world adds up to.
type volume struct {
	players, disqualified, competitions, finished, scores, visits, scored, visitors, value int64
}

// The full world has the volumes that were measured of the contest's (§12): a
// few per cent vary with the seed.
func TestVolumesOfTheFullWorld(t *testing.T) {
	opts := Full()
	var all, huge, visitPairs volume
	for _, tenant := range drawTenants(opts, newDispenser(opts.Seed)) {
		v := &volume{}
		v.players, v.competitions = int64(len(tenant.players)), int64(len(tenant.competitions))
		for _, p := range tenant.players {
			if p.disqualified {
				v.disqualified++
			}
		}
		h := newHistorian(&tenant, opts)
		for _, c := range tenant.competitions {
			if c.finished() {
				v.finished++
			}
			visits, scores := h.draw(&c)
			v.visits, v.scores = v.visits+int64(len(visits)), v.scores+int64(len(scores))
			v.scored, v.visitors = v.scored+int64(c.scored), v.visitors+int64(c.visitors)
			for _, s := range scores {
				v.value += s.value
			}
		}
		if tenant.id == hugeTenant {
			huge = *v
		} else if v.scores > 80_000 {
			t.Errorf("tenant %d has %d scores", tenant.id, v.scores)
		}
		all.add(*v)
	}
	visitPairs.scored = all.scored + all.visitors // everybody who scored looked as well
	for _, c := range []struct {
		name      string
		got, want float64
		tolerance float64 // share of want
	}{
		{"players", float64(all.players), 16_094, 0.03},
		{"players of tenant 1", float64(huge.players), 5_001, 0},
		{"disqualified, of players", ratio(all.disqualified, all.players), 0.1, 0.1},
		{"competitions", float64(all.competitions), 1_008, 0.08},
		{"finished, of competitions", ratio(all.finished, all.competitions), 0.5, 0.08},
		{"scores", float64(all.scores), 3_384_570, 0.03},
		{"scores of tenant 1", float64(huge.scores), 1_605_725, 0.05},
		{"visits", float64(all.visits), 2_936_416, 0.03},
		{"visits of tenant 1", float64(huge.visits), 1_392_620, 0.05},
		{"distinct visits", float64(visitPairs.scored), 182_253, 0.03},
		{"scored, of those who visited", ratio(all.scored, visitPairs.scored), 0.9, 0.01},
		{"rows per player and sheet", ratio(all.scores, all.scored), 20.6, 0.01},
		{"visits per player and competition", ratio(all.visits, visitPairs.scored), 16.1, 0.01},
		{"score", ratio(all.value, all.scores), 125_000, 0.01},
	} {
		if math.Abs(c.got-c.want) > c.tolerance*c.want {
			t.Errorf("%s: %g, want %g within %g %%", c.name, c.got, c.want, 100*c.tolerance)
		}
	}
}

func (v *volume) add(o volume) {
	v.players, v.disqualified = v.players+o.players, v.disqualified+o.disqualified
	v.competitions, v.finished = v.competitions+o.competitions, v.finished+o.finished
	v.scores, v.visits = v.scores+o.scores, v.visits+o.visits
	v.scored, v.visitors, v.value = v.scored+o.scored, v.visitors+o.visitors, v.value+o.value
}

func ratio(a, b int64) float64 { return float64(a) / float64(b) }

// A second that has given out its ids borrows from the ones after it, and the
// last second from the first, without giving any twice.
func TestDispenserBorrows(t *testing.T) {
	for name, at := range map[string]int64{"first second": epoch, "last second": end} {
		t.Run(name, func(t *testing.T) {
			d := newDispenser(1)
			seen := map[string]bool{}
			borrowed := 0
			for range 25_000 {
				id := d.id(at)
				if seen[id] {
					t.Fatalf("id %s was given out twice", id)
				}
				seen[id] = true
				n, err := strconv.ParseInt(id, 16, 64)
				if err != nil || n < 0 || n >= firstFreeID {
					t.Fatalf("id %s: %v", id, err)
				}
				if n/idsPerSecond != at-epoch {
					borrowed++
				}
			}
			if borrowed < 5_000 || borrowed > 15_200 {
				t.Errorf("%d of 25000 ids are of another second", borrowed)
			}
		})
	}
}

// The loop of §12 whose bound is drawn again and again: its length has another
// distribution than the bound.
func TestLoopsAreShorterThanTheirBounds(t *testing.T) {
	for _, c := range []struct {
		bound    Range
		mean     float64
		shortest int64
	}{
		{Range{7, 75}, 16.09, 7},
		{Range{10, 100}, 20.63, 10},
		{Range{3, 3}, 3, 3},
		{Range{0, 1}, 0.5, 0},
	} {
		const draws = 100_000
		chance, sum, shortest := newChance(1, 1), 0, math.MaxInt
		for range draws {
			n := chance.loops(c.bound)
			sum, shortest = sum+n, min(shortest, n)
		}
		if mean := float64(sum) / draws; math.Abs(mean-c.mean) > 0.05 || int64(shortest) != c.shortest {
			t.Errorf("%v: %.2f times, at least %d; want %.2f, at least %d", c.bound, mean, shortest, c.mean, c.shortest)
		}
	}
}
