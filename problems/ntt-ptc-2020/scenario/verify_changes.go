package nttscenario

import (
	"bytes"
	"image"
	"image/png"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
)

// refusedChanges is PUT /api/events/:event_id where nothing may come of it, in the
// order of §4.10: ID, body, existence, role and owner, timeslots.
func (s *stage) refusedChanges() error {
	d := *s.event
	body := asDraft(d)
	var trials []trial
	add := func(rule string, status int, name string, who *tester, body payload, id any) {
		trials = append(trials, trial{rule, status, "change of an event: " + name, who.send("PUT", routeEvent, body, id)})
	}
	for _, bad := range s.spoiled(d) {
		add(bad.rule, http.StatusBadRequest, bad.name, s.artist, bad.body, d.ID)
	}
	add(ruleEventBodyRefused, http.StatusBadRequest, "a negative price", s.artist, body.with("price", -1), d.ID)
	add(ruleEventBodyRefused, http.StatusBadRequest, "an empty object by an owner", s.owner, payload{}, d.ID)
	add(ruleEventBodyRefused, http.StatusBadRequest, "an empty object by another artist", s.rival, payload{}, d.ID)
	add(ruleEventBodyRefused, http.StatusBadRequest, "an empty object for an unknown event", s.artist, payload{}, unknownID)
	audience := s.as(s.world.cast.audience)
	trials = append(trials, badIDs("change of an event", func(id any) *bench.Step { return s.artist.send("PUT", routeEvent, body, id) })...)
	add(ruleNotFound, http.StatusNotFound, "an unknown one by an owner", s.owner, body, unknownID)
	add(ruleNotFound, http.StatusNotFound, "an unknown one by the audience", audience, body, unknownID)
	add(ruleNotFound, http.StatusNotFound, "an unknown one, and an unknown genre", s.artist, body.with("event_genre_id", unknownID), unknownID)
	add(ruleRole, http.StatusForbidden, "by the audience", audience, body, d.ID)
	add(ruleRole, http.StatusForbidden, "by another artist", s.rival, body, d.ID)
	add(ruleRole, http.StatusForbidden, "by another artist, with an unknown genre", s.rival, body.with("event_genre_id", unknownID), d.ID)
	if err := s.refuseEvents(trials); err != nil {
		return err
	}
	return s.unchanged()
}

// changes moves the event about, and another one after it.
func (s *stage) changes() error {
	g := s.ground
	// Long enough after its creation to tell the two times apart.
	s.atLeast(1100*time.Millisecond, s.createdAt)
	// In its own timeslot, as the load does it.
	if err := s.change(s.artist, s.draft(g.open[0].morning), ruleSlotTaken); err != nil {
		return err
	}
	// To a whole day, by an owner: the artist stays.
	if err := s.change(s.owner, s.draft(g.open[1].morning, g.open[1].evening), ruleOKStatus); err != nil {
		return err
	}
	if err := s.calendar(ruleSlotsReleased, "a changed event has not given its old timeslot back, or not taken its new ones"); err != nil {
		return err
	}
	if _, err := s.create(s.rival, s.draft(g.open[0].morning), ruleSlotsReleased); err != nil {
		return err
	}
	for _, d := range []eventData{
		s.draft(g.open[0].morning), s.draft(g.open[0].morning, g.open[0].evening), s.draft(g.taken),
	} {
		err := s.refuse(trial{ruleSlotTaken, http.StatusConflict, "change of an event to a timeslot that another event has",
			s.artist.send("PUT", routeEvent, asDraft(d), s.event.ID)})
		if err != nil {
			return err
		}
	}
	if err := s.unchanged(); err != nil {
		return err
	}
	// To one half of what it has, and then to another venue.
	if err := s.change(s.artist, s.draft(g.open[1].evening), ruleSlotTaken); err != nil {
		return err
	}
	if err := s.change(s.artist, s.draft(g.elsewhere.morning, g.elsewhere.evening), ruleOKStatus); err != nil {
		return err
	}
	if err := s.calendar(ruleSlotsReleased, "an event that has moved to another venue has not given its timeslots back"); err != nil {
		return err
	}
	if err := s.freeAt(ruleTimeslotsFree, "the timeslots that an event has moved to are still free", g.elsewhere.morning.venue, g.elsewhere.morning.start, g.elsewhere.evening.start); err != nil {
		return err
	}
	return s.listed(ruleEventFresh, ruleEventFresh, "the list shows other events than before a change")
}

