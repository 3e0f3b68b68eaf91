package bench

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"hotseat"
	"hotseat/bench/check"
)

// Check is one thing that an answer must fulfil, under the rule that promises
// it. Make checks that do not change once, outside the iteration.
type Check struct {
	kind     checkKind
	rule     string
	name     string // of a header
	want     string
	statuses []int
	find     func(p *Page) *Mismatch
	body     check.Checker
	vars     []check.Value
	version  uint64
	ruleless bool // body has no rules of its own, so none need be remembered: it may be made for one request
}

type checkKind uint8

const (
	checkStatus checkKind = iota + 1
	checkPath
	checkHeader
	checkBody
	checkThat
)

// Status wants one of the given statuses. A 5xx or 429 that is not wanted is
// a failure of the base rule server-error, any other of this rule.
func Status(rule string, want ...int) Check {
	return Check{kind: checkStatus, rule: rule, statuses: want}
}

// Path wants the path that answered, redirects followed, to be this one. The
// query does not matter.
func Path(rule, want string) Check { return Check{kind: checkPath, rule: rule, want: want} }

// Header wants a header to be there with exactly this value.
func Header(rule, name, want string) Check {
	return Check{kind: checkHeader, rule: rule, name: name, want: want}
}

// Digest wants the body to be the file with this digest, in hexadecimal: a style
// sheet, a script; the code of a failure is asset-digest. The algorithms are md5,
// sha1, sha256 and xxh3 (128 bits; by far the cheapest, where the choice is
// yours), and Digest panics for another. It is [Body] with [check.Digest]; for
// images there is [check.Image].
func Digest(rule, algorithm, want string) Check {
	c := Body(rule, check.Digest("", "file", check.DigestKind(algorithm), want))
	c.ruleless = true
	return c
}

// Body wants what a validator of package check wants. Its checks without a
// rule of their own belong to this rule. Outside the load the reference
// parsers run too and decide. What it captured is in [Page.Found].
func Body(rule string, c check.Checker, vars ...check.Value) Check {
	return Check{kind: checkBody, rule: rule, body: c, vars: vars}
}

// AtVersion says which state of the expected world a Body check is made for: a
// body that a validator with Memo remembers is only known to be right for the
// version it was seen at.
func (c Check) AtVersion(version uint64) Check {
	c.version = version
	return c
}

// That wants what the function finds: nil means that all is well. It is called
// on the user's goroutine and may look at anything that the user may.
func That(rule string, find func(p *Page) *Mismatch) Check {
	return Check{kind: checkThat, rule: rule, find: find}
}

