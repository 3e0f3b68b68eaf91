package nttscenario

import (
	"math"
	"net/http"
	"time"

	"hotseat/bench"
)

// logins lets the test users log in, and tries who must not.
func (c *tester) logins() error {
	t := c.truth
	parts := []struct {
		who  person
		part **member
	}{
		{t.testers.audience, &c.world.cast.audience}, {t.testers.other, &c.world.cast.other},
		{t.testers.artist, &c.world.cast.artist}, {t.testers.rival, &c.world.cast.rival},
		{t.testers.owner, &c.world.cast.owner},
	}
	var steps []*bench.Step
	for _, part := range parts {
		// Other members, such as the role, must not matter.
		body := credentials(part.who.name, everybodysPassword).with("role", part.who.role).with("remember", true)
		steps = append(steps, c.send("POST", "/api/login", body).Expecting(loginAnswer.due(http.StatusOK)...))
	}
	var found []*member
	for i, p := range c.All(steps...) {
		m, err := c.loggedIn(p, parts[i].who)
		if err != nil {
			return err
		}
		found = append(found, m)
	}

	name, body := t.testers.audience.name, credentials(t.testers.audience.name, everybodysPassword)
	var trials []trial
	for _, bad := range []struct {
		status int
		name   string
		body   payload
	}{
		{http.StatusBadRequest, "no username", body.with("username", nil)},
		{http.StatusBadRequest, "an empty username", body.with("username", "")},
		{http.StatusBadRequest, "a username that is a number", body.with("username", 1)},
		{http.StatusBadRequest, "no password", body.with("password", nil)},
		{http.StatusBadRequest, "an empty password", body.with("password", "")},
		{http.StatusBadRequest, "a password that is a number", body.with("password", 1)},
		{http.StatusBadRequest, "an empty object", payload{}},
		{http.StatusUnauthorized, "a wrong password", credentials(name, everybodysPassword+"0")},
		{http.StatusUnauthorized, "an unknown user", credentials(c.newName(), everybodysPassword)},
	} {
		trials = append(trials, trial{ruleLoginRefused, bad.status, "login with " + bad.name, c.send("POST", "/api/login", bad.body)})
	}
	if err := c.refuse(trials...); err != nil {
		return err
	}
	for i, part := range parts {
		*part.part = found[i]
	}
	return nil
}

func credentials(name, password string) payload {
	return payload{"username": name, "password": password}
}

// loggedIn reads the answer to a login and looks at the token.
func (c *tester) loggedIn(p *bench.Page, who person) (*member, error) {
	data, err := loginAnswer.read(c.User, p)
	if err != nil {
		return nil, err
	}
	if err := c.same(p, ruleUserShown, "the login is somebody else's", who.id, data.UserID); err != nil {
		return nil, err
	}
	c.Exercised(ruleLoginToken)
	says, err := readToken(c.truth.key, data.AccessToken)
	wrong := ""
	switch {
	case err != nil:
		wrong = err.Error()
	case says.Username != who.name || says.Role != who.role:
		wrong = "it is that of " + says.Username + ", " + says.Role
	case math.Abs(says.Expires-says.Issued-tokenLife.Seconds()) > 1:
		wrong = "its exp is not 3600 s after its iat"
	}
	if wrong != "" {
		err := c.Fail(bench.Problem{Rule: ruleLoginToken, Code: "token", Page: p,
			Expected: "a token by HS256 with username " + who.name + ", role " + who.role + ", iat, and exp = iat + 3600", Actual: data.AccessToken,
			Message: "the token of a login is not as it should be: " + wrong, Hint: "JWT_SECRET_KEY has to stay as it was given"})
		if err != nil {
			return nil, err
		}
	}
	return &member{who, data.AccessToken}, nil
}

// newName is a name that nobody has.
func (c *tester) newName() string {
	const letters = "abcdefghijklmnopqrstuvwxyz0123456789"
	name := []byte("verify-")
	for range 13 {
		name = append(name, letters[c.Rand.IntN(len(letters))])
	}
	return string(name)
}

