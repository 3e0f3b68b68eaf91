package model_test

import (
	"cmp"

	"math/rand/v2"
	"slices"
	"testing"

	"hotseat/bench/model"
)

// This file simulates a server, the network before it and several clients in virtual time. The network
// loses requests and answers, delays them beyond what clients wait, delivers twice and out of order. The server
// knows one register, one collection and one total; it answers reads from states as old
// as the promise allows. That must never be called a violation. Then it gets bugs.

// The bugs that a server can have.
const (
	noBug           = ""
	losesWrites     = "acknowledges writes and forgets them"
	appliesLate     = "acknowledges writes and applies them much later"
	readsTooOld     = "reads states older than the lag"
	forgetsSessions = "reads older states for a client than before"
	hidesOwnWrites  = "reads states from before a client's own write"
	appliesTwice    = "applies what is delivered twice, twice"
	showsRefused    = "applies what it refuses"
	invents         = "shows what nobody wrote"
	shuffles        = "lists in no order"
	miscounts       = "adds half of an amount now and then"
)

type kind int

const (
	write kind = iota
	add
	remove
	pay
	read
	list
	total
	kinds
)

// request is one request on its way.
type request struct {
	kind         kind
	client       int
	session      int
	value        int
	sent, done   int
	refuse       bool
	processed    bool
	shownValue   int
	shownList    []int
	shownTotal   int64
	outcome      string
	settleChange func(outcome string, at int) *model.Violation
}

// version is a moment at which the server's state changed.
type version struct {
	at           int
	value        int
	listed, gone int // element, 0 for none
	amount       int64
}

type simulation struct {
	rand    *rand.Rand
	bug     string
	promise model.Promise
	lag     int
	lossy   bool
	clients int
	each    int // requests of a client

	now      int
	queue    []event
	order    int
	versions []version
	floor    map[int]int // by session: state that it must not be shown before
	unique   int
	mine     map[int][]int // elements of a client

	register *model.Register[int]
	set      *model.Set[int]
	sum      *model.Sum
	sessions map[int]*model.Session
	requests []*request
	found    []*model.Violation
}

type event struct {
	at, order int
	do        func()
}

func (s *simulation) after(delay int, do func()) {
	s.order++
	e := event{s.now + delay, s.order, do}
	i, _ := slices.BinarySearchFunc(s.queue, e, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order))
	})
	s.queue = slices.Insert(s.queue, i, e)
}

func (s *simulation) chance(percent int) bool { return s.rand.IntN(100) < percent }

// delay is mostly short, and sometimes longer than anybody waits.
func (s *simulation) delay() int {
	d := s.rand.IntN(8)
	if s.lossy && s.chance(10) {
		d += s.rand.IntN(80)
	}
	return d
}

const patience = 40 // of a client with a request

func newSimulation(seed uint64, bug string, clients, each int) *simulation {
	r := rand.New(rand.NewPCG(seed, 0))
	s := &simulation{
		rand: r, bug: bug, clients: clients, each: each, lossy: r.IntN(4) > 0,
		floor: map[int]int{}, mine: map[int][]int{}, sessions: map[int]*model.Session{0: nil},
	}
	if r.IntN(3) > 0 || bug == forgetsSessions || bug == hidesOwnWrites {
		s.lag = 1 + r.IntN(60)
	}
	if bug == forgetsSessions {
		s.lag += 60 // time for several reads
	}
	s.promise = model.Promise{
		Lag: ticks(s.lag), Patience: ticks(2 * patience),
		Monotonic: r.IntN(2) == 0 || bug == forgetsSessions,
		OwnWrites: r.IntN(2) == 0 || bug == hidesOwnWrites,
	}
	s.register = model.NewRegister[int](s.promise).Initially(0)
	s.set = model.NewSet[int](s.promise).Initially(-1, -2).Sorted(model.OldestFirst, 0)
	s.sum = model.NewSum(s.promise, 1000)
	s.versions = []version{{listed: -1, amount: 1000}, {listed: -2}}
	for client := 1; client <= clients; client++ {
		session := 0
		if s.chance(70) {
			session = client
			s.sessions[client] = model.NewSession()
		}
		s.after(r.IntN(20), func() { s.client(client, session, each) })
	}
	return s
}

