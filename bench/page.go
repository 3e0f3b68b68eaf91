package bench

import (
	"errors"
	"strings"
	"sync"
	"time"

	"hotseat/bench/check"
	"hotseat/bench/wire"
)

// ErrCut is the error of everything that the end of the run cut short. What
// was cut is neither scored nor blamed, and nothing is known of its effect.
var ErrCut = errors.New("cut by the end of the run")

// Page is the outcome of a step. It is valid until the user's iteration ends.
type Page struct {
	step *Step
	resp wire.Response
	in   check.Input // keeps what validators captured
	answer
}

// answer is what came of a step, beside the response.
type answer struct {
	shown          *held // what the browser had, in place of the answer
	wire           *wire.Error
	err            error
	sentAt, doneAt time.Time
}

// OK reports whether an answer came and every check held.
func (p *Page) OK() bool { return p.err == nil && p.Status() != 0 }

// Err returns nil, a [*Failed] that has been counted, or [ErrCut].
func (p *Page) Err() error { return p.err }

// Cut reports whether the end of the run cut the step short.
func (p *Page) Cut() bool { return p.err == ErrCut } //nolint:errorlint // our own, never wrapped

// Sent reports whether any byte of the request was written, of the first one
// where redirects were followed. If not, the target has certainly not seen it.
func (p *Page) Sent() bool {
	switch {
	case p.Answered():
		return true
	case p.wire != nil:
		return p.wire.Sent
	default:
		return false
	}
}

// Answered reports whether the head of an answer to the request came, to the
// first one where redirects were followed: the target has certainly processed it.
func (p *Page) Answered() bool { return p.resp.Status != 0 || len(p.resp.Redirects) > 0 }

// Retried reports whether the last request was sent a second time because a
// kept-alive connection broke before any byte of the first answer. If the target
// did answer, into the void, what it shows only once is gone.
func (p *Page) Retried() bool { return p.resp.Retried }

// Status returns the status of the last answer, 0 if none came, and 200 if what
// the user had is shown again; see [Step.Cached].
func (p *Page) Status() int {
	if p.shown != nil {
		return 200
	}
	return p.resp.Status
}

// Path returns the path that answered, without query: after redirects another
// one than was asked for.
func (p *Page) Path() string {
	path, _, _ := strings.Cut(p.URL(), "?")
	return path
}

// URL returns the path and query that answered.
func (p *Page) URL() string {
	if p.resp.Path != "" {
		return p.resp.Path
	}
	return p.step.req.Path
}

// Redirects returns how many redirects were followed.
func (p *Page) Redirects() int { return len(p.resp.Redirects) }

// Body returns the body, decompressed. It must not be changed.
func (p *Page) Body() []byte {
	if p.shown != nil {
		return p.shown.body.bytes
	}
	return p.resp.Body
}

// HeaderValue returns the first value of a header of the last answer, ""
// without one.
func (p *Page) HeaderValue(name string) string {
	value, _ := p.field(name)
	return value
}

// field returns the first value of a header, of what is shown again where the
// answer itself says nothing.
func (p *Page) field(name string) (string, bool) {
	value, ok := p.resp.Get(name)
	if !ok && p.shown != nil {
		return p.shown.field(name)
	}
	return string(value), ok
}

// SentAt returns when the step began.
func (p *Page) SentAt() time.Time { return p.sentAt }

// DoneAt returns when the last byte of the answer had been read.
func (p *Page) DoneAt() time.Time { return p.doneAt }

// input presents the answer to validators.
func (p *Page) input() *check.Input {
	p.in = check.Input{Status: p.Status(), Header: header{p}, Body: p.Body(), Found: p.in.Found}
	return &p.in
}

// Found returns what validators captured from the body under that name, in
// document order.
func (p *Page) Found(name string) []string { return p.in.Found.All(name) }

// Texts returns the text of every element of the HTML body that the selector
// matches, white space collapsed. A validator's captures cost less: they come
// with its one pass over the body.
func (p *Page) Texts(selector string) []string {
	texts := p.capture(selector, "")
	for i, text := range texts {
		texts[i] = strings.Join(strings.Fields(text), " ")
	}
	return texts
}

// Attrs returns that attribute of every element of the HTML body that the
// selector matches and that has it.
func (p *Page) Attrs(selector, name string) []string { return p.capture(selector, name) }

// capture finds elements by a validator that is made once per selector.
func (p *Page) capture(selector, attr string) []string {
	c := p.step.user.Run.captures.of(selector, attr)
	in := p.input()
	_ = c.Check(in) // it only captures, and has nothing to find wrong
	return in.Found.All(captured)
}

// captured is the name under which captures finds what it was asked for.
const captured = " captured"

// captures keeps the validators that Texts and Attrs are made of. Selectors
// are written by the author, so there are few.
type captures struct {
	bySelector sync.Map // of [2]string{selector, attribute} to check.Checker
}

func (c *captures) of(selector, attr string) check.Checker {
	key := [2]string{selector, attr}
	if v, ok := c.bySelector.Load(key); ok {
		return v.(check.Checker)
	}
	v := check.HTML("capture")
	if attr == "" {
		v = v.CaptureText(captured, selector)
	} else {
		v = v.CaptureAttr(captured, selector, attr)
	}
	c.bySelector.Store(key, v)
	return v
}
