package data

import (
	"crypto/md5"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The facts say the same as the rows that the database gets.
func TestFactsAreTheRows(t *testing.T) {
	dir := small(t)
	rows := func(name string) [][]string {
		t.Helper()
		var list [][]string
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if strings.HasPrefix(line, "(") {
				line = strings.Trim(line, "(),;\n")
				list = append(list, strings.Split(strings.ReplaceAll(line, "'", ""), ","))
			}
		}
		return list
	}
	facts := func(name string) map[string][]string {
		t.Helper()
		table := map[string][]string{}
		text, err := os.ReadFile(filepath.Join(dir, "truth", name+".tsv"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			field := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			table[field[0]] = field
		}
		return table
	}
	// apiTime is a time of the rows as the API shows it.
	apiTime := func(sql string) string { return strings.Replace(sql, " ", "T", 1) + "Z" }
	same := func(what string, fact, want []string) {
		t.Helper()
		if fmt.Sprint(fact) != fmt.Sprint(want) {
			t.Errorf("%s: the facts say %v, the rows %v", what, fact, want)
		}
	}
	count := func(what string, got, want int) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %d facts, %d rows", what, got, want)
		}
	}

	same("day", facts("day")["1"], []string{"1", "2026-01-30T00:00:00Z"})
	users, userRows := facts("users"), rows("rows/users.sql")
	count("users", len(users), len(userRows))
	for _, r := range userRows {
		same("user", users[r[0]], r[:3])
	}
	genres, genreRows := facts("genres"), rows("rows/genres.sql")
	count("genres", len(genres), len(genreRows))
	for _, r := range genreRows {
		same("genre", genres[r[0]], r[:2])
	}
	venues, venueRows := facts("venues"), rows("rows/venues.sql")
	count("venues", len(venues), len(venueRows))
	for _, r := range venueRows {
		same("venue", venues[r[0]], []string{r[0], r[1], r[2], apiTime(r[3])})
	}
	slots, slotRows := facts("timeslots"), rows("sql/timeslots.sql")
	count("timeslots", len(slots), len(slotRows))
	for _, r := range slotRows {
		same("timeslot", slots[r[0]], []string{r[0], r[1], strings.Replace(r[2], "NULL", "0", 1), apiTime(r[3]), apiTime(r[4]), apiTime(r[5])})
	}

	reserved := map[string]int{}
	reservations, reservationRows := facts("reservations"), rows("sql/reservations.sql")
	count("reservations", len(reservations), len(reservationRows))
	for _, r := range reservationRows {
		reserved[r[2]] += number(t, r[3])
		same("reservation", reservations[r[0]], []string{r[0], r[1], r[2], r[3], apiTime(r[4])})
	}
	events, eventRows := facts("events"), rows("rows/events.sql")
	count("events", len(events), len(eventRows))
	for _, r := range eventRows {
		picture := "-"
		if r[8] != "NULL" {
			png, err := base64.StdEncoding.DecodeString(r[8])
			if err != nil {
				t.Fatal(err)
			}
			sum := md5.Sum(png)
			picture = hex.EncodeToString(sum[:])
		}
		same("event", events[r[0]], []string{r[0], r[1], r[2], r[3], r[4], apiTime(r[5]), apiTime(r[6]), r[7], apiTime(r[9]), fmt.Sprint(reserved[r[0]]), picture})
	}
}
