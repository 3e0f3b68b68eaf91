package data

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var (
	loginForm  = regexp.MustCompile(`^[a-z]+([._][a-z]+)?$`)
	secretForm = regexp.MustCompile(`^[A-Za-z0-9]{8,16}$`)
)

func TestUsers(t *testing.T) {
	opts := Full()
	dir := generate(t, opts)
	users := table(t, dir, "truth/users.tsv", 5)
	if len(users) != opts.Users {
		t.Fatalf("%d users, want %d", len(users), opts.Users)
	}

	t.Run("ids count up and hashes are right", func(t *testing.T) {
		for i, u := range users {
			want := fmt.Sprintf("%x", sha256.Sum256([]byte(u[2]+":"+u[3])))
			if u[0] != strconv.Itoa(i+1) || u[4] != want {
				t.Fatalf("row %d: %v", i+1, u)
			}
		}
	})

	t.Run("the first nine are known by heart", func(t *testing.T) {
		for i, u := range users[:9] {
			n := strconv.Itoa(i + 1)
			if diff := cmp.Diff([]string{n, "isucon" + n, "isuconpass" + n, "salt" + n}, u[:4]); diff != "" {
				t.Error(diff)
			}
		}
	})

	t.Run("the others are invented", func(t *testing.T) {
		seen := make(map[string]bool)
		letters, joined, shortest, longest := 0, 0, 99, 0
		for _, u := range users[9:] {
			login := u[1]
			if !loginForm.MatchString(login) || !secretForm.MatchString(u[2]) || !secretForm.MatchString(u[3]) {
				t.Fatalf("unlikely user: %v", u)
			}
			if seen[login] {
				t.Fatalf("two users named %s", login)
			}
			seen[login] = true
			letters += len(login)
			if strings.ContainsAny(login, "._") {
				joined++
			}
			shortest, longest = min(shortest, len(login)), max(longest, len(login))
		}
		// §11: length 2–21, mean 9.7, half with a dot or underscore.
		n := opts.Users - 9
		if mean := float64(letters) / float64(n); mean < 9.4 || mean > 10 {
			t.Errorf("mean length %.2f", mean)
		}
		if share := float64(joined) / float64(n); share < 0.49 || share > 0.51 {
			t.Errorf("share of joined names %.3f", share)
		}
		if shortest < 2 || longest > 21 {
			t.Errorf("lengths from %d to %d", shortest, longest)
		}
	})

	t.Run("one INSERT says the same", func(t *testing.T) {
		sql := lines(t, dir, "sql/dummy_users.sql")
		if sql[0] != "INSERT INTO users (id, login, password_hash, salt) VALUES" || len(sql) != 1+len(users) {
			t.Fatalf("%d lines, the first: %s", len(sql), sql[0])
		}
		for i, u := range users {
			end := ","
			if i == len(users)-1 {
				end = ";"
			}
			want := fmt.Sprintf("(%s,'%s',SHA2('%s:%s',256),'%s')%s", u[0], u[1], u[2], u[3], u[3], end)
			if sql[i+1] != want {
				t.Fatalf("line %d is %s, want %s", i+2, sql[i+1], want)
			}
		}
	})
}

func TestSuccessor(t *testing.T) {
	for name, want := range map[string]string{
		"mei":    "mej",
		"mej":    "mek",
		"kaz":    "kba",
		"jazz":   "jbaa",
		"jo.z":   "jp.a",
		"jo_zz":  "jp_aa",
		"aoz.zz": "apa.aa",
		"zz":     "aaa",
		"z_z":    "aa_a",
	} {
		if got := successor(name); got != want {
			t.Errorf("after %s comes %s, want %s", name, got, want)
		}
	}
}

// The longest name that can be drawn has the 21 characters §11 allows.
func TestLongestLogin(t *testing.T) {
	longest := func(words []string) (n int) {
		for _, w := range words {
			n = max(n, len(w))
		}
		return n
	}
	given := max(longest(givenStemsEast)+longest(givenEndingsEast), longest(givenStemsWest)+longest(givenEndingsWest))
	surname := max(2*longest(surnamePartsEast), longest(surnameStemsWest)+longest(surnameEndingsWest))
	if n := given + len(".") + surname; n > 21 {
		t.Errorf("a login can have %d characters: %d for the given name, %d for the surname", n, given, surname)
	}
}
