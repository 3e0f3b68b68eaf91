package template

import (
	"math"
	"math/bits"
)

// profile is what the values at one place have in common, in a few bytes.
type profile struct {
	count            int64
	shortest, longer int
	classes          [other + 1]bool
	seen             [16]uint64 // a bitmap of hashes, to estimate how many values differ
}

// add takes a value in.
func (p *profile) add(segment []byte) {
	if p.count == 0 {
		p.shortest = len(segment)
	}
	p.count++
	p.shortest, p.longer = min(p.shortest, len(segment)), max(p.longer, len(segment))
	hash := uint32(2166136261) // FNV-1a
	for _, c := range segment {
		p.classes[classOf[c]] = true
		hash = (hash ^ uint32(c)) * 16777619
	}
	hash ^= hash >> 15
	p.seen[hash>>6&15] |= 1 << (hash & 63)
}

func (p *profile) merge(o *profile) {
	if o.count == 0 {
		return
	}
	if p.count == 0 {
		p.shortest = o.shortest
	}
	p.count += o.count
	p.shortest, p.longer = min(p.shortest, o.shortest), max(p.longer, o.longer)
	for i, has := range o.classes {
		p.classes[i] = p.classes[i] || has
	}
	for i, b := range o.seen {
		p.seen[i] |= b
	}
}

// different estimates how many values there were, by linear counting; about
// right up to some thousands.
func (p *profile) different() int {
	const size = 16 * 64
	empty := size
	for _, b := range p.seen {
		empty -= bits.OnesCount64(b)
	}
	if empty == 0 {
		return size * 7
	}
	return int(math.Round(size * math.Log(size/float64(empty))))
}

// fits tells that a word could be one of the values: as long as they are, of
// the same letters. Only values that are long and alike can tell.
func (p *profile) fits(segment string) bool {
	if p.shortest < 5 || p.longer-p.shortest > 2 || len(segment) < p.shortest || len(segment) > p.longer || p.different() < 8 {
		return false
	}
	for i := range len(segment) {
		if !p.classes[classOf[segment[i]]] {
			return false
		}
	}
	return true
}
