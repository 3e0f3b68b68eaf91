package nttptc2020_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	nttptc2020 "hotseat/problems/ntt-ptc-2020"
	"hotseat/problems/ntt-ptc-2020/data"
)

// TestGeneratedData goes the way of each kind of users through generated data, at
// the ends of what a benchmark draws.
func TestGeneratedData(t *testing.T) {
	s := startSite(t, data.Key, func(s *site, t *testing.T) {
		if err := data.Generate(t.Context(), s.root, nttptc2020.Files, data.Small(s.now)); err != nil {
			t.Fatal(err)
		}
	})
	s.initialize(t)
	s.compareCounts(t)

	list := func(name string) []string {
		var names []string
		text, err := os.ReadFile(filepath.Join(s.root, "truth", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &names); err != nil {
			t.Fatal(err)
		}
		return names
	}
	for _, name := range []string{"audiences", "artists", "owners"} {
		names := list(name)
		token := s.login(t, names[len(names)-1], "password")
		s.get(t, 200, token, "/api/venues")
	}
	for _, name := range []string{"revoked_token", "expired_token"} {
		for _, token := range list(name)[:3] {
			s.get(t, 401, token, "/api/venues")
		}
	}

	page := s.get(t, 200, "", "/api/events?limit=12&offset=1700").([]any)
	if len(page) != 12 {
		t.Fatalf("%d events from 1700 on", len(page))
	}
	pictures := 0
	for i := range 40 {
		status, header, picture := s.send(t, "", "GET", fmt.Sprintf("/api/events/%d/image", i+1), "", nil)
		if status != 200 || header.Get("Content-Type") != "image/png" {
			t.Errorf("image: %d %v", status, header)
		}
		if len(picture) != 4779 {
			pictures++
		}
	}
	if pictures != 36 { // all but the first four
		t.Errorf("%d of 40 events have a picture", pictures)
	}
	venues := s.get(t, 200, s.as("user03", "artist"), "/api/venues?limit=5&offset=299").([]any)
	if len(venues) != 1 {
		t.Errorf("%d venues from 299 on", len(venues))
	}
	window := "?from=" + s.at(1, "00:00:00") + "&to=" + s.at(60, "00:00:00")
	if slots := s.get(t, 200, s.as("user03", "artist"), "/api/venues/300/timeslots"+window).([]any); len(slots) < 4 {
		t.Errorf("%d free timeslots at venue 300", len(slots))
	}
	if mine := s.get(t, 200, s.audience(), "/api/users/1/reservations").([]any); len(mine) != 5 {
		t.Errorf("user01 has %d reservations on the first page", len(mine))
	}
	t.Run("pages", s.testPages)
	e := s.get(t, 200, "", "/api/events/3").(map[string]any)
	if diff := cmp.Diff([]any{"future event 3", 3.0, 5000.0, []any{4.0}}, []any{e["event_name"], e["artist_id"], e["price"], e["timeslot_ids"]}); diff != "" {
		t.Error(diff)
	}
}

// compareCounts compares the tables with the files.
func (s *site) compareCounts(t *testing.T) {
	t.Helper()
	for file, table := range map[string]string{
		"rows/users": "users", "rows/venues": "venues", "rows/genres": "eventgenres", "rows/events": "events",
		"sql/timeslots": "timeslots", "sql/reservations": "reservations",
	} {
		text, err := os.ReadFile(filepath.Join(s.root, file+".sql"))
		if err != nil {
			t.Fatal(err)
		}
		var got int
		if err := s.db.QueryRow("SELECT COUNT(*) FROM " + table).Scan(&got); err != nil {
			t.Fatal(err)
		}
		if want := strings.Count(string(text), "\n("); got != want {
			t.Errorf("%s: %d rows, want %d", table, got, want)
		}
	}
}
