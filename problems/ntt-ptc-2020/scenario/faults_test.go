package nttscenario

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	"hotseat/problem/problemtest"
)

// fault is one way of being wrong that one rule alone catches.
type fault struct {
	rule, wrong string
	code        string   // of the failure; empty: any
	load        string   // how long; empty: the check comes before the load
	args        []string // further ones
}

func faults() []fault {
	return []fault{
		{rule: ruleTokenRequired, wrong: "GET /api/genres accepts no-token"},
		{rule: ruleTokenRequired, wrong: "GET /api/venues accepts signature"},
		{rule: ruleTokenRequired, wrong: "GET /api/venues claims 401"},
		{rule: ruleTokenExpired, wrong: "GET /api/venues accepts expired"},
		{rule: ruleTokenRevoked, wrong: "forgets-seeded"},
		{rule: ruleLogoutRevokes, wrong: "revokes-late"},
		{rule: ruleLoginToken, wrong: "own-key"},
		{rule: ruleLoginToken, wrong: "short-tokens"},
		{rule: ruleLoginRefused, wrong: "POST /api/login accepts credentials"},
		{rule: ruleLoginRefused, wrong: "POST /api/login missing 401"},
		{rule: ruleLoginRefused, wrong: "POST /api/login type 422"},
		{rule: ruleRole, wrong: "GET /api/genres accepts forbidden"},
		{rule: ruleRole, wrong: "GET /api/users/{user_id} accepts foreign"},
		{rule: ruleRole, wrong: "GET /api/reservations/{reservation_id} accepts foreign"},
		{rule: ruleRole, wrong: "POST /api/events forbidden 404"},
		{rule: ruleRole, wrong: "GET /api/events/{event_id}/reservations accepts foreign"},

		{rule: ruleOKStatus, wrong: "POST /api/users answers 200"},
		{rule: ruleOKStatus, wrong: "DELETE /api/reservations/{reservation_id} answers 200"},
		{rule: ruleContentType, wrong: "charset"},
		{rule: ruleContentType, wrong: "charset in errors"},
		{rule: ruleContentType, wrong: "image-type"},
		{rule: ruleShape, wrong: "price-text"},
		{rule: ruleShape, wrong: "event-extra"},
		{rule: ruleShape, wrong: "event-lacks"},
		{rule: ruleShape, wrong: "user-salt"},
		{rule: ruleShape, wrong: "reservation-extra"},
		{rule: ruleTimeFormat, wrong: "fractions"},
		{rule: ruleTimeFormat, wrong: "offsets"},
		{rule: ruleErrorMessage, wrong: "message-code"},
		{rule: ruleErrorMessage, wrong: "error-key"},

		{rule: ruleNotFound, wrong: "GET /api/users/{user_id} not-found 403"},
		{rule: ruleNotFound, wrong: "GET /api/events/{event_id}/reservations not-found 403"},
		{rule: ruleParameters, wrong: "GET /api/events accepts bounds"},
		{rule: ruleParameters, wrong: "GET /api/venues accepts type"},
		{rule: ruleParameters, wrong: "GET /api/users/{user_id} id 404"},
		{rule: ruleParameters, wrong: "GET /api/venues/{venue_id}/timeslots accepts time"},

		{rule: ruleSignupRefused, wrong: "POST /api/users accepts missing"},
		{rule: ruleSignupRefused, wrong: "POST /api/users accepts role"},
		{rule: ruleNameTaken, wrong: "POST /api/users name-taken 400"},
		{rule: ruleUserShown, wrong: "user-role"},
		{rule: ruleUserShown, wrong: "login-id"},

		{rule: ruleGenres, wrong: "genres-less"},
		{rule: ruleVenues, wrong: "venue-capacity"},
		{rule: ruleVenues, wrong: "GET /api/venues ignores offset"},
		{rule: ruleVenues, wrong: "GET /api/venues has default"},
		{rule: ruleTimeslotsFree, wrong: "slots-taken"},
		{rule: ruleTimeslotsFree, wrong: "slots-from"},
		{rule: ruleTimeslotsFree, wrong: "slots-to"},
		{rule: ruleTimeslotsFree, wrong: "slot-end"},

		{rule: ruleEventsList, wrong: "GET /api/events has default"},
		{rule: ruleEventsList, wrong: "events-new-late"},
		{rule: ruleEventsOfArtist, wrong: "events-of-all"},
		{rule: ruleEventDetails, wrong: "event-artist"},
		{rule: ruleEventEcho, wrong: "echo-old"},
		{rule: ruleEventEcho, wrong: "echo-created"},
		{rule: ruleEventFresh, wrong: "edit-late"},
		{rule: ruleEventFresh, wrong: "edit-lost"},
		{rule: ruleCurrentResv, wrong: "resv-count"},
		{rule: ruleCurrentResv, wrong: "list-resv"},
		{rule: ruleEventBodyRefused, wrong: "POST /api/events missing 422"},
		{rule: ruleEventBodyRefused, wrong: "PUT /api/events/{event_id} time 404"},
		{rule: ruleEventBodyRefused, wrong: "POST /api/events too-many-slots 409"},
		{rule: ruleEventSlotsRefused, wrong: "POST /api/events slot 404"},
		{rule: ruleEventSlotsRefused, wrong: "POST /api/events accepts slots"},
		{rule: ruleEventSlotsRefused, wrong: "PUT /api/events/{event_id} accepts outside"},
		{rule: ruleEventSlotsRefused, wrong: "PUT /api/events/{event_id} accepts end-before-start"},
		{rule: ruleSlotTaken, wrong: "POST /api/events slot-taken 400"},
		{rule: ruleSlotTaken, wrong: "PUT /api/events/{event_id} accepts slot-taken"},
		{rule: ruleRefusedUnchanged, wrong: "half-made"},
		{rule: ruleSlotsReleased, wrong: "keeps-slots"},

		{rule: ruleImageInitial, wrong: "other-default"},
		{rule: ruleImageFresh, wrong: "image-first"},
		{rule: ruleImageFresh, wrong: "image-torn"},
		{rule: ruleImageRefused, wrong: "PUT /api/events/{event_id}/image not-png 415"},
		{rule: ruleImageRefused, wrong: "PUT /api/events/{event_id}/image missing 404"},

		{rule: ruleReservationRefused, wrong: "POST /api/events/{event_id}/reservations bounds 409"},
		{rule: ruleReservationPossible, wrong: "sold-out-early"},
		{rule: ruleReservationDetails, wrong: "reservation-price"},
		{rule: ruleReservationOnce, wrong: "POST /api/events/{event_id}/reservations reserved-already 400"},
		{rule: ruleCapacity, wrong: "POST /api/events/{event_id}/reservations sold-out 400"},
		{rule: ruleUserReservations, wrong: "reserved-late"},
		{rule: ruleUserReservations, wrong: "GET /api/users/{user_id}/reservations ignores limit"},
		{rule: ruleEventReservations, wrong: "GET /api/events/{event_id}/reservations ignores offset"},
		{rule: ruleEventReservations, wrong: "GET /api/events/{event_id}/reservations has default"},
		{rule: ruleCancel, wrong: "cancel-lost"},

		{rule: ruleStaticFile, wrong: "other-file"},
		{rule: ruleInitializeReset, wrong: "keeps users"},
		{rule: ruleInitializeReset, wrong: "keeps events"},
		{rule: ruleInitializeReset, wrong: "keeps slots"},

		{rule: ruleSlotRace, wrong: "slot-race"},
		{rule: ruleReservationRace, wrong: "once-race"},
		{rule: ruleCapacityRace, wrong: "capacity-race"},
		{rule: ruleRevocationsSurvive, wrong: "revocations-in-memory"},
		{rule: ruleImagesSurvive, wrong: "images-in-memory", load: "1500ms", args: []string{"--param", "campaign=2"}},
	}
}

