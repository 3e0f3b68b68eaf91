package nttscenario

import "hotseat"

// prefix begins the id of every rule of this problem.
const prefix = "ntt"

// The rules by the names that checks use. Section numbers are those of the
// specification.
const (
	ruleTokenRequired      = prefix + ".token-required"
	ruleTokenExpired       = prefix + ".token-expired"
	ruleTokenRevoked       = prefix + ".token-revoked"
	ruleLogoutRevokes      = prefix + ".logout-revokes"
	ruleRevocationsSurvive = prefix + ".revocations-survive"
	ruleLoginToken         = prefix + ".login-token"
	ruleLoginRefused       = prefix + ".login-refused"
	ruleRole               = prefix + ".role"

	ruleOKStatus     = prefix + ".ok-status"
	ruleContentType  = prefix + ".content-type"
	ruleShape        = prefix + ".shape"
	ruleTimeFormat   = prefix + ".time-format"
	ruleErrorMessage = prefix + ".error-message"

	ruleNotFound   = prefix + ".not-found"
	ruleParameters = prefix + ".parameters"

	ruleSignupRefused = prefix + ".signup-refused"
	ruleNameTaken     = prefix + ".name-taken"
	ruleUserShown     = prefix + ".user-shown"

	ruleGenres        = prefix + ".genres"
	ruleVenues        = prefix + ".venues"
	ruleTimeslotsFree = prefix + ".timeslots-free"

	ruleEventsList         = prefix + ".events-list"
	ruleEventsOfArtist     = prefix + ".events-of-artist"
	ruleEventDetails       = prefix + ".event-details"
	ruleEventEcho          = prefix + ".event-echo"
	ruleEventFresh         = prefix + ".event-fresh"
	ruleCurrentResv        = prefix + ".current-resv"
	ruleEventBodyRefused   = prefix + ".event-body-refused"
	ruleEventSlotsRefused  = prefix + ".event-slots-refused"
	ruleSlotTaken          = prefix + ".slot-taken"
	ruleRefusedUnchanged   = prefix + ".refused-changes-nothing"
	ruleSlotsReleased      = prefix + ".slots-released"
	ruleSlotRace           = prefix + ".slot-race"
	ruleImageInitial       = prefix + ".image-initial"
	ruleImageFresh         = prefix + ".image-fresh"
	ruleImageRefused       = prefix + ".image-refused"
	ruleImagesSurvive      = prefix + ".images-survive"
	ruleReservationRefused = prefix + ".reservation-refused"

	ruleReservationPossible = prefix + ".reservation-possible"
	ruleReservationDetails  = prefix + ".reservation-details"
	ruleReservationOnce     = prefix + ".reservation-once"
	ruleReservationRace     = prefix + ".reservation-race"
	ruleCapacity            = prefix + ".capacity"
	ruleCapacityRace        = prefix + ".capacity-race"
	ruleUserReservations    = prefix + ".user-reservations"
	ruleEventReservations   = prefix + ".event-reservations"
	ruleCancel              = prefix + ".cancel"

	ruleStaticFile      = prefix + ".static-file"
	ruleInitializeReset = prefix + ".initialize-reset"
)

