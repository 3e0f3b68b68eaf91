package nttscenario

import (
	"math/rand/v2"
	"testing"
	"time"
)

// halfDays are free timeslots 1 and 2 of venue 1, and timeslot 3 there, which an event has.
func halfDays() (*truth, time.Time) {
	day := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	t := &truth{}
	for i := range int64(3) {
		start := day.Add(time.Duration(i) * 12 * time.Hour)
		t.slots = append(t.slots, timeslot{id: i + 1, venue: 1, event: i / 2, start: start, end: start.Add(12*time.Hour - time.Second)})
	}
	return t, day
}

func TestListsOfTimeslots(t *testing.T) {
	truth, day := halfDays()
	show := func(ids ...int) []timeslotData {
		var list []timeslotData
		for _, id := range ids {
			s := truth.slots[id-1]
			list = append(list, timeslotData{ID: s.id, StartAt: moment{s.start}, EndAt: moment{s.end}})
		}
		return list
	}
	for name, c := range map[string]struct {
		do    func(b *slotBook, first *slot)
		hours int // from the day's beginning, 0: 24
		list  []timeslotData
		wrong bool
	}{
		"all":               {list: show(1, 2)},
		"in any order":      {list: show(2, 1)},
		"both ends":         {list: show(1, 2), hours: 12},
		"after the end":     {list: show(1, 2), hours: 11, wrong: true},
		"missing":           {list: show(1), wrong: true},
		"null":              {wrong: true},
		"taken":             {list: show(1, 2, 3), wrong: true},
		"twice":             {list: show(1, 1, 2), wrong: true},
		"another's":         {list: append(show(1, 2), timeslotData{ID: 99}), wrong: true},
		"wrong time":        {list: append(show(1), timeslotData{ID: 2, StartAt: moment{day}, EndAt: moment{day}}), wrong: true},
		"being taken":       {list: show(1, 2), do: func(b *slotBook, s *slot) { b.take(s) }},
		"perhaps taken":     {list: show(2), do: func(b *slotBook, s *slot) { b.take(s); b.taken(s, pending) }},
		"taken by the load": {list: show(2), do: func(b *slotBook, s *slot) { b.take(s); b.taken(s, happened) }},
		"taken and shown":   {list: show(1, 2), do: func(b *slotBook, s *slot) { b.take(s); b.taken(s, happened) }, wrong: true},
		"refused":           {list: show(2), do: func(b *slotBook, s *slot) { b.take(s); b.taken(s, never) }, wrong: true},
		"being kept":        {list: show(1, 2), do: func(b *slotBook, s *slot) { b.take(s); b.taken(s, happened); b.edit(s) }},
		"kept":              {list: show(1, 2), do: func(b *slotBook, s *slot) { b.take(s); b.taken(s, happened); b.edit(s)(happened) }, wrong: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newSlotBook(truth)
			if c.do != nil {
				c.do(b, b.byVenue[1][0])
			}
			if c.hours == 0 {
				c.hours = 24
			}
			wrong := b.examine(1, day, day.Add(time.Duration(c.hours)*time.Hour), around(func() {}), c.list)
			if (wrong != "") != c.wrong {
				t.Errorf("%q", wrong)
			}
		})
	}
}

func TestATimeslotIsClaimedOnce(t *testing.T) {
	truth, day := halfDays()
	b, dice := newSlotBook(truth), rand.New(rand.NewPCG(1, 1))
	first, second := b.claimAny(dice, 1, day.Add(-time.Second)), b.claimAny(dice, 1, day.Add(-time.Second))
	if first == nil || second == nil || first.id == second.id {
		t.Fatalf("%v and %v", first, second)
	}
	if third := b.claimAny(dice, 1, day.Add(-time.Second)); third != nil {
		t.Errorf("claimed twice, or from an event: %v", third)
	}
	b.take(first)
	b.taken(first, never)
	if again := b.claimAny(dice, 1, day.Add(-time.Second)); again != first {
		t.Errorf("what was refused can be claimed again; got %v", again)
	}
}
