package isucon4q_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/PuerkitoBio/goquery"
	"github.com/google/go-cmp/cmp"

	"hotseat/problem/problemtest"
)

const (
	banned = "You're banned."
	locked = "This account is locked."
	wrong  = "Wrong username or password"
	mustBe = "You must be logged in"
)

// TestApp goes through the specification of the contest, section by section.
// Each part keeps to users and addresses of its own, so that one start serves all.
func TestApp(t *testing.T) {
	b := startBank(t)

	t.Run("report of the initial state", func(t *testing.T) {
		want := map[string][]string{"banned_ips": {}, "locked_users": {"old.fell", "old.locked"}}
		if diff := cmp.Diff(want, b.report(t)); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("login page", b.testLoginPage)
	t.Run("not found", b.testNotFound)
	t.Run("session cookie", b.testSessionCookie)
	t.Run("right password", func(t *testing.T) {
		v := b.visitor(t, "10.1.0.1")
		if got := v.login("isucon1", "pass-isucon1"); got != "" {
			t.Errorf("refused: %q", got)
		}
		if got := v.page("/mypage").Find(".panel-heading").Text(); !strings.Contains(got, "isucon1") {
			t.Errorf("heading %q does not name the customer", got)
		}
	})
	t.Run("my page without a login", func(t *testing.T) {
		if got := b.visitor(t, "10.1.0.2").notice("/mypage"); got != mustBe {
			t.Errorf("notice %q", got)
		}
	})
	t.Run("lock", b.testLock)
	t.Run("ban", b.testBan)
	t.Run("ban comes before lock", b.testBanBeforeLock)
	t.Run("success resets", b.testSuccessResets)
	t.Run("unknown login", b.testUnknownLogin)
	t.Run("hanging up", b.testHangingUp)
	t.Run("last login", b.testLastLogin)
	t.Run("client address", b.testClientAddress)
	t.Run("init", b.testInit)
}

func (b *bank) testLoginPage(t *testing.T) {
	page := b.visitor(t, "10.2.0.1").page("/")
	for _, selector := range []string{
		"form[method=POST][action='/login'] input[name=login]",
		"form input[name=password][type=password]",
		"form [type=submit]",
	} {
		if page.Find(selector).Length() == 0 {
			t.Errorf("no %s", selector)
		}
	}
	if page.Find("#notice-message").Length() != 0 {
		t.Error("a notice without cause")
	}
	var assets []string
	page.Find("link[href], script[src], img[src]").Each(func(_ int, s *goquery.Selection) {
		assets = append(assets, s.AttrOr("href", s.AttrOr("src", "")))
	})
	want := []string{
		"/stylesheets/bootstrap.min.css", "/stylesheets/bootflat.min.css",
		"/stylesheets/isucon-bank.css", "/images/isucon-bank.png",
	}
	if diff := cmp.Diff(want, assets); diff != "" {
		t.Error(diff)
	}
}

func (b *bank) testNotFound(t *testing.T) {
	for _, path := range []string{"/login", "/nothing", "/images/", "/images/nothing.png", "/stylesheets/..%2f..%2finit.sh"} {
		if got := b.visitor(t, "10.3.0.1").get(path); got.status != http.StatusNotFound {
			t.Errorf("GET %s: status %d", path, got.status)
		}
	}
}

// Go's own cookie jar takes a Secure cookie back to a loopback address even in
// plain HTTP; other clients do not.
func (b *bank) testSessionCookie(t *testing.T) {
	cookies := b.visitor(t, "10.11.0.1").get("/").cookies
	if len(cookies) != 1 {
		t.Fatalf("cookies %v", cookies)
	}
	c := cookies[0]
	if c.Name != "isucon_go_session" || c.Path != "/" || c.MaxAge != 30*24*60*60 || c.Secure {
		t.Errorf("cookie %v", c)
	}
}

// The third wrong password is still told so; from the fourth attempt on the
// account is locked, to the right password and from any address.
func (b *bank) testLock(t *testing.T) {
	for i := range 3 {
		if got := b.visitor(t, fmt.Sprintf("10.4.0.%d", i)).login("isucon2", "guess"); got != wrong {
			t.Errorf("attempt %d: %q", i+1, got)
		}
	}
	for i := range 2 {
		v := b.visitor(t, "10.4.1.1")
		if got := v.login("isucon2", "pass-isucon2"); got != locked {
			t.Errorf("attempt %d: %q", i+4, got)
		}
		if v.page("/").Find("#notice-message").Length() != 0 {
			t.Error("the notice is shown twice")
		}
	}
	// Attempts on a locked account count against the address too.
	for range 8 {
		b.visitor(t, "10.4.1.1").login("isucon2", "pass-isucon2")
	}
	if got := b.visitor(t, "10.4.1.1").login("isucon1", "pass-isucon1"); got != banned {
		t.Errorf("after ten refusals for a lock: %q", got)
	}
	report := b.report(t)
	if !slices.Contains(report["locked_users"], "isucon2") || !slices.Contains(report["banned_ips"], "10.4.1.1") {
		t.Errorf("report %v", report)
	}
}

func (b *bank) testBan(t *testing.T) {
	const ip = "10.5.0.1"
	// One success first: the key then comes from the second half of the report.
	if got := b.visitor(t, ip).login("isucon3", "pass-isucon3"); got != "" {
		t.Fatalf("refused: %q", got)
	}
	for i := range 10 {
		if got := b.visitor(t, ip).login(fmt.Sprintf("nobody%d", i), "x"); got != wrong {
			t.Errorf("attempt %d: %q", i+1, got)
		}
		if i == 8 && slices.Contains(b.report(t)["banned_ips"], ip) {
			t.Error("reported after nine failures")
		}
	}
	if !slices.Contains(b.report(t)["banned_ips"], ip) {
		t.Error("not reported after ten failures")
	}
	// A refusal for the ban counts against the account: three lock it.
	for range 3 {
		if got := b.visitor(t, ip).login("isucon3", "pass-isucon3"); got != banned {
			t.Errorf("banned address: %q", got)
		}
	}
	if got := b.visitor(t, "10.5.0.2").login("isucon3", "pass-isucon3"); got != locked {
		t.Errorf("after three attempts from a banned address: %q", got)
	}
}

func (b *bank) testBanBeforeLock(t *testing.T) {
	const ip = "10.6.0.1"
	for i := range 10 {
		if got := b.visitor(t, ip).login("old.locked", "pass-old.locked"); got != locked {
			t.Errorf("attempt %d: %q", i+1, got)
		}
	}
	if got := b.visitor(t, ip).login("old.locked", "pass-old.locked"); got != banned {
		t.Errorf("both banned and locked: %q", got)
	}
}

func (b *bank) testSuccessResets(t *testing.T) {
	const ip = "10.7.0.1"
	for round := range 6 { // 12 failures in all, never more than two in a row
		for range 2 {
			if got := b.visitor(t, ip).login("isucon4", "guess"); got != wrong {
				t.Fatalf("round %d: %q", round, got)
			}
		}
		if got := b.visitor(t, ip).login("isucon4", "pass-isucon4"); got != "" {
			t.Fatalf("round %d: %q", round, got)
		}
	}
	report := b.report(t)
	if slices.Contains(report["locked_users"], "isucon4") || slices.Contains(report["banned_ips"], ip) {
		t.Errorf("report %v", report)
	}
}

func (b *bank) testUnknownLogin(t *testing.T) {
	const ip = "10.8.0.1"
	if got := b.visitor(t, ip).login("nobody", "x"); got != wrong {
		t.Errorf("unknown name: %q", got)
	}
	if got := b.visitor(t, ip).post(url.Values{}); got != wrong {
		t.Errorf("no fields: %q", got)
	}
	rows, err := b.db.Query("SELECT login, user_id IS NULL, succeeded FROM login_log WHERE ip = ? ORDER BY id", ip)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = rows.Close() }()
	var got []string
	for rows.Next() {
		var login string
		var noUser, succeeded bool
		if err := rows.Scan(&login, &noUser, &succeeded); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%q %v %v", login, noUser, succeeded))
	}
	if diff := cmp.Diff([]string{`"nobody" true false`, `"" true false`}, got); diff != "" || rows.Err() != nil {
		t.Error(diff, rows.Err())
	}
}

// An attempt counts even if nobody waits for its answer.
func (b *bank) testHangingUp(t *testing.T) {
	const ip = "10.12.0.1"
	// While the log is locked, the app cannot finish.
	lock, err := b.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = lock.Close() }()
	if _, err := lock.ExecContext(t.Context(), "LOCK TABLES login_log WRITE"); err != nil {
		t.Fatal(err)
	}

	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, b.url+"/login", strings.NewReader("login=isucon6&password=guess"))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("X-Forwarded-For", ip)
	if response, err := http.DefaultClient.Do(request); err == nil {
		_ = response.Body.Close()
		t.Fatalf("an answer in spite of the lock: %s", response.Status)
	}
	// The app hears of the end of the connection a little later.
	time.Sleep(100 * time.Millisecond)
	if _, err := lock.ExecContext(t.Context(), "UNLOCK TABLES"); err != nil {
		t.Fatal(err)
	}
	problemtest.WaitFor(t, "the row", func() error {
		var rows int
		if err := b.db.QueryRow("SELECT COUNT(*) FROM login_log WHERE ip = ?", ip).Scan(&rows); err != nil {
			return err
		}
		if rows != 1 {
			return fmt.Errorf("%d rows", rows)
		}
		return nil
	})
}

