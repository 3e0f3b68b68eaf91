package data

import (
	"math/bits"
	"math/rand/v2"
)

// chance is the only source of chance here. Its numbers are PCG-DXSM's, brought
// into range by our own arithmetic: what rand.Rand's methods return for a seed
// is not promised between Go releases, and our bytes are.
type chance struct{ source *rand.PCG }

// Streams of one seed, so that a change to how users are drawn leaves the log's
// draws alone and the other way round.
const (
	userStream    = 1
	historyStream = 2
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

func (c chance) pick(words []string) string {
	return words[c.below(len(words))]
}

const alphanumerics = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// secret returns 8 to 16 letters and digits, the form of passwords and salts.
func (c chance) secret() string {
	var s [16]byte
	n := c.between(8, 16)
	for i := range n {
		s[i] = alphanumerics[c.below(len(alphanumerics))]
	}
	return string(s[:n])
}
