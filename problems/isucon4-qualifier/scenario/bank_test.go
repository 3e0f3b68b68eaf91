package scenario

import (
	"bytes"
	"crypto/md5" // the contest's digest
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// bank is the specification's app, in memory. Its fields are the ways to be
// wrong, or right but unusual; the zero values are right.
type bank struct {
	// The rules of §3.
	lockAt, banAt     int  // thresholds, 3 and 10
	lockFirst         bool // the lock before the ban
	anyPassword       bool
	rightRefused      bool // every third right password is refused as wrong
	refusalsUncounted bool // by the counters that decide; the log has them
	neverReset        bool // the counters that decide; the log is right
	addressNotReset   bool // of the counters that decide; the log is right

	// Pages.
	accepted, refused string             // where logins lead, /mypage and /
	notices           map[outcome]string // HTML, in place of the right ones
	shown             func(u *client, last, now visit) (at, ip string)
	names             func(u *client) string // what my page calls the customer
	open              bool                   // my page for everybody
	head              string                 // more HTML in every page's head
	redirect          func(w http.ResponseWriter, r *http.Request, to string)
	report            func(banned, locked []string) any // what /report encodes
	clock             func() time.Time

	files map[string][]byte

	mu        sync.Mutex
	clients   map[string]*client
	addresses map[string]*counters
	sessions  map[string]session
	number    int
}

// counters are those of an address or a client: the one that decides, and
// what the log says.
type counters struct {
	decides, log  int
	everSucceeded bool
}

type client struct {
	login, password string
	counters
	last, current visit
}

type visit struct {
	ip string
	at time.Time
}

type session struct {
	user   *client
	notice string
}

func newBank(w *testWorld) *bank {
	b := &bank{lockAt: 3, banAt: 10, accepted: "/mypage", refused: "/", clock: time.Now, files: w.files,
		notices: map[outcome]string{}, clients: map[string]*client{}, addresses: map[string]*counters{}, sessions: map[string]session{}}
	for _, u := range w.users {
		c := &client{login: u.login, password: u.password}
		c.decides, c.log = u.failures, u.failures
		b.clients[u.login] = c
	}
	b.redirect = func(w http.ResponseWriter, _ *http.Request, to string) {
		w.Header().Set("Location", to)
		w.WriteHeader(http.StatusFound)
	}
	b.shown = func(_ *client, last, _ visit) (string, string) { return last.at.Format(lastLoginFormat), last.ip }
	b.names = func(u *client) string { return u.login }
	b.report = func(banned, locked []string) any {
		return map[string][]string{bannedList: banned, lockedList: locked}
	}
	return b
}

func (b *bank) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/" && r.Method == http.MethodGet:
		b.front(w, r)
	case r.URL.Path == "/login" && r.Method == http.MethodPost:
		b.login(w, r)
	case r.URL.Path == b.accepted && r.Method == http.MethodGet:
		b.myPage(w, r)
	case r.URL.Path == b.refused && r.Method == http.MethodGet:
		b.front(w, r)
	case r.URL.Path == "/report":
		b.serveReport(w)
	case b.files[r.URL.RequestURI()] != nil:
		_, _ = w.Write(b.files[r.URL.RequestURI()])
	default:
		http.NotFound(w, r)
	}
}

func (b *bank) login(w http.ResponseWriter, r *http.Request) {
	ip := r.Header.Get("X-Forwarded-For")
	b.mu.Lock()
	u := b.clients[r.FormValue("login")]
	o := b.decide(ip, u, r.FormValue("password"))
	s := session{}
	to := b.accepted
	if o == accepted {
		s.user = u
		u.last, u.current = u.current, visit{ip, b.clock()}
	} else {
		to = b.refused
		s.notice = html.EscapeString(o.notice())
		if other, ok := b.notices[o]; ok {
			s.notice = other
		}
	}
	b.number++
	id := fmt.Sprint(b.number)
	b.sessions[id] = s
	b.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: "bank", Value: id, Path: "/", HttpOnly: true})
	b.redirect(w, r, to)
}

// decide is §3, with its faults. It is called with the lock held.
func (b *bank) decide(ip string, u *client, password string) outcome {
	a := b.addresses[ip]
	if a == nil {
		a = &counters{}
		b.addresses[ip] = a
	}
	right := u != nil && (u.password == password || b.anyPassword)
	if right && b.rightRefused {
		b.number++
		right = b.number%3 != 0
	}
	isBanned, isLocked := a.decides >= b.banAt, u != nil && u.decides >= b.lockAt
	o := accepted
	switch {
	case b.lockFirst && isLocked:
		o = locked
	case isBanned:
		o = banned
	case isLocked:
		o = locked
	case !right:
		o = wrong
	}
	both := []*counters{a}
	if u != nil {
		both = append(both, &u.counters)
	}
	for _, c := range both {
		if o == accepted {
			c.log, c.everSucceeded = 0, true
			if !b.neverReset && (!b.addressNotReset || c != a) {
				c.decides = 0
			}
			continue
		}
		c.log++
		if o == wrong || !b.refusalsUncounted {
			c.decides++
		}
	}
	return o
}

