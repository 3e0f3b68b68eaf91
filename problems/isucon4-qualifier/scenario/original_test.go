package scenario

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"hotseat"
)

// rules=original looks at the report alone, and at the number of its entries first.
func TestOriginal(t *testing.T) {
	w := newTestWorld(t, 400)
	extra := func(more ...string) func(b *bank) {
		return func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string][]string{bannedList: append(banned, more...), lockedList: locked}
			}
		}
	}
	for _, test := range []struct {
		name       string
		wrong      func(b *bank)
		proxy      func(http.Handler) http.Handler
		rule, code string // "" if it passes
		args       []string
	}{
		{name: "other notices", wrong: func(b *bank) { b.notices[wrong], b.notices[banned] = "No.", "Go away." }},
		{name: "other files", proxy: alterBody("/stylesheets/b.css", "b{}", "")},
		{name: "current login's time", wrong: func(b *bank) {
			b.shown = func(_ *client, last, now visit) (string, string) {
				return now.at.AddDate(1, 0, 0).Format(lastLoginFormat), last.ip
			}
		}},
		{name: "my page for everybody", wrong: func(b *bank) { b.open = true }},
		{name: "other members", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string]any{bannedList: banned, lockedList: locked, "x": []string{}}
			}
		}},
		{name: "one too many", wrong: extra("127.1.0.254"), rule: ruleReportNotBanned, code: "count-mismatch"},
		{name: "one twice", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string][]string{bannedList: banned, lockedList: append(locked, locked[0])}
			}
		}, rule: ruleReportNotLocked, code: "count-mismatch"},
		{name: "one for another", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				slices.Sort(locked) // the last one was locked from the start
				return map[string][]string{bannedList: banned, lockedList: append(locked[:len(locked)-1], "nobody")}
			}
		}, rule: ruleReportInitial, code: "missing"},
		{name: "one too few", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string][]string{bannedList: banned, lockedList: locked[1:]}
			}
		}, rule: ruleReportLocked, code: "count-mismatch"},
		{name: "no report", proxy: alterStatus(isReport, http.StatusServiceUnavailable), rule: prefix + ".server-error", code: hotseat.CodeStatus5xx},
		// The original counts attempts that were never sent (§15.4).
		{name: "login pages that fail", proxy: func(next http.Handler) http.Handler {
			var n atomic.Int64
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if _, err := r.Cookie("bank"); err != nil && r.URL.Path == "/" && n.Add(1)%20 == 0 {
					w.WriteHeader(http.StatusBadGateway)
					return
				}
				next.ServeHTTP(w, r)
			})
		}, rule: ruleReportLocked, code: "count-mismatch", args: []string{"--duration", "1s"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"--param", "rules=original"}, test.args...)
			if test.rule == "" {
				args = append(args, "--duration", "1s") // something is served on a busy machine, too
			}
			r := execute(t, w, bankBehind(w, test.wrong, test.proxy), args...)
			if test.rule == "" {
				if r.Verdict.Verdict != hotseat.Pass || *r.Verdict.Score <= 0 {
					t.Fatal(r)
				}
				return
			}
			if r.Verdict.Verdict != hotseat.Fail || !r.Has(test.rule, test.code) {
				t.Fatalf("want %s %s: %v", test.rule, test.code, r)
			}
		})
	}
}

// What the benchmark sends: §15.5.
func TestRequests(t *testing.T) {
	w := newTestWorld(t, 400)
	b := newBank(w)
	var attempts, withoutAddress, foreign, unnamed, stale atomic.Int64
	h := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		from := r.Header.Get("X-Forwarded-For")
		preflight := r.Header.Get("User-Agent") == "hotseat-preflight"
		switch {
		case preflight:
		case from == "":
			withoutAddress.Add(1)
		case !strings.HasPrefix(from, "127.1.") && !strings.HasPrefix(from, rehearsalBlock):
			foreign.Add(1)
		}
		if !preflight && r.Header.Get("User-Agent") != userAgent {
			unnamed.Add(1)
		}
		if r.Method == http.MethodPost {
			attempts.Add(1)
			if _, err := r.Cookie("bank"); err == nil {
				stale.Add(1) // of the attempt before
			}
			if got := r.Header.Get("Content-Type"); got != "application/x-www-form-urlencoded" {
				t.Errorf("content type %q", got)
			}
		}
		b.ServeHTTP(rw, r)
	})
	r := execute(t, w, h)
	if r.Verdict.Verdict != hotseat.Pass {
		t.Fatal(r)
	}
	if n := fmt.Sprint(withoutAddress.Load(), foreign.Load(), unnamed.Load(), stale.Load()); n != "0 0 0 0" {
		t.Errorf("requests without an address, from a foreign one, without a name, with an old session: %s", n)
	}
	// Three assets at once and two idle connections: one is closed per page.
	if opened, pages := r.Verdict.Generator.Connections, 2*attempts.Load(); opened < pages/2 || opened > 2*pages {
		t.Errorf("%d connections for %d pages", opened, pages)
	}
}

// What is fetched twice is paid twice by the original, once under strict.
func TestScore(t *testing.T) {
	w := newTestWorld(t, 400)
	const twice = `<link href="/stylesheets/a.css"><link href="/stylesheets/b.css">`
	for _, test := range []struct {
		rules, head string
		assets      int64 // of a page
	}{
		{"strict", "", 3}, {"strict", twice, 3}, {"original", "", 3}, {"original", twice, 5},
	} {
		b := newBank(w)
		b.head = test.head
		r := execute(t, w, b, "--param", "rules="+test.rules, "--param", "workload=1")
		if r.Verdict.Verdict != hotseat.Pass {
			t.Fatal(r)
		}
		pages, assets := r.Points[pointPage], r.Points[pointAsset]
		if pages == 0 || assets != test.assets*pages {
			t.Errorf("%s: %d assets for %d pages, want %d for each", test.rules, assets, pages, test.assets)
		}
		if want := workerScore(pages, assets); *r.Verdict.Score != want {
			t.Errorf("%s: score %d, want %d", test.rules, *r.Verdict.Score, want)
		}
	}
}
