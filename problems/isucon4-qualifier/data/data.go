// Package data makes the initial world of the ISUCON4 qualifier: the bank's
// users, the login log they left behind before the contest, the truth a
// benchmark checks against, and the static files of its pages.
//
// Everything follows from a seed. The same seed gives the same bytes on every
// machine: chance comes from one named algorithm, no arithmetic is done in
// floating point, and no map is ever walked. That is what lets a data folder be
// cached under (problem, [Version], [Options]) and never be looked at again.
//
// The rules are those of the specification's §11 (users and log) and §7 (static
// files); names, passwords, style sheets and the logo are our own.
package data

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// Version names what this package writes. It changes whenever any byte of the
// output for any seed does, so it belongs in the key of every cache of
// generated data; a test holds it to that.
const Version = "isucon4q-data-2"

// Options says how large a world to make, and which one.
type Options struct {
	Seed     uint64 // which of the worlds of this size
	Users    int    // accounts, ids 1 … Users
	LogUsers int    // accounts that logged in before the start: the last ids
	LogRows  int    // draws of §11's rule; a few rows may be added, see Generate
	Locked   int    // of the LogUsers, how many start locked
}

// Full is the world of the contest. The official number of log rows is not
// known; 60,000 is where all the rules of §11 hold by themselves.
func Full() Options {
	return Options{Seed: 4, Users: 200_000, LogUsers: 5_000, LogRows: 60_000, Locked: 2_500}
}

// Small is the same world at a hundredth of the size, with the same
// proportions in its log, for tests and for judging the benchmark.
func Small() Options {
	return Options{Seed: 4, Users: 2_000, LogUsers: 100, LogRows: 1_200, Locked: 50}
}

// maxLogRows keeps failing addresses, one per failure, inside 127.200–127.249:
// 50 blocks of 256 × 253 addresses.
const maxLogRows = 3_000_000

func (o Options) validate() error {
	switch {
	case o.Users < fixedUsers:
		return fmt.Errorf("users: want at least %d, got %d", fixedUsers, o.Users)
	case o.LogUsers < 0 || o.LogUsers > o.Users:
		return fmt.Errorf("log users: want 0 to %d, got %d", o.Users, o.LogUsers)
	case o.Locked < 0 || o.Locked > o.LogUsers:
		return fmt.Errorf("locked users: want 0 to %d, got %d", o.LogUsers, o.Locked)
	case o.LogRows < 0 || o.LogRows > maxLogRows:
		return fmt.Errorf("log rows: want 0 to %d, got %d", maxLogRows, o.LogRows)
	}
	return nil
}

// Generate writes one world into dir, which is created if need be:
//
//	sql/dummy_users.sql       one INSERT; the database computes the hashes
//	sql/dummy_log.sql         the log, in INSERTs of 10,000 rows
//	sql/dummy_users.tsv       id, login, password, salt, hash
//	sql/dummy_users_used.tsv  id, login, failures at the start
//	truth/users.tsv           the same as the two above, as files of their own:
//	truth/users_used.tsv      a contestant may edit sql/, never the truth
//	truth/static.tsv          path, bytes, MD5 of what Static writes
//
// At the start exactly Options.Locked users have three failures, every other
// user of the log ends on a success, and no address has more than one failure.
// Where LogRows draws do not get there (a short log, an unlucky seed), the log
// is continued by the same rule until they do.
//
// Nothing is said about what dir holds after an error, a cancelled ctx
// included: write to a fresh folder and rename it into place on success.
func Generate(ctx context.Context, dir string, opts Options) error {
	if err := opts.validate(); err != nil {
		return fmt.Errorf("generate isucon4-qualifier data: %w", err)
	}
	sql, truth := filepath.Join(dir, "sql"), filepath.Join(dir, "truth")
	for _, d := range []string{sql, truth} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return fmt.Errorf("generate isucon4-qualifier data: %w", err)
		}
	}
	logUsers, err := writeUsers(ctx, sql, truth, opts)
	if err != nil {
		return fmt.Errorf("generate users: %w", err)
	}
	if err := writeHistory(ctx, sql, truth, logUsers, opts); err != nil {
		return fmt.Errorf("generate login log: %w", err)
	}
	if err := writeStaticTruth(truth); err != nil {
		return fmt.Errorf("describe static files: %w", err)
	}
	return nil
}

// writeTo creates the files at paths and has fill write the same bytes to each.
// The error is the first of creating, filling, flushing and closing.
func writeTo(fill func(*output) error, paths ...string) (err error) {
	out := &output{}
	defer func() { err = errors.Join(err, out.close()) }()
	for _, path := range paths {
		file, err := os.Create(path)
		if err != nil {
			return err
		}
		out.files = append(out.files, file)
	}
	if err := fill(out); err != nil {
		return err
	}
	return out.flush()
}

// outputBuffer is large enough that a system call costs nothing next to the
// rows it writes.
const outputBuffer = 64 << 10

// output gathers rows and writes them to all of its files at once.
type output struct {
	files []*os.File
	buf   []byte
}

// row appends one row, built by add onto the bytes it is given.
func (o *output) row(add func([]byte) []byte) error {
	o.buf = add(o.buf)
	if len(o.buf) < outputBuffer {
		return nil
	}
	return o.flush()
}

func (o *output) flush() error {
	for _, file := range o.files {
		if _, err := file.Write(o.buf); err != nil {
			return err
		}
	}
	o.buf = o.buf[:0]
	return nil
}

func (o *output) close() error {
	var errs []error
	for _, file := range o.files {
		errs = append(errs, file.Close())
	}
	return errors.Join(errs...)
}