// signUp makes a user and lets them log in.
func (c *tester) signUp(name, role string) (*member, error) {
	who, err := c.newUser(name, role)
	if err != nil {
		return nil, err
	}
	return c.logIn(who)
}

func (c *tester) logIn(who person) (*member, error) {
	return c.loggedIn(c.send("POST", "/api/login", credentials(who.name, everybodysPassword)).Expect(loginAnswer.due(http.StatusOK)...), who)
}

func (c *tester) newUser(name, role string) (person, error) {
	body := credentials(name, everybodysPassword).with("role", role)
	data, p, err := userAnswer.ask(c.User, c.send("POST", "/api/users", body), http.StatusCreated)
	if err != nil {
		return person{}, err
	}
	if err := c.same(p, ruleUserShown, "the sign-up answers with another user", userData{data.UserID, name, role}, data); err != nil {
		return person{}, err
	}
	c.Exercised(ruleUserShown)
	if data.UserID < 1 || data.UserID <= int64(len(c.truth.users)) {
		err := c.Fail(bench.Problem{Rule: ruleUserShown, Code: "duplicate-id", Page: p, Expected: "an ID that nobody has", Actual: asText(data),
			Message: "a new user has the ID of an initial one"})
		if err != nil {
			return person{}, err
		}
	}
	return person{id: data.UserID, name: name, role: role}, nil
}

// leftover is the name of a user whom every run makes anew.
const leftover = "verify"

// people is §4.3 to §4.5: signing up, being shown, and logging out.
func (c *tester) people() error {
	if err := c.initialized(); err != nil {
		return err
	}
	artist, err := c.newUser(c.newName(), roleArtist)
	if err != nil {
		return err
	}
	name := c.newName()
	if err := c.refuse(c.badSignUps(name, artist.name)...); err != nil {
		return err
	}
	// Nothing of the refused ones remains, so the name is still free.
	audience, err := c.signUp(name, roleAudience)
	if err != nil {
		return err
	}
	if err := c.shownUsers(audience, artist); err != nil {
		return err
	}
	return c.logout(audience)
}

// initialized signs up with the name that an earlier run used.
func (c *tester) initialized() error {
	c.Exercised(ruleInitializeReset)
	p := c.send("POST", "/api/users", credentials(leftover, everybodysPassword).with("role", roleAudience)).
		Expect(bench.Status(ruleOKStatus, http.StatusCreated, http.StatusConflict), typeJSON)
	if p.OK() && p.Status() == http.StatusConflict {
		return c.Fail(bench.Problem{Rule: ruleInitializeReset, Code: "stale-read", Page: p, Expected: "status 201: initializing removes new users", Actual: "status 409",
			Message: "a user who signed up before the initialization is still there"})
	}
	return p.Err()
}

// badSignUps are sign-ups that must be refused; taken is the name of a new artist.
func (c *tester) badSignUps(name, taken string) []trial {
	body := credentials(name, everybodysPassword).with("role", roleAudience)
	var trials []trial
	for _, bad := range []struct {
		rule   string
		status int
		name   string
		body   payload
	}{
		{ruleSignupRefused, http.StatusBadRequest, "no username", body.with("username", nil)},
		{ruleSignupRefused, http.StatusBadRequest, "an empty username", body.with("username", "")},
		{ruleSignupRefused, http.StatusBadRequest, "a username that is a number", body.with("username", 1)},
		{ruleSignupRefused, http.StatusBadRequest, "no password", body.with("password", nil)},
		{ruleSignupRefused, http.StatusBadRequest, "an empty password", body.with("password", "")},
		{ruleSignupRefused, http.StatusBadRequest, "a password that is a number", body.with("password", 1)},
		{ruleSignupRefused, http.StatusBadRequest, "no role", body.with("role", nil)},
		{ruleSignupRefused, http.StatusBadRequest, "an empty role", body.with("role", "")},
		{ruleSignupRefused, http.StatusBadRequest, "the role owner", body.with("role", roleOwner)},
		{ruleSignupRefused, http.StatusBadRequest, "an unknown role", body.with("role", "guest")},
		{ruleSignupRefused, http.StatusBadRequest, "a role that is a number", body.with("role", 1)},
		{ruleNameTaken, http.StatusConflict, "an initial user's name", body.with("username", c.truth.audiences[0])},
		{ruleNameTaken, http.StatusConflict, "an initial user's name and another role", body.with("username", c.truth.audiences[0]).with("role", roleArtist)},
		{ruleNameTaken, http.StatusConflict, "an owner's name", body.with("username", c.truth.testers.owner.name)},
		{ruleNameTaken, http.StatusConflict, "a new user's name", body.with("username", taken)},
	} {
		trials = append(trials, trial{bad.rule, bad.status, "sign-up with " + bad.name, c.send("POST", "/api/users", bad.body)})
	}
	return trials
}

