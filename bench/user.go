package bench

import (
	"math/rand/v2"
	"time"
)

// User is one virtual user: a browser with connections, cookies and dice of
// its own. It belongs to one goroutine; only [User.All] works in parallel, and
// waits for all of it.
type User struct {
	ID         int        // within the population, from 1
	Population string     // or the name of the verify or finish scenario
	Rand       *rand.Rand // the same for the same seed, population and ID
	Run        *Run
}

// SetHeader makes every following request carry the header, until it is set
// again; an empty value removes it. Cookie, Host and the framing headers are
// the engine's.
func (u *User) SetHeader(name, value string) {}

// ResetCookies forgets all cookies, as a new browser.
func (u *User) ResetCookies() {}

// ResetConnections closes the user's idle connections, so that the next
// request opens a new one.
func (u *User) ResetConnections() {}

// Get describes a GET of a path with its query.
func (u *User) Get(path string) *Step { return u.Request("GET", path) }

// PostForm describes a POST of a form: names and values in turn, in this order
// on the wire.
func (u *User) PostForm(path string, kv ...string) *Step { return u.Request("POST", path) }

// Post describes a POST of a body, which must not be changed before the step is done.
func (u *User) Post(path, contentType string, body []byte) *Step { return u.Request("POST", path) }

// Request describes any other request. The path begins with a slash.
func (u *User) Request(method, path string) *Step { return &Step{} }

// All does the described steps at once over the user's connections, as a
// browser fetches what a page needs, waits for all of them, and evaluates
// their checks in order.
func (u *User) All(steps ...*Step) []*Page { return nil }

// Point earns a point that belongs to no single answer.
func (u *User) Point(tag string) {}

// Exercised counts a rule as exercised, for promises that the scenario checks
// by its own comparing: call it whenever the comparison is made.
func (u *User) Exercised(rule string) {}

// Fail records a failure that the scenario found itself and returns it as an
// error. If the rule is switched off it returns nil.
func (u *User) Fail(p Problem) error { return nil }

// Think waits for a random time between the two, as a person reads a page. It
// ends early when the load does.
func (u *User) Think(least, most time.Duration) {}

// Cut reports whether the user has been stopped by the end of the run:
// everything that it asks for from now on is refused.
func (u *User) Cut() bool { return false }
