package model

import (
	"fmt"
	"slices"
	"sync"
	"time"
)

// Set is a collection whose elements come and may go: the comments of an article, the reservations of a
// user. K identifies an element and must be unique by the author's care
// (random texts are); an element comes once and goes once.
//
// Each element is judged on its own, in time proportional to what is listed plus
// what the set holds. An element costs about 200 bytes and stays: only one that is
// remembered can be missed. The set takes its own lock and, where given, the session's.
type Set[K comparable] struct {
	promise Promise
	foreign bool
	order   Order
	grain   time.Duration

	mu       sync.Mutex
	epoch    epoch
	elements map[K]*element[K]
	list     []*element[K] // as announced
	round    uint64        // of reads
}

// Order is how a listing is sorted.
type Order int

// The orders of a listing.
const (
	Unordered   Order = iota
	OldestFirst       // by the moment of being added
	NewestFirst
)

// element is one element of a set, there or not.
type element[K comparable] struct {
	key            K
	added, removed event
	attempts       int     // to add it, refused ones not counted
	attempted      bool    // one of them is under way or acknowledged
	lawless        bool    // anything goes; see Remove
	born           instant // it was added before, whatever a listing's lag; see inOrder
	round          uint64  // of the last read that listed it
	listed         int     // how often that read did
}

// event is something that happens at one moment, or never: every read narrows
// down between which instants.
type event struct {
	sent     instant // when it was asked for first
	from, to instant
	asked    bool
	certain  bool // that it happens, not when
	seen     bool
}

// possible reports whether the event can lie between two instants.
func (e *event) possible(from, to instant) bool {
	return e.asked && max(e.from, from) <= min(e.to, to)
}

// What sessions know of an element.
type presence int

const (
	wasAdded presence = iota
	wasRemoved
)

// NewSet returns an empty set.
func NewSet[K comparable](p Promise) *Set[K] {
	return &Set[K]{promise: p, elements: map[K]*element[K]{}}
}

// Initially says what the set held before the first request, oldest first. It
// returns the set.
func (s *Set[K]) Initially(keys ...K) *Set[K] {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range keys {
		if s.elements[k] != nil {
			panic(Conflict(fmt.Sprintf("%s is in the set already", text(k))))
		}
		at := longAgo + instant(len(s.list))
		e := &element[K]{key: k, attempts: 1, attempted: true, born: at,
			added: event{sent: at, from: longAgo, to: longAgo, asked: true, certain: true}}
		s.elements[k] = e
		s.list = append(s.list, e)
	}
	return s
}

// Sorted says in which order listings are. Elements may change places if they were added within the
// grain of each other: one second where the server sorts by a time in seconds.
// It returns the set and must come before its use.
func (s *Set[K]) Sorted(o Order, grain time.Duration) *Set[K] {
	s.order, s.grain = o, grain
	return s
}

// Shared says that others write to the set too: elements unknown to the model
// are passed over instead of being phantoms. It returns the set and must come before its use.
func (s *Set[K]) Shared() *Set[K] {
	s.foreign = true
	return s
}

// Change is an addition or a removal that is under way. Exactly one of its
// methods is called, once.
type Change[K comparable] struct {
	set     *Set[K]
	element *element[K]
	adds    bool
	outcome outcome
	by      *Session
	sent    time.Time
}

// Add announces an addition. It must be called before the request is sent, with a moment that is not
// later; by may be nil. An element may be added again if every attempt before
// is [Change.Maybe] or [Change.Never]: then it may show once for each doubtful one.
func (s *Set[K]) Add(by *Session, sent time.Time, k K) *Change[K] {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.epoch.at(sent)
	e := s.elements[k]
	if e == nil {
		e = &element[K]{key: k}
		s.elements[k] = e
		s.list = append(s.list, e)
	}
	if e.attempted {
		panic(Conflict(fmt.Sprintf("%s is added twice", text(k))))
	}
	switch {
	case e.attempts == 0:
		e.added = event{sent: at, from: at, to: never, asked: true}
		e.born = never
	case !e.added.certain:
		e.added.to = never // the attempts before may have settled, this one has not
	}
	e.attempts++
	e.attempted = true
	return &Change[K]{set: s, element: e, adds: true, by: by, sent: sent}
}

