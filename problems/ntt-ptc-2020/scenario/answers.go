package nttscenario

import (
	"net/http"
	"strings"
	"time"

	"hotseat/bench"
	"hotseat/bench/check"
)

// moment is a time of an answer. One that cannot be read is the zero moment: the
// rule about times has complained already, or is switched off.
type moment struct{ time.Time }

// UnmarshalJSON reads any time of RFC 3339.
func (m *moment) UnmarshalJSON(text []byte) error {
	at, err := time.Parse(time.RFC3339, strings.Trim(string(text), `"`))
	if err != nil {
		at = time.Time{}
	}
	m.Time = at.UTC().Truncate(time.Second)
	return nil
}

func (m moment) String() string { return m.Format(time.RFC3339) }

// The answers of §4.

type loginData struct {
	UserID      int64  `json:"user_id"`
	AccessToken string `json:"access_token"`
}

type userData struct {
	UserID   int64  `json:"user_id"`
	Username string `json:"username"`
	Role     string `json:"role"`
}

type genreData struct {
	ID   int64  `json:"id"`
	Name string `json:"name"`
}

type venueData struct {
	ID        int64  `json:"id"`
	Name      string `json:"name"`
	Capacity  int64  `json:"capacity"`
	CreatedAt moment `json:"created_at"`
	UpdatedAt moment `json:"updated_at"`
}

type timeslotData struct {
	ID        int64  `json:"id"`
	StartAt   moment `json:"start_at"`
	EndAt     moment `json:"end_at"`
	CreatedAt moment `json:"created_at"`
	UpdatedAt moment `json:"updated_at"`
}

type eventData struct {
	ID          int64   `json:"id"`
	EventName   string  `json:"event_name"`
	GenreID     int64   `json:"event_genre_id"`
	ArtistID    int64   `json:"artist_id"`
	ArtistName  string  `json:"artist_name"`
	VenueID     int64   `json:"venue_id"`
	VenueName   string  `json:"venue_name"`
	StartAt     moment  `json:"start_at"`
	EndAt       moment  `json:"end_at"`
	Price       int64   `json:"price"`
	TimeslotIDs []int64 `json:"timeslot_ids"`
	CreatedAt   moment  `json:"created_at"`
	UpdatedAt   moment  `json:"updated_at"`
	Capacity    int64   `json:"capacity"`     // of the venue
	CurrentResv int64   `json:"current_resv"` // tickets
}

type reservationData struct {
	ID           int64  `json:"id"`
	UserID       int64  `json:"user_id"`
	Username     string `json:"username"`
	EventID      int64  `json:"event_id"`
	EventName    string `json:"event_name"`
	EventPrice   int64  `json:"event_price"`
	EventStartAt moment `json:"event_start_at"`
	EventEndAt   moment `json:"event_end_at"`
	VenueName    string `json:"venue_name"`
	NumOfResv    int64  `json:"num_of_resv"`
	CreatedAt    moment `json:"created_at"`
	UpdatedAt    moment `json:"updated_at"`
}

// members are those that an object has, by the types of their values.
type members struct {
	integers, texts, times []string
	integerLists           []string // or null
}

func (m members) names() []string {
	var names []string
	for _, list := range [][]string{m.integers, m.texts, m.times, m.integerLists} {
		names = append(names, list...)
	}
	return names
}

var (
	loginMembers       = members{integers: []string{"user_id"}, texts: []string{"access_token"}}
	userMembers        = members{integers: []string{"user_id"}, texts: []string{"username", "role"}}
	genreMembers       = members{integers: []string{"id"}, texts: []string{"name"}}
	venueMembers       = members{integers: []string{"id", "capacity"}, texts: []string{"name"}, times: []string{"created_at", "updated_at"}}
	timeslotMembers    = members{integers: []string{"id"}, times: []string{"start_at", "end_at", "created_at", "updated_at"}}
	eventMembers       = members{integers: []string{"id", "event_genre_id", "artist_id", "venue_id", "price", "capacity", "current_resv"}, texts: []string{"event_name", "artist_name", "venue_name"}, times: []string{"start_at", "end_at", "created_at", "updated_at"}, integerLists: []string{"timeslot_ids"}}
	reservationMembers = members{integers: []string{"id", "user_id", "event_id", "event_price", "num_of_resv"}, texts: []string{"username", "event_name", "venue_name"}, times: []string{"event_start_at", "event_end_at", "created_at", "updated_at"}}
)

// The kinds of answers. Lists may be null instead of empty: the contest's Go app
// answers so.
var (
	loginAnswer        = objects[loginData]("login", loginMembers)
	userAnswer         = objects[userData]("user", userMembers)
	genresAnswer       = lists[genreData]("genres", genreMembers)
	venuesAnswer       = lists[venueData]("venues", venueMembers)
	timeslotsAnswer    = lists[timeslotData]("timeslots", timeslotMembers)
	eventAnswer        = objects[eventData]("event", eventMembers)
	eventsAnswer       = lists[eventData]("events", eventMembers)
	reservationAnswer  = objects[reservationData]("reservation", reservationMembers)
	reservationsAnswer = lists[reservationData]("reservations", reservationMembers)
)

