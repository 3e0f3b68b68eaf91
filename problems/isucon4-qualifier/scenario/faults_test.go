package scenario

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"hotseat/problem/problemtest"
)

// fault is one way of being wrong that one rule alone catches.
type fault struct {
	rule, code string
	wrong      func(b *bank)
	proxy      func(next http.Handler) http.Handler // in front of it
	args       []string
}

// faults has one for each semantic rule: faults/NOTES.md says the same for people.
func faults() []fault {
	return []fault{
		{rule: rulePageStatus, proxy: alterStatus(func(r *http.Request) bool { return r.URL.Path == myPage }, http.StatusAccepted)},
		{rule: ruleLoginForm, code: "selector-missing", proxy: alterBody("/", `name="password"`, `name="pass"`)},
		{rule: ruleAssetStatus, wrong: func(b *bank) { b.head = `<link rel="icon" href="/favicon.ico">` }},
		{rule: ruleAssetDigest, proxy: alterBody("/stylesheets/b.css", "b{}", "b{ }")},

		{rule: ruleRightPassword, code: "right-password-refused", wrong: func(b *bank) { b.rightRefused = true }},
		{rule: ruleWrongPassword, code: "wrong-password-accepted", wrong: func(b *bank) { b.anyPassword = true }},
		{rule: ruleLockThreshold, code: "not-locked", wrong: func(b *bank) { b.lockAt = 4 }},
		{rule: ruleLockThreshold, code: "locked-early", wrong: func(b *bank) { b.lockAt = 2 }},
		{rule: ruleBanThreshold, code: "not-banned", wrong: func(b *bank) { b.banAt = 11 }},
		{rule: ruleBanThreshold, code: "banned-early", wrong: func(b *bank) { b.banAt = 9 }},
		{rule: ruleBanBeforeLock, code: "wrong-order", wrong: func(b *bank) { b.lockFirst = true }},
		{rule: ruleRefusalsCount, code: "refusal-not-counted", wrong: func(b *bank) { b.refusalsUncounted = true }},
		{rule: ruleSuccessResets, code: "count-not-reset", wrong: func(b *bank) { b.neverReset = true }},
		{rule: ruleSuccessResets, code: "count-not-reset", wrong: func(b *bank) { b.addressNotReset = true }},

		{rule: rulePathAccepted, code: "wrong-path", wrong: func(b *bank) { b.accepted = "/account" }},
		{rule: rulePathRefused, code: "wrong-path", wrong: func(b *bank) { b.refused = "/sorry" }},
		{rule: ruleNoticeWrong, code: "notice-mismatch", wrong: func(b *bank) { b.notices[wrong] = " " + noticeWrong }},
		{rule: ruleNoticeLocked, code: "notice-mismatch", wrong: func(b *bank) { b.notices[locked] = "<b>" + noticeLocked + "</b>" }},
		{rule: ruleNoticeBanned, code: "notice-mismatch", wrong: func(b *bank) { b.notices[banned] = "You’re banned." }},
		{rule: ruleNoticeWrong, code: "notice-missing", proxy: alterBody("/", noticeWrong, ""), wrong: func(b *bank) { b.notices[wrong] = "" }},

		{rule: ruleLastAddress, code: "value-mismatch", wrong: func(b *bank) {
			b.shown = func(_ *client, last, now visit) (string, string) { return last.at.Format(lastLoginFormat), now.ip }
		}},
		{rule: ruleLastTimeFormat, code: "time-format", wrong: func(b *bank) {
			b.shown = func(_ *client, last, _ visit) (string, string) { return last.at.Format("2006/01/02 15:04:05"), last.ip }
		}},
		{rule: ruleLastTime, code: "value-mismatch", args: []string{"--duration", "3500ms"}, wrong: func(b *bank) {
			b.shown = func(_ *client, last, now visit) (string, string) { return now.at.Format(lastLoginFormat), last.ip }
		}},

		{rule: ruleMyPagePrivate, code: "shown-without-login", wrong: func(b *bank) { b.open = true }},
		{rule: ruleMyPageCustomer, code: "wrong-customer", wrong: func(b *bank) {
			n := 0
			b.names = func(u *client) string {
				if n++; n < 6 {
					return u.login
				}
				return "user.0001"
			}
		}},

		{rule: ruleReportStatus, code: "unexpected-status", proxy: alterStatus(isReport, http.StatusNotFound)},
		{rule: ruleReportShape, code: "report-shape", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string]any{bannedList: banned, lockedList: locked, "generated_at": time.Now()}
			}
		}},
		{rule: ruleReportShape, code: "member-missing", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string]any{"banned_addresses": banned, lockedList: locked}
			}
		}},
		{rule: ruleReportBanned, code: "missing", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				never := func(ip string) bool { return !b.addresses[ip].everSucceeded }
				return map[string][]string{bannedList: slices.DeleteFunc(banned, never), lockedList: locked}
			}
		}},
		{rule: ruleReportRebanned, code: "missing", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				once := func(ip string) bool { return b.addresses[ip].everSucceeded }
				return map[string][]string{bannedList: slices.DeleteFunc(banned, once), lockedList: locked}
			}
		}},
		{rule: ruleReportNotBanned, code: "extra", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string][]string{bannedList: append(banned, "127.200.1.1"), lockedList: locked}
			}
		}},
		{rule: ruleReportLocked, code: "missing", wrong: func(b *bank) {
			atStart := map[string]bool{}
			for login, u := range b.clients {
				atStart[login] = u.log >= 3
			}
			b.report = func(banned, locked []string) any {
				since := func(login string) bool { return !atStart[login] }
				return map[string][]string{bannedList: banned, lockedList: slices.DeleteFunc(locked, since)}
			}
		}},
		{rule: ruleReportInitial, code: "missing", wrong: func(b *bank) {
			atStart := map[string]bool{}
			for login, u := range b.clients {
				atStart[login] = u.log >= 3
			}
			b.report = func(banned, locked []string) any {
				old := func(login string) bool { return atStart[login] }
				return map[string][]string{bannedList: banned, lockedList: slices.DeleteFunc(locked, old)}
			}
		}},
		{rule: ruleReportNotLocked, code: "extra", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				for login, u := range b.clients {
					if u.log == 0 {
						return map[string][]string{bannedList: banned, lockedList: append(locked, login)}
					}
				}
				return nil
			}
		}},
		{rule: ruleReportDuplicate, code: "duplicate", wrong: func(b *bank) {
			b.report = func(banned, locked []string) any {
				return map[string][]string{bannedList: banned, lockedList: append(locked, locked[0])}
			}
		}},
	}
}

