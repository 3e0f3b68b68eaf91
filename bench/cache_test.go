package bench

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/bench/check"
)

const ruleCache = "x.cache"

// reply is what a scripted target answers: a body, or 304 without one.
type reply struct {
	body   string
	header string // "Name: value" and so on, separated by "; "
}

// scripted is a target that gives these answers, whatever it is asked, and
// notes the validators that came.
type scripted struct {
	mu      sync.Mutex
	replies []reply
	asked   []string
}

func (s *scripted) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, strings.TrimSpace(r.Header.Get("If-None-Match")+" "+r.Header.Get("If-Modified-Since")))
	if len(s.replies) == 0 {
		w.WriteHeader(500)
		return
	}
	next := s.replies[0]
	s.replies = s.replies[1:]
	w.Header().Set("Content-Type", "text/plain")
	for f := range strings.SplitSeq(next.header, "; ") {
		if name, value, ok := strings.Cut(f, ": "); ok {
			w.Header().Set(name, value)
		}
	}
	if next.body == "" {
		w.Header().Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return
	}
	fmt.Fprint(w, next.body)
}

// look does a Cached step and says what the user saw: "new", "same" or
// "cached", and the body.
func look(u *User, c Cache) string {
	p := u.Get("/page").Cached(c).Expect(Status(ruleStatus, 200), Header(ruleStatus, "Content-Type", "text/plain"))
	how := "new "
	switch {
	case !p.OK():
		return p.Err().(*Failed).Code //nolint:errorlint // Verify is not cut
	case p.NotModified():
		how = "same "
	case p.FromCache():
		how = "cached "
	}
	return how + string(p.Body())
}

// another looks as another user.
func another(u *User, c Cache) (seen string) {
	_ = u.Run.Alone(u.Context(), Scenario{Name: "another", Run: func(u *User) error { seen = look(u, c); return nil }}) // what failed is seen
	return seen
}

const (
	monday  = "Last-Modified: Mon, 01 Jan 2024 00:00:00 GMT"
	tuesday = "Last-Modified: Tue, 02 Jan 2024 00:00:00 GMT"
)

