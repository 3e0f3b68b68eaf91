package template

import (
	"maps"
	"math/bits"
	"slices"
)

// Settle decides at every place which words are values after all, from the top
// down, since what is below values must be put together first. It can be
// called again after more was added.
func (t *Tree[T, P]) Settle() {
	t.settle(t.root, 0)
	t.recount()
}

func (t *Tree[T, P]) settle(n *node[T, P], depth int) {
	for _, name := range t.values(n, depth) {
		t.generalise(n, name)
	}
	for _, next := range n.literal {
		t.settle(next, depth+1)
	}
	for _, w := range n.wildcard {
		t.settle(w.node, depth+1)
	}
}

// sibling is one word with all that speaks for or against its being a value.
type sibling struct {
	name    string
	count   int64
	methods uint32          // of the requests that end here or one segment further
	below   map[string]bool // the words that follow it, those aside that follow anything
	leaf    bool
	shape   shape
	kept    bool // a word whatever its siblings are
}

func newSibling[T any, P Payload[T]](name string, n *node[T, P]) *sibling {
	s := &sibling{name: name, count: n.count(), shape: look([]byte(name)), below: map[string]bool{}}
	s.kept = words[name] || isVersion(name)
	if n.value != nil {
		_, m := n.value.Traits()
		s.methods, s.leaf = m, true
	}
	for word := range n.literal {
		s.below[word] = true
	}
	return s
}

// values lists the words below n that are values.
func (t *Tree[T, P]) values(n *node[T, P], depth int) []string {
	groups := map[string][]*sibling{} // by extension: pictures are no rivals of pages
	for name, next := range n.literal {
		s := newSibling(name, next)
		groups[string(s.shape.suffix)] = append(groups[string(s.shape.suffix)], s)
	}
	var names []string
	for suffix, group := range groups {
		slices.SortFunc(group, func(a, b *sibling) int { // the order of a map must not matter
			if a.name < b.name {
				return -1
			}
			return 1
		})
		var known *profile
		for _, w := range n.wildcard {
			if w.suffix == suffix {
				known = &w.profile
			}
		}
		names = append(names, judge(group, known, depth, n.full)...)
	}
	return names
}

// judge lists the values among the siblings of one extension.
func judge(group []*sibling, known *profile, depth int, full bool) []string {
	var names []string
	var kept []*sibling
	open := make([]*sibling, 0, len(group))
	for _, s := range group {
		switch {
		case s.kept:
			kept = append(kept, s)
		case known != nil && known.fits(s.name):
			names = append(names, s.name) // "deadbeef" among hexadecimal ids
		default:
			open = append(open, s)
		}
	}
	alike, open := numbered(open)
	names = append(names, alike...)
	open = strangers(open, full)
	if full || weigh(open, known, depth) >= 1 {
		for _, s := range open {
			names = append(names, s.name)
		}
		names = append(names, ordinary(kept, open)...)
	}
	return names
}

// ordinary lists those of the words that always name a page that are values
// here all the same: among many values, one that is asked for no more often than they
// are. Somebody may be called "home".
func ordinary(kept, values []*sibling) (names []string) {
	const many = 12
	if len(values) < many {
		return nil
	}
	counts := make([]int64, len(values))
	for i, s := range values {
		counts[i] = s.count
	}
	slices.Sort(counts)
	for _, s := range kept {
		if s.name != "" && s.count <= 3*counts[len(counts)/2] {
			names = append(names, s.name)
		}
	}
	return names
}

// numbered takes those away that differ in a number only: user1, user2, user3 …
// Four are enough, or six with numbers of any kind.
func numbered(group []*sibling) (values []string, rest []*sibling) {
	const same, any = 4, 6
	skeletons := map[string]int{}
	withDigits := 0
	var buffer []byte
	for _, s := range group {
		if s.shape.digits > 0 {
			withDigits++
			buffer = skeleton(buffer[:0], s.name)
			skeletons[string(buffer)]++
		}
	}
	for _, s := range group {
		buffer = skeleton(buffer[:0], s.name)
		if s.shape.digits > 0 && (withDigits >= any || skeletons[string(buffer)] >= same) {
			values = append(values, s.name)
		} else {
			rest = append(rest, s)
		}
	}
	return values, rest
}

