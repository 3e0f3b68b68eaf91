package nttscenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// service is the specification's app, in memory. wrong names the ways in which
// it is wrong, or right but unusual; without any it is right.
//
// Besides the names that the code below asks for, there are two of a kind for each
// refusal, after the route that they are for:
//
//	POST /api/events accepts slot-taken     it does what it should refuse
//	POST /api/events slot-taken 400         it refuses with another status
//
// What is wrong from the load on only has "load: " before its name.
type service struct {
	wrong map[string]bool
	load  atomic.Bool
	seed  *testData
	mux   *http.ServeMux

	mu sync.Mutex
	*fakeState
	initial bool // nobody has asked for anything yet
}

// fakeRequest is one request under way.
type fakeRequest struct {
	*http.Request
	route string
	body  []byte
}

// fakeAnswer is what a handler found. A body of bytes is sent as it is, everything
// else as JSON.
type fakeAnswer struct {
	status int
	body   any
}

// fakePicture is a body that is a PNG.
type fakePicture []byte

// fakeText is a body that is text.
type fakeText string

// fakeRefusal is why a request is refused.
type fakeRefusal struct {
	status int
	name   string
}

func (r fakeRefusal) Error() string { return r.name }

var (
	whyCredentials  = fakeRefusal{http.StatusUnauthorized, "credentials"}
	whyNoToken      = fakeRefusal{http.StatusUnauthorized, "no-token"}
	whySignature    = fakeRefusal{http.StatusUnauthorized, "signature"}
	whyExpired      = fakeRefusal{http.StatusUnauthorized, "expired"}
	whyRevoked      = fakeRefusal{http.StatusUnauthorized, "revoked"}
	whyClaims       = fakeRefusal{http.StatusBadRequest, "claims"}
	whyForbidden    = fakeRefusal{http.StatusForbidden, "forbidden"}
	whyForeign      = fakeRefusal{http.StatusForbidden, "foreign"}
	whyNotFound     = fakeRefusal{http.StatusNotFound, "not-found"}
	whyMissing      = fakeRefusal{http.StatusBadRequest, "missing"}
	whyType         = fakeRefusal{http.StatusBadRequest, "type"}
	whyID           = fakeRefusal{http.StatusBadRequest, "id"}
	whyTime         = fakeRefusal{http.StatusBadRequest, "time"}
	whyBounds       = fakeRefusal{http.StatusBadRequest, "bounds"}
	whyTooManySlots = fakeRefusal{http.StatusBadRequest, "too-many-slots"}
	whyGenre        = fakeRefusal{http.StatusBadRequest, "genre"}
	whySlot         = fakeRefusal{http.StatusBadRequest, "slot"}
	whySlots        = fakeRefusal{http.StatusBadRequest, "slots"}
	whyOutside      = fakeRefusal{http.StatusBadRequest, "outside"}
	whyEnd          = fakeRefusal{http.StatusBadRequest, "end-before-start"}
	whyRole         = fakeRefusal{http.StatusBadRequest, "role"}
	whyNotPNG       = fakeRefusal{http.StatusBadRequest, "not-png"}
	whyNameTaken    = fakeRefusal{http.StatusConflict, "name-taken"}
	whySlotTaken    = fakeRefusal{http.StatusConflict, "slot-taken"}
	whyReserved     = fakeRefusal{http.StatusConflict, "reserved-already"}
	whySoldOut      = fakeRefusal{http.StatusConflict, "sold-out"}
)

func (s *service) is(name string) bool {
	return s.wrong[name] || s.load.Load() && s.wrong["load: "+name]
}

// stale is how long what is late stays as it was: longer than any test, however busy
// the machine.
const stale = time.Minute

// refuse is the refusal, or nil where the service is wrong to accept.
func (s *service) refuse(q *fakeRequest, why fakeRefusal) error {
	if s.is(q.route + " accepts " + why.name) {
		return nil
	}
	return why
}

// pause lets others in between two steps that belong together.
func (s *service) pause(d time.Duration) {
	s.mu.Unlock()
	time.Sleep(d)
	s.mu.Lock()
}