func TestCached(t *testing.T) {
	t.Parallel()
	plain := Caching(ruleCache)
	looks := func(n int, c Cache) func(u *User) []string {
		return func(u *User) (seen []string) {
			for range n {
				seen = append(seen, look(u, c))
			}
			return seen
		}
	}
	var settled, begun uint64 = 1, 1
	state := plain.State(func() uint64 { return settled }, func() uint64 { return begun })
	for name, c := range map[string]struct {
		replies []reply
		do      func(u *User) []string
		seen    []string
		asked   []string
	}{
		"an ETag is confirmed": {
			[]reply{{"a", `ETag: "1"`}, {"", `ETag: "1"`}, {"", ""}}, looks(3, plain),
			[]string{"new a", "same a", "same a"}, []string{"", `"1"`, `"1"`},
		},
		"what changed comes anew": {
			[]reply{{"a", `ETag: "1"`}, {"b", `ETag: "2"`}, {"", `ETag: "2"`}}, looks(3, plain),
			[]string{"new a", "new b", "same b"}, []string{"", `"1"`, `"2"`},
		},
		"a time is confirmed": {
			[]reply{{"a", monday}, {"", monday}}, looks(2, plain),
			[]string{"new a", "same a"}, []string{"", monday[15:]},
		},
		"both are sent, and the ETag decides": {
			[]reply{{"a", `ETag: "1"; ` + monday}, {"", `ETag: "1"; ` + tuesday}}, looks(2, plain),
			[]string{"new a", "same a"}, []string{"", `"1" ` + monday[15:]},
		},
		"a proxy that compresses makes ETags weak": {
			[]reply{{"a", `ETag: W/"1"`}, {"", `ETag: "1"`}}, looks(2, plain),
			[]string{"new a", "same a"}, []string{"", `W/"1"`},
		},
		"a weak ETag may stand for several bodies": {
			[]reply{{"a", `ETag: W/"1"`}, {"b", `ETag: W/"1"`}}, looks(2, plain),
			[]string{"new a", "new b"}, []string{"", `W/"1"`},
		},
		"no validators": {
			[]reply{{"a", ""}, {"b", ""}}, looks(2, plain), []string{"new a", "new b"}, []string{"", ""},
		},
		"what must not be kept": {
			[]reply{{"a", `ETag: "1"; Cache-Control: private, no-store`}, {"b", `ETag: "2"; Vary: Cookie, *`}, {"c", `ETag: "3"`}, {"", ""}}, looks(4, plain),
			[]string{"new a", "new b", "new c", "same c"}, []string{"", "", "", `"3"`},
		},
		"what must not be kept replaces what was": {
			[]reply{{"a", `ETag: "1"`}, {"b", `ETag: "2"; Cache-Control: no-store`}, {"c", ""}}, looks(3, plain),
			[]string{"new a", "new b", "new c"}, []string{"", `"1"`, ""},
		},
		"an ETag that cannot be sent back": {
			[]reply{{"a", "ETag: \"\xff\""}, {"b", ""}}, looks(2, plain), []string{"new a", "new b"}, []string{"", ""},
		},
		"Vary: another request than the one that was answered": {
			[]reply{{"a", `ETag: "1"; Vary: X-Lang`}, {"", ""}, {"b", `ETag: "2"; Vary: X-Lang`}},
			func(u *User) []string {
				seen := looks(2, plain)(u)
				u.SetHeader("X-Lang", "ja")
				return append(seen, look(u, plain))
			},
			[]string{"new a", "same a", "new b"}, []string{"", `"1"`, ""},
		},
		"other users and new browsers have nothing": {
			[]reply{{"a", `ETag: "1"`}, {"a", `ETag: "1"`}, {"a", `ETag: "1"`}},
			func(u *User) []string {
				seen := []string{look(u, plain), another(u, plain)}
				u.ResetCache()
				return append(seen, look(u, plain))
			},
			[]string{"new a", "new a", "new a"}, []string{"", "", ""},
		},
		"a 304 that nobody asked for": {
			[]reply{{"", ""}, {"a", `ETag: "1"`}}, looks(2, plain),
			[]string{Code304Unsolicited, "new a"}, []string{"", ""},
		},
		"a 304 to a new browser": {
			[]reply{{"a", `ETag: "1"`}, {"", `ETag: "1"`}},
			func(u *User) []string { return []string{look(u, plain), another(u, plain)} },
			[]string{"new a", Code304Unsolicited}, []string{"", ""},
		},
		"a 304 that names another ETag": {
			[]reply{{"a", `ETag: "1"`}, {"", `ETag: "2"`}}, looks(2, plain),
			[]string{"new a", Code304Stale}, []string{"", `"1"`},
		},
		"a 304 that names a later time": {
			[]reply{{"a", monday}, {"", tuesday}}, looks(2, plain),
			[]string{"new a", Code304Stale}, []string{"", monday[15:]},
		},
		"one ETag, two bodies": {
			[]reply{{"a", `ETag: "1"`}, {"b", `ETag: "1"`}, {"a", `ETag: "1"`}}, looks(3, plain),
			[]string{"new a", CodeETagSameBodyChanged, "new a"}, []string{"", `"1"`, `"1"`},
		},
		"one ETag, two bodies for two users": {
			[]reply{{"a", `ETag: "1"`}, {"b", `ETag: "1"`}},
			func(u *User) []string { return []string{look(u, plain), another(u, plain)} },
			[]string{"new a", CodeETagSameBodyChanged}, []string{"", ""},
		},
		"one body, two ETags": {
			[]reply{{"a", `ETag: "1"`}, {"a", `ETag: "2"`}}, looks(2, plain), []string{"new a", "new a"}, []string{"", `"1"`},
		},
		"one body, two ETags, and the author minds": {
			[]reply{{"a", `ETag: "1"`}, {"a", `ETag: W/"1"`}, {"a", `ETag: "2"`}}, looks(3, plain.StableETags()),
			[]string{"new a", "new a", CodeETagChangedSameBody}, []string{"", `"1"`, `W/"1"`},
		},
		"a version that changed": {
			[]reply{{"a", `ETag: "1"`}, {"", ""}, {"", ""}},
			func(u *User) []string {
				return []string{look(u, plain.AtVersion(1)), look(u, plain.AtVersion(1)), look(u, plain.AtVersion(2))}
			},
			[]string{"new a", "same a", Code304Stale}, []string{"", `"1"`, `"1"`},
		},
		"a change under way may show or not": {
			[]reply{{"a", `ETag: "1"`}, {"", ""}, {"b", `ETag: "2"`}, {"", ""}, {"", ""}},
			func(u *User) []string {
				seen := []string{look(u, state)}
				begun++ // sent, no answer yet
				seen = append(seen, look(u, state), look(u, state))
				settled++ // done; the body had it already
				seen = append(seen, look(u, state))
				begun, settled = 3, 3
				return append(seen, look(u, state))
			},
			[]string{"new a", "same a", "new b", "same b", Code304Stale}, []string{"", `"1"`, `"1"`, `"2"`, `"2"`},
		},
		"others were sent something else": {
			[]reply{{"a", `ETag: W/"1"`}, {"b", `ETag: W/"2"`}, {"", ""}},
			func(u *User) []string {
				return []string{look(u, plain), another(u, plain), look(u, plain)}
			},
			[]string{"new a", "new b", "same a"}, []string{"", "", `W/"1"`},
		},
		"others were sent something newer of what is shared": {
			[]reply{{"a", `ETag: W/"1"`}, {"b", `ETag: W/"2"`}, {"", ""}, {"b", `ETag: W/"2"`}, {"", ""}},
			func(u *User) []string {
				shared := plain.Shared()
				return []string{look(u, shared), another(u, shared), look(u, shared), look(u, shared), look(u, shared)}
			},
			[]string{"new a", "new b", Code304Stale, "new b", "same b"}, []string{"", "", `W/"1"`, `W/"1"`, `W/"2"`},
		},
		"what is shared was right at a later version": {
			[]reply{{"a", `ETag: "1"`}, {"a", `ETag: "1"`}, {"", ""}},
			func(u *User) []string {
				shared := plain.Shared()
				return []string{look(u, shared.AtVersion(1)), another(u, shared.AtVersion(2)), look(u, shared.AtVersion(2))}
			},
			[]string{"new a", "new a", "same a"}, []string{"", "", `"1"`},
		},
		"another coding in silence": {
			[]reply{{"a", "Content-Encoding: identity"}, {"a", ""}},
			func(u *User) []string {
				seen := []string{look(u, plain)}
				u.SetHeader("Accept-Encoding", "identity")
				return append(seen, look(u, plain))
			},
			[]string{"new a", CodeWrongVary}, []string{"", ""},
		},
		"another coding that Vary tells of": {
			[]reply{{"a", "Content-Encoding: identity; Vary: cookie, Accept-encoding"}, {"a", "Vary: *"}},
			func(u *User) []string {
				seen := []string{look(u, plain)}
				u.SetHeader("Accept-Encoding", "identity")
				return append(seen, look(u, plain))
			},
			[]string{"new a", "new a"}, []string{"", ""},
		},
		"max-age does not matter to who reloads": {
			[]reply{{"a", `ETag: "1"; Cache-Control: max-age=60`}, {"", ""}}, looks(2, plain),
			[]string{"new a", "same a"}, []string{"", `"1"`},
		},
		"max-age": {
			[]reply{{"a", `Cache-Control: public, MAX-AGE="60"; Age: 9`}}, looks(3, plain.ReuseFresh()),
			[]string{"new a", "cached a", "cached a"}, []string{""},
		},
		"max-age that is over, and is prolonged": {
			[]reply{{"a", `ETag: "1"; Cache-Control: max-age=60; Age: 70`}, {"", "Cache-Control: max-age=60"}}, looks(3, plain.ReuseFresh()),
			[]string{"new a", "same a", "cached a"}, []string{"", `"1"`},
		},
		"max-age that may not be used": {
			[]reply{{"a", `ETag: "1"; Cache-Control: no-cache, max-age=60`}, {"", ""}, {"b", `Cache-Control: max-age=soon`}, {"c", ""}}, looks(4, plain.ReuseFresh()),
			[]string{"new a", "same a", "new b", "new c"}, []string{"", `"1"`, `"1"`, ""},
		},
		"an error replaces nothing": {
			[]reply{{"a", `ETag: "1"`}}, looks(2, plain), []string{"new a", hotseat.CodeStatus5xx}, []string{"", `"1"`},
		},
	} {
		t.Run(name, func(t *testing.T) {
			target := &scripted{replies: c.replies}
			s := serve(t, target.ServeHTTP)
			var seen []string
			contest := caching(func(u *User) error { seen = c.do(u); return nil })
			o := play(t, contest, "--target", s.URL)
			if diff := cmp.Diff(c.seen, seen); diff != "" {
				t.Errorf("the user saw (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.asked, target.asked); diff != "" {
				t.Errorf("the target was asked (-want +got):\n%s", diff)
			}
			wrong := int64(0)
			for key, n := range o.failures() {
				if strings.HasPrefix(key, "cache/") && strings.HasSuffix(key, " ["+ruleCache+"]") {
					wrong += n
				}
			}
			want := int64(0)
			for _, saw := range c.seen {
				if !strings.Contains(saw, " ") && saw != hotseat.CodeStatus5xx {
					want++
				}
			}
			if wrong != want || (wrong > 0) != (o.verdict.Verdict == hotseat.Fail && o.verdict.Rules[ruleCache] > 0) && name != "an error replaces nothing" {
				t.Errorf("failures %v, verdict %s, exercised %d times", o.failures(), o.verdict.Verdict, o.verdict.Rules[ruleCache])
			}
			if n := o.verdict.Endpoints[0].Count; n != int64(len(c.asked)) {
				t.Errorf("%d requests counted of %d", n, len(c.asked))
			}
		})
	}
}

// caching is once with a rule about caches.
func caching(work func(u *User) error) Contest {
	c := once(work)
	c.Rules = append(c.Rules, hotseat.Rule{ID: ruleCache, Class: hotseat.ClassCache, Text: "304 means not modified.", Semantic: true, Conditional: true})
	return c
}

func TestCachedRuleSwitchedOff(t *testing.T) {
	t.Parallel()
	target := &scripted{replies: []reply{{"a", `ETag: "1"`}, {"", `ETag: "2"`}, {"b", `ETag: "1"`}, {"b", `ETag: "3"`}}}
	s := serve(t, target.ServeHTTP)
	var seen []string
	o := play(t, caching(func(u *User) error {
		for range 4 {
			seen = append(seen, look(u, Caching(ruleCache).StableETags()))
		}
		return nil
	}), "--target", s.URL, "--disable-rule", ruleCache)
	wantVerdict(t, o, hotseat.Pass, "")
	if diff := cmp.Diff([]string{"new a", "same a", "new b", "new b"}, seen); diff != "" || o.verdict.Rules[ruleCache] != 0 {
		t.Errorf("exercised %d times; (-want +got):\n%s", o.verdict.Rules[ruleCache], diff)
	}
}

// What is shown again is checked again, and a failure says where it came from.
func TestCachedBodiesAreChecked(t *testing.T) {
	t.Parallel()
	target := &scripted{replies: []reply{{"a", `ETag: "1"`}, {"", ""}}}
	s := serve(t, target.ServeHTTP)
	o := play(t, caching(func(u *User) error {
		get := func(want string) error {
			return u.Get("/").Cached(Caching(ruleCache)).Point("page").Expect(Status(ruleStatus, 200), Digest(ruleBody, "md5", want)).Err()
		}
		if err := get(digest("md5", []byte("a"))); err != nil {
			return err
		}
		return get(digest("md5", []byte("b")))
	}), "--target", s.URL)
	if f := o.sample(t, check.AssetDigest); !strings.Contains(f.Request, "If-None-Match: \"1\"") || !strings.Contains(f.Curl, `'If-None-Match: "1"'`) {
		t.Errorf("request %s, curl %s", f.Request, f.Curl)
	}
	if n := o.points()["page"]; n != 1 {
		t.Errorf("%d points", n)
	}
}

func TestNothingIsEarnedWithoutAsking(t *testing.T) {
	t.Parallel()
	target := &scripted{replies: []reply{{"ok", "Cache-Control: max-age=60"}}}
	s := serve(t, target.ServeHTTP)
	o := play(t, caching(func(u *User) error {
		for range 5 {
			p := u.Get("/").Cached(Caching(ruleCache).ReuseFresh()).Point("page").Expect(saysOK())
			if !p.OK() || p.FromCache() == p.Sent() || p.FromCache() == p.Answered() {
				return fmt.Errorf("sent %v, answered %v, %w", p.Sent(), p.Answered(), p.Err())
			}
		}
		return nil
	}), "--target", s.URL)
	wantVerdict(t, o, hotseat.Pass, "")
	if n := o.points()["page"]; n != 1 {
		t.Errorf("%d points for one request", n)
	}
}

// A user of whom nothing is asked must not spin.
func TestUsersThatOnlyLookAtTheirCacheDoNotSpin(t *testing.T) {
	target := &scripted{replies: []reply{{"ok", "Cache-Control: max-age=60"}, {"ok", "Cache-Control: max-age=60"}}}
	s := serve(t, target.ServeHTTP)
	rounds := [3]int{}
	c := visit(func(u *User) error {
		rounds[u.ID]++
		return u.Get("/").Cached(Caching(ruleStatus).ReuseFresh()).Expect(saysOK()).Err()
	})
	wantVerdict(t, play(t, c, "--target", s.URL), hotseat.Pass, "")
	if n := rounds[1] + rounds[2]; n > 2*400 || n < 4 {
		t.Errorf("%d iterations by two users in 300 ms", n)
	}
}

func TestCachedMisused(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	for want, step := range map[string]func(u *User) *Step{
		"without Follow":                func(u *User) *Step { return u.Get("/").Follow() },
		"for GET":                       func(u *User) *Step { return u.PostForm("/") },
		"with the header If-None-Match": func(u *User) *Step { return u.Get("/").Header("If-None-Match", "*") },
		`rule "x.other" is not`:         nil,
	} {
		o := play(t, caching(func(u *User) error {
			if step == nil {
				return u.Get("/").Cached(Caching("x.other")).Do().Err()
			}
			return step(u).Cached(Caching(ruleCache)).Do().Err()
		}), "--target", s.URL)
		wantVerdict(t, o, hotseat.Infra, want)
	}
}

// Only what is certainly newer counts: requests that overlap say nothing of
// which body came first.
func TestOnlyWhatIsCertainlyNewerIsNewer(t *testing.T) {
	began := time.Now()
	at := func(ms int) time.Time { return began.Add(time.Duration(ms) * time.Millisecond) }
	old, other := &held{}, &held{}
	other.digest.Lo = 1
	for name, c := range map[string]struct {
		sent, done int // of the request for the other body; the old one took from 10 to 20
		ask        int
		newer      bool
	}{
		"after":                {30, 40, 50, true},
		"before":               {0, 5, 50, false},
		"overlaps the old one": {15, 40, 50, false},
		"overlaps the 304":     {30, 60, 50, false},
	} {
		var all sightings
		v := variant{"/", "gzip"}
		all.observe(sight{variant: v, held: old, sent: at(10), done: at(20)})
		all.observe(sight{variant: v, held: other, sent: at(c.sent), done: at(c.done)})
		if _, newer := all.ask(v, old, at(c.ask)); newer > 0 != c.newer {
			t.Errorf("%s: newer %v", name, newer)
		}
	}
}

// However many pages there are, a browser and the table of all sightings stay small.
func TestCachesAreBounded(t *testing.T) {
	var k kept
	for i := range 3 * keptPages {
		k.put(fmt.Sprint(i), &held{})
		k.put(fmt.Sprint(i), &held{})
	}
	k.put("0", nil)
	if len(k.pages) != keptPages || len(k.order) != keptPages || k.pages[fmt.Sprint(3*keptPages-1)] == nil {
		t.Errorf("%d pages, %d in order", len(k.pages), len(k.order))
	}
	var all sightings
	for i := range 2 * maxFacts {
		s := sight{variant: variant{fmt.Sprint(i % 100), fmt.Sprint(i % 3)}, held: &held{etag: fmt.Sprint(i)}}
		s.held.digest.Lo = uint64(i)
		all.observe(s)
	}
	facts := 0
	for _, v := range all.variants {
		facts += 1 + len(v.strong) + len(v.bodies)
	}
	for _, c := range all.codings {
		facts += len(c)
	}
	if facts > maxFacts {
		t.Errorf("%d facts, want at most %d", facts, maxFacts)
	}
}

// Users who keep the same body share its memory.
func TestKeptBodiesAreShared(t *testing.T) {
	var all sightings
	h := &held{}
	first, second := all.intern(h.digest, []byte("body")), all.intern(h.digest, []byte("body"))
	if first != second || string(first.bytes) != "body" {
		t.Errorf("%p and %p", first, second)
	}
}

// nginx, which most contests have in front, tells the truth about its files.
func TestCachedFilesOfNginx(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const version1, version2 = "ok", "changed"
	write := func(body string, at time.Time) {
		file := filepath.Join(dir, "page.txt")
		if err := os.WriteFile(file+".new", []byte(body+strings.Repeat(".", 2000)), 0o644); err != nil { // for nginx's worker
			t.Fatal(err)
		}
		if err := os.Chtimes(file+".new", at, at); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file+".new", file); err != nil {
			t.Fatal(err)
		}
	}
	then := time.Now().Add(-time.Hour)
	write(version1, then)
	socket := filepath.Join(dir, "nginx.sock")
	config := fmt.Sprintf(`daemon off; master_process off; pid %[1]s/pid; error_log %[1]s/error.log;
		events {}
		http {
			access_log off; default_type text/plain; root %[1]s; gzip on; gzip_vary on; gzip_types text/plain; gzip_http_version 1.0;
			client_body_temp_path %[1]s; proxy_temp_path %[1]s; fastcgi_temp_path %[1]s; uwsgi_temp_path %[1]s; scgi_temp_path %[1]s;
			server { listen unix:%[2]s; location /aged { alias %[1]s; expires 60s; } }
		}`, dir, socket)
	if err := os.WriteFile(filepath.Join(dir, "nginx.conf"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	nginx := exec.Command("nginx", "-e", filepath.Join(dir, "error.log"), "-c", filepath.Join(dir, "nginx.conf"))
	nginx.Stderr = os.Stderr
	if err := nginx.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = nginx.Process.Kill()
		_ = nginx.Wait()
	})
	policy := Caching(ruleCache).Shared().StableETags().ReuseFresh()
	contest := caching(func(u *User) error {
		see := func(u *User, path, want string, how func(p *Page) bool) error {
			p := u.Get(path).Cached(policy).Expect(Status(ruleStatus, 200), Header(ruleStatus, "Content-Type", "text/plain"))
			if p.OK() && (!strings.HasPrefix(string(p.Body()), want+".") || !how(p)) {
				return fmt.Errorf("%s: not modified %v, from the cache %v: %.10s", path, p.NotModified(), p.FromCache(), p.Body())
			}
			return p.Err()
		}
		anew := func(p *Page) bool { return !p.NotModified() && !p.FromCache() }
		for _, coding := range []string{"gzip", "identity"} {
			u.SetHeader("Accept-Encoding", coding)
			for i, how := range []func(p *Page) bool{anew, (*Page).NotModified, (*Page).NotModified} {
				if err := see(u, "/page.txt", version1, how); err != nil {
					return fmt.Errorf("%s, %d: %w", coding, i, err)
				}
			}
		}
		write(version2, then.Add(time.Second)) // as a deployment does
		for i, how := range []func(p *Page) bool{anew, (*Page).NotModified} {
			if err := see(u, "/page.txt", version2, how); err != nil {
				return fmt.Errorf("changed, %d: %w", i, err)
			}
			how = anew
			if i > 0 {
				how = (*Page).FromCache
			}
			if err := see(u, "/aged/page.txt", version2, how); err != nil {
				return err
			}
		}
		return nil
	})
	contest.patience.preflight = 10 * time.Second
	o := play(t, contest, "--target", "unix:"+socket)
	wantVerdict(t, o, hotseat.Pass, "")
	if n := o.verdict.Rules[ruleCache]; n != 9 {
		t.Errorf("exercised %d times", n)
	}
}