func (b *bank) testLastLogin(t *testing.T) {
	for _, test := range []struct {
		login, ip, wantIP string
		wantAt            string // empty: now
	}{
		{"isucon5", "10.9.0.1", "10.9.0.1", ""}, // the first ever is its own
		{"isucon5", "10.9.0.2", "10.9.0.1", ""},
		{"isucon5", "10.9.0.3", "10.9.0.2", ""},
		{"isucon7", "10.9.0.4", "127.250.0.1", "2014-02-22 00:00:09"},
	} {
		// A failure in between must not be shown.
		b.visitor(t, "10.9.1.1").login(test.login, "guess")
		v := b.visitor(t, test.ip)
		if got := v.login(test.login, "pass-"+test.login); got != "" {
			t.Fatalf("%+v: refused: %q", test, got)
		}
		page := v.page("/mypage")
		ip, _ := page.Find("#last-logined-ip").Html()
		at, _ := page.Find("#last-logined-at").Html()
		if ip != test.wantIP {
			t.Errorf("%+v: address %q", test, ip)
		}
		if test.wantAt != "" {
			if at != test.wantAt {
				t.Errorf("%+v: time %q", test, at)
			}
			continue
		}
		parsed, err := time.ParseInLocation(time.DateTime, at, time.Local)
		if err != nil || time.Since(parsed).Abs() > time.Minute {
			t.Errorf("%+v: time %q, %v", test, at, err)
		}
	}
}

