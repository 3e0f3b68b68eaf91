package data

import "strconv"

// Ids are (seconds since the epoch) · idsPerSecond + k, in hexadecimal, where k
// starts at 0 … firstKs-1 for the first in a second and counts on from there.
const (
	idsPerSecond = 10_000
	firstKs      = 100
)

// dispenser gives out the ids of players, competitions and score rows, which
// are unique over all tenants: who moves them into one database need not mind.
type dispenser struct {
	chance chance
	next   []uint16 // by second: the next k plus 1; 0 where none was given out
}

func newDispenser(seed uint64) *dispenser {
	return &dispenser{newChance(seed, idStream), make([]uint16, end-epoch+1)}
}

// id returns the id of something created at a time from epoch to end. A second
// that has given out all of its ids (a crowd in a competition of a few seconds)
// borrows from those after it.
func (d *dispenser) id(at int64) string {
	s := at - epoch
	for d.next[s] > idsPerSecond {
		s = (s + 1) % int64(len(d.next))
	}
	if d.next[s] == 0 {
		d.next[s] = uint16(d.chance.below(firstKs)) + 1
	}
	k := int64(d.next[s] - 1)
	d.next[s]++
	return strconv.FormatInt(s*idsPerSecond+k, 16)
}
