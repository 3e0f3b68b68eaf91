package nttscenario

import (
	"net/http"
	"time"
)

// staff lets in artists and owners.
func (s *service) staff(q *fakeRequest, who *fakeCaller) error {
	if who.role != roleArtist && who.role != roleOwner {
		return s.refuse(q, whyForbidden)
	}
	return nil
}

// getGenres is GET /api/genres.
func (s *service) getGenres(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	if err := s.staff(q, who); err != nil {
		return fakeAnswer{}, err
	}
	all := jsonList{}
	for i, name := range s.seed.genres {
		if s.is("genres-less") && i == 12 {
			continue
		}
		all = append(all, jsonObject{"id": i + 1, "name": name})
	}
	return fakeAnswer{http.StatusOK, all}, nil
}

// getVenues is GET /api/venues.
func (s *service) getVenues(q *fakeRequest, _ *fakeCaller) (fakeAnswer, error) {
	some, err := cutPage(s, q, s.seed.venues, 5)
	if err != nil {
		return fakeAnswer{}, err
	}
	all := jsonList{}
	for _, v := range some {
		capacity := v.capacity
		if s.is("venue-capacity") {
			capacity++
		}
		all = append(all, jsonObject{"id": v.id, "name": v.name, "capacity": capacity, "created_at": s.stamp(v.created), "updated_at": s.stamp(v.created)})
	}
	return fakeAnswer{http.StatusOK, all}, nil
}

// getTimeslots is GET /api/venues/:venue_id/timeslots.
func (s *service) getTimeslots(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	id, err := s.pathID(q, "venue_id")
	if err != nil {
		return fakeAnswer{}, err
	}
	if s.seed.venue(id) == nil {
		return fakeAnswer{}, whyNotFound
	}
	if err := s.staff(q, who); err != nil {
		return fakeAnswer{}, err
	}
	at := thisSecond()
	from, err := s.queryTime(q, "from", at)
	if err != nil {
		return fakeAnswer{}, err
	}
	to, err := s.queryTime(q, "to", time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Second))
	if err != nil {
		return fakeAnswer{}, err
	}
	all := jsonList{}
	for _, slot := range s.seed.slotsAt[id] {
		known := s.slot(slot)
		switch {
		case known.event != 0 && !s.is("slots-taken"):
		case known.start.Before(from) && !s.is("slots-before"):
		case known.start.After(to) && !s.is("slots-after"):
		case known.start.Equal(from) && s.is("slots-from"), known.start.Equal(to) && s.is("slots-to"):
		default:
			end := known.end
			if s.is("slot-end") {
				end = end.Add(time.Second)
			}
			all = append(all, jsonObject{"id": known.id, "start_at": s.stamp(known.start), "end_at": s.stamp(end),
				"created_at": s.stamp(known.created), "updated_at": s.stamp(known.updated)})
		}
	}
	return fakeAnswer{http.StatusOK, all}, nil
}

// queryTime is a time in the query, or the fallback if it is not there.
func (s *service) queryTime(q *fakeRequest, name string, fallback time.Time) (time.Time, error) {
	text := q.FormValue(name)
	if text == "" {
		return fallback, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fallback, s.refuse(q, whyTime)
	}
	return at.UTC(), nil
}
