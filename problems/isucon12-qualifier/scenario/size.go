package isucon12qscenario

import (
	"time"

	"hotseat/bench"
)

// size is how big everything is: the contest's numbers (§16.5), or small ones
// for runs of a few seconds that are about right and wrong.
type size struct {
	namedMin, namedMax int // players with a name that a new tenant gets, and as many without

	rowsFirst, rowsStep, rowsMax int           // scored players of an organizer's first job, more with each further one, at most
	repeats                      int           // rows of players who are in the sheet already
	rest                         time.Duration // after an upload
	watchers                     int
	joining                      int // players who begin to play with each job

	billed        int // players that the check of the billing takes scores and visits from
	checkWatchers int // of the check of the billing of all tenants
	checkRows     int // of the check of players

	wait    pause // between two looks at a ranking
	empty   pause // before looking again when there is nothing
	glance  pause // before turning a page
	restart time.Duration

	grace time.Duration // until finishes and disqualifications show (§7)
}

// pause is a time between two.
type pause struct{ least, most time.Duration }

func (p pause) take(u *bench.User) { u.Think(p.least, p.most) }

const (
	full  = "full"
	small = "small"
)

func sizeOf(r *bench.Run) size {
	const ms = time.Millisecond
	grace := time.Duration(r.Int(paramGrace)) * ms
	if r.Param(paramSize) == small {
		return size{
			namedMin: 12, namedMax: 16,
			rowsFirst: 16, rowsStep: 8, rowsMax: 32, repeats: 8, rest: 50 * ms, watchers: 3, joining: 3,
			billed: 12, checkWatchers: 3, checkRows: 20,
			wait: pause{50 * ms, 150 * ms}, empty: pause{50 * ms, 100 * ms}, glance: pause{0, 50 * ms}, restart: 300 * ms,
			grace: grace,
		}
	}
	return size{
		namedMin: 80, namedMax: 120,
		rowsFirst: 300, rowsStep: 200, rowsMax: 1000, repeats: 100, rest: 500 * ms, watchers: 5, joining: 6,
		billed: 100, checkWatchers: 10, checkRows: 100,
		wait: pause{time.Second, 2 * time.Second}, empty: pause{500 * ms, time.Second}, glance: pause{0, 500 * ms}, restart: time.Second,
		grace: grace,
	}
}
