package nttscenario

import (
	"testing"
	"time"
)

// twoEvents are events with room for 10 at one venue; user 1 has 3 tickets for the first, and
// user 2 one for the second.
func twoEvents() *truth {
	return &truth{
		users:        []person{{1, "a", roleAudience}, {2, "b", roleAudience}},
		venues:       []venue{{id: 1, capacity: 10}},
		events:       []event{{id: 1, venue: 1, tickets: 3}, {id: 2, venue: 1, tickets: 1}},
		reservations: []booking{{user: 1, event: 1, tickets: 3}, {user: 2, event: 2, tickets: 1}},
	}
}

// around is the span of a request that is sent before and answered after what happens in do.
func around(do func()) span {
	s := span{sent: time.Now()}
	time.Sleep(time.Millisecond)
	do()
	time.Sleep(time.Millisecond)
	s.done = time.Now()
	return s
}

func wantTickets(t *testing.T, l *ledger, event int64, at span, least, most int64) {
	t.Helper()
	if a, b := l.tickets(event, at, nil); a != least || b != most {
		t.Errorf("tickets of event %d: %d to %d, want %d to %d", event, a, b, least, most)
	}
}

func TestTicketsAreKnownAsFarAsAnswersTell(t *testing.T) {
	l := newLedger(twoEvents())
	nothing := func() {}
	before := around(nothing)
	var e *entry
	during := around(func() {
		e = l.reserve(2, 1, 4)
		l.settle(e, happened, 7, moment{})
	})
	after := around(nothing)
	wantTickets(t, l, 1, before, 3, 3)
	wantTickets(t, l, 1, during, 3, 7)
	wantTickets(t, l, 1, after, 7, 7)

	lost := l.reserve(1, 2, 5)
	l.settle(lost, pending, 0, moment{})
	wantTickets(t, l, 2, around(nothing), 1, 6)
	wantTickets(t, l, 2, before, 1, 1) // it had not been sent
	refused := l.reserve(1, 2, 9)
	l.settle(refused, never, 0, moment{})
	wantTickets(t, l, 2, around(nothing), 1, 6)
	if least, most := l.tickets(2, around(nothing), lost); least != 1 || most != 1 {
		t.Errorf("without the lost one: %d to %d", least, most)
	}

	during = around(func() { l.cancelled(l.cancel(1), happened) })
	wantTickets(t, l, 1, during, 4, 7)
	wantTickets(t, l, 1, around(nothing), 4, 4)
	c := l.cancel(7)
	wantTickets(t, l, 1, around(nothing), 0, 4)
	l.cancelled(c, pending) // its answer was lost: for ever
	wantTickets(t, l, 1, around(nothing), 0, 4)
}

func TestWhoHasAReservation(t *testing.T) {
	l := newLedger(twoEvents())
	now := func() span { return around(func() {}) }
	check := func(user, event int64, sure, possible bool) {
		t.Helper()
		if a, b := l.has(user, event, now(), nil); a != sure || b != possible {
			t.Errorf("user %d, event %d: %v, %v, want %v, %v", user, event, a, b, sure, possible)
		}
	}
	check(1, 1, true, true)
	check(1, 2, false, false)
	c := l.cancel(1)
	check(1, 1, false, true)
	l.cancelled(c, happened)
	check(1, 1, false, false)
	l.settle(l.reserve(1, 2, 1), pending, 0, moment{})
	check(1, 2, false, true)
	l.settle(l.reserve(99, 2, 1), happened, 5, moment{}) // of somebody who signed up
	check(99, 2, true, true)
}

