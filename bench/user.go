package bench

import (
	"context"
	"math/rand/v2"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"hotseat/bench/tally"
	"hotseat/bench/wire"
)

// acceptEncoding is what users ask for unless a step or user says otherwise.
const acceptEncoding = "gzip"

// keptSteps is how many steps a user holds on to between iterations. An
// iteration may make more; the memory of the others goes back.
const keptSteps = 8

// User is one virtual user: a browser with connections, cookies and dice of
// its own. It belongs to one goroutine; only [User.All] works in parallel, and
// waits for all of it.
type User struct {
	ID         int        // within the population, from 1
	Population string     // or the name of the verify or finish scenario
	Rand       *rand.Rand // the same for the same seed, population and ID
	Run        *Run       // the run that it is part of

	ctx       context.Context // done when the user is cut
	ended     <-chan struct{} // closed at the load's end; nil outside the load
	client    *wire.Client
	source    netip.Addr
	jar       wire.Jar
	header    []wire.Field
	host      string // "": the target's
	kept      kept
	tally     *tally.User
	exercised []int64 // by rule index; read after the user has ended
	pcg       rand.PCG
	think     *time.Timer

	steps []*Step // the first used ones belong to this iteration
	used  int
	begun int // steps, since the user began

	lastAt   time.Duration // of the last answer, since the run's start
	intended time.Time     // of the iteration's start, until the first request; only in open populations
	failed   bool          // in this iteration
	busy     bool          // it asked for something or thought
	left     bool          // it wants no other iteration
	first    *Failed       // since the user began

	cutReplay context.CancelFunc // ends the user who is replayed; nil for all others
}

// SetHeader makes every following request carry the header, until it is set
// again; an empty value removes it. Cookie, Host and the framing headers are
// the engine's. Users send "Accept-Encoding: gzip" unless it is set here.
func (u *User) SetHeader(name, value string) { u.header = setField(u.header, name, value) }

// setField sets, replaces or removes a field.
func setField(fields []wire.Field, name, value string) []wire.Field {
	for i := range fields {
		if !strings.EqualFold(fields[i].Name, name) {
			continue
		}
		if value == "" {
			return append(fields[:i], fields[i+1:]...)
		}
		fields[i].Value = value
		return fields
	}
	if value == "" {
		return fields
	}
	return append(fields, wire.Field{Name: name, Value: value})
}

// SetHost makes every following request ask for a site of this name, where
// several live at the target's address: it is sent as the Host header, and
// cookies belong to it. Empty means the target's own.
func (u *User) SetHost(name string) { u.host = name }

// ResetCookies forgets all cookies, as a new browser.
func (u *User) ResetCookies() { u.jar.Reset() }

// Cookie returns the value of a cookie that the user holds, "" without one.
func (u *User) Cookie(name string) string {
	value, _ := u.jar.Get(name)
	return value
}

// Source returns the local address that the user connects from if the contest
// or the population says Sources; it is not valid otherwise.
func (u *User) Source() netip.Addr { return u.source }

// ResetConnections closes the user's idle connections, so that the next
// request opens a new one.
func (u *User) ResetConnections() { u.client.CloseIdle() }

// Get describes a GET of a path with its query, percent-encoded.
func (u *User) Get(path string) *Step { return u.Request("GET", path) }

// PostForm describes a POST of a form: names and values in turn, in this order
// on the wire.
func (u *User) PostForm(path string, kv ...string) *Step {
	if len(kv)%2 != 0 {
		panic(authorError("PostForm needs names and values in turn; the last name has no value"))
	}
	var form strings.Builder
	for i := 0; i < len(kv); i += 2 {
		if i > 0 {
			form.WriteByte('&')
		}
		form.WriteString(url.QueryEscape(kv[i]))
		form.WriteByte('=')
		form.WriteString(url.QueryEscape(kv[i+1]))
	}
	return u.Post(path, formType, []byte(form.String()))
}

// Post describes a POST of a body, which must not be changed before the step is done.
func (u *User) Post(path, contentType string, body []byte) *Step {
	return u.Request("POST", path).Header("Content-Type", contentType).Body(body)
}

// Request describes any other request. The path begins with a slash.
func (u *User) Request(method, path string) *Step {
	s := u.newStep()
	s.req.Method, s.req.Path, s.req.Host = method, path, u.host
	s.req.Header = append(s.req.Header, u.header...)
	return s
}

// newStep returns a blank step of this iteration.
func (u *User) newStep() *Step {
	if u.used == len(u.steps) {
		s := &Step{user: u}
		s.page.step = s
		u.steps = append(u.steps, s)
	}
	s := u.steps[u.used]
	u.used++
	return s
}

// All does the described steps at once over the user's connections, as a
// browser fetches what a page needs, waits for all of them, and evaluates
// their checks in order.
func (u *User) All(steps ...*Step) []*Page {
	pages := make([]*Page, len(steps))
	var wait sync.WaitGroup
	for i, s := range steps {
		pages[i] = &s.page
		s.begin()
		if i == len(steps)-1 {
			s.send() // the last one needs no goroutine of its own
			break
		}
		wait.Go(s.send)
	}
	wait.Wait()
	for _, s := range steps {
		s.settle()
	}
	return pages
}

// Point earns a point that belongs to no single answer.
func (u *User) Point(tag string) {
	if u.Cut() {
		return
	}
	u.tally.Point(u.Run.tag(tag), u.lastAt)
}

// Exercised counts a rule as exercised, for promises that the scenario checks
// by its own comparing: call it whenever the comparison is made.
func (u *User) Exercised(rule string) {
	if r := u.Run.rule(rule); !r.off {
		u.exercised[r.index]++
	}
}

// Fail records a failure that the scenario found itself and returns it as an
// error. If the rule is switched off it returns nil.
func (u *User) Fail(p Problem) error {
	r := u.Run.rule(p.Rule)
	if r.off {
		return nil
	}
	u.exercised[r.index]++
	m := &Mismatch{Code: p.Code, Expected: p.Expected, Actual: p.Actual, Message: p.Message, Hint: p.Hint}
	if m.Code == "" {
		m.Code = CodeValueMismatch
	}
	var s *Step
	if p.Page != nil {
		s = p.Page.step
	}
	return u.record(r.Class, r, m, s, p.Step)
}

// Think waits for a random time between the two, as a person reads a page. It
// ends early when the load does.
func (u *User) Think(least, most time.Duration) {
	d := least
	if most > least {
		d += time.Duration(u.Rand.Int64N(int64(most - least + 1)))
	}
	u.busy = true
	u.sleep(d)
}

// sleep waits until the time is over or the load ends or the user is cut.
func (u *User) sleep(d time.Duration) {
	if d <= 0 {
		return
	}
	if u.think == nil {
		u.think = time.NewTimer(d)
	} else {
		u.think.Reset(d)
	}
	select {
	case <-u.think.C:
	case <-u.ended:
		u.think.Stop()
	case <-u.ctx.Done():
		u.think.Stop()
	}
}

// Cut reports whether the user has been stopped by the end of the run:
// everything that it asks for from now on is refused.
func (u *User) Cut() bool { return u.ctx.Err() != nil }

// Context is done when the user is cut, for authors who wait for something
// that is not the target.
func (u *User) Context() context.Context { return u.ctx }

// endIteration gives back what the iteration's pages hold.
func (u *User) endIteration() {
	for _, s := range u.steps[:u.used] {
		s.reset()
	}
	u.used = 0
	if len(u.steps) > keptSteps {
		clear(u.steps[keptSteps:])
		u.steps = u.steps[:keptSteps]
	}
	u.failed, u.busy = false, false
}
