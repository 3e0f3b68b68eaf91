package nttscenario

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/bench/check"
)

// initializeTimeout is the contest's (§10.1).
const initializeTimeout = 20 * time.Second

const typeOfJSON = "application/json"

// resetHint helps whose data are of another day than today's.
const resetHint = "hotseat reset makes new data and fills the database with them"

// leastFree is how many free timeslots there have to be in the time in which the load looks
// for some: more than a run takes, at all venues together.
const leastFree = 2000

// fresh wants the data to be of a day that leaves enough upcoming events for the
// load's offsets, and enough free timeslots (§7, date trap).
func (t *truth) fresh(now time.Time) error {
	today := now.UTC().Truncate(24 * time.Hour)
	if n := len(t.upcoming(today.AddDate(0, 0, 1), 0)); n < listOffset+listLimit {
		return hotseat.Invalid(resetHint, "the data are too old: they begin on %s, and only %d events are still to come, of %d that the load looks at",
			t.day.Format(time.DateOnly), n, listOffset+listLimit)
	}
	free, end := 0, now.Add(slotsWithin*24*time.Hour+slotsFor)
	for i := range t.slots {
		if s := &t.slots[i]; s.event == 0 && s.start.After(now) && s.start.Before(end) {
			free++
		}
	}
	if free < leastFree {
		return hotseat.Invalid(resetHint, "the data are too old: they begin on %s, and only %d timeslots of the next weeks are free, of %d that the load needs",
			t.day.Format(time.DateOnly), free, leastFree)
	}
	return nil
}

// initialize brings the service back to its initial state and learns how much the
// site is advertised.
func (w *world) initialize(ctx context.Context, r *bench.Run) error {
	err := r.Alone(ctx, bench.Scenario{Name: "initialize", Run: func(u *bench.User) error {
		p := u.Post("/api/initialize", typeOfJSON, []byte("{}")).Within(initializeTimeout).
			Expect(bench.Status(ruleOKStatus, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent))
		if !p.OK() {
			return p.Err()
		}
		w.decideCampaign(string(p.Body()))
		return nil
	}})
	if err != nil {
		return err
	}
	// What fails here is nothing that has to do with initialization.
	_ = r.Alone(ctx, bench.Scenario{Name: "the day of the data", Run: w.compareDays})
	return nil
}

// compareDays refuses a run against a database that was filled on another day than the truth
// tells of: everything that it shows would be called wrong.
func (w *world) compareDays(u *bench.User) error {
	const page = "/api/events?limit=12&offset=1700"
	p := u.Get(page).Name("the last page of events").Do()
	if !p.OK() || p.Status() != http.StatusOK {
		return nil // the checks to come will say more
	}
	var got []eventData
	if check.Decode(p.Body(), &got) != nil {
		return nil
	}
	var other *eventData
	for i := range got {
		e := &got[i]
		if !w.isInitial(e.ID) || !e.StartAt.Equal(w.truth.events[e.ID-1].start) {
			other = e
		}
	}
	if len(got) == listLimit && other == nil {
		return nil
	}
	// It may be a mistake of the app: the first events tell whether all the data are of another day.
	p = u.Get("/api/events/2").Name("an initial event").Do()
	var e eventData
	if !p.OK() || p.Status() != http.StatusOK || check.Decode(p.Body(), &e) != nil || e.StartAt.IsZero() {
		return nil
	}
	if off := e.StartAt.Sub(w.truth.events[1].start); off != 0 && off%(24*time.Hour) == 0 && e.CreatedAt.Sub(w.truth.events[1].created) != 0 {
		u.Run.Refuse(hotseat.Invalid(resetHint, "the database was filled with data of another day than --data: event 2 begins on %s there, on %s here",
			e.StartAt.Format(time.DateOnly), w.truth.events[1].start.Format(time.DateOnly)))
		return bench.ErrCut
	}
	return nil
}

// decideCampaign takes the campaign of --param, or else what the app answered, and
// says which it is.
func (w *world) decideCampaign(answered string) {
	answered = strings.TrimSpace(answered)
	given := w.run.Param(paramCampaign)
	switch {
	case given != "" && answered != given:
		w.run.Remark("campaign %s by --param, although the app answered %.20q", given, answered)
	case isCampaign(answered) != nil:
		given = "1"
		w.run.Remark("campaign 1: the app answered %.20q to POST /api/initialize, which is none", answered)
	default:
		given = answered
		w.run.Remark("campaign %s, as the app answered", given)
	}
	w.campaign = int(given[0] - '0')
}

// isCampaign wants a level of the load, or nothing.
func isCampaign(value string) error {
	if len(value) != 1 || value[0] < '1' || value[0] > '4' {
		return fmt.Errorf("want 1, 2, 3 or 4, not %q", value)
	}
	return nil
}
