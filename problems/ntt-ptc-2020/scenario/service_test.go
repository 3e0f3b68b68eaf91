package nttscenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
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
type service struct {
	wrong map[string]bool
	seed  *seed
	mux   *http.ServeMux

	mu sync.Mutex
	*state
}

// request is one request under way.
type request struct {
	*http.Request
	route string
	body  []byte
}

// answer is what a handler found. A body of bytes is sent as it is, everything
// else as JSON.
type answer struct {
	status int
	body   any
}

// picture is a body that is a PNG.
type picture []byte

// plain is a body that is text.
type plain string

// refusal is why a request is refused.
type refusal struct {
	status int
	name   string
}

func (r refusal) Error() string { return r.name }

var (
	badCredentials  = refusal{http.StatusUnauthorized, "credentials"}
	noToken         = refusal{http.StatusUnauthorized, "no-token"}
	badSignature    = refusal{http.StatusUnauthorized, "signature"}
	expiredToken    = refusal{http.StatusUnauthorized, "expired"}
	revokedToken    = refusal{http.StatusUnauthorized, "revoked"}
	lackingClaims   = refusal{http.StatusBadRequest, "claims"}
	forbidden       = refusal{http.StatusForbidden, "forbidden"}
	foreign         = refusal{http.StatusForbidden, "foreign"}
	notFound        = refusal{http.StatusNotFound, "not-found"}
	missing         = refusal{http.StatusBadRequest, "missing"}
	wrongType       = refusal{http.StatusBadRequest, "type"}
	wrongID         = refusal{http.StatusBadRequest, "id"}
	wrongTime       = refusal{http.StatusBadRequest, "time"}
	outOfBounds     = refusal{http.StatusBadRequest, "bounds"}
	tooManySlots    = refusal{http.StatusBadRequest, "too-many-slots"}
	unknownGenre    = refusal{http.StatusBadRequest, "genre"}
	unknownSlot     = refusal{http.StatusBadRequest, "slot"}
	badSlots        = refusal{http.StatusBadRequest, "slots"}
	outsideSlots    = refusal{http.StatusBadRequest, "outside"}
	endsBeforeStart = refusal{http.StatusBadRequest, "end-before-start"}
	badRole         = refusal{http.StatusBadRequest, "role"}
	notPNG          = refusal{http.StatusBadRequest, "not-png"}
	nameTaken       = refusal{http.StatusConflict, "name-taken"}
	slotTaken       = refusal{http.StatusConflict, "slot-taken"}
	reservedAlready = refusal{http.StatusConflict, "reserved-already"}
	soldOut         = refusal{http.StatusConflict, "sold-out"}
)

func (s *service) is(name string) bool { return s.wrong[name] }

// refuse is the refusal, or nil where the service is wrong to accept.
func (s *service) refuse(q *request, why refusal) error {
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
func newService(seed *seed, wrong ...string) *service {
	s := &service{wrong: map[string]bool{}, seed: seed, mux: http.NewServeMux(), state: seed.state()}
	for _, name := range wrong {
		s.wrong[name] = true
	}
	for pattern, handle := range map[string]func(*request) (answer, error){
		"POST /api/initialize":                      s.initialize,
		"POST /api/login":                           s.login,
		"POST /api/logout":                          s.logout,
		"POST /api/users":                           s.signUp,
		"GET /api/users/{user_id}":                  s.getUser,
		"GET /api/users/{user_id}/reservations":     s.getUserReservations,
		"GET /api/genres":                           s.getGenres,
		"GET /api/venues":                           s.getVenues,
		"GET /api/venues/{venue_id}/timeslots":      s.getTimeslots,
		"GET /api/events":                           s.getEvents,
		"POST /api/events":                          s.createEvent,
		"GET /api/events/{event_id}":                s.getEvent,
		"PUT /api/events/{event_id}":                s.updateEvent,
		"GET /api/events/{event_id}/image":          s.getImage,
		"PUT /api/events/{event_id}/image":          s.putImage,
		"GET /api/events/{event_id}/reservations":   s.getEventReservations,
		"POST /api/events/{event_id}/reservations":  s.reserve,
		"GET /api/reservations/{reservation_id}":    s.getReservation,
		"DELETE /api/reservations/{reservation_id}": s.cancelReservation,
		"/api/": func(*request) (answer, error) { return answer{}, notFound },
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, pattern, handle) })
	}
	s.mux.HandleFunc("/", s.static)
	return s
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