func (b *bank) session(r *http.Request) (s session, id string) {
	cookie, err := r.Cookie("bank")
	if err != nil {
		return session{}, ""
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sessions[cookie.Value], cookie.Value
}

func (b *bank) front(w http.ResponseWriter, r *http.Request) {
	s, id := b.session(r)
	notice := ""
	if s.notice != "" {
		notice = `<div id="notice-message" class="alert" role="alert">` + s.notice + `</div>`
		b.mu.Lock()
		b.sessions[id] = session{user: s.user}
		b.mu.Unlock()
	}
	b.page(w, notice+`<form method="POST" action="/login"><input type="text" name="login">
<input type="password" name="password"><button type="submit">Log in</button></form>`)
}

func (b *bank) myPage(w http.ResponseWriter, r *http.Request) {
	s, _ := b.session(r)
	if s.user == nil {
		if b.open {
			b.page(w, "<p>Welcome, whoever you are</p>")
			return
		}
		b.redirect(w, r, "/")
		return
	}
	b.mu.Lock()
	last, now := s.user.last, s.user.current
	if last.ip == "" {
		last = now
	}
	at, ip := b.shown(s.user, last, now)
	b.mu.Unlock()
	b.page(w, `<dl><dt>When</dt><dd id="last-logined-at">`+at+`</dd><dt>Whence</dt><dd id="last-logined-ip">`+ip+
		`</dd></dl><div class="panel">`+html.EscapeString(b.names(s.user))+`</div>`)
}

func (b *bank) page(w http.ResponseWriter, content string) {
	w.Header().Set("Content-Type", "text/html; charset=UTF-8")
	fmt.Fprintf(w, `<!DOCTYPE html><html><head><link rel="stylesheet" href="/stylesheets/a.css">
<link rel="stylesheet" href="/stylesheets/b.css">%s</head><body><img src="/images/logo.png" alt="bank">%s</body></html>`, b.head, content)
}

func (b *bank) serveReport(w http.ResponseWriter) {
	b.mu.Lock()
	banned, locked := []string{}, []string{}
	for ip, a := range b.addresses {
		if a.log >= 10 {
			banned = append(banned, ip)
		}
	}
	for login, u := range b.clients {
		if u.log >= 3 {
			locked = append(locked, login)
		}
	}
	answer := b.report(banned, locked)
	b.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if text, ok := answer.(string); ok {
		_, _ = w.Write([]byte(text))
		return
	}
	_ = json.NewEncoder(w).Encode(answer)
}

// testWorld is a bank's data and the truth about it in a folder.
type testWorld struct {
	dir   string
	users []testUser
	files map[string][]byte
}

type testUser struct {
	login, password string
	failures        int
}

// newTestWorld makes users of which the last tenth have a history, and every
// other one of these is locked.
func newTestWorld(t testing.TB, users int) *testWorld {
	t.Helper()
	w := &testWorld{dir: t.TempDir(), files: map[string][]byte{
		"/stylesheets/a.css": bytes.Repeat([]byte("a{color:red}\n"), 50),
		"/stylesheets/b.css": []byte("b{}"),
		"/images/logo.png":   {0x89, 'P', 'N', 'G', 0, 1, 2, 3},
	}}
	var all, used, static strings.Builder
	for i := range users {
		u := testUser{login: fmt.Sprintf("user.%04d", i), password: fmt.Sprintf("Secret&%04d", i)}
		hash := sha256.Sum256([]byte(u.password + ":salt"))
		fmt.Fprintf(&all, "%d\t%s\t%s\tsalt\t%x\n", i+1, u.login, u.password, hash)
		if i >= users-users/10 {
			u.failures = i % 2 * 3
			fmt.Fprintf(&used, "%d\t%s\t%d\n", i+1, u.login, u.failures)
		}
		w.users = append(w.users, u)
	}
	for path, content := range w.files {
		fmt.Fprintf(&static, "%s\t%d\t%x\n", path, len(content), md5.Sum(content))
	}
	for name, text := range map[string]string{usersFile: all.String(), usedFile: used.String(), staticFile: static.String()} {
		if err := os.WriteFile(filepath.Join(w.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// bankBehind is a bank that was changed, with a proxy in front of it; either may be nil.
func bankBehind(w *testWorld, change func(b *bank), proxy func(next http.Handler) http.Handler) http.Handler {
	b := newBank(w)
	if change != nil {
		change(b)
	}
	if proxy != nil {
		return proxy(b)
	}
	return b
}

// serve starts a server for a handler, whose connections end with the test.
func serve(t testing.TB, h http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = nil
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s.URL
}
