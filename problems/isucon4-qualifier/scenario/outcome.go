package scenario

import (
	"fmt"

	"hotseat/bench"
)

// outcome is what the bank makes of an attempt (specification §3).
type outcome int

const (
	unknown  outcome = iota // none of the below
	accepted                // my page
	wrong                   // refused: wrong name or password
	locked                  // refused: the account is locked
	banned                  // refused: the address is banned
)

// The notices, exactly (§3).
const (
	noticeWrong  = "Wrong username or password"
	noticeLocked = "This account is locked."
	noticeBanned = "You're banned."
)

func (o outcome) String() string {
	switch o {
	case accepted:
		return "accepted"
	case wrong:
		return "refused, " + noticeWrong
	case locked:
		return "refused, " + noticeLocked
	case banned:
		return "refused, " + noticeBanned
	default:
		return "neither my page nor one of the three notices"
	}
}

// notice is what a refused customer is told.
func (o outcome) notice() string {
	switch o {
	case wrong:
		return noticeWrong
	case locked:
		return noticeLocked
	case banned:
		return noticeBanned
	default:
		return ""
	}
}

// decide is the rule of §3: the ban comes first, then the lock, then the
// password. Both counters must be sure.
func decide(from *address, who *account, rightPassword bool) outcome {
	switch {
	case from.reached():
		return banned
	case who.reached():
		return locked
	case !rightPassword:
		return wrong
	default:
		return accepted
	}
}

// question is one attempt to log in, with the answer that is due.
type question struct {
	from  *address
	who   *account
	right bool // the password
	want  outcome
}

func ask(from *address, who *account, right bool) question {
	return question{from: from, who: who, right: right, want: decide(from, who, right)}
}

func (q *question) password() string {
	if q.right {
		return q.who.password
	}
	return q.who.wrongPassword
}

// answer is what the bank said, as far as it says what it decided.
type answer struct {
	path    string
	notice  element
	outcome outcome
}

func readAnswer(path string, d *document) answer {
	a := answer{path: path}
	if a.path == myPage {
		a.outcome = accepted
		return a
	}
	a.notice = d.element(noticeID)
	for _, o := range []outcome{wrong, locked, banned} {
		if a.notice.is(o.notice()) {
			a.outcome = o
		}
	}
	return a
}

// refused reports whether the bank has said clearly that it refuses.
func (a answer) refused() bool { return a.outcome != unknown && a.outcome != accepted }

// finding is one mismatch between question and answer.
type finding struct {
	// The rules that would each explain it, the likeliest first: that one is
	// blamed. While one of them is switched off nobody is.
	rules    []string
	mismatch bench.Mismatch
}

// compare finds what is wrong with an answer, nil if nothing is.
func compare(q *question, a answer) *finding {
	if a.outcome != unknown && a.outcome != q.want {
		return wrongDecision(q, a)
	}
	want := "/"
	if q.want == accepted {
		want = myPage
	}
	if a.path != want {
		rule := rulePathRefused
		if q.want == accepted {
			rule = rulePathAccepted
		}
		return &finding{[]string{rule}, bench.Mismatch{
			Code:     "wrong-path",
			Expected: want,
			Actual:   a.path,
			Message:  fmt.Sprintf("the login leads to %s where %s is due", a.path, want),
			Hint:     "a redirect after POST /login, with the session cookie set, and only these two targets; a query string does not matter",
		}}
	}
	if a.outcome == q.want {
		return nil
	}
	m := bench.Mismatch{
		Code:     "notice-mismatch",
		Expected: q.want.notice(),
		Actual:   a.notice.shown(),
		Message:  "the text of #notice-message is another one",
		Hint:     "exactly this text: no white space around it, no elements or comments in it",
	}
	if !a.notice.found {
		m.Code, m.Actual = codeNoticeMissing, "no element with the id "+noticeID
		m.Message = "a refused login is not told why"
		m.Hint = "the notice is shown once, by the page that the refusal leads to; it travels in the session or in the redirect"
	}
	return &finding{[]string{noticeRule(q.want)}, m}
}

const codeNoticeMissing = "notice-missing"

func noticeRule(o outcome) string {
	switch o {
	case locked:
		return ruleNoticeLocked
	case banned:
		return ruleNoticeBanned
	default:
		return ruleNoticeWrong
	}
}

// wrongDecision names the rules that the bank may have broken to come to
// another decision than §3's.
func wrongDecision(q *question, a answer) *finding {
	f := &finding{mismatch: bench.Mismatch{Expected: q.want.String(), Actual: a.outcome.String(), Hint: countsHint(q)}}
	blame := func(code, message string, rules ...string) *finding {
		f.rules = rules
		f.mismatch.Code, f.mismatch.Message = code, message
		return f
	}
	switch {
	case a.outcome == banned:
		return tooEarly(blame, &q.from.failures, ruleBanThreshold, "banned-early", "an address is refused as banned that has not failed 10 times in a row")
	case q.want == banned && a.outcome == locked && q.who.mayHaveReached():
		return blame("wrong-order", "a locked account on a banned address is told of the lock, not of the ban",
			explanations(&q.from.failures, ruleBanBeforeLock, ruleBanThreshold)...)
	case q.want == banned && q.from.onlyByRefusals() && q.from.low > banThreshold:
		return blame("refusal-not-counted", "an address is not refused as banned: refusals are failures too",
			ruleRefusalsCount, ruleBanThreshold)
	case q.want == banned:
		return blame("not-banned", "an address with 10 failures in a row is not refused as banned",
			explanations(&q.from.failures, ruleBanThreshold)...)
	case a.outcome == locked:
		return tooEarly(blame, &q.who.failures, ruleLockThreshold, "locked-early", "an account is refused as locked that has not failed 3 times in a row")
	case q.want == locked && q.who.onlyByRefusals() && q.who.low > lockThreshold:
		return blame("refusal-not-counted", "an account is not refused as locked: refusals are failures too",
			ruleRefusalsCount, ruleLockThreshold)
	case q.want == locked:
		return blame("not-locked", "an account with 3 failures in a row is not refused as locked",
			explanations(&q.who.failures, ruleLockThreshold)...)
	case q.want == wrong:
		return blame("wrong-password-accepted", "a wrong password is accepted", ruleWrongPassword)
	default:
		return blame("right-password-refused", "the right password is refused as wrong", ruleRightPassword)
	}
}

// tooEarly blames a refusal that a counter does not justify.
func tooEarly(blame func(code, message string, rules ...string) *finding, f *failures, threshold, code, message string) *finding {
	if f.onlyWithoutReset() {
		return blame("count-not-reset", message+": it has succeeded since", ruleSuccessResets, threshold)
	}
	return blame(code, message, threshold)
}

// explanations returns the rules that explain why a counter at its threshold
// does not act, the likeliest first. (Well past the threshold it is only the
// refusals: an app that is off by one would act by then.)
func explanations(f *failures, rules ...string) []string {
	if f.onlyByRefusals() {
		return append(rules, ruleRefusalsCount)
	}
	return rules
}

func countsHint(q *question) string {
	return fmt.Sprintf("before this attempt: %s had %s, %s had %s",
		q.from.ip, q.from.history(), q.who.login, q.who.history())
}
