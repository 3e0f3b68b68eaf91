package nttscenario

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	nttptc2020 "hotseat/problems/ntt-ptc-2020"
	"hotseat/problems/ntt-ptc-2020/data"
)

// testData is generated data, as a contestant's workspace and a benchmark have it, and
// the same read in for services to begin with. It is not changed any more.
type testData struct {
	dir   string // truth/ in it is what a benchmark gets as --data
	files map[string][]byte

	users        []*fakeUser
	venues       []fakeVenue
	genres       []string
	slots        []fakeSlot // of id 1, 2, …
	slotsAt      map[int64][]int64
	events       []*fakeEvent
	reservations []fakeReservation
	revoked      []string
}

// truth is the folder of the truth files.
func (s *testData) truth() string { return filepath.Join(s.dir, "truth") }

type fakeUser struct {
	id                     int64
	name, role, hash, salt string
}

type fakeVenue struct {
	id, capacity int64
	name         string
	created      time.Time
}

type fakeSlot struct {
	id, venue, event int64 // event 0: free
	start, end       time.Time
	created, updated time.Time
}

type fakeEvent struct {
	id, user, venue, genre, price int64
	name                          string
	start, end                    time.Time
	image                         []byte // nil: the default image
	created, updated              time.Time

	slots        []int64 // in the order of their ids
	reservations []*fakeReservation
	before       map[string]any // as it was shown before the last change, for faults
	changed      time.Time
	uploaded     time.Time
	counted      time.Time // and sum was right then, for faults
	sum          int64
}

type fakeReservation struct {
	id, user, event, tickets int64
	created                  time.Time
}

// fakeState is what a service keeps.
type fakeState struct {
	users        map[int64]*fakeUser
	byName       map[string]*fakeUser
	events       []*fakeEvent // in the order of their ids
	byID         map[int64]*fakeEvent
	slots        []fakeSlot
	reservations map[int64]*fakeReservation
	ofUser       map[int64][]*fakeReservation
	revoked      map[string]time.Time

	lastUser, lastEvent, lastReservation int64
}

// What initialization tells new from old by.
const (
	seededUsers  = 10379
	seededEvents = 3696
)

