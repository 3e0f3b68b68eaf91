package model

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Register is one value that is written and read as a whole: a price, the time of a last login, whether a
// token is revoked. Writes may overlap and their answers may get lost;
// a read is a violation if, and only if, no order of all that happened explains
// it (see the package comment for what "only if" excludes).
//
// A method costs well under a microsecond as long as few writes overlap, and
// in general time proportional to the number of writes within [Promise.Patience] plus the
// doubtful ones. It takes the register's own lock and, where given, the session's.
type Register[V comparable] struct {
	promise Promise

	mu      sync.Mutex
	epoch   epoch
	unknown bool              // what it was at the start
	states  []*state[V]       // that a read may yet show, and those that forbid others
	highest []instant         // latest start of states[0] to states[i]; most of what is asked is near the end
	index   map[V][]*state[V] // states by value; nil while there are few
	retired []V               // some values that are certainly over, to call them stale rather than phantom
	latest  instant           // end of the latest request told
	retire  int               // number of states at which to look for what is over
	round   uint64            // of visits, see cyclic
	late    int64
}

// state is a write, together with all reads that are known to have shown it.
//
// All registers' theory is in start and finish. If some request of state x was over
// before one of state y was sent, x came before y: x.finish < y.start. A history makes sense if and
// only if these relations, and what sessions know, have no cycle: then any order that
// follows them is one in which it could all have happened. This is the theorem of
// Gibbons and Korach (Testing Shared Memories, SIAM J. Comput. 26(4), 1997),
// with reads sent earlier by the lag as Golab, Li and Shah do (Analyzing
// Consistency Properties for Fun and Profit, PODC 2011).
type state[V comparable] struct {
	value   V
	place   int     // in Register.states
	sent    instant // of the write
	start   instant // latest sending of the write or a read, reads less the lag
	finish  instant // earliest end of the write or a read
	outcome outcome
	seen    bool        // by a read
	over    bool        // no longer in Register.states
	after   []*state[V] // some session knew this state before it saw those
	visited uint64
}

// certain reports whether the write has taken effect for sure.
func (s *state[V]) certain() bool { return s.seen || s.outcome == committed }

// NewRegister returns a register whose value at the start nobody knows: the
// first read tells it, unless it shows a write.
func NewRegister[V comparable](p Promise) *Register[V] {
	return &Register[V]{promise: p, unknown: true, latest: longAgo, retire: minRetire}
}

// minRetire keeps small registers from being searched for what is over.
const minRetire = 4

// Initially says what the register held before the first request. It returns
// the register and must come before any other call.
func (r *Register[V]) Initially(v V) *Register[V] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.unknown || len(r.states) > 0 {
		panic(Conflict("the initial value comes too late"))
	}
	r.unknown = false
	r.add(initial(v))
	return r
}

func (r *Register[V]) add(s *state[V]) {
	highest := s.start
	if n := len(r.highest); n > 0 {
		highest = max(highest, r.highest[n-1])
	}
	s.place = len(r.states)
	r.states = append(r.states, s)
	r.highest = append(r.highest, highest)
	if r.index != nil {
		r.index[s.value] = append(r.index[s.value], s)
	}
}

// of returns the states among which are all of that value.
func (r *Register[V]) of(v V) []*state[V] {
	if r.index != nil {
		return r.index[v]
	}
	return r.states
}

func initial[V comparable](v V) *state[V] {
	return &state[V]{value: v, sent: longAgo, start: longAgo, finish: longAgo, outcome: committed}
}

// Write is a write to a register that is under way. Exactly one of its methods
// is called, once.
type Write[V comparable] struct {
	register *Register[V]
	state    *state[V]
	by       *Session
	sent     time.Time
}

// Write announces a write. It must be called before the request is sent, with a
// moment that is not later; by may be nil.
func (r *Register[V]) Write(by *Session, sent time.Time, v V) *Write[V] {
	r.mu.Lock()
	defer r.mu.Unlock()
	at := r.epoch.at(sent)
	s := &state[V]{value: v, sent: at, start: at, finish: never}
	r.forget()
	r.add(s)
	return &Write[V]{register: r, state: s, by: by, sent: sent}
}

// Commit says that the write was acknowledged: it took effect between being sent
// and done. A violation means that reads told earlier had contradicted this.
func (w *Write[V]) Commit(done time.Time) *Violation {
	r, s := w.register, w.state
	r.mu.Lock()
	defer r.mu.Unlock()
	_, end := r.epoch.span(Span{w.sent, done})
	r.latest = max(r.latest, end)
	s.outcome.settle(committed)
	finish := s.finish
	s.finish = min(finish, end)
	if c := r.cyclic(s, nil); c != nil {
		s.outcome, s.finish = maybe, finish
		return &Violation{
			Code:     CodeLostWrite,
			Expected: text(s.value) + " in every read since the write was acknowledged",
			Actual:   text(c.value) + " in a read that was sent later",
			Message:  "an acknowledged write was missing in a read",
		}
	}
	if r.promise.OwnWrites {
		w.by.note(r, s, Span{w.sent, done}, r.promise.Lag, true)
	}
	return nil
}

