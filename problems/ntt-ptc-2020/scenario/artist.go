package nttscenario

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
)

const (
	routeVenues  = "/api/venues"
	firstGenre   = 2 // that of every new event (§10.3)
	leastPrice   = 100
	mostPrice    = 100_000
	venuesPage   = 5
	slotsFor     = 30 * 24 * time.Hour // that an artist looks at, about as many as until the end of a month
	slotsWithin  = 30                  // days from now on at most, until the first of them
	slotsNotNext = time.Hour
)

// show is an event that the load has made. Only the artist who made it changes it,
// and nobody else ever sees it in a list.
type show struct {
	eventData
	slot  *slot
	image string // MD5; empty: the default one
}

// newArtist is somebody who announces an event (§10.3).
func newArtist(u *bench.User, w *world) bench.Iteration {
	v := newVisitor(u, w)
	return func() error {
		defer v.leave()
		if err := v.enter(roleArtist, true); err != nil {
			return err
		}
		venue, err := v.chooseVenue()
		if err != nil {
			return err
		}
		slots, err := v.freeSlots(venue)
		if err != nil {
			return err
		}
		slot := w.slots.claim(v.Rand, venue, slots)
		if slot == nil {
			return bench.ErrCut // all are somebody else's: nothing that the service could help
		}
		e, err := v.announce(slot)
		if err != nil {
			return err
		}
		return v.makeItNice(e)
	}
}

// makeItNice is what an artist does with a new event.
func (v *visitor) makeItNice(e *show) error {
	failed := v.upload(e)
	for _, step := range []func() error{
		func() error { return v.lookAtPicture(e) },
		func() error { return v.lookAtShow(e, false) },
		func() error { return v.change(e) },
		func() error { return v.lookAtShow(e, true) },
		func() error { return v.lookAtPicture(e) },
		func() error { return v.lookAtGuests(e) },
	} {
		if err := step(); err != nil {
			failed = err
		}
	}
	if err := v.logOut(); err != nil {
		return err
	}
	return failed
}

// chooseVenue looks at a page of venues and takes one. The last ones are left to
// the checks before the load.
func (v *visitor) chooseVenue() (int64, error) {
	last := len(v.truth.venues) - groundVenues
	offset := v.Rand.IntN(last - venuesPage + 1)
	var want []venueData
	for id := offset + 1; id <= offset+venuesPage; id++ {
		want = append(want, v.truth.shownVenue(int64(id)))
	}
	r := readerOf(venuesAnswer, v.User)
	p := v.count(groupVenues, v.get(fmt.Sprintf("%s?limit=%d&offset=%d", routeVenues, venuesPage, offset)), r.due(http.StatusOK,
		r.that(ruleVenues, func(_ *bench.Page, got []venueData) *bench.Mismatch {
			got = slices.Clone(got)
			for i := range got {
				got[i].UpdatedAt = moment{}
			}
			return differs("the venues are not those of the initial data", want, got)
		}))...)
	return want[v.Rand.IntN(len(want))].ID, p.Err()
}

// freeSlots looks for free timeslots at a venue, in a month from some day on.
func (v *visitor) freeSlots(venue int64) ([]timeslotData, error) {
	from := v.world.now().UTC().Truncate(time.Second).Add(slotsNotNext + time.Duration(v.Rand.IntN(slotsWithin*24))*time.Hour)
	to := from.Add(slotsFor)
	r := readerOf(timeslotsAnswer, v.User)
	p := v.count(groupTimeslots, v.get(timeslotsQuery(second(from), second(to)), venue), r.due(http.StatusOK,
		r.that(ruleTimeslotsFree, func(p *bench.Page, got []timeslotData) *bench.Mismatch {
			wrong := v.world.slots.examine(venue, from, to, spanOf(p), got)
			if wrong == "" {
				return nil
			}
			return &bench.Mismatch{Code: "wrong-list", Expected: fmt.Sprintf("the free timeslots of venue %d from %s to %s", venue, second(from), second(to)),
				Actual:  fmt.Sprintf("the timeslots %v", each(got, func(s timeslotData) int64 { return s.ID })),
				Message: "a list of free timeslots is wrong: " + wrong}
		}))...)
	if !p.OK() {
		return nil, p.Err()
	}
	got, ok := r.read(p)
	if !ok {
		return nil, bench.ErrCut
	}
	return got, nil
}

// plan describes the event that takes all of a timeslot.
func (v *visitor) plan(s *slot, name string, genre, price int64) payload {
	return payload{
		"event_name": name, "event_genre_id": genre, "timeslot_ids": []int64{s.id}, "price": price,
		"start_at": second(s.start), "end_at": second(s.end),
	}
}

// planned is how the event has to be shown.
func (v *visitor) planned(s *slot, name string, genre, price int64) eventData {
	venue := v.truth.venues[s.venue-1]
	return eventData{
		EventName: name, GenreID: genre, ArtistID: v.who.id, ArtistName: v.who.name, VenueID: venue.id, VenueName: venue.name,
		StartAt: moment{s.start}, EndAt: moment{s.end}, Price: price, TimeslotIDs: []int64{s.id}, Capacity: venue.capacity,
	}
}

func (v *visitor) randomPrice() int64 { return leastPrice + v.Rand.Int64N(mostPrice-leastPrice+1) }