// Remove announces a removal, as Add does an addition. An element that is neither acknowledged
// nor shown yet is not judged any more: its own late addition may follow the removal.
func (s *Set[K]) Remove(by *Session, sent time.Time, k K) *Change[K] {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := s.epoch.at(sent)
	e := s.elements[k]
	if e == nil {
		if !s.foreign {
			panic(Conflict(fmt.Sprintf("%s is removed but was never added", text(k))))
		}
		e = &element[K]{key: k} // somebody else's, and known to nobody
	}
	e.lawless = e.lawless || !e.added.certain
	if r := &e.removed; !r.asked {
		*r = event{sent: at, from: at, to: never, asked: true}
	} else if !r.certain {
		r.to = never
	}
	return &Change[K]{set: s, element: e, by: by, sent: sent}
}

// event returns what the change would bring about.
func (c *Change[K]) event() *event {
	if c.adds {
		return &c.element.added
	}
	return &c.element.removed
}

// Commit says that the change was acknowledged: it happened between being sent and
// done. A violation means that reads told earlier had contradicted this.
func (c *Change[K]) Commit(done time.Time) *Violation {
	s, e, v := c.set, c.element, c.event()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, end := s.epoch.span(Span{c.sent, done})
	c.outcome.settle(committed)
	if end < v.from && !e.lawless {
		if !c.adds {
			return &Violation{
				Code: CodeStaleRead, Expected: text(e.key) + " in no read since its removal was acknowledged", Actual: text(e.key) + " in a read that was sent later",
				Message: "something removed was shown",
			}
		}
		return &Violation{
			Code: CodeLostWrite, Expected: text(e.key) + " in every read since it was acknowledged", Actual: text(e.key) + " missing in a read that was sent later",
			Message: "something acknowledged was missing",
		}
	}
	v.to, v.certain = min(v.to, end), true
	state := wasRemoved
	if c.adds {
		state = wasAdded
		if e.attempts == 1 {
			e.born = min(e.born, end)
		}
	}
	if s.promise.OwnWrites && !e.lawless {
		c.by.note(e, state, Span{c.sent, done}, s.promise.Lag, true)
	}
	return nil
}

// Maybe says that the answer was lost, or was one that leaves open what happened,
// and when the sender gave up.
func (c *Change[K]) Maybe(gaveUp time.Time) {
	s, v := c.set, c.event()
	s.mu.Lock()
	defer s.mu.Unlock()
	_, end := s.epoch.span(Span{c.sent, gaveUp})
	c.outcome.settle(maybe)
	if settle := s.promise.Settle; settle > 0 {
		v.to = min(v.to, end.plus(settle))
	}
	if c.adds {
		c.element.attempted = false
	}
}

// Never says that the change certainly has no effect: it was not sent, or refused.
// A violation means that a read has shown an effect all the same.
func (c *Change[K]) Never() *Violation {
	s, e, v := c.set, c.element, c.event()
	s.mu.Lock()
	defer s.mu.Unlock()
	c.outcome.settle(refused)
	if !c.adds {
		if v.certain && v.seen {
			*v = event{}
			return &Violation{
				Code: CodeLostWrite, Expected: text(e.key) + " to stay: its removal was refused", Actual: "a read without it",
				Message: "something is gone though its removal was refused",
			}
		}
		if !v.certain {
			*v = event{}
		}
		return nil
	}
	e.attempted = false
	e.attempts--
	if e.attempts > 0 || !v.seen {
		return nil
	}
	*v = event{}
	return &Violation{
		Code: CodePhantom, Expected: text(e.key) + " in no read: it was refused", Actual: text(e.key) + " in a read",
		Message: "a read has shown what was refused",
	}
}

