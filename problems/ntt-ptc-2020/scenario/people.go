package nttscenario

import (
	"sync"
	"time"

	"hotseat/bench"
)

// roster hands out the accounts of one role. Who has one is the only one to be
// logged in with it, and it rests between two logins: those of one second have the same
// token (§5), so that the one's logout would be the other's.
type roster struct {
	mu   sync.Mutex
	free []*account
}

// account is one that may be used.
type account struct {
	person
	rested time.Time // from when on it may log in
}

// rest is how long it is from a login's end to the account's next login: the
// clock's second must have changed in between.
const rest = 1500 * time.Millisecond

func newRoster(t *truth, names []string) *roster {
	byName := make(map[string]person, len(t.users))
	for _, p := range t.users {
		byName[p.name] = p
	}
	c := new(roster)
	for _, name := range names {
		c.free = append(c.free, &account{person: byName[name]})
	}
	return c
}

// take waits for an account. It returns nil if the user is cut or the load ends before
// there is one.
func (c *roster) take(u *bench.User) *account {
	for !u.Cut() && !u.Run.LoadEnded() {
		if a := c.try(u); a != nil {
			return a
		}
		u.Think(50*time.Millisecond, 100*time.Millisecond)
	}
	return nil
}

// try returns an account, nil if all rest.
func (c *roster) try(u *bench.User) *account {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := time.Now()
	for range 4 {
		if len(c.free) == 0 {
			return nil
		}
		i := u.Rand.IntN(len(c.free))
		if a := c.free[i]; now.After(a.rested) {
			c.free[i] = c.free[len(c.free)-1]
			c.free = c.free[:len(c.free)-1]
			return a
		}
	}
	return nil
}

// bring gives an account back.
func (c *roster) bring(a *account) {
	if a == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	a.rested = time.Now().Add(rest)
	c.free = append(c.free, a)
}
