package nttscenario

import (
	"slices"
	"sync"
	"time"

	"hotseat/bench"
)

// ledger is what is known of all reservations: those of the initial data, and
// those that the load makes and cancels. Changes are announced before they are sent; one
// whose answer was lost stays possible for ever.
type ledger struct {
	truth           *truth
	byEvent, byUser [][]int32 // ids of initial reservations in their order; index is the event's or user's id

	mu      sync.Mutex
	events  map[int64]*folio // what has become of an event's reservations in this run
	users   map[int64]*folio
	touched map[int64]*entry // initial reservations that somebody has wanted to cancel, by id
	known   map[int64]*entry // reservations of this run, by id
}

// folio is one event's or one user's part of the ledger.
type folio struct {
	made    []*entry // by this run, as they were announced
	touched []*entry // of the initial ones
}

// span is the time of a request as its sender saw it.
type span struct{ sent, done time.Time }

func spanOf(p *bench.Page) span { return span{p.SentAt(), p.DoneAt()} }

// outcome is what is known of a change.
type outcome int8

const (
	notAsked outcome = iota
	pending          // or its answer was lost: it may happen, or have happened
	happened
	never
)

type change struct {
	outcome outcome
	span
}

// entry is a reservation that this run has made, or wanted to cancel.
type entry struct {
	id                   int64 // 0: not known
	user, event, tickets int64
	created              moment // zero: not known
	made, gone           change
}

// sure tells whether the reservation was there during all of the span.
func (e *entry) sure(at span) bool {
	there := e.made.outcome == happened && !e.made.done.After(at.sent)
	stays := e.gone.outcome == notAsked || e.gone.outcome == never || e.gone.sent.After(at.done)
	return there && stays
}

// possible tells whether the reservation may have been there at some moment of the span.
func (e *entry) possible(at span) bool {
	comes := (e.made.outcome == pending || e.made.outcome == happened) && !e.made.sent.After(at.done)
	left := e.gone.outcome == happened && !e.gone.done.After(at.sent)
	return comes && !left
}

// stays tells whether the reservation is there, and nobody has wanted to cancel it.
func (e *entry) stays() bool {
	return e.made.outcome == happened && (e.gone.outcome == notAsked || e.gone.outcome == never)
}

func newLedger(t *truth) *ledger {
	l := &ledger{
		truth: t, byEvent: make([][]int32, len(t.events)+1), byUser: make([][]int32, len(t.users)+1),
		events: map[int64]*folio{}, users: map[int64]*folio{}, touched: map[int64]*entry{}, known: map[int64]*entry{},
	}
	events, users := make([]int32, len(l.byEvent)), make([]int32, len(l.byUser))
	for i := range t.reservations {
		events[t.reservations[i].event]++
		users[t.reservations[i].user]++
	}
	for i, n := range events {
		l.byEvent[i] = make([]int32, 0, n)
	}
	for i, n := range users {
		l.byUser[i] = make([]int32, 0, n)
	}
	for i := range t.reservations {
		b := &t.reservations[i]
		l.byEvent[b.event] = append(l.byEvent[b.event], int32(i+1))
		l.byUser[b.user] = append(l.byUser[b.user], int32(i+1))
	}
	return l
}

// folioOf returns a part of the ledger; the lock is held.
func folioOf(folios map[int64]*folio, id int64) *folio {
	a := folios[id]
	if a == nil {
		a = new(folio)
		folios[id] = a
	}
	return a
}

// initially are the initial reservations of an event or a user.
func initially(ids [][]int32, id int64) []int32 {
	if id < 1 || id >= int64(len(ids)) {
		return nil
	}
	return ids[id]
}

// reserve announces a reservation that is about to be sent.
func (l *ledger) reserve(user, event, tickets int64) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := &entry{user: user, event: event, tickets: tickets, made: change{outcome: pending, span: span{sent: time.Now()}}}
	for _, a := range []*folio{folioOf(l.events, event), folioOf(l.users, user)} {
		a.made = append(a.made, e)
	}
	return e
}

// settle notes what has become of a reservation; id is 0 where the answer did not
// tell. What was settled stays so.
func (l *ledger) settle(e *entry, became outcome, id int64, created moment) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.made.outcome != pending || became == pending {
		return
	}
	e.made.outcome, e.made.done = became, time.Now()
	if became == happened && id != 0 {
		l.identify(e, id, created)
	}
}

// identify gives a reservation the id that an answer has shown; the lock is held.
func (l *ledger) identify(e *entry, id int64, created moment) {
	if e.id == 0 && l.known[id] == nil {
		e.id, e.created = id, created
		l.known[id] = e
	}
}

// cancel announces the cancellation of a reservation that is known by its id.
func (l *ledger) cancel(id int64) *entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.known[id]
	if e == nil {
		if e = l.touched[id]; e == nil {
			b := &l.truth.reservations[id-1]
			e = &entry{id: id, user: b.user, event: b.event, tickets: b.tickets, created: moment{time.Unix(b.created, 0).UTC()}, made: change{outcome: happened}}
			l.touched[id] = e
			for _, a := range []*folio{folioOf(l.events, e.event), folioOf(l.users, e.user)} {
				a.touched = append(a.touched, e)
			}
		}
	}
	if e.gone.outcome != happened {
		e.gone = change{outcome: pending, span: span{sent: time.Now()}}
	}
	return e
}

