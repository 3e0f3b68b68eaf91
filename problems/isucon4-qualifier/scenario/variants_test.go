package scenario

import (
	"compress/gzip"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"hotseat"
	"hotseat/bench"
	"hotseat/problem/problemtest"
)

// variant is a bank that keeps every promise in an unusual way.
type variant struct {
	name   string
	change func(b *bank)
	proxy  func(next http.Handler) http.Handler
	// Rules that cannot be exercised with it.
	unused []string
}

func redirectWith(status int, location func(r *http.Request, to string) string) func(b *bank) {
	return func(b *bank) {
		b.redirect = func(w http.ResponseWriter, r *http.Request, to string) {
			w.Header().Set("Location", location(r, to))
			w.WriteHeader(status)
			fmt.Fprint(w, "you are being <a href=elsewhere>redirected</a>")
		}
	}
}

func relative(_ *http.Request, to string) string { return to }

func variants() []variant {
	unnamed := []string{ruleMyPageCustomer}
	return []variant{
		{name: "as the reference"},
		{name: "303", change: redirectWith(http.StatusSeeOther, relative)},
		{name: "301", change: redirectWith(http.StatusMovedPermanently, relative)},
		{name: "query string", change: redirectWith(http.StatusFound, func(_ *http.Request, to string) string { return to + "?err=locked&x=1" })},
		{name: "absolute location", change: redirectWith(http.StatusFound, func(r *http.Request, to string) string { return "http://" + r.Host + to })},
		{name: "location with a fragment", change: redirectWith(http.StatusFound, func(_ *http.Request, to string) string { return to + "#top" })},
		{name: "location without a slash", change: redirectWith(http.StatusFound, func(_ *http.Request, to string) string { return "." + to })},
		{name: "my page rendered after one more redirect", proxy: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == myPage && r.URL.RawQuery == "" {
					http.Redirect(w, r, myPage+"?again", http.StatusFound)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
		{name: "odd cookies", proxy: alterHeader(func(h http.Header) {
			h.Add("Set-Cookie", `theme="dark blue"; Expires=Wed, 01-Jan-2070 00:00:00 GMT; SameSite=Lax; Priority=High; HttpOnly`)
			h.Add("Set-Cookie", "gone=1; Max-Age=0; Path=/")
			h.Add("Set-Cookie", "foreign=1; Domain=example.com")
		})},
		{name: "gzip", proxy: compress},
		{name: "old times, another zone", change: func(b *bank) {
			b.clock = func() time.Time { return time.Now().In(time.FixedZone("", 5*3600+45*60)) }
		}},
		{name: "rounded times", change: func(b *bank) {
			b.shown = func(_ *client, last, _ visit) (string, string) {
				return last.at.Round(time.Second).Format(lastLoginFormat), last.ip
			}
		}},
		{name: "a clock of its own", change: func(b *bank) {
			b.clock = func() time.Time { return time.Now().Add(-7 * time.Second) }
		}},
		{name: "unnamed customers", unused: unnamed, change: func(b *bank) { b.names = func(*client) string { return "dear customer" } }},
		{name: "empty last login at the first", change: func(b *bank) {
			shown := b.shown
			b.shown = func(u *client, last, now visit) (string, string) {
				if last == now {
					return "", ""
				}
				return shown(u, last, now)
			}
		}},
		{name: "entities", change: func(b *bank) {
			b.notices[banned] = "You&apos;re&#x20;ban&#110;ed."
			b.notices[locked] = "&#84;his account is locked&period;"
		}},
		{name: "elsewhere", change: func(b *bank) {
			b.head = `<link rel=icon href="data:,"><script src="https://cdn.example.com/x.js"></script><img src=""><img src="//example.com/a.png">`
		}},
		{name: "assets by full address, twice, and others", proxy: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/app.js" {
					fmt.Fprint(w, "1")
					return
				}
				got := httptest.NewRecorder()
				next.ServeHTTP(got, r)
				body := strings.Replace(got.Body.String(), `href="/stylesheets/a.css"`, `href="http://`+r.Host+`/stylesheets/a.css"`, 1)
				body = strings.Replace(body, "</head>", `<script src="app.js?v=1 2"></script><link href="stylesheets/../stylesheets/b.css"></head>`, 1)
				send(w, got, body)
			})
		}},
		{name: "no assets", unused: []string{ruleAssetStatus, ruleAssetDigest}, proxy: alterPages(func(body string) string {
			return strings.NewReplacer("<link", "<meta", "<img", "<br").Replace(body)
		})},
		{name: "loose HTML", proxy: alterPages(func(body string) string {
			body = "\ufeff<!-- <link href=/nowhere.css> <p id=notice-message>hm</p> -->" + body
			body = strings.NewReplacer("</body>", "", "</html>", "", "<!DOCTYPE html>", "", "<form", "<FORM", "<input", "<INPUT",
				`id="notice-message"`, "ID = 'notice-message'", `name="login"`, "NAME=login", "</dd>", "").Replace(body)
			return body + `<script>var s = "<div id='notice-message'>no</div>"</script><p id="notice-message">the second</p>`
		})},
		{name: "report in any order", change: func(b *bank) {
			b.report = func(banned, locked []string) any {
				rand.Shuffle(len(banned), func(i, j int) { banned[i], banned[j] = banned[j], banned[i] })
				rand.Shuffle(len(locked), func(i, j int) { locked[i], locked[j] = locked[j], locked[i] })
				return map[string]any{"more": []string{"x", "x"}, "none": nil, lockedList: locked, bannedList: banned}
			}
		}},
		{name: "my page refused with 500 to strangers", proxy: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := r.Cookie("bank"); r.URL.Path == myPage && err != nil {
					w.WriteHeader(http.StatusInternalServerError)
					return
				}
				next.ServeHTTP(w, r)
			})
		}},
		{name: "connections closed after each answer", proxy: alterHeader(func(h http.Header) { h.Set("Connection", "close") })},
	}
}

