package nttscenario

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"hotseat/bench"
)

// requestTimeout is k6's, which the contest's benchmark left alone (§10.2).
const requestTimeout = 60 * time.Second

// world is everything the benchmark believes about the service during one run.
type world struct {
	run      *bench.Run
	strict   bool
	truth    *truth
	now      func() time.Time
	campaign int // known after the initialization

	ground *ground // of the checks before the load
	cast   cast    // since the first of these

	rosters  map[string]*roster // of accounts, by role
	ledger   *ledger
	slots    *slotBook
	newNames sync.Map // names of users of this run, by id
	files    map[string][]bench.Check

	failed failedChecks
	served atomic.Int64 // visits of the load
	cut    atomic.Int64 // visits that never ended, although they had begun in time

	mu           sync.Mutex
	upcomingFrom map[time.Time][]int64
	images       map[string][]bench.Check // by rule and MD5

	// What a restart must not lose.
	revoked keepsakes[string] // tokens
	shows   keepsakes[show]   // events with an uploaded picture
}

func newWorld(r *bench.Run, t *truth, now func() time.Time) *world {
	w := &world{
		run: r, strict: r.Strict(), truth: t, now: now, ledger: newLedger(t), slots: newSlotBook(t), files: fileChecks(t),
		failed: make(failedChecks, len(groups)), upcomingFrom: map[time.Time][]int64{}, images: map[string][]bench.Check{},
		rosters: map[string]*roster{},
	}
	for role, names := range map[string][]string{roleAudience: t.audiences, roleArtist: t.artists, roleOwner: t.owners} {
		w.rosters[role] = newRoster(t, names)
	}
	return w
}

// keepShow remembers an event whose picture was uploaded.
func (w *world) keepShow(u *bench.User, e *show) { w.shows.keep(u.Rand, *e) }

// keepsakes are some of many things: the first, and some of the later ones.
type keepsakes[T any] struct {
	mu   sync.Mutex
	list []T
}

// maxKeepsakes is enough to see whether a restart loses them.
const maxKeepsakes = 12

// keep remembers a thing, perhaps in place of another one.
func (k *keepsakes[T]) keep(dice *rand.Rand, thing T) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.list) < maxKeepsakes {
		k.list = append(k.list, thing)
		return
	}
	k.list[maxKeepsakes/2+dice.IntN(maxKeepsakes/2)] = thing
}

func (k *keepsakes[T]) all() []T {
	k.mu.Lock()
	defer k.mu.Unlock()
	return append([]T(nil), k.list...)
}
