package data

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// logRow is one row of dummy_log.sql as a database would read it.
type logRow struct {
	at        time.Time
	user      int
	login, ip string
	succeeded bool
}

const insertLog = "INSERT INTO login_log (created_at, user_id, login, ip, succeeded) VALUES"

var logRowForm = regexp.MustCompile(`^\('(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)',(\d+),'([a-z0-9._]+)','([\d.]+)',([01])\)([,;])$`)

// readLog reads the statements of dummy_log.sql: their rows, and how many each has.
func readLog(t *testing.T, dir string) (rows []logRow, batches []int) {
	t.Helper()
	ended := true
	for n, line := range lines(t, dir, "sql/dummy_log.sql") {
		if line == insertLog {
			if !ended {
				t.Fatalf("line %d: a statement begins inside another", n+1)
			}
			batches, ended = append(batches, 0), false
			continue
		}
		m := logRowForm.FindStringSubmatch(line)
		if m == nil || ended {
			t.Fatalf("line %d: not a row of an INSERT: %s", n+1, line)
		}
		at, err := time.Parse(time.DateTime, m[1])
		if err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		rows = append(rows, logRow{at, number(t, m[2]), m[3], m[4], m[5] == "1"})
		batches[len(batches)-1]++
		ended = m[6] == ";"
	}
	if !ended {
		t.Fatal("the last statement does not end")
	}
	return rows, batches
}

// failures counts, by §3's definition, the rows of each key after its last
// successful one. A key whose last row is a success has 0.
func failures[K comparable](rows []logRow, key func(logRow) K) map[K]int {
	count := make(map[K]int)
	for _, row := range rows {
		if row.succeeded {
			count[key(row)] = 0
		} else {
			count[key(row)]++
		}
	}
	return count
}

func TestHistoryKeepsTheRules(t *testing.T) {
	worlds := map[string]Options{
		"full":              Full(),
		"nobody locked":     {Seed: 1, Users: 300, LogUsers: 40, LogRows: 200, Locked: 0},
		"everybody locked":  {Seed: 1, Users: 300, LogUsers: 40, LogRows: 100_000, Locked: 40},
		"log too short":     {Seed: 1, Users: 300, LogUsers: 200, LogRows: 10, Locked: 100},
		"no draws":          {Seed: 1, Users: 300, LogUsers: 20, LogRows: 0, Locked: 10},
		"everybody is used": {Seed: 1, Users: 50, LogUsers: 50, LogRows: 600, Locked: 25},
		"one more batch":    {Seed: 1, Users: 300, LogUsers: 40, LogRows: 10_001, Locked: 20},
	}
	for seed := range uint64(12) {
		small := Small()
		small.Seed = seed
		worlds[fmt.Sprintf("small, seed %d", seed)] = small
	}
	for name, opts := range worlds {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := generate(t, opts)
			rows, batches := readLog(t, dir)
			checkUsers(t, dir, opts, rows)
			checkAddresses(t, rows)
			checkClock(t, rows)
			checkBatches(t, batches)
			if len(rows) < opts.LogRows && opts.Locked < opts.LogUsers {
				t.Errorf("%d rows, want at least %d", len(rows), opts.LogRows)
			}
		})
	}
}

// checkUsers compares the failures each user is left with to users_used.tsv,
// and watches what each does on the way there.
func checkUsers(t *testing.T, dir string, opts Options, rows []logRow) {
	t.Helper()
	logins := make(map[int]string)
	for _, fields := range table(t, dir, "truth/users.tsv", 5) {
		logins[number(t, fields[0])] = fields[1]
	}
	streak, locked := make(map[int]int), 0
	for i, row := range rows {
		switch {
		case row.user <= opts.Users-opts.LogUsers:
			t.Fatalf("row %d: user %d is reserved", i, row.user)
		case row.login != logins[row.user]:
			t.Fatalf("row %d: user %d is %q, not %q", i, row.user, logins[row.user], row.login)
		case streak[row.user] == 3:
			t.Fatalf("row %d: user %d is locked and tries again", i, row.user)
		case !row.succeeded && locked == opts.Locked:
			t.Fatalf("row %d: a failure after %d users are locked", i, locked)
		}
		if row.succeeded {
			streak[row.user] = 0
		} else if streak[row.user]++; streak[row.user] == 3 {
			locked++
		}
	}

	left := failures(rows, func(r logRow) int { return r.user })
	var want [][]string
	count := make(map[int]int)
	for id := opts.Users - opts.LogUsers + 1; id <= opts.Users; id++ {
		if _, logged := left[id]; !logged {
			t.Errorf("user %d has no row", id)
		}
		want = append(want, []string{strconv.Itoa(id), logins[id], strconv.Itoa(left[id])})
		count[left[id]]++
	}
	if diff := cmp.Diff(want, table(t, dir, "truth/users_used.tsv", 3)); diff != "" {
		t.Errorf("users_used.tsv (-log +file):\n%s", diff)
	}
	wantCount := map[int]int{3: opts.Locked, 0: opts.LogUsers - opts.Locked}
	for n, users := range wantCount {
		if count[n] != users {
			t.Errorf("%d users end with %d failures, want %d", count[n], n, users)
		}
	}
}

