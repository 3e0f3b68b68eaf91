package bench

import (
	"time"

	"hotseat/bench/wire"
)

// Plain sends no Accept-Encoding, unless one is set with [Step.Header] or
// [User.SetHeader], as a client that has never heard of compression. Without one
// an answer that is compressed all the same is a protocol failure.
func (s *Step) Plain() *Step {
	s.req.Coding = wire.CodingNone
	return s
}

// Unread is Plain, but leaves the body as it comes, compressed or not: for load
// whose contents nobody looks at, which should cost no more than reading it.
func (s *Step) Unread() *Step {
	s.req.Coding = wire.CodingKept
	return s
}

// lingerEvery is how often Linger looks.
const lingerEvery = 20 * time.Millisecond

// Linger waits until the target has closed the connections that the user keeps
// idle, for that long at most and until the load ends. It reports whether they
// are closed. Some clients of old hung like this after answers whose end they
// did not see.
func (u *User) Linger(most time.Duration) bool {
	u.busy = true
	for until := time.Now().Add(most); u.client.Idle() > 0; {
		left := time.Until(until)
		if left <= 0 || u.Cut() || u.Run.draining() {
			return false
		}
		u.sleep(min(left, lingerEvery))
	}
	return true
}
