package bench

import "time"

// Step is a request being described. Nothing is sent before [Step.Expect],
// [Step.Do] or [User.All]. It is valid until the user's iteration ends.
type Step struct{}

// Route names the endpoint for statistics and failures, with placeholders in
// place of what differs: "/users/:id". The default is the path without query.
func (s *Step) Route(template string) *Step { return s }

// Name sets the step's name in failures. The default is method and route.
func (s *Step) Name(name string) *Step { return s }

// Header adds a header to this request, in place of one set with [User.SetHeader].
func (s *Step) Header(name, value string) *Step { return s }

// Follow makes the step go on to where redirects lead, as a browser does. Its
// checks see the last answer.
func (s *Step) Follow() *Step { return s }

// Within bounds everything together, redirects included, in place of the
// total of [Contest].Limits.
func (s *Step) Within(total time.Duration) *Step { return s }

// Point earns points if every check of this step holds. The answer must be
// complete and checked before the run is cut.
func (s *Step) Point(tags ...string) *Step { return s }

// Expecting adds checks without sending anything, for [User.All].
func (s *Step) Expecting(checks ...Check) *Step { return s }

// Expect adds checks and does the request. It always returns a page; ask
// [Page.OK] before using what should be on it.
func (s *Step) Expect(checks ...Check) *Page { return &Page{} }

// Do does the request with the checks that were added so far.
func (s *Step) Do() *Page { return s.Expect() }
