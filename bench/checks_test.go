package bench

import (
	"crypto/md5" // what contests give
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/zeebo/xxh3"

	"hotseat"
	"hotseat/bench/check"
)

// once is a contest that verifies one scenario and nothing else.
func once(work func(u *User) error) Contest {
	c := get()
	c.Rules = append(c.Rules,
		hotseat.Rule{ID: "x.session", Class: hotseat.ClassSession, Text: "Sessions are kept apart."},
		hotseat.Rule{ID: "x.title", Class: hotseat.ClassContent, Text: "Pages have a title."})
	c.Populations = nil
	c.Verify = []Scenario{{Name: "once", Run: work}}
	return c
}

const listing = `<!DOCTYPE html><title>List</title><ul><li class=item id=i1>One  &amp;
 only</li><li class=item id=i2>Two</li><li>Three</li></ul>`

// shop is a target with a little of everything.
func shop(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, listing)
	case "/login":
		http.SetCookie(w, &http.Cookie{Name: "user", Value: r.FormValue("name"), Path: "/"})
		http.Redirect(w, r, "/me?from=login", http.StatusSeeOther)
	case "/me":
		if c, err := r.Cookie("user"); err == nil {
			fmt.Fprint(w, c.Value)
			return
		}
		http.Redirect(w, r, "/login-form", http.StatusFound)
	case "/echo":
		fmt.Fprint(w, r.Header.Get("X-Echo"))
	case "/broken":
		w.Header().Set("Content-Length", "100")
		fmt.Fprint(w, "only this")
		hangUp(w, r)
	default:
		http.NotFound(w, r)
	}
}

func TestChecks(t *testing.T) {
	s := serve(t, shop)
	sum := md5.Sum([]byte(listing)) // what contests give
	items := check.HTML("items").Count("li.item", 2).Rule("x.title").Text("title", "List")
	for name, c := range map[string]struct {
		path    string
		checks  []Check
		failure string // class/code [rule]; empty: all hold
		actual  string
	}{
		"status":                     {"/", []Check{Status(ruleStatus, 404, 200)}, "", ""},
		"wrong status":               {"/no", []Check{Status(ruleStatus, 200, 304)}, "status/unexpected-status [x.status]", "status 404"},
		"path":                       {"/?q=1", []Check{Path(ruleStatus, "/")}, "", ""},
		"wrong path":                 {"/", []Check{Path("x.session", "/me")}, "session/unexpected-path [x.session]", "/ (status 200)"},
		"header":                     {"/", []Check{Header(ruleBody, "content-type", "text/html; charset=utf-8")}, "", ""},
		"missing header":             {"/", []Check{Header(ruleBody, "ETag", "x")}, "content/header-mismatch [x.body]", "no such header"},
		"wrong header":               {"/", []Check{Header(ruleBody, "Content-Type", "text/html")}, "content/header-mismatch [x.body]", "charset=utf-8"},
		"digest":                     {"/", []Check{Digest(ruleBody, "md5", strings.ToUpper(hex.EncodeToString(sum[:])))}, "", ""},
		"other digests":              {"/no", []Check{Digest(ruleBody, "sha256", digest("sha256", []byte("404 page not found\n"))), Digest(ruleBody, "sha1", digest("sha1", []byte("404 page not found\n"))), Digest(ruleBody, "xxh3", digest("xxh3", []byte("404 page not found\n")))}, "", ""},
		"wrong digest":               {"/", []Check{Digest(ruleBody, "xxh3", digest("xxh3", nil))}, "content/asset-digest [x.body]", "bytes"},
		"validator":                  {"/", []Check{Body(ruleBody, items)}, "", ""},
		"validator that is not held": {"/no", []Check{Body(ruleBody, items)}, "content/selector-missing [x.body]", ""},
		"validator with its own rule": {"/", []Check{Body(ruleBody, check.HTML("title").Rule("x.title").Text("title", "Lost"))},
			"content/value-mismatch [x.title]", "the body from its beginning:"},
		"that":              {"/", []Check{That(ruleBody, func(p *Page) *Mismatch { return nil })}, "", ""},
		"first one decides": {"/no", []Check{Status(ruleStatus, 200), Body(ruleBody, items)}, "status/unexpected-status [x.status]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var ok bool
			o := play(t, once(func(u *User) error {
				p := u.Get(c.path).Expect(c.checks...)
				ok = p.OK()
				return p.Err()
			}), "--target", s.URL)
			if c.failure == "" {
				wantVerdict(t, o, hotseat.Pass, "")
			} else {
				wantVerdict(t, o, hotseat.Fail, "verify: once: ")
				_, code, _ := strings.Cut(c.failure, "/")
				code, _, _ = strings.Cut(code, " ")
				if f := o.sample(t, code); !strings.Contains(f.Actual, c.actual) || f.Expected == "" || f.User != 1 || f.Scenario != "once" || f.Phase != PhaseVerify {
					t.Errorf("sample %+v", f)
				}
			}
			want := map[string]int64{}
			if c.failure != "" {
				want[c.failure] = 1
			}
			if diff := cmp.Diff(want, o.failures()); diff != "" || ok != (c.failure == "") {
				t.Errorf("ok %v, failures (-want +got):\n%s", ok, diff)
			}
		})
	}
}

