package nttscenario

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
)

// overheard is a service whose refusals are written down, as "ROUTE NAME".
type overheard struct {
	*service
	mu       sync.Mutex
	refusals map[string]bool
}

// copied is an answer that is kept while it is written.
type copied struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (w *copied) WriteHeader(status int) {
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *copied) Write(text []byte) (int, error) {
	if w.status >= 400 {
		w.body.Write(text)
	}
	return w.ResponseWriter.Write(text)
}

func (o *overheard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c := &copied{ResponseWriter: w}
	o.service.ServeHTTP(c, r)
	var said struct{ Message string }
	if json.Unmarshal(c.body.Bytes(), &said) == nil && said.Message != "" {
		o.mu.Lock()
		defer o.mu.Unlock()
		o.refusals[r.Pattern+" "+said.Message] = true
	}
}

// Whatever an endpoint can refuse is tried before the load. As each attempt has
// its one status, no answer with another goes unnoticed.
func TestEveryRefusalIsTried(t *testing.T) {
	t.Parallel()
	const (
		token = "no-token signature expired revoked "
		draft = "missing type time too-many-slots genre slot slots outside end-before-start slot-taken "
	)
	o := &overheard{service: newService(testSeed(t)), refusals: map[string]bool{}}
	execute(t.Context(), t, o, "--duration", verifyOnly)
	var missing []string
	for route, names := range map[string]string{
		"POST /api/login":                           "missing type credentials",
		"POST /api/logout":                          token,
		"POST /api/users":                           "missing type role name-taken",
		"GET /api/users/{user_id}":                  token + "claims id not-found foreign",
		"GET /api/users/{user_id}/reservations":     token + "id not-found forbidden foreign type bounds",
		"GET /api/genres":                           token + "forbidden",
		"GET /api/venues":                           token + "credentials claims type bounds",
		"GET /api/venues/{venue_id}/timeslots":      token + "id not-found forbidden time",
		"GET /api/events":                           "type bounds",
		"POST /api/events":                          token + draft + "forbidden",
		"GET /api/events/{event_id}":                "id not-found",
		"PUT /api/events/{event_id}":                token + draft + "bounds id not-found forbidden foreign",
		"GET /api/events/{event_id}/image":          "id not-found",
		"PUT /api/events/{event_id}/image":          token + "id not-found forbidden foreign missing not-png",
		"GET /api/events/{event_id}/reservations":   token + "id not-found forbidden foreign type bounds",
		"POST /api/events/{event_id}/reservations":  token + "id not-found forbidden missing type bounds reserved-already sold-out",
		"GET /api/reservations/{reservation_id}":    token + "id not-found forbidden foreign",
		"DELETE /api/reservations/{reservation_id}": token + "id not-found forbidden foreign",
	} {
		for _, name := range strings.Fields(names) {
			if !o.refusals[route+" "+name] {
				missing = append(missing, route+" "+name)
			}
		}
	}
	slices.Sort(missing)
	for _, m := range missing {
		t.Errorf("never tried: %s", m)
	}
}
