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
// draws of the others alone.
const (
	articleStream = 1
	commentStream = 2
	initialStream = 3
	scriptStream  = 4
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
func (c chance) between(low, high int) int {
	return low + c.below(high-low+1)
}

// shuffle puts a list into a random order.
func (c chance) shuffle(list []int) {
	for i := len(list) - 1; i > 0; i-- {
		j := c.below(i + 1)
		list[i], list[j] = list[j], list[i]
	}
}
