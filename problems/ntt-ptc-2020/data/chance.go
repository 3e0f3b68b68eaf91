package data

import (
	"encoding/binary"
	"encoding/hex"
	"math/bits"
	"math/rand/v2"
)

// chance is the only source of chance here. Its numbers are PCG-DXSM's, brought
// into range by our own arithmetic: what rand.Rand's methods return for a seed
// is not promised between Go releases, and our bytes are.
type chance struct{ source *rand.PCG }

// Streams of one seed, so that a change to how one thing is drawn leaves the
// others alone.
const (
	peopleStream      = 1
	worldStream       = 2
	reservationStream = 3
	tokenStream       = 4
	pictureStream     = 1000    // + number of the event
	uploadStream      = 1000000 // + number of the picture
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

// Range is what a number is drawn from, evenly; both ends are included.
type Range struct{ Min, Max int }

func (c chance) in(r Range) int { return r.Min + c.below(r.Max-r.Min+1) }

// pick returns one of the choices.
func pick[T any](c chance, choices []T) T { return choices[c.below(len(choices))] }

// shuffle puts the first n of the elements in random order, drawn from all.
func shuffle[T any](c chance, elements []T, n int) {
	for i := range n {
		j := i + c.below(len(elements)-i)
		elements[i], elements[j] = elements[j], elements[i]
	}
}

// hex returns so many random bytes as text.
func (c chance) hex(n int) string {
	random := make([]byte, 0, n+8)
	for len(random) < n {
		random = binary.LittleEndian.AppendUint64(random, c.source.Uint64())
	}
	return hex.EncodeToString(random[:n])
}