// Maybe says that the answer was lost, or was one that leaves open what happened
// (a 5xx), and when the sender gave up. The write may take effect later, once, or never.
func (w *Write[V]) Maybe(gaveUp time.Time) {
	r, s := w.register, w.state
	r.mu.Lock()
	defer r.mu.Unlock()
	_, end := r.epoch.span(Span{w.sent, gaveUp})
	r.latest = max(r.latest, end)
	s.outcome.settle(maybe)
	if settle := r.promise.Settle; settle > 0 {
		s.finish = min(s.finish, end.plus(settle))
	}
}

// Never says that the write certainly has no effect: the request was not sent, or it
// was refused. A violation means that a read has shown it all the same.
func (w *Write[V]) Never() *Violation {
	r, s := w.register, w.state
	r.mu.Lock()
	defer r.mu.Unlock()
	s.outcome.settle(refused)
	r.drop(func(x *state[V]) bool { return x == s })
	if !s.seen {
		return nil
	}
	return &Violation{
		Code:     CodePhantom,
		Expected: "a refused write to have no effect",
		Actual:   text(s.value) + " in a read",
		Message:  "a read has shown what was refused",
	}
}

// Read checks what a read has shown and learns from it; by may be nil. After a violation
// the register believes what it believed before.
func (r *Register[V]) Read(by *Session, at Span, v V) *Violation {
	r.mu.Lock()
	defer r.mu.Unlock()
	q, ok := r.query(by, at)
	if !ok {
		return nil
	}
	var fit *state[V]
	fits := 0
	for _, s := range r.of(v) {
		if s.value == v && r.fits(s, &q) {
			fit = s
			fits++
		}
	}
	if r.unknown {
		if s := initial(v); r.fits(s, &q) {
			fits++
			fit = s
			if fits == 1 {
				r.add(s)
				r.unknown = false
			}
		}
	}
	switch fits {
	case 0:
		return r.explain(&q, v)
	case 1:
		r.attach(fit, &q)
		if r.promise.Monotonic {
			by.note(r, fit, at, r.promise.Lag, false)
		}
	default: // which of the writes of this value it was nobody can tell, so it proves nothing
	}
	return nil
}

// Possible returns the values that such a read may show, as far as is known now. If it
// may show anything (see [NewRegister]), known is false.
func (r *Register[V]) Possible(by *Session, at Span) (values []V, known bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q, ok := r.query(by, at)
	if !ok {
		return nil, false
	}
	return r.possible(&q), !r.unknown || !r.fits(initial(*new(V)), &q)
}

// Late returns how many reads were told after [Promise.Patience] had run out: they were not checked.
func (r *Register[V]) Late() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.late
}

// query is a read before it is known what it shows.
type query[V comparable] struct {
	sent, done instant
	start      instant // sent less the lag
	known      []known[V]
}

// known is a state that the reading session knows to have been reached.
type known[V comparable] struct {
	state *state[V]
	own   bool
}

func (r *Register[V]) query(by *Session, at Span) (q query[V], ok bool) {
	q.sent, q.done = r.epoch.span(at)
	q.start = q.sent.minus(r.promise.Lag)
	r.latest = max(r.latest, q.done)
	if q.start < r.horizon() {
		r.late++
		return q, false
	}
	by.before(r, at.Sent, func(o observation) {
		if s := o.state.(*state[V]); !s.over {
			q.known = append(q.known, known[V]{s, o.own})
		}
	})
	return q, true
}

// horizon is the moment before which no read begins that has yet to be told.
func (r *Register[V]) horizon() instant {
	return r.latest.minus(r.promise.patience()).minus(r.promise.Lag)
}

// fits reports whether the read may have shown that state.
func (r *Register[V]) fits(s *state[V], q *query[V]) bool {
	if s.sent > q.done {
		return false
	}
	start, finish := s.start, s.finish
	s.start, s.finish = max(start, q.start), min(finish, q.done)
	c := r.cyclic(s, q.known)
	s.start, s.finish = start, finish
	return c == nil
}

func (r *Register[V]) attach(s *state[V], q *query[V]) {
	s.start, s.finish, s.seen = max(s.start, q.start), min(s.finish, q.done), true
	for i := s.place; i < len(r.highest) && r.highest[i] < s.start; i++ {
		r.highest[i] = s.start
	}
	for _, k := range q.known {
		x := k.state // where times say that it came before, no note is needed
		if x != s && x.finish >= s.start && !slices.Contains(x.after, s) {
			x.after = append(x.after, s)
		}
	}
}