func (b *bank) testClientAddress(t *testing.T) {
	for _, test := range []struct{ forwarded, want string }{
		{"", "127.0.0.1"},
		{"10.10.0.1, 10.10.0.2", "10.10.0.1, 10.10.0.2"},
	} {
		v := b.visitor(t, test.forwarded)
		if got := v.login("isucon6", "pass-isucon6"); got != "" {
			t.Fatalf("%+v: refused: %q", test, got)
		}
		var ip string
		err := b.db.QueryRow("SELECT ip FROM login_log ORDER BY id DESC LIMIT 1").Scan(&ip)
		if err != nil || ip != test.want {
			t.Errorf("%+v: logged as %q, %v", test, ip, err)
		}
	}
}

// testInit comes last: it takes the data away.
func (b *bank) testInit(t *testing.T) {
	b.initialize(t)
	var users, attempts int
	if err := b.db.QueryRow("SELECT (SELECT COUNT(*) FROM users), (SELECT COUNT(*) FROM login_log)").Scan(&users, &attempts); err != nil {
		t.Fatal(err)
	}
	if users != len(logins) || attempts != 9 {
		t.Errorf("%d users and %d attempts after init", users, attempts)
	}

	for name, env := range map[string]string{
		"wrong password": "ISU4_DB_PASSWORD=guess",
		"nobody listens": "ISU4_DB_PORT=1",
		"no client":      "PATH=/nonexistent",
		"no such name":   "ISU4_DB_NAME=a`b",
	} {
		if out, err := b.runInit(env); err == nil {
			t.Errorf("%s: init.sh ended well:\n%s", name, out)
		}
	}
	if err := os.Remove(filepath.Join(b.root, "sql/dummy_users.sql")); err != nil {
		t.Fatal(err)
	}
	if out, err := b.runInit(); err == nil {
		t.Errorf("without users: init.sh ended well:\n%s", out)
	}
}

