package bench

import (
	"errors"
	"time"
)

// ErrCut is the error of everything that the end of the run cut short. What
// was cut is neither scored nor blamed, and nothing is known of its effect.
var ErrCut = errors.New("cut by the end of the run")

// Page is the outcome of a step. It is valid until the user's iteration ends.
type Page struct{}

// OK reports whether an answer came and every check held.
func (p *Page) OK() bool { return false }

// Err returns nil, a [*Failed] that has been counted, or [ErrCut].
func (p *Page) Err() error { return nil }

// Cut reports whether the end of the run cut the step short.
func (p *Page) Cut() bool { return false }

// Sent reports whether any byte of the request was written, of the first one
// where redirects were followed. If not, the target has certainly not seen it.
func (p *Page) Sent() bool { return false }

// Answered reports whether the head of an answer to the request came, to the
// first one where redirects were followed: the target has certainly processed it.
func (p *Page) Answered() bool { return false }

// Status returns the status of the last answer, 0 if none came.
func (p *Page) Status() int { return 0 }

// Path returns the path that answered, without query: after redirects another
// one than was asked for.
func (p *Page) Path() string { return "" }

// URL returns the path and query that answered.
func (p *Page) URL() string { return "" }

// Body returns the body, decompressed. It must not be changed.
func (p *Page) Body() []byte { return nil }

// HeaderValue returns the first value of a header of the last answer, ""
// without one.
func (p *Page) HeaderValue(name string) string { return "" }

// SentAt returns when the step began.
func (p *Page) SentAt() time.Time { return time.Time{} }

// DoneAt returns when the last byte of the answer had been read.
func (p *Page) DoneAt() time.Time { return time.Time{} }

// Texts returns the text of every element of the HTML body that the selector
// matches, white space collapsed.
func (p *Page) Texts(selector string) []string { return nil }

// Attrs returns that attribute of every element of the HTML body that the
// selector matches and that has it.
func (p *Page) Attrs(selector, name string) []string { return nil }