func (s *simulation) run() {
	for len(s.queue) > 0 {
		e := s.queue[0]
		s.queue = s.queue[1:]
		s.now = e.at
		e.do()
	}
	// Everything that will ever arrive has, and any lag is over.
	s.now += s.lag + 1
	s.lag = 0
	for _, k := range []kind{read, list, total} {
		q := &request{kind: k, sent: s.now, done: s.now}
		s.serve(q)
		s.learn(q)
	}
}

// client sends one request after the other.
func (s *simulation) client(id, session, left int) {
	if left == 0 {
		return
	}
	q := &request{kind: kind(s.rand.IntN(int(kinds))), client: id, session: session, sent: s.now, refuse: s.chance(8)}
	s.requests = append(s.requests, q)
	s.announce(q)
	over := false
	end := func(outcome string) {
		if over {
			return
		}
		over = true
		q.done, q.outcome = s.now, outcome
		tell := func() { s.learn(q) }
		if session == 0 {
			s.after(s.rand.IntN(20), tell) // another goroutine comes first
		} else {
			tell()
		}
		s.after(s.rand.IntN(10), func() { s.client(id, session, left-1) })
	}
	s.after(patience, func() { end("maybe") })
	copies := 1
	if s.lossy && s.chance(15) {
		copies = 2
	}
	for range copies {
		if s.lossy && s.chance(7) {
			continue
		}
		s.after(s.delay(), func() {
			first := !q.processed
			s.serve(q)
			if s.lossy && s.chance(7) || !first {
				return
			}
			s.after(s.delay(), func() {
				if q.refuse && q.kind < read {
					end("never")
				} else {
					end("commit")
				}
			})
		})
	}
}

func (s *simulation) announce(q *request) {
	by, at := s.sessions[q.session], tick(q.sent)
	s.unique++
	q.value = s.unique
	switch q.kind {
	case write:
		w := s.register.Write(by, at, q.value)
		q.settleChange = settle(w.Commit, w.Maybe, w.Never)
	case add:
		c := s.set.Add(by, at, q.value)
		q.settleChange = settle(c.Commit, c.Maybe, c.Never)
	case remove:
		mine := s.mine[q.client]
		if len(mine) == 0 {
			q.kind = read
			return
		}
		q.value, s.mine[q.client] = mine[0], mine[1:]
		c := s.set.Remove(by, at, q.value)
		q.settleChange = settle(c.Commit, c.Maybe, c.Never)
	case pay:
		q.value = s.rand.IntN(7)*100 - 200
		p := s.sum.Add(at, int64(q.value))
		q.settleChange = settle(silent(p.Commit), p.Maybe, func() *model.Violation { p.Never(); return nil })
	default:
	}
}

// learn tells the model what came of a request.
func (s *simulation) learn(q *request) {
	var v *model.Violation
	by, at := s.sessions[q.session], span(q.sent, q.done)
	switch {
	case q.kind < read:
		v = q.settleChange(q.outcome, q.done)
		if q.kind == add && q.outcome == "commit" {
			s.mine[q.client] = append(s.mine[q.client], q.value)
		}
	case q.outcome == "maybe": // a read without an answer has shown nothing
	case q.kind == read:
		v = s.register.Read(by, at, q.shownValue)
	case q.kind == list:
		v = s.set.Read(by, at, q.shownList)
	case s.lag == 0 && q.client == 0:
		v = s.sum.Check(q.shownTotal)
	default:
		v = s.sum.Read(at, q.shownTotal)
	}
	if v != nil {
		s.found = append(s.found, v)
	}
}

