package nttscenario

import (
	"cmp"
	"io"
	"net/http"
	"slices"
	"time"
)

// showEvent is an event as it is answered.
func (s *service) showEvent(e *fakeEvent) jsonObject {
	venue := s.seed.venue(e.venue)
	var sum int64
	for _, r := range e.reservations {
		sum += r.tickets
	}
	ids := jsonList{}
	for _, id := range e.slots {
		ids = append(ids, id)
	}
	shown := jsonObject{
		"id": e.id, "event_name": e.name, "event_genre_id": e.genre, "artist_id": e.user, "artist_name": s.users[e.user].name,
		"venue_id": venue.id, "venue_name": venue.name, "start_at": s.stamp(e.start), "end_at": s.stamp(e.end), "price": e.price,
		"timeslot_ids": ids, "created_at": s.stamp(e.created), "updated_at": s.stamp(e.updated),
		"capacity": venue.capacity, "current_resv": sum,
	}
	switch {
	case s.is("resv-count"):
		shown["current_resv"] = len(e.reservations)
	case s.is("resv-cached"):
		if time.Since(e.counted) > stale {
			e.sum, e.counted = sum, time.Now()
		}
		shown["current_resv"] = e.sum
	case s.is("price-text"):
		shown["price"] = "5000"
	case s.is("event-extra"):
		shown["image"] = nil
	case s.is("event-lacks"):
		delete(shown, "updated_at")
	case s.is("slots-backwards"):
		slices.Reverse(ids)
	case s.is("event-artist") && e.id <= seededEvents:
		shown["artist_name"] = "user03"
	}
	return shown
}

// getEvents is GET /api/events.
func (s *service) getEvents(q *fakeRequest) (fakeAnswer, error) {
	artist, err := s.number(q, "user_id", 0)
	if err != nil {
		return fakeAnswer{}, err
	}
	today := thisSecond().Truncate(24 * time.Hour)
	var upcoming []*fakeEvent
	for _, e := range s.events {
		if s.is("events-new-late") && e.id > seededEvents && time.Since(e.created) < stale {
			continue
		}
		if (!e.start.Before(today) || s.is("events-past")) && (artist == 0 || artist == e.user || s.is("events-of-all")) {
			upcoming = append(upcoming, e)
		}
	}
	if s.is("events-by-start") {
		slices.SortStableFunc(upcoming, func(a, b *fakeEvent) int { return a.start.Compare(b.start) })
	}
	some, err := cutPage(s, q, upcoming, 12)
	if err != nil {
		return fakeAnswer{}, err
	}
	all := jsonList{}
	for _, e := range some {
		shown := s.showEvent(e)
		if s.is("list-resv") {
			shown["current_resv"] = 0
		}
		all = append(all, shown)
	}
	return fakeAnswer{http.StatusOK, all}, nil
}

// getEvent is GET /api/events/:event_id.
func (s *service) getEvent(q *fakeRequest) (fakeAnswer, error) {
	e, err := s.event(q)
	if err != nil {
		return fakeAnswer{}, err
	}
	if s.is("edit-late") && e.before != nil && time.Since(e.changed) < stale {
		return fakeAnswer{http.StatusOK, e.before}, nil
	}
	return fakeAnswer{http.StatusOK, s.showEvent(e)}, nil
}

// event is the one in the path.
func (s *service) event(q *fakeRequest) (*fakeEvent, error) {
	id, err := s.pathID(q, "event_id")
	if err != nil {
		return nil, err
	}
	e := s.byID[id]
	if e == nil {
		return nil, whyNotFound
	}
	return e, nil
}

// eventOf is the event in the path, if it is the caller's own, or the caller an owner.
func (s *service) eventOf(q *fakeRequest, who *fakeCaller) (*fakeEvent, error) {
	e, err := s.event(q)
	switch {
	case err != nil:
		return nil, err
	case who.role == roleOwner, who.role == roleArtist && who.id == e.user:
		return e, nil
	case who.role == roleArtist:
		return e, s.refuse(q, whyForeign)
	}
	return e, s.refuse(q, whyForbidden)
}

