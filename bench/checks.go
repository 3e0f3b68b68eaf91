package bench

// Check is one thing that an answer must fulfil, under the rule that promises
// it. Make checks that do not change once, outside the iteration.
type Check struct{}

// Status wants one of the given statuses. A 5xx or 429 that is not wanted is
// a failure of the base rule server-error, any other of this rule.
func Status(rule string, want ...int) Check { return Check{} }

// Path wants the path that answered, redirects followed, to be this one. The
// query does not matter.
func Path(rule, want string) Check { return Check{} }

// Header wants a header to be there with exactly this value.
func Header(rule, name, want string) Check { return Check{} }

// Digest wants the body to have this digest, in hexadecimal. The algorithms
// are md5, sha1, sha256 and xxh3 (128 bits).
func Digest(rule, algorithm, want string) Check { return Check{} }

// That wants what the function finds: nil means that all is well. It is called
// on the user's goroutine and may look at anything that the user may.
func That(rule string, f func(p *Page) *Mismatch) Check { return Check{} }