// announce makes an event in a timeslot that is nobody else's.
func (v *visitor) announce(s *slot) (*show, error) {
	name, price := v.randomText(8), v.randomPrice()
	e := &show{eventData: v.planned(s, name, firstGenre, price), slot: s}
	r := readerOf(eventAnswer, v.User)
	step := v.send(http.MethodPost, routeEvents, v.plan(s, name, firstGenre, price))
	v.world.slots.take(s)
	p := v.count(groupCreate, step, r.due(http.StatusCreated, r.that(ruleEventEcho, func(_ *bench.Page, got eventData) *bench.Mismatch {
		if got.ID <= int64(len(v.truth.events)) {
			return &bench.Mismatch{Code: "duplicate-id", Expected: "an ID that no event has", Actual: "ID " + number(got.ID), Message: "a new event has the ID of an initial one"}
		}
		return v.wrongShow(e, "the answer does not show the event as it was asked for", got)
	}))...)
	v.world.slots.taken(s, outcomeOf(p, http.StatusCreated))
	if !p.OK() {
		return nil, p.Err()
	}
	got, ok := r.read(p)
	if !ok {
		return nil, bench.ErrCut
	}
	e.ID, e.CreatedAt = got.ID, got.CreatedAt
	return e, nil
}

// wrongShow wants an event of this run to be shown like this. What is not known yet may be anything.
func (v *visitor) wrongShow(e *show, message string, got eventData) *bench.Mismatch {
	want, got := e.asShown(), got.asShown()
	if want.ID == 0 {
		want.ID, want.CreatedAt = got.ID, got.CreatedAt
	}
	return differs(message, want, got)
}

// upload gives the event a picture.
func (v *visitor) upload(e *show) error {
	picture := &v.truth.uploads[v.Rand.IntN(len(v.truth.uploads))]
	p := v.count(groupUpload, v.request(http.MethodPut, routeImage, e.ID).
		Header("Content-Type", formType).Body(picture.form), noContent()...)
	switch outcomeOf(p, http.StatusNoContent) {
	case happened:
		e.image = picture.md5
		v.world.keepShow(v.User, e)
	case pending:
		e.image = "?" + picture.md5
	case never, notAsked:
	}
	return p.Err()
}

// lookAtPicture looks at the picture of the event, which has to be the one that was uploaded.
func (v *visitor) lookAtPicture(e *show) error {
	rule, image := ruleImageFresh, e.image
	if image == "" {
		rule, image = ruleImageInitial, v.truth.defaultImage
	}
	step := v.get(routeImage, e.ID)
	if image[0] == '?' { // its answer was lost: it may be either
		return v.count(groupImage, step, bench.Status(ruleOKStatus, http.StatusOK), typePNG).Err()
	}
	return v.count(groupImage, step, v.world.image(rule, image)...).Err()
}

// lookAtShow looks at the event. What was changed has to show.
func (v *visitor) lookAtShow(e *show, changed bool) error {
	rule, message := ruleEventDetails, fmt.Sprintf("event %d is not shown as it was made", e.ID)
	if changed {
		rule, message = ruleEventFresh, fmt.Sprintf("event %d is not shown as it was changed", e.ID)
	}
	r := readerOf(eventAnswer, v.User)
	step := v.get(routeEvent, e.ID)
	if changed {
		step.Point(groupEvent) // the contest's benchmark had two checks here, one of them for the price
	}
	return v.count(groupEvent, step, r.due(http.StatusOK,
		r.that(rule, func(_ *bench.Page, got eventData) *bench.Mismatch {
			if e.slot == nil { // the answer to a change was lost
				return nil
			}
			return v.wrongShow(e, message, got)
		}),
		r.that(ruleCurrentResv, func(_ *bench.Page, got eventData) *bench.Mismatch {
			return differs("nobody has reserved tickets for the event", int64(0), got.CurrentResv)
		}))...).Err()
}

// change gives the event another genre and price, in the same timeslot.
func (v *visitor) change(e *show) error {
	genre, price := 1+v.Rand.Int64N(int64(len(v.truth.genres))), v.randomPrice()
	changed := &show{eventData: v.planned(e.slot, e.EventName, genre, price), slot: e.slot, image: e.image}
	changed.ID, changed.CreatedAt = e.ID, e.CreatedAt
	r := readerOf(eventAnswer, v.User)
	step := v.send(http.MethodPut, routeEvent, v.plan(e.slot, e.EventName, genre, price), e.ID)
	settled := v.world.slots.edit(e.slot)
	p := v.count(groupUpdate, step, r.due(http.StatusOK, r.that(ruleEventEcho, func(_ *bench.Page, got eventData) *bench.Mismatch {
		return v.wrongShow(changed, "the answer does not show the event as it was asked for", got)
	}))...)
	became := outcomeOf(p, http.StatusOK)
	settled(became)
	switch became {
	case happened:
		*e = *changed
	case pending:
		e.slot = nil // nothing is known for sure from here on
	case never, notAsked:
	}
	return p.Err()
}

// lookAtGuests looks at who has reserved tickets for the event: nobody.
func (v *visitor) lookAtGuests(e *show) error {
	r := readerOf(reservationsAnswer, v.User)
	return v.count(groupEventReservations, v.get(routeReserve, e.ID), r.due(http.StatusOK,
		r.that(ruleEventReservations, func(_ *bench.Page, got []reservationData) *bench.Mismatch {
			return differs("nobody has reserved tickets for the event", 0, len(got))
		}))...).Err()
}
