package isucon12q_test

import (
	"bytes"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestApps goes through the contract of each app, section by section of the
// specification. Each part keeps to tenants of its own.
func TestApps(t *testing.T) {
	for _, language := range []string{"go", "ruby"} {
		t.Run(language, func(t *testing.T) {
			s := startSite(t, language)
			t.Run("initial billing", s.testInitialBilling)
			t.Run("tokens", s.testTokens)
			t.Run("me", s.testMe)
			t.Run("tenants", s.testTenants)
			t.Run("players", s.testPlayers)
			t.Run("competition", s.testCompetition)
			t.Run("uploads", s.testUploads)
			t.Run("disqualification", s.testDisqualification)
			t.Run("whole sheets", s.testWholeSheets)
			t.Run("writes beside bills", s.testWritesBesideBills)
			t.Run("trace", s.testTrace)
			t.Run("initialize", s.testInitialize)
			t.Run("blackauth", s.testBlackauth)
		})
	}
}

// caller sends requests with one token to one host.
type caller struct {
	s     *site
	host  string
	token string
}

// pass is what a token says.
type pass struct {
	Issuer   string   `json:"iss"`
	Subject  string   `json:"sub,omitempty"`
	Audience []string `json:"aud"`
	Role     string   `json:"role,omitempty"`
	Expires  int64    `json:"exp"`
}

// signPass makes a token of the algorithm RS256 or RS512.
func signPass(key *rsa.PrivateKey, algorithm string, p pass) string {
	payload, err := json.Marshal(p)
	if err != nil {
		panic(err)
	}
	text := base64.RawURLEncoding.EncodeToString([]byte(`{"alg":"`+algorithm+`","typ":"JWT"}`)) + "." + base64.RawURLEncoding.EncodeToString(payload)
	digest, hash := sha256.Sum256([]byte(text)), crypto.SHA256
	sum := digest[:]
	if algorithm == "RS512" {
		long := sha512.Sum512([]byte(text))
		sum, hash = long[:], crypto.SHA512
	}
	signature, err := rsa.SignPKCS1v15(nil, key, hash, sum)
	if err != nil {
		panic(err)
	}
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func (s *site) as(tenant, role, subject string) caller {
	p := pass{"isuports", subject, []string{tenant}, role, time.Now().Add(time.Hour).Unix()}
	return caller{s, tenant + ".t.isucon.dev", signPass(s.key, "RS256", p)}
}

func (s *site) admin() caller                   { return s.as("admin", "admin", "admin") }
func (s *site) organizer(tenant string) caller  { return s.as(tenant, "organizer", "organizer") }
func (s *site) player(tenant, id string) caller { return s.as(tenant, "player", id) }

// send sends a request and returns its status and the data of its answer.
func (c caller) send(t *testing.T, method, path, kind string, body io.Reader) (int, map[string]any) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, c.s.url+path, body)
	if err != nil {
		t.Fatal(err)
	}
	request.Host = c.host
	if kind != "" {
		request.Header.Set("Content-Type", kind)
	}
	if c.token != "" {
		request.AddCookie(&http.Cookie{Name: "isuports_session", Value: c.token})
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	var envelope struct {
		Status *bool
		Data   map[string]any
	}
	if err := json.NewDecoder(response.Body).Decode(&envelope); err != nil {
		t.Fatalf("%s %s: %d: %v", method, path, response.StatusCode, err)
	}
	if envelope.Status == nil || *envelope.Status != (response.StatusCode == http.StatusOK) {
		t.Errorf("%s %s: %d with a status of %v", method, path, response.StatusCode, envelope.Status)
	}
	if got := response.Header.Get("Content-Type"); !strings.HasPrefix(got, "application/json") {
		t.Errorf("%s %s: content type %q", method, path, got)
	}
	if got := response.Header.Get("Cache-Control"); got != "private" {
		t.Errorf("%s %s: cache control %q", method, path, got)
	}
	return response.StatusCode, envelope.Data
}

func (c caller) get(t *testing.T, path string) (int, map[string]any) {
	t.Helper()
	return c.send(t, http.MethodGet, path, "", nil)
}

func (c caller) post(t *testing.T, path string, form url.Values) (int, map[string]any) {
	t.Helper()
	return c.send(t, http.MethodPost, path, "application/x-www-form-urlencoded", strings.NewReader(form.Encode()))
}

func (c caller) upload(t *testing.T, competition, sheet string) (int, map[string]any) {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	part, err := form.CreateFormFile("scores", "scores.csv")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(part, sheet); err != nil {
		t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	return c.send(t, http.MethodPost, "/api/organizer/competition/"+competition+"/score", form.FormDataContentType(), &body)
}

// expect sends a GET or, with a form, a POST and wants this status.
func (c caller) expect(t *testing.T, want int, path string, form url.Values) map[string]any {
	t.Helper()
	var got int
	var data map[string]any
	if form == nil {
		got, data = c.get(t, path)
	} else {
		got, data = c.post(t, path, form)
	}
	if got != want {
		t.Errorf("%s at %s: %d, want %d", path, c.host, got, want)
	}
	return data
}

// newTenant adds a tenant and as many players, whose ids it returns.
func (s *site) newTenant(t *testing.T, name string, players int) (caller, []string) {
	t.Helper()
	s.admin().expect(t, 200, "/api/admin/tenants/add", url.Values{"name": {name}, "display_name": {name}})
	o := s.organizer(name)
	form := url.Values{}
	for i := range players {
		form.Add("display_name[]", fmt.Sprint("player ", i))
	}
	var ids []string
	for _, p := range list(o.expect(t, 200, "/api/organizer/players/add", form), "players") {
		ids = append(ids, p["id"].(string))
	}
	return o, ids
}

func newCompetition(t *testing.T, o caller, title string) string {
	t.Helper()
	data := o.expect(t, 200, "/api/organizer/competitions/add", url.Values{"title": {title}})
	return data["competition"].(map[string]any)["id"].(string)
}

func (s *site) initialize(t *testing.T) {
	t.Helper()
	status, data := caller{s, "admin.t.isucon.dev", ""}.post(t, "/initialize", url.Values{})
	if lang, _ := data["lang"].(string); status != 200 || lang == "" {
		t.Fatalf("initialize: %d, lang %q", status, lang)
	}
}

// list is a member that is a list of objects.
func list(data map[string]any, name string) []map[string]any {
	var out []map[string]any
	members, _ := data[name].([]any)
	for _, m := range members {
		out = append(out, m.(map[string]any))
	}
	return out
}

// column is one member of each object in a list.
func column(data map[string]any, name, member string) []any {
	out := []any{}
	for _, m := range list(data, name) {
		out = append(out, m[member])
	}
	return out
}

func same(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

func (s *site) testInitialBilling(t *testing.T) {
	data := s.admin().expect(t, 200, "/api/admin/tenants/billing", nil)
	same(t, "names", []any{"second", "first"}, column(data, "tenants", "name"))
	same(t, "ids", []any{"2", "1"}, column(data, "tenants", "id"))
	// Two with scores, two that looked before the end; c2 is not finished.
	same(t, "yen", []any{0.0, 220.0}, column(data, "tenants", "billing"))
	same(t, "before 2", []any{"1"}, column(s.admin().expect(t, 200, "/api/admin/tenants/billing?before=2", nil), "tenants", "id"))
	same(t, "before 0", []any{"2", "1"}, column(s.admin().expect(t, 200, "/api/admin/tenants/billing?before=0", nil), "tenants", "id"))
	data = s.admin().expect(t, 200, "/api/admin/tenants/billing?before=1", nil)
	if tenants, ok := data["tenants"].([]any); !ok || len(tenants) != 0 {
		t.Errorf("past the last page: %v", data)
	}
	s.admin().expect(t, 400, "/api/admin/tenants/billing?before=x", nil)
	s.organizer("first").expect(t, 404, "/api/admin/tenants/billing", nil)

	data = s.organizer("first").expect(t, 200, "/api/organizer/billing", nil)
	same(t, "reports", []map[string]any{
		{"competition_id": "c2", "competition_title": "Going on", "player_count": 0.0, "visitor_count": 0.0,
			"billing_player_yen": 0.0, "billing_visitor_yen": 0.0, "billing_yen": 0.0},
		{"competition_id": "c1", "competition_title": "Opening", "player_count": 2.0, "visitor_count": 2.0,
			"billing_player_yen": 200.0, "billing_visitor_yen": 20.0, "billing_yen": 220.0},
	}, list(data, "reports"))
}

func (s *site) testTokens(t *testing.T) {
	other, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	soon, past := time.Now().Add(time.Hour).Unix(), time.Now().Add(-time.Minute).Unix()
	first := []string{"first"}
	for name, c := range map[string]struct {
		host, token string
		want        int
	}{
		"right":               {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", first, "organizer", soon}), 200},
		"another issuer":      {"first", signPass(s.key, "RS256", pass{"somebody", "organizer", first, "organizer", soon}), 200},
		"none":                {"first", "", 401},
		"garbage":             {"first", "a.b.c", 401},
		"expired":             {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", first, "organizer", past}), 401},
		"another key":         {"first", signPass(other, "RS256", pass{"isuports", "organizer", first, "organizer", soon}), 401},
		"RS512":               {"first", signPass(s.key, "RS512", pass{"isuports", "organizer", first, "organizer", soon}), 401},
		"nobody":              {"first", signPass(s.key, "RS256", pass{"isuports", "", first, "organizer", soon}), 401},
		"no role":             {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", first, "", soon}), 401},
		"another role":        {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", first, "owner", soon}), 401},
		"two audiences":       {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", []string{"first", "second"}, "organizer", soon}), 401},
		"no audience":         {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", []string{}, "organizer", soon}), 401},
		"another tenant":      {"first", signPass(s.key, "RS256", pass{"isuports", "organizer", []string{"second"}, "organizer", soon}), 401},
		"unknown tenant":      {"nobody", signPass(s.key, "RS256", pass{"isuports", "organizer", []string{"nobody"}, "organizer", soon}), 401},
		"organizer at admin":  {"admin", signPass(s.key, "RS256", pass{"isuports", "organizer", []string{"admin"}, "organizer", soon}), 401},
		"player as organizer": {"first", signPass(s.key, "RS256", pass{"isuports", "a1", first, "player", soon}), 403},
	} {
		t.Run(name, func(t *testing.T) {
			caller{s, c.host + ".t.isucon.dev", c.token}.expect(t, c.want, "/api/organizer/competitions", nil)
		})
	}
	s.organizer("first").expect(t, 403, "/api/player/competitions", nil)
	s.player("first", "nobody").expect(t, 401, "/api/player/competitions", nil)
	s.player("first", "a2").expect(t, 403, "/api/player/competitions", nil)
	s.as("first", "admin", "admin").expect(t, 404, "/api/admin/tenants/add", url.Values{"name": {"x1"}})
	s.organizer("first").expect(t, 404, "/api/unknown", nil)
}

func (s *site) testMe(t *testing.T) {
	tenant := map[string]any{"name": "first", "display_name": "一番"}
	guest := map[string]any{"tenant": tenant, "me": nil, "role": "none", "logged_in": false}
	same(t, "guest", guest, caller{s, "first.t.isucon.dev", ""}.expect(t, 200, "/api/me", nil))
	same(t, "unknown player", guest, s.player("first", "nobody").expect(t, 200, "/api/me", nil))
	same(t, "organizer", map[string]any{"tenant": tenant, "me": nil, "role": "organizer", "logged_in": true},
		s.organizer("first").expect(t, 200, "/api/me", nil))
	same(t, "disqualified player", map[string]any{"tenant": tenant, "role": "player", "logged_in": true,
		"me": map[string]any{"id": "a2", "display_name": "Bob", "is_disqualified": true}},
		s.player("first", "a2").expect(t, 200, "/api/me", nil))
	same(t, "admin", map[string]any{"tenant": map[string]any{"name": "admin", "display_name": "admin"}, "me": nil, "role": "admin", "logged_in": true},
		s.admin().expect(t, 200, "/api/me", nil))
}

func (s *site) testTenants(t *testing.T) {
	data := s.admin().expect(t, 200, "/api/admin/tenants/add", url.Values{"name": {"new-one"}, "display_name": {"新しい"}})
	tenant := data["tenant"].(map[string]any)
	if _, ok := tenant["id"].(string); !ok {
		t.Errorf("id %v", tenant["id"])
	}
	delete(tenant, "id")
	same(t, "tenant", map[string]any{"name": "new-one", "display_name": "新しい", "billing": 0.0}, tenant)
	for _, name := range []string{"new-one", "INVALID_TENANTID", "a", "-ab", "ab-", "1ab", "a.b", strings.Repeat("a", 64)} {
		s.admin().expect(t, 400, "/api/admin/tenants/add", url.Values{"name": {name}, "display_name": {"x"}})
	}
	s.admin().expect(t, 200, "/api/admin/tenants/add", url.Values{"name": {strings.Repeat("a", 63)}, "display_name": {"x"}})
	o := s.organizer("new-one")
	for path, name := range map[string]string{"players": "players", "competitions": "competitions", "billing": "reports"} {
		data := o.expect(t, 200, "/api/organizer/"+path, nil)
		if len(list(data, name)) != 0 {
			t.Errorf("%s of a new tenant: %v", path, data)
		}
	}
}

func (s *site) testPlayers(t *testing.T) {
	o, _ := s.newTenant(t, "players", 0)
	names := []string{"", "b", "", "a", "a"}
	data := o.expect(t, 200, "/api/organizer/players/add", url.Values{"display_name[]": names})
	same(t, "names", []any{"", "b", "", "a", "a"}, column(data, "players", "display_name"))
	same(t, "none", []any{}, column(o.expect(t, 200, "/api/organizer/players/add", url.Values{}), "players", "id"))
	ids := column(data, "players", "id")
	listed := column(o.expect(t, 200, "/api/organizer/players", nil), "players", "id")
	byText := func(a, b any) int { return strings.Compare(a.(string), b.(string)) }
	slices.SortFunc(ids, byText)
	slices.SortFunc(listed, byText)
	same(t, "list", ids, listed)
	if len(slices.Compact(ids)) != len(names) {
		t.Errorf("ids %v", ids)
	}
}

func (s *site) testCompetition(t *testing.T) {
	o, ids := s.newTenant(t, "competition", 4)
	older := newCompetition(t, o, "older")
	c := newCompetition(t, o, "長い大会")
	looker := s.player("competition", ids[3])
	ranking := "/api/player/competition/" + c + "/ranking"
	data := looker.expect(t, 200, ranking, nil)
	same(t, "empty ranking", map[string]any{"ranks": []any{},
		"competition": map[string]any{"id": c, "title": "長い大会", "is_finished": false}}, data)

	status, data := o.upload(t, c, fmt.Sprintf("player_id,score\n%s,1\n%s,10\n%s,1\n%s,7", ids[0], ids[1], ids[2], ids[1]))
	same(t, "rows", map[string]any{"rows": 4.0}, data)
	if status != 200 {
		t.Errorf("upload: %d", status)
	}
	row := func(rank, score float64, player int) map[string]any {
		return map[string]any{"rank": rank, "score": score, "player_id": ids[player], "player_display_name": fmt.Sprint("player ", player)}
	}
	whole := []map[string]any{row(1, 7, 1), row(2, 1, 0), row(3, 1, 2)}
	same(t, "ranking", whole, list(looker.expect(t, 200, ranking, nil), "ranks"))
	same(t, "rest of the ranking", whole[2:], list(looker.expect(t, 200, ranking+"?rank_after=2", nil), "ranks"))
	same(t, "page of a player", map[string]any{
		"player": map[string]any{"id": ids[1], "display_name": "player 1", "is_disqualified": false},
		"scores": []any{map[string]any{"competition_title": "長い大会", "score": 7.0}},
	}, looker.expect(t, 200, "/api/player/player/"+ids[1], nil))
	looker.expect(t, 404, "/api/player/player/0000000000", nil)
	looker.expect(t, 404, "/api/player/competition/0000000000/ranking", nil)

	o.expect(t, 404, "/api/organizer/competition/0000000000/finish", url.Values{})
	o.expect(t, 200, "/api/organizer/competition/"+c+"/finish", url.Values{})
	if got, _ := o.upload(t, c, "player_id,score"); got != 400 {
		t.Errorf("upload after the finish: %d", got)
	}
	for _, path := range []string{"/api/organizer/competitions", "/api/player/competitions"} {
		by := o
		if strings.Contains(path, "player") {
			by = looker
		}
		finished := map[any]any{}
		for _, entry := range list(by.expect(t, 200, path, nil), "competitions") {
			finished[entry["id"]] = entry["is_finished"]
		}
		same(t, path, map[any]any{older: false, c: true}, finished)
	}
	same(t, "bill", []any{310.0}, slices.DeleteFunc(column(o.expect(t, 200, "/api/organizer/billing", nil), "reports", "billing_yen"),
		func(yen any) bool { return yen == 0.0 }))
}

func (s *site) testUploads(t *testing.T) {
	o, ids := s.newTenant(t, "uploads", 101)
	c := newCompetition(t, o, "c")
	sheet := "player_id,score"
	for i, id := range ids {
		sheet += fmt.Sprintf("\n%s,%d", id, i)
	}
	o.upload(t, c, sheet)
	ranking := func() []any {
		return column(s.player("uploads", ids[0]).expect(t, 200, "/api/player/competition/"+c+"/ranking", nil), "ranks", "player_id")
	}
	before := ranking()
	if len(before) != 100 || before[0] != any(ids[100]) {
		t.Errorf("first page: %d from %v", len(before), before[0])
	}
	for name, u := range map[string]struct {
		competition, sheet string
		want               int
	}{
		"unknown competition": {"0000000000", sheet, 404},
		"unknown player":      {c, "player_id,score\n" + ids[0] + ",1\n0000000000,1", 400},
		"other order":         {c, "score,player_id\n1," + ids[0], 400},
		"another column":      {c, "player_id,score,note\n" + ids[0] + ",1,x", 400},
		"nothing":             {c, "", 400},
		"no number":           {c, "player_id,score\n" + ids[0] + ",1.5", 400},
	} {
		if got, _ := o.upload(t, u.competition, u.sheet); got != u.want {
			t.Errorf("%s: %d, want %d", name, got, u.want)
		}
	}
	same(t, "ranking after refused uploads", before, ranking())
	if status, data := o.upload(t, c, "player_id,score"); status != 200 || data["rows"] != 0.0 {
		t.Errorf("a header alone: %d, %v", status, data)
	}
	same(t, "ranking after an empty sheet", []any{}, ranking())
}

func (s *site) testDisqualification(t *testing.T) {
	o, ids := s.newTenant(t, "disqualify", 2)
	c := newCompetition(t, o, "c")
	o.upload(t, c, "player_id,score\n"+ids[0]+",5")
	o.expect(t, 404, "/api/organizer/player/0000000000/disqualified", url.Values{})
	for range 2 {
		data := o.expect(t, 200, "/api/organizer/player/"+ids[0]+"/disqualified", url.Values{})
		same(t, "answer", map[string]any{"id": ids[0], "display_name": "player 0", "is_disqualified": true}, data["player"].(map[string]any))
	}
	for _, path := range []string{"/api/player/competitions", "/api/player/player/" + ids[1], "/api/player/competition/" + c + "/ranking"} {
		s.player("disqualify", ids[0]).expect(t, 403, path, nil)
	}
	same(t, "ranking", []any{ids[0]},
		column(s.player("disqualify", ids[1]).expect(t, 200, "/api/player/competition/"+c+"/ranking", nil), "ranks", "player_id"))
}

// testWholeSheets reads rankings while the sheet is replaced.
func (s *site) testWholeSheets(t *testing.T) {
	o, ids := s.newTenant(t, "whole", 20)
	c := newCompetition(t, o, "c")
	sheet := "player_id,score"
	for i, id := range ids {
		sheet += fmt.Sprintf("\n%s,%d", id, i)
	}
	o.upload(t, c, sheet)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for i := range 2 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				_, data := s.player("whole", ids[i]).get(t, "/api/player/competition/"+c+"/ranking")
				if n := len(list(data, "ranks")); n != len(ids) {
					t.Errorf("%d entries", n)
					return
				}
			}
		})
	}
	for range 3 {
		o.upload(t, c, sheet)
	}
	close(done)
	readers.Wait()
}

func (s *site) testInitialize(t *testing.T) {
	s.newTenant(t, "leftover", 0)
	s.organizer("first").expect(t, 200, "/api/organizer/competition/c2/finish", url.Values{})
	s.player("first", "a5").expect(t, 200, "/api/player/competition/c1/ranking", nil)
	if _, err := s.db.Exec("UPDATE tenant SET id = 101 WHERE name = 'leftover'"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.db.Exec("DELETE FROM tenant WHERE id > 2 AND id < 101"); err != nil { // ids beside the hundred of a real site
		t.Fatal(err)
	}
	s.initialize(t)
	data := s.admin().expect(t, 200, "/api/admin/tenants/billing", nil)
	same(t, "yen", []any{0.0, 220.0}, column(data, "tenants", "billing"))
	s.newTenant(t, "leftover", 1)
	var visits int
	if err := s.db.QueryRow("SELECT COUNT(*) FROM visit_history").Scan(&visits); err != nil || visits != 7 {
		t.Errorf("%d visits, %v", visits, err)
	}
}

func (s *site) testBlackauth(t *testing.T) {
	// ask tells the status and the one cookie of an answer, nil if it sets none.
	ask := func(path string) (int, *http.Cookie) {
		t.Helper()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.auth+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Host = "first.t.isucon.dev"
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		if cookies := response.Cookies(); len(cookies) > 0 {
			return response.StatusCode, cookies[0]
		}
		return response.StatusCode, nil
	}
	if got, cookie := ask("/auth/login/player"); got != 400 || cookie != nil {
		t.Errorf("without an id: %d, cookie %v", got, cookie)
	}
	login := func(path string) *http.Cookie {
		t.Helper()
		status, cookie := ask(path)
		if status != 200 || cookie == nil {
			t.Fatalf("%s: %d, cookie %v", path, status, cookie)
		}
		return cookie
	}
	cookie := login("/auth/login/player?id=a1")
	if cookie.Path != "/" || !cookie.HttpOnly {
		t.Errorf("cookie %v", cookie)
	}
	data := caller{s, "first.t.isucon.dev", cookie.Value}.expect(t, 200, "/api/me", nil)
	same(t, "player", "a1", data["me"].(map[string]any)["id"])
	cookie = login("/auth/login/organizer")
	caller{s, "first.t.isucon.dev", cookie.Value}.expect(t, 200, "/api/organizer/players", nil)
	cookie = login("/auth/login/admin")
	caller{s, "admin.t.isucon.dev", cookie.Value}.expect(t, 200, "/api/admin/tenants/billing", nil)
	if cookie := login("/auth/logout"); cookie.Value != "" || !cookie.Expires.Before(time.Now()) {
		t.Errorf("cookie %v", cookie)
	}
}