// newService returns a service that holds the initial state.
func newService(seed *testData, wrong ...string) *service {
	s := &service{wrong: map[string]bool{}, seed: seed, mux: http.NewServeMux(), fakeState: seed.state()}
	for _, name := range wrong {
		s.wrong[name] = true
	}
	_, keeps := s.other("keeps ")
	if s.initial = !keeps; keeps {
		s.leave(seed)
	}
	for pattern, handle := range map[string]func(*fakeRequest) (fakeAnswer, error){
		"POST /api/initialize":                      s.initialize,
		"POST /api/login":                           s.login,
		"POST /api/logout":                          s.known(s.logout),
		"POST /api/users":                           s.signUp,
		"GET /api/users/{user_id}":                  s.known(s.getUser),
		"GET /api/users/{user_id}/reservations":     s.known(s.getUserReservations),
		"GET /api/genres":                           s.known(s.getGenres),
		"GET /api/venues":                           s.known(s.getVenues),
		"GET /api/venues/{venue_id}/timeslots":      s.known(s.getTimeslots),
		"GET /api/events":                           s.getEvents,
		"POST /api/events":                          s.known(s.createEvent),
		"GET /api/events/{event_id}":                s.getEvent,
		"PUT /api/events/{event_id}":                s.known(s.updateEvent),
		"GET /api/events/{event_id}/image":          s.getImage,
		"PUT /api/events/{event_id}/image":          s.known(s.putImage),
		"GET /api/events/{event_id}/reservations":   s.known(s.getEventReservations),
		"POST /api/events/{event_id}/reservations":  s.known(s.reserve),
		"GET /api/reservations/{reservation_id}":    s.known(s.getReservation),
		"DELETE /api/reservations/{reservation_id}": s.known(s.cancelReservation),
		"/api/": func(*fakeRequest) (fakeAnswer, error) { return fakeAnswer{}, whyNotFound },
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, pattern, handle) })
	}
	s.mux.HandleFunc("/", s.static)
	return s
}

// known lets a handler see only those who have a token.
func (s *service) known(handle func(*fakeRequest, *fakeCaller) (fakeAnswer, error)) func(*fakeRequest) (fakeAnswer, error) {
	return func(q *fakeRequest) (fakeAnswer, error) {
		who, err := s.authenticate(q)
		if err != nil {
			return fakeAnswer{}, err
		}
		return handle(q, who)
	}
}

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

func (s *service) static(w http.ResponseWriter, r *http.Request) {
	name := r.URL.Path
	if name == "/" {
		name = "/index.html"
	}
	content, ok := s.seed.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	if s.is("other-file") && strings.HasSuffix(name, "chunk-vendors.js") {
		content = content[1:]
	}
	w.Header().Set("Content-Type", mime.TypeByExtension(path.Ext(name)))
	_, _ = w.Write(content)
}

func (s *service) serve(w http.ResponseWriter, r *http.Request, route string, handle func(*fakeRequest) (fakeAnswer, error)) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	q := &fakeRequest{Request: r, route: route, body: body}
	if ofLoad(r) {
		s.load.Store(true)
	}
	s.mu.Lock()
	a, err := handle(q)
	s.initial = false
	s.mu.Unlock()
	var why fakeRefusal
	if errors.As(err, &why) {
		a = s.refused(q, why)
	}
	s.send(w, q, a)
}

// ofLoad tells whether this is a request as only the load sends it: the one that the
// initialization sends has the last of the offsets.
func ofLoad(r *http.Request) bool {
	q := r.URL.Query()
	return r.URL.Path == routeEvents && q.Get("limit") == strconv.Itoa(listLimit) && q.Get("offset") != strconv.Itoa(listOffset)
}

