package nttscenario

import (
	"errors"
	"strings"
	"sync/atomic"

	"hotseat"
	"hotseat/bench"
)

// The groups of requests that are counted (§10.3), with the names that the
// contest's benchmark gave them.
const (
	groupStatic            = "GET static files"
	groupSignup            = "POST /api/users"
	groupLogin             = "POST /api/login"
	groupLogout            = "POST /api/logout"
	groupEvents            = "GET /api/events"
	groupEvent             = "GET /api/events/:event_id"
	groupImage             = "GET /api/events/:event_id/image"
	groupReserve           = "POST /api/events/:event_id/reservations"
	groupUserReservations  = "GET /api/users/:user_id/reservations"
	groupReservation       = "GET /api/reservations/:resv_id"
	groupCancel            = "DEL /api/reservations/:resv_id"
	groupVenues            = "GET /api/venues"
	groupTimeslots         = "GET /api/venues/:venue_id/timeslots"
	groupCreate            = "POST /api/events"
	groupUpload            = "PUT /api/events/:event_id/image"
	groupUpdate            = "PUT /api/events/:event_id"
	groupEventReservations = "GET /api/events/:event_id/reservations"
	groupGenres            = "GET /api/genres"
)

var groups = []string{
	groupStatic, groupSignup, groupLogin, groupLogout, groupEvents, groupEvent, groupImage, groupReserve, groupUserReservations,
	groupReservation, groupCancel, groupVenues, groupTimeslots, groupCreate, groupUpload, groupUpdate, groupEventReservations, groupGenres,
}

func tags() []string { return groups }

// worth is what a request of a group earns, and what a failed one costs (§10.4). Static
// files were meant to be worth less, but never were.
func worth(group string) (earns, costs int64) {
	if strings.HasPrefix(group, "GET") {
		return 1, 5
	}
	return 5, 25
}

// failedChecks counts what has failed, by the index of the group.
type failedChecks []atomic.Int64

// note counts a page of a group if it failed, and not by our own fault.
func (w *world) note(group string, p *bench.Page) {
	failed := new(bench.Failed)
	if !errors.As(p.Err(), &failed) || failed.Class.Side() != hotseat.SideTarget {
		return
	}
	for i, name := range groups {
		if name == group {
			w.failed[i].Add(1)
		}
	}
}

func (w *world) score(t *bench.Tally) bench.Score {
	s := bench.Score{MayBeNegative: true}
	for i, group := range groups {
		earns, costs := worth(group)
		s.Raw += earns * t.Points(group)
		s.Deduction += costs * w.failed[i].Load()
	}
	return s
}
