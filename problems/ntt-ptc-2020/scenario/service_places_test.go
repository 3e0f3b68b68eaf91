package nttscenario

import (
	"net/http"
	"time"
)

// staff lets in artists and owners.
func (s *service) staff(q *request, who *caller) error {
	if who.role != isArtist && who.role != isOwner {
		return s.refuse(q, forbidden)
	}
	return nil
}

// getGenres is GET /api/genres.
func (s *service) getGenres(q *request) (answer, error) {
	who, err := s.authenticate(q)
	if err != nil {
		return answer{}, err
	}
	if err := s.staff(q, who); err != nil {
		return answer{}, err
	}
	all := list{}
	for i, name := range s.seed.genres {
		if s.is("genres-less") && i == 12 {
			continue
		}
		all = append(all, object{"id": i + 1, "name": name})
	}
	return answer{http.StatusOK, all}, nil
}

// getVenues is GET /api/venues.
func (s *service) getVenues(q *request) (answer, error) {
	if _, err := s.authenticate(q); err != nil {
		return answer{}, err
	}
	some, err := page(s, q, s.seed.venues, 5)
	if err != nil {
		return answer{}, err
	}
	all := list{}
	for _, v := range some {
		capacity := v.capacity
		if s.is("venue-capacity") {
			capacity++
		}
		all = append(all, object{"id": v.id, "name": v.name, "capacity": capacity, "created_at": s.stamp(v.created), "updated_at": s.stamp(v.created)})
	}
	return answer{http.StatusOK, all}, nil
}

// getTimeslots is GET /api/venues/:venue_id/timeslots.
func (s *service) getTimeslots(q *request) (answer, error) {
	who, err := s.authenticate(q)
	if err != nil {
		return answer{}, err
	}
	id, err := s.pathID(q, "venue_id")
	if err != nil {
		return answer{}, err
	}
	if s.seed.venue(id) == nil {
		return answer{}, notFound
	}
	if err := s.staff(q, who); err != nil {
		return answer{}, err
	}
	at := now()
	from, err := s.queryTime(q, "from", at)
	if err != nil {
		return answer{}, err
	}
	to, err := s.queryTime(q, "to", time.Date(at.Year(), at.Month()+1, 1, 0, 0, 0, 0, time.UTC).Add(-time.Second))
	if err != nil {
		return answer{}, err
	}
	all := list{}
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
			all = append(all, object{"id": known.id, "start_at": s.stamp(known.start), "end_at": s.stamp(end),
				"created_at": s.stamp(known.created), "updated_at": s.stamp(known.updated)})
		}
	}
	return answer{http.StatusOK, all}, nil
}

// queryTime is a time in the query, or the fallback if it is not there.
func (s *service) queryTime(q *request, name string, fallback time.Time) (time.Time, error) {
	text := q.FormValue(name)
	if text == "" {
		return fallback, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fallback, s.refuse(q, wrongTime)
	}
	return at.UTC(), nil
}