func TestValidatorRulesAreExercisedAndSwitchedOff(t *testing.T) {
	s := serve(t, shop)
	lost := check.HTML("title").Exists("li").Rule("x.title").Text("title", "Lost")
	c := once(func(u *User) error { return u.Get("/").Expect(Body(ruleBody, lost)).Err() })
	o := play(t, c, "--target", s.URL)
	if o.verdict.Verdict != hotseat.Fail || o.verdict.Rules[ruleBody] != 1 || o.verdict.Rules["x.title"] != 1 {
		t.Errorf("%s, rules %v", o.verdict.Verdict, o.verdict.Rules)
	}
	o = play(t, c, "--target", s.URL, "--disable-rule", "x.title")
	if o.verdict.Verdict != hotseat.Pass || o.verdict.Rules[ruleBody] != 1 || o.verdict.Rules["x.title"] != 0 {
		t.Errorf("switched off: %s, rules %v", o.verdict.Verdict, o.verdict.Rules)
	}
	o = play(t, c, "--target", s.URL, "--disable-rule", ruleBody)
	if o.verdict.Verdict != hotseat.Pass || o.verdict.Rules[ruleBody] != 0 {
		t.Errorf("whole check switched off: %s, rules %v", o.verdict.Verdict, o.verdict.Rules)
	}
}