// cancelled notes what has become of a cancellation.
func (l *ledger) cancelled(e *entry, became outcome) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if e.gone.outcome == pending && became != pending {
		e.gone.outcome, e.gone.done = became, time.Now()
	}
}

// tickets bounds how many tickets an event had reserved during a span; except is
// left out of both.
func (l *ledger) tickets(event int64, at span, except *entry) (least, most int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if event >= 1 && event <= int64(len(l.truth.events)) {
		least = l.truth.events[event-1].tickets
		most = least
	}
	a := l.events[event]
	if a == nil {
		return least, most
	}
	for _, e := range a.made {
		if e == except {
			continue
		}
		if e.sure(at) {
			least += e.tickets
		}
		if e.possible(at) {
			most += e.tickets
		}
	}
	for _, e := range a.touched {
		if !e.sure(at) {
			least -= e.tickets
		}
		if !e.possible(at) {
			most -= e.tickets
		}
	}
	return least, most
}

// has tells whether a user surely, and whether possibly, had a reservation for an
// event during a span, besides except.
func (l *ledger) has(user, event int64, at span, except *entry) (sure, possible bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range initially(l.byUser, user) {
		if l.truth.reservations[id-1].event != event {
			continue
		}
		e := l.touched[int64(id)]
		sure = sure || e == nil || e.sure(at)
		possible = possible || e == nil || e.possible(at)
	}
	if a := l.users[user]; a != nil {
		for _, e := range a.made {
			if e.event == event && e != except {
				sure = sure || e.sure(at)
				possible = possible || e.possible(at)
			}
		}
	}
	return sure, possible
}

// entry returns what is known at this moment of the reservation with an id, and
// whether anything is. The initial ones are always known.
func (l *ledger) entry(id int64) (entry, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e := l.lookUp(id)
	if e == nil {
		return entry{}, false
	}
	return *e, true
}

// snapshot is what is known of a reservation at this moment.
func (l *ledger) snapshot(e *entry) entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	return *e
}

// lookUp returns what is known of the reservation with an id, or nil; the lock is held.
func (l *ledger) lookUp(id int64) *entry {
	if e := l.known[id]; e != nil {
		return e
	}
	if e := l.touched[id]; e != nil {
		return e
	}
	if id < 1 || id > int64(len(l.truth.reservations)) {
		return nil
	}
	b := &l.truth.reservations[id-1]
	return &entry{id: id, user: b.user, event: b.event, tickets: b.tickets, created: moment{time.Unix(b.created, 0).UTC()}, made: change{outcome: happened}}
}

// whose says which reservations a list has: those of an event, or of a user.
type whose struct{ event, user int64 }

func (w whose) has(e *entry) bool { return e.event == w.event || e.user == w.user }

// examine holds the first page of a list of reservations against the ledger, and
// learns the ids of those whose answers were lost. It returns what is wrong with the list, and
// with which rule, both empty if nothing is.
func (l *ledger) examine(of whose, at span, shown []reservationData, limit int) (wrong string, cancelled bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ids, folios, key := l.byEvent, l.events, of.event
	if of.user != 0 {
		ids, folios, key = l.byUser, l.users, of.user
	}
	part := folios[key]
	if part == nil {
		part = new(folio)
	}
	if len(shown) > limit {
		return "it has more than were asked for", false
	}
	last := int64(0)
	there := map[int64]bool{}
	for i := range shown {
		r := &shown[i]
		if r.ID <= last {
			return "it is not in the order of the IDs", false
		}
		last = r.ID
		there[last] = true
		e := l.lookUp(r.ID)
		if e == nil {
			e = l.adopt(part, at, r)
		}
		switch {
		case e == nil:
			return "nobody has made reservation " + number(r.ID), false
		case !of.has(e):
			return "reservation " + number(r.ID) + " does not belong there", false
		case !e.possible(at):
			return "reservation " + number(r.ID) + " was cancelled", true
		}
	}
	full := len(shown) == limit
	missing := func(e *entry) bool {
		return e.id != 0 && !there[e.id] && e.sure(at) && (!full || e.id < last)
	}
	for _, id := range initially(ids, key) {
		if full && int64(id) > last {
			break
		}
		if e := l.lookUp(int64(id)); missing(e) {
			return "reservation " + number(e.id) + " is missing", false
		}
	}
	for _, e := range part.made {
		if missing(e) {
			return "reservation " + number(e.id) + " is missing", false
		}
	}
	return "", false
}

// adopt finds the reservation without an id that this may be; the lock is held.
func (l *ledger) adopt(part *folio, at span, r *reservationData) *entry {
	i := slices.IndexFunc(part.made, func(e *entry) bool {
		return e.id == 0 && e.user == r.UserID && e.event == r.EventID && e.tickets == r.NumOfResv && e.possible(at)
	})
	if i < 0 {
		return nil
	}
	l.identify(part.made[i], r.ID, r.CreatedAt)
	return part.made[i]
}
