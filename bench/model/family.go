package model

import (
	"hash/maphash"
	"iter"
	"sync"
)

// Family holds one model per key, made when it is first asked for: a register per user, a
// set of comments per article. Looking one up takes a read lock on one of 64 parts.
type Family[K comparable, M any] struct {
	create func(K) M
	seed   maphash.Seed
	parts  [64]familyPart[K, M]
}

type familyPart[K comparable, M any] struct {
	mu      sync.RWMutex
	members map[K]M
	_       [64]byte // neighbours do not share a cache line
}

// NewFamily returns a family whose members create makes. It is called once per
// key, under a lock, so it must not use the family.
func NewFamily[K comparable, M any](create func(K) M) *Family[K, M] {
	return &Family[K, M]{create: create, seed: maphash.MakeSeed()}
}

// Of returns the member of that key.
func (f *Family[K, M]) Of(k K) M {
	p := &f.parts[maphash.Comparable(f.seed, k)%uint64(len(f.parts))]
	p.mu.RLock()
	m, ok := p.members[k]
	p.mu.RUnlock()
	if ok {
		return m
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if m, ok := p.members[k]; ok {
		return m
	}
	if p.members == nil {
		p.members = map[K]M{}
	}
	m = f.create(k)
	p.members[k] = m
	return m
}

// All returns the members that were asked for so far, in no order. The loop may use the family.
func (f *Family[K, M]) All() iter.Seq2[K, M] {
	return func(yield func(K, M) bool) {
		for i := range f.parts {
			p := &f.parts[i]
			p.mu.RLock()
			keys := make([]K, 0, len(p.members))
			members := make([]M, 0, len(p.members))
			for k, m := range p.members {
				keys, members = append(keys, k), append(members, m)
			}
			p.mu.RUnlock()
			for j := range keys {
				if !yield(keys[j], members[j]) {
					return
				}
			}
		}
	}
}