// strangers sets those apart that differ from the rest in what can be done with
// them: other methods, words of their own below, or very many more requests.
func strangers(group []*sibling, full bool) []*sibling {
	if len(group) < 5 {
		return group
	}
	var byMethod [32]int
	words := map[string]int{}
	counts := make([]int64, 0, len(group))
	for _, s := range group {
		for m := s.methods; m != 0; m &= m - 1 {
			byMethod[bits.TrailingZeros32(m)]++
		}
		for word := range s.below {
			words[word]++
		}
		counts = append(counts, s.count)
	}
	slices.Sort(counts)
	often := 30 * counts[len(counts)*9/10]
	return slices.DeleteFunc(slices.Clone(group), func(s *sibling) bool {
		common := uint32(0)
		for m := s.methods; m != 0; m &= m - 1 {
			if i := bits.TrailingZeros32(m); byMethod[i]*10 >= len(group) {
				common |= 1 << i
			}
		}
		own, shared := 0, 0
		for word := range s.below {
			if words[word] >= 3 {
				shared++
			} else {
				own++
			}
		}
		switch {
		case s.leaf && s.methods != 0 && common == 0 && s.count >= 2:
			return true
		case own > shared && !full:
			return true
		default:
			return s.count > often && s.plain()
		}
	})
}

// plain tells a word of lower-case letters only.
func (s *sibling) plain() bool {
	return s.shape.digits == 0 && s.shape.upper == 0 && s.shape.marks == 0
}

// weigh adds up what speaks for values; 1 is enough. How many siblings it takes
// depends on how they look: five of "how-to-cook-rice", but dozens of "rock".
func weigh(group []*sibling, known *profile, depth int) float64 {
	n := len(group)
	if n < 3 {
		return 0
	}
	var sum float64
	counts := make([]int64, 0, n)
	methods := map[uint32]int{}
	words := map[string]int{}
	sameLength := true
	for _, s := range group {
		counts = append(counts, s.count)
		if s.leaf {
			methods[s.methods]++
		}
		for word := range s.below {
			words[word]++
		}
		sameLength = sameLength && len(s.name) == len(group[0].name)
	}
	slices.Sort(counts)
	rare := counts[n/2] <= 5

	// Values are used alike; routes are not.
	mixed := false
	if most := slices.Max(append(slices.Collect(maps.Values(methods)), 0)); most*10 < n*7 && n < 40 {
		mixed = len(methods) > 1 && !rare
	}
	for _, s := range group {
		sum += s.weight(rare, depth)
	}
	if sameLength && n >= 8 && len(group[0].name) >= 5 {
		sum += 0.75
	}
	if known != nil && known.different() >= 20 {
		sum += 0.5 * float64(min(n, 10)) / 10
	}
	// What leads to the same words is of one kind: /alice/posts, /bob/posts.
	for word, times := range words {
		if times >= 6 && times*2 >= n && word != "" {
			sum += float64(times) / 12
			break
		}
	}
	if mixed {
		sum /= 3
	}
	return sum
}

// weight is what one word says by its looks.
func (s *sibling) weight(rare bool, depth int) float64 {
	switch {
	case s.shape.marks >= 2:
		return 1.0 / 5 // how-to-cook
	case s.shape.digits > 0:
		return 1.0 / 5
	case s.shape.marks == 1 && depth > 0:
		return 1.0 / 10
	case s.shape.upper > 1 && s.shape.switches > 3 && depth > 0:
		return 1.0 / 12
	case rare && depth > 0:
		return 1.0 / 12
	case len(s.shape.suffix) > 0 && depth > 0:
		return 1.0 / 12
	case depth > 0:
		return 1.0 / 25
	default:
		return 1.0 / 50
	}
}