// cyclic looks for a cycle of "came before" through s, which is taken for certain; sessions know the given
// states to come before s. It returns the last state before s on the cycle, or nil.
func (r *Register[V]) cyclic(s *state[V], known []known[V]) *state[V] {
	r.round++
	first := never // everything that starts after this has been reached
	var reached []*state[V]
	visit := func(x *state[V]) {
		if x != s && x.visited != r.round && !x.over && x.certain() {
			x.visited = r.round
			reached = append(reached, x)
		}
	}
	follow := func(x *state[V]) {
		if x.finish < first {
			first = x.finish
			for i := len(r.states) - 1; i >= 0 && first < r.highest[i]; i-- {
				if y := r.states[i]; first < y.start {
					visit(y)
				}
			}
		}
		for _, y := range x.after {
			visit(y)
		}
	}
	follow(s)
	for len(reached) > 0 {
		x := reached[len(reached)-1]
		reached = reached[:len(reached)-1]
		if x.finish < s.start {
			return x
		}
		for _, k := range known {
			if k.state == x {
				return x
			}
		}
		for _, y := range x.after {
			if y == s {
				return x
			}
		}
		follow(x)
	}
	return nil
}

// forget drops the states that no read yet to be told can show: something came after
// them that was there before the horizon. What such a state forbids is
// also forbidden by what came after it.
func (r *Register[V]) forget() {
	if len(r.states) < r.retire {
		return
	}
	horizon := r.horizon()
	var last *state[V]
	latest, second := longAgo, longAgo
	for _, s := range r.states {
		if !s.certain() || s.finish >= horizon {
			continue
		}
		if s.start > latest {
			last, latest, second = s, s.start, latest
		} else {
			second = max(second, s.start)
		}
	}
	r.drop(func(s *state[V]) bool {
		if s == last {
			return s.finish < second
		}
		return s.finish < latest
	})
	if latest > longAgo {
		r.unknown = false
	}
	r.retire = max(2*len(r.states), minRetire)
}

// drop removes states for good.
func (r *Register[V]) drop(which func(*state[V]) bool) {
	all := r.states
	r.states, r.highest, r.index = all[:0], r.highest[:0], nil
	for _, s := range all {
		if !which(s) {
			r.add(s)
			continue
		}
		s.over, s.after = true, nil
		if s.outcome != refused {
			r.retired = append(r.retired, s.value)
		}
	}
	clear(all[len(r.states):])
	if len(r.states) >= minIndex {
		r.index = make(map[V][]*state[V], len(r.states))
		for _, s := range r.states {
			r.index[s.value] = append(r.index[s.value], s)
		}
	}
	if n := len(r.retired) - maxRetired; n > 0 {
		r.retired = append(r.retired[:0], r.retired[n:]...)
	}
}

// minIndex is the number of states from which looking a value up beats comparing it with all.
const minIndex = 16

// maxRetired values are remembered for the wording of violations only.
const maxRetired = 8

func (r *Register[V]) possible(q *query[V]) (values []V) {
	listed := map[V]bool{}
	for _, s := range r.states {
		if !listed[s.value] && r.fits(s, q) {
			listed[s.value] = true
			values = append(values, s.value)
		}
	}
	return values
}

// explain says why no state fits.
func (r *Register[V]) explain(q *query[V], v V) *Violation {
	values := r.possible(q)
	var words []string
	for _, x := range values {
		words = append(words, text(x))
	}
	expected := "one of " + strings.Join(words, ", ")
	switch len(words) {
	case 0: // an earlier violation has left nothing that fits
		expected = "a value that was written"
	case 1:
		expected = words[0]
	}
	violation := &Violation{Expected: expected, Actual: text(v)}

	for _, s := range r.of(v) {
		if s.value != v || s.sent > q.done {
			continue
		}
		violation.Code, violation.Message = r.blame(s, q)
		return violation
	}
	for _, x := range r.retired {
		if x == v {
			violation.Code, violation.Message = CodeStaleRead, "the value was overwritten long ago"
			return violation
		}
	}
	violation.Code = CodePhantom
	violation.Message = "the value is none that was written"
	return violation
}

// blame names the promise that a read of s breaks.
func (r *Register[V]) blame(s *state[V], q *query[V]) (code, message string) {
	start, finish := s.start, s.finish
	s.start, s.finish = max(s.start, q.start), min(s.finish, q.done)
	next := r.cyclic(s, nil)
	mine := next == nil // only the session's own knowledge forbids it
	if mine {
		next = r.cyclic(s, q.known)
	}
	s.start, s.finish = start, finish

	if mine {
		for _, k := range q.known {
			if k.state == next && !k.own {
				return CodeNonMonotonic, fmt.Sprintf("the same client had seen a later value, %s, before it sent this request", text(next.value))
			}
		}
	}
	if !mine && next.finish >= q.start { // the read is too early, not too late
		return CodeStaleRead, fmt.Sprintf("this and the reads told before it contradict each other: %s would have to come both before and after %s", text(s.value), text(next.value))
	}
	what := fmt.Sprintf("%s had been shown", text(next.value))
	code = CodeStaleRead
	if next.outcome == committed && !next.seen {
		what = fmt.Sprintf("the write of %s had been acknowledged", text(next.value))
		code = CodeLostWrite
	}
	if mine {
		return code, what + " to the same client, which must see its own writes at once"
	}
	message = fmt.Sprintf("%s %v before this request was sent", what, time.Duration(q.sent-next.finish).Round(time.Microsecond))
	if r.promise.Lag > 0 {
		message += fmt.Sprintf(", and must show within %v", r.promise.Lag)
	}
	return code, message
}
