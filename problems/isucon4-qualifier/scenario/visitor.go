package scenario

import (
	"errors"
	"time"

	"hotseat"
	"hotseat/bench"
)

const myPage = "/mypage"

// userAgent is nothing that a server compares (the original called itself
// ISUCON4 Benchmarker); it tells a reader of access logs who was there.
const userAgent = "hotseat (isucon4-qualifier)"

// visitor is a browser that looks at the login page and logs in. It knows
// what is due, and what an attempt does to the counters.
type visitor struct {
	user   *bench.User
	world  *world
	scored bool // it is part of the load: pages and assets earn points

	asked  question    // the attempt under way
	given  *reply      // the answer of the request under way, once its HTML was read
	landed *bench.Page // where the last login led

	frontChecks []bench.Check
	loginChecks map[string]bench.Check // by rule
}

// reply is what one page says.
type reply struct {
	document *document
	answer   answer
	// Asked for twice, see bench.Page.Retried: a one-shot notice may have been
	// shown to nobody.
	retried  bool
	compared bool
	finding  *finding // what compare found
}

func newVisitor(u *bench.User, w *world) *visitor {
	v := &visitor{user: u, world: w, loginChecks: map[string]bench.Check{}}
	u.SetHeader("User-Agent", userAgent)
	v.frontChecks = []bench.Check{
		bench.Status(rulePageStatus, 200),
		bench.That(ruleLoginForm, func(p *bench.Page) *bench.Mismatch { return checkLoginForm(v.read(p).document) }),
	}
	v.loginChecks[rulePageStatus] = bench.Status(rulePageStatus, 200)
	for _, rule := range []string{
		ruleRightPassword, ruleWrongPassword, ruleLockThreshold, ruleBanThreshold, ruleBanBeforeLock,
		ruleRefusalsCount, ruleSuccessResets,
		rulePathAccepted, rulePathRefused, ruleNoticeWrong, ruleNoticeLocked, ruleNoticeBanned,
	} {
		v.loginChecks[rule] = bench.That(rule, func(p *bench.Page) *bench.Mismatch { return v.blamed(rule, p) })
	}
	onMyPage := func(rule string, check func(p *bench.Page, r *reply) *bench.Mismatch) {
		v.loginChecks[rule] = bench.That(rule, func(p *bench.Page) *bench.Mismatch {
			r := v.read(p)
			if r.answer.refused() {
				return nil // only where the rule that it breaks is switched off
			}
			return check(p, r)
		})
	}
	onMyPage(ruleLastAddress, func(_ *bench.Page, r *reply) *bench.Mismatch {
		return checkLastAddress(v.asked.who.last, v.asked.from.ip, r.document.element(lastAddressID))
	})
	onMyPage(ruleLastTimeFormat, func(_ *bench.Page, r *reply) *bench.Mismatch {
		return checkLastFormat(r.document.element(lastTimeID))
	})
	onMyPage(ruleLastTime, func(_ *bench.Page, r *reply) *bench.Mismatch {
		shown, err := time.Parse(lastLoginFormat, r.document.element(lastTimeID).text)
		if err != nil {
			return nil // only where the rule about the form is switched off
		}
		return w.clock.check(shown, v.asked.who.last)
	})
	onMyPage(ruleMyPageCustomer, func(p *bench.Page, _ *reply) *bench.Mismatch {
		return checkCustomer(p.Body(), v.asked.who.login)
	})
	return v
}

// attempt is one attempt as a customer makes it (§15.4): the login page with
// its assets, the login, the page that it leads to with its assets. The
// cookies are thrown away after it. A bad asset is a failure, and hinders
// nobody: the customer logs in all the same (§15.5).
func (v *visitor) attempt(q question) error {
	v.user.SetHeader("X-Forwarded-For", q.from.ip)
	defer v.user.ResetCookies()
	page, assets := v.front()
	if !page.OK() {
		if !v.world.strict {
			v.originalUnsent(q)
		}
		return page.Err()
	}
	if err := v.logIn(q); err != nil {
		return err
	}
	return assets
}

// front looks at the login page. What went wrong with its assets does not make it a bad one.
func (v *visitor) front() (page *bench.Page, assets error) {
	v.given = nil
	page = v.user.Get("/").Follow().Expect(v.frontChecks...)
	if page.OK() {
		assets = v.finishPage(page)
	}
	return page, assets
}

// logIn posts the form and judges the page that it leads to.
func (v *visitor) logIn(q question) error {
	v.asked, v.given = q, nil
	p := v.user.PostForm("/login", "login", q.who.login, "password", q.password()).
		Follow().Expect(v.checks()...)
	v.landed = p
	v.settle(p)
	if !p.OK() {
		return p.Err()
	}
	return v.finishPage(p)
}