// serve is the server.
func (s *simulation) serve(q *request) {
	again := q.processed
	q.processed = true
	if again && (s.bug != appliesTwice || q.kind >= read) {
		return // it knows the request already
	}
	if q.kind >= read {
		s.show(q, s.view(q))
		return
	}
	if q.refuse && (s.bug != showsRefused || s.chance(50)) {
		return
	}
	if s.bug == losesWrites && s.chance(25) {
		return
	}
	apply := func() {
		v := version{at: s.now}
		switch q.kind {
		case write:
			v.value = q.value
		case add:
			v.listed = q.value
		case remove:
			v.gone = q.value
		default:
			v.amount = int64(q.value)
			if s.bug == miscounts && s.chance(25) {
				v.amount /= 2
			}
		}
		s.versions = append(s.versions, v)
		if s.promise.OwnWrites && q.session != 0 && s.bug != hidesOwnWrites {
			s.floor[q.session] = max(s.floor[q.session], s.now)
		}
	}
	if s.bug == appliesLate && s.chance(25) {
		s.after(s.lag+20+s.rand.IntN(100), apply)
		return
	}
	apply()
}

// view picks the moment whose state a read shows.
func (s *simulation) view(q *request) int {
	at := s.now - s.rand.IntN(s.lag+1)
	if s.bug == forgetsSessions {
		at = s.now - s.rand.IntN(2)*s.lag
	}
	if s.bug == readsTooOld && s.chance(25) {
		at = s.now - s.lag - 10 - s.rand.IntN(100)
	} else if q.session != 0 {
		at = max(at, s.floor[q.session])
	}
	if s.promise.Monotonic && q.session != 0 && s.bug != forgetsSessions {
		s.floor[q.session] = max(s.floor[q.session], at)
	}
	return at
}

func (s *simulation) show(q *request, at int) {
	gone := map[int]bool{}
	for i, v := range s.versions {
		if v.at > at && i > 1 {
			continue
		}
		q.shownTotal += v.amount
		if v.value != 0 {
			q.shownValue = v.value
		}
		if v.listed != 0 {
			q.shownList = append(q.shownList, v.listed)
		}
		gone[v.gone] = true
	}
	q.shownList = slices.DeleteFunc(q.shownList, func(e int) bool { return gone[e] })
	if s.bug == invents && s.chance(10) {
		q.shownValue = 10_000
		q.shownList = append(q.shownList, 10_000)
	}
	if s.bug == shuffles {
		s.rand.Shuffle(len(q.shownList), func(i, j int) {
			q.shownList[i], q.shownList[j] = q.shownList[j], q.shownList[i]
		})
	}
}

// settle makes one function of a write's three.
func settle[T any](commit func(T) *model.Violation, maybe func(T), never func() *model.Violation) func(string, int) *model.Violation {
	return func(outcome string, at int) *model.Violation {
		moment := any(tick(at)).(T)
		switch outcome {
		case "commit":
			return commit(moment)
		case "maybe":
			maybe(moment)
			return nil
		default:
			return never()
		}
	}
}

func silent[T any](f func(T)) func(T) *model.Violation {
	return func(t T) *model.Violation { f(t); return nil }
}

// TestNoFalseAlarm runs a correct server through 10,000 histories.
func TestNoFalseAlarm(t *testing.T) {
	t.Parallel()
	lost := 0
	for seed := range uint64(10_000 * *factor) {
		s := newSimulation(seed, noBug, 2+int(seed%5), 20)
		s.run()
		if len(s.found) > 0 {
			t.Fatalf("seed %d: false alarm: %v", seed, s.found[0])
		}
		for _, q := range s.requests {
			if q.kind < read && q.outcome == "maybe" && q.processed && !q.refuse {
				lost++
			}
		}
	}
	if lost < 10_000 {
		t.Errorf("only %d writes took effect without an answer: the network is too good", lost)
	}
}

