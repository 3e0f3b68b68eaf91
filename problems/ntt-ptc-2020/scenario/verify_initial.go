package nttscenario

import (
	"fmt"
	"net/http"
	"slices"

	"hotseat/bench"
)

// staleHint helps who has edited initial events by hand.
const staleHint = "initializing does not bring back what was changed at initial events; if you did so by hand, hotseat reset does"

// initialEvents is §4.7, §4.9 and §4.11 for events that nobody changes.
func (c *tester) initialEvents() error {
	for _, check := range []func() error{c.initialLists, c.initialDetails, c.initialImages} {
		if err := check(); err != nil {
			return err
		}
	}
	return c.refuse(slices.Concat(
		badPages("events", func(query string) *bench.Step { return c.get("/api/events?" + query) }),
		[]trial{{ruleParameters, http.StatusBadRequest, "events: user_id=abc", c.get("/api/events?user_id=abc")}},
		badIDs("an event", func(id any) *bench.Step { return c.get("/api/events/:event_id", id) }),
		badIDs("an image", func(id any) *bench.Step { return c.get("/api/events/:event_id/image", id) }),
	)...)
}

// eventsPage is a part of the list of events.
type eventsPage struct {
	query         string
	artist        int64 // 0: of all
	limit, offset int
}

func (c *tester) initialLists() error {
	const most = 1700 // the load's offsets
	some := c.Rand.IntN(most)
	artist, nobody := c.pastArtist(), c.truth.testers.audience.id
	pages := []eventsPage{
		{"", 0, 12, 0}, {fmt.Sprintf("?limit=3&offset=%d", some), 0, 3, some}, {fmt.Sprintf("?limit=1&offset=%d", most), 0, 1, most},
		{"?limit=0", 0, 0, 0}, {"?user_id=0&limit=1", 0, 1, 0},
		{fmt.Sprintf("?user_id=%d&limit=100", artist), artist, 100, 0}, {fmt.Sprintf("?user_id=%d&limit=1&offset=1", artist), artist, 1, 1},
		{fmt.Sprintf("?user_id=%d", nobody), nobody, 12, 0},
	}
	var steps []*bench.Step
	for _, page := range pages {
		steps = append(steps, c.get("/api/events"+page.query).Expecting(eventsAnswer.due(http.StatusOK)...))
	}
	for i, p := range c.All(steps...) {
		got, err := eventsAnswer.read(c.User, p)
		if err != nil {
			return err
		}
		if err := c.initialPage(p, pages[i], got); err != nil {
			return err
		}
	}
	return nil
}

// pastArtist is an artist of whose events one is over. The testers announce others
// meanwhile.
func (c *tester) pastArtist() int64 {
	t := c.truth
	start := c.Rand.IntN(len(t.events))
	for i := range t.events {
		e := &t.events[(start+i)%len(t.events)]
		if e.end.Before(t.day) && e.artist != t.testers.artist.id && e.artist != t.testers.rival.id {
			return e.artist
		}
	}
	return t.testers.owner.id // who has none
}

// initialPage wants a list to show initial events, and the right ones.
func (c *tester) initialPage(p *bench.Page, page eventsPage, got []eventData) error {
	shown := each(got, func(e eventData) int64 { return e.ID })
	var want []int64
	for _, today := range days(p) {
		want = part(c.truth.upcoming(today, page.artist), page.limit, page.offset)
		if slices.Equal(want, shown) {
			break
		}
	}
	rule, message := ruleEventsList, "the list holds other events"
	if page.artist != 0 {
		rule, message = ruleEventsOfArtist, "the list holds other events than the artist's"
	}
	if err := c.same(p, rule, message, want, shown); err != nil {
		return err
	}
	for _, e := range got {
		if err := c.initialEvent(p, e); err != nil {
			return err
		}
	}
	return nil
}

// initialEvent wants an initial event to be shown as it is in the initial data.
func (c *tester) initialEvent(p *bench.Page, got eventData) error {
	want := c.truth.shownEvent(got.ID)
	c.Exercised(ruleEventDetails)
	if wanted, shown := difference(plainly(want.asShown()), plainly(got.asShown())); wanted != shown {
		err := c.Fail(bench.Problem{Rule: ruleEventDetails, Code: bench.CodeValueMismatch, Page: p, Expected: wanted, Actual: shown,
			Message: inPlaceOf(fmt.Sprintf("event %d is not shown as in the initial data", got.ID), shown, wanted), Hint: staleHint})
		if err != nil {
			return err
		}
	}
	return c.same(p, ruleCurrentResv, fmt.Sprintf("current_resv of event %d is not the sum of its initial reservations", got.ID), want.CurrentResv, got.CurrentResv)
}

