package nttscenario

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// visitor talks to a service without any of the scenario's code.
type asker struct {
	t       *testing.T
	service *service
	token   string
}

// ask sends a request and decodes the answer, whose status has to be the given one.
func (v *asker) ask(status int, method, path, body string) any {
	v.t.Helper()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	if v.token != "" {
		r.Header.Set("Authorization", "Bearer "+v.token)
	}
	w := httptest.NewRecorder()
	v.service.ServeHTTP(w, r)
	text, _ := io.ReadAll(w.Result().Body)
	if w.Code != status {
		v.t.Errorf("%s %s %s: got %d %s, want %d", method, path, body, w.Code, text, status)
	}
	var fakeAnswer any
	if w.Header().Get("Content-Type") == "application/json" {
		if err := json.Unmarshal(text, &fakeAnswer); err != nil {
			v.t.Errorf("%s %s: %v: %s", method, path, err, text)
		}
	}
	return fakeAnswer
}

func (v *asker) login(name string) *asker {
	v.t.Helper()
	fakeAnswer, _ := v.ask(http.StatusOK, "POST", "/api/login", fmt.Sprintf(`{"username": %q, "password": "password", "role": "x"}`, name)).(map[string]any)
	token, _ := fakeAnswer["access_token"].(string)
	return &asker{v.t, v.service, token}
}

// The double does what the specification says, whatever the scenario makes of it.
func TestService(t *testing.T) {
	t.Parallel()
	seed := testSeed(t)
	nobody := &asker{t: t, service: newService(seed)}
	audience, artist, owner := nobody.login("user01"), nobody.login("user03"), nobody.login("sawady")

	if jsonList := nobody.ask(200, "GET", "/api/events?offset=1700", "").([]any); len(jsonList) != 12 {
		t.Errorf("%d events", len(jsonList))
	}
	nobody.ask(400, "GET", "/api/events?offset=-1", "")
	nobody.ask(400, "GET", "/api/events?limit=x", "")
	nobody.ask(401, "POST", "/api/logout", "")
	nobody.ask(401, "POST", "/api/login", `{"username": "user01", "password": "other"}`)
	nobody.ask(400, "POST", "/api/login", `{"username": "user01"}`)
	nobody.ask(400, "POST", "/api/login", `{"username": 1, "password": "x"}`)
	nobody.ask(409, "POST", "/api/users", `{"username": "user03", "password": "x", "role": "audience"}`)
	nobody.ask(400, "POST", "/api/users", `{"username": "new", "password": "x", "role": "owner"}`)
	nobody.ask(201, "POST", "/api/users", `{"username": "new", "password": "password", "role": "artist"}`)
	nobody.login("new").ask(403, "GET", "/api/users/1", "")
	audience.ask(404, "GET", "/api/users/999999", "")
	audience.ask(400, "GET", "/api/users/x", "")
	audience.ask(403, "GET", "/api/genres", "")
	artist.ask(200, "GET", "/api/genres", "")

	free := seed.slots[2]
	draft := func(price int, slot int64, start, end time.Time) string {
		return fmt.Sprintf(`{"event_name": "n", "event_genre_id": 2, "timeslot_ids": [%d], "price": %d, "start_at": %q, "end_at": %q}`,
			slot, price, start.In(time.FixedZone("", 9*3600)).Format(time.RFC3339), end.Format(time.RFC3339))
	}
	audience.ask(403, "POST", "/api/events", "")
	artist.ask(400, "POST", "/api/events", "")
	artist.ask(400, "POST", "/api/events", draft(0, free.id, free.start, free.end))
	artist.ask(400, "POST", "/api/events", draft(1, free.id, free.start.Add(-time.Second), free.end))
	artist.ask(409, "POST", "/api/events", draft(1, 1, seed.slots[0].start, seed.slots[0].end))
	made := artist.ask(201, "POST", "/api/events", draft(100, free.id, free.start, free.end)).(map[string]any)
	event := fmt.Sprintf("/api/events/%v", made["id"])
	if made["start_at"] != free.start.Format("2006-01-02T15:04:05Z") || made["current_resv"] != 0.0 || made["artist_name"] != "user03" {
		t.Errorf("made %v", made)
	}
	if shown := artist.ask(200, "PUT", event, draft(200, free.id, free.start, free.end)).(map[string]any); shown["price"] != 200.0 {
		t.Errorf("changed to %v", shown)
	}
	artist.ask(409, "PUT", event, draft(200, 1, seed.slots[0].start, seed.slots[0].end))
	nobody.login("user04").ask(403, "PUT", event, draft(200, free.id, free.start, free.end))
	artist.ask(400, "PUT", event+"/image", "")
	artist.ask(404, "PUT", "/api/events/999999/image", "")

	artist.ask(403, "POST", event+"/reservations", `{"num_of_resv": 1}`)
	audience.ask(400, "POST", event+"/reservations", `{"num_of_resv": "1"}`)
	audience.ask(400, "POST", event+"/reservations", `{"num_of_resv": 0}`)
	audience.ask(409, "POST", event+"/reservations", `{"num_of_resv": 100000}`)
	got := audience.ask(201, "POST", event+"/reservations", `{"num_of_resv": 3}`).(map[string]any)
	audience.ask(409, "POST", event+"/reservations", `{"num_of_resv": 1}`)
	if shown := nobody.ask(200, "GET", event, "").(map[string]any); shown["current_resv"] != 3.0 {
		t.Errorf("3 tickets reserved of %v", shown)
	}
	if all := owner.ask(200, "GET", event+"/reservations", "").([]any); len(all) != 1 {
		t.Errorf("reservations %v", all)
	}
	audience.ask(403, "GET", event+"/reservations", "")
	reservation := fmt.Sprintf("/api/reservations/%v", got["id"])
	nobody.login("user02").ask(403, "GET", reservation, "")
	audience.ask(204, "DELETE", reservation, "")
	audience.ask(404, "DELETE", reservation, "")

	audience.ask(200, "POST", "/api/logout", "")
	audience.ask(401, "GET", "/api/venues", "")
	(&asker{t, nobody.service, seed.revoked[7]}).ask(401, "GET", "/api/venues", "")
	nobody.ask(200, "POST", "/api/initialize", "{}")
	nobody.ask(404, "GET", event, "")
	audience.ask(200, "GET", "/api/venues", "")
}
