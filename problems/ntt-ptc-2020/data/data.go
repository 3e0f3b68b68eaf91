// Package data makes the initial world of n+: users, venues, timeslots, events with
// their pictures, reservations, revoked tokens, the large static files, and the
// truth that a benchmark checks against.
//
// Everything follows from a seed and a day, the first of the month in which the world
// is made: half of it lies before, half behind. A gigabyte of pictures need not be made
// anew every day, so there are enough events and free timeslots on every day of that
// month, and a few days more. The contest's own data ended in 2021, and with
// them every event that one could still go to. The same seed and day give the same
// bytes on every machine: chance comes from one named algorithm, nothing asks the
// clock, and no map is ever walked.
//
// Sizes and proportions are those of the specification's §7. Names are our own and
// unique over all roles, which the contest's were not.
package data

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// generation changes whenever any byte of the output for any seed does; a test
// holds it to that.
const generation = "nttptc2020-data-4"

// Key signs the tokens; problem.toml gives it to the app as JWT_SECRET_KEY.
const Key = "half-day-timeslots"

// Options says how large a world to make, which one, and on which day.
type Options struct {
	Seed uint64    // which of the worlds of this size
	Day  time.Time // its UTC date counts: what is past, what is to come

	Audiences, Artists, Owners, Others int // besides the five test users

	Venues   int // the benchmark draws offsets up to 300
	Days     int // of a venue, two timeslots each
	Events   int
	Upcoming int // those of them after the data's shelf life; the benchmark draws offsets up to 1700, of pages of 12
	Soon     int // those of them between Day and then

	Bookings Range // tries to reserve at each event; what the venue has no room for is dropped

	Pictures     int   // events that have one
	PictureBytes Range // of one PNG
	Uploads      int   // pictures that the benchmark uploads

	Revoked int // tokens
}

// Full is the world of the contest: its pictures alone fill more than the
// database's memory.
func Full(day time.Time) Options {
	return Options{
		Seed: 2020, Day: day,
		Audiences: 9000, Artists: 990, Owners: 10, Others: 374,
		Venues: 300, Days: 100, Events: 3696, Upcoming: 1830, Soon: 290,
		Bookings: Range{1, 500},
		Pictures: 2500, PictureBytes: Range{100_000, 500_000}, Uploads: 100,
		Revoked: 100_000,
	}
}

// Small has as many venues and nearly as many upcoming events, and little of
// everything else: for tests and for judging the benchmark.
func Small(day time.Time) Options {
	return Options{
		Seed: 2020, Day: day,
		Audiences: 400, Artists: 100, Owners: 10, Others: 10,
		Venues: 300, Days: 34, Events: 2000, Upcoming: 1760, Soon: 100,
		Bookings: Range{1, 14}, // more than one page of them at some
		Pictures: 60, PictureBytes: Range{2_000, 6_000}, Uploads: 20,
		Revoked: 500,
	}
}

// The app's init.sh tells what came later by these.
const (
	lastUser  = 10379
	lastEvent = 3696
)

func (o Options) validate() error {
	users := len(testUsers) + o.Audiences + o.Artists + o.Owners + o.Others
	switch {
	case o.Day.IsZero():
		return fmt.Errorf("day: want the one on which the world is made")
	case o.Audiences < o.Bookings.Max || o.Artists < 1 || o.Owners < 1 || o.Others < 0:
		return fmt.Errorf("users: want an artist, an owner, and an audience for each of %d bookings", o.Bookings.Max)
	case users > lastUser:
		return fmt.Errorf("users: want at most %d, got %d", lastUser, users)
	case o.Events > lastEvent || o.Soon < 0 || o.Upcoming+o.Soon > o.Events || o.Upcoming < specialEvents:
		return fmt.Errorf("events: want at most %d, and %d to all of them upcoming, got %d, of which %d and %d", lastEvent, specialEvents, o.Events, o.Upcoming, o.Soon)
	case o.Pictures > o.Events-specialEvents:
		return fmt.Errorf("pictures: want at most one for each of %d events, got %d", o.Events-specialEvents, o.Pictures)
	case o.Bookings.Min < 0 || o.Bookings.Max < o.Bookings.Min:
		return fmt.Errorf("bookings: want a range, got %d to %d", o.Bookings.Min, o.Bookings.Max)
	case o.PictureBytes.Min < smallestPicture || o.PictureBytes.Max < o.PictureBytes.Min:
		return fmt.Errorf("picture bytes: want at least %d, got %d to %d", smallestPicture, o.PictureBytes.Min, o.PictureBytes.Max)
	case o.Venues < 3 || o.Days < 1 || o.Uploads < 0 || o.Revoked < 1:
		return fmt.Errorf("want 3 venues with a day each, and a revoked token")
	}
	return nil
}

