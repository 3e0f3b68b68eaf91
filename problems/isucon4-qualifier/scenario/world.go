package scenario

import (
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"hotseat/bench"
)

// world is everything the benchmark believes about the bank during one run.
type world struct {
	strict  bool
	window  int // accounts that a worker logs in with at a time
	recheck int // attempts after which a worker looks at its list and window

	accounts []*account // in the order of users.tsv
	lists    lists
	assets   *assets
	reader   *reader
	clock    clock

	rehearsed []*address // the rehearsal's own
	// The customer of the rehearsal who comes back after the load.
	returning *account
	// Whether my page names the customer, which is not promised; see namesCustomer.
	named atomic.Bool

	mu sync.Mutex // guards account.held
}

// account is a customer as the benchmark sees them.
type account struct {
	customer
	wrongPassword string
	failures
	initial bool // locked from the start

	last *login // the last login in this run; nil before the first
	held bool   // somebody is logging in with it, so that nobody else may
}

// login is a successful login.
type login struct {
	ip         string
	sent, done time.Time // the bank wrote it down between these
}

func newWorld(r *bench.Run, t *truth) *world {
	w := &world{
		strict:  r.Strict(),
		window:  min(r.Int(paramUsers), len(t.customers)),
		recheck: r.Int(paramRecheck),
		lists:   lists{size: r.Int(paramAddresses), repeats: !r.Strict()},
		assets:  newAssets(r.Target(), t.assets),
		reader:  newReader(),
		clock:   clock{local: onThisMachine(r.Target())},
	}
	dice := r.Rand("wrong passwords")
	w.accounts = make([]*account, len(t.customers))
	for i, c := range t.customers {
		a := &account{customer: c, wrongPassword: alphanumeric(dice, len(c.password)+1)}
		a.failures = failures{threshold: lockThreshold}
		if n, used := t.used[c.id]; used {
			a.low, a.high, a.byPassword = n, n, n
			a.initial = a.reached()
			// A history of successes and failures that nobody has told us.
			a.ever, a.succeeded = max(n, lockThreshold), true
		}
		w.accounts[i] = a
	}
	return w
}

func alphanumeric(dice *rand.Rand, length int) string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := make([]byte, length)
	for i := range b {
		b[i] = letters[dice.IntN(len(letters))]
	}
	return string(b)
}

// hold takes an account for one attempt, so that no two attempts on one
// account overlap. It returns false if somebody else has it.
func (w *world) hold(a *account) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a.held {
		return false
	}
	a.held = true
	return true
}

func (w *world) release(a *account) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.held = false
}

// customers is a worker's window: consecutive rows of users.tsv, going on at
// the beginning after the end.
type customers struct {
	world *world
	first int
	dice  *rand.Rand
}

func (c *customers) move() { c.first = c.dice.IntN(len(c.world.accounts)) }

func (c *customers) at(i int) *account {
	return c.world.accounts[(c.first+i)%len(c.world.accounts)]
}

// worn reports whether more than a fifth of the window is locked, or in an
// unknown state. Looking at an account needs it to be held, or the count to be
// one that only grows: another worker may be at work on it.
func (c *customers) worn() bool {
	n := 0
	for i := range c.world.window {
		a := c.at(i)
		if !c.world.hold(a) {
			continue // in use, so neither
		}
		if a.reached() || a.unsure() {
			n++
		}
		c.world.release(a)
	}
	return 5*n > c.world.window
}

// pick holds an account of the window, drawn at random among those that nobody
// else holds and whose state is known. Where the window has none, a new one is
// tried; nil means that there is probably none left at all.
func (c *customers) pick() *account {
	for range 10 {
		for range 4 * c.world.window {
			a := c.at(c.dice.IntN(c.world.window))
			if !c.world.hold(a) {
				continue
			}
			if !a.unsure() {
				return a
			}
			c.world.release(a)
		}
		c.move()
	}
	return nil
}
