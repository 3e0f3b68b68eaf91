package nttptc2020_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	pngHead      = "\x89PNG\r\n\x1a\n"
	defaultImage = pngHead + "the default"
)

// TestApp goes through the contract, section by section of the specification.
// The parts go on from what those before them left.
func TestApp(t *testing.T) {
	s := startSite(t, "a key of the test's own", (*site).fill)
	s.initialize(t)
	t.Run("tokens", s.testTokens)
	t.Run("users", s.testUsers)
	t.Run("lists", s.testLists)
	t.Run("timeslots", s.testTimeslots)
	t.Run("refused drafts", s.testRefusedDrafts)
	t.Run("events", s.testEvents)
	t.Run("images", s.testImages)
	t.Run("reservations", s.testReservations)
	t.Run("last tickets", s.testLastTickets)
	t.Run("static files", s.testStatic)
	t.Run("initialize", s.testInitialize)
}

// pass is what a token says.
type pass struct {
	Username string `json:"username,omitempty"`
	Role     string `json:"role,omitempty"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

func (s *site) sign(p pass) string { return signWith(s.key, p) }

func signWith(key string, p pass) string {
	payload, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"HS256","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload)
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// as is the token of somebody who has logged in.
func (s *site) as(username, role string) string {
	return s.sign(pass{username, role, s.now.Unix(), time.Now().Add(time.Hour).Unix()})
}

func (s *site) audience() string { return s.as("user01", "audience") }
func (s *site) artist() string   { return s.as("user03", "artist") }
func (s *site) owner() string    { return s.as("sawady", "owner") }

// send sends a request and returns status, headers and body.
func (s *site) send(t *testing.T, token, method, path, kind string, body io.Reader) (int, http.Header, []byte) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, s.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	got, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, response.Header, got
}

// expect sends JSON and wants this status and an answer of JSON, which it returns.
func (s *site) expect(t *testing.T, want int, token, method, path, body string) any {
	t.Helper()
	status, header, got := s.send(t, token, method, path, "application/json", strings.NewReader(body))
	what := fmt.Sprintf("%s %s %s", method, path, body)
	if status != want {
		t.Fatalf("%s: %d, want %d: %s", what, status, want, got)
	}
	if status == http.StatusNoContent {
		if len(got) != 0 {
			t.Errorf("%s: 204 with a body: %q", what, got)
		}
		return nil
	}
	if kind := header.Get("Content-Type"); kind != "application/json" {
		t.Errorf("%s: content type %q", what, kind)
	}
	var value any
	if err := json.Unmarshal(got, &value); err != nil {
		t.Fatalf("%s: %v: %s", what, err, got)
	}
	if status >= 400 {
		if object, _ := value.(map[string]any); object == nil || len(object) != 1 || object["message"] == "" {
			t.Errorf("%s: %d says %s", what, status, got)
		}
	}
	return value
}

func (s *site) get(t *testing.T, want int, token, path string) any {
	t.Helper()
	return s.expect(t, want, token, http.MethodGet, path, "")
}

func (s *site) initialize(t *testing.T) {
	t.Helper()
	status, header, body := s.send(t, "", http.MethodPost, "/api/initialize", "application/json", strings.NewReader("{}"))
	if status != 200 || string(body) != "1" || !strings.HasPrefix(header.Get("Content-Type"), "text/plain") {
		t.Fatalf("initialize: %d %v %q", status, header, body)
	}
}

func (s *site) login(t *testing.T, username, password string) string {
	t.Helper()
	body := fmt.Sprintf(`{"username": %q, "password": %q, "role": "audience"}`, username, password)
	return s.expect(t, 200, "", "POST", "/api/login", body).(map[string]any)["access_token"].(string)
}

func (s *site) testTokens(t *testing.T) {
	token := s.login(t, "user02", "password")
	var says pass
	payload, err := base64.RawURLEncoding.DecodeString(strings.Split(token, ".")[1])
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(payload, &says); err != nil {
		t.Fatal(err)
	}
	if says.Username != "user02" || says.Role != "audience" || says.Expires != says.Issued+3600 {
		t.Errorf("a token says %s", payload)
	}
	if token != signAgain(s.key, token) {
		t.Errorf("not signed by JWT_SECRET_KEY: %s", token)
	}
	s.get(t, 200, token, "/api/venues")
	s.expect(t, 200, token, "POST", "/api/logout", "")
	s.expect(t, 401, token, "POST", "/api/logout", "")
	s.get(t, 401, token, "/api/venues")

	hour := time.Now().Add(time.Hour).Unix()
	seeded := s.sign(pass{"user01", "audience", s.now.Unix(), s.now.AddDate(30, 0, 0).Unix()})
	for name, bad := range map[string]string{
		"none": "", "no token": "x", "another key": signWith("x", pass{"user01", "audience", 1, hour}),
		"expired": s.sign(pass{"sawady", "owner", 1, 3601}), "revoked": seeded,
	} {
		for _, path := range []string{"/api/users/1", "/api/genres", "/api/venues", "/api/venues/1/timeslots", "/api/reservations/1",
			"/api/users/1/reservations", "/api/events/1/reservations"} {
			if status, _, _ := s.send(t, bad, "GET", path, "", nil); status != 401 {
				t.Errorf("%s at %s: %d", name, path, status)
			}
		}
		for _, request := range []string{"POST /api/logout", "POST /api/events", "PUT /api/events/1", "PUT /api/events/1/image",
			"POST /api/events/1/reservations", "DELETE /api/reservations/1"} {
			method, path, _ := strings.Cut(request, " ")
			s.expect(t, 401, bad, method, path, "{}")
		}
	}
	s.get(t, 400, s.sign(pass{"", "audience", 1, hour}), "/api/venues")
	s.get(t, 400, s.sign(pass{"user01", "", 1, hour}), "/api/venues")
}

// signAgain signs the first two parts of a token again.
func signAgain(key, token string) string {
	text := token[:strings.LastIndex(token, ".")]
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return text + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

func (s *site) testUsers(t *testing.T) {
	for body, want := range map[string]int{
		`{}`: 400, `{"username": "user01"}`: 400, `{"username": "", "password": "x"}`: 400,
		`{"username": 1, "password": "x"}`: 400, `{"username": "user01", "password": "x"}`: 401,
		`{"username": "nobody", "password": "password"}`: 401,
	} {
		s.expect(t, want, "", "POST", "/api/login", body)
	}
	for body, want := range map[string]int{
		`{"username": "new", "role": "artist"}`:                          400,
		`{"username": "new", "password": "x", "role": "owner"}`:          400,
		`{"username": "new", "password": 1, "role": "artist"}`:           400,
		`{"username": "user01", "password": "x", "role": "artist"}`:      409,
		`{"username": "", "password": "password", "role": "audience"}`:   400,
		`{"username": "new", "password": "password", "role": "manager"}`: 400,
	} {
		s.expect(t, want, "", "POST", "/api/users", body)
	}
	made := s.expect(t, 201, "", "POST", "/api/users", `{"username": "new", "password": "secret", "role": "artist"}`)
	if diff := cmp.Diff(map[string]any{"user_id": 10380.0, "username": "new", "role": "artist"}, made); diff != "" {
		t.Error(diff)
	}
	s.expect(t, 409, "", "POST", "/api/users", `{"username": "new", "password": "secret", "role": "audience"}`)
	got := s.get(t, 200, s.login(t, "new", "secret"), "/api/users/10380")
	if diff := cmp.Diff(made, got); diff != "" {
		t.Error(diff)
	}
	for path, want := range map[string]int{"1": 200, "2": 403, "999999": 404, "0": 404, "-1": 404, "x": 400} {
		s.get(t, want, s.audience(), "/api/users/"+path)
	}
	s.get(t, 200, s.owner(), "/api/users/1")
}

func (s *site) testLists(t *testing.T) {
	genres := s.get(t, 200, s.artist(), "/api/genres")
	if diff := cmp.Diff([]any{map[string]any{"id": 1.0, "name": "Pop"}, map[string]any{"id": 2.0, "name": "Rock"}}, genres); diff != "" {
		t.Error(diff)
	}
	s.get(t, 403, s.audience(), "/api/genres")

	venues := s.get(t, 200, s.audience(), "/api/venues?limit=1&offset=1").([]any)
	if len(venues) != 1 || cmp.Diff([]string{"capacity", "created_at", "id", "name", "updated_at"}, keys(venues[0])) != "" {
		t.Errorf("venues: %v", venues)
	}
	upcoming := s.get(t, 200, "", "/api/events").([]any)
	if len(upcoming) != 1 || upcoming[0].(map[string]any)["event_name"] != "tomorrow" {
		t.Errorf("upcoming events: %v", upcoming)
	}
	for path, want := range map[string]int{
		"/api/events?limit=x": 400, "/api/events?offset=x": 400, "/api/events?limit=-1": 400, "/api/events?offset=-1": 400,
		"/api/events?user_id=x": 400, "/api/events?limit=0": 200, "/api/events?user_id=5": 200, "/api/events?offset=100": 200,
	} {
		if got := s.get(t, want, "", path); want == 200 && cmp.Diff([]any{}, got) != "" {
			t.Errorf("%s: %v", path, got)
		}
	}
	s.get(t, 400, s.artist(), "/api/venues?limit=-1")
}

func keys(object any) []string {
	var names []string
	for _, name := range []string{"capacity", "created_at", "end_at", "id", "name", "start_at", "updated_at"} {
		if _, ok := object.(map[string]any)[name]; ok {
			names = append(names, name)
		}
	}
	return names
}

func (s *site) testTimeslots(t *testing.T) {
	window := "?from=" + s.at(1, "00:00:00") + "&to=" + s.at(2, "12:00:00")
	slots := s.get(t, 200, s.artist(), "/api/venues/1/timeslots"+window).([]any)
	var ids []any
	for _, slot := range slots {
		ids = append(ids, slot.(map[string]any)["id"])
		if diff := cmp.Diff([]string{"created_at", "end_at", "id", "start_at", "updated_at"}, keys(slot)); diff != "" {
			t.Error(diff)
		}
	}
	if diff := cmp.Diff([]any{3.0, 4.0}, ids); diff != "" {
		t.Errorf("free slots: %s", diff)
	}
	for path, want := range map[string]int{
		"9/timeslots": 404, "x/timeslots": 400, "1/timeslots?from=yesterday": 400, "1/timeslots?to=2020-01-01": 400,
	} {
		s.get(t, want, s.artist(), "/api/venues/"+path)
	}
	s.get(t, 403, s.audience(), "/api/venues/1/timeslots")
	s.get(t, 404, s.audience(), "/api/venues/9/timeslots")
	s.get(t, 200, s.owner(), "/api/venues/1/timeslots")
}

// at is a time so many days from now, as the API tells it.
func (s *site) at(days int, clock string) string {
	return s.now.AddDate(0, 0, days).Format("2006-01-02T") + clock + "Z"
}

// draft is the body of an event in slots 3 and 4, the whole day after tomorrow.
func (s *site) draft(change func(map[string]any)) string {
	d := map[string]any{
		"event_name": "live", "event_genre_id": 1, "timeslot_ids": []int{4, 3}, "price": 3000,
		"start_at": s.at(2, "00:00:00"), "end_at": s.at(2, "23:59:59"),
	}
	change(d)
	text, err := json.Marshal(d)
	if err != nil {
		panic(err)
	}
	return string(text)
}

func with(name string, value any) func(map[string]any) {
	return func(d map[string]any) { d[name] = value }
}

func (s *site) testRefusedDrafts(t *testing.T) {
	for name, change := range map[string]func(map[string]any){
		"no name":        func(d map[string]any) { delete(d, "event_name") },
		"empty name":     with("event_name", ""),
		"name of number": with("event_name", 1),
		"genre 0":        with("event_genre_id", 0),
		"genre unknown":  with("event_genre_id", 99),
		"genre negative": with("event_genre_id", -1),
		"genre of text":  with("event_genre_id", "1"),
		"no slots":       with("timeslot_ids", []int{}),
		"three slots":    with("timeslot_ids", []int{3, 4, 5}),
		"unknown slot":   with("timeslot_ids", []int{999}),
		"slot twice":     with("timeslot_ids", []int{3, 3}),
		"other venue":    with("timeslot_ids", []int{3, 9}),
		"other day":      with("timeslot_ids", []int{4, 5}),
		"slots of text":  with("timeslot_ids", "3"),
		"price 0":        with("price", 0),
		"price of text":  with("price", "1000"),
		"bad start":      with("start_at", "tomorrow"),
		"no end":         func(d map[string]any) { delete(d, "end_at") },
		"early start":    with("start_at", s.at(1, "23:59:59")),
		"late end":       with("end_at", s.at(3, "00:00:00")),
		"end first":      with("end_at", s.at(2, "00:00:00")),
	} {
		t.Run(name, func(t *testing.T) {
			s.expect(t, 400, s.artist(), "POST", "/api/events", s.draft(change))
			s.expect(t, 400, s.artist(), "PUT", "/api/events/1", s.draft(change))
		})
	}
	same := func(map[string]any) {}
	s.expect(t, 403, s.audience(), "POST", "/api/events", "")
	s.expect(t, 403, s.owner(), "POST", "/api/events", "")
	s.expect(t, 409, s.artist(), "POST", "/api/events", s.draft(func(d map[string]any) {
		d["timeslot_ids"], d["start_at"], d["end_at"] = []int{1}, s.at(1, "00:00:00"), s.at(1, "11:00:00")
	}))
	s.expect(t, 404, s.artist(), "PUT", "/api/events/999999", s.draft(same))
	s.expect(t, 400, s.artist(), "PUT", "/api/events/999999", "{}")
	s.expect(t, 403, s.artist(), "PUT", "/api/events/2", s.draft(same))
	s.expect(t, 403, s.audience(), "PUT", "/api/events/1", s.draft(same))
	var events, taken int
	if err := s.db.QueryRow("SELECT (SELECT COUNT(*) FROM events), (SELECT COUNT(*) FROM timeslots WHERE event_id IS NOT NULL)").Scan(&events, &taken); err != nil {
		t.Fatal(err)
	}
	if events != 2 || taken != 2 {
		t.Errorf("refused drafts left %d events and %d slots that are taken", events, taken)
	}
}

var second = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$`)