// initialDetails looks at single events: one that is over, one with two
// timeslots, one of the test artist, and any.
func (c *tester) initialDetails() error {
	t := c.truth
	ids := []int64{c.world.ground.artists, int64(1 + c.Rand.IntN(len(t.events)))}
	for _, is := range []func(e event) bool{
		func(e event) bool { return e.end.Before(t.day) },
		func(e event) bool { return len(e.slots) == 2 },
	} {
		if i := slices.IndexFunc(t.events, is); i >= 0 {
			ids = append(ids, t.events[i].id)
		}
	}
	for _, id := range ids {
		got, p, err := eventAnswer.ask(c.User, c.get("/api/events/:event_id", id), http.StatusOK)
		if err != nil {
			return err
		}
		if got.ID != id {
			return c.same(p, ruleEventDetails, "another event is shown", id, got.ID)
		}
		if err := c.initialEvent(p, got); err != nil {
			return err
		}
	}
	return nil
}

// initialImages looks at some pictures, and at events that have none.
func (c *tester) initialImages() error {
	const each = 3
	var steps []*bench.Step
	start := c.Rand.IntN(len(c.truth.events))
	pictures, defaults := 0, 0
	for i := range c.truth.events {
		e := &c.truth.events[(start+i)%len(c.truth.events)]
		sum, count := e.image, &pictures
		if sum == "" {
			sum, count = c.truth.defaultImage, &defaults
		}
		if *count < each {
			*count++
			steps = append(steps, c.image(e.id, ruleImageInitial, sum))
		}
	}
	return firstFailure(c.All(steps...))
}

// image describes the request of a picture with this MD5.
func (c *tester) image(event int64, rule, sum string) *bench.Step {
	return c.get("/api/events/:event_id/image", event).
		Expecting(bench.Status(ruleOKStatus, http.StatusOK), typePNG, bench.Digest(rule, "md5", sum))
}

// initialReservations is §4.13, §4.14 and §4.16 for reservations that nobody changes.
func (c *tester) initialReservations() error {
	t, cast := c.truth, &c.world.cast
	const ofUser, ofEvent = "/api/users/:user_id/reservations", "/api/events/:event_id/reservations"
	audience := t.testers.audience.id
	most := &t.events[0]
	booked := map[int64]int{}
	for _, b := range t.reservations {
		if booked[b.event]++; booked[b.event] > booked[most.id] {
			most = &t.events[b.event-1]
		}
	}
	users := t.reservationsOf(func(b *booking) bool { return b.user == audience })
	events := t.reservationsOf(func(b *booking) bool { return b.event == most.id })
	artists := t.reservationsOf(func(b *booking) bool { return b.event == c.world.ground.artists })
	for _, page := range []struct {
		who           *member
		rule, route   string
		id            int64
		all           []int64
		limit, offset int
	}{
		{cast.audience, ruleUserReservations, ofUser, audience, users, 5, 0},
		{cast.audience, ruleUserReservations, ofUser + "?offset=5", audience, users, 5, 5},
		{cast.owner, ruleUserReservations, ofUser + "?limit=2&offset=1", audience, users, 2, 1},
		{cast.owner, ruleUserReservations, ofUser + "?limit=1000", audience, users, 1000, 0},
		{cast.audience, ruleUserReservations, ofUser + "?limit=0", audience, users, 0, 0},
		{cast.owner, ruleUserReservations, ofUser, cast.artist.id, nil, 5, 0},
		{cast.owner, ruleEventReservations, ofEvent, most.id, events, 10, 0},
		{cast.owner, ruleEventReservations, ofEvent + "?offset=10", most.id, events, 10, 10},
		{cast.artist, ruleEventReservations, ofEvent, c.world.ground.artists, artists, 10, 0},
		{cast.artist, ruleEventReservations, ofEvent + "?limit=1&offset=1", c.world.ground.artists, artists, 1, 1},
		{cast.owner, ruleEventReservations, ofEvent + "?limit=0", most.id, events, 0, 0},
		{cast.owner, ruleEventReservations, ofEvent + fmt.Sprintf("?offset=%d", len(events)), most.id, events, 10, len(events)},
	} {
		if err := c.as(page.who).reservationList(page.rule, page.route, page.id, each(part(page.all, page.limit, page.offset), t.shownReservation)); err != nil {
			return err
		}
	}
	if len(users) == 0 || len(events) == 0 {
		return nil // in no world of the generator's
	}
	for _, look := range []struct {
		who *member
		id  int64
	}{{cast.audience, users[0]}, {cast.owner, users[0]}, {cast.owner, events[len(events)-1]}} {
		if err := c.as(look.who).reservation(t.shownReservation(look.id)); err != nil {
			return err
		}
	}
	return c.refuse(c.reservationTrials(audience, most.id, users[0])...)
}

