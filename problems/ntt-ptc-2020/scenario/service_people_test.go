package nttscenario

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha3"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"hotseat/problems/ntt-ptc-2020/data"
)

// initialize is POST /api/initialize. A wrong that begins with "level " is what it
// answers.
func (s *service) initialize(*fakeRequest) (fakeAnswer, error) {
	if !s.initial {
		s.reset(s.seed, func(what string) bool { return s.is("keeps " + what) })
	}
	level := "1"
	if other, ok := s.other("level "); ok {
		level = other
	}
	if s.is("initialize fails") {
		return fakeAnswer{http.StatusInternalServerError, fakeText("init.sh: no such table")}, nil
	}
	return fakeAnswer{http.StatusOK, fakeText(level)}, nil
}

// fakeHash is a password as it is kept.
func fakeHash(password, salt string) string {
	s := password + salt
	for range 100 {
		sum := sha3.Sum512([]byte(s))
		s = hex.EncodeToString(sum[:])
	}
	return s
}

// fakeCaller is who sent a request.
type fakeCaller struct {
	*fakeUser
	token string
}

// fakeClaims are what a token says.
type fakeClaims struct {
	Username string `json:"username"`
	Role     string `json:"role"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
	ID       string `json:"jti,omitempty"`
}

func fakeSignature(text, key string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte(text))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// sign makes a token for an hour.
func (s *service) sign(u *fakeUser) string {
	at := time.Now()
	says := fakeClaims{Username: u.name, Role: u.role, Issued: at.Unix(), Expires: at.Add(time.Hour).Unix()}
	switch {
	case s.is("unique-tokens"):
		says.ID = rand.Text()
	case s.is("short-tokens"):
		says.Expires = at.Add(time.Minute).Unix()
	case s.is("nameless-tokens"):
		says.Username = ""
	}
	payload, _ := json.Marshal(says) // has nothing that could fail
	encode := base64.RawURLEncoding.EncodeToString
	text := encode([]byte(`{"typ":"JWT","alg":"HS256"}`)) + "." + encode(payload)
	key := data.Key
	if s.is("own-key") {
		key = "own"
	}
	return text + "." + fakeSignature(text, key)
}

// authenticate tells who sent the request.
func (s *service) authenticate(q *fakeRequest) (*fakeCaller, error) {
	token, ok := strings.CutPrefix(q.Header.Get("Authorization"), "Bearer ")
	if !ok {
		if err := s.refuseToken(q, whyNoToken); err != nil {
			return nil, err
		}
		return &fakeCaller{fakeUser: s.users[1]}, nil
	}
	var says fakeClaims
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return nil, whyCredentials
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &says) != nil {
		return nil, whyCredentials
	}
	var head struct{ Alg string }
	if text, err := base64.RawURLEncoding.DecodeString(parts[0]); err != nil || json.Unmarshal(text, &head) != nil {
		return nil, whyCredentials
	}
	signed := fakeSignature(parts[0]+"."+parts[1], data.Key) == parts[2] || s.is("own-key") && fakeSignature(parts[0]+"."+parts[1], "own") == parts[2]
	if head.Alg != "HS256" || !signed {
		if err := s.refuseToken(q, whySignature); err != nil {
			return nil, err
		}
	}
	if says.Expires < time.Now().Unix() {
		if err := s.refuseToken(q, whyExpired); err != nil {
			return nil, err
		}
	}
	if since, revoked := s.revoked[token]; revoked && !s.overlooked(q, since) {
		if err := s.refuseToken(q, whyRevoked); err != nil {
			return nil, err
		}
	}
	if says.Username == "" || says.Role == "" {
		if err := s.refuseToken(q, whyClaims); err != nil {
			return nil, err
		}
	}
	u := s.byName[says.Username]
	if u == nil {
		return nil, whyCredentials
	}
	return &fakeCaller{u, token}, nil
}

// refuseToken is refuse, with wrongs that are the same for all routes as well:
// "accepts expired".
func (s *service) refuseToken(q *fakeRequest, why fakeRefusal) error {
	if s.is("accepts " + why.name) {
		return nil
	}
	for name := range s.wrong {
		if name == why.name+" 400" {
			return fakeRefusal{http.StatusBadRequest, why.name}
		}
	}
	return s.refuse(q, why)
}

// overlooked tells whether the service does not see that a token was revoked: since
// is zero if that was before the initialization. Only reading is ever allowed so.
func (s *service) overlooked(q *fakeRequest, since time.Time) bool {
	switch {
	case s.is("logout-of-anybody") && strings.HasSuffix(q.route, "/logout"):
		return since.IsZero()
	case q.Method != http.MethodGet:
		return false
	case s.is("forgets-seeded"):
		return since.IsZero()
	case s.is("revokes-late"):
		return time.Since(since) < stale
	}
	return false
}

// login is POST /api/login.
func (s *service) login(q *fakeRequest) (fakeAnswer, error) {
	var body struct{ Username, Password string }
	if err := s.read(q, &body); err != nil {
		return fakeAnswer{}, err
	}
	if body.Username == "" || body.Password == "" {
		return fakeAnswer{}, whyMissing
	}
	u := s.byName[body.Username]
	if u == nil {
		return fakeAnswer{}, whyCredentials
	}
	s.mu.Unlock()
	right := fakeHash(body.Password, u.salt) == u.hash
	s.mu.Lock()
	if !right {
		if err := s.refuse(q, whyCredentials); err != nil {
			return fakeAnswer{}, err
		}
	}
	id := u.id
	if s.is("login-id") {
		id++
	}
	return fakeAnswer{http.StatusOK, jsonObject{"user_id": id, "access_token": s.sign(u)}}, nil
}

// logout is POST /api/logout.
func (s *service) logout(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	if !s.is("keeps-tokens") {
		s.revoked[who.token] = time.Now()
	}
	if s.is("logout-object") {
		return fakeAnswer{http.StatusOK, jsonObject{}}, nil
	}
	return fakeAnswer{http.StatusOK, ""}, nil
}

// signUp is POST /api/users.
func (s *service) signUp(q *fakeRequest) (fakeAnswer, error) {
	var body struct{ Username, Password, Role string }
	if err := s.read(q, &body); err != nil {
		return fakeAnswer{}, err
	}
	if body.Username == "" || body.Password == "" {
		if err := s.refuse(q, whyMissing); err != nil {
			return fakeAnswer{}, err
		}
	}
	if body.Role != roleAudience && body.Role != roleArtist {
		if err := s.refuse(q, whyRole); err != nil {
			return fakeAnswer{}, err
		}
	}
	if s.byName[body.Username] != nil {
		if err := s.refuse(q, whyNameTaken); err != nil {
			return fakeAnswer{}, err
		}
	}
	s.lastUser++
	u := &fakeUser{id: s.lastUser, name: body.Username, role: body.Role, salt: rand.Text()}
	u.hash = fakeHash(body.Password, u.salt)
	s.users[u.id], s.byName[u.name] = u, u
	return fakeAnswer{http.StatusCreated, s.showUser(u)}, nil
}

func (s *service) showUser(u *fakeUser) jsonObject {
	shown := jsonObject{"user_id": u.id, "username": u.name, "role": u.role}
	switch {
	case s.is("user-salt"):
		shown["salt"] = u.salt
	case s.is("user-role"):
		shown["role"] = strings.ToUpper(u.role)
	}
	return shown
}

// getUser is GET /api/users/:user_id.
func (s *service) getUser(q *fakeRequest, who *fakeCaller) (fakeAnswer, error) {
	id, err := s.pathID(q, "user_id")
	if err != nil {
		return fakeAnswer{}, err
	}
	u := s.users[id]
	if u == nil {
		return fakeAnswer{}, whyNotFound
	}
	if who.role != roleOwner && who.name != u.name {
		if err := s.refuse(q, whyForeign); err != nil {
			return fakeAnswer{}, err
		}
	}
	return fakeAnswer{http.StatusOK, s.showUser(u)}, nil
}
