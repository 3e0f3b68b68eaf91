package isucon12qscenario

import (
	"net/http"
	"strconv"
	"strings"
	"time"

	"hotseat"
	"hotseat/bench"
)

// userAgent is nothing that a server compares (the original called itself
// isucandar); it tells a reader of access logs who was there.
const userAgent = "hotseat (isucon12-qualifier)"

// The points of §16.7.
const (
	pointAddTenant      = "tenants-add"
	pointAddPlayers     = "players-add"
	pointAddCompetition = "competitions-add"
	pointUpload         = "score"
	pointFinish         = "finish"
	pointBilling        = "billing"

	pointAdminBilling    = "admin-billing"
	pointPlayers         = "players"
	pointOrganizersList  = "organizer-competitions"
	pointDisqualify      = "disqualify"
	pointPlayer          = "player"
	pointRanking         = "ranking"
	pointPlayersOwnLists = "player-competitions"
)

// worth lists the tags with their worth.
var worth = []struct {
	tag    string
	points int64
}{
	{pointAddTenant, 10}, {pointAddPlayers, 10}, {pointAddCompetition, 10}, {pointUpload, 10}, {pointFinish, 10}, {pointBilling, 10},
	{pointAdminBilling, 1}, {pointPlayers, 1}, {pointOrganizersList, 1}, {pointDisqualify, 1}, {pointPlayer, 1}, {pointRanking, 1},
	{pointPlayersOwnLists, 1},
}

// browser is one account's browser: it knows what is due for what it asks for,
// and takes note of what its requests do to the world.
type browser struct {
	user     *bench.User
	world    *world
	tenant   *tenant // nil at the operator's
	player   *player // nil if it is not a player's
	scored   bool    // it is part of the load
	patience time.Duration
}

func newBrowser(u *bench.User, w *world) *browser {
	u.SetHeader("User-Agent", userAgent)
	return &browser{user: u, world: w}
}

func (b *browser) asAdmin() *browser {
	b.tenant, b.player = nil, nil
	b.user.SetHost(adminHost)
	b.user.SetHeader("Cookie", b.world.adminCookie())
	return b
}

func (b *browser) asOrganizer(t *tenant) *browser {
	b.tenant, b.player = t, nil
	b.user.SetHost(t.host)
	b.user.SetHeader("Cookie", t.organizerCookie())
	return b
}

func (b *browser) asPlayer(t *tenant, p *player) *browser {
	b.tenant, b.player = t, p
	b.user.SetHost(t.host)
	b.user.SetHeader("Cookie", t.playerCookie(p))
	return b
}

// point earns a point of the load.
func (b *browser) point(tag string) {
	if b.scored {
		b.user.Point(tag)
		b.world.earned.Store(true)
	}
}

// original reports whether the run is judged as on the day.
func (b *browser) original() bool { return !b.world.strict }

// finding is something wrong, with the rules that would each explain it, the
// likeliest in Rule and any others in or. While one of them is switched off
// nobody is blamed.
type finding struct {
	bench.Problem
	or []string
}

// blame records the first of the findings whose rules are on.
func (b *browser) blame(p *bench.Page, findings ...*finding) error {
	for _, f := range findings {
		if f == nil || !b.on(f) {
			continue
		}
		f.Page = p
		if err := b.user.Fail(f.Problem); err != nil {
			return err
		}
	}
	return nil
}

func (b *browser) on(f *finding) bool {
	if b.original() && b.scored && !seenInLoad[f.Rule] {
		return false
	}
	for _, rule := range f.or {
		if !b.user.Run.RuleOn(rule) {
			return false
		}
	}
	return true
}

// seenInLoad are the rules that the original looked at during its load (§16.5).
var seenInLoad = map[string]bool{
	ruleShape: true, ruleEcho: true, ruleUploadRows: true,
	ruleBillingPlayers: true, ruleBillingVisitors: true, ruleBillingSameSecond: true, ruleBillingReports: true, ruleBillingYen: true,
	ruleBillingFresh: true, ruleBillingUnfinished: true,
	ruleAdminBillingGrowth: true, ruleRankingFresh: true, ruleRankingSheet: true,
	ruleDisqualifiedShown: true, ruleDisqualifiedRefused: true,
}

