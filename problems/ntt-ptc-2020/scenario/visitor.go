package nttscenario

import (
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strconv"
	"time"

	"hotseat/bench"
	"hotseat/bench/check"
)

// userAgent is nothing that a server compares (the original called itself
// PTCBenchmarkers); it tells a reader of access logs who was there.
const userAgent = "hotseat (ntt-ptc-2020)"

// visitor is somebody of the load: a browser that knows what is due for what it
// asks for, and takes note of what its requests do to the world.
type visitor struct {
	tester
	account *account // nil: nobody's, or of one who has just signed up
}

func newVisitor(u *bench.User, w *world) *visitor {
	u.SetHeader("User-Agent", userAgent)
	return &visitor{tester: tester{User: u, world: w, truth: w.truth}}
}

// count does a request that counts for the score.
func (v *visitor) count(group string, s *bench.Step, checks ...bench.Check) *bench.Page {
	p := s.Point(group).Expect(checks...)
	v.world.note(group, p)
	return p
}

// countAll does several at once. Their checks have been described before.
func (v *visitor) countAll(group string, steps []*bench.Step) []*bench.Page {
	for _, s := range steps {
		s.Point(group)
	}
	pages := v.All(steps...)
	for _, p := range pages {
		v.world.note(group, p)
	}
	return pages
}

// reader decodes an answer once for several checks.
type reader[T any] struct {
	kind kind[T]
	user *bench.User
	data T
	err  error
	page *bench.Page
}

func readerOf[T any](kind kind[T], u *bench.User) *reader[T] {
	return &reader[T]{kind: kind, user: u}
}

// read decodes the answer that the page is.
func (r *reader[T]) read(p *bench.Page) (T, bool) {
	if r.page != p {
		r.page = p
		if r.err = check.Decode(p.Body(), &r.data); r.err == nil && !r.user.Run.RuleOn(ruleShape) {
			_, r.err = r.kind.read(r.user, p)
		}
	}
	return r.data, r.err == nil
}

// that is a check of what an answer says.
func (r *reader[T]) that(rule string, find func(p *bench.Page, data T) *bench.Mismatch) bench.Check {
	return bench.That(rule, func(p *bench.Page) *bench.Mismatch {
		data, ok := r.read(p)
		if !ok {
			return nil // another rule has complained, or is switched off
		}
		return find(p, data)
	})
}

// due are the checks that all answers of the kind share, and more.
func (r *reader[T]) due(status int, more ...bench.Check) []bench.Check {
	return append(r.kind.due(status), more...)
}

// differs holds a value against what it has to be.
func differs(message string, want, got any) *bench.Mismatch {
	if reflect.DeepEqual(want, got) {
		return nil
	}
	wanted, shown := difference(plainly(want), plainly(got))
	if wanted == shown {
		return nil
	}
	return &bench.Mismatch{Code: check.ValueMismatch, Expected: wanted, Actual: shown, Message: inPlaceOf(message, shown, wanted)}
}

// signUp makes a user with a name that nobody has.
func (v *visitor) signUp(role string) (person, error) {
	who := person{name: v.randomText(20), role: role}
	r := readerOf(userAnswer, v.User)
	p := v.count(groupSignup, v.send(http.MethodPost, "/api/users", credentials(who.name, everybodysPassword).with("role", role)),
		r.due(http.StatusCreated, r.that(ruleUserShown, func(_ *bench.Page, got userData) *bench.Mismatch {
			if got.UserID <= int64(len(v.truth.users)) {
				return &bench.Mismatch{Code: "duplicate-id", Expected: "an ID that nobody has", Actual: asText(got), Message: "a new user has the ID of an initial one"}
			}
			return differs("the sign-up answers with another user", userData{got.UserID, who.name, role}, got)
		}))...)
	if !p.OK() {
		return who, p.Err()
	}
	data, ok := r.read(p)
	if !ok {
		return who, bench.ErrCut
	}
	who.id = data.UserID
	v.world.newNames.Store(who.id, who.name)
	return who, nil
}

// randomText draws a name as long as the contest's benchmark had them.
func (v *visitor) randomText(length int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	text := make([]byte, length)
	for i := range text {
		text[i] = letters[v.Rand.IntN(len(letters))]
	}
	return string(text)
}