// Read checks a complete listing, duplicates and order included, and learns from it; by may be nil. Of several
// violations it returns the first, in the order of the listing.
func (s *Set[K]) Read(by *Session, at Span, shown []K) *Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	v := s.show(by, at, shown)
	q := s.look(by, at)
	missing := 0
	var first *Violation
	for _, e := range s.list {
		if e.round == s.round {
			continue
		}
		if m := s.miss(&q, e); m != nil {
			if missing++; missing == 1 {
				first = m
			}
		}
	}
	if missing > 1 {
		first.Message += fmt.Sprintf(" (so are %d others)", missing-1)
	}
	if v == nil {
		v = first
	}
	return v
}

// Shown checks an extract, one page of many for instance: everything shown must be there,
// once and in order, but nothing is missed.
func (s *Set[K]) Shown(by *Session, at Span, keys ...K) *Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.show(by, at, keys)
}

// Missing checks an answer from which these are absent, for instance a 404. A key that was
// never announced is rightly absent.
func (s *Set[K]) Missing(by *Session, at Span, keys ...K) *Violation {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.look(by, at)
	var first *Violation
	for _, k := range keys {
		if e := s.elements[k]; e != nil {
			if v := s.miss(&q, e); first == nil {
				first = v
			}
		}
	}
	return first
}

// look is one read of a set.
type look struct {
	by                *Session
	at                Span
	start, sent, done instant // start is sent less the lag
}

func (s *Set[K]) look(by *Session, at Span) look {
	l := look{by: by, at: at}
	l.sent, l.done = s.epoch.span(at)
	l.start = l.sent.minus(s.promise.Lag)
	return l
}

func (s *Set[K]) show(by *Session, at Span, shown []K) *Violation {
	q := s.look(by, at)
	s.round++
	var first *Violation
	for _, k := range shown {
		v := s.see(&q, k)
		if first == nil {
			first = v
		}
	}
	if first == nil {
		first = s.inOrder(shown)
	}
	return first
}

// see notes that a read has listed something.
func (s *Set[K]) see(q *look, k K) *Violation {
	e := s.elements[k]
	switch {
	case e == nil && s.foreign:
		return nil
	case e == nil || !e.added.asked || e.attempts == 0:
		return &Violation{Code: CodePhantom, Expected: "only what was written", Actual: text(k), Message: "nobody has written this"}
	case q.done < e.added.sent:
		return &Violation{Code: CodePhantom, Expected: "only what was written", Actual: text(k), Message: "this was written after the answer that shows it"}
	}
	if e.round != s.round {
		e.round, e.listed = s.round, 0
	}
	if e.listed++; e.listed > e.attempts {
		return &Violation{
			Code: CodeDuplicate, Expected: text(k) + " once", Actual: fmt.Sprintf("%d times in one listing", e.listed),
			Message: "an element is listed twice",
		}
	}
	if e.lawless {
		return nil
	}
	a, r := &e.added, &e.removed
	if !a.possible(longAgo, q.done) {
		m := "a read that was sent after this one, and after any lag, did not have it"
		if !a.certain && a.to < q.done {
			m = "it was missing after its lost request could still have taken effect"
		}
		return &Violation{Code: CodeStaleRead, Expected: "the set without " + text(k), Actual: text(k), Message: "this read contradicts others: " + m}
	}
	if e.attempts == 1 && r.asked {
		if r.certain && r.to < q.start {
			return &Violation{
				Code: CodeStaleRead, Expected: "the set without " + text(k), Actual: text(k),
				Message: fmt.Sprintf("%s was removed %v before this request was sent", text(k), ago(q.sent, r.to)),
			}
		}
		if v := s.remembered(q, e, wasRemoved); v != nil {
			return v
		}
		r.from = max(r.from, q.start)
	}
	a.to, a.certain, a.seen = min(a.to, q.done), true, true
	if e.attempts == 1 {
		e.born = min(e.born, q.done)
	}
	if s.promise.Monotonic && a.to.plus(s.promise.Lag) >= q.done {
		q.by.note(e, wasAdded, q.at, s.promise.Lag, false)
	}
	return nil
}

