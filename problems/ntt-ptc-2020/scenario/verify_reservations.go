package nttscenario

import (
	"fmt"
	"net/http"
	"slices"

	"hotseat/bench"
)

const routeReserve = "/api/events/:event_id/reservations"

// reservations is §4.15 to §4.17: the audience reserves tickets of the artist's
// event, until there are none, and cancels.
func (s *stage) reservations() error {
	first := s.as(s.world.cast.other)
	newcomer, err := s.signUp(s.newName(), roleAudience)
	if err != nil {
		return err
	}
	second := s.as(newcomer)
	if err := s.refusedReservations(first); err != nil {
		return err
	}

	const few = 3
	one, err := s.reserve(first, few)
	if err != nil {
		return err
	}
	for _, who := range []*tester{first, s.owner} {
		if err := who.reservation(*one); err != nil {
			return err
		}
	}
	capacity := s.event.Capacity
	if err := s.refuse(
		trial{ruleReservationOnce, http.StatusConflict, "second reservation of a user", s.asking(first, 1)},
		trial{ruleCapacity, http.StatusConflict, "one ticket more than there are", s.asking(second, capacity-few+1)},
		trial{ruleRole, http.StatusForbidden, "another user's new reservation", second.get("/api/reservations/:id", one.ID)},
		trial{ruleRole, http.StatusForbidden, "new reservation for the artist", s.artist.get("/api/reservations/:id", one.ID)},
		trial{ruleRole, http.StatusForbidden, "cancellation by another user", second.request("DELETE", "/api/reservations/:id", one.ID)},
		trial{ruleRole, http.StatusForbidden, "cancellation by the artist", s.artist.request("DELETE", "/api/reservations/:id", one.ID)},
		trial{ruleRole, http.StatusForbidden, "reservations of a new event for another artist", s.rival.get(routeReserve, s.event.ID)},
	); err != nil {
		return err
	}
	two, err := s.reserve(second, capacity-few)
	if err != nil {
		return err
	}
	if err := s.refuse(trial{ruleCapacity, http.StatusConflict, "reservation of a sold out event", s.asking(s.as(s.world.cast.audience), 1)}); err != nil {
		return err
	}
	if err := s.allReserved(s.artist, first, one, two); err != nil {
		return err
	}
	if err := s.listed(ruleEventsList, ruleEventDetails, "the list holds other events than before reservations"); err != nil {
		return err
	}

	// Cancelled, reserved again, and cancelled by an owner.
	if err := s.cancel(second, two); err != nil {
		return err
	}
	if two, err = s.reserve(second, 1); err != nil {
		return err
	}
	if err := s.cancel(s.owner, two); err != nil {
		return err
	}
	if err := s.allReserved(s.owner, first, one); err != nil {
		return err
	}
	return s.cancel(first, one)
}

// asking describes a reservation of the artist's event.
func (s *stage) asking(who *tester, tickets int64) *bench.Step {
	return who.send("POST", routeReserve, payload{"num_of_resv": tickets}, s.event.ID)
}

func (s *stage) refusedReservations(who *tester) error {
	id := s.event.ID
	var trials []trial
	for _, bad := range []struct {
		name  string
		value any
	}{{"no number", nil}, {"0", 0}, {"-1", -1}, {"a text", "1"}, {"a word", "one"}, {"a fraction", 1.5}} {
		trials = append(trials, trial{ruleReservationRefused, http.StatusBadRequest, "reservation of " + bad.name + " tickets",
			who.send("POST", routeReserve, payload{}.with("num_of_resv", bad.value), id)})
	}
	for _, staff := range []*tester{s.artist, s.owner} {
		trials = append(trials,
			trial{ruleRole, http.StatusForbidden, "reservation by the " + staff.who.role, s.asking(staff, 1)},
			trial{ruleRole, http.StatusForbidden, "reservation of no tickets by the " + staff.who.role, staff.send("POST", routeReserve, payload{}, id)})
	}
	trials = append(trials, trial{ruleCapacity, http.StatusConflict, "reservation of 100,000 tickets", s.asking(who, 100_000)})
	trials = append(trials, badIDs("reservation", func(id any) *bench.Step {
		return who.send("POST", routeReserve, payload{"num_of_resv": 1}, id)
	})...)
	if err := s.refuse(trials...); err != nil {
		return err
	}
	return s.shown(s.event, ruleRefusedUnchanged)
}

// reserve reserves tickets that there are.
func (s *stage) reserve(who *tester, tickets int64) (*reservationData, error) {
	p := s.asking(who, tickets).Expect(bench.Status(ruleReservationPossible, http.StatusCreated), typeJSON, reservationAnswer.shape)
	if p.OK() && p.Status() != http.StatusCreated {
		return nil, bench.ErrCut
	}
	got, err := reservationAnswer.read(s.User, p)
	if err != nil {
		return nil, err
	}
	e := s.event
	want := reservationData{
		ID: got.ID, UserID: who.who.id, Username: who.who.name, EventID: e.ID, EventName: e.EventName, EventPrice: e.Price,
		EventStartAt: e.StartAt, EventEndAt: e.EndAt, VenueName: e.VenueName, NumOfResv: tickets, CreatedAt: got.CreatedAt,
	}
	if err := s.same(p, ruleReservationDetails, "the answer shows another reservation than was made", want.asShown(), got.asShown()); err != nil {
		return nil, err
	}
	e.CurrentResv += tickets
	return &want, s.shown(e, ruleEventFresh)
}

// allReserved wants the event to have these reservations, and the first of them to
// be, after the initial ones, the only one of its user.
func (s *stage) allReserved(staff, who *tester, all ...*reservationData) error {
	want := each(all, func(r *reservationData) reservationData { return *r })
	if err := staff.reservationList(ruleEventReservations, routeReserve, s.event.ID, want); err != nil {
		return err
	}
	initial := s.truth.reservationsOf(func(b *booking) bool { return b.user == who.who.id })
	route := fmt.Sprintf("/api/users/:user_id/reservations?limit=%d", len(initial)+2)
	by := who
	if staff == s.owner {
		by = staff
	}
	return by.reservationList(ruleUserReservations, route, who.who.id, append(each(initial, s.truth.shownReservation), want[0]))
}

// cancel cancels a reservation, after which it is gone.
func (s *stage) cancel(who *tester, r *reservationData) error {
	const route = "/api/reservations/:id"
	if err := s.done(http.StatusNoContent, who.request("DELETE", route, r.ID)); err != nil {
		return err
	}
	s.event.CurrentResv -= r.NumOfResv
	if err := s.refuse(
		trial{ruleCancel, http.StatusNotFound, "a cancelled reservation", s.owner.get(route, r.ID)},
		trial{ruleCancel, http.StatusNotFound, "a cancelled reservation, cancelled again", who.request("DELETE", route, r.ID)},
	); err != nil {
		return err
	}
	got, p, err := reservationsAnswer.ask(s.User, s.owner.get(routeReserve, s.event.ID), http.StatusOK)
	if err != nil {
		return err
	}
	s.Exercised(ruleCancel)
	if slices.ContainsFunc(got, func(other reservationData) bool { return other.ID == r.ID }) {
		err := s.Fail(bench.Problem{Rule: ruleCancel, Code: "stale-read", Page: p, Expected: fmt.Sprintf("a list without reservation %d", r.ID), Actual: string(p.Body()),
			Message: "a cancelled reservation is still in the event's list"})
		if err != nil {
			return err
		}
	}
	return s.shown(s.event, ruleCurrentResv)
}
