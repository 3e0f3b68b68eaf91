package nttscenario

import (
	"math/rand/v2"
	"sync"
	"time"
)

// slotBook is what is known of all timeslots: whose they are from the beginning,
// and which the load has taken. No two artists of the load ever want the same one, except to
// see what happens.
type slotBook struct {
	byVenue map[int64][]*slot // in the order of their ids

	mu sync.Mutex
}

// slot is a timeslot. The book's lock guards what changes.
type slot struct {
	*timeslot
	claimed bool   // by an artist of the load
	taking  change // by an event of the load
	edits   []change
}

func newSlotBook(t *truth) *slotBook {
	b := &slotBook{byVenue: map[int64][]*slot{}}
	for i := range t.slots {
		s := &t.slots[i]
		b.byVenue[s.venue] = append(b.byVenue[s.venue], &slot{timeslot: s})
	}
	return b
}

// free bounds whether a timeslot was free at some moment, or at all moments, of a span;
// the lock is held.
func (s *slot) free(at span) (sure, possible bool) {
	if s.event != 0 {
		return false, false
	}
	for _, c := range s.edits {
		// Keeping one's own timeslot may be giving it back and taking it again.
		if c.outcome == pending || c.outcome == happened && c.done.After(at.sent) {
			possible = possible || !c.sent.After(at.done)
		}
	}
	switch s.taking.outcome {
	case happened:
		return s.taking.sent.After(at.done), possible || s.taking.done.After(at.sent)
	case pending:
		return s.taking.sent.After(at.done), true
	default:
		return true, true
	}
}

// examine holds a list of a venue's free timeslots against the book. It returns what is
// wrong with it, empty if nothing is.
func (b *slotBook) examine(venue int64, from, to time.Time, at span, shown []timeslotData) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	there := map[int64]*timeslotData{}
	for i := range shown {
		if there[shown[i].ID] != nil {
			return "timeslot " + number(shown[i].ID) + " is there twice"
		}
		there[shown[i].ID] = &shown[i]
	}
	for _, s := range b.byVenue[venue] {
		got := there[s.id]
		delete(there, s.id)
		inside := !s.start.Before(from) && !s.start.After(to)
		sure, possible := s.free(at)
		switch {
		case got == nil && inside && sure:
			return "timeslot " + number(s.id) + ", which is free, is missing"
		case got == nil:
		case !inside:
			return "timeslot " + number(s.id) + " begins before or after what was asked for"
		case !possible:
			return "timeslot " + number(s.id) + " belongs to an event"
		case !got.StartAt.Equal(s.start) || !got.EndAt.Equal(s.end):
			return "timeslot " + number(s.id) + " has another time"
		}
	}
	for id := range there {
		return "timeslot " + number(id) + " is not one of the venue's"
	}
	return ""
}

// claim gives one of the shown timeslots to a caller who means to take it, nil if there is
// none that nobody else has.
func (b *slotBook) claim(dice *rand.Rand, venue int64, shown []timeslotData) *slot {
	b.mu.Lock()
	defer b.mu.Unlock()
	there := map[int64]bool{}
	for i := range shown {
		there[shown[i].ID] = true
	}
	return b.choose(dice, venue, func(s *slot) bool { return there[s.id] })
}

// claimAny is claim without having looked: of timeslots from some time on.
func (b *slotBook) claimAny(dice *rand.Rand, venue int64, from time.Time) *slot {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.choose(dice, venue, func(s *slot) bool { return s.start.After(from) })
}

// choose claims one of the timeslots that nobody has; the lock is held.
func (b *slotBook) choose(dice *rand.Rand, venue int64, suits func(s *slot) bool) *slot {
	var free []*slot
	for _, s := range b.byVenue[venue] {
		if s.event == 0 && !s.claimed && suits(s) {
			free = append(free, s)
		}
	}
	if len(free) == 0 {
		return nil
	}
	s := free[dice.IntN(len(free))]
	s.claimed = true
	return s
}

// take announces that an event with the timeslot is about to be made.
func (b *slotBook) take(s *slot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	s.taking = change{outcome: pending, span: span{sent: time.Now()}}
}

// taken notes what has become of that.
func (b *slotBook) taken(s *slot, became outcome) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if s.taking.outcome != pending || became == pending {
		return
	}
	s.taking.outcome, s.taking.done = became, time.Now()
	s.claimed = became == happened
}

// edit announces that the event of the timeslot is about to be changed; what it returns notes
// what has become of that.
func (b *slotBook) edit(s *slot) (settled func(became outcome)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := len(s.edits)
	s.edits = append(s.edits, change{outcome: pending, span: span{sent: time.Now()}})
	return func(became outcome) {
		b.mu.Lock()
		defer b.mu.Unlock()
		s.edits[i].outcome, s.edits[i].done = became, time.Now()
	}
}
