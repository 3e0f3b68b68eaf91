package accesslog

import "github.com/zeebo/xxh3"

// ids remembers to which route each request id belongs, in bounded memory: when
// there are too many, only those whose hash ends in one more zero are kept on
// both sides of a join, which is a fair sample.
type ids struct {
	routes map[uint64]*route
	mask   uint64
}

// maxIDs is how many are remembered.
const maxIDs = 400_000

func newIDs(wanted bool) ids {
	if !wanted {
		return ids{}
	}
	return ids{routes: map[uint64]*route{}}
}

func (m *ids) add(id []byte, r *route) {
	if len(id) == 0 {
		return
	}
	hash := xxh3.Hash(id)
	if hash&m.mask != 0 {
		return
	}
	m.routes[hash] = r
	if len(m.routes) > maxIDs {
		m.thin(m.mask<<1 | 1)
	}
}

func (m *ids) thin(mask uint64) {
	m.mask = mask
	for hash := range m.routes {
		if hash&mask != 0 {
			delete(m.routes, hash)
		}
	}
}

func (m *ids) merge(o *ids) {
	mask := m.mask | o.mask
	m.thin(mask)
	for hash, r := range o.routes {
		if hash&mask == 0 {
			m.routes[hash] = r
		}
	}
	for len(m.routes) > maxIDs {
		m.thin(m.mask<<1 | 1)
	}
}
