package nttscenario

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
)

const (
	routeEvents = "/api/events"
	routeEvent  = "/api/events/:event_id"
	routeImage  = "/api/events/:event_id/image"
)

// asDraft is an event as one asks for it.
func asDraft(e eventData) payload {
	return payload{
		"event_name": e.EventName, "event_genre_id": e.GenreID, "timeslot_ids": e.TimeslotIDs, "price": e.Price,
		"start_at": e.StartAt.String(), "end_at": e.EndAt.String(),
	}
}

// inJapan is the same with its times as people in Japan write them.
func inJapan(e eventData) payload {
	japan := time.FixedZone("", 9*3600)
	return asDraft(e).with("start_at", e.StartAt.In(japan).Format(time.RFC3339)).with("end_at", e.EndAt.In(japan).Format(time.RFC3339))
}

// events is §4.8, §4.10, §4.12 and §4.15 to §4.17: what artists announce and
// audiences reserve. Everything that changes rows is done here, one after the
// other: the app as it is given deadlocks now and then where events change at the same time.
func (c *tester) events() error {
	s := &stage{tester: c, artist: c.as(c.world.cast.artist), rival: c.as(c.world.cast.rival), owner: c.as(c.world.cast.owner), ground: c.world.ground}
	s.free = map[int64]bool{}
	for _, slot := range c.truth.slots {
		if c.truth.isGround(slot.venue) && slot.event == 0 {
			s.free[slot.id] = true
		}
	}
	for _, act := range []func() error{
		s.nothingLeft, s.refusedCreations, s.announce, s.conflicts, s.refusedChanges, s.changes, s.images, s.reservations,
	} {
		if err := act(); err != nil {
			return err
		}
	}
	return nil
}

// stage is what the checks of events know of what they have made.
type stage struct {
	*tester
	artist, rival, owner *tester
	ground               *ground

	made      []*eventData   // in the order of their ids
	event     *eventData     // the artist's
	createdAt time.Time      // by our clock
	free      map[int64]bool // timeslots of the last venues
}

// nothingLeft looks for what earlier runs have left behind.
func (s *stage) nothingLeft() error {
	for _, slot := range []timeslot{s.ground.open[0].morning, s.ground.elsewhere.morning} {
		if err := s.freeAt(ruleInitializeReset, "the timeslots are not what they were at the beginning", slot.venue, slot.start, slot.start); err != nil {
			return err
		}
	}
	return s.listed(ruleInitializeReset, ruleEventDetails, "there are events after the initial ones, or initial ones are missing")
}

// listed wants the list of events to hold, after the initial ones, those that were
// made. Details is the rule that these show as they are known.
func (s *stage) listed(rule, details, message string) error {
	if !s.on(ruleEventsList) {
		return nil
	}
	// Around midnight it may be tomorrow at the server already, but hardly for long.
	offset := len(s.truth.upcoming(s.world.now().UTC().Truncate(24*time.Hour), 0))
	got, p, err := eventsAnswer.ask(s.User, s.get(fmt.Sprintf("%s?limit=100&offset=%d", routeEvents, offset)), http.StatusOK)
	if err != nil {
		return err
	}
	shown := each(got, func(e eventData) int64 { return e.ID })
	var want []int64
	for _, today := range days(p) {
		want = part(s.truth.upcoming(today, 0), len(s.truth.events), offset)
		for _, e := range s.made {
			want = append(want, e.ID)
		}
		if slices.Equal(want, shown) {
			break
		}
	}
	if err := s.same(p, rule, message, want, shown); err != nil {
		return err
	}
	for i, e := range s.made {
		shown := got[len(got)-len(s.made)+i]
		if !s.on(ruleEventDetails) {
			break
		}
		if err := s.same(p, details, "the list shows another event than was made", e.asShown(), shown.asShown()); err != nil {
			return err
		}
		if err := s.same(p, ruleCurrentResv, "current_resv in the list", e.CurrentResv, shown.CurrentResv); err != nil {
			return err
		}
	}
	return nil
}

