package nttscenario

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"hotseat"
)

// The files of --data. Data and truth must come from one generator run. Tables
// have columns separated by tabs, the first of which is the id: 1, 2, 3 …
const (
	dayTable          = "day.tsv"
	usersTable        = "users.tsv"
	venuesTable       = "venues.tsv"
	genresTable       = "genres.tsv"
	timeslotsTable    = "timeslots.tsv"
	eventsTable       = "events.tsv"
	reservationsTable = "reservations.tsv"
	staticTable       = "static.tsv" // has paths in the place of ids

	audiencesFile = "audiences.json"
	artistsFile   = "artists.json"
	ownersFile    = "owners.json"
	revokedFile   = "revoked_token.json" // some of those on the list
	expiredFile   = "expired_token.json"
	keyFile       = "jwt.key"
	imagesDir     = "images" // to upload: 0.png, 1.png …
)

const dataHint = "--data names the folder truth/ that the generator of ntt-ptc-2020 wrote"

// The roles.
const (
	roleAudience = "audience"
	roleArtist   = "artist"
	roleOwner    = "owner"
)

// everybodysPassword is that of all initial users.
const everybodysPassword = "password"

// truth is what is known about the target right after its initialisation. Ids
// are indices plus one.
type truth struct {
	day          time.Time // on which the world of the data begins
	users        []person
	venues       []venue
	genres       []string
	slots        []timeslot
	events       []event
	reservations []booking
	static       []staticFile
	defaultImage string // its MD5

	audiences, artists, owners []string // names that the load may use
	revoked, expired           []string
	key                        []byte
	uploads                    []upload

	testers testers // none of the names above
}

// person is an initial user.
type person struct {
	id         int64
	name, role string
}

type venue struct {
	id, capacity int64
	name         string
	created      time.Time
}

type timeslot struct {
	id, venue, event int64 // event 0: it is free
	start, end       time.Time
	created          time.Time
}

// event is an initial one.
type event struct {
	id, artist, venue, genre int64
	name                     string
	start, end               time.Time
	price                    int64
	created                  time.Time
	tickets                  int64  // reserved
	image                    string // the MD5 of its picture; empty: the default one
	slots                    []int64
}

// booking is an initial reservation.
type booking struct {
	user, event, tickets int64
	created              int64 // Unix seconds: there is half a million of them
}

// staticFile is a file of the pages.
type staticFile struct {
	path, md5 string
	size      int64
}

func loadTruth(dir string) (*truth, error) {
	if dir == "" {
		return nil, hotseat.Invalid(dataHint, "no folder with the truth files given")
	}
	t := new(truth)
	if err := t.load(dir); err != nil {
		return nil, hotseat.Invalid(dataHint, "%w", err)
	}
	return t, nil
}

func (t *truth) load(dir string) error {
	if err := t.loadTables(dir); err != nil {
		return err
	}
	for i, s := range t.slots {
		if s.event < 0 || s.event > int64(len(t.events)) || s.venue < 1 || s.venue > int64(len(t.venues)) {
			return fmt.Errorf("%s:%d: no such event or venue", timeslotsTable, i+1)
		}
		if s.event > 0 {
			e := &t.events[s.event-1]
			e.slots = append(e.slots, s.id)
		}
	}
	for file, into := range map[string]*[]string{
		audiencesFile: &t.audiences, artistsFile: &t.artists, ownersFile: &t.owners, revokedFile: &t.revoked, expiredFile: &t.expired,
	} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			return err
		}
		if err := json.Unmarshal(text, into); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		if len(*into) == 0 {
			return fmt.Errorf("%s: the list is empty", file)
		}
	}
	key, err := os.ReadFile(filepath.Join(dir, keyFile))
	if err != nil {
		return err
	}
	t.key = key
	if err := t.chooseTesters(); err != nil {
		return err
	}
	return t.loadUploads(filepath.Join(dir, imagesDir))
}