// enter logs somebody in: in one case of four somebody new, or else one of the role's
// accounts. In the end leave has to be called, whatever comes of it.
func (v *visitor) enter(role string, mayBeNew bool) error {
	v.who, v.account = nil, nil
	var who person
	if mayBeNew && v.Rand.IntN(4) == 0 {
		var err error
		if who, err = v.signUp(role); err != nil {
			return err
		}
	} else {
		if v.account = v.world.rosters[role].take(v.User); v.account == nil {
			return bench.ErrCut
		}
		who = v.account.person
	}
	// The contest's benchmark sent the role, too.
	body := credentials(who.name, everybodysPassword).with("role", role)
	r := readerOf(loginAnswer, v.User)
	p := v.count(groupLogin, v.send(http.MethodPost, "/api/login", body), r.due(http.StatusOK,
		r.that(ruleUserShown, func(_ *bench.Page, got loginData) *bench.Mismatch {
			return differs("the login is somebody else's", who.id, got.UserID)
		}),
		r.that(ruleLoginToken, func(_ *bench.Page, got loginData) *bench.Mismatch {
			return wrongToken(v.truth.key, got.AccessToken, who)
		}))...)
	if !p.OK() {
		return p.Err()
	}
	data, ok := r.read(p)
	if !ok {
		return bench.ErrCut
	}
	v.who = &member{who, data.AccessToken}
	return nil
}

// leave gives the account back.
func (v *visitor) leave() {
	v.world.rosters[v.roleOf()].bring(v.account)
	v.account, v.who = nil, nil
}

func (v *visitor) roleOf() string {
	if v.account == nil {
		return roleAudience // there is nothing to give back
	}
	return v.account.role
}

// logOut says goodbye, and now and then tries whether that counts everywhere.
func (v *visitor) logOut() error {
	p := v.count(groupLogout, v.request(http.MethodPost, "/api/logout"), bench.Status(ruleOKStatus, http.StatusOK))
	if !p.OK() {
		return p.Err()
	}
	v.world.revoked.keep(v.Rand, v.who.token)
	if v.world.strict && v.Rand.IntN(4) == 0 {
		return v.refusedEverywhere(ruleLogoutRevokes)
	}
	return nil
}

// refusedEverywhere wants the visitor's token to be refused by several requests at once, which
// may meet several processes.
func (v *visitor) refusedEverywhere(rule string) error {
	var steps []*bench.Step
	for _, s := range []*bench.Step{
		v.get("/api/venues?limit=1").Name("venues after logout"),
		v.get("/api/users/:user_id", v.who.id).Name("the user after logout"),
		v.request(http.MethodPost, "/api/logout").Name("logout after logout"),
	} {
		steps = append(steps, s.Expecting(refusedWith(rule, http.StatusUnauthorized)...))
	}
	return firstFailure(v.All(steps...))
}

// outcomeOf tells what has become of a write. A refusal is one for sure only with a status
// that the request may be refused with.
func outcomeOf(p *bench.Page, good int, refused ...int) outcome {
	switch {
	case !p.Sent():
		return never
	case p.Answered() && p.Status() == good:
		return happened
	case p.Answered() && slices.Contains(refused, p.Status()):
		return never
	}
	return pending
}

// wrongToken looks at the token of a login.
func wrongToken(key []byte, token string, who person) *bench.Mismatch {
	says, err := readToken(key, token)
	wrong := ""
	switch {
	case err != nil:
		wrong = err.Error()
	case says.Username != who.name || says.Role != who.role:
		wrong = fmt.Sprintf("it is that of %s, %s", says.Username, says.Role)
	case says.Expires-says.Issued < tokenLife.Seconds()-1 || says.Expires-says.Issued > tokenLife.Seconds()+1:
		wrong = "its exp is not 3600 s after its iat"
	default:
		return nil
	}
	return &bench.Mismatch{Code: "token", Expected: fmt.Sprintf("a token by HS256 with username %s, role %s, iat, and exp = iat + 3600", who.name, who.role),
		Actual: token, Message: "the token of a login is not as it should be: " + wrong, Hint: "JWT_SECRET_KEY has to stay as it was given"}
}

func number(n int64) string { return strconv.FormatInt(n, 10) }

// second is the time as requests tell it.
func second(t time.Time) string { return t.UTC().Format(time.RFC3339) }