// shelfDays is for how long after its day a world is good for the benchmark: the
// days of a month, and a night.
const shelfDays = 32

// Day returns that of the world for a benchmark at a time: the first of its month, UTC.
func Day(now time.Time) time.Time {
	year, month, _ := now.UTC().Date()
	return time.Date(year, month, 1, 0, 0, 0, 0, time.UTC)
}

// midnight is the beginning of the world's day.
func (o Options) midnight() time.Time { return o.Day.UTC().Truncate(24 * time.Hour) }

// Version names what Generate writes for that day, so it belongs in the key of
// every cache of generated data. It changes with the generator, with the day, and
// with the static files that the problem's folder has. See [Day] for which day to take.
func Version(files fs.FS, day time.Time) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(files, publicFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(content), content)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("version of ntt-ptc-2020 data: %w", err)
	}
	return generation + "-" + hex.EncodeToString(h.Sum(nil))[:8] + "-" + day.UTC().Format(time.DateOnly), nil
}

// Generate writes one world into dir, which is created if need be:
//
//	rows/users.sql … rows/events.sql   statements that fill the tables
//	sql/timeslots.sql, sql/reservations.sql   likewise; initialization needs them again
//	sql/seed.list, revocated_token.list   the revoked tokens, one a line
//	public/                            the static files that the problem's folder has not
//	truth/users.tsv … truth/reservations.tsv   the rows
//	truth/day.tsv                      the world's day
//	truth/audiences.json, truth/artists.json, truth/owners.json   names
//	truth/revoked_token.json           some of the revoked tokens
//	truth/expired_token.json           tokens of people of each role
//	truth/images/N.png                 pictures to upload
//	truth/jwt.key                      the key that tokens are signed with
//	truth/static.tsv                   path, bytes and MD5 of every static file
//
// files is the problem's folder. Nothing is said about what dir holds after an
// error, a cancelled ctx included: write to a fresh folder and rename it into
// place on success.
func Generate(ctx context.Context, dir string, files fs.FS, opts Options) error {
	if err := generate(ctx, dir, files, opts); err != nil {
		return fmt.Errorf("generate ntt-ptc-2020 data: %w", err)
	}
	return nil
}

func generate(ctx context.Context, dir string, files fs.FS, opts Options) error {
	if err := opts.validate(); err != nil {
		return err
	}
	people, err := drawPeople(opts)
	if err != nil {
		return err
	}
	w, err := drawWorld(opts, people)
	if err != nil {
		return err
	}
	for _, part := range []func() error{
		func() error { return people.write(dir, opts) },
		func() error { return w.write(ctx, dir) },
		func() error { return w.writeReservations(ctx, dir) },
		func() error { return w.writeFacts(dir) },
		func() error { return writeTokens(dir, people, opts) },
		func() error { return writeUploads(ctx, dir, opts) },
		func() error { return writeStatic(dir, files) },
	} {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := part(); err != nil {
			return err
		}
	}
	return nil
}

// writeFile writes one file and the folders that it is in.
func writeFile(path string, write func(*bufio.Writer) error) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closed := file.Close(); err == nil {
			err = closed
		}
	}()
	out := bufio.NewWriterSize(file, 1<<20)
	if err := write(out); err != nil {
		return err
	}
	return out.Flush()
}

// rowsEach is how many rows a statement has: a few hundred kB of them, well below
// the packets that the server takes.
const rowsEach = 1000

// inserts writes statements of many rows each. Errors stay with out until it is
// flushed.
type inserts struct {
	out  *bufio.Writer
	into string // table and columns
	each int
	n    int
}

func (w *inserts) row(format string, values ...any) {
	if w.n%w.each == 0 {
		w.end()
		_, _ = w.out.WriteString("INSERT INTO " + w.into + " VALUES\n")
	} else {
		_, _ = w.out.WriteString(",\n")
	}
	_, _ = fmt.Fprintf(w.out, format, values...)
	w.n++
}

func (w *inserts) end() {
	if w.n > 0 {
		_, _ = w.out.WriteString(";\n")
	}
}

// stamp is a time as MySQL reads it.
func stamp(t time.Time) string { return t.Format(time.DateTime) }