func (s *site) testEvents(t *testing.T) {
	tokyo := s.now.AddDate(0, 0, 2).Format("2006-01-02T") + "09:00:00+09:00"
	made := s.expect(t, 201, s.artist(), "POST", "/api/events", s.draft(with("start_at", tokyo))).(map[string]any)
	for _, name := range []string{"created_at", "updated_at"} {
		if !second.MatchString(made[name].(string)) {
			t.Errorf("%s: %v", name, made[name])
		}
	}
	path := fmt.Sprintf("/api/events/%v", made["id"])
	want := map[string]any{
		"id": made["id"], "event_name": "live", "event_genre_id": 1.0, "artist_id": 3.0, "artist_name": "user03",
		"venue_id": 1.0, "venue_name": "venues01", "start_at": s.at(2, "00:00:00"), "end_at": s.at(2, "23:59:59"),
		"price": 3000.0, "timeslot_ids": []any{3.0, 4.0}, "capacity": 10.0, "current_resv": 0.0,
		"created_at": made["created_at"], "updated_at": made["updated_at"],
	}
	if diff := cmp.Diff(want, made); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(want, s.get(t, 200, "", path)); diff != "" {
		t.Error(diff)
	}

	// Its own slot again is no conflict, another's is; the slot that it leaves is free.
	half := func(d map[string]any) {
		d["timeslot_ids"], d["end_at"], d["price"] = []int{3}, s.at(2, "11:59:59"), 4000
	}
	got := s.expect(t, 200, s.owner(), "PUT", path, s.draft(half)).(map[string]any)
	want["timeslot_ids"], want["end_at"], want["price"], want["updated_at"] = []any{3.0}, s.at(2, "11:59:59"), 4000.0, got["updated_at"]
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	s.expect(t, 409, s.artist(), "PUT", "/api/events/1", s.draft(half))
	if got := s.get(t, 200, "", "/api/events/1").(map[string]any); cmp.Diff([]any{1.0, 2.0}, got["timeslot_ids"]) != "" {
		t.Errorf("a refused change lost slots: %v", got)
	}
	for id, want := range map[string]int{"0": 404, "-3": 404, "999999": 404, "x": 400} {
		s.get(t, want, "", "/api/events/"+id)
	}
}

