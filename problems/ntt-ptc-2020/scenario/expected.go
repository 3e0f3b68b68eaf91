package nttscenario

import (
	"cmp"
	"slices"
	"time"
)

// What answers show of the initial data. updated_at is left out: no check holds
// anybody to it, since a contestant may change rows in ways that nobody else sees.

func (t *truth) shownVenue(id int64) venueData {
	v := t.venues[id-1]
	return venueData{ID: id, Name: v.name, Capacity: v.capacity, CreatedAt: moment{v.created}}
}

func (t *truth) shownTimeslot(id int64) timeslotData {
	s := t.slots[id-1]
	return timeslotData{ID: id, StartAt: moment{s.start}, EndAt: moment{s.end}, CreatedAt: moment{s.created}}
}

// shownEvent is an initial event right after the initialization.
func (t *truth) shownEvent(id int64) eventData {
	e := &t.events[id-1]
	v := t.venues[e.venue-1]
	return eventData{
		ID: id, EventName: e.name, GenreID: e.genre, ArtistID: e.artist, ArtistName: t.users[e.artist-1].name,
		VenueID: v.id, VenueName: v.name, Capacity: v.capacity, StartAt: moment{e.start}, EndAt: moment{e.end}, Price: e.price,
		TimeslotIDs: slices.Clone(e.slots), CreatedAt: moment{e.created}, CurrentResv: e.tickets,
	}
}

// shownReservation is an initial reservation.
func (t *truth) shownReservation(id int64) reservationData {
	b := t.reservations[id-1]
	e := &t.events[b.event-1]
	return reservationData{
		ID: id, UserID: b.user, Username: t.users[b.user-1].name, EventID: b.event, EventName: e.name, EventPrice: e.price,
		EventStartAt: moment{e.start}, EventEndAt: moment{e.end}, VenueName: t.venues[e.venue-1].name, NumOfResv: b.tickets,
		CreatedAt: moment{time.Unix(b.created, 0).UTC()},
	}
}

// upcoming are the ids of the initial events from a day on, as lists have them. If
// artist is not 0 it is those of one.
func (t *truth) upcoming(today time.Time, artist int64) []int64 {
	var ids []int64
	for i := range t.events {
		if e := &t.events[i]; !e.start.Before(today) && (artist == 0 || artist == e.artist) {
			ids = append(ids, e.id)
		}
	}
	return ids
}

// reservationsOf are the ids of the initial reservations for which of is true, as
// lists have them.
func (t *truth) reservationsOf(of func(b *booking) bool) []int64 {
	var ids []int64
	for i := range t.reservations {
		if of(&t.reservations[i]) {
			ids = append(ids, int64(i+1))
		}
	}
	return ids
}

// asShown is an event without what a comparison has to leave out: updated_at, and
// the tickets, which have a rule of their own.
func (e eventData) asShown() eventData {
	e.UpdatedAt, e.CurrentResv = moment{}, 0
	if len(e.TimeslotIDs) == 0 {
		e.TimeslotIDs = nil // [] and null are the same
	}
	return e
}

// each applies f to all items of a list; the result is never nil.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, 0, len(list))
	for _, item := range list {
		out = append(out, f(item))
	}
	return out
}

// part is what limit and offset leave of a list.
func part[E any](list []E, limit, offset int) []E {
	offset = min(offset, len(list))
	return list[offset:min(offset+limit, len(list))]
}

// byID sorts timeslots: their order is documented nowhere.
func byID(list []timeslotData) []timeslotData {
	slices.SortFunc(list, func(a, b timeslotData) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// asShown is a reservation without updated_at.
func (r reservationData) asShown() reservationData {
	r.UpdatedAt = moment{}
	return r
}
