package bench

import (
	"errors"
	"strings"
	"time"

	"hotseat"
	"hotseat/bench/check"
	"hotseat/bench/tally"
	"hotseat/bench/wire"
)

// Step is a request being described. Nothing is sent before [Step.Expect],
// [Step.Do] or [User.All]. It is valid until the user's iteration ends.
type Step struct {
	user *User
	described
	checks  []Check
	tags    []string
	cookies []byte // the Cookie header as the first request had it
	page    Page
}

// described is what is blank again each time that a step is used.
type described struct {
	req    wire.Request
	route  string
	name   string
	follow bool

	caching Cache
	settled uint64 // changes that are known to be done
	held    *held  // what the request asks about, or what is shown without asking
	fresh   bool   // nothing is sent

	number   int  // of the user's steps, from 1
	draining bool // it began after the load's end
	begun    bool
	intended time.Time // when it was due, in an open population
}

// Route names the endpoint for statistics and failures, with placeholders in
// place of what differs: "/users/:id". The default is the path without query;
// paths with ids in them need one, since only 256 endpoints are told apart.
func (s *Step) Route(template string) *Step {
	s.route = template
	return s
}

// Name sets the step's name in failures. The default is method and route.
func (s *Step) Name(name string) *Step {
	s.name = name
	return s
}

// Header sets a header of this request, in place of one set with
// [User.SetHeader]; an empty value leaves it out.
func (s *Step) Header(name, value string) *Step {
	s.req.Header = setField(s.req.Header, name, value)
	return s
}

// Host asks for the site of this name, in place of the one set with [User.SetHost].
func (s *Step) Host(name string) *Step {
	s.req.Host = name
	return s
}

// Body sets the body, which must not be changed before the step is done.
func (s *Step) Body(body []byte) *Step {
	s.req.Body = body
	return s
}

// Follow makes the step go on to where redirects lead, as a browser does. Its
// checks see the last answer.
func (s *Step) Follow() *Step {
	s.follow = true
	return s
}

// Within bounds everything together, redirects included, in place of the
// total of [Contest].Limits.
func (s *Step) Within(total time.Duration) *Step {
	s.req.Limits.Total = total
	return s
}

// Limits sets further limits of this request; fields that are zero stay as
// [Contest].Limits has them.
func (s *Step) Limits(l Limits) *Step {
	s.req.Limits = l
	return s
}

// Point earns points if every check of this step holds. The answer must be
// complete and checked before the run is cut.
func (s *Step) Point(tags ...string) *Step {
	s.tags = append(s.tags, tags...)
	return s
}

// Expecting adds checks without sending anything, for [User.All].
func (s *Step) Expecting(checks ...Check) *Step {
	s.checks = append(s.checks, checks...)
	return s
}

// Expect adds checks and does the request. It always returns a page; ask
// [Page.OK] before using what should be on it.
func (s *Step) Expect(checks ...Check) *Page {
	s.checks = append(s.checks, checks...)
	s.begin()
	s.send()
	s.settle()
	return &s.page
}

// Do does the request with the checks that were added so far.
func (s *Step) Do() *Page { return s.Expect() }

// begin makes the step ready to be sent; it runs on the user's goroutine.
func (s *Step) begin() {
	u := s.user
	if s.begun {
		panic(authorError("a step can be done only once"))
	}
	s.begun = true
	u.begun++
	s.number = u.begun
	u.Run.opts.replay.next(u)
	secure := u.Run.opts.target.TLS != nil
	name := u.Run.cookieHost
	if s.req.Host != "" {
		name = cookieHost(s.req.Host)
	}
	s.cookies = u.jar.AppendCookies(s.cookies[:0], name, s.req.Path, secure)
	if s.caching.rule != "" {
		s.consult()
	}
	if s.fresh {
		return
	}
	u.busy = true
	s.intended, u.intended = u.intended, time.Time{}
	if u.Run.draining() {
		s.draining = true
		if d := u.Run.contest.DrainTimeout; d > 0 && (s.req.Limits.Total <= 0 || s.req.Limits.Total > d) {
			s.req.Limits.Total = d
		}
	}
}