func (s *site) testImages(t *testing.T) {
	image := func(want string) {
		t.Helper()
		status, header, got := s.send(t, "", "GET", "/api/events/1/image", "", nil)
		if status != 200 || header.Get("Content-Type") != "image/png" || string(got) != want {
			t.Errorf("image: %d %v %.40q, want %.40q", status, header, got, want)
		}
	}
	image(defaultImage)
	for _, picture := range []string{pngHead + strings.Repeat("x", 2_000_000), pngHead + "y"} { // over nginx's default of 1 MB, too
		if got := s.upload(t, s.artist(), "1", "image", picture); got != 204 {
			t.Fatalf("upload: %d", got)
		}
		image(picture)
	}
	for _, c := range []struct {
		token, event, field, picture string
		want                         int
	}{
		{s.artist(), "1", "picture", pngHead, 400}, {s.artist(), "1", "image", "GIF89a", 400},
		{s.artist(), "2", "image", "GIF89a", 403}, {s.audience(), "1", "image", pngHead, 403},
		{s.artist(), "999999", "image", "GIF89a", 404}, {s.artist(), "x", "image", pngHead, 400},
	} {
		if got := s.upload(t, c.token, c.event, c.field, c.picture); got != c.want {
			t.Errorf("upload of %q as %s to event %s: %d, want %d", c.picture, c.field, c.event, got, c.want)
		}
	}
	s.expect(t, 400, s.artist(), "PUT", "/api/events/1/image", "{}")
	s.get(t, 404, "", "/api/events/999999/image")
}