// loadFaults are those that only show under load, and what shows there as well.
func loadFaults() []fault {
	return []fault{
		{rule: ruleTokenRevoked, wrong: "logout-of-anybody"},
		{rule: ruleLoginToken, wrong: "own-key"},
		{rule: ruleUserShown, wrong: "login-id"},
		{rule: ruleOKStatus, wrong: "POST /api/users answers 200"},
		{rule: ruleContentType, wrong: "charset"},
		{rule: ruleContentType, wrong: "image-type"},
		{rule: ruleShape, wrong: "event-extra"},
		{rule: ruleTimeFormat, wrong: "fractions"},
		{rule: ruleGenres, wrong: "genres-less"},
		{rule: ruleVenues, wrong: "venue-capacity"},
		{rule: ruleTimeslotsFree, wrong: "slots-taken"},
		{rule: ruleEventsList, wrong: "events-by-start"},
		{rule: ruleEventDetails, wrong: "event-artist"},
		{rule: ruleEventEcho, wrong: "echo-old"},
		{rule: ruleEventFresh, wrong: "edit-late"},
		{rule: ruleCurrentResv, wrong: "resv-cached"},
		{rule: ruleCurrentResv, wrong: "resv-count"},
		{rule: ruleImageInitial, wrong: "other-default"},
		{rule: ruleImageFresh, wrong: "image-late"},
		{rule: ruleReservationPossible, wrong: "reserves-some"},
		{rule: ruleReservationDetails, wrong: "reservation-price"},
		{rule: ruleUserReservations, wrong: "reserved-late"},
		{rule: ruleUserReservations, wrong: "GET /api/users/{user_id}/reservations newest-first"},
		{rule: ruleEventReservations, wrong: "GET /api/events/{event_id}/reservations newest-first"},
		{rule: ruleStaticFile, wrong: "other-file"},
	}
}