// alterHeader is a proxy that changes the header of every answer.
func alterHeader(change func(http.Header)) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			change(w.Header())
			next.ServeHTTP(w, r)
		})
	}
}

// alterPages is a proxy that changes every HTML page.
func alterPages(change func(body string) string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got := httptest.NewRecorder()
			next.ServeHTTP(got, r)
			body := got.Body.String()
			if strings.HasPrefix(got.Header().Get("Content-Type"), "text/html") {
				body = change(body)
			}
			send(w, got, body)
		})
	}
}

func compress(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			next.ServeHTTP(w, r)
			return
		}
		got := httptest.NewRecorder()
		next.ServeHTTP(got, r)
		if got.Body.Len() == 0 {
			send(w, got, "")
			return
		}
		got.Header().Set("Content-Encoding", "gzip")
		var body strings.Builder
		z := gzip.NewWriter(&body)
		_, _ = z.Write(got.Body.Bytes())
		_ = z.Close()
		send(w, got, body.String())
	})
}

// A right bank passes, however it does it, and every rule was looked at.
func TestVariants(t *testing.T) {
	w := newTestWorld(t, 400)
	var scored atomic.Int64 // in all: on a busy machine one short run may score nothing
	t.Run("each", func(t *testing.T) { playVariants(t, w, &scored) })
	if scored.Load() == 0 {
		t.Error("right banks score nothing")
	}
}

func playVariants(t *testing.T, w *testWorld, scored *atomic.Int64) {
	for i, v := range variants() {
		for _, rules := range []string{"strict", "original"} {
			t.Run(v.name+" "+rules, func(t *testing.T) {
				t.Parallel()
				play := func(args ...string) problemtest.Outcome {
					return execute(t, w, bankBehind(w, v.change, v.proxy), append(args, "--param", "rules="+rules, "--seed", fmt.Sprint(i), "--param", fmt.Sprintf("workload=%d", i%4))...)
				}
				forgotten := func(r problemtest.Outcome) []string {
					return slices.DeleteFunc(ruleIDs(), func(rule string) bool {
						return r.Verdict.Rules[rule] > 0 || rules != "strict" || slices.Contains(v.unused, rule)
					})
				}
				enough := func(r problemtest.Outcome) bool { return len(forgotten(r)) == 0 || len(r.Failures) > 0 }
				r := problemtest.Until(enough, play, moment, "3s", "15s")()
				if !r.Passed() || len(r.Failures) > 0 {
					t.Fatal(r)
				}
				scored.Add(*r.Verdict.Score)
				for _, rule := range forgotten(r) {
					t.Errorf("%s was not exercised", rule)
				}
			})
		}
	}
}

func ruleIDs() []string {
	var ids []string
	for _, r := range rules() {
		ids = append(ids, r.ID)
	}
	return ids
}

// unreliable loses answers: of requests that were never looked at, of ones
// that were done, and of ones that will be done when nobody expects it.
type unreliable struct {
	next http.Handler
	mu   sync.Mutex
	dice *rand.Rand
	late sync.WaitGroup
}

func (u *unreliable) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	u.mu.Lock()
	draw, delay := u.dice.IntN(20), time.Duration(u.dice.IntN(150))*time.Millisecond
	u.mu.Unlock()
	own := strings.HasPrefix(r.Header.Get("X-Forwarded-For"), rehearsalBlock) || isReport(r)
	if own || draw > 5 || (r.Method == http.MethodGet && draw > 1) {
		u.next.ServeHTTP(w, r)
		return
	}
	if err := r.ParseForm(); err != nil {
		panic(err)
	}
	again := r.Clone(r.Context())
	switch draw {
	case 0: // never looked at
	case 1, 2: // done, and the answer lost
		u.next.ServeHTTP(httptest.NewRecorder(), again)
	case 3: // done later
		u.late.Go(func() {
			time.Sleep(delay)
			u.next.ServeHTTP(httptest.NewRecorder(), again)
		})
	case 4: // an error, whatever was done
		if delay%2 == 0 {
			u.next.ServeHTTP(httptest.NewRecorder(), again)
		}
		w.WriteHeader(http.StatusBadGateway)
		return
	case 5: // slow: the end of the load may cut it
		time.Sleep(delay)
		u.next.ServeHTTP(w, r)
		return
	}
	panic(http.ErrAbortHandler)
}

// Nothing that was not observed is held against anyone.
func TestLostAnswersAccuseNobody(t *testing.T) {
	w := newTestWorld(t, 600)
	var lost atomic.Int64
	t.Run("seeds", func(t *testing.T) {
		for seed := range uint64(24) {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				t.Parallel()
				h := &unreliable{next: newBank(w), dice: rand.New(rand.NewPCG(seed, 1))}
				r := executeContest(t, w, h, func(c *bench.Contest) { c.MaxErrorShare = 1 },
					"--seed", fmt.Sprint(seed), "--param", fmt.Sprintf("workload=%d", 1+seed%7), "--duration", "400ms")
				h.late.Wait()
				if r.Verdict.Verdict != hotseat.Pass {
					t.Error(r)
				}
				lost.Add(int64(len(r.Failures)))
			})
		}
	})
	if lost.Load() == 0 {
		t.Error("nothing was lost: the test tests nothing")
	}
}