// change changes the artist's event; rule is broken if it is refused.
func (s *stage) change(who *tester, d eventData, rule string) error {
	old := s.event
	if d.GenreID == old.GenreID {
		d.GenreID = old.GenreID%int64(len(s.truth.genres)) + 1
	}
	d.ID, d.CreatedAt, d.CurrentResv = old.ID, old.CreatedAt, old.CurrentResv
	p := who.send("PUT", routeEvent, inJapan(d), d.ID).Expect(bench.Status(rule, http.StatusOK), typeJSON, eventAnswer.shape)
	if p.OK() && p.Status() != http.StatusOK {
		return bench.ErrCut
	}
	changed, err := s.echo(p, d)
	if err != nil {
		return err
	}
	for _, id := range old.TimeslotIDs {
		s.free[id] = true
	}
	for _, id := range d.TimeslotIDs {
		s.free[id] = false
	}
	*s.event = *changed
	return s.shown(s.event, ruleEventFresh)
}

// images is §4.12: uploads, those that must be refused, and what is shown after them.
func (s *stage) images() error {
	id := s.event.ID
	uploads := slices.Clone(s.truth.uploads)
	slices.SortFunc(uploads, func(a, b upload) int { return len(a.content) - len(b.content) })
	small, large := uploads[0], uploads[len(uploads)-1]

	audience := s.as(s.world.cast.audience)
	send := func(who *tester, form []byte, id any) *bench.Step {
		return who.request("PUT", routeImage, id).Header("Content-Type", formType).Body(form)
	}
	put := func(who *tester, content []byte, id any) *bench.Step { return send(who, formOf("image", content), id) }
	nothing := []byte(formWithoutFile)
	trials := []trial{
		{ruleImageRefused, http.StatusBadRequest, "upload without a file", send(s.artist, nothing, id)},
		{ruleImageRefused, http.StatusBadRequest, "upload with another field", send(s.artist, formOf("picture", dot), id)},
		{ruleImageRefused, http.StatusBadRequest, "upload of a text", put(s.artist, []byte("no picture at all, but a text\n"), id)},
		{ruleImageRefused, http.StatusBadRequest, "upload of a JPEG", put(s.artist, jpegHead, id)},
		{ruleImageRefused, http.StatusBadRequest, "upload of a GIF by an owner", put(s.owner, []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), id)},
		{ruleRole, http.StatusForbidden, "upload by another artist", put(s.rival, dot, id)},
		{ruleRole, http.StatusForbidden, "upload by another artist, without a file", send(s.rival, nothing, id)},
		{ruleRole, http.StatusForbidden, "upload by the audience", put(audience, dot, id)},
		{ruleNotFound, http.StatusNotFound, "upload for an unknown event, without a file", send(s.artist, nothing, unknownID)},
		{ruleNotFound, http.StatusNotFound, "upload for an unknown event by the audience", put(audience, dot, unknownID)},
	}
	trials = append(trials, badIDs("upload", func(id any) *bench.Step { return put(s.artist, dot, id) })...)
	if err := s.refuse(trials...); err != nil {
		return err
	}
	if err := s.image(id, ruleImageInitial, s.truth.defaultImage).Name("image after refused uploads").Do().Err(); err != nil {
		return err
	}
	for _, upload := range []struct {
		who *tester
		upload
	}{{s.artist, small}, {s.owner, large}} {
		if err := s.done(http.StatusNoContent, put(upload.who, upload.content, id)); err != nil {
			return err
		}
		if err := s.image(id, ruleImageFresh, upload.md5).Do().Err(); err != nil {
			return err
		}
	}
	return s.shown(s.event, ruleEventFresh)
}

// dot is the smallest picture. What is to be refused has to be small: an app may refuse
// before it has read the body, as the original does, and a server that then closes the
// connection keeps the answer from a proxy that is still sending, which answers 502.
var dot = func() []byte {
	var b bytes.Buffer
	_ = png.Encode(&b, image.NewGray(image.Rect(0, 0, 1, 1))) // to memory, which cannot fail
	return b.Bytes()
}()

// jpegHead is how a JPEG begins.
var jpegHead = []byte("\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00")
