package nttscenario

import (
	"fmt"
	"net/http"
	"time"

	"hotseat/bench"
	"hotseat/bench/check"
)

// How many tickets an audience wants (§10.3).
const maxTickets = 20

// reserveAll reserves tickets for all of these events at once. It is in order
// if some are refused.
func (v *visitor) reserveAll(events []eventData) {
	var steps []*bench.Step
	var entries []*entry
	for i := range events {
		e := v.world.ledger.reserve(v.who.id, events[i].ID, int64(1+v.Rand.IntN(maxTickets)))
		entries = append(entries, e)
		steps = append(steps, v.reservation(e))
	}
	for i, p := range v.countAll(groupReserve, steps) {
		v.world.reserved(entries[i], p)
	}
}

// reservation describes the request of a reservation that has been announced.
func (v *visitor) reservation(e *entry) *bench.Step {
	r := readerOf(reservationAnswer, v.User)
	capacity := v.truth.venues[v.truth.events[e.event-1].venue-1].capacity
	return v.send(http.MethodPost, routeReserve, payload{"num_of_resv": e.tickets}, e.event).Expecting(
		bench.Status(ruleOKStatus, http.StatusCreated, http.StatusConflict), typeJSON,
		bench.That(ruleReservationDetails, func(p *bench.Page) *bench.Mismatch {
			if p.Status() != http.StatusCreated {
				return nil
			}
			v.world.reserved(e, p)
			got, ok := r.read(p)
			if !ok {
				return nil
			}
			return v.world.wrongReservation(v.world.ledger.snapshot(e), &got)
		}),
		bench.That(ruleReservationPossible, func(p *bench.Page) *bench.Mismatch { return v.world.wronglyRefused(e, p, capacity) }),
		bench.That(ruleReservationOnce, func(p *bench.Page) *bench.Mismatch {
			if sure, _ := v.world.ledger.has(e.user, e.event, spanOf(p), e); p.Status() != http.StatusCreated || !sure || !v.on(ruleReservationRace, ruleCancel) {
				return nil
			}
			return &bench.Mismatch{Code: "duplicate", Expected: "status 409: the user has a reservation for the event", Actual: "status 201",
				Message: fmt.Sprintf("user %d now has two reservations for event %d", e.user, e.event)}
		}),
		bench.That(ruleCapacityRace, func(p *bench.Page) *bench.Mismatch {
			if p.Status() != http.StatusCreated || !v.on(ruleCapacity) {
				return nil
			}
			return v.world.overbooked(e.event, capacity)
		}))
}

// overbooked wants an event to have no more tickets reserved than there is room.
func (w *world) overbooked(event, capacity int64) *bench.Mismatch {
	now := time.Now()
	least, _ := w.ledger.tickets(event, span{now, now}, nil)
	if least <= capacity {
		return nil
	}
	return &bench.Mismatch{Code: "oversold", Expected: fmt.Sprintf("at most %d tickets, the capacity of the venue", capacity),
		Actual:  fmt.Sprintf("%d tickets, all of them acknowledged", least),
		Message: fmt.Sprintf("more tickets are reserved for event %d than its venue has room for", event)}
}

// wronglyRefused wants a refusal to have a reason.
func (w *world) wronglyRefused(e *entry, p *bench.Page, capacity int64) *bench.Mismatch {
	if p.Status() != http.StatusConflict {
		return nil
	}
	at := spanOf(p)
	_, has := w.ledger.has(e.user, e.event, at, e)
	_, most := w.ledger.tickets(e.event, at, e)
	if has || most+e.tickets > capacity {
		return nil
	}
	return &bench.Mismatch{Code: bench.CodeUnexpectedStatus,
		Expected: fmt.Sprintf("status 201: %d of %d tickets were reserved at most, and the user had none for the event", most, capacity),
		Actual:   fmt.Sprintf("status 409 to a reservation of %d\n\n%.200s", e.tickets, p.Body()),
		Message:  fmt.Sprintf("a reservation for event %d was refused although it was possible", e.event)}
}

// reserved notes what has become of a reservation.
func (w *world) reserved(e *entry, p *bench.Page) {
	became := outcomeOf(p, http.StatusCreated, http.StatusConflict)
	var got reservationData
	if became == happened {
		// What cannot be decoded has no id, which is what is known of it then.
		_ = check.Decode(p.Body(), &got)
	}
	w.ledger.settle(e, became, got.ID, got.CreatedAt)
}

