package nttscenario

import (
	"net/http"
	"slices"
	"time"
)

func (s *service) showReservation(r *fakeReservation) jsonObject {
	e := s.byID[r.event]
	shown := jsonObject{
		"id": r.id, "user_id": r.user, "username": s.users[r.user].name, "event_id": r.event, "event_name": e.name,
		"event_price": e.price, "event_start_at": s.stamp(e.start), "event_end_at": s.stamp(e.end),
		"venue_name": s.seed.venue(e.venue).name, "num_of_resv": r.tickets, "created_at": s.stamp(r.created), "updated_at": s.stamp(r.created),
	}
	switch {
	case s.is("reservation-price"):
		shown["event_price"] = e.price * r.tickets
	case s.is("reservation-extra"):
		shown["venue_id"] = e.venue
	}
	return shown
}

func (s *service) showReservations(q *fakeRequest, all []*fakeReservation, fallback int64) (fakeAnswer, error) {
	some, err := cutPage(s, q, all, fallback)
	if err != nil {
		return fakeAnswer{}, err
	}
	shown := jsonList{}
	for _, r := range some {
		shown = append(shown, s.showReservation(r))
	}
	if s.is(q.route + " newest-first") {
		slices.Reverse(shown)
	}
	return fakeAnswer{http.StatusOK, shown}, nil
}

// getUserReservations is GET /api/users/:user_id/reservations.
func (s *service) getUserReservations(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	id, err := s.pathID(q, "user_id")
	if err != nil {
		return fakeAnswer{}, err
	}
	if s.users[id] == nil {
		return fakeAnswer{}, whyNotFound
	}
	if who.role == roleArtist {
		if err := s.refuse(q, whyForbidden); err != nil {
			return fakeAnswer{}, err
		}
	} else if who.role != roleOwner && who.id != id {
		if err := s.refuse(q, whyForeign); err != nil {
			return fakeAnswer{}, err
		}
	}
	all := s.ofUser[id]
	if s.is("reserved-late") {
		all = slices.DeleteFunc(slices.Clone(all), func(r *fakeReservation) bool {
			return r.id > int64(len(s.seed.reservations)) && time.Since(r.created) < stale
		})
	}
	return s.showReservations(q, all, 5)
}

// getEventReservations is GET /api/events/:event_id/reservations.
func (s *service) getEventReservations(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	e, err := s.eventOf(q, who)
	if err != nil {
		return fakeAnswer{}, err
	}
	return s.showReservations(q, e.reservations, 10)
}

// reserve is POST /api/events/:event_id/reservations.
func (s *service) reserve(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	if _, err := s.pathID(q, "event_id"); err != nil {
		return fakeAnswer{}, err
	}
	if who.role != roleAudience {
		if err := s.refuse(q, whyForbidden); err != nil {
			return fakeAnswer{}, err
		}
	}
	var body struct {
		Tickets *int64 `json:"num_of_resv"`
	}
	if err := s.read(q, &body); err != nil {
		return fakeAnswer{}, err
	}
	if body.Tickets == nil {
		return fakeAnswer{}, whyMissing
	}
	if *body.Tickets < 1 {
		if err := s.refuse(q, whyBounds); err != nil {
			return fakeAnswer{}, err
		}
	}
	e, err := s.event(q)
	if err != nil {
		return fakeAnswer{}, err
	}
	if s.is("reserves-some") && s.lastReservation%5 == 0 {
		s.lastReservation++
		return fakeAnswer{}, whySoldOut
	}
	checks := []func(*fakeRequest, *fakeCaller, *fakeEvent, int64) error{s.checkOnce, s.checkCapacity}
	if s.is("capacity-race") {
		slices.Reverse(checks)
	}
	for i, check := range checks {
		if i > 0 && (s.is("once-race") || s.is("capacity-race")) {
			s.pause(30 * time.Millisecond)
		}
		if err := check(q, who, e, *body.Tickets); err != nil {
			return fakeAnswer{}, err
		}
	}
	r := &fakeReservation{id: s.lastReservation + 1, user: who.id, event: e.id, tickets: *body.Tickets, created: thisSecond()}
	if s.is("reserve-lost") {
		s.lastReservation++
		return fakeAnswer{http.StatusCreated, s.showReservation(r)}, nil
	}
	s.add(r)
	return fakeAnswer{http.StatusCreated, s.showReservation(r)}, nil
}

// checkOnce wants the caller to have no reservation for the event.
func (s *service) checkOnce(q *fakeRequest, who *fakeCaller, e *fakeEvent, _ int64) error {
	if slices.ContainsFunc(e.reservations, func(r *fakeReservation) bool { return r.user == who.id }) {
		return s.refuse(q, whyReserved)
	}
	return nil
}

// checkCapacity wants the venue to have room for so many more.
func (s *service) checkCapacity(q *fakeRequest, _ *fakeCaller, e *fakeEvent, tickets int64) error {
	capacity := s.seed.venue(e.venue).capacity
	if s.is("sold-out-early") {
		capacity--
	}
	for _, r := range e.reservations {
		tickets += r.tickets
	}
	if tickets > capacity && !s.is("sells-too-much") {
		return s.refuse(q, whySoldOut)
	}
	return nil
}

// reservation is the one in the path, if the caller may see it.
func (s *service) reservation(q *fakeRequest, who *fakeCaller) (*fakeReservation, error) {
	id, err := s.pathID(q, "reservation_id")
	if err != nil {
		return nil, err
	}
	r := s.reservations[id]
	if r == nil {
		return nil, whyNotFound
	}
	switch {
	case who.role == roleOwner, who.role == roleAudience && who.id == r.user:
		return r, nil
	case who.role == roleAudience:
		return r, s.refuse(q, whyForeign)
	}
	return r, s.refuse(q, whyForbidden)
}

// getReservation is GET /api/reservations/:id.
func (s *service) getReservation(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	r, err := s.reservation(q, who)
	if err != nil {
		return fakeAnswer{}, err
	}
	return fakeAnswer{http.StatusOK, s.showReservation(r)}, nil
}

// cancelReservation is DELETE /api/reservations/:id.
func (s *service) cancelReservation(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	r, err := s.reservation(q, who)
	if err != nil {
		return fakeAnswer{}, err
	}
	if s.is("cancel-lost") {
		return fakeAnswer{http.StatusNoContent, nil}, nil
	}
	same := func(other *fakeReservation) bool { return other == r }
	delete(s.reservations, r.id)
	s.ofUser[r.user] = slices.DeleteFunc(slices.Clone(s.ofUser[r.user]), same)
	e := s.byID[r.event]
	e.reservations = slices.DeleteFunc(slices.Clone(e.reservations), same)
	return fakeAnswer{http.StatusNoContent, nil}, nil
}
