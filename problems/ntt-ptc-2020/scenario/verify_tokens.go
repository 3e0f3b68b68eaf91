package nttscenario

import (
	"net/http"
	"time"

	"hotseat/bench"
)

// protected is a request that needs a token.
type protected struct {
	name string
	step *bench.Step
}

// everythingProtected is a request of each kind that needs a token. None of them
// would change what other checks rely on, even if it were accepted.
func (c *tester) everythingProtected() []protected {
	e := c.truth.shownEvent(c.world.ground.artists)
	draft := asDraft(e)
	user := c.truth.testers.audience.id
	if c.who != nil && c.who.id != 0 {
		user = c.who.id
	}
	var all []protected
	for _, s := range []struct {
		method, route string
		body          payload
		id            any
	}{
		{"POST", "/api/logout", nil, nil},
		{"GET", "/api/users/:user_id", nil, user},
		{"GET", "/api/genres", nil, nil},
		{"POST", "/api/events", draft, nil},
		{"PUT", "/api/events/:event_id", draft, e.ID},
		{"PUT", "/api/events/:event_id/image", nil, e.ID},
		{"GET", "/api/users/:user_id/reservations", nil, user},
		{"GET", "/api/events/:event_id/reservations", nil, e.ID},
		{"POST", "/api/events/:event_id/reservations", payload{"num_of_resv": 1}, unknownID},
		{"GET", "/api/reservations/:id", nil, 1},
		{"DELETE", "/api/reservations/:id", nil, unknownID},
		{"GET", "/api/venues", nil, nil},
		{"GET", "/api/venues/:venue_id/timeslots", nil, 1},
	} {
		step := c.request(s.method, s.route, s.id)
		if s.body != nil {
			step = c.send(s.method, s.route, s.body, s.id)
		}
		all = append(all, protected{s.method + " " + s.route, step})
	}
	return all
}

// tokens are those that are no good (§4, §5).
func (c *tester) tokens() error {
	owner := c.truth.testers.owner
	now := time.Now()
	good := newClaims(owner, now)
	stranger := []byte("somebody else's key")
	var trials []trial
	everywhere := func(rule, name string, token func(i int) string) {
		var who *member
		for i := range c.everythingProtected() {
			if token != nil {
				who = &member{token: token(i)}
			}
			s := c.as(who).everythingProtected()[i]
			trials = append(trials, trial{rule, http.StatusUnauthorized, name + ": " + s.name, s.step})
		}
	}
	everywhere(ruleTokenRequired, "no token", nil)
	everywhere(ruleTokenRequired, "a token that another key signed", func(int) string { return sign(stranger, good) })
	everywhere(ruleTokenExpired, "an expired token", func(i int) string { return c.truth.expired[i%len(c.truth.expired)] })
	everywhere(ruleTokenRevoked, "a revoked token", func(i int) string {
		n := len(c.truth.revoked)
		return c.truth.revoked[(c.Rand.IntN(n)+i)%n]
	})

	const route = "/api/venues"
	hourOld := newClaims(owner, now.Add(-2*tokenLife))
	for _, bad := range []struct{ rule, name, header string }{
		{ruleTokenRequired, "an empty token", "Bearer "},
		{ruleTokenRequired, "something that is no token", "Bearer token"},
		{ruleTokenRequired, "three parts that are no token", "Bearer a.b.c"},
		{ruleTokenRequired, "an unsigned token", "Bearer " + unsigned(good)},
		{ruleTokenRequired, "a token without its signature", "Bearer " + sign(c.truth.key, good)[:len(sign(c.truth.key, good))-43]},
		{ruleTokenExpired, "an owner's token that expired an hour ago", "Bearer " + sign(c.truth.key, hourOld)},
	} {
		trials = append(trials, trial{bad.rule, http.StatusUnauthorized, bad.name + ": GET " + route, c.get(route).Header("Authorization", bad.header)})
	}
	nameless, roleless := good, good
	nameless.Username, roleless.Role = "", ""
	for _, token := range []struct {
		name string
		says claims
	}{{"a token without a username", nameless}, {"a token without a role", roleless}} {
		who := &member{token: sign(c.truth.key, token.says)}
		trials = append(trials,
			trial{ruleTokenRequired, http.StatusBadRequest, token.name + ": GET " + route, c.as(who).get(route)},
			trial{ruleTokenRequired, http.StatusBadRequest, token.name + ": GET a user", c.as(who).get("/api/users/:user_id", owner.id)})
	}
	return c.refuse(trials...)
}