// visitor is a browser with its own cookies behind one address.
type visitor struct {
	t         *testing.T
	bank      *bank
	client    *http.Client
	forwarded string
}

func (b *bank) visitor(t *testing.T, forwarded string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &visitor{t: t, bank: b, client: &http.Client{Jar: jar, Timeout: 10 * time.Second}, forwarded: forwarded}
}

// answer is the last response of a chain of redirects.
type answer struct {
	path        string // where it ended
	status      int
	contentType string
	cookies     []*http.Cookie
	body        []byte
}

func (v *visitor) do(request *http.Request, err error) answer {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
	if v.forwarded != "" {
		request.Header.Set("X-Forwarded-For", v.forwarded)
	}
	response, err := v.client.Do(request)
	if err != nil {
		v.t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		v.t.Fatal(err)
	}
	return answer{
		path:        response.Request.URL.Path,
		status:      response.StatusCode,
		contentType: response.Header.Get("Content-Type"),
		cookies:     response.Cookies(),
		body:        body,
	}
}

func (v *visitor) get(path string) answer {
	v.t.Helper()
	return v.do(http.NewRequestWithContext(v.t.Context(), http.MethodGet, v.bank.url+path, nil))
}

func (v *visitor) page(path string) *goquery.Document {
	v.t.Helper()
	return v.parse(v.get(path))
}

func (v *visitor) parse(got answer) *goquery.Document {
	v.t.Helper()
	page, err := goquery.NewDocumentFromReader(bytes.NewReader(got.body))
	if err != nil || got.status != http.StatusOK || got.contentType != "text/html; charset=UTF-8" {
		v.t.Fatalf("%s: status %d, %s: %v", got.path, got.status, got.contentType, err)
	}
	return page
}

// notice is what the page says, exactly as it stands in its element.
func (v *visitor) notice(path string) string {
	v.t.Helper()
	return noticeOf(v.page(path))
}

// login gives the notice of the refusal, or "" if it ended on my page.
func (v *visitor) login(login, password string) string {
	v.t.Helper()
	return v.post(url.Values{"login": {login}, "password": {password}})
}

func (v *visitor) post(form url.Values) string {
	v.t.Helper()
	request, err := http.NewRequestWithContext(v.t.Context(), http.MethodPost, v.bank.url+"/login", strings.NewReader(form.Encode()))
	if err == nil {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	got := v.do(request, err)
	page := v.parse(got)
	switch got.path {
	case "/mypage":
		return ""
	case "/":
		return noticeOf(page)
	default:
		v.t.Fatalf("ended on %s", got.path)
		return ""
	}
}

func noticeOf(page *goquery.Document) string {
	inner, err := page.Find("#notice-message").Html()
	if err != nil {
		return ""
	}
	return strings.ReplaceAll(inner, "&#39;", "'")
}

// report fetches the operator's report, its lists sorted; null is told apart from [].
func (b *bank) report(t *testing.T) map[string][]string {
	t.Helper()
	got := b.visitor(t, "").get("/report")
	if got.status != http.StatusOK || !strings.HasPrefix(got.contentType, "application/json") {
		t.Fatalf("status %d, %s", got.status, got.contentType)
	}
	var report map[string][]string
	if err := json.Unmarshal(got.body, &report); err != nil {
		t.Fatal(err)
	}
	for name, list := range report {
		slices.Sort(list)
		if len(slices.Compact(slices.Clone(list))) != len(list) {
			t.Errorf("%s has something twice: %v", name, list)
		}
	}
	return report
}
