// Package tally counts what a load run does: points, requests, latencies and
// failures, from thousands of virtual users at once, without losing or doubling
// any of them.
//
// It knows nothing of HTTP, scenarios or scores in money: it counts, and the
// benchmark decides what the counts are worth.
//
// # Contract
//
//   - Every virtual user gets its own [User] from [Tally.User]. Its methods are safe for
//     concurrent use (a user may fetch four images at once); they take no lock and do
//     not allocate once an endpoint is known.
//   - A point is counted at most once, by the call that made it, and that call says
//     whether it counted. It counts when its moment lies before the deadline and the
//     tally was not closed yet. These two are the only reasons to refuse one.
//   - [Tally.Close] is one moment for each counter: every call that returned true is in
//     the final result and none that returned false is.
//   - What [Tally.Drain] returned over a whole run adds up to the final result exactly,
//     so that the score can be derived again from the event log alone.
//   - [Tally.Totals] is cheap enough for once a second; [Tally.Endpoints] merges histograms
//     and is meant for the end of a phase.
//
// All moments are durations since the start of the run on the monotonic clock.
package tally

import (
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Config says what a run counts.
type Config struct {
	// Tags are the kinds of points, in the order in which results list them.
	Tags []string
	// Codes are the failure codes known in advance; others are added as they occur.
	Codes []string
	// Shards is the number of request counters that users are spread over; zero means
	// four for each processor Go may use.
	Shards int
	// PerUser makes Drain report points user by user, for problems whose score depends
	// on who earned a point (ISUCON4's qualifier rounds up per worker).
	PerUser bool
	// Score is what one user's points are worth, given the counts in the order of Tags. It is
	// called for each user on its own and the results are added, so that rounding per user
	// is the problem's to choose. Nil means that every point is worth one.
	Score func(counts []uint64) int64
}

// A Tally is the counters of one run. Make one with New.
type Tally struct {
	config Config
	shards []*shard

	// The deadline shares no cache line with anything that is written during the run.
	_        [128]byte
	deadline atomic.Int64
	_        [120]byte

	mu        sync.Mutex
	closed    bool
	nextUser  int
	users     []*User
	retired   []uint64 // points of released users, by tag
	undrained []PointEvent
	score     int64 // of released users
	endpoints endpointTable
	codes     codeTable
}

// New returns an empty tally without a deadline.
func New(config Config) *Tally {
	if config.Shards <= 0 {
		config.Shards = 4 * runtime.GOMAXPROCS(0)
	}
	if config.Score == nil {
		config.Score = sum
	}
	config.Tags = slices.Clone(config.Tags)
	t := &Tally{config: config, retired: make([]uint64, len(config.Tags))}
	t.deadline.Store(math.MaxInt64)
	for range config.Shards {
		t.shards = append(t.shards, new(shard))
	}
	t.endpoints.init()
	for _, code := range config.Codes {
		t.Code(code)
	}
	return t
}

func sum(counts []uint64) int64 {
	var n int64
	for _, c := range counts {
		n += int64(c)
	}
	return n
}

// A Tag stands for one of Config.Tags.
type Tag int

// Tag returns the tag of that name. It panics on a name that Config.Tags lacks: points nobody
// declared would be lost from the score without a word.
func (t *Tally) Tag(name string) Tag {
	i := slices.Index(t.config.Tags, name)
	if i < 0 {
		panic(fmt.Sprintf("tally: no point is called %q", name))
	}
	return Tag(i)
}

// SetDeadline sets the cut-off: points at or after it are refused. It may be called during the run,
// with a moment that has not come yet; to stop at once use Close, because a point that has
// counted is never taken back.
func (t *Tally) SetDeadline(at time.Duration) { t.deadline.Store(int64(at)) }

// Close ends the counting of points now. Requests and failures may still be recorded, so that
// work cut off at the end is seen. Closing again does nothing.
func (t *Tally) Close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	for _, u := range t.users {
		u.account.seal()
	}
}

// User returns the counters of a new virtual user. Users share shards in turn, so that memory
// grows with processors and endpoints and not with users. After Close it refuses every point.
func (t *Tally) User() *User {
	t.mu.Lock()
	defer t.mu.Unlock()
	u := &User{
		tally:   t,
		shard:   t.shards[t.nextUser%len(t.shards)],
		account: newAccount(len(t.config.Tags)),
		number:  t.nextUser,
		slot:    len(t.users),
	}
	if t.closed {
		u.account.seal()
	}
	t.nextUser++
	t.users = append(t.users, u)
	return u
}

// Totals is what a run has counted so far.
type Totals struct {
	Points   map[string]uint64 // by tag; every declared tag is present
	Score    int64             // Config.Score of each user, added up
	Requests uint64
	Errors   uint64            // requests whose Sample was marked Failed
	Bytes    uint64            // of response bodies, as given in samples
	Failures map[string]uint64 // by code; only codes that occurred
	Users    int               // users not released
}

// Totals adds all counters up. While users are busy it is a moment's blur, off by what was under way;
// after Close and the end of all users it is exact.
func (t *Tally) Totals() Totals {
	out := Totals{Points: make(map[string]uint64, len(t.config.Tags)), Failures: map[string]uint64{}}
	t.mu.Lock()
	counts := slices.Clone(t.retired)
	out.Score, out.Users = t.score, len(t.users)
	own := make([]uint64, len(counts))
	for _, u := range t.users {
		u.account.read(own)
		for i, n := range own {
			counts[i] += n
		}
		out.Score += t.config.Score(own)
	}
	t.mu.Unlock()
	for i, tag := range t.config.Tags {
		out.Points[tag] = counts[i]
	}
	codes := t.codes.list()
	for _, s := range t.shards {
		s.addTotals(&out, codes)
	}
	return out
}
