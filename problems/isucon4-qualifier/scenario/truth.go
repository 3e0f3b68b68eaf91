package scenario

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"hotseat"
)

// The files of --data. They are tab-separated and have no header.
const (
	usersFile  = "users.tsv"      // id, login, password, salt, hash
	usedFile   = "users_used.tsv" // id, login, failures at the start
	staticFile = "static.tsv"     // path, bytes, MD5
)

const dataHint = "--data names the folder that holds users.tsv (id, login, password, salt, hash), " +
	"users_used.tsv (id, login, failures) and static.tsv (path, bytes, md5)"

// truth is what is known about the bank before the run: what its database and
// its public folder hold right after the initialisation.
type truth struct {
	customers []customer
	used      map[int]int     // customer's id → failures at the start, for those who have a history
	assets    map[string]file // by path with query
}

type customer struct {
	id              int
	login, password string
}

type file struct {
	bytes int64
	md5   string // lower-case hexadecimal
}

// loadTruth reads the three files. Whatever is wrong with them is an error
// that names file and line: a benchmark that believes something else than the
// database holds would accuse a right app.
func loadTruth(dir string) (*truth, error) {
	if dir == "" {
		return nil, hotseat.Invalid(dataHint, "no data folder given")
	}
	t := &truth{used: map[int]int{}, assets: map[string]file{}}
	logins := map[string]int{} // login → id
	names := map[int]string{}  // id → login
	err := readTable(dir, usersFile, 5, func(row []string) error {
		c, err := parseCustomer(row)
		if err != nil {
			return err
		}
		if _, twice := names[c.id]; twice {
			return fmt.Errorf("id %d appears twice", c.id)
		}
		if _, twice := logins[c.login]; twice {
			return fmt.Errorf("login %q appears twice", c.login)
		}
		names[c.id], logins[c.login] = c.login, c.id
		t.customers = append(t.customers, c)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(t.customers) == 0 {
		return nil, truthError(filepath.Join(dir, usersFile), errors.New("no users: want at least one row"))
	}

	err = readTable(dir, usedFile, 3, func(row []string) error {
		id, err := positive("id", row[0])
		if err != nil {
			return err
		}
		switch login, known := names[id]; {
		case !known:
			return fmt.Errorf("id %d is not in %s", id, usersFile)
		case login != row[1]:
			return fmt.Errorf("user %d is called %q here and %q in %s", id, row[1], login, usersFile)
		}
		if _, twice := t.used[id]; twice {
			return fmt.Errorf("id %d appears twice", id)
		}
		failures, err := strconv.Atoi(row[2])
		if err != nil || failures < 0 {
			return fmt.Errorf("failures %q: want a number, 0 or more", row[2])
		}
		t.used[id] = failures
		return nil
	})
	if err != nil {
		return nil, err
	}

	err = readTable(dir, staticFile, 3, func(row []string) error {
		path := row[0]
		if !strings.HasPrefix(path, "/") {
			return fmt.Errorf("path %q: want one that begins with /", path)
		}
		if _, twice := t.assets[path]; twice {
			return fmt.Errorf("path %q appears twice", path)
		}
		size, err := strconv.ParseInt(row[1], 10, 64)
		if err != nil || size < 0 {
			return fmt.Errorf("bytes %q: want a number, 0 or more", row[1])
		}
		sum, err := hexDigest("md5", row[2], 16)
		if err != nil {
			return err
		}
		t.assets[path] = file{bytes: size, md5: sum}
		return nil
	})
	return t, err
}

func parseCustomer(row []string) (customer, error) {
	id, err := positive("id", row[0])
	if err != nil {
		return customer{}, err
	}
	c := customer{id: id, login: row[1], password: row[2]}
	if c.login == "" {
		return c, errors.New("login is empty")
	}
	want, err := hexDigest("hash", row[4], sha256.Size)
	if err != nil {
		return c, err
	}
	sum := sha256.Sum256([]byte(c.password + ":" + row[3]))
	if got := hex.EncodeToString(sum[:]); got != want {
		return c, fmt.Errorf("hash %s is not the SHA-256 of password:salt, which is %s", want, got)
	}
	return c, nil
}

// readTable calls row for each line of a file, split into its columns.
func readTable(dir, name string, columns int, row func([]string) error) error {
	path := filepath.Join(dir, name)
	content, err := os.ReadFile(path)
	if err != nil {
		return truthError(path, err)
	}
	// An editor may have added what the contest's own files do not have: a
	// last line without an end, or carriage returns.
	rest, fields := content, make([]string, 0, columns)
	for line := 1; len(rest) > 0; line++ {
		var text []byte
		text, rest, _ = bytes.Cut(rest, []byte("\n"))
		fields = append(fields[:0], strings.Split(strings.TrimSuffix(string(text), "\r"), "\t")...)
		if len(fields) != columns {
			return truthError(fmt.Sprintf("%s:%d", path, line),
				fmt.Errorf("want %d columns separated by tabs, got %d", columns, len(fields)))
		}
		if err := row(fields); err != nil {
			return truthError(fmt.Sprintf("%s:%d", path, line), err)
		}
	}
	return nil
}

// truthError puts the place before the error. What os says names the path already.
func truthError(place string, err error) error {
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return hotseat.Invalid(dataHint, "%w", err)
	}
	return hotseat.Invalid(dataHint, "%s: %w", place, err)
}

func positive(name, text string) (int, error) {
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%s %q: want a number, 1 or more", name, text)
	}
	return n, nil
}

func hexDigest(name, text string, size int) (string, error) {
	text = strings.ToLower(text)
	if sum, err := hex.DecodeString(text); err != nil || len(sum) != size {
		return "", fmt.Errorf("%s %q: want %d hexadecimal digits", name, text, 2*size)
	}
	return text, nil
}