// Six out of ten attempts fail until enough users are locked.
func TestHistoryFailsSixTimesOutOfTen(t *testing.T) {
	rows, _ := readLog(t, generate(t, Options{Seed: 1, Users: 6_000, LogUsers: 5_000, LogRows: 20_000, Locked: 2_500}))
	failed, last := 0, 0
	for i, row := range rows {
		if !row.succeeded {
			failed, last = failed+1, i
		}
	}
	if share := float64(failed) / float64(last+1); share < 0.58 || share > 0.62 {
		t.Errorf("share of failures %.3f", share)
	}
}

// checkAddresses looks for failures each from the next fresh address and for
// successes from the 254 addresses that never fail.
func checkAddresses(t *testing.T, rows []logRow) {
	t.Helper()
	second, third, last := 200, 1, 1
	for i, row := range rows {
		if row.succeeded {
			host, found := strings.CutPrefix(row.ip, "127.250.0.")
			if n := number(t, host); !found || n < 1 || n > 254 {
				t.Fatalf("row %d: success from %s", i, row.ip)
			}
			continue
		}
		if want := fmt.Sprintf("127.%d.%d.%d", second, third, last); row.ip != want {
			t.Fatalf("row %d: failure from %s, want %s", i, row.ip, want)
		}
		if last++; last > 253 {
			third, last = third+1, 1
		}
	}
	for ip, n := range failures(rows, func(r logRow) string { return r.ip }) {
		if n > 1 {
			t.Errorf("%s has %d failures, want none near a ban", ip, n)
		}
	}
}

func checkClock(t *testing.T, rows []logRow) {
	t.Helper()
	start := time.Date(2014, 2, 22, 0, 0, 0, 0, time.UTC)
	if !rows[0].at.Equal(start) {
		t.Errorf("the log starts at %v", rows[0].at)
	}
	for i := 1; i < len(rows); i++ {
		if step := rows[i].at.Sub(rows[i-1].at); step < time.Second || step > 5*time.Second {
			t.Fatalf("row %d comes %v after the one before", i, step)
		}
	}
}

func checkBatches(t *testing.T, batches []int) {
	t.Helper()
	for i, rows := range batches {
		if full := i < len(batches)-1; rows > 10_000 || full && rows < 10_000 {
			t.Errorf("INSERT %d of %d has %d rows", i+1, len(batches), rows)
		}
	}
}

// The addresses of the longest log allowed stay clear of the successes'.
func TestFailureAddressesStayInTheirBlock(t *testing.T) {
	for n, want := range map[int]string{
		0:              "127.200.1.1",
		252:            "127.200.1.253",
		253:            "127.200.2.1",
		255*253 - 1:    "127.200.255.253",
		255 * 253:      "127.201.0.1",
		maxLogRows + 9: "127.246.82.189",
	} {
		if got := failureAddress(n); got != want {
			t.Errorf("failure %d comes from %s, want %s", n, got, want)
		}
	}
}

func lines(t *testing.T, dir, name string) []string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	text, ended := strings.CutSuffix(string(content), "\n")
	if !ended {
		t.Fatalf("%s does not end its last line", name)
	}
	return strings.Split(text, "\n")
}

func table(t *testing.T, dir, name string, columns int) (rows [][]string) {
	t.Helper()
	for n, line := range lines(t, dir, name) {
		fields := strings.Split(line, "\t")
		if len(fields) != columns {
			t.Fatalf("%s:%d has %d columns, want %d", name, n+1, len(fields), columns)
		}
		rows = append(rows, fields)
	}
	return rows
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