func (s *service) serve(w http.ResponseWriter, r *http.Request, route string, handle func(*request) (answer, error)) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // whoever asked has gone
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	q := &request{Request: r, route: route, body: body}
	s.mu.Lock()
	a, err := handle(q)
	s.mu.Unlock()
	var why refusal
	if errors.As(err, &why) {
		a = s.refused(q, why)
	}
	s.send(w, q, a)
}

func (s *service) refused(q *request, why refusal) answer {
	for status := range s.wrong {
		if text, ok := strings.CutPrefix(status, q.route+" "+why.name+" "); ok {
			why.status, _ = strconv.Atoi(text)
		}
	}
	if s.is("message-code") {
		return answer{why.status, object{"message": why.status}}
	}
	if s.is("error-key") {
		return answer{why.status, object{"error": why.name}}
	}
	return answer{why.status, object{"message": why.name}}
}

func (s *service) send(w http.ResponseWriter, q *request, a answer) {
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", "*")
	var text []byte
	switch body := a.body.(type) {
	case nil:
	case picture:
		h.Set("Content-Type", "image/png")
		if s.is("image-type") {
			h.Set("Content-Type", "application/octet-stream")
		}
		text = body
	case plain:
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

// object is a JSON object, whose keys are in the order of the alphabet.
type object map[string]any

// list is a JSON array.
type list []any

// encode writes JSON, with the keys the other way round if asked for.
func (s *service) encode(body any) ([]byte, error) {
	if !s.is("keys-reversed") && !s.is("null") && !s.is("spaces") {
		return json.Marshal(body)
	}
	var out bytes.Buffer
	err := s.encodeOtherwise(&out, body)
	return out.Bytes(), err
}

func (s *service) encodeOtherwise(out *bytes.Buffer, body any) error {
	space := ""
	if s.is("spaces") {
		space = "\n\t "
	}
	switch body := body.(type) {
	case object:
		var keys []string
		for key := range body {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b string) int { return strings.Compare(b, a) })
		out.WriteByte('{')
		for i, key := range keys {
			if i > 0 {
				out.WriteString("," + space)
			}
			out.WriteString(strconv.Quote(key) + space + ":" + space)
			if err := s.encodeOtherwise(out, body[key]); err != nil {
				return err
			}
		}
		out.WriteByte('}')
	case list:
		if len(body) == 0 && s.is("null") {
			out.WriteString("null")
			return nil
		}
		out.WriteByte('[')
		for i, element := range body {
			if i > 0 {
				out.WriteString(space + ",")
			}
			if err := s.encodeOtherwise(out, element); err != nil {
				return err
			}
		}
		out.WriteByte(']')
	default:
		text, err := json.Marshal(body)
		out.Write(text)
		return err
	}
	return nil
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

// now is the time as a row keeps it.
func now() time.Time { return time.Now().UTC().Truncate(time.Second) }

// pathID is a number in the path.
func (s *service) pathID(q *request, name string) (int64, error) {
	id, err := strconv.ParseInt(q.PathValue(name), 10, 64)
	if err != nil {
		return 0, s.refuse(q, wrongID)
	}
	return id, nil
}

// number is a number in the query, or the fallback if it is not there.
func (s *service) number(q *request, name string, fallback int64) (int64, error) {
	text := q.FormValue(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return fallback, s.refuse(q, wrongType)
	}
	return n, nil
}

// page cuts what was asked for out of all there is.
func page[T any](s *service, q *request, all []T, fallback int64) ([]T, error) {
	limit, err := s.number(q, "limit", fallback)
	if err != nil {
		return nil, err
	}
	offset, err := s.number(q, "offset", 0)
	if err != nil {
		return nil, err
	}
	if limit < 0 || offset < 0 {
		if err := s.refuse(q, outOfBounds); err != nil {
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
func (s *service) read(q *request, into any) error {
	if len(bytes.TrimSpace(q.body)) == 0 {
		return nil
	}
	if err := json.NewDecoder(bytes.NewReader(q.body)).Decode(into); err != nil {
		return s.refuse(q, wrongType)
	}
	return nil
}
