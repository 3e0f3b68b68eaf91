package scenario

import (
	"fmt"
	"math/rand/v2"
	"sync"
)

// Client addresses exist only as values of X-Forwarded-For. They are handed
// out in numbered lists, each to one worker (specification §15.3).
const (
	listSize      = 127 // addresses of a list, unless the parameter says fewer
	originalLists = 256 // the original's list numbers are one byte

	// List numbers go on at 127.2.0.1 where the original begins again, and
	// end before 127.100: what follows belongs to the rehearsal, to the
	// initial log (127.200 and 127.250) and to nobody.
	lastList = 99*originalLists - 1
)

// address is a client as the bank sees it.
type address struct {
	ip    string
	octet int // the last one: only addresses where 3 divides it ever succeed
	failures
}

func newAddress(ip string, octet int) *address {
	return &address{ip: ip, octet: octet, failures: failures{threshold: banThreshold}}
}

// lists hands out the address lists of a run.
type lists struct {
	size    int  // addresses in a list
	repeats bool // as the original: list 256 is list 0 again, with new counters

	mu    sync.Mutex
	given [][]*address
}

// next returns the next list, nil when there is none left.
func (l *lists) next() []*address {
	l.mu.Lock()
	defer l.mu.Unlock()
	number := len(l.given)
	if l.repeats {
		number %= originalLists
	} else if number > lastList {
		return nil
	}
	list := make([]*address, l.size)
	for i := range list {
		ip, octet := listAddress(number, i)
		list[i] = newAddress(ip, octet)
	}
	l.given = append(l.given, list)
	return list
}

// listAddress returns address i of a list: list c is 127.1.⌊c/2⌋.1–127 if c is
// even and 127.1.⌊c/2⌋.128–254 if it is odd; list 256 is 127.2.0.1–127.
func listAddress(number, i int) (ip string, octet int) {
	block, c := number/originalLists, number%originalLists
	octet = 1 + i + c%2*listSize
	return fmt.Sprintf("127.%d.%d.%d", 1+block, c/2, octet), octet
}

// each calls f for every address that was handed out. Nobody may be using them.
func (l *lists) each(f func(*address)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, list := range l.given {
		for _, a := range list {
			f(a)
		}
	}
}

// rotation walks one list the way a worker of the original does.
type rotation struct {
	list []*address
	at   int
}

// next steps on by 1 to 254 places. It returns nil if no address of the list
// is usable any more.
func (r *rotation) next(dice *rand.Rand) *address {
	r.at = (r.at + 1 + dice.IntN(254)) % len(r.list)
	for range r.list {
		if a := r.list[r.at]; !a.unsure() {
			return a
		}
		r.at = (r.at + 1) % len(r.list)
	}
	return nil
}

// worn reports whether at least half of the list is of no more use for
// ordinary logins: banned, or in an unknown state.
func (r *rotation) worn() bool {
	n := 0
	for _, a := range r.list {
		if a.reached() || a.unsure() {
			n++
		}
	}
	return 2*n >= len(r.list)
}