// fakeDraft is an event as somebody wants it.
type fakeDraft struct {
	Name  string  `json:"event_name"`
	Genre int64   `json:"event_genre_id"`
	Slots []int64 `json:"timeslot_ids"`
	Price int64   `json:"price"`
	Start string  `json:"start_at"`
	End   string  `json:"end_at"`

	start, end time.Time
	venue      int64
}

func (s *service) readDraft(q *fakeRequest) (*fakeDraft, error) {
	d := new(fakeDraft)
	if err := s.read(q, d); err != nil {
		return nil, err
	}
	if d.Name == "" && !s.is(q.route+" accepts no name") || d.Genre == 0 || len(d.Slots) == 0 || d.Price == 0 || d.Start == "" || d.End == "" {
		return nil, whyMissing
	}
	for text, into := range map[*string]*time.Time{&d.Start: &d.start, &d.End: &d.end} {
		at, err := time.Parse(time.RFC3339, *text)
		if err != nil {
			return nil, whyTime
		}
		*into = at.UTC().Truncate(time.Second)
		if s.is("ignores-offset") {
			_, offset := at.Zone()
			*into = into.Add(time.Duration(offset) * time.Second)
		}
	}
	if len(d.Slots) > 2 {
		if err := s.refuse(q, whyTooManySlots); err != nil {
			return nil, err
		}
	}
	if d.Price < 0 {
		return nil, whyBounds
	}
	return d, nil
}

// fits looks up genre and slots, and whether the event lies in them.
func (s *service) fits(q *fakeRequest, d *fakeDraft) error {
	if d.Genre < 1 || d.Genre > int64(len(s.seed.genres)) {
		if err := s.refuse(q, whyGenre); err != nil {
			return err
		}
	}
	var slots []*fakeSlot
	for _, id := range d.Slots {
		slot := s.slot(id)
		if slot == nil {
			return whySlot
		}
		slots = append(slots, slot)
	}
	slices.SortFunc(slots, func(a, b *fakeSlot) int { return cmp.Or(a.start.Compare(b.start), cmp.Compare(a.id, b.id)) })
	d.venue = slots[0].venue
	day := func(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }
	for i, slot := range slots[1:] {
		last := slots[i]
		if slot.venue != last.venue || !day(slot.start).Equal(day(last.start)) || !last.end.Add(time.Second).Equal(slot.start) {
			if err := s.refuse(q, whySlots); err != nil {
				return err
			}
		}
	}
	if !d.start.Before(d.end) {
		if err := s.refuse(q, whyEnd); err != nil {
			return err
		}
	} else if d.start.Before(slots[0].start) || d.end.After(slots[len(slots)-1].end) {
		if err := s.refuse(q, whyOutside); err != nil {
			return err
		}
	}
	return nil
}

// take gives the draft's slots to an event, which gives back its old ones.
func (s *service) take(q *fakeRequest, d *fakeDraft, e *fakeEvent) error {
	taken := func() bool {
		return slices.ContainsFunc(d.Slots, func(id int64) bool { return s.slot(id).event != 0 && s.slot(id).event != e.id })
	}
	if taken() {
		if s.is("half-made") {
			s.keepEvent(e, d)
		}
		if err := s.refuse(q, whySlotTaken); err != nil {
			return err
		}
	}
	if s.is("slot-race") {
		s.pause(30 * time.Millisecond)
	}
	if !s.is("keeps-slots") {
		for _, id := range e.slots {
			s.slot(id).event = 0
		}
	}
	e.slots = slices.Sorted(slices.Values(d.Slots))
	for _, id := range e.slots {
		s.slot(id).event = e.id
	}
	return nil
}