// miss notes that a read has not listed something.
func (s *Set[K]) miss(q *look, e *element[K]) *Violation {
	a, r := &e.added, &e.removed
	if !a.asked || e.attempts == 0 || e.lawless {
		return nil
	}
	// The read may be from before the addition, or from after the removal.
	early, late := !a.certain || a.to >= q.start, r.possible(longAgo, q.done)
	var v *Violation
	if early && a.certain {
		v = s.remembered(q, e, wasAdded)
		early = v == nil
	}
	switch {
	case early && late: // nobody can tell
	case early:
		a.from = max(a.from, q.start)
	case late:
		r.to, r.certain, r.seen = min(r.to, q.done), true, true
		if s.promise.Monotonic {
			q.by.note(e, wasRemoved, q.at, s.promise.Lag, false)
		}
	case v != nil:
		return v
	default:
		return s.lost(q, e)
	}
	return nil
}

// lost describes an element that everybody should see by now.
func (s *Set[K]) lost(q *look, e *element[K]) *Violation {
	v := &Violation{
		Code: CodeLostWrite, Expected: text(e.key), Actual: "a listing without it",
		Message: fmt.Sprintf("%s is missing, acknowledged %v before this request was sent", text(e.key), ago(q.sent, e.added.to)),
	}
	switch {
	case e.added.to == longAgo:
		v.Message = text(e.key) + " is missing, which was there from the start"
	case e.added.seen:
		v.Code = CodeStaleRead
		v.Message = fmt.Sprintf("%s is missing, shown or acknowledged %v before this request was sent", text(e.key), ago(q.sent, e.added.to))
	}
	if s.promise.Lag > 0 {
		v.Message += fmt.Sprintf("; it must show within %v", s.promise.Lag)
	}
	return v
}

// remembered tells whether the reading session knows that an element was
// added, or removed, already.
func (s *Set[K]) remembered(q *look, e *element[K], p presence) (v *Violation) {
	q.by.before(e, q.at.Sent, func(o observation) {
		if v != nil || o.state != p {
			return
		}
		v = &Violation{Code: CodeNonMonotonic, Expected: text(e.key), Actual: "a listing without it", Message: "the same client was shown a later state before it sent this request"}
		if p == wasRemoved {
			v.Expected, v.Actual = "a listing without "+text(e.key), text(e.key)
		}
		if o.own {
			v.Code, v.Message = CodeStaleRead, "the same client had changed this, and must see its own writes at once"
			if p == wasAdded && !e.added.seen {
				v.Code = CodeLostWrite
			}
		}
	})
	return v
}

// inOrder checks the order of a listing. An element has its place from a moment between being sent and
// being acknowledged or seen, which need not be the moment from which it shows: a server may number it
// first and show it later. So only elements are compared of which one was there
// before the other was sent.
func (s *Set[K]) inOrder(shown []K) *Violation {
	if s.order == Unordered {
		return nil
	}
	latest, before := longAgo, *new(K)
	for i := range shown {
		if s.order == NewestFirst {
			i = len(shown) - 1 - i
		}
		e := s.elements[shown[i]]
		if e == nil || e.attempts > 1 {
			continue
		}
		if e.born.plus(s.grain) < latest {
			first, second := e.key, before
			if s.order == NewestFirst {
				first, second = before, e.key
			}
			return &Violation{
				Code: CodeWrongOrder, Expected: text(first) + " before " + text(second), Actual: text(second) + " before " + text(first),
				Message: "the listing is not in the order of writing",
			}
		}
		if e.added.sent > latest {
			latest, before = e.added.sent, e.key
		}
	}
	return nil
}

// Certain returns what is in the set for sure now: what must be in a listing that is asked for after
// everything told so far, and any lag. Doubtful returns what may or may not be.
func (s *Set[K]) Certain() []K { return s.holding(true) }

// Doubtful is described with [Set.Certain].
func (s *Set[K]) Doubtful() []K { return s.holding(false) }

func (s *Set[K]) holding(certain bool) []K {
	s.mu.Lock()
	defer s.mu.Unlock()
	var keys []K
	for _, e := range s.list {
		there := e.attempts > 0 && !e.removed.certain
		if there && certain == (e.added.certain && !e.removed.asked && !e.lawless) {
			keys = append(keys, e.key)
		}
	}
	return slices.Clip(keys)
}

func ago(now, then instant) time.Duration {
	return time.Duration(now - then).Round(time.Microsecond)
}