// wrongReservation wants a reservation for an initial event to be shown like this.
func (w *world) wrongReservation(e entry, got *reservationData) *bench.Mismatch {
	if !w.isInitial(e.event) {
		return nil
	}
	of := &w.truth.events[e.event-1]
	want := reservationData{
		ID: got.ID, UserID: e.user, Username: w.nameOf(e.user), EventID: e.event, EventName: of.name, EventPrice: of.price,
		EventStartAt: moment{of.start}, EventEndAt: moment{of.end}, VenueName: w.truth.venues[of.venue-1].name, NumOfResv: e.tickets,
		CreatedAt: e.created, UpdatedAt: got.UpdatedAt,
	}
	if want.Username == "" {
		want.Username = got.Username
	}
	if e.created.IsZero() {
		want.CreatedAt = got.CreatedAt
	}
	m := differs("a reservation is not shown as it was made", want, *got)
	if m != nil {
		m.Hint = staleHint
	}
	return m
}

// nameOf is the name of a user, empty if it is not known.
func (w *world) nameOf(user int64) string {
	if user >= 1 && user <= int64(len(w.truth.users)) {
		return w.truth.users[user-1].name
	}
	name, _ := w.newNames.Load(user)
	text, _ := name.(string)
	return text
}

// The pages of lists where nobody asks for another size (§4).
const (
	userPage  = 5
	eventPage = 10
)

// listing are the checks of the first page of a list of reservations.
func (v *visitor) listing(r *reader[[]reservationData], rule string, of whose, limit int) []bench.Check {
	cancelled := ""
	return r.due(http.StatusOK,
		r.that(rule, func(p *bench.Page, got []reservationData) *bench.Mismatch {
			wrong, gone := v.world.ledger.examine(of, spanOf(p), got, limit)
			if gone {
				cancelled = wrong
				return nil
			}
			return listMismatch(wrong, got)
		}),
		r.that(ruleCancel, func(_ *bench.Page, got []reservationData) *bench.Mismatch { return listMismatch(cancelled, got) }),
		r.that(ruleReservationDetails, func(_ *bench.Page, got []reservationData) *bench.Mismatch {
			return first(got, func(shown *reservationData) *bench.Mismatch {
				e, known := v.world.ledger.entry(shown.ID)
				if !known {
					return nil // only without the rule about the list
				}
				return v.world.wrongReservation(e, shown)
			})
		}))
}

func listMismatch(wrong string, got []reservationData) *bench.Mismatch {
	if wrong == "" {
		return nil
	}
	return &bench.Mismatch{Code: "wrong-list", Expected: "the reservations that there are, the oldest first",
		Actual: fmt.Sprintf("the reservations %v", each(got, func(r reservationData) int64 { return r.ID })), Message: "a list of reservations is wrong: " + wrong}
}

// ownReservations looks at the first of the visitor's own reservations.
func (v *visitor) ownReservations() ([]reservationData, error) {
	r := readerOf(reservationsAnswer, v.User)
	p := v.count(groupUserReservations, v.get(routeUserReservations, v.who.id), v.listing(r, ruleUserReservations, whose{user: v.who.id}, userPage)...)
	if !p.OK() {
		return nil, p.Err()
	}
	got, ok := r.read(p)
	if !ok {
		return nil, bench.ErrCut
	}
	return got, nil
}

// lookAtReservations looks at some that are there for sure.
func (v *visitor) lookAtReservations(list []reservationData) error {
	var steps []*bench.Step
	for i := range list {
		e, known := v.world.ledger.entry(list[i].ID)
		if !known || !e.stays() {
			continue
		}
		r := readerOf(reservationAnswer, v.User)
		steps = append(steps, v.get(routeReservation, list[i].ID).Expecting(r.due(http.StatusOK,
			r.that(ruleReservationDetails, func(_ *bench.Page, got reservationData) *bench.Mismatch {
				if got.ID != e.id {
					return differs("another reservation than the one asked for", e.id, got.ID)
				}
				return v.world.wrongReservation(e, &got)
			}))...))
	}
	if len(steps) == 0 {
		return nil
	}
	return firstFailure(v.countAll(groupReservation, steps))
}

// cancelSome cancels one in five.
func (v *visitor) cancelSome(list []reservationData) error {
	var failed error
	for i := range list {
		if known, ok := v.world.ledger.entry(list[i].ID); v.Rand.IntN(5) != 0 || !ok || !known.stays() {
			continue
		}
		e := v.world.ledger.cancel(list[i].ID)
		// A cancellation that was sent twice, since its connection broke, may find nothing left.
		p := v.count(groupCancel, v.request(http.MethodDelete, routeReservation, list[i].ID),
			bench.Status(ruleOKStatus, http.StatusNoContent, http.StatusNotFound),
			bench.That(ruleOKStatus, func(p *bench.Page) *bench.Mismatch {
				if p.Status() == http.StatusNotFound && !p.Retried() {
					return &bench.Mismatch{Code: bench.CodeUnexpectedStatus, Expected: "status 204", Actual: "status 404", Message: "status 404 instead of 204"}
				}
				return nil
			}))
		v.world.ledger.cancelled(e, outcomeOf(p, http.StatusNoContent))
		if err := p.Err(); err != nil {
			failed = err
		}
	}
	return failed
}
