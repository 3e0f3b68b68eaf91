package data

import (
	"context"
	"path/filepath"
	"strconv"
	"time"
)

// lockThreshold is the number of failures in a row that locks a user (§3).
const lockThreshold = 3

// rowsPerInsert is the size of the log's INSERT statements (§11).
const rowsPerInsert = 10_000

// attempt is one row of the login log.
type attempt struct {
	at        time.Time
	user      int // index into the users of the log
	ip        string
	succeeded bool
}

// history plays §11's rule: again and again a user who is not locked logs in,
// and gets it wrong six times out of ten until enough users are locked.
type history struct {
	chance   chance
	opts     Options
	open     []int  // users not locked
	failures []int  // by user: failures since the last success
	settled  []bool // by user: the last row is a success
	locked   int
	failed   int // failures so far; the next one's address follows from it
	clock    time.Time
}

func newHistory(opts Options) *history {
	h := &history{
		chance:   newChance(opts.Seed, historyStream),
		opts:     opts,
		open:     make([]int, opts.LogUsers),
		failures: make([]int, opts.LogUsers),
		settled:  make([]bool, opts.LogUsers),
		clock:    time.Date(2014, time.February, 22, 0, 0, 0, 0, time.UTC),
	}
	for i := range h.open {
		h.open[i] = i
	}
	return h
}

// play gives every attempt to record, oldest first.
func (h *history) play(record func(attempt) error) error {
	for n := 0; (n < h.opts.LogRows || h.locked < h.opts.Locked) && len(h.open) > 0; n++ {
		if err := record(h.draw()); err != nil {
			return err
		}
	}
	for _, u := range h.open {
		if h.settled[u] {
			continue
		}
		if err := record(h.succeed(u)); err != nil {
			return err
		}
	}
	return nil
}

func (h *history) draw() attempt {
	i := h.chance.below(len(h.open))
	u := h.open[i]
	if h.locked == h.opts.Locked || h.chance.below(10) >= 6 {
		return h.succeed(u)
	}
	a := h.fail(u)
	if h.failures[u] == lockThreshold {
		h.locked++
		last := len(h.open) - 1
		h.open[i] = h.open[last]
		h.open = h.open[:last]
	}
	return a
}

func (h *history) succeed(u int) attempt {
	h.failures[u], h.settled[u] = 0, true
	ip := "127.250.0." + strconv.Itoa(h.chance.between(1, 254))
	return attempt{h.tick(), u, ip, true}
}

func (h *history) fail(u int) attempt {
	h.failures[u]++
	h.settled[u] = false
	ip := failureAddress(h.failed)
	h.failed++
	return attempt{h.tick(), u, ip, false}
}

// tick returns the time now and lets one to five seconds pass.
func (h *history) tick() time.Time {
	now := h.clock
	h.clock = now.Add(time.Duration(h.chance.between(1, 5)) * time.Second)
	return now
}

// failureAddress returns the address of failure n, counted from 0. Every
// failure has its own, upwards from 127.200.1.1 with last octets 1 to 253, so
// that none is near a ban at the start.
func failureAddress(n int) string {
	last, rest := n%253+1, n/253+1
	return "127." + strconv.Itoa(200+rest/256) + "." + strconv.Itoa(rest%256) + "." + strconv.Itoa(last)
}

// writeHistory writes the log and what it leaves each of its users with.
func writeHistory(ctx context.Context, sql, truth string, users []user, opts Options) error {
	h := newHistory(opts)
	log := func(out *output) error {
		row := 0
		err := h.play(func(a attempt) error {
			if err := ctx.Err(); err != nil {
				return err
			}
			first := row%rowsPerInsert == 0
			if first && row > 0 {
				if err := out.row(endStatement); err != nil {
					return err
				}
			}
			row++
			return out.row(func(b []byte) []byte { return a.appendSQL(b, users[a.user], first) })
		})
		if err != nil || row == 0 {
			return err
		}
		return out.row(endStatement)
	}
	if err := writeTo(log, filepath.Join(sql, "dummy_log.sql")); err != nil {
		return err
	}
	used := func(out *output) error {
		for i, u := range users {
			if err := out.row(func(b []byte) []byte { return u.appendUsed(b, h.failures[i]) }); err != nil {
				return err
			}
		}
		return nil
	}
	return writeTo(used, filepath.Join(sql, "dummy_users_used.tsv"), filepath.Join(truth, "users_used.tsv"))
}

// appendSQL appends one row of an INSERT, which it opens with the first. Times
// are plain DATETIMEs without the zone suffix of the official file, so that a
// strict server takes them too.
func (a attempt) appendSQL(b []byte, u user, first bool) []byte {
	if first {
		b = append(b, "INSERT INTO login_log (created_at, user_id, login, ip, succeeded) VALUES\n('"...)
	} else {
		b = append(b, ",\n('"...)
	}
	b = a.at.AppendFormat(b, time.DateTime)
	b = append(b, "',"...)
	b = strconv.AppendInt(b, int64(u.id), 10)
	b = append(b, ",'"...)
	b = append(b, u.login...)
	b = append(b, "','"...)
	b = append(b, a.ip...)
	if a.succeeded {
		return append(b, "',1)"...)
	}
	return append(b, "',0)"...)
}

func (u user) appendUsed(b []byte, failures int) []byte {
	b = strconv.AppendInt(b, int64(u.id), 10)
	b = append(b, '\t')
	b = append(b, u.login...)
	b = append(b, '\t')
	b = strconv.AppendInt(b, int64(failures), 10)
	return append(b, '\n')
}