// keepEvent fills an event with what is in the draft.
func (s *service) keepEvent(e *fakeEvent, d *fakeDraft) {
	if s.byID[e.id] == nil {
		s.byID[e.id] = e
		s.events = append(s.events, e)
	}
	e.name, e.genre, e.price, e.start, e.end, e.venue = d.Name, d.Genre, d.Price, d.start, d.end, d.venue
	e.updated = thisSecond()
}

// createEvent is POST /api/events.
func (s *service) createEvent(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	if who.role != roleArtist {
		if err := s.refuse(q, whyForbidden); err != nil {
			return fakeAnswer{}, err
		}
	}
	d, err := s.readDraft(q)
	if err != nil {
		return fakeAnswer{}, err
	}
	if err := s.fits(q, d); err != nil {
		return fakeAnswer{}, err
	}
	s.lastEvent++
	e := &fakeEvent{id: s.lastEvent, user: who.id, created: thisSecond()}
	if err := s.take(q, d, e); err != nil {
		return fakeAnswer{}, err
	}
	s.keepEvent(e, d)
	return fakeAnswer{http.StatusCreated, s.showEvent(e)}, nil
}

// updateEvent is PUT /api/events/:event_id.
func (s *service) updateEvent(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	if _, err := s.pathID(q, "event_id"); err != nil {
		return fakeAnswer{}, err
	}
	d, err := s.readDraft(q)
	if err != nil {
		return fakeAnswer{}, err
	}
	e, err := s.eventOf(q, who)
	if err != nil {
		return fakeAnswer{}, err
	}
	if err := s.fits(q, d); err != nil {
		return fakeAnswer{}, err
	}
	before := s.showEvent(e)
	if err := s.take(q, d, e); err != nil {
		return fakeAnswer{}, err
	}
	s.keepEvent(e, d)
	e.before, e.changed = before, time.Now()
	shown := s.showEvent(e)
	switch {
	case s.is("echo-old"):
		shown["price"] = before["price"]
	case s.is("echo-created"):
		shown["created_at"] = s.stamp(thisSecond().Add(time.Second))
	case s.is("edit-lost"):
		e.price = before["price"].(int64)
	}
	return fakeAnswer{http.StatusOK, shown}, nil
}

// getImage is GET /api/events/:event_id/image.
func (s *service) getImage(q *fakeRequest) (fakeAnswer, error) {
	e, err := s.event(q)
	if err != nil {
		return fakeAnswer{}, err
	}
	switch image := e.image; {
	case s.is("image-late") && time.Since(e.uploaded) < stale:
		return fakeAnswer{http.StatusOK, fakePicture(s.seed.files["/img/default.png"])}, nil
	case image == nil && s.is("other-default"):
		return fakeAnswer{http.StatusOK, fakePicture(s.seed.files["/favicon.ico"])}, nil
	case image == nil:
		return fakeAnswer{http.StatusOK, fakePicture(s.seed.files["/img/default.png"])}, nil
	case s.is("image-torn") && e.id > seededEvents:
		return fakeAnswer{http.StatusOK, fakePicture(image[:len(image)-1])}, nil
	default:
		return fakeAnswer{http.StatusOK, fakePicture(image)}, nil
	}
}

// putImage is PUT /api/events/:event_id/image.
func (s *service) putImage(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	e, err := s.eventOf(q, who)
	if err != nil {
		return fakeAnswer{}, err
	}
	file, _, err := q.FormFile("image")
	if err != nil {
		return fakeAnswer{}, whyMissing
	}
	defer func() { _ = file.Close() }()
	image, err := io.ReadAll(file)
	if err != nil {
		return fakeAnswer{}, whyMissing
	}
	if http.DetectContentType(image) != "image/png" {
		if err := s.refuse(q, whyNotPNG); err != nil {
			return fakeAnswer{}, err
		}
	}
	if !s.is("image-first") || e.image == nil {
		e.image, e.uploaded = image, time.Now()
	}
	return fakeAnswer{http.StatusNoContent, nil}, nil
}