func (s *service) refused(q *fakeRequest, why fakeRefusal) fakeAnswer {
	for status := range s.wrong {
		if text, ok := strings.CutPrefix(status, q.route+" "+why.name+" "); ok {
			why.status, _ = strconv.Atoi(text)
		}
	}
	if s.is("message-code") {
		return fakeAnswer{why.status, jsonObject{"message": why.status}}
	}
	if s.is("error-key") {
		return fakeAnswer{why.status, jsonObject{"error": why.name}}
	}
	return fakeAnswer{why.status, jsonObject{"message": why.name}}
}

func (s *service) send(w http.ResponseWriter, q *fakeRequest, a fakeAnswer) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	var text []byte
	switch body := a.body.(type) {
	case nil:
	case fakePicture:
		h.Set("Content-Type", "image/png")
		if s.is("image-type") {
			h.Set("Content-Type", "application/octet-stream")
		}
		text = body
	case fakeText:
		h.Set("Content-Type", "text/plain; charset=UTF-8")
		text = []byte(body)
	default:
		h.Set("Content-Type", "application/json")
		if s.is("charset") || s.is("charset in errors") && a.status >= 400 {
			h.Set("Content-Type", "application/json; charset=UTF-8")
		}
		var err error
		if text, err = s.encode(body); err != nil {
			panic(err)
		}
	}
	if to, ok := s.other(q.route + " answers "); ok && a.status < 300 {
		a.status, _ = strconv.Atoi(to)
	}
	w.WriteHeader(a.status)
	if half := len(text) / 2; s.is("chunked") && half > 0 {
		_, _ = w.Write(text[:half])
		w.(http.Flusher).Flush()
		text = text[half:]
	}
	_, _ = w.Write(text)
}

// other is what follows in the name of a wrong that begins so.
func (s *service) other(begins string) (string, bool) {
	for name := range s.wrong {
		if rest, ok := strings.CutPrefix(name, begins); ok {
			return rest, true
		}
	}
	return "", false
}

// stamp is a time as the service shows it.
func (s *service) stamp(t time.Time) string {
	switch {
	case s.is("fractions"):
		return t.UTC().Format("2006-01-02T15:04:05.000Z")
	case s.is("offsets"):
		return t.UTC().Format("2006-01-02T15:04:05+00:00")
	}
	return t.UTC().Format("2006-01-02T15:04:05Z")
}

// thisSecond is the time as a row keeps it.
func thisSecond() time.Time { return time.Now().UTC().Truncate(time.Second) }

// pathID is a number in the path.
func (s *service) pathID(q *fakeRequest, name string) (int64, error) {
	id, err := strconv.ParseInt(q.PathValue(name), 10, 64)
	if err != nil {
		return 0, s.refuse(q, whyID)
	}
	return id, nil
}

// number is a number in the query, or the fallback if it is not there.
func (s *service) number(q *fakeRequest, name string, fallback int64) (int64, error) {
	text := q.FormValue(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fallback, s.refuse(q, whyType)
	}
	return n, nil
}

// cutPage cuts what was asked for out of all there is.
func cutPage[T any](s *service, q *fakeRequest, all []T, fallback int64) ([]T, error) {
	limit, err := s.number(q, "limit", fallback)
	if err != nil {
		return nil, err
	}
	offset, err := s.number(q, "offset", 0)
	if err != nil {
		return nil, err
	}
	if limit < 0 || offset < 0 {
		if err := s.refuse(q, whyBounds); err != nil {
			return nil, err
		}
		limit, offset = max(limit, 0), max(offset, 0)
	}
	switch {
	case s.is(q.route + " ignores limit"):
		limit = fallback
	case s.is(q.route + " ignores offset"):
		offset = 0
	case s.is(q.route+" has default") && q.FormValue("limit") == "":
		limit += 2
	}
	offset = min(offset, int64(len(all)))
	return all[offset:min(offset+limit, int64(len(all)))], nil
}

// read decodes a body. An empty one leaves everything missing.
func (s *service) read(q *fakeRequest, into any) error {
	if len(bytes.TrimSpace(q.body)) == 0 {
		return nil
	}
	if err := json.NewDecoder(bytes.NewReader(q.body)).Decode(into); err != nil {
		return s.refuse(q, whyType)
	}
	return nil
}