// The checks that all answers of a kind share. The Content-Type of JSON has
// nothing behind it, not even a charset.
var (
	typeJSON = bench.Header(ruleContentType, "Content-Type", "application/json")
	typePNG  = bench.Header(ruleContentType, "Content-Type", "image/png")

	typeOfError = bench.That(ruleContentType, func(p *bench.Page) *bench.Mismatch {
		if got := p.HeaderValue("Content-Type"); isError(p.Status()) && got != typeOfJSON {
			return &bench.Mismatch{Code: bench.CodeHeaderMismatch, Expected: "Content-Type: " + typeOfJSON, Actual: "Content-Type: " + got,
				Message: "the Content-Type of an error is not exactly " + typeOfJSON}
		}
		return nil
	})
	errorShape = bench.Body(ruleErrorMessage,
		&where{isError, check.JSON("error").Rule(ruleErrorMessage).Type("", check.Object).Type("message", check.String)})
)

func isError(status int) bool { return status >= http.StatusBadRequest }

func isSuccess(status int) bool { return !isError(status) }

// where holds answers with some statuses to a validator, and no others: what was
// answered with a wrong one has broken one rule, not two.
type where struct {
	status func(int) bool
	check.Checker
}

func (c *where) Check(in *check.Input, vars ...check.Value) *check.Mismatch {
	if !c.status(in.Status) {
		return nil
	}
	return c.Checker.Check(in, vars...)
}

func (c *where) Verify(in *check.Input, vars ...check.Value) *check.Mismatch {
	if !c.status(in.Status) {
		return nil
	}
	return c.Checker.Verify(in, vars...)
}

// kind is a kind of answers whose data is a T.
type kind[T any] struct {
	validator *check.JSONValidator
	shape     bench.Check
}

func objects[T any](name string, m members) kind[T] {
	return newKind[T](check.JSON(name).Strict().Rule(ruleShape).Type("", check.Object), "", m)
}

func lists[E any](name string, m members) kind[[]E] {
	return newKind[[]E](check.JSON(name).Strict().Rule(ruleShape).Type("", check.Array).Nullable(""), "[]", m)
}

func newKind[T any](v *check.JSONValidator, at string, m members) kind[T] {
	path := func(name string) string {
		if at == "" {
			return name
		}
		return at + "." + name
	}
	v.OnlyKeys(at, m.names()...)
	for _, name := range m.integers {
		v.Type(path(name), check.Integer)
	}
	for _, name := range append(m.texts, m.times...) {
		v.Type(path(name), check.String)
	}
	for _, name := range m.integerLists {
		v.Type(path(name), check.Array).Nullable(path(name)).Type(path(name)+"[]", check.Integer)
	}
	v.Rule(ruleTimeFormat)
	for _, name := range m.times {
		v.String(path(name), check.Func("a time like 2020-09-11T10:00:00Z", isTime))
	}
	return kind[T]{validator: v, shape: bench.Body(ruleShape, &where{isSuccess, v})}
}

// isTime tells whether a text is YYYY-MM-DDTHH:MM:SSZ. Parse alone would let
// fractions of seconds pass.
func isTime(text string) bool {
	const layout = "2006-01-02T15:04:05Z"
	_, err := time.Parse(layout, text)
	return err == nil && len(text) == len(layout)
}

// due are the checks of an answer of this kind that has to have this status.
func (a kind[T]) due(status int) []bench.Check {
	return []bench.Check{bench.Status(ruleOKStatus, status), typeJSON, a.shape}
}

// ask does a request and reads its answer, which has to have this status. The
// page is there also if it is not as it should be.
func (a kind[T]) ask(u *bench.User, s *bench.Step, status int) (T, *bench.Page, error) {
	p := s.Expect(a.due(status)...)
	data, err := a.read(u, p)
	return data, p, err
}

// read decodes an answer for which due was checked. What cannot be used at all is
// an error also where the rule about the shape is switched off.
func (a kind[T]) read(u *bench.User, p *bench.Page) (T, error) {
	var data T
	if !p.OK() {
		return data, p.Err()
	}
	if isError(p.Status()) {
		return data, bench.ErrCut // only without the rule about the status
	}
	if !u.Run.RuleOn(ruleShape) {
		in := check.Input{Status: p.Status(), Body: p.Body(), Skip: func(rule string) bool { return rule == ruleTimeFormat }}
		if a.validator.Check(&in) != nil {
			return data, bench.ErrCut
		}
	}
	if err := check.Decode(p.Body(), &data); err != nil {
		return data, bench.ErrCut // only without the rule
	}
	return data, nil
}

// refusedWith are the checks of a refusal with one of these statuses. The message may
// say whatever it likes.
func refusedWith(rule string, statuses ...int) []bench.Check {
	return []bench.Check{bench.Status(rule, statuses...), typeOfError, errorShape}
}

// noContent are the checks of an answer without a body.
func noContent() []bench.Check {
	return []bench.Check{bench.Status(ruleOKStatus, http.StatusNoContent)}
}
