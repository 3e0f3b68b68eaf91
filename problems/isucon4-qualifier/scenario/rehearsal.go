package scenario

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"math/rand/v2"

	"hotseat"
	"hotseat/bench"
)

// The rehearsal plays every rule of §3 and §4 through once, in order, before
// the load: some thirty logins, less than a twentieth of what an untuned app
// does in a minute. So even the shortest run judges all rules, and a broken one
// is told by the attempt that breaks it, not by a thousand that follow from it.
// The original had none; it is neither scored nor part of rules=original.

// rehearsalBlock holds the addresses of the rehearsal, which no list has.
const rehearsalBlock = "127.100.0."

// rehearsal is a visitor who follows a script.
type rehearsal struct {
	*visitor
	err error // the first
}

// attempt logs in as rehearsed. Where the judge has switched a rule off, a
// counter may have become unsure: then there is nothing to rehearse with it.
func (s *rehearsal) attempt(from *address, who *account, right bool) {
	if s.err != nil || from.unsure() || who.unsure() {
		return
	}
	s.user.SetHeader("X-Forwarded-For", from.ip)
	s.err = s.logIn(ask(from, who, right))
	s.user.ResetCookies()
}

func (s *rehearsal) times(n int, from *address, who *account, right bool) {
	for range n {
		s.attempt(from, who, right)
	}
}

func (w *world) rehearse(u *bench.User) error {
	if !w.strict {
		return nil
	}
	cast := w.cast(u.Rand)
	if cast == nil {
		u.Run.Log(hotseat.AudienceAdmin, "too few users that are not locked for a rehearsal of the rules")
		return nil
	}
	defer func() {
		for _, a := range cast[1:] {
			w.release(a)
		}
	}()
	s := &rehearsal{visitor: newVisitor(u, w)}
	return s.play(cast)
}

// roles of the rehearsal
const (
	returning  = iota // logs in now and again after the load; nobody else touches the account
	careless          // succeeds between failures
	forgetful         // is locked by wrong passwords
	unlucky           // is locked although the password is right, by a banned address
	persistent        // helps an address to its ban, with wrong passwords only
	roles
	lockedBefore = roles // an account of the initial locks; the forgetful one where there is none
)

// cast holds an account for each role, nil if there are too few.
func (w *world) cast(dice *rand.Rand) []*account {
	var free, initial []*account
	for _, i := range dice.Perm(len(w.accounts)) {
		switch a := w.accounts[i]; {
		case a.initial:
			if len(initial) == 0 {
				initial = append(initial, a)
			}
		case a.low == 0 && len(free) < roles:
			free = append(free, a)
		}
	}
	if len(free) < roles || len(w.accounts) < 2*roles {
		return nil
	}
	if initial == nil {
		initial = []*account{free[forgetful]}
	} else {
		w.hold(initial[0])
	}
	for _, a := range free {
		w.hold(a)
	}
	return append(free, initial[0])
}

func (s *rehearsal) play(cast []*account) error {
	// Like in the load only addresses that 3 divides are used to succeed:
	// one is banned without, one after a success.
	dark, away, home := s.address(1), s.address(2), s.address(3)

	s.user.SetHeader("X-Forwarded-For", home.ip)
	if s.err = s.private(); s.err != nil {
		return s.err
	}
	page, assets := s.front()
	if s.err = cmp.Or(page.Err(), assets); s.err != nil {
		return s.err
	}

	// A first login, to be shown after the load.
	s.attempt(home, cast[returning], true)
	s.world.returning = cast[returning]
	named := s.names(cast[returning], cast[careless])

	// A failure that the address's next success takes back: where it does not,
	// home is banned one failure too early at the end.
	s.attempt(home, cast[returning], false)

	// Three failures lock. One failure, a success and two failures do not; the
	// second success is shown the first.
	s.times(lockThreshold, dark, cast[forgetful], false)
	s.times(1, dark, cast[careless], false)
	s.attempt(home, cast[careless], true)
	named = s.names(cast[careless], cast[returning]) && named
	s.world.named.Store(named)
	s.times(2, dark, cast[careless], false)
	s.attempt(away, cast[careless], true)
	s.attempt(home, cast[forgetful], true)
	s.attempt(home, cast[lockedBefore], true)

	// Ten wrong passwords ban: the dark address has seen six.
	s.times(2, dark, cast[persistent], false)
	s.times(2, dark, cast[careless], false)
	s.attempt(dark, cast[unlucky], true)
	s.attempt(dark, cast[forgetful], true)

	// Refusals for a ban lock an account, refusals for a lock ban an address:
	// the tenth since the last success there, whatever failed before it.
	s.times(lockThreshold, dark, cast[unlucky], true)
	s.times(banThreshold-2, home, cast[unlucky], true)
	s.attempt(home, cast[persistent], true)
	return s.err
}

// address returns one of the rehearsal's own addresses.
func (s *rehearsal) address(octet int) *address {
	a := newAddress(fmt.Sprintf("%s%d", rehearsalBlock, octet), octet)
	s.world.rehearsed = append(s.world.rehearsed, a)
	return a
}

// private asks for my page without having logged in. How that is refused is
// not promised: one of the reference apps answered it with 500.
func (s *rehearsal) private() error {
	return s.user.Get(myPage).Follow().Expect(bench.That(ruleMyPagePrivate, func(p *bench.Page) *bench.Mismatch {
		if p.Status() != 200 || p.Path() != myPage {
			return nil
		}
		return &bench.Mismatch{
			Code:     "shown-without-login",
			Expected: "a redirect to /",
			Actual:   "200 at " + myPage,
			Message:  "my page is shown to a browser that has not logged in",
		}
	})).Err()
}

// names reports whether the page that a login led to names this customer, and
// not just anybody.
func (s *rehearsal) names(who, other *account) bool {
	return s.err == nil && s.landed != nil && s.landed.OK() &&
		mentions(s.landed.Body(), who.login) && !mentions(s.landed.Body(), other.login)
}

// checkCustomer wants a page that names its customer to name the right one.
// No contest rule says that it must; so it is asked only of an app whose pages
// did so in the rehearsal, twice.
func checkCustomer(body []byte, login string) *bench.Mismatch {
	if mentions(body, login) {
		return nil
	}
	return &bench.Mismatch{
		Code:     "wrong-customer",
		Expected: login,
		Actual:   "a page without this name",
		Message:  "my page does not name the customer who has logged in",
		Hint:     "is it another customer's page, or an old one?",
	}
}

func mentions(body []byte, login string) bool {
	return bytes.Contains(body, []byte(login)) || bytes.Contains(body, []byte(html.EscapeString(login)))
}

// comeBack logs in once more with the rehearsal's first customer, who must be
// shown that first login, a whole load ago.
func (w *world) comeBack(u *bench.User) error {
	if !w.strict || w.returning == nil {
		return nil
	}
	s := &rehearsal{visitor: newVisitor(u, w)}
	s.attempt(s.address(4), w.returning, true)
	return s.err
}
