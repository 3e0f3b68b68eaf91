package data

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strconv"
)

// user is one account of the bank.
type user struct {
	id                    int
	login, password, salt string
}

// hash is what the app compares a password with: lower-case hexadecimal
// SHA-256 of password, colon, salt (§3).
func (u user) hash() [2 * sha256.Size]byte {
	var text [2 * sha256.Size]byte
	sum := sha256.Sum256([]byte(u.password + ":" + u.salt))
	hex.Encode(text[:], sum[:])
	return text
}

// fixedUsers is how many accounts, from id 1 on, have a login and a password
// that contestants know by heart: isucon1 with isuconpass1, and so on.
const fixedUsers = 9

func fixedUser(id int) user {
	n := strconv.Itoa(id)
	return user{id, "isucon" + n, "isuconpass" + n, "salt" + n}
}

// population gives the users of a world in the order of their ids.
type population struct {
	chance chance
	logins *logins
	given  int
}

func newPopulation(opts Options) *population {
	c := newChance(opts.Seed, userStream)
	p := &population{chance: c, logins: newLogins(c, opts.Users)}
	for id := 1; id <= fixedUsers; id++ {
		p.logins.reserve(fixedUser(id).login)
	}
	return p
}

func (p *population) next() user {
	p.given++
	if p.given <= fixedUsers {
		return fixedUser(p.given)
	}
	return user{
		id:       p.given,
		login:    p.logins.next(),
		password: p.chance.secret(),
		salt:     p.chance.secret(),
	}
}

// writeUsers writes every account, and returns the last opts.LogUsers of them.
func writeUsers(ctx context.Context, sql, truth string, opts Options) ([]user, error) {
	people := newPopulation(opts)
	logUsers := make([]user, 0, opts.LogUsers)
	fill := func(insert, table *output) error {
		for range opts.Users {
			if err := ctx.Err(); err != nil {
				return err
			}
			u := people.next()
			if err := insert.row(u.appendSQL); err != nil {
				return err
			}
			if err := table.row(u.appendTSV); err != nil {
				return err
			}
			if u.id > opts.Users-opts.LogUsers {
				logUsers = append(logUsers, u)
			}
		}
		return insert.row(endStatement)
	}
	err := writeTo(func(insert *output) error {
		return writeTo(func(table *output) error {
			return fill(insert, table)
		}, filepath.Join(sql, "dummy_users.tsv"), filepath.Join(truth, "users.tsv"))
	}, filepath.Join(sql, "dummy_users.sql"))
	return logUsers, err
}

// appendSQL appends the user's part of the one INSERT. The hash is left to the
// database, as in the contest.
func (u user) appendSQL(b []byte) []byte {
	if u.id == 1 {
		b = append(b, "INSERT INTO users (id, login, password_hash, salt) VALUES\n("...)
	} else {
		b = append(b, ",\n("...)
	}
	b = strconv.AppendInt(b, int64(u.id), 10)
	b = append(b, ",'"...)
	b = append(b, u.login...)
	b = append(b, "',SHA2('"...)
	b = append(b, u.password...)
	b = append(b, ':')
	b = append(b, u.salt...)
	b = append(b, "',256),'"...)
	b = append(b, u.salt...)
	return append(b, "')"...)
}

func (u user) appendTSV(b []byte) []byte {
	b = strconv.AppendInt(b, int64(u.id), 10)
	b = append(b, '\t')
	b = append(b, u.login...)
	b = append(b, '\t')
	b = append(b, u.password...)
	b = append(b, '\t')
	b = append(b, u.salt...)
	b = append(b, '\t')
	hash := u.hash()
	b = append(b, hash[:]...)
	return append(b, '\n')
}

func endStatement(b []byte) []byte { return append(b, ";\n"...) }