// freeAt wants the timeslots of one of the last venues that are free to be those
// that are known to be. Whether they are shown as they are is another rule's.
func (s *stage) freeAt(rule, message string, venue int64, from, to time.Time) error {
	if !s.on(ruleTimeslotsFree) {
		return nil
	}
	var want []int64
	for _, slot := range s.truth.slots {
		if slot.venue == venue && s.free[slot.id] && !slot.start.Before(from) && !slot.start.After(to) {
			want = append(want, slot.id)
		}
	}
	slices.Sort(want)
	query := timeslotsQuery(from.Add(-time.Second).Format(time.RFC3339), to.Add(time.Second).Format(time.RFC3339))
	got, p, err := timeslotsAnswer.ask(s.User, s.artist.get(query, venue), http.StatusOK)
	if err != nil {
		return err
	}
	return s.same(p, rule, message, want, each(byID(got), func(slot timeslotData) int64 { return slot.ID }))
}

// calendar is freeAt for the days that events are moved about on.
func (s *stage) calendar(rule, message string) error {
	open := s.ground.open
	return s.freeAt(rule, message, open[0].morning.venue, open[0].morning.start, open[len(open)-1].evening.start)
}

// draft is an event in a timeslot, an hour shorter on either side.
func (s *stage) draft(slots ...timeslot) eventData {
	first, last := slots[0], slots[len(slots)-1]
	v := s.truth.venues[first.venue-1]
	who := s.artist.who
	return eventData{
		EventName: "検証 & “🎸” " + s.newName(), GenreID: int64(1 + s.Rand.IntN(len(s.truth.genres))), ArtistID: who.id, ArtistName: who.name,
		VenueID: v.id, VenueName: v.name, Capacity: v.capacity, Price: int64(100 + s.Rand.IntN(99_901)),
		StartAt: moment{first.start.Add(time.Hour)}, EndAt: moment{last.end.Add(-time.Hour)},
		TimeslotIDs: each(slots, func(slot timeslot) int64 { return slot.id }),
	}
}

// spoiled are drafts of an event, each with one mistake, and their rules.
func (s *stage) spoiled(d eventData) []struct {
	rule, name string
	body       payload
} {
	body, g := asDraft(d), s.ground
	slotsOf := func(slots ...timeslot) payload {
		return asDraft(s.draft(slots...))
	}
	return []struct {
		rule, name string
		body       payload
	}{
		{ruleEventBodyRefused, "an empty object", payload{}},
		{ruleEventBodyRefused, "no name", body.with("event_name", nil)},
		{ruleEventBodyRefused, "an empty name", body.with("event_name", "")},
		{ruleEventBodyRefused, "a name that is a number", body.with("event_name", 1)},
		{ruleEventBodyRefused, "no genre", body.with("event_genre_id", nil)},
		{ruleEventBodyRefused, "genre 0", body.with("event_genre_id", 0)},
		{ruleEventBodyRefused, "a genre that is a text", body.with("event_genre_id", "1")},
		{ruleEventBodyRefused, "no timeslots", body.with("timeslot_ids", nil)},
		{ruleEventBodyRefused, "an empty list of timeslots", body.with("timeslot_ids", []int64{})},
		{ruleEventBodyRefused, "timeslots that are a number", body.with("timeslot_ids", d.TimeslotIDs[0])},
		{ruleEventBodyRefused, "a timeslot that is a text", body.with("timeslot_ids", []string{"a"})},
		{ruleEventBodyRefused, "three timeslots", body.with("timeslot_ids", each(g.three[:], func(slot timeslot) int64 { return slot.id }))},
		{ruleEventBodyRefused, "no price", body.with("price", nil)},
		{ruleEventBodyRefused, "price 0", body.with("price", 0)},
		{ruleEventBodyRefused, "a price that is a text", body.with("price", "100")},
		{ruleEventBodyRefused, "no start", body.with("start_at", nil)},
		{ruleEventBodyRefused, "an empty start", body.with("start_at", "")},
		{ruleEventBodyRefused, "a start that is a number", body.with("start_at", 1)},
		{ruleEventBodyRefused, "a start that is no time", body.with("start_at", "tomorrow")},
		{ruleEventBodyRefused, "no end", body.with("end_at", nil)},
		{ruleEventBodyRefused, "an empty end", body.with("end_at", "")},
		{ruleEventBodyRefused, "an end that is a number", body.with("end_at", 1)},
		{ruleEventBodyRefused, "an end that is no time", body.with("end_at", "2030-02-30T00:00:00Z")},
		{ruleEventSlotsRefused, "an unknown genre", body.with("event_genre_id", unknownID)},
		{ruleEventSlotsRefused, "a negative genre", body.with("event_genre_id", -1)},
		{ruleEventSlotsRefused, "an unknown timeslot", body.with("timeslot_ids", []int64{unknownSlot})},
		{ruleEventSlotsRefused, "a negative timeslot", body.with("timeslot_ids", []int64{-1})},
		{ruleEventSlotsRefused, "a good and an unknown timeslot", body.with("timeslot_ids", []int64{d.TimeslotIDs[0], unknownSlot})},
		{ruleEventSlotsRefused, "timeslots of two days with days between", slotsOf(g.open[0].evening, g.open[1].morning)},
		{ruleEventSlotsRefused, "timeslots of two days, one after the other", slotsOf(g.twoDays[:]...)},
		{ruleEventSlotsRefused, "timeslots of two venues", slotsOf(g.twoVenues[:]...)},
		{ruleEventSlotsRefused, "a start before the timeslot's", body.with("start_at", s.slotOf(d).start.Add(-time.Second).Format(time.RFC3339))},
		{ruleEventSlotsRefused, "an end after the timeslot's", body.with("end_at", s.slotOf(d).end.Add(time.Second).Format(time.RFC3339))},
		{ruleEventSlotsRefused, "an end before the start", body.with("start_at", d.EndAt.String()).with("end_at", d.StartAt.String())},
		{ruleEventSlotsRefused, "an end that is the start", body.with("end_at", d.StartAt.String())},
	}
}

