package data

import (
	"bufio"
	"crypto/sha3"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

const (
	roleAudience = "audience"
	roleArtist   = "artist"
	roleOwner    = "owner"
)

// password is everybody's.
const password = "password"

// hashRounds is how often the app hashes a password.
const hashRounds = 100

type person struct{ name, role string }

// testUsers are users 1 to 5, whom manuals name.
var testUsers = []person{
	{"user01", roleAudience}, {"user02", roleAudience}, {"user03", roleArtist}, {"sawady", roleOwner}, {"user04", roleArtist},
}

// people are all users in the order of their ids, and the names of those whom a
// benchmark may be.
type people struct {
	all                        []person
	audiences, artists, owners []string
	firstAudience, firstArtist int // their ids
}

func drawPeople(opts Options) (*people, error) {
	wanted := opts.Audiences + opts.Artists + opts.Owners + opts.Others
	names, err := drawNames(newChance(opts.Seed, peopleStream), wanted)
	if err != nil {
		return nil, err
	}
	p := &people{all: append([]person(nil), testUsers...)}
	take := func(n int, role string) []string {
		taken := names[:n]
		names = names[n:]
		for _, name := range taken {
			p.all = append(p.all, person{name, role})
		}
		return taken
	}
	p.firstAudience = len(p.all) + 1
	p.audiences = take(opts.Audiences, roleAudience)
	p.firstArtist = len(p.all) + 1
	p.artists = take(opts.Artists, roleArtist)
	p.owners = take(opts.Owners, roleOwner)
	take(opts.Others, roleAudience)
	return p, nil
}

// drawNames combines family and given names. No two are alike, also where the
// border between the two could be elsewhere.
func drawNames(c chance, n int) ([]string, error) {
	given := strings.Fields(givenNames)
	var names []string
	known := map[string]bool{}
	for _, family := range strings.Fields(familyNames) {
		for _, g := range given {
			if name := family + g; !known[name] {
				known[name] = true
				names = append(names, name)
			}
		}
	}
	if len(names) < n {
		return nil, fmt.Errorf("there are %d names for %d people", len(names), n)
	}
	shuffle(c, names, n)
	return names[:n], nil
}

// hash is a password as the database keeps it.
func hash(password, salt string) string {
	s := password + salt
	for range hashRounds {
		sum := sha3.Sum512([]byte(s))
		s = hex.EncodeToString(sum[:])
	}
	return s
}

func (p *people) write(dir string, opts Options) error {
	for _, list := range []struct {
		file  string
		names []string
	}{{"audiences.json", p.audiences}, {"artists.json", p.artists}, {"owners.json", p.owners}} {
		if err := writeJSON(filepath.Join(dir, "truth", list.file), list.names); err != nil {
			return err
		}
	}
	c := newChance(opts.Seed, peopleStream+1<<32)
	salts, hashes := make([]string, len(p.all)), make([]string, len(p.all))
	for i := range p.all {
		salts[i] = c.hex(64)
	}
	// A million hashes: worth both CPUs.
	var wg sync.WaitGroup
	for half := range 2 {
		wg.Go(func() {
			for i := half; i < len(salts); i += 2 {
				hashes[i] = hash(password, salts[i])
			}
		})
	}
	wg.Wait()
	return writeFile(filepath.Join(dir, "rows", "users.sql"), func(out *bufio.Writer) error {
		rows := inserts{out: out, into: "users (id, username, role, password_hash, salt, created_at, updated_at)", each: rowsEach}
		for i, one := range p.all {
			at := stamp(opts.midnight().AddDate(-1, 0, 0).Add(time.Duration(i) * time.Minute))
			rows.row("(%d,'%s','%s','%s','%s','%s','%s')", i+1, one.name, one.role, hashes[i], salts[i], at, at)
		}
		rows.end()
		return nil
	})
}

func writeJSON(path string, value any) error {
	return writeFile(path, func(out *bufio.Writer) error { return json.NewEncoder(out).Encode(value) })
}
