package tally

import (
	"cmp"
	"slices"
	"sync/atomic"
	"time"
)

// sealed marks a counter that has stopped. It lives in the counter's own word, so that adding and asking
// "was that in time?" are one atomic operation: an addition is either before the sealing, and
// counted, or after it, and told so. No lock, and no gap between the question and the deed.
const sealed = 1 << 63

// account is one user's points, a word per tag. Only its user writes it, so the cache line stays where
// it is; the reader comes by once a second.
type account struct {
	words   []atomic.Uint64
	final   []uint64 // set once by seal; words that are sealed may have been raised since
	drained []uint64 // what Drain has reported
}

func newAccount(tags int) account {
	// Whole cache lines: two users' counters never share one.
	words := make([]atomic.Uint64, (tags+7)/8*8)
	return account{words: words[:tags], drained: make([]uint64, tags)}
}

// seal, read and drain are called with the tally's lock held.
func (a *account) seal() {
	if a.final != nil {
		return
	}
	a.final = make([]uint64, len(a.words))
	for i := range a.words {
		a.final[i] = a.words[i].Or(sealed) &^ sealed
	}
}

func (a *account) read(into []uint64) {
	if a.final != nil {
		copy(into, a.final)
		return
	}
	for i := range a.words {
		into[i] = a.words[i].Load()
	}
}

// A User is the counters of one virtual user.
type User struct {
	tally   *Tally
	shard   *shard
	account account
	number  int
	slot    int // in Tally.users; -1 once released
}

// Number is the user's number in this tally, counted from zero.
func (u *User) Number() int { return u.number }

// Point counts one point of the tag, earned at that moment: when the response was complete and
// validated, or whatever moment the problem's rules compare with the deadline. It reports whether the point counted.
func (u *User) Point(tag Tag, at time.Duration) bool { return u.Points(tag, 1, at) }

// Points is Point for n points at once; all of them count or none.
func (u *User) Points(tag Tag, n uint64, at time.Duration) bool {
	if int64(at) >= u.tally.deadline.Load() {
		return false
	}
	return u.account.words[tag].Add(n)&sealed == 0
}

// Earned returns the points this user has counted, in the order of Config.Tags.
func (u *User) Earned() []uint64 {
	u.tally.mu.Lock()
	defer u.tally.mu.Unlock()
	out := make([]uint64, len(u.account.words))
	u.account.read(out)
	return out
}

// Release ends a user's counting and lets its memory go; what it counted stays counted. Points it
// tries to make afterwards are refused. Populations that make a new user for each arrival must release
// them, all others need not.
func (u *User) Release() {
	t := u.tally
	t.mu.Lock()
	defer t.mu.Unlock()
	if u.slot < 0 {
		return
	}
	last := t.users[len(t.users)-1]
	last.slot = u.slot
	t.users[u.slot] = last
	t.users[len(t.users)-1] = nil
	t.users = t.users[:len(t.users)-1]
	u.slot = -1

	u.account.seal()
	t.score += t.config.Score(u.account.final)
	for tag, n := range u.account.final {
		t.retired[tag] += n
	}
	u.drain(func(tag int, more uint64) {
		t.undrained = append(t.undrained, PointEvent{Tag: t.config.Tags[tag], User: u.number, Count: more})
	})
}

// A PointEvent says that points were earned since the event before it. Times and users are for the
// reader; the counts alone give the score again.
type PointEvent struct {
	Second int    // of the run, when it was drained
	Tag    string // one of Config.Tags
	User   int    // the user's number if Config.PerUser is set, otherwise -1
	Count  uint64
}

// drain tells, tag by tag, of the points earned since it was last called.
func (u *User) drain(earned func(tag int, more uint64)) {
	a := &u.account
	for tag := range a.words {
		n := a.words[tag].Load()
		if a.final != nil {
			n = a.final[tag]
		}
		if more := n - a.drained[tag]; more > 0 {
			earned(tag, more)
			a.drained[tag] = n
		}
	}
}

// Drain returns the points earned since the last call, for the event log: one event per tag, or
// per user and tag, in the order of users and then tags. Call it once a second and once more after Close.
func (t *Tally) Drain(at time.Duration) []PointEvent {
	second := int(at / time.Second)
	order := make(map[string]int, len(t.config.Tags))
	for i, tag := range t.config.Tags {
		order[tag] = i
	}
	if !t.config.PerUser {
		return t.drainSums(second, order)
	}
	t.mu.Lock()
	events := t.undrained
	t.undrained = nil
	for i := range events {
		events[i].Second = second
	}
	for _, u := range t.users {
		u.drain(func(tag int, more uint64) {
			events = append(events, PointEvent{Second: second, Tag: t.config.Tags[tag], User: u.number, Count: more})
		})
	}
	t.mu.Unlock()
	slices.SortFunc(events, func(a, b PointEvent) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(order[a.Tag], order[b.Tag]))
	})
	return events
}

// drainSums is Drain without regard to users. It keeps no event per user: with
// ten thousand of them that would be the largest garbage of a whole run.
func (t *Tally) drainSums(second int, order map[string]int) []PointEvent {
	counts := make([]uint64, len(t.config.Tags))
	t.mu.Lock()
	for _, e := range t.undrained {
		counts[order[e.Tag]] += e.Count
	}
	t.undrained = nil
	for _, u := range t.users {
		u.drain(func(tag int, more uint64) { counts[tag] += more })
	}
	t.mu.Unlock()
	var events []PointEvent
	for tag, n := range counts {
		if n > 0 {
			events = append(events, PointEvent{Second: second, Tag: t.config.Tags[tag], User: -1, Count: n})
		}
	}
	return events
}

// Rescore derives points and score from an event log again. With events that name no user all
// points are scored as one user's.
func Rescore(config Config, events []PointEvent) (points map[string]uint64, score int64) {
	if config.Score == nil {
		config.Score = sum
	}
	points = make(map[string]uint64, len(config.Tags))
	for _, tag := range config.Tags {
		points[tag] = 0
	}
	users := map[int][]uint64{}
	for _, e := range events {
		tag := slices.Index(config.Tags, e.Tag)
		if tag < 0 {
			continue
		}
		if users[e.User] == nil {
			users[e.User] = make([]uint64, len(config.Tags))
		}
		users[e.User][tag] += e.Count
		points[e.Tag] += e.Count
	}
	for _, counts := range users {
		score += config.Score(counts)
	}
	return points, score
}
