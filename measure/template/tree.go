// Package template finds the routes behind the paths of an access log: it
// decides, position by position, which segments are words of the application
// and which are values, and sums up by what is left: /users/*/posts/*.
//
// A number, a date or an id is a value by its looks. For all others the
// siblings decide, those that come at the same place after the same words: many
// that look alike, are spread alike and lead to the same places are values
// (slugs, names, tags); a few that differ are routes of their own. So nothing
// has to be known about the application, and /login and /logout stay two.
//
// The tree is bounded: what does not fit any more is a value, and Overflowed says so.
package template

import (
	"bytes"
	"maps"
	"slices"
	"strings"
)

// Wildcard stands for a value in a template; a file extension may follow it.
const Wildcard = "*"

// NoPath is the template of all that is no path.
const NoPath = "-"

// The limits of a tree: so many siblings that are no values by their looks,
// nodes in all, and segments of a path.
const (
	maxLiterals = 256
	maxNodes    = 6000
	maxDepth    = 16
)

// Payload is what a tree keeps for each template. Its pointer type says how two are put together.
type Payload[T any] interface {
	*T
	// Merge adds what other has, which is not used any more.
	Merge(other *T)
	// Traits tells how many requests there were and which methods they had, one bit for each.
	Traits() (count int64, methods uint32)
}

// Tree sums up paths. It is not safe for concurrent use.
type Tree[T any, P Payload[T]] struct {
	root  *node[T, P]
	nodes int

	literals   int // the limit of siblings as it is now
	frozen     bool
	overflowed bool
}

type node[T any, P Payload[T]] struct {
	literal  map[string]*node[T, P]
	wildcard []*wild[T, P] // one for each extension
	full     bool          // new literals count as values
	value    P             // of the paths that end here
}

// wild is where values lead.
type wild[T any, P Payload[T]] struct {
	*node[T, P]
	suffix  string
	profile profile
}

// New makes an empty tree.
func New[T any, P Payload[T]]() *Tree[T, P] {
	return &Tree[T, P]{root: &node[T, P]{}, nodes: 1, literals: maxLiterals}
}

// Path is the part of a request target that is looked at: without the query
// (RFC 9112 §3.2.1) and, in absolute form (§3.2.2), without scheme and authority.
func Path(target []byte) []byte {
	if i := bytes.IndexByte(target, '?'); i >= 0 {
		target = target[:i]
	}
	if len(target) > 0 && target[0] != '/' {
		if i := bytes.Index(target, []byte("://")); i > 0 {
			target = target[i+3:]
			if i = bytes.IndexByte(target, '/'); i < 0 {
				return []byte("/")
			}
			target = target[i:]
		}
	}
	if i := bytes.IndexByte(target, '#'); i >= 0 {
		target = target[:i]
	}
	return target
}

// At returns the payload of a path as [Path] returns it; it is new if nothing
// like it was there. All that is no path ("*", "", host:port) shares one. It must not be kept beyond the next call of any method.
func (t *Tree[T, P]) At(path []byte) P {
	if t.nodes > maxNodes {
		t.shrink()
	}
	n := t.root
	for depth, more := 0, len(path) > 0 && path[0] == '/'; more; depth++ {
		var segment []byte
		segment, path, more = nextSegment(path, depth)
		n = t.step(n, segment)
	}
	if n.value == nil {
		n.value = new(T)
	}
	return n.value
}

// nextSegment is what comes after a slash, until the next; the last of very
// many takes all the rest.
func nextSegment(path []byte, depth int) (segment, rest []byte, more bool) {
	end := bytes.IndexByte(path[1:], '/') + 1
	if end == 0 || depth == maxDepth-1 {
		return path[1:], nil, false
	}
	return path[1:end], path[end:], true
}

// step is the node for a segment below n.
func (t *Tree[T, P]) step(n *node[T, P], segment []byte) *node[T, P] {
	if next, ok := n.literal[string(segment)]; ok {
		return next
	}
	s := look(segment)
	if s.variable || (n.full || t.frozen) && !words[string(segment)] || t.frozen && t.nodes > 2*maxNodes {
		w := t.wild(n, s.suffix)
		w.profile.add(segment)
		return w.node
	}
	next := &node[T, P]{}
	t.nodes++
	if n.literal == nil {
		n.literal = map[string]*node[T, P]{}
	}
	n.literal[string(segment)] = next
	if len(n.literal) >= t.literals {
		n.full = true
	}
	return next
}

func (t *Tree[T, P]) wild(n *node[T, P], suffix []byte) *wild[T, P] {
	for _, w := range n.wildcard {
		if w.suffix == string(suffix) {
			return w
		}
	}
	// Extensions can be values too: after a few they are.
	if len(n.wildcard) >= 16 && len(suffix) > 0 {
		return t.wild(n, nil)
	}
	w := &wild[T, P]{node: &node[T, P]{}, suffix: string(suffix)}
	t.nodes++
	n.wildcard = append(n.wildcard, w)
	return w
}