// checks are those that the attempt can tell anything about, in the order of
// §15.5: status, path, notice, last login.
func (v *visitor) checks() []bench.Check {
	var list []bench.Check
	add := func(rules ...string) {
		for _, rule := range rules {
			list = append(list, v.loginChecks[rule])
		}
	}
	q := &v.asked
	add(rulePageStatus, ruleBanThreshold, ruleLockThreshold)
	if q.want == banned && q.who.mayHaveReached() {
		add(ruleBanBeforeLock)
	}
	if q.from.onlyByRefusals() || q.who.onlyByRefusals() {
		add(ruleRefusalsCount)
	}
	if q.from.onlyWithoutReset() || q.who.onlyWithoutReset() {
		add(ruleSuccessResets)
	}
	if q.want != accepted {
		if q.want == wrong {
			add(ruleWrongPassword)
		}
		add(rulePathRefused, noticeRule(q.want))
		return list
	}
	add(ruleRightPassword, rulePathAccepted)
	if q.who.last != nil {
		add(ruleLastAddress, ruleLastTimeFormat)
		// The original meant to compare the time as well, by a condition that never holds (§15.6).
		if v.world.strict {
			add(ruleLastTime)
		}
	}
	if v.world.strict && v.world.named.Load() {
		add(ruleMyPageCustomer)
	}
	return list
}

// blamed returns what is wrong with a login's answer if this rule answers for it.
func (v *visitor) blamed(rule string, p *bench.Page) *bench.Mismatch {
	r := v.read(p)
	if !r.compared {
		r.compared, r.finding = true, compare(&v.asked, r.answer)
		if r.retried && r.finding != nil && r.finding.mismatch.Code == codeNoticeMissing {
			r.finding = nil
		}
	}
	f := r.finding
	if f == nil || f.rules[0] != rule || !allOn(v.user.Run, f.rules[1:]) {
		return nil
	}
	return &f.mismatch
}

func allOn(r *bench.Run, rules []string) bool {
	for _, rule := range rules {
		if !r.RuleOn(rule) {
			return false
		}
	}
	return true
}

// settle takes note of what an attempt did to the counters of both.
func (v *visitor) settle(p *bench.Page) {
	q := &v.asked
	if !v.world.strict {
		v.originalSettle(p)
		return
	}
	failed := new(bench.Failed)
	switch {
	case p.OK() && !v.contradicts(p):
		q.from.settle(q.want)
		q.who.settle(q.want)
		if q.want == accepted {
			q.who.last = &login{ip: q.from.ip, sent: p.SentAt(), done: p.DoneAt()}
		}
	case !p.Sent():
	case p.OK(), errors.As(p.Err(), &failed) && wrongAnswer(failed):
		q.from.forget()
		q.who.forget()
	default:
		q.from.maybe(q.want)
		q.who.maybe(q.want)
	}
}

// contradicts reports whether a login was accepted or refused against the
// rules although no check said so: that happens where the judge has switched
// a rule off. What the bank's counters are then is anybody's guess.
func (v *visitor) contradicts(p *bench.Page) bool {
	return (v.read(p).answer.outcome == accepted) != (v.asked.want == accepted)
}

func wrongAnswer(f *bench.Failed) bool {
	failure := hotseat.Failure{Class: f.Class, Code: f.Code}
	return failure.WrongAnswer()
}

// finishPage fetches everything that a good page refers to, all at once, and
// earns the page's points whatever became of that.
func (v *visitor) finishPage(p *bench.Page) error {
	var err error
	steps := v.world.assets.requests(v.user, p.URL(), v.read(p).document, v.world.strict, v.scored)
	for _, asset := range v.user.All(steps...) {
		if e := asset.Err(); e != nil && err == nil {
			err = e
		}
	}
	if v.scored {
		v.user.Point(pointPage)
	}
	return err
}

// read reads the page of the request under way, once.
func (v *visitor) read(p *bench.Page) *reply {
	if v.given == nil {
		d := v.world.reader.read(p.Body(), !v.scored)
		v.given = &reply{document: d, answer: readAnswer(p.Path(), d), retried: p.Retried()}
	}
	return v.given
}

func checkLoginForm(d *document) *bench.Mismatch {
	missing := ""
	switch {
	case !d.hasField("login"):
		missing = "//input[@name='login']"
	case !d.hasField("password"):
		missing = "//input[@name='password']"
	case !d.hasSubmit():
		missing = "//*[@type='submit']"
	default:
		return nil
	}
	return &bench.Mismatch{
		Code:     "selector-missing",
		Expected: missing,
		Actual:   "no such element",
		Message:  "the login page lacks a part of its form",
	}
}
