package nttscenario

import (
	"fmt"
	"net/http"
	"net/url"
	"time"

	"hotseat/bench"
)

// places is §4.6, §4.18 and §4.19: genres, venues and their timeslots.
func (c *tester) places() error {
	for _, check := range []func() error{c.genres, c.venues, c.timeslots, c.defaultTimeslots} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *tester) genres() error {
	cast := &c.world.cast
	var want []genreData
	for i, name := range c.truth.genres {
		want = append(want, genreData{int64(i + 1), name})
	}
	for _, who := range []*member{cast.artist, cast.owner} {
		got, p, err := genresAnswer.ask(c.User, c.as(who).get("/api/genres"), http.StatusOK)
		if err != nil {
			return err
		}
		if err := c.same(p, ruleGenres, "the genres are others", want, got); err != nil {
			return err
		}
	}
	return c.refuse(trial{ruleRole, http.StatusForbidden, "genres for the audience", c.as(cast.audience).get("/api/genres")})
}

func (c *tester) venues() error {
	cast := &c.world.cast
	all := len(c.truth.venues)
	pages := []struct {
		who           *member
		query         string
		limit, offset int
	}{
		{cast.audience, "", 5, 0}, {cast.artist, "?limit=1&offset=1", 1, 1}, {cast.owner, "?limit=3", 3, 0},
		{cast.owner, fmt.Sprintf("?offset=%d", all-2), 5, all - 2}, {cast.audience, fmt.Sprintf("?offset=%d", all), 5, all},
		{cast.audience, "?limit=0", 0, 0}, {cast.audience, fmt.Sprintf("?limit=%d", all+1), all + 1, 0},
	}
	var steps []*bench.Step
	for _, page := range pages {
		steps = append(steps, c.as(page.who).get("/api/venues"+page.query).Expecting(venuesAnswer.due(http.StatusOK)...))
	}
	for i, p := range c.All(steps...) {
		got, err := venuesAnswer.read(c.User, p)
		if err != nil {
			return err
		}
		want := []venueData{}
		for id := pages[i].offset; id < min(pages[i].offset+pages[i].limit, all); id++ {
			want = append(want, c.truth.shownVenue(int64(id+1)))
		}
		shown := each(got, func(v venueData) venueData { v.UpdatedAt = moment{}; return v })
		if err := c.same(p, ruleVenues, "the venues are others", want, shown); err != nil {
			return err
		}
	}
	return c.refuse(badPages("venues", func(query string) *bench.Step { return c.as(cast.audience).get("/api/venues?" + query) })...)
}

const routeTimeslots = "/api/venues/:venue_id/timeslots"

// timeslotsQuery asks for those from one time to another.
func timeslotsQuery(from, to string) string {
	return routeTimeslots + "?" + url.Values{"from": {from}, "to": {to}}.Encode()
}