// shrink decides early, so that the tree stays within its limits.
func (t *Tree[T, P]) shrink() {
	t.overflowed = true
	t.Settle()
	for t.nodes > maxNodes/2 && t.literals > 8 {
		t.literals /= 2
		t.force(t.root)
		t.recount()
	}
	t.frozen = t.nodes > maxNodes/2
}

// force makes values of the rarest literals wherever there are too many.
func (t *Tree[T, P]) force(n *node[T, P]) {
	if over := len(n.literal) - t.literals/2; over > 0 && len(n.literal) >= t.literals {
		names := byCount(n)
		for _, name := range names[:over] {
			t.generalise(n, name)
		}
		n.full = true
	}
	for _, next := range n.literal {
		t.force(next)
	}
	for _, w := range n.wildcard {
		t.force(w.node)
	}
}

// byCount lists the literals below n that may become values, the rarest first.
func byCount[T any, P Payload[T]](n *node[T, P]) []string {
	weight := map[string]int64{}
	for name, next := range n.literal {
		weight[name] = next.count()
	}
	names := slices.Collect(maps.Keys(weight))
	slices.SortFunc(names, func(a, b string) int {
		if weight[a] != weight[b] {
			return int(min(max(weight[a]-weight[b], -1), 1))
		}
		return strings.Compare(a, b)
	})
	return names
}

// count is the number of requests at and below n.
func (n *node[T, P]) count() int64 {
	var sum int64
	if n.value != nil {
		sum, _ = n.value.Traits()
	}
	for _, next := range n.literal {
		sum += next.count()
	}
	for _, w := range n.wildcard {
		sum += w.count()
	}
	return sum
}

// generalise moves what is below a literal to where values lead.
func (t *Tree[T, P]) generalise(n *node[T, P], name string) {
	from := n.literal[name]
	delete(n.literal, name)
	segment := []byte(name)
	w := t.wild(n, look(segment).suffix)
	w.profile.add(segment)
	t.join(w.node, from)
	t.nodes--
}

// join adds all of from to n; from is not used any more.
func (t *Tree[T, P]) join(n, from *node[T, P]) {
	switch {
	case from.value == nil:
	case n.value == nil:
		n.value = from.value
	default:
		n.value.Merge(from.value)
	}
	for name, below := range from.literal {
		if there, ok := n.literal[name]; ok {
			t.join(there, below)
			t.nodes--
			continue
		}
		if n.literal == nil {
			n.literal = map[string]*node[T, P]{}
		}
		n.literal[name] = below
	}
	for _, below := range from.wildcard {
		before := t.nodes
		there := t.wild(n, []byte(below.suffix))
		if t.nodes == before {
			t.nodes--
		} else {
			t.nodes = before
		}
		there.profile.merge(&below.profile)
		t.join(there.node, below.node)
	}
	n.full = n.full || from.full
}

// Merge adds all of another tree, which must not be used any more.
func (t *Tree[T, P]) Merge(other *Tree[T, P]) {
	t.nodes += other.nodes
	t.join(t.root, other.root)
	t.overflowed = t.overflowed || other.overflowed
	t.recount()
}

func (t *Tree[T, P]) recount() {
	var below func(n *node[T, P]) int
	below = func(n *node[T, P]) int {
		sum := 1
		for _, next := range n.literal {
			sum += below(next)
		}
		for _, w := range n.wildcard {
			sum += below(w.node)
		}
		return sum
	}
	t.nodes = below(t.root)
}

// Overflowed tells that there were more different paths than the tree holds, so
// that some words were counted as values.
func (t *Tree[T, P]) Overflowed() bool { return t.overflowed }

// Each calls f with every template and its payload, in the order of templates.
func (t *Tree[T, P]) Each(f func(template string, value P)) {
	if t.root.value != nil {
		f(NoPath, t.root.value)
	}
	t.root.each("", f)
}

func (n *node[T, P]) each(prefix string, f func(string, P)) {
	type step struct {
		name string
		node *node[T, P]
	}
	var steps []step
	for name, next := range n.literal {
		steps = append(steps, step{name, next})
	}
	for _, w := range n.wildcard {
		steps = append(steps, step{Wildcard + w.suffix, w.node})
	}
	slices.SortFunc(steps, func(a, b step) int { return strings.Compare(a.name, b.name) })
	for _, s := range steps {
		path := prefix + "/" + s.name
		if s.node.value != nil {
			f(path, s.node.value)
		}
		s.node.each(path, f)
	}
}