func (s *site) upload(t *testing.T, token, event, field, picture string) int {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile(field, "event.png")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, picture); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	status, _, _ := s.send(t, token, "PUT", "/api/events/"+event+"/image", form.FormDataContentType(), &body)
	return status
}

func (s *site) testReservations(t *testing.T) {
	first := map[string]any{
		"id": 1.0, "user_id": 1.0, "username": "user01", "event_id": 1.0, "event_name": "tomorrow", "event_price": 5000.0,
		"event_start_at": s.at(1, "10:00:00"), "event_end_at": s.at(1, "18:00:00"), "venue_name": "venues01", "num_of_resv": 3.0,
		"created_at": "2020-07-03T01:02:03Z", "updated_at": "2020-07-03T01:02:03Z",
	}
	if diff := cmp.Diff(first, s.get(t, 200, s.audience(), "/api/reservations/1")); diff != "" {
		t.Error(diff)
	}
	for _, path := range []string{"/api/users/1/reservations", "/api/events/1/reservations"} {
		if diff := cmp.Diff([]any{first}, s.get(t, 200, s.owner(), path)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]any{}, s.get(t, 200, s.owner(), path+"?offset=1")); diff != "" {
			t.Error(diff)
		}
		s.get(t, 400, s.owner(), path+"?limit=x")
	}
	for _, c := range []struct {
		token, path string
		want        int
	}{
		{s.artist(), "/api/users/3/reservations", 403}, {s.audience(), "/api/users/2/reservations", 403},
		{s.artist(), "/api/users/999999/reservations", 404}, {s.audience(), "/api/users/1/reservations", 200},
		{s.audience(), "/api/events/1/reservations", 403}, {s.audience(), "/api/events/999999/reservations", 404},
		{s.artist(), "/api/events/2/reservations", 403}, {s.artist(), "/api/events/1/reservations", 200},
		{s.audience(), "/api/reservations/2", 403}, {s.artist(), "/api/reservations/1", 403},
		{s.audience(), "/api/reservations/999999", 404}, {s.audience(), "/api/reservations/x", 400},
	} {
		s.get(t, c.want, c.token, c.path)
	}

	path := "/api/events/1/reservations"
	for body, want := range map[string]int{`{}`: 400, ``: 400, `{"num_of_resv": 0}`: 400, `{"num_of_resv": -1}`: 400,
		`{"num_of_resv": "2"}`: 400, `{"num_of_resv": 100000}`: 409, `{"num_of_resv": 8}`: 409, `{"num_of_resv": 9223372036854775807}`: 409} {
		s.expect(t, want, s.as("user02", "audience"), "POST", path, body)
	}
	s.expect(t, 409, s.audience(), "POST", path, `{"num_of_resv": 1}`)
	s.expect(t, 403, s.artist(), "POST", path, `{"num_of_resv": 1}`)
	s.expect(t, 404, s.audience(), "POST", "/api/events/999999/reservations", `{"num_of_resv": 1}`)

	made := s.expect(t, 201, s.as("user02", "audience"), "POST", path, `{"num_of_resv": 7}`).(map[string]any)
	if got := s.get(t, 200, "", "/api/events/1").(map[string]any)["current_resv"]; got != 10.0 {
		t.Errorf("tickets after a reservation: %v", got)
	}
	one := fmt.Sprintf("/api/reservations/%v", made["id"])
	s.expect(t, 403, s.audience(), "DELETE", one, "")
	s.expect(t, 204, s.as("user02", "audience"), "DELETE", one, "")
	s.expect(t, 404, s.as("user02", "audience"), "DELETE", one, "")
	if got := s.get(t, 200, "", "/api/events/1").(map[string]any)["current_resv"]; got != 3.0 {
		t.Errorf("tickets after it was cancelled: %v", got)
	}
}