func (t *truth) loadTables(dir string) error {
	for _, table := range []struct {
		name string
		row  func(f *fields)
	}{
		{dayTable, func(f *fields) { t.day = f.time() }},
		{usersTable, func(f *fields) { t.users = append(t.users, person{id: f.id, name: f.text(), role: f.text()}) }},
		{venuesTable, func(f *fields) {
			t.venues = append(t.venues, venue{id: f.id, name: f.text(), capacity: f.int(), created: f.time()})
		}},
		{genresTable, func(f *fields) { t.genres = append(t.genres, f.text()) }},
		{timeslotsTable, func(f *fields) {
			t.slots = append(t.slots, timeslot{id: f.id, venue: f.int(), event: f.int(), start: f.time(), end: f.time(), created: f.time()})
		}},
		{eventsTable, func(f *fields) {
			e := event{
				id: f.id, artist: f.int(), venue: f.int(), genre: f.int(), name: f.text(), start: f.time(), end: f.time(),
				price: f.int(), created: f.time(), tickets: f.int(), image: f.text(),
			}
			if e.image == "-" {
				e.image = ""
			}
			if e.artist < 1 || e.artist > int64(len(t.users)) || e.venue < 1 || e.venue > int64(len(t.venues)) {
				f.failed(errors.New("no such artist or venue"))
			}
			t.events = append(t.events, e)
		}},
		{reservationsTable, func(f *fields) {
			b := booking{user: f.int(), event: f.int(), tickets: f.int(), created: f.time().Unix()}
			if b.user < 1 || b.user > int64(len(t.users)) || b.event < 1 || b.event > int64(len(t.events)) {
				f.failed(errors.New("no such user or event"))
			}
			t.reservations = append(t.reservations, b)
		}},
	} {
		f := &fields{}
		if err := f.each(filepath.Join(dir, table.name), table.row); err != nil {
			return fmt.Errorf("%s:%w", table.name, err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, staticTable))
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(text)) {
		field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(field) != 3 {
			return fmt.Errorf("%s: want path, size and MD5, not %q", staticTable, line)
		}
		size, err := strconv.ParseInt(field[1], 10, 64)
		if err != nil {
			return fmt.Errorf("%s: %w", staticTable, err)
		}
		t.static = append(t.static, staticFile{path: field[0], size: size, md5: field[2]})
		if field[0] == defaultImagePath {
			t.defaultImage = field[2]
		}
	}
	if t.defaultImage == "" {
		return fmt.Errorf("%s: %s is not in it", staticTable, defaultImagePath)
	}
	return nil
}

const defaultImagePath = "/img/default.png"

// loadUploads reads the pictures until a number is missing.
func (t *truth) loadUploads(dir string) error {
	for i := 0; ; i++ {
		name := strconv.Itoa(i) + ".png"
		content, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, os.ErrNotExist) && i > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		t.uploads = append(t.uploads, newUpload(name, content))
	}
}

// fields are the columns of a row, taken one after the other.
type fields struct {
	id   int64
	rest []byte
	err  error // the first of the row
}

// each reads a table.
func (f *fields) each(path string, row func(f *fields)) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	for n := int64(1); len(text) > 0; n++ {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte("\n"))
		f.rest, f.err = line, nil
		if f.id = f.int(); f.err == nil && f.id != n {
			f.failed(fmt.Errorf("want id %d, got %d", n, f.id))
		}
		row(f)
		if len(f.rest) > 0 {
			f.failed(errors.New("too many columns"))
		}
		if f.err != nil {
			return fmt.Errorf("%d: %w", n, f.err)
		}
	}
	return nil
}

func (f *fields) failed(err error) {
	if f.err == nil {
		f.err = err
	}
}

func (f *fields) next() []byte {
	if len(f.rest) == 0 {
		f.failed(errors.New("too few columns"))
	}
	field, rest, _ := bytes.Cut(f.rest, []byte("\t"))
	f.rest = rest
	return field
}

func (f *fields) text() string { return string(f.next()) }

func (f *fields) int() int64 {
	n, err := strconv.ParseInt(string(f.next()), 10, 64)
	if err != nil {
		f.failed(err)
	}
	return n
}

func (f *fields) time() time.Time {
	at, err := time.Parse(time.RFC3339, string(f.next()))
	if err != nil {
		f.failed(err)
	}
	return at
}