// check evaluates the step's checks in order and records the first that does not hold.
func (s *Step) check() error {
	for i := range s.checks {
		c := &s.checks[i]
		var err error
		if c.kind == checkBody {
			err = s.checkBody(c)
		} else {
			err = s.checkOne(c)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkOne evaluates any check but Body.
func (s *Step) checkOne(c *Check) error {
	u, p := s.user, &s.page
	r := u.Run.rule(c.rule)
	if c.kind == checkStatus {
		return s.checkStatus(c, r)
	}
	if r.off {
		return nil
	}
	u.exercised[r.index]++
	var m *Mismatch
	switch c.kind {
	case checkPath:
		if got := p.Path(); got != c.want {
			m = &Mismatch{Code: CodeUnexpectedPath, Expected: c.want, Actual: fmt.Sprintf("%s (status %d)", got, p.Status()),
				Message: fmt.Sprintf("ended at %s instead of %s", got, c.want)}
		}
	case checkHeader:
		if got, ok := p.field(c.name); !ok {
			m = &Mismatch{Code: CodeHeaderMismatch, Expected: c.name + ": " + c.want, Actual: "no such header",
				Message: "the header " + c.name + " is missing"}
		} else if got != c.want {
			m = &Mismatch{Code: CodeHeaderMismatch, Expected: c.name + ": " + c.want, Actual: c.name + ": " + got,
				Message: fmt.Sprintf("the header %s is %q instead of %q", c.name, got, c.want)}
		}
	case checkThat:
		m = c.find(p)
	default:
		panic(authorError("a zero Check; make checks with Status, Path, Body …"))
	}
	if m == nil {
		return nil
	}
	return u.record(r.Class, r, m, s, "")
}

// checkStatus evaluates a Status check, which answers for two rules.
func (s *Step) checkStatus(c *Check, r *rule) error {
	u, got := s.user, s.page.Status()
	serverError := u.Run.rules.all[serverErrorIndex]
	u.exercised[serverError.index]++
	if !r.off {
		u.exercised[r.index]++
	}
	if slices.Contains(c.statuses, got) {
		return nil
	}
	want := strings.Trim(strings.ReplaceAll(fmt.Sprint(c.statuses), " ", " or "), "[]")
	m := &Mismatch{Code: CodeUnexpectedStatus, Expected: "status " + want, Actual: s.answer(),
		Message: fmt.Sprintf("status %d instead of %s", got, want)}
	switch {
	case got == 413:
		// Servers cut bodies off before the application sees them.
		m.Message = fmt.Sprintf("the request is refused with 413, its body of %d bytes being too large for a server on the way, instead of %s", len(s.req.Body), want)
		m.Hint = "some server's limit on request bodies is below that: in nginx it is client_max_body_size, 1 MB unless it is set"
	case got == 429:
		r, m.Code = serverError, hotseat.CodeStatus429
	case got >= 500:
		r, m.Code = serverError, hotseat.CodeStatus5xx
		m.Hint = "look at the application's log at this time"
		if bytes.Contains(s.page.Body(), []byte("<hr><center>nginx")) {
			// Its own error page: the application may not even know.
			m.Message += ", from nginx itself"
			m.Hint = "nginx's error log says why at this time"
		}
	}
	if r.off {
		return nil
	}
	return u.record(hotseat.ClassStatus, r, m, s, "")
}

// answer is the status with the beginning of the body, for failures.
func (s *Step) answer() string {
	p := &s.page
	text := fmt.Sprintf("status %d", p.Status())
	switch {
	case p.NotModified():
		text = "status 304: the user sees again what the last answer was"
	case p.FromCache():
		text = "nothing: max-age makes the user see again what the last answer was"
	}
	if location := p.HeaderValue("Location"); location != "" {
		text += ", Location: " + location
	}
	if body := p.Body(); len(body) > 0 {
		text += "\n\n" + string(body[:min(len(body), maxExcerpt)])
	}
	return text
}

// checkBody evaluates a validator, which may answer for several rules.
func (s *Step) checkBody(c *Check) error {
	u, p := s.user, &s.page
	run := u.Run
	own := run.rule(c.rule)
	if own.off {
		return nil
	}
	u.exercised[own.index]++
	if !c.ruleless {
		for _, r := range run.rulesOf(c.body) {
			if !r.off && r != own {
				u.exercised[r.index]++
			}
		}
	}

	in := p.input()
	in.Version, in.Skip, in.OnDisagree = c.version, run.skip, run.disagreed
	var m *check.Mismatch
	if run.loading.Load() {
		m = c.body.Check(in, c.vars...)
	} else {
		m = c.body.Verify(in, c.vars...)
	}
	if m == nil {
		return nil
	}
	r := own
	if m.Rule != "" {
		r = run.rule(m.Rule)
	}
	out := &Mismatch{Code: m.Code, Expected: m.Expected, Actual: m.Actual, Hint: m.Hint, Message: m.Error()}
	if m.Path != "" {
		out.Expected = m.Path + ": " + m.Expected
	}
	if len(p.Body()) > 0 {
		where := fmt.Sprintf("near byte %d", m.Offset)
		if m.Offset < 0 {
			where = "from its beginning"
		}
		const around = 512
		out.Actual += fmt.Sprintf("\n\nthe body %s:\n%s", where, check.Around(p.Body(), m.Offset, around))
	}
	return u.record(r.Class, r, out, s, "")
}

// rulesOf returns the rules that a validator's checks belong to.
func (r *Run) rulesOf(c check.Checker) []*rule {
	if known, ok := r.answers.Load(c); ok {
		return known.([]*rule)
	}
	var rules []*rule
	for _, id := range c.Rules() {
		rules = append(rules, r.rule(id))
	}
	r.answers.Store(c, rules)
	return rules
}

// header lets validators read the answer's header.
type header struct{ p *Page }

func (h header) Get(name string) string { return h.p.HeaderValue(name) }