func TestPage(t *testing.T) {
	s := serve(t, shop)
	items := check.HTML("items").CaptureAttr("ids", "li.item", "id")
	o := play(t, once(func(u *User) error {
		wrong := func(format string, args ...any) { t.Errorf(format, args...) }
		p := u.Get("/").Expect(Body(ruleBody, items))
		if diff := cmp.Diff([]string{"i1", "i2"}, p.Found("ids")); diff != "" {
			wrong("captured:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"One & only", "Two"}, p.Texts("li.item")); diff != "" {
			wrong("texts:\n%s", diff)
		}
		if diff := cmp.Diff([]string{"i1", "i2"}, p.Attrs("li", "id")); diff != "" {
			wrong("attributes:\n%s", diff)
		}
		if len(p.Texts("table")) != 0 {
			wrong("texts of nothing: %v", p.Texts("table"))
		}

		p = u.PostForm("/login", "name", "ann & co").Follow().Expect(Status(ruleStatus, 200), Path(ruleStatus, "/me"))
		if !p.OK() || string(p.Body()) != "ann & co" || p.URL() != "/me?from=login" || p.Redirects() != 1 || !p.Answered() || !p.Sent() {
			wrong("after logging in: %v %s %s", p.Err(), p.URL(), p.Body())
		}
		if p.DoneAt().Before(p.SentAt()) || time.Since(p.SentAt()) > time.Minute {
			wrong("sent %s, done %s", p.SentAt(), p.DoneAt())
		}
		if u.Cookie("user") != "ann & co" && u.Cookie("user") != "\"ann & co\"" {
			wrong("cookie %q", u.Cookie("user"))
		}
		u.ResetCookies()
		p = u.Get("/me").Expect(Status(ruleStatus, 302))
		if !p.OK() || p.HeaderValue("location") != "/login-form" || p.Path() != "/me" {
			wrong("without cookies: %v %s", p.Err(), p.HeaderValue("location"))
		}

		u.SetHeader("X-Echo", "one")
		pages := u.All(u.Get("/echo"), u.Get("/echo").Header("X-Echo", "two"), u.Get("/echo").Header("X-Echo", ""))
		for i, want := range []string{"one", "two", ""} {
			if got := string(pages[i].Body()); got != want {
				wrong("page %d says %q, want %q", i, got, want)
			}
		}
		u.ResetConnections()

		p = u.Get("/broken").Do()
		if p.OK() || !p.Sent() || !p.Answered() || p.Status() != 200 {
			wrong("broken: ok %v, sent %v, answered %v", p.OK(), p.Sent(), p.Answered())
		}
		return p.Err()
	}), "--target", s.URL)
	wantVerdict(t, o, hotseat.Fail, "the connection was closed before the answer was complete")
	if got := o.failures(); got["transport/early-eof [x.transport]"] != 1 {
		t.Errorf("failures %v", got)
	}
	if n := o.verdict.Endpoints; len(n) == 0 || n[len(n)-1].Template != "/broken" || n[len(n)-1].Errors != 1 {
		t.Errorf("endpoints %+v", n)
	}
}

func TestFailedComparisons(t *testing.T) {
	s := serve(t, shop)
	o := play(t, once(func(u *User) error {
		p := u.Get("/").Route("/:list").Do()
		return u.Fail(Problem{Rule: "x.session", Code: "cookie-leak", Page: p, Expected: "mine", Actual: "yours", Message: "another user's page", Hint: "look at the cache key"})
	}), "--target", s.URL)
	wantVerdict(t, o, hotseat.Fail, "another user's page [x.session]")
	f := o.sample(t, "cookie-leak")
	want := hotseat.Failure{Class: hotseat.ClassSession, Code: "cookie-leak", Rule: "x.session", Side: hotseat.SideTarget, Phase: PhaseVerify,
		Scenario: "once", Step: "GET /:list", User: 1, AtS: f.AtS, StepNumber: 1, Message: "another user's page", Hint: "look at the cache key",
		Request: f.Request, Expected: "mine", Actual: "yours", Curl: f.Curl}
	if diff := cmp.Diff(want, f); diff != "" || !strings.HasPrefix(f.Request, "GET / HTTP/1.1\n") || !strings.HasSuffix(f.Curl, s.URL+"/") {
		t.Errorf("(-want +got):\n%s\n%s\n%s", diff, f.Request, f.Curl)
	}
}

func TestSaturation(t *testing.T) {
	const s = time.Second
	for name, c := range map[string]struct {
		g    *generator
		want string
	}{
		"at ease":     {&generator{procs: 2, loadTime: 10 * s, load: usage{3 * s, s}}, ""},
		"all CPUs":    {&generator{procs: 2, loadTime: 10 * s, load: usage{19 * s, s}}, "95 % of all 2 CPUs"},
		"crowded out": {&generator{procs: 2, loadTime: 10 * s, load: usage{4 * s, 9 * s}}, "waited 9.0 s"},
		"idle queue":  {&generator{procs: 2, loadTime: 10 * s, load: usage{s / 10, s / 2}}, ""},
		"late":        {&generator{procs: 2, loadTime: 10 * s, laggyTime: 2 * s}, "in 2 of 10 s"},
		"too short":   {&generator{procs: 2, loadTime: s / 2, load: usage{s, s}}, ""},
	} {
		if got := c.g.saturated(); !strings.Contains(got, c.want) || (c.want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// digest is what a contest would give beside its files.
func digest(algorithm string, body []byte) string {
	return hex.EncodeToString(map[string]func() []byte{
		"md5":    func() []byte { sum := md5.Sum(body); return sum[:] },
		"sha1":   func() []byte { sum := sha1.Sum(body); return sum[:] },
		"sha256": func() []byte { sum := sha256.Sum256(body); return sum[:] },
		"xxh3":   func() []byte { sum := xxh3.Hash128(body).Bytes(); return sum[:] },
	}[algorithm]())
}

// What a digest check remembers of a right body must not let another one pass,
// and another one must not make it forget.
func TestDigestAfterARightBody(t *testing.T) {
	bodies := []string{"right", "right", "wrong", "right", "Right"}
	next := 0
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(bodies[next%len(bodies)]))
		next++
	})
	c := Digest(ruleBody, "md5", digest("md5", []byte("right")))
	var held []bool
	contest := get()
	contest.Populations = nil
	contest.Finish = []Scenario{{Name: "look", Run: func(u *User) error {
		for range bodies {
			held = append(held, u.Get("/").Expect(c).OK())
		}
		return nil
	}}}
	play(t, contest, "--target", s.URL)
	if diff := cmp.Diff([]bool{true, true, false, true, false}, held); diff != "" {
		t.Errorf("held (-want +got):\n%s", diff)
	}
}