// send makes the exchange; it may run on a goroutine of its own.
func (s *Step) send() {
	u, p := s.user, &s.page
	if u.ctx.Err() != nil {
		p.err = ErrCut
		return
	}
	if s.fresh {
		p.shown, p.sentAt = s.held, time.Now()
		p.doneAt = p.sentAt
		return
	}
	var err error
	if s.follow {
		err = u.client.Follow(u.ctx, &s.req, &p.resp)
	} else {
		err = u.client.Do(u.ctx, &s.req, &p.resp)
	}
	// Reading the clock costs more than counting, so wire's readings serve for all.
	p.sentAt, p.doneAt = p.resp.Timing.Start, p.resp.Timing.Done
	if err == nil {
		return
	}
	p.doneAt = time.Now()
	if p.sentAt.IsZero() {
		p.sentAt = p.doneAt
	}
	if !errors.As(err, &p.wire) {
		p.wire = &wire.Error{Class: wire.ClassAuthor, Code: wire.CodeScenarioBug, Side: wire.SideBench, Op: "request", Err: err}
	}
}

// settle judges the outcome and does all bookkeeping, on the user's goroutine.
func (s *Step) settle() {
	u, p := s.user, &s.page
	if p.err != nil { // cut before it was sent
		return
	}
	r := u.Run
	switch {
	case s.fresh:
		p.err = s.check()
		r.opts.replay.tell(s)
		return
	case p.wire == nil:
		if s.caching.rule != "" {
			p.err = s.compare()
		}
		if p.err == nil {
			p.err = s.check()
		}
	case p.wire.Code == wire.CodeCanceled, s.cutByDrain():
		p.err = ErrCut
		return
	default:
		p.err = s.broken()
	}
	r.opts.replay.tell(s)
	r.alive.note(p)
	for _, base := range r.rules.all[:perRequestRules] {
		if !base.off {
			u.exercised[base.index]++
		}
	}

	u.lastAt = p.doneAt.Sub(r.start)
	service := p.doneAt.Sub(p.sentAt)
	sample := tally.Sample{Latency: service, Service: service, Status: p.resp.Status, Bytes: p.resp.RawLength, Failed: p.err != nil}
	if !s.intended.IsZero() {
		sample.Latency = p.doneAt.Sub(s.intended)
	}
	u.tally.Request(r.tally.Endpoint(s.req.Method, s.template()), sample)
	if p.err == nil && len(s.tags) > 0 {
		// Complete before the cut, which is this moment, and checked before
		// it, which is what the tally's closing sees to.
		for _, tag := range s.tags {
			u.tally.Point(r.tag(tag), u.lastAt)
		}
	}
}

// cutByDrain reports whether the step ran out of the short time that requests
// have after the load's end.
func (s *Step) cutByDrain() bool {
	return s.draining && s.user.Run.contest.DrainTimeout > 0 && s.page.wire.Timeout()
}

// broken records that no complete answer came.
func (s *Step) broken() error {
	u, w := s.user, s.page.wire
	r := u.Run
	class := hotseat.Class(w.Class)
	m := &Mismatch{Code: w.Code, Expected: "an answer", Actual: w.Error(), Message: explain(w), Hint: hintFor(w.Code)}
	if class == hotseat.ClassAuthor {
		panic(authorError(w.Error()))
	}
	if class == hotseat.ClassTimeout && r.gen.couldHaveFalsified(s.page.sentAt, s.page.doneAt) {
		class = hotseat.ClassGenerator
		m.Code = codeGeneratorLag
		m.Message = "an answer may have come in time: the benchmark itself was not given the CPU to read it"
		m.Hint = "run fewer other things on this machine, or give the benchmark a core of its own"
	}
	base := r.rules.ofClass(class)
	if base != nil && base.off {
		return &Failed{Class: class, Code: m.Code, Rule: base.ID, Message: m.Message}
	}
	return u.record(class, base, m, s, "")
}

// template is the endpoint's name.
func (s *Step) template() string {
	if s.route != "" {
		return s.route
	}
	path, _, _ := strings.Cut(s.req.Path, "?")
	return path
}

// place is the step's name in failures.
func (s *Step) place() string {
	if s.name != "" {
		return s.name
	}
	return s.req.Method + " " + s.template()
}

// reset makes the step blank for the next iteration, keeping what it has allocated.
func (s *Step) reset() {
	clear(s.req.Header)
	clear(s.checks)
	clear(s.tags)
	s.page.in.Found.Reset()
	resp := &s.page.resp
	resp.Release()
	// Release leaves these; a step that is cut before it is sent must not show them.
	resp.Status, resp.Path, resp.Redirects = 0, "", resp.Redirects[:0]
	s.described = described{req: wire.Request{Header: s.req.Header[:0]}}
	s.checks, s.tags, s.cookies = s.checks[:0], s.tags[:0], s.cookies[:0]
	s.page.answer = answer{}
	s.page.in = check.Input{Found: s.page.in.Found}
}
