package data

import (
	"math/bits"
	"math/rand/v2"
)

// chance is the only source of chance here. Its numbers are PCG-DXSM's, brought
// into range by our own arithmetic: what rand.Rand's methods return for a seed
// is not promised between Go releases, and our bytes are.
type chance struct{ source *rand.PCG }

// Streams of one seed, so that a change to how one thing is drawn leaves the
// others alone. Each tenant's history has its own, historyStream + tenant id.
const (
	worldStream   = 1
	idStream      = 2
	truthStream   = 3
	jwtStream     = 4
	tlsStream     = 5
	historyStream = 100
)

func newChance(seed, stream uint64) chance {
	return chance{rand.NewPCG(seed, stream)}
}

// below returns a number from 0 to n-1. The bias of not rejecting is under
// n/2^64, which no world of ours can show.
func (c chance) below(n int) int {
	hi, _ := bits.Mul64(c.source.Uint64(), uint64(n))
	return int(hi)
}

// between returns a number from low to high, both included.
func (c chance) between(low, high int64) int64 {
	return low + int64(c.below(int(high-low+1)))
}

// percent is true in p of 100 cases.
func (c chance) percent(p int) bool { return c.below(100) < p }

func (c chance) pick(words []string) string { return words[c.below(len(words))] }

// Range is what a number is drawn from, evenly; both ends are included.
type Range struct{ Min, Max int64 }

func (c chance) in(r Range) int64 { return c.between(r.Min, r.Max) }

// loops returns how often a loop runs whose bound is drawn anew before every
// turn, as the contest's generator had it: at least r.Min times, but far from
// evenly up to r.Max (from 7 to 75 it is 16.1 times on average, not 41).
func (c chance) loops(r Range) int {
	for n := int64(0); ; n++ {
		if n >= c.in(r) {
			return int(n)
		}
	}
}
