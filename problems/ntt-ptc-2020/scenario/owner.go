package nttscenario

import (
	"net/http"

	"hotseat/bench"
)

// newOwner is somebody who runs the site and looks at everything (§10.3).
func newOwner(u *bench.User, w *world) bench.Iteration {
	v := newVisitor(u, w)
	return func() error {
		defer v.leave()
		if err := v.enter(roleOwner, false); err != nil {
			return err
		}
		events, err := v.listEvents()
		if err != nil {
			return err
		}
		failed := v.lookAtGenres()
		if err := v.lookAtImages(events); err != nil {
			failed = err
		}
		if err := v.lookAt(events[v.Rand.IntN(len(events))].ID); err != nil {
			failed = err
		}
		var steps []*bench.Step
		for i := range events {
			r := readerOf(reservationsAnswer, v.User)
			steps = append(steps, v.get(routeReserve, events[i].ID).Expecting(
				v.listing(r, ruleEventReservations, whose{event: events[i].ID}, eventPage)...))
		}
		if err := firstFailure(v.countAll(groupEventReservations, steps)); err != nil {
			failed = err
		}
		if err := v.logOut(); err != nil {
			return err
		}
		return failed
	}
}

func (v *visitor) lookAtGenres() error {
	var want []genreData
	for i, name := range v.truth.genres {
		want = append(want, genreData{int64(i + 1), name})
	}
	r := readerOf(genresAnswer, v.User)
	return v.count(groupGenres, v.get("/api/genres"), r.due(http.StatusOK,
		r.that(ruleGenres, func(_ *bench.Page, got []genreData) *bench.Mismatch {
			return differs("the genres are not those of the initial data", want, got)
		}))...).Err()
}