// reservationTrials are requests for initial reservations that must be refused.
func (c *tester) reservationTrials(audience, event, reservation int64) []trial {
	const ofUser, ofEvent, one = "/api/users/:user_id/reservations", "/api/events/:event_id/reservations", "/api/reservations/:id"
	cast := &c.world.cast
	audiences, artists := c.as(cast.audience), c.as(cast.artist)
	trials := slices.Concat(
		badIDs("a user's reservations", func(id any) *bench.Step { return audiences.get(ofUser, id) }),
		badPages("a user's reservations", func(query string) *bench.Step { return audiences.get(ofUser+"?"+query, audience) }),
		badIDs("an event's reservations", func(id any) *bench.Step { return artists.get(ofEvent, id) }),
		badPages("an event's reservations", func(query string) *bench.Step { return artists.get(ofEvent+"?"+query, c.world.ground.artists) }),
		badIDs("a reservation", func(id any) *bench.Step { return audiences.get(one, id) }),
		badIDs("a cancellation", func(id any) *bench.Step { return audiences.request("DELETE", one, id) }),
	)
	for _, no := range []struct {
		who    *member
		rule   string
		status int
		name   string
		method string
		route  string
		id     int64
	}{
		{cast.other, ruleRole, http.StatusForbidden, "another user's reservations", "GET", ofUser, audience},
		{cast.artist, ruleRole, http.StatusForbidden, "a user's reservations for an artist", "GET", ofUser, audience},
		{cast.artist, ruleRole, http.StatusForbidden, "an artist's own reservations", "GET", ofUser, cast.artist.id},
		{cast.artist, ruleNotFound, http.StatusNotFound, "an unknown user's reservations for an artist", "GET", ofUser, unknownID},
		{cast.owner, ruleNotFound, http.StatusNotFound, "an unknown user's reservations for an owner", "GET", ofUser, unknownID},
		{cast.owner, ruleNotFound, http.StatusNotFound, "an unknown event's reservations for an owner", "GET", ofEvent, unknownID},
		{cast.owner, ruleNotFound, http.StatusNotFound, "an unknown reservation for an owner", "GET", one, unknownID},
		{cast.owner, ruleNotFound, http.StatusNotFound, "cancellation of an unknown reservation by an owner", "DELETE", one, unknownID},
		{cast.audience, ruleRole, http.StatusForbidden, "an event's reservations for the audience", "GET", ofEvent, event},
		{cast.rival, ruleRole, http.StatusForbidden, "another artist's event's reservations", "GET", ofEvent, c.world.ground.artists},
		{cast.audience, ruleNotFound, http.StatusNotFound, "an unknown event's reservations for the audience", "GET", ofEvent, unknownID},
		{cast.other, ruleRole, http.StatusForbidden, "another user's reservation", "GET", one, reservation},
		{cast.artist, ruleRole, http.StatusForbidden, "a reservation for an artist", "GET", one, reservation},
		{cast.other, ruleRole, http.StatusForbidden, "cancellation of another user's reservation", "DELETE", one, reservation},
		{cast.artist, ruleRole, http.StatusForbidden, "cancellation by an artist", "DELETE", one, reservation},
	} {
		trials = append(trials, trial{no.rule, no.status, no.name, c.as(no.who).request(no.method, no.route, no.id)})
	}
	return trials
}

// reservationList wants a list to be exactly this.
func (c *tester) reservationList(rule, route string, id int64, want []reservationData) error {
	got, p, err := reservationsAnswer.ask(c.User, c.get(route, id), http.StatusOK)
	if err != nil {
		return err
	}
	number := func(r reservationData) int64 { return r.ID }
	if err := c.same(p, rule, "the list holds other reservations", each(want, number), each(got, number)); err != nil {
		return err
	}
	return c.same(p, ruleReservationDetails, "a reservation is not shown as it was made", each(want, reservationData.asShown), each(got, reservationData.asShown))
}

// reservation wants one to be shown like this.
func (c *tester) reservation(want reservationData) error {
	got, p, err := reservationAnswer.ask(c.User, c.get("/api/reservations/:id", want.ID), http.StatusOK)
	if err != nil {
		return err
	}
	return c.same(p, ruleReservationDetails, "the reservation is not shown as it was made", want.asShown(), got.asShown())
}