func TestListsOfReservations(t *testing.T) {
	shown := func(id, user, event, tickets int64) reservationData {
		return reservationData{ID: id, UserID: user, EventID: event, NumOfResv: tickets}
	}
	known := []reservationData{shown(1, 1, 1, 3), shown(8, 2, 1, 4)}
	for name, c := range map[string]struct {
		of    whose
		limit int
		list  []reservationData
		do    func(l *ledger) // before the list is asked for
		wrong bool
		gone  bool
	}{
		"all":                  {of: whose{event: 1}, limit: 10, list: known},
		"first page":           {of: whose{event: 1}, limit: 1, list: known[:1]},
		"of a user":            {of: whose{user: 2}, limit: 5, list: []reservationData{shown(2, 2, 2, 1), known[1]}},
		"of a new user":        {of: whose{user: 77}, limit: 5},
		"null":                 {of: whose{event: 1}, limit: 10, wrong: true},
		"new one missing":      {of: whose{event: 1}, limit: 10, list: known[:1], wrong: true},
		"initial one missing":  {of: whose{event: 1}, limit: 10, list: known[1:], wrong: true},
		"gap on a full page":   {of: whose{event: 1}, limit: 1, list: known[1:], wrong: true},
		"too many":             {of: whose{event: 1}, limit: 1, list: known, wrong: true},
		"another's":            {of: whose{event: 1}, limit: 10, list: []reservationData{known[0], shown(2, 2, 2, 1), known[1]}, wrong: true},
		"order":                {of: whose{event: 1}, limit: 10, list: []reservationData{known[1], known[0]}, wrong: true},
		"twice":                {of: whose{event: 1}, limit: 10, list: []reservationData{known[0], known[0], known[1]}, wrong: true},
		"phantom":              {of: whose{event: 1}, limit: 10, list: append(known[:2:2], shown(9, 5, 1, 1)), wrong: true},
		"lost one is there":    {of: whose{event: 1}, limit: 10, list: append(known[:2:2], shown(9, 5, 1, 2)), do: func(l *ledger) { l.reserve(5, 1, 2) }},
		"lost one is not":      {of: whose{event: 1}, limit: 10, list: known, do: func(l *ledger) { l.reserve(5, 1, 2) }},
		"lost one of others":   {of: whose{event: 1}, limit: 10, list: append(known[:2:2], shown(9, 6, 1, 2)), do: func(l *ledger) { l.reserve(5, 1, 2) }, wrong: true},
		"cancelled and there":  {of: whose{event: 1}, limit: 10, list: known, do: func(l *ledger) { l.cancelled(l.cancel(8), happened) }, wrong: true, gone: true},
		"cancelled":            {of: whose{event: 1}, limit: 10, list: known[:1], do: func(l *ledger) { l.cancelled(l.cancel(8), happened) }},
		"may be cancelled":     {of: whose{event: 1}, limit: 10, list: known[1:], do: func(l *ledger) { l.cancel(1) }},
		"may be not":           {of: whose{event: 1}, limit: 10, list: known, do: func(l *ledger) { l.cancel(1) }},
		"cancelled in vain":    {of: whose{event: 1}, limit: 10, list: known[1:], do: func(l *ledger) { l.cancelled(l.cancel(1), never) }, wrong: true},
		"cancelled, initially": {of: whose{user: 1}, limit: 5, list: known[:1], do: func(l *ledger) { l.cancelled(l.cancel(1), happened) }, wrong: true, gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLedger(twoEvents())
			l.settle(l.reserve(2, 1, 4), happened, 8, moment{})
			if c.do != nil {
				c.do(l)
			}
			wrong, gone := l.examine(c.of, around(func() {}), c.list, c.limit)
			if (wrong != "") != c.wrong || gone != c.gone {
				t.Errorf("%q, cancelled: %v", wrong, gone)
			}
		})
	}
}

// What a list has shown once is held to from then on.
func TestALostReservationThatWasSeenIsKnown(t *testing.T) {
	l := newLedger(twoEvents())
	l.reserve(5, 1, 2)
	list := []reservationData{{ID: 1, UserID: 1, EventID: 1, NumOfResv: 3}, {ID: 9, UserID: 5, EventID: 1, NumOfResv: 2}}
	if wrong, _ := l.examine(whose{event: 1}, around(func() {}), list, 10); wrong != "" {
		t.Fatal(wrong)
	}
	if e, known := l.entry(9); !known || e.user != 5 {
		t.Errorf("%+v, %v", e, known)
	}
	list[1].ID = 10
	if wrong, _ := l.examine(whose{event: 1}, around(func() {}), list, 10); wrong == "" {
		t.Error("the one lost reservation has two ids")
	}
}