func (b *browser) exercised(rules ...string) {
	for _, rule := range rules {
		b.user.Exercised(rule)
	}
}

// Checks of every answer that is in order.
var (
	statusOK   = bench.Status(ruleOKStatus, http.StatusOK)
	statusBusy = bench.Status(ruleOKStatus, http.StatusOK, http.StatusTooManyRequests)

	typeJSON = bench.That(ruleJSONType, func(p *bench.Page) *bench.Mismatch {
		got := p.HeaderValue("Content-Type")
		if p.Status() == http.StatusTooManyRequests || strings.Contains(strings.ToLower(got), "application/json") {
			return nil
		}
		return &bench.Mismatch{Code: "content-type", Expected: "Content-Type: application/json; charset=UTF-8",
			Actual: "Content-Type: " + got, Message: "the answer is not marked as JSON"}
	})

	cachePrivate = bench.That(ruleCachePrivate, func(p *bench.Page) *bench.Mismatch {
		got := p.HeaderValue("Cache-Control")
		if p.Status() == http.StatusTooManyRequests || strings.Contains(strings.ToLower(got), "private") {
			return nil
		}
		return &bench.Mismatch{Code: "cache-control", Expected: "Cache-Control: private", Actual: "Cache-Control: " + got,
			Message: "the answer may be kept by caches that several people share"}
	})
)

// do sends a request that is in order and returns its answer, already checked
// for everything that all answers have in common.
func (b *browser) do(s *bench.Step, status bench.Check) *bench.Page {
	if b.patience > 0 {
		s.Within(b.patience)
	}
	s.Expecting(status, typeJSON)
	if !b.original() || !b.scored {
		s.Expecting(cachePrivate)
	}
	return s.Do()
}

// doBusy is do for the two requests that may be put off (§16.3).
func (b *browser) doBusy(describe func() *bench.Step) (*bench.Page, error) {
	return b.patiently(func() *bench.Page { return b.do(describe(), statusBusy) })
}

// patiently asks again and again, waiting as long as told, until the answer is
// another one than 429.
func (b *browser) patiently(ask func() *bench.Page) (*bench.Page, error) {
	for {
		p := ask()
		if !p.OK() || p.Status() != http.StatusTooManyRequests {
			return p, p.Err()
		}
		wait, ok := retryAfter(p.HeaderValue("Retry-After"), time.Now())
		if !ok {
			return p, b.user.Fail(bench.Problem{
				Rule: prefix + ".server-error", Code: hotseat.CodeStatus429, Page: p,
				Expected: "Retry-After: SECONDS, or an HTTP date", Actual: "Retry-After: " + p.HeaderValue("Retry-After"),
				Message: "status 429 without saying when to come again",
			})
		}
		b.user.Think(wait, wait)
		if b.user.Cut() || b.scored && b.user.Run.LoadEnded() {
			return p, bench.ErrCut
		}
	}
}

// retryAfter reads a Retry-After header: seconds, or a date (RFC 9110 §10.2.3).
func retryAfter(value string, now time.Time) (time.Duration, bool) {
	if n, err := strconv.Atoi(strings.TrimSpace(value)); err == nil {
		return time.Duration(n) * time.Second, n >= 0 && n < 1e6
	}
	at, err := http.ParseTime(value)
	return max(at.Sub(now), 0), err == nil
}

// refused sends a request that must be refused with this status.
func (b *browser) refused(rule string, s *bench.Step, status int, name string) error {
	return s.Name(name).Expect(bench.Status(rule, status)).Err()
}

// refusedBusy is refused for the two requests that may be put off.
func (b *browser) refusedBusy(rule string, describe func() *bench.Step, status int, name string) error {
	_, err := b.patiently(func() *bench.Page {
		return describe().Name(name).Expect(bench.Status(rule, status, http.StatusTooManyRequests))
	})
	return err
}
