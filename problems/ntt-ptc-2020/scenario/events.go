package nttscenario

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
)

// The lists of events that the contest's benchmark asked for (§10.3): twelve from a
// random one on.
const (
	listLimit  = 12
	listOffset = 1700 // at most
)

const (
	routeUserReservations = "/api/users/:user_id/reservations"
	routeReservation      = "/api/reservations/:id"
)

// listEvents looks at a page of events. None of them is one of this run: those come
// after all offsets.
func (v *visitor) listEvents() ([]eventData, error) {
	offset := 1 + v.Rand.IntN(listOffset)
	r := readerOf(eventsAnswer, v.User)
	p := v.count(groupEvents, v.get(fmt.Sprintf("%s?limit=%d&offset=%d", routeEvents, listLimit, offset)), r.due(http.StatusOK,
		r.that(ruleEventsList, func(p *bench.Page, got []eventData) *bench.Mismatch { return v.world.wrongList(p, offset, got) }),
		r.that(ruleEventDetails, func(_ *bench.Page, got []eventData) *bench.Mismatch {
			return first(got, func(e *eventData) *bench.Mismatch { return v.world.wrongDetails(e) })
		}),
		r.that(ruleCurrentResv, func(p *bench.Page, got []eventData) *bench.Mismatch {
			return first(got, func(e *eventData) *bench.Mismatch { return v.world.wrongTickets(p, e) })
		}))...)
	if !p.OK() {
		return nil, p.Err()
	}
	got, ok := r.read(p)
	got = slices.DeleteFunc(got, func(e eventData) bool { return !v.world.isInitial(e.ID) }) // only without the rule about lists
	if !ok || len(got) == 0 {
		return nil, bench.ErrCut
	}
	return got, nil
}

// first returns the first mismatch of the items of a list.
func first[E any](list []E, find func(e *E) *bench.Mismatch) *bench.Mismatch {
	for i := range list {
		if m := find(&list[i]); m != nil {
			return m
		}
	}
	return nil
}

func (w *world) isInitial(event int64) bool { return event >= 1 && event <= int64(len(w.truth.events)) }

// wrongList wants the list to be the initial events from today on.
func (w *world) wrongList(p *bench.Page, offset int, got []eventData) *bench.Mismatch {
	shown := each(got, func(e eventData) int64 { return e.ID })
	var due []int64
	for _, today := range days(p) {
		if due = part(w.upcoming(today), listLimit, offset); slices.Equal(due, shown) {
			return nil
		}
	}
	return &bench.Mismatch{Code: "wrong-list", Expected: fmt.Sprintf("the events %v", due), Actual: fmt.Sprintf("the events %v", shown),
		Message: "the list holds other events than the ones from today on", Hint: staleHint}
}

// upcoming are the initial events from a day on.
func (w *world) upcoming(today time.Time) []int64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	ids, ok := w.upcomingFrom[today]
	if !ok {
		ids = w.truth.upcoming(today, 0)
		w.upcomingFrom[today] = ids
	}
	return ids
}

// wrongDetails wants an initial event to be as it was made.
func (w *world) wrongDetails(e *eventData) *bench.Mismatch {
	if !w.isInitial(e.ID) {
		return nil // only without the rule about lists
	}
	m := differs(fmt.Sprintf("event %d is not shown as it was made", e.ID), w.truth.shownEvent(e.ID).asShown(), e.asShown())
	if m != nil {
		m.Hint = staleHint
	}
	return m
}

// wrongTickets wants current_resv to be the tickets reserved at some moment of the request.
func (w *world) wrongTickets(p *bench.Page, e *eventData) *bench.Mismatch {
	least, most := w.ledger.tickets(e.ID, spanOf(p), nil)
	if e.CurrentResv >= least && e.CurrentResv <= most {
		return nil
	}
	due := number(least)
	if least != most {
		due += " to " + number(most) + ", depending on reservations that were under way or whose answers were lost"
	}
	return &bench.Mismatch{Code: "sum-mismatch", Expected: "current_resv " + due, Actual: "current_resv " + number(e.CurrentResv),
		Message: fmt.Sprintf("event %d does not show the tickets that are reserved for it", e.ID)}
}

// lookAt looks at one event, which nobody changes, without saying who asks.
func (v *visitor) lookAt(id int64) error {
	r := readerOf(eventAnswer, v.User)
	nobody := v.as(nil)
	p := v.count(groupEvent, nobody.get(routeEvent, id), r.due(http.StatusOK,
		r.that(ruleEventDetails, func(_ *bench.Page, e eventData) *bench.Mismatch {
			if e.ID != id {
				return differs("another event than the one asked for", id, e.ID)
			}
			return v.world.wrongDetails(&e)
		}),
		r.that(ruleCurrentResv, func(p *bench.Page, e eventData) *bench.Mismatch { return v.world.wrongTickets(p, &e) }))...)
	return p.Err()
}

// lookAtImages looks at the pictures of initial events.
func (v *visitor) lookAtImages(events []eventData) error {
	var steps []*bench.Step
	for i := range events {
		image := v.truth.events[events[i].ID-1].image
		if image == "" {
			image = v.truth.defaultImage
		}
		steps = append(steps, v.get(routeImage, events[i].ID).Expecting(v.world.image(ruleImageInitial, image)...))
	}
	return firstFailure(v.countAll(groupImage, steps))
}

// image are the checks of the answer that has to be a picture. They are kept, since a check
// knows a picture again that it has seen before.
func (w *world) image(rule, md5 string) []bench.Check {
	w.mu.Lock()
	defer w.mu.Unlock()
	key := rule + md5
	checks := w.images[key]
	if checks == nil {
		checks = []bench.Check{bench.Status(ruleOKStatus, http.StatusOK), typePNG, bench.Digest(rule, "md5", md5)}
		w.images[key] = checks
	}
	return checks
}