func isReport(r *http.Request) bool { return r.URL.Path == "/report" }

// alterStatus is a proxy that changes the status of some answers and nothing else.
func alterStatus(which func(*http.Request) bool, status int) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if !which(r) {
				next.ServeHTTP(w, r)
				return
			}
			got := httptest.NewRecorder()
			next.ServeHTTP(got, r)
			if got.Code == http.StatusOK {
				got.Code = status
			}
			send(w, got, got.Body.String())
		})
	}
}

// alterBody is a proxy that replaces a text in the answers to one path.
func alterBody(path, old, replacement string) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			got := httptest.NewRecorder()
			next.ServeHTTP(got, r)
			body := got.Body.String()
			if r.URL.Path == path {
				body = strings.ReplaceAll(body, old, replacement)
			}
			send(w, got, body)
		})
	}
}

func send(w http.ResponseWriter, got *httptest.ResponseRecorder, body string) {
	for name, values := range got.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(got.Code)
	_, _ = w.Write([]byte(body))
}

// Every fault is caught by its rule, and with the rule switched off by none.
func TestFaults(t *testing.T) {
	w := newTestWorld(t, 400)
	runs := problemtest.NewAtOnce(4)
	for _, f := range faults() {
		runs.AddFault(strings.TrimPrefix(f.rule, prefix+".")+" "+f.code, f.rule, f.code, func(args ...string) problemtest.Outcome {
			return execute(t, w, bankBehind(w, f.wrong, f.proxy), append(args, f.args...)...)
		}, moment, "3s", "15s")
	}
	runs.Judge(t)
}

// Every semantic rule has a fault of its own.
func TestEveryRuleHasAFault(t *testing.T) {
	for _, rule := range rules() {
		has := func(f fault) bool { return f.rule == rule.ID }
		if rule.Semantic && !slices.ContainsFunc(faults(), has) {
			t.Errorf("%s has no fault", rule.ID)
		}
	}
}