// TestFindsBugs gives the server each bug in turn. How often a bug can be seen at all from
// outside is for TestFindsWhatCanBeSeen.
func TestFindsBugs(t *testing.T) {
	t.Parallel()
	for bug, codes := range map[string][]string{
		losesWrites:     {model.CodeLostWrite, model.CodeSumMismatch},
		appliesLate:     {model.CodeLostWrite, model.CodeSumMismatch},
		readsTooOld:     {model.CodeStaleRead, model.CodeLostWrite, model.CodeSumMismatch},
		forgetsSessions: {model.CodeNonMonotonic},
		hidesOwnWrites:  {model.CodeStaleRead, model.CodeLostWrite},
		appliesTwice:    {model.CodeDuplicate, model.CodeSumMismatch},
		showsRefused:    {model.CodePhantom, model.CodeSumMismatch},
		invents:         {model.CodePhantom},
		shuffles:        {model.CodeWrongOrder},
		miscounts:       {model.CodeSumMismatch},
	} {
		t.Run(bug, func(t *testing.T) {
			histories := 150 * *factor
			caught := 0
			codesSeen := map[string]int{}
			for seed := range uint64(histories) {
				s := newSimulation(seed, bug, 4, 30)
				s.run()
				if len(s.found) > 0 {
					caught++
				}
				for _, v := range s.found {
					codesSeen[v.Code]++
				}
			}
			t.Logf("caught in %d of %d histories: %v", caught, histories, codesSeen)
			if 2*caught < histories {
				t.Errorf("caught in %d of %d histories", caught, histories)
			}
			for _, code := range codes {
				if codesSeen[code] == 0 {
					t.Errorf("never called %s: %v", code, codesSeen)
				}
			}
		})
	}
}

// TestFindsWhatCanBeSeen asks the exhaustive search whether what a buggy server did in a short history can be told from
// what a correct one may do. If so, and only then, the model must have found it.
func TestFindsWhatCanBeSeen(t *testing.T) {
	t.Parallel()
	for _, bug := range []string{losesWrites, appliesLate, readsTooOld, forgetsSessions, hidesOwnWrites, showsRefused, invents} {
		t.Run(bug, func(t *testing.T) {
			visible, hidden := 0, 0
			for seed := range uint64(700 * *factor) {
				s := newSimulation(seed, bug, 3, 7)
				s.run()
				for _, h := range s.histories() {
					found := h.judge
					if h.element {
						found = h.judgeElement
					}
					violations := found(h.promise())
					if h.explicable() {
						hidden++
						if len(violations) > 0 {
							t.Fatalf("seed %d: false alarm: %v\n%v", seed, violations[0], h)
						}
					} else {
						visible++
						if len(violations) == 0 {
							t.Fatalf("seed %d: missed\n%v", seed, h)
						}
					}
				}
			}
			t.Logf("%d histories can be told from a correct server's, %d cannot", visible, hidden)
			if visible < 50 {
				t.Errorf("only %d histories can be told from a correct server's", visible)
			}
		})
	}
}

// histories takes the simulation apart: one of the register, one for each
// element that nobody removed.
func (s *simulation) histories() []history {
	base := history{lag: int(s.promise.Lag.Milliseconds()), monotonic: s.promise.Monotonic, own: s.promise.OwnWrites}
	register := base
	elements := map[int]*history{}
	for _, q := range s.requests {
		if q.kind == add {
			h := base
			h.element = true
			elements[q.value] = &h
		}
	}
	for _, q := range s.requests {
		if q.kind == remove {
			delete(elements, q.value)
		}
	}
	for _, q := range s.requests {
		o := operation{write: q.kind < read, value: q.value, sent: q.sent, done: q.done, told: q.done, outcome: q.outcome, session: q.session}
		switch {
		case q.kind == write:
			register.ops = append(register.ops, o)
		case q.kind == add && elements[q.value] != nil:
			o.value = there
			elements[q.value].ops = append(elements[q.value].ops, o)
		case q.outcome != "commit":
		case q.kind == read:
			o.value = q.shownValue
			register.ops = append(register.ops, o)
		case q.kind == list:
			for key, h := range elements {
				o.value = absent
				if slices.Contains(q.shownList, key) {
					o.value = there
				}
				h.ops = append(h.ops, o)
			}
		default:
		}
	}
	histories := []history{register}
	for _, h := range elements {
		histories = append(histories, *h)
	}
	return histories
}
