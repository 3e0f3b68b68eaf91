package isucon12qscenario

import (
	"cmp"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// service is the specification's app, in memory. wrong names the ways in which
// it is wrong, or right but unusual; without any it is right.
type service struct {
	wrong map[string]bool
	key   *rsa.PublicKey
	files map[string][]byte
	reset func() *state

	requests sync.Map // path kinds to counters, for faults that come and go

	mu sync.Mutex
	*state
	number int64
}

// state is what /initialize brings back.
type state struct {
	tenants map[string]*fakeTenant
	byID    []*fakeTenant
	nextID  int64
}

type fakeTenant struct {
	id            int64
	name, display string
	players       map[string]*fakePlayer
	order         []*fakePlayer
	competitions  []*fakeCompetition
	cachedBill    []map[string]any
	cachedAt      time.Time
	adminAt       time.Time
	adminYen      int64
}

type fakePlayer struct {
	id, name     string
	disqualified bool
	since        time.Time
}

type fakeCompetition struct {
	id, title  string
	finished   int64 // unix seconds, 0: not
	finishedAt time.Time
	rows       []fakeRow
	old        []fakeRow
	uploadedAt time.Time
	visits     map[string][]fakeVisit
	initialYen int64
}

type fakeRow struct {
	player string
	score  int64
}

type fakeVisit struct {
	at    int64
	paged bool
}

func (s *service) is(name string) bool { return s.wrong[name] }

// halfHeader asks an upload to break down halfway.
const halfHeader = "X-Half"

// httpError is an answer that is a failure.
type httpError struct{ status int }

func (e httpError) Error() string { return strconv.Itoa(e.status) }

func (s *service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if content, ok := s.files[r.URL.Path]; ok {
		if s.is("other-image") && strings.HasSuffix(r.URL.Path, ".svg") {
			content = []byte("<svg></svg>")
		}
		_, _ = w.Write(content)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(strings.NewReader(string(body)))
	if s.is("slow-add") && strings.HasSuffix(r.URL.Path, "/add") && !strings.HasSuffix(r.URL.Path, "players/add") && s.every(r.URL.Path, 2) {
		w.Header().Set("Retry-After", "0")
		w.WriteHeader(http.StatusTooManyRequests)
		return
	}
	data, err := s.serve(w, r)
	if data == nil && err == nil {
		data = struct{}{}
	}
	s.answer(w, r, data, err)
}

// every reports whether this is not the n-th of a kind.
func (s *service) every(kind string, n int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	count, _ := s.requests.LoadOrStore(kind, new(int64))
	*count.(*int64)++
	return *count.(*int64)%n != 0
}

func (s *service) answer(w http.ResponseWriter, r *http.Request, data any, err error) {
	h := w.Header()
	h.Set("Content-Type", "application/json; charset=UTF-8")
	h.Set("Cache-Control", "private")
	if s.is("no-private") && strings.Contains(r.URL.Path, "billing") {
		h.Set("Cache-Control", "public")
	}
	if s.is("text-type") && strings.Contains(r.URL.Path, "billing") {
		h.Set("Content-Type", "text/plain")
	}
	status := http.StatusOK
	var failed httpError
	if errors.As(err, &failed) {
		status = failed.status
	}
	envelope := map[string]any{"status": err == nil}
	if s.is("success-key") && r.URL.Path == pathBilling {
		envelope = map[string]any{"success": err == nil}
	}
	if err == nil {
		if data != (struct{}{}) {
			envelope["data"] = data
		}
	} else {
		envelope["message"] = ""
	}
	if status == http.StatusOK && s.is("created") && strings.HasSuffix(r.URL.Path, "/disqualified") {
		status = http.StatusCreated
	}
	text, e := json.Marshal(envelope)
	if s.is("pretty") {
		text, e = json.MarshalIndent(envelope, "", "  ")
	}
	if e != nil {
		panic(e)
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// viewer is who a token speaks for.
type viewer struct {
	role, id string
	tenant   *fakeTenant // nil at the operator's
}

func (s *service) viewer(r *http.Request) (viewer, error) {
	none := httpError{http.StatusUnauthorized}
	cookie, err := r.Cookie(cookieName)
	if err != nil {
		if s.is("no-token") && r.URL.Path == pathTenantsAdd {
			return viewer{role: roleAdmin}, nil
		}
		return viewer{}, none
	}
	c, ok := s.verify(cookie.Value)
	if !ok || c.Subject == "" || len(c.Audience) != 1 {
		return viewer{}, none
	}
	name := strings.TrimSuffix(r.Host, domain)
	if name == adminName {
		if c.Role != roleAdmin || c.Audience[0] != adminName {
			return viewer{}, none
		}
		return viewer{role: c.Role, id: c.Subject}, nil
	}
	t := s.tenants[name]
	if t == nil && s.is("any-tenant") {
		return viewer{role: c.Role, id: c.Subject, tenant: &fakeTenant{name: name}}, nil // whose writes nobody ever sees
	}
	if t == nil || c.Audience[0] != name && !s.is("any-audience") {
		return viewer{}, none
	}
	return viewer{role: c.Role, id: c.Subject, tenant: t}, nil
}

func (s *service) verify(token string) (claims, bool) {
	var c claims
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return c, false
	}
	decode := func(text string, into any) bool {
		b, err := base64.RawURLEncoding.DecodeString(text)
		return err == nil && json.Unmarshal(b, into) == nil
	}
	var head struct{ Alg string }
	signature, err := base64.RawURLEncoding.DecodeString(parts[2])
	if err != nil || !decode(parts[0], &head) || !decode(parts[1], &c) {
		return c, false
	}
	text := []byte(parts[0] + "." + parts[1])
	hash, digest := crypto.SHA256, sha256.Sum256(text)
	sum := digest[:]
	if head.Alg == "RS512" && s.is("rs512") {
		long := sha512.Sum512(text)
		hash, sum = crypto.SHA512, long[:]
	} else if head.Alg != "RS256" {
		return c, false
	}
	if rsa.VerifyPKCS1v15(s.key, hash, sum, signature) != nil && !s.is("unsigned") {
		return c, false
	}
	return c, c.Expires > time.Now().Unix() || s.is("never-expires")
}

func (s *service) serve(w http.ResponseWriter, r *http.Request) (any, error) {
	path := r.URL.Path
	if path == "/initialize" {
		return s.initialize()
	}
	s.mu.Lock()
	v, err := s.viewer(r)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	switch {
	case strings.HasPrefix(path, "/api/admin/"):
		if v.tenant != nil {
			return nil, httpError{http.StatusNotFound}
		}
		if path == pathTenantsAdd {
			return s.addTenant(r)
		}
		return s.adminBilling(r)
	case strings.HasPrefix(path, "/api/organizer/"):
		if v.tenant == nil || v.role != roleOrganizer && !s.is("any-role") {
			return nil, httpError{http.StatusForbidden}
		}
		return s.organizer(v.tenant, r)
	case strings.HasPrefix(path, "/api/player/"):
		if v.tenant == nil || v.role != rolePlayer {
			return nil, httpError{http.StatusForbidden}
		}
		return s.player(v, r)
	}
	return nil, httpError{http.StatusNotFound}
}

func (s *service) initialize() (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh := s.reset()
	switch {
	case s.is("keeps-tenants"):
		for _, t := range s.byID {
			if fresh.tenants[t.name] == nil {
				fresh.tenants[t.name] = t
				fresh.byID = append(fresh.byID, t)
			}
		}
		fresh.nextID = s.nextID
	case s.is("keeps-finishes"):
		for i, t := range fresh.byID {
			for j, c := range t.competitions {
				c.finished = s.byID[i].competitions[j].finished
				c.finishedAt = s.byID[i].competitions[j].finishedAt
			}
		}
	case s.is("other-initial"):
		for _, t := range fresh.byID {
			for _, p := range t.order {
				p.disqualified = false
			}
		}
	}
	s.state = fresh
	if s.is("no-lang") {
		return map[string]any{"lang": ""}, nil
	}
	return map[string]any{"lang": "go"}, nil
}

func (s *service) id() string {
	s.number++
	return strconv.FormatInt(s.number, 16)
}

var tenantName = regexp.MustCompile(`^[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

func (s *service) addTenant(r *http.Request) (any, error) {
	name, display := r.FormValue("name"), r.FormValue("display_name")
	s.mu.Lock()
	defer s.mu.Unlock()
	if !tenantName.MatchString(name) && !s.is("any-name") || s.tenants[name] != nil {
		return nil, httpError{http.StatusBadRequest}
	}
	s.nextID++
	t := &fakeTenant{id: s.nextID, name: name, display: display, players: map[string]*fakePlayer{}}
	s.tenants[name] = t
	s.byID = append(s.byID, t)
	shown := display
	if s.is("no-echo") {
		shown = name
	}
	return map[string]any{"tenant": map[string]any{"id": strconv.FormatInt(t.id, 10), "name": name, "display_name": shown, "billing": 0}}, nil
}

func (s *service) adminBilling(r *http.Request) (any, error) {
	before, err := strconv.ParseInt(cmp.Or(r.FormValue("before"), "0"), 10, 64)
	if err != nil {
		return nil, httpError{http.StatusBadRequest}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	list := []map[string]any{}
	for i := len(s.byID) - 1; i >= 0 && len(list) < 10; i-- {
		t := s.byID[i]
		if before != 0 && (t.id > before || t.id == before && !s.is("before-included")) {
			continue
		}
		var yen int64
		for _, c := range t.competitions {
			yen += s.bill(t, c)["billing_yen"].(int64)
		}
		if s.is("admin-stale") {
			if t.adminAt.IsZero() || time.Since(t.adminAt) > 10*time.Second {
				t.adminYen, t.adminAt = yen, time.Now()
			}
			yen = t.adminYen
		}
		if s.is("admin-initial") && t.id == before-1 {
			yen += 10
		}
		list = append(list, map[string]any{"id": strconv.FormatInt(t.id, 10), "name": t.name, "display_name": t.display, "billing": yen})
	}
	switch {
	case s.is("admin-ascending"):
		slices.Reverse(list)
	case s.is("admin-never-ends") && len(list) == 0:
		list = append(list, map[string]any{"id": "1", "name": s.byID[0].name, "display_name": s.byID[0].display, "billing": 0})
	case s.is("admin-null") && len(list) == 0:
		list = nil
	}
	return map[string]any{"tenants": list}, nil
}