// shownUsers is GET /api/users/:user_id.
func (c *tester) shownUsers(audience *member, artist person) error {
	const route = "/api/users/:user_id"
	cast := &c.world.cast
	for _, look := range []struct {
		who  *member
		whom person
	}{
		{audience, audience.person}, {cast.artist, cast.artist.person}, {cast.owner, cast.owner.person},
		{cast.owner, audience.person}, {cast.owner, artist}, {cast.owner, c.truth.users[len(c.truth.users)-1]},
	} {
		data, p, err := userAnswer.ask(c.User, c.as(look.who).get(route, look.whom.id), http.StatusOK)
		if err != nil {
			return err
		}
		if err := c.same(p, ruleUserShown, "the user is shown as somebody else", userData{look.whom.id, look.whom.name, look.whom.role}, data); err != nil {
			return err
		}
	}
	trials := badIDs("a user", func(id any) *bench.Step { return c.as(audience).get(route, id) })
	for _, who := range []*member{cast.artist, cast.owner} {
		trials = append(trials, trial{ruleNotFound, http.StatusNotFound, "an unknown user for the " + who.role, c.as(who).get(route, unknownID)})
	}
	for _, who := range []*member{audience, cast.artist} {
		trials = append(trials, trial{ruleRole, http.StatusForbidden, "another user for the " + who.role, c.as(who).get(route, artist.id)})
	}
	return c.refuse(trials...)
}

// logout revokes a new user's token, and no other.
func (c *tester) logout(who *member) error {
	since := time.Now()
	other, err := c.signUp(c.newName(), roleArtist)
	if err != nil {
		return err
	}
	if err := c.done(http.StatusOK, c.as(who).request("POST", "/api/logout")); err != nil {
		return err
	}
	var trials []trial
	for _, s := range c.as(who).everythingProtected() {
		trials = append(trials, trial{ruleLogoutRevokes, http.StatusUnauthorized, "after the logout: " + s.name, s.step})
	}
	if err := c.refuse(trials...); err != nil {
		return err
	}
	for _, others := range []*member{other, c.world.cast.audience} {
		p := c.as(others).get("/api/users/:user_id", others.id).Name("while somebody else has logged out").Expect(bench.Status(ruleLogoutRevokes, http.StatusOK))
		if !p.OK() {
			return p.Err()
		}
	}
	// Two tokens of one user and one second may be the same.
	c.atLeast(1100*time.Millisecond, since)
	again, err := c.logIn(who.person)
	if err != nil {
		return err
	}
	return c.as(again).get("/api/users/:user_id", again.id).Name("logged in again").Expect(bench.Status(ruleLogoutRevokes, http.StatusOK)).Err()
}

// atLeast waits until so much time has passed since.
func (c *tester) atLeast(d time.Duration, since time.Time) {
	wait := max(d-time.Since(since), 0)
	c.Think(wait, wait)
}