// rules are the promises to the contestant, beyond the engine's own.
func rules() []hotseat.Rule {
	const (
		status      = hotseat.ClassStatus
		content     = hotseat.ClassContent
		session     = hotseat.ClassSession
		consistency = hotseat.ClassConsistency
	)
	list := []hotseat.Rule{
		// Who is asking (§4, §5).
		{ID: ruleTokenRequired, Class: session, Text: "A request that needs a token is refused with 401 if it has none, a malformed one or one that another key signed, and with 400 if the token names no user or no role."},
		{ID: ruleTokenExpired, Class: session, Text: "An expired token is refused with 401."},
		{ID: ruleTokenRevoked, Class: session, Text: "The tokens of the initial revocation list are refused with 401 everywhere."},
		{ID: ruleLogoutRevokes, Class: session, Text: "Once a logout is answered its token is refused with 401, at once and everywhere, and nobody else's is."},
		{ID: ruleRevocationsSurvive, Class: session, Conditional: true, Text: "Tokens that were revoked before a restart are refused after it."},
		{ID: ruleLoginToken, Class: session, Text: "A login's token is an HS256 JWT, signed with the given key, with username, role, iat, and an exp one hour later."},
		{ID: ruleLoginRefused, Class: session, Text: "A login with an unknown name or a wrong password is refused with 401, one with a missing or empty member or a wrong type with 400."},
		{ID: ruleRole, Class: session, Text: "What is not for the user's role, or belongs to somebody else, is refused with 403."},

		// What every answer keeps to (§4).
		{ID: ruleOKStatus, Class: status, Text: "A request that is in order is answered with the status that is documented."},
		{ID: ruleContentType, Class: content, Text: "JSON answers, errors included, have exactly Content-Type: application/json, images exactly image/png."},
		{ID: ruleShape, Class: content, Text: "Answers have exactly the documented members, of the documented types."},
		{ID: ruleTimeFormat, Class: content, Text: "Times are in UTC and to the second: YYYY-MM-DDTHH:MM:SSZ."},
		{ID: ruleErrorMessage, Class: content, Text: `An error is a JSON object with a "message" that is a string.`},

		// What is refused whoever asks (§4).
		{ID: ruleNotFound, Class: status, Text: "What does not exist is answered with 404, before anybody is told that it is not for them."},
		{ID: ruleParameters, Class: status, Text: "IDs in a path, limit, offset, user_id, from and to that cannot be read, and a negative limit or offset, are refused with 400; a limit of 0 is not."},

		// People (§4.4, §4.5).
		{ID: ruleSignupRefused, Class: status, Text: "A sign-up with a missing, empty or wrongly typed member, or a role other than audience and artist, is refused with 400."},
		{ID: ruleNameTaken, Class: status, Text: "A sign-up with a name that somebody has is refused with 409, whatever the role."},
		{ID: ruleUserShown, Class: content, Text: "A sign-up and a look at a user show the user's ID, name and role, a login the ID."},

		// Lists that change little (§4.6, §4.18, §4.19).
		{ID: ruleGenres, Class: content, Text: "The genres are those of the initial data, in the order of their IDs."},
		{ID: ruleVenues, Class: content, Text: "The venues are those of the initial data, in the order of their IDs, as many as limit and offset ask for."},
		{ID: ruleTimeslotsFree, Class: consistency, Text: "A venue's timeslots are exactly those that no event has and that begin from `from` to `to`, both included."},

		// Events (§4.7 to §4.10).
		{ID: ruleEventsList, Class: consistency, Text: "The list of events holds exactly the events from today on, in the order of their IDs, as many as limit and offset ask for; new ones at once."},
		{ID: ruleEventsOfArtist, Class: consistency, Text: "With user_id the list holds that artist's events and no others."},
		{ID: ruleEventDetails, Class: content, Text: "An event that nobody has changed is shown as it was made: name, genre, artist, venue, capacity, times, price and timeslots."},
		{ID: ruleEventEcho, Class: content, Text: "The answer to an event's creation or change shows what was asked for, times converted to UTC; a change leaves created_at alone."},
		{ID: ruleEventFresh, Class: consistency, Text: "After a change is answered the event is shown as changed."},
		{ID: ruleCurrentResv, Class: consistency, Text: "current_resv is the number of tickets that are reserved for the event at this moment."},
		{ID: ruleEventBodyRefused, Class: status, Text: "An event with a missing, empty, zero or wrongly typed member, a time that is none, or more than two timeslots is refused with 400, before 404 and 403."},
		{ID: ruleEventSlotsRefused, Class: status, Text: "An event whose genre or timeslot does not exist, whose timeslots do not follow one another on one day at one venue, or that does not lie inside them is refused with 400."},
		{ID: ruleSlotTaken, Class: status, Text: "An event that wants another event's timeslot is refused with 409; keeping one's own is no conflict."},
		{ID: ruleRefusedUnchanged, Class: consistency, Text: "A creation or change of an event that is refused leaves every event and timeslot as it was."},
		{ID: ruleSlotsReleased, Class: consistency, Text: "Timeslots that a changed event no longer uses can be taken again."},
		{ID: ruleSlotRace, Class: consistency, Text: "Of several artists who take the same timeslot at the same time exactly one gets it."},

		// Pictures (§4.11, §4.12).
		{ID: ruleImageInitial, Class: content, Text: "An event that nobody uploaded a picture for shows its initial one or the default picture, byte for byte."},
		{ID: ruleImageFresh, Class: consistency, Text: "After an upload is answered the event's picture is the uploaded one, byte for byte."},
		{ID: ruleImageRefused, Class: status, Text: "An upload without a file, or of one that is no PNG, is refused with 400."},
		{ID: ruleImagesSurvive, Class: consistency, Conditional: true, Text: "Pictures that were uploaded before a restart are there after it."},

		// Reservations (§4.13 to §4.17).
		{ID: ruleReservationRefused, Class: status, Text: "A reservation without num_of_resv, with a wrong type or with less than 1 is refused with 400."},
		{ID: ruleReservationPossible, Class: status, Text: "A reservation is not refused if the event has room for it and the user has none for the event."},
		{ID: ruleReservationDetails, Class: content, Text: "A reservation is shown with its user, event, venue, price, times and number of tickets, when it is made and later."},
		{ID: ruleReservationOnce, Class: status, Text: "A second reservation of a user for an event is refused with 409."},
		{ID: ruleReservationRace, Class: consistency, Text: "Of several reservations that a user sends for an event at the same time at most one is accepted."},
		{ID: ruleCapacity, Class: status, Text: "A reservation of more tickets than the venue has room for is refused with 409."},
		{ID: ruleCapacityRace, Class: consistency, Text: "However many reserve at the same time, an event never has more tickets reserved than its venue has room for."},
		{ID: ruleUserReservations, Class: consistency, Text: "A user's reservations are all there and no others, in the order of their IDs, as many as limit and offset ask for."},
		{ID: ruleEventReservations, Class: consistency, Text: "An event's reservations are all there and no others, in the order of their IDs, as many as limit and offset ask for."},
		{ID: ruleCancel, Class: consistency, Text: "A cancelled reservation is gone at once: it is not found, not listed, and its tickets can be reserved again."},

		{ID: ruleStaticFile, Class: content, Text: "The given static files are served byte for byte."},
		{ID: ruleInitializeReset, Class: consistency, Text: "Initializing brings reservations, timeslots and revoked tokens back and removes the users and events of earlier runs."},
	}
	for i := range list {
		list[i].Semantic = true
	}
	return list
}