func (c *tester) timeslots() error {
	cast, t := &c.world.cast, c.truth
	// At some venue, and around the first and the last free one there, to the second.
	venue := int64(1 + c.Rand.IntN(len(t.venues)-groundVenues))
	var own, free []timeslot
	for _, s := range t.slots {
		if s.venue == venue {
			own = append(own, s)
			if s.event == 0 {
				free = append(free, s)
			}
		}
	}
	first, last := own[0].start, own[0].start
	for _, s := range own {
		if s.start.Before(first) {
			first = s.start
		}
		if s.start.After(last) {
			last = s.start
		}
	}
	spans := [][2]time.Time{{first, last}, {last.Add(time.Second), last.AddDate(1, 0, 0)}}
	if len(free) > 1 {
		a, b := free[len(free)/4].start, free[len(free)*3/4].start
		spans = append(spans, [2]time.Time{a, b}, [2]time.Time{a.Add(time.Second), b.Add(-time.Second)})
	}
	japan := time.FixedZone("", 9*3600)
	for i, span := range spans {
		who, zone := cast.artist, time.UTC
		if i%2 == 1 {
			who, zone = cast.owner, japan
		}
		var want []int64
		for _, s := range own {
			if s.event == 0 && !s.start.Before(span[0]) && !s.start.After(span[1]) {
				want = append(want, s.id)
			}
		}
		query := timeslotsQuery(span[0].In(zone).Format(time.RFC3339), span[1].In(zone).Format(time.RFC3339))
		if err := c.as(who).freeTimeslots(query, venue, want); err != nil {
			return err
		}
	}

	artist := c.as(cast.artist)
	far := first.AddDate(2, 0, 0).Format(time.RFC3339)
	known := timeslotsQuery(first.Format(time.RFC3339), last.Format(time.RFC3339))
	trials := badIDs("timeslots", func(id any) *bench.Step { return artist.get(known, id) })
	return c.refuse(append(trials,
		trial{ruleParameters, http.StatusBadRequest, "timeslots from a time that is none", artist.get(timeslotsQuery("today", far), venue)},
		trial{ruleParameters, http.StatusBadRequest, "timeslots to a time that is none", artist.get(timeslotsQuery(first.Format(time.RFC3339), "2026-02-30"), venue)},
		trial{ruleRole, http.StatusForbidden, "timeslots for the audience", c.as(cast.audience).get(known, venue)},
		trial{ruleNotFound, http.StatusNotFound, "timeslots of an unknown venue for the audience", c.as(cast.audience).get(known, unknownID)},
	)...)
}

// freeTimeslots wants a venue's timeslots to be exactly these.
func (c *tester) freeTimeslots(route string, venue int64, ids []int64) error {
	got, p, err := timeslotsAnswer.ask(c.User, c.get(route, venue), http.StatusOK)
	if err != nil {
		return err
	}
	want := each(ids, c.truth.shownTimeslot)
	shown := each(got, func(s timeslotData) timeslotData { s.UpdatedAt = moment{}; return s })
	return c.same(p, ruleTimeslotsFree, "the free timeslots are others", byID(want), byID(shown))
}

// defaultTimeslots asks without from and to: from now to the end of the month. The
// server's clock and time zone may differ a little.
func (c *tester) defaultTimeslots() error {
	const clocks, zones = 10 * time.Minute, 14 * time.Hour
	venue := int64(1 + c.Rand.IntN(len(c.truth.venues)-groundVenues))
	got, p, err := timeslotsAnswer.ask(c.User, c.as(c.world.cast.artist).get(routeTimeslots, venue), http.StatusOK)
	if err != nil {
		return err
	}
	c.Exercised(ruleTimeslotsFree)
	now := p.SentAt().UTC()
	end := time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	if now.Add(zones).After(end) || now.Add(-zones).Month() != now.Month() {
		return nil // it depends on the zone which month this is
	}
	shown := map[int64]bool{}
	for _, s := range got {
		shown[s.ID] = true
	}
	for _, s := range c.truth.slots {
		if s.venue != venue {
			continue
		}
		must := s.event == 0 && s.start.After(now.Add(clocks)) && s.start.Before(end.Add(-zones))
		may := s.event == 0 && s.start.After(now.Add(-clocks)) && s.start.Before(end.Add(zones))
		if shown[s.id] && !may || must && !shown[s.id] {
			return c.Fail(bench.Problem{
				Rule: ruleTimeslotsFree, Page: p, Code: bench.CodeValueMismatch,
				Expected: "the free timeslots from now to the end of this month", Actual: string(p.Body()),
				Message: fmt.Sprintf("timeslot %d from %s is there or missing by mistake; without from and to it is from now to the end of this month", s.id, s.start.Format(time.RFC3339)),
			})
		}
		delete(shown, s.id)
	}
	if len(shown) > 0 {
		return c.Fail(bench.Problem{Rule: ruleTimeslotsFree, Page: p, Code: bench.CodeValueMismatch,
			Expected: "timeslots of the venue", Actual: string(p.Body()), Message: "there are timeslots that the venue does not have"})
	}
	return nil
}