// unknownSlot is the id of a timeslot that no venue has: there are more of them
// than of anything else.
const unknownSlot = 999_999_999

// slotOf is the one timeslot of a draft.
func (s *stage) slotOf(d eventData) timeslot { return s.truth.slots[d.TimeslotIDs[0]-1] }

// refusedCreations is POST /api/events where nothing may come of it.
func (s *stage) refusedCreations() error {
	d := s.draft(s.ground.open[0].morning)
	var trials []trial
	for _, bad := range s.spoiled(d) {
		trials = append(trials, trial{bad.rule, http.StatusBadRequest, "event with " + bad.name, s.artist.send("POST", routeEvents, bad.body)})
	}
	for _, who := range []*tester{s.owner, s.as(s.world.cast.audience)} {
		for name, body := range map[string]payload{"an event": asDraft(d), "an empty event": {}} {
			trials = append(trials, trial{ruleRole, http.StatusForbidden, name + " by the " + who.who.role, who.send("POST", routeEvents, body)})
		}
	}
	return s.refuseEvents(trials)
}

// refuseEvents tries what has to be refused. What is wrong with timeslots takes a
// look at them, or an attempt.
func (s *stage) refuseEvents(trials []trial) error {
	var together, inTurn []trial
	for _, t := range trials {
		if t.rule == ruleEventSlotsRefused {
			inTurn = append(inTurn, t)
		} else {
			together = append(together, t)
		}
	}
	if err := s.refuse(together...); err != nil {
		return err
	}
	return s.refuseInTurn(inTurn...)
}

// announce makes the artist's event.
func (s *stage) announce() error {
	d := s.draft(s.ground.open[0].morning)
	e, err := s.create(s.artist, d, ruleOKStatus)
	if err != nil {
		return err
	}
	s.event, s.createdAt = e, time.Now()
	if err := s.image(e.ID, ruleImageInitial, s.truth.defaultImage).Do().Err(); err != nil {
		return err
	}
	if err := s.listed(ruleEventsList, ruleEventDetails, "the list lacks a new event, or holds others"); err != nil {
		return err
	}
	if err := s.ofArtist(); err != nil {
		return err
	}
	return s.calendar(ruleTimeslotsFree, "the timeslot of a new event is still free, or others are not")
}