// verifyOnly is a load that is over at once.
const verifyOnly = "20ms"

// Every fault is caught by its rule, and with the rule switched off by none.
func TestFaults(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	runs := problemtest.NewAtOnce(atOnce)
	for _, f := range faults() {
		runs.AddFault(strings.TrimPrefix(f.rule, prefix+".")+": "+f.wrong, f.rule, f.code, func(args ...string) problemtest.Outcome {
			return execute(t.Context(), t, newService(seed, f.wrong), append(args, f.args...)...)
		}, cmp.Or(f.load, verifyOnly), "8s")
	}
	runs.Judge(t)
}

// The checks of the load find what is wrong, each for itself. Under rules=original
// there are no others, and no verdict hangs on a wrong answer.
func TestLoadFaults(t *testing.T) {
	seed := testSeed(t)
	runs := problemtest.NewAtOnce(loadsAtOnce)
	for _, f := range loadFaults() {
		play := func(args ...string) problemtest.Outcome {
			args = append(args, "--param", "rules=original", "--param", "campaign=2")
			return execute(t.Context(), t, newService(seed, f.wrong), args...)
		}
		caught := func(o problemtest.Outcome) bool { return o.Has(f.rule, f.code) }
		name := strings.TrimPrefix(f.rule, prefix+".") + ": " + f.wrong
		runs.Add(name, until(caught, play), func(t *testing.T, o problemtest.Outcome) {
			if !caught(o) {
				t.Errorf("not caught: %v", o)
			}
		})
		runs.Add(name+", unseen", func() problemtest.Outcome { return play("--disable-rule", f.rule) }, innocent)
	}
	runs.Judge(t)
}

// innocent wants nobody to be accused of a wrong answer.
func innocent(t *testing.T, o problemtest.Outcome) {
	for _, f := range o.Failures {
		if f.WrongAnswer() {
			t.Fatalf("accused: %v", o)
		}
	}
}

// Every semantic rule has a fault of its own.
func TestEveryRuleHasAFault(t *testing.T) {
	t.Parallel()
	for _, rule := range rules() {
		if rule.Semantic && !slices.ContainsFunc(faults(), func(f fault) bool { return f.rule == rule.ID }) {
			t.Errorf("%s has no fault", rule.ID)
		}
	}
}
