package data

import (
	"bufio"
	"context"
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

type venue struct {
	name     string
	capacity int
}

// timeslot is half a day at a venue; its number in world.slots is its id less 1.
type timeslot struct {
	venue int // ids, and 0 for an event if the timeslot is free
	event int
	start time.Time
}

const halfDay = 12 * time.Hour

type event struct {
	user, venue, genre int // ids
	name               string
	start, end         time.Time
	price              int
	pictureBytes       int // 0: the default picture

	reserved   int    // tickets
	pictureMD5 string // hexadecimal
}

// world is everything but people, in the order of ids.
type world struct {
	opts         Options
	people       *people
	venues       []venue
	slots        []timeslot
	events       []event
	reservations []reservation // when they have been written
}

// gaps are the days from one day that a venue offers to the next.
var gaps = []int{1, 1, 1, 1, 1, 3, 3, 5, 7, 14, 14}

// Timeslots 1 to 6 and events 1 to 4 are of the first test artist at venue 1, far
// in the future: every other of the timeslots stays free.
const (
	specialDays   = 3
	specialEvents = 4
	specialAhead  = 400 // days
)

func drawWorld(opts Options, people *people) (*world, error) {
	w := &world{opts: opts, people: people}
	c := newChance(opts.Seed, worldStream)
	w.drawVenues(c)
	w.drawSlots(c)
	return w, w.drawEvents(c)
}

func (w *world) drawVenues(c chance) {
	w.venues = append(w.venues, firstVenues[:min(len(firstVenues), w.opts.Venues)]...)
	for i := len(w.venues); i < w.opts.Venues; i++ {
		name := places[i%len(places)] + halls[i/len(places)%len(halls)]
		if round := i / (len(places) * len(halls)); round > 0 {
			name = fmt.Sprintf("%s%d", name, round+1)
		}
		w.venues = append(w.venues, venue{name, pick(c, capacities)})
	}
}

// drawSlots gives each venue as many days before the world's as after it.
func (w *world) drawSlots(c chance) {
	today := w.opts.midnight()
	offer := func(venue int, day time.Time) {
		w.slots = append(w.slots, timeslot{venue: venue, start: day}, timeslot{venue: venue, start: day.Add(halfDay)})
	}
	for i := range specialDays {
		offer(1, today.AddDate(0, 0, specialAhead+i))
	}
	sum := 0
	for _, gap := range gaps {
		sum += gap
	}
	first := -w.opts.Days * sum / len(gaps) / 2
	for v := range w.opts.Venues {
		day := first
		for range w.opts.Days {
			offer(v+1, today.AddDate(0, 0, day))
			day += pick(c, gaps)
		}
	}
}

// drawEvents gives events to days of venues: the morning, the evening or both.
func (w *world) drawEvents(c chance) error {
	for i := range specialEvents {
		slot := []int{0, 1, 3, 5}[i]
		e := w.newEvent(c, []int{slot}, 3)
		e.name, e.price = fmt.Sprintf("future event %d", i+1), 5000
		w.add(e, slot)
	}
	tomorrow := w.opts.midnight().AddDate(0, 0, 1)
	later := tomorrow.AddDate(0, 0, shelfDays)
	var past, soon, future []int // numbers of the mornings' timeslots
	for slot := 2 * specialDays; slot < len(w.slots); slot += 2 {
		switch start := w.slots[slot].start; {
		case start.Before(tomorrow):
			past = append(past, slot)
		case start.Before(later):
			soon = append(soon, slot)
		default:
			future = append(future, slot)
		}
	}
	upcoming := w.opts.Upcoming - specialEvents
	gone := w.opts.Events - w.opts.Upcoming - w.opts.Soon
	if len(past) < gone || len(soon) < w.opts.Soon || len(future) < upcoming {
		return fmt.Errorf("venues have %d days for %d past events, %d for %d soon and %d for %d later", len(past), gone, len(soon), w.opts.Soon, len(future), upcoming)
	}
	shuffle(c, past, gone)
	shuffle(c, soon, w.opts.Soon)
	shuffle(c, future, upcoming)
	mornings := slices.Concat(past[:gone], soon[:w.opts.Soon], future[:upcoming])
	shuffle(c, mornings, len(mornings))
	for i, morning := range mornings {
		slots := [][]int{{morning}, {morning + 1}, {morning, morning + 1}}[c.below(3)]
		artist := w.people.firstArtist + c.below(w.opts.Artists)
		if i == 0 {
			artist = 5 // the other test artist
		}
		e := w.newEvent(c, slots, artist)
		if i < w.opts.Pictures {
			e.pictureBytes = c.in(w.opts.PictureBytes)
		}
		w.add(e, slots...)
	}
	return nil
}

// newEvent draws an event inside these timeslots, which follow one another.
func (w *world) newEvent(c chance, slots []int, artist int) event {
	first := w.slots[slots[0]]
	start := first.start.Add(time.Duration(c.in(Range{0, 8})) * time.Hour)
	end := start.Add(time.Duration(c.in(Range{1, 3})) * time.Hour)
	if len(slots) == 2 {
		end = first.start.Add(halfDay + time.Duration(c.in(Range{1, 11}))*time.Hour)
	}
	return event{
		user: artist, venue: first.venue, genre: 1 + c.below(len(genres)),
		name: pick(c, eventMoods) + pick(c, eventKinds), start: start, end: end,
		price: 1000 * c.in(Range{1, 15}),
	}
}

func (w *world) add(e event, slots ...int) {
	w.events = append(w.events, e)
	for _, slot := range slots {
		w.slots[slot].event = len(w.events)
	}
}

func (w *world) write(ctx context.Context, dir string) error {
	old := stamp(w.opts.longAgo())
	err := writeFile(filepath.Join(dir, "rows", "venues.sql"), func(out *bufio.Writer) error {
		rows := inserts{out: out, into: "venues (id, name, capacity, created_at, updated_at)", each: rowsEach}
		for i, v := range w.venues {
			rows.row("(%d,'%s',%d,'%s','%s')", i+1, v.name, v.capacity, old, old)
		}
		rows.end()
		return nil
	})
	if err != nil {
		return err
	}
	err = writeFile(filepath.Join(dir, "rows", "genres.sql"), func(out *bufio.Writer) error {
		rows := inserts{out: out, into: "eventgenres (id, name, created_at, updated_at)", each: rowsEach}
		for i, name := range genres {
			rows.row("(%d,'%s','%s','%s')", i+1, name, old, old)
		}
		rows.end()
		return nil
	})
	if err != nil {
		return err
	}
	err = writeFile(filepath.Join(dir, "sql", "timeslots.sql"), func(out *bufio.Writer) error {
		rows := inserts{out: out, into: "timeslots (id, venue_id, event_id, start_at, end_at, created_at, updated_at)", each: rowsEach}
		for i, s := range w.slots {
			event := "NULL"
			if s.event != 0 {
				event = fmt.Sprint(s.event)
			}
			rows.row("(%d,%d,%s,'%s','%s','%s','%s')", i+1, s.venue, event, stamp(s.start), stamp(s.start.Add(halfDay-time.Second)), old, old)
		}
		rows.end()
		return nil
	})
	if err != nil {
		return err
	}
	return w.writeEvents(ctx, dir)
}

func (w *world) writeEvents(ctx context.Context, dir string) error {
	created := stamp(w.opts.announced())
	return writeFile(filepath.Join(dir, "rows", "events.sql"), func(out *bufio.Writer) error {
		rows := inserts{
			out: out, each: 1, // a picture is enough for one statement
			into: "events (id, user_id, venue_id, eventgenre_id, name, start_at, end_at, price, image, created_at, updated_at)",
		}
		for i, e := range w.events {
			if err := ctx.Err(); err != nil {
				return err
			}
			picture := "NULL"
			if e.pictureBytes > 0 {
				png := poster(newChance(w.opts.Seed, pictureStream+uint64(i)), e.pictureBytes)
				picture = "'" + base64.StdEncoding.EncodeToString(png) + "'"
				sum := md5.Sum(png)
				w.events[i].pictureMD5 = hex.EncodeToString(sum[:])
			}
			rows.row("(%d,%d,%d,%d,'%s','%s','%s',%d,%s,'%s','%s')", i+1, e.user, e.venue, e.genre, e.name,
				stamp(e.start), stamp(e.end), e.price, picture, created, created)
		}
		rows.end()
		return nil
	})
}

// seats is how many tickets one booking takes.
var seats = Range{1, 5}

// hugeSeats is the same at venue 3, which few bookings of the others' kind would fill.
var hugeSeats = Range{1, 30}

const hugeVenue = 3

// writeReservations lets random audiences book at each event until it is full.
func (w *world) writeReservations(ctx context.Context, dir string) error {
	c := newChance(w.opts.Seed, reservationStream)
	audiences := make([]int, w.opts.Audiences)
	for i := range audiences {
		audiences[i] = w.people.firstAudience + i
	}
	audiences = append(audiences, 1) // and the first test user
	return writeFile(filepath.Join(dir, "sql", "reservations.sql"), func(out *bufio.Writer) error {
		rows := inserts{out: out, into: "reservations (id, user_id, event_id, num_of_resv, created_at, updated_at)", each: 4 * rowsEach}
		for i, e := range w.events {
			if err := ctx.Err(); err != nil {
				return err
			}
			tickets := seats
			if e.venue == hugeVenue {
				tickets = hugeSeats
			}
			n := c.in(w.opts.Bookings)
			shuffle(c, audiences, n)
			left := w.venues[e.venue-1].capacity
			for _, user := range audiences[:n] {
				want := c.in(tickets)
				if want > left {
					break
				}
				left -= want
				w.events[i].reserved += want
				at := w.opts.midnight().Add(-time.Duration(1+c.below(60*24*3600)) * time.Second)
				w.reservations = append(w.reservations, reservation{user, i + 1, want, at})
				rows.row("(%d,%d,%d,%d,'%s','%s')", rows.n+1, user, i+1, want, stamp(at), stamp(at))
			}
		}
		rows.end()
		return nil
	})
}