// newSeed generates data for today into dir.
func newSeed(ctx context.Context, dir string) (*testData, error) {
	today := time.Now().UTC()
	if err := data.Generate(ctx, dir, nttptc2020.Files, data.Small(today)); err != nil {
		return nil, err
	}
	s := &testData{dir: dir, files: map[string][]byte{}, slotsAt: map[int64][]int64{}}
	for _, public := range []fs.FS{nttptc2020.Files, os.DirFS(dir)} {
		err := fs.WalkDir(public, "public", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			s.files[strings.TrimPrefix(name, "public")], err = fs.ReadFile(public, name)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	return s, s.readRows()
}

func (s *testData) readRows() error {
	r := &rowReader{dir: s.dir}
	r.each("rows/users.sql", func(c []string) {
		s.users = append(s.users, &fakeUser{id: r.int(c[0]), name: c[1], role: c[2], hash: c[3], salt: c[4]})
	})
	r.each("rows/venues.sql", func(c []string) {
		s.venues = append(s.venues, fakeVenue{id: r.int(c[0]), name: c[1], capacity: r.int(c[2]), created: r.time(c[3])})
	})
	r.each("rows/genres.sql", func(c []string) { s.genres = append(s.genres, c[1]) })
	r.each("rows/events.sql", func(c []string) {
		e := &fakeEvent{
			id: r.int(c[0]), user: r.int(c[1]), venue: r.int(c[2]), genre: r.int(c[3]), name: c[4],
			start: r.time(c[5]), end: r.time(c[6]), price: r.int(c[7]), created: r.time(c[9]), updated: r.time(c[10]),
		}
		if c[8] != "NULL" {
			image, err := base64.StdEncoding.DecodeString(c[8])
			r.failed(err)
			e.image = image
		}
		s.events = append(s.events, e)
	})
	r.each("sql/timeslots.sql", func(c []string) {
		slot := fakeSlot{id: r.int(c[0]), venue: r.int(c[1]), start: r.time(c[3]), end: r.time(c[4]), created: r.time(c[5]), updated: r.time(c[6])}
		if c[2] != "NULL" {
			slot.event = r.int(c[2])
			e := s.events[slot.event-1]
			e.slots = append(e.slots, slot.id)
		}
		s.slots = append(s.slots, slot)
		s.slotsAt[slot.venue] = append(s.slotsAt[slot.venue], slot.id)
	})
	r.each("sql/reservations.sql", func(c []string) {
		s.reservations = append(s.reservations, fakeReservation{id: r.int(c[0]), user: r.int(c[1]), event: r.int(c[2]), tickets: r.int(c[3]), created: r.time(c[4])})
	})
	text, err := os.ReadFile(filepath.Join(s.dir, "sql", "seed.list"))
	s.revoked = strings.Fields(string(text))
	return errors.Join(r.err, err)
}

// rowReader reads statements as the generator writes them: a row a line, and no
// comma in any text.
type rowReader struct {
	dir string
	err error // the first
}

func (r *rowReader) failed(err error) {
	if r.err == nil {
		r.err = err
	}
}

func (r *rowReader) each(name string, row func(columns []string)) {
	text, err := os.ReadFile(filepath.Join(r.dir, filepath.FromSlash(name)))
	r.failed(err)
	for line := range strings.Lines(string(text)) {
		inside, ok := strings.CutPrefix(line, "(")
		if !ok {
			continue // the head of a statement, or its end
		}
		columns := strings.Split(strings.TrimRight(inside, ");,\n"), ",")
		for i, c := range columns {
			columns[i] = strings.Trim(c, "'")
		}
		row(columns)
	}
}

func (r *rowReader) int(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	r.failed(err)
	return n
}

func (r *rowReader) time(text string) time.Time {
	t, err := time.Parse(time.DateTime, text)
	r.failed(err)
	return t
}

// state is the initial one.
func (s *testData) state() *fakeState {
	st := &fakeState{
		users: map[int64]*fakeUser{}, byName: map[string]*fakeUser{}, byID: map[int64]*fakeEvent{},
		lastUser: seededUsers, lastEvent: seededEvents,
	}
	for _, u := range s.users {
		st.users[u.id], st.byName[u.name] = u, u
	}
	for _, e := range s.events {
		own := *e
		st.events = append(st.events, &own)
		st.byID[own.id] = &own
	}
	st.reset(s, nil)
	return st
}

// reset does what the initialization does to rows that are there; keeps names what
// it forgets to do.
func (st *fakeState) reset(s *testData, keeps func(what string) bool) {
	if keeps == nil {
		keeps = func(string) bool { return false }
	}
	if !keeps("users") {
		for id, u := range st.users {
			if id > seededUsers {
				delete(st.users, id)
				delete(st.byName, u.name)
			}
		}
	}
	if !keeps("events") {
		old := st.events[:0]
		for _, e := range st.events {
			if e.id > seededEvents {
				delete(st.byID, e.id)
				continue
			}
			old = append(old, e)
		}
		st.events = old
	}
	if !keeps("slots") || st.slots == nil {
		st.slots = append([]fakeSlot(nil), s.slots...)
		for i, e := range s.events {
			st.events[i].slots = e.slots
		}
	}
	if !keeps("reservations") || st.reservations == nil {
		st.reservations, st.ofUser, st.lastReservation = map[int64]*fakeReservation{}, map[int64][]*fakeReservation{}, 0
		for _, e := range st.events {
			e.reservations = nil
		}
		for i := range s.reservations {
			own := s.reservations[i]
			st.add(&own)
		}
	}
	if !keeps("revocations") || st.revoked == nil {
		st.revoked = map[string]time.Time{}
		for _, token := range s.revoked {
			st.revoked[token] = time.Time{}
		}
	}
}

// add keeps a reservation.
func (st *fakeState) add(r *fakeReservation) {
	st.lastReservation = max(st.lastReservation, r.id)
	st.reservations[r.id] = r
	st.ofUser[r.user] = append(st.ofUser[r.user], r)
	e := st.byID[r.event]
	e.reservations = append(e.reservations, r)
}

// leave adds what an earlier run may have left behind.
func (st *fakeState) leave(s *testData) {
	u := *s.users[0]
	st.lastUser++
	u.id, u.name = st.lastUser, leftover
	st.users[u.id], st.byName[u.name] = &u, &u
	e := *s.events[0]
	st.lastEvent++
	e.id, e.slots, e.reservations = st.lastEvent, nil, nil
	st.events, st.byID[e.id] = append(st.events, &e), &e
	for i := range st.slots {
		if slot := &st.slots[i]; slot.event == 0 && slot.venue > int64(len(s.venues))-groundVenues {
			slot.event = e.id
		}
	}
	r := s.reservations[0]
	r.id, r.user = st.lastReservation+1, s.users[1].id
	st.add(&r)
}

// slot returns the timeslot of that id, or nil.
func (st *fakeState) slot(id int64) *fakeSlot {
	if id < 1 || id > int64(len(st.slots)) {
		return nil
	}
	return &st.slots[id-1]
}

// venue returns the venue of that id, or nil.
func (s *testData) venue(id int64) *fakeVenue {
	if id < 1 || id > int64(len(s.venues)) {
		return nil
	}
	return &s.venues[id-1]
}

// check makes sure that the ids are what venue and slot take them to be.
func (s *testData) check() error {
	for i, v := range s.venues {
		if v.id != int64(i)+1 {
			return fmt.Errorf("venue %d is row %d", v.id, i+1)
		}
	}
	for i, slot := range s.slots {
		if slot.id != int64(i)+1 {
			return fmt.Errorf("timeslot %d is row %d", slot.id, i+1)
		}
	}
	return nil
}

// restart is what a restart of all servers does: nothing, unless something was kept
// in memory alone.
func (s *service) restart() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.is("revocations-in-memory") {
		for token, since := range s.revoked {
			if !since.IsZero() {
				delete(s.revoked, token)
			}
		}
	}
	if s.is("images-in-memory") {
		for _, e := range s.events {
			if e.image = nil; e.id <= int64(len(s.seed.events)) {
				e.image = s.seed.events[e.id-1].image
			}
		}
	}
}
