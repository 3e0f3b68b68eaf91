package nttscenario

import (
	"fmt"
	"time"

	"hotseat/bench"
)

// The populations. Their names are in the results.
const (
	audiences = "audiences"
	artists   = "artists"
	owners    = "owners"
	oldUsers  = "old users" // whose token was revoked
)

// crowd is how many of one kind come.
type crowd struct {
	name    string
	visit   func(u *bench.User, w *world) bench.Iteration
	perTime float64 // so many
	time    time.Duration
	users   int // so many at most at once
}

// level is how much a campaign brings (§10.2).
type level struct {
	ceiling string // what the visits are worth if all are finished (§10.2)
	crowds  []crowd
}

// levels are the campaigns, from 1. The fourth is ours: five times the third, the files
// and pictures of which alone are more than a machine sends through its loopback while it does
// anything else.
var levels = []level{
	{"about 3,600", mix(crowd{perTime: 1, time: 2 * time.Second, users: 12}, crowd{perTime: 1, time: 6 * time.Second, users: 4},
		crowd{perTime: 1, time: 12 * time.Second, users: 1}, crowd{perTime: 1, time: 6 * time.Second, users: 4})},
	{"about 23,000", mix(crowd{perTime: 3, time: time.Second, users: 24}, crowd{perTime: 2, time: time.Second, users: 8},
		crowd{perTime: 1, time: 4 * time.Second, users: 2}, crowd{perTime: 1, time: 2 * time.Second, users: 8})},
	{"about 140,000", mix(crowd{perTime: 18, time: time.Second, users: 72}, crowd{perTime: 12, time: time.Second, users: 24},
		crowd{perTime: 2, time: time.Second, users: 6}, crowd{perTime: 6, time: time.Second, users: 24})},
	// Owners are ten people, however many want them.
	{"beyond this machine", mix(crowd{perTime: 90, time: time.Second, users: 360}, crowd{perTime: 60, time: time.Second, users: 120},
		crowd{perTime: 6, time: time.Second, users: 10}, crowd{perTime: 30, time: time.Second, users: 120})},
}

func mix(a, b, c, d crowd) []crowd {
	a.name, a.visit = audiences, newAudience
	b.name, b.visit = artists, newArtist
	c.name, c.visit = owners, newOwner
	d.name, d.visit = oldUsers, newOldUser
	return []crowd{a, b, c, d}
}

func (w *world) level() level { return levels[w.campaign-1] }

// raceEvery is the time between two tests of concurrency during the load. They are worth
// nothing and are no part of the contest's load, so there are few.
const raceEvery = 30 * time.Second

func (w *world) populations() []bench.Population {
	var list []bench.Population
	for _, c := range w.level().crowds {
		list = append(list, bench.Open(c.name, func(u *bench.User) bench.Iteration { return w.watched(u, c.visit(u, w)) }).
			PerSecond(c.perTime/c.time.Seconds()).Users(c.users))
	}
	if w.strict {
		list = append(list, bench.Closed("races", func(u *bench.User) bench.Iteration {
			return func() error {
				u.Think(raceEvery/2, raceEvery)
				if u.Run.LoadEnded() {
					return nil
				}
				return w.race(u, rivalsInLoad)
			}
		}))
	}
	return list
}

// tail is how long before the load's end a visit may begin that is cut by it, although
// the service is as quick as it need be.
const tail = 4 * time.Second

// watched counts visits: those that were served, and those that came to no end although
// they had begun in time.
func (w *world) watched(u *bench.User, visit bench.Iteration) bench.Iteration {
	return func() error {
		began := time.Now()
		err := visit()
		switch {
		case err == nil:
			w.served.Add(1)
		case u.Cut() && time.Since(began) > tail:
			w.cut.Add(1)
		}
		return err
	}
}

// sumUp says when the score is at its limit and not the service.
func (w *world) sumUp(u *bench.User) error {
	for _, a := range u.Run.Arrivals() {
		if a.Missed > 0 || a.Due == 0 {
			return nil
		}
	}
	failed := int64(0)
	for i := range w.failed {
		failed += w.failed[i].Load()
	}
	const few = 100 // visits to one failed request
	if w.cut.Load() > 0 || w.served.Load() == 0 || failed*few > w.served.Load() {
		return nil
	}
	next := fmt.Sprintf("%d brings more", w.campaign+1)
	if w.campaign == len(levels) {
		next = "there is none above it"
	}
	u.Run.Remark("the ceiling of campaign %d (%s) is reached: %s", w.campaign, w.level().ceiling, next)
	return nil
}
