package scenario

import (
	"time"

	"hotseat/bench"
)

// population is the name of the workers of the load.
const population = "worker"

// worker logs in again and again, one attempt after the other (§15.3): with
// its own connections, its own list of addresses and its own window of accounts.
type worker struct {
	*visitor
	customers customers
	addresses rotation
	attempts  int
}

func newWorker(u *bench.User, w *world) bench.Iteration {
	v := newVisitor(u, w)
	v.scored = true
	k := &worker{visitor: v, customers: customers{world: w, dice: u.Rand}}
	k.customers.move()
	k.addresses.list = w.lists.next()
	return k.work
}

// work is one attempt with an address and an account of the worker's choice.
func (k *worker) work() error {
	if k.attempts%k.world.recheck == 0 {
		k.renew()
	}
	k.attempts++
	from := k.addresses.next(k.user.Rand)
	if from == nil {
		k.renew()
		from = k.addresses.next(k.user.Rand)
	}
	who := k.customers.pick()
	if from == nil || who == nil {
		// So many answers were lost that nothing is left to log in with.
		k.user.Think(50*time.Millisecond, 100*time.Millisecond)
		return nil
	}
	defer k.world.release(who)

	// 6 of 10 logins from every third address are meant to succeed (§15.4).
	// Where one is bound to be refused the password is right.
	succeed := k.user.Rand.IntN(10) < 6 && from.octet%3 == 0
	right := succeed || from.reached() || who.reached()
	return k.attempt(ask(from, who, right))
}

// renew takes a new list or window in place of one that is worn out. A list
// stays as it is when there is no other left.
func (k *worker) renew() {
	if k.addresses.worn() {
		if list := k.world.lists.next(); list != nil {
			k.addresses.list = list
		}
	}
	if k.customers.worn() {
		k.customers.move()
	}
}