// Seven tickets are left; of twenty who want one each at the same time, thirteen go
// without, and nobody gets two.
func (s *site) testLastTickets(t *testing.T) {
	var wg sync.WaitGroup
	statuses := make([]int, 40)
	for i := range 20 {
		name := fmt.Sprint("fan", i)
		s.expect(t, 201, "", "POST", "/api/users", fmt.Sprintf(`{"username": %q, "password": "x", "role": "audience"}`, name))
		for again := range 2 {
			wg.Go(func() {
				statuses[2*i+again], _, _ = s.send(t, s.as(name, "audience"), "POST", "/api/events/1/reservations",
					"application/json", strings.NewReader(`{"num_of_resv": 1}`))
			})
		}
	}
	wg.Wait()
	count := map[int]int{}
	for _, status := range statuses {
		count[status]++
	}
	if diff := cmp.Diff(map[int]int{201: 7, 409: 33}, count); diff != "" {
		t.Error(diff)
	}
	if got := s.get(t, 200, "", "/api/events/1").(map[string]any)["current_resv"]; got != 10.0 {
		t.Errorf("tickets: %v", got)
	}
}

func (s *site) testStatic(t *testing.T) {
	_, _, index := s.send(t, "", "GET", "/", "", nil)
	for path, want := range map[string]string{"/index.html": string(index), "/img/default.png": defaultImage} {
		if status, _, got := s.send(t, "", "GET", path, "", nil); status != 200 || string(got) != want {
			t.Errorf("%s: %d %.60q", path, status, got)
		}
	}
	s.get(t, 404, "", "/api/nothing")
}

func (s *site) testInitialize(t *testing.T) {
	token := s.login(t, "sawady", "password")
	s.expect(t, 200, token, "POST", "/api/logout", "")
	s.initialize(t)
	s.get(t, 404, s.owner(), "/api/users/10380")
	if events := s.get(t, 200, s.owner(), "/api/events").([]any); len(events) != 1 {
		t.Errorf("%d upcoming events after initialization", len(events))
	}
	event := s.get(t, 200, "", "/api/events/1").(map[string]any)
	if event["current_resv"] != 3.0 || cmp.Diff([]any{1.0, 2.0}, event["timeslot_ids"]) != "" {
		t.Errorf("event 1 after initialization: %v", event)
	}
	s.get(t, 200, token, "/api/venues") // the list is as it was given
	if _, _, got := s.send(t, "", "GET", "/api/events/1/image", "", nil); string(got) == defaultImage {
		t.Error("initialization took back the image of an initial event, which the contest's did not")
	}
}