// create makes an event; rule is broken if it is refused.
func (s *stage) create(who *tester, d eventData, rule string) (*eventData, error) {
	d.ArtistID, d.ArtistName = who.who.id, who.who.name
	p := who.send("POST", routeEvents, inJapan(d)).Expect(bench.Status(rule, http.StatusCreated), typeJSON, eventAnswer.shape)
	if p.OK() && p.Status() != http.StatusCreated {
		return nil, bench.ErrCut
	}
	got, err := s.echo(p, d)
	if err != nil {
		return nil, err
	}
	last := int64(len(s.truth.events))
	if len(s.made) > 0 {
		last = s.made[len(s.made)-1].ID
	}
	if got.ID <= last {
		err := s.Fail(bench.Problem{Rule: ruleEventEcho, Code: "duplicate-id", Page: p, Expected: fmt.Sprintf("an ID after %d", last), Actual: fmt.Sprint(got.ID),
			Message: "a new event has the ID of another, or one that comes before it"})
		if err != nil {
			return nil, err
		}
	}
	s.made = append(s.made, got)
	for _, id := range d.TimeslotIDs {
		s.free[id] = false
	}
	return got, s.shown(got, ruleEventDetails)
}

// echo reads the answer to a creation or change.
func (s *stage) echo(p *bench.Page, d eventData) (*eventData, error) {
	got, err := eventAnswer.read(s.User, p)
	if err != nil {
		return nil, err
	}
	if d.ID == 0 {
		d.ID, d.CreatedAt = got.ID, got.CreatedAt
	}
	if err := s.same(p, ruleEventEcho, "the answer shows another event than was asked for", d.asShown(), got.asShown()); err != nil {
		return nil, err
	}
	d.UpdatedAt = got.UpdatedAt
	return &d, s.same(p, ruleCurrentResv, "current_resv of an event that nobody has reserved", d.CurrentResv, got.CurrentResv)
}

// shown wants an event to be shown like this; rule says what it is about.
func (s *stage) shown(want *eventData, rule string) error {
	if !s.on(ruleEventDetails) {
		return nil
	}
	got, p, err := eventAnswer.ask(s.User, s.get(routeEvent, want.ID), http.StatusOK)
	if err != nil {
		return err
	}
	if err := s.same(p, rule, "the event is shown otherwise than it was answered", want.asShown(), got.asShown()); err != nil {
		return err
	}
	return s.same(p, ruleCurrentResv, "current_resv of the event", want.CurrentResv, got.CurrentResv)
}

// ofArtist looks at the end of the list of the artist's events.
func (s *stage) ofArtist() error {
	if !s.on(ruleEventsList) {
		return nil
	}
	artist := s.artist.who.id
	before := max(len(s.truth.upcoming(s.world.now().UTC().Truncate(24*time.Hour), artist))-1, 0)
	got, p, err := eventsAnswer.ask(s.User, s.get(fmt.Sprintf("%s?limit=100&offset=%d&user_id=%d", routeEvents, before, artist)), http.StatusOK)
	if err != nil {
		return err
	}
	shown := each(got, func(e eventData) int64 { return e.ID })
	var want []int64
	for _, today := range days(p) {
		want = part(s.truth.upcoming(today, artist), len(s.truth.events), before)
		for _, e := range s.made {
			if e.ArtistID == artist {
				want = append(want, e.ID)
			}
		}
		if slices.Equal(want, shown) {
			break
		}
	}
	return s.same(p, ruleEventsOfArtist, "the list holds other events than the artist's", want, shown)
}

// conflicts are events in timeslots that others have. Nothing may remain of them.
func (s *stage) conflicts() error {
	g := s.ground
	for _, d := range []eventData{
		s.draft(g.open[0].morning), s.draft(g.open[0].morning, g.open[0].evening), s.draft(g.taken),
	} {
		err := s.refuse(trial{ruleSlotTaken, http.StatusConflict, "event in a timeslot that another event has", s.rival.send("POST", routeEvents, asDraft(d))})
		if err != nil {
			return err
		}
	}
	return s.unchanged()
}

// unchanged wants all that was made to be as it is known.
func (s *stage) unchanged() error {
	for _, e := range s.made {
		if err := s.shown(e, ruleRefusedUnchanged); err != nil {
			return err
		}
	}
	if err := s.calendar(ruleRefusedUnchanged, "a refused event has taken timeslots or given them back"); err != nil {
		return err
	}
	return s.listed(ruleRefusedUnchanged, ruleRefusedUnchanged, "something of a refused event is in the list")
}
