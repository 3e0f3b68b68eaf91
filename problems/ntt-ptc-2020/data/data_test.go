package data

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"hotseat/problem/problemtest"
)

var update = flag.Bool("update", false, "write testdata/digests.tsv anew")

// day is at the end of a month, and not at midnight.
var day = time.Date(2026, 1, 30, 15, 4, 5, 0, time.FixedZone("", 9*3600))

var public = fstest.MapFS{"public/index.html": {Data: []byte("<!DOCTYPE html>")}}

func small(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := Generate(t.Context(), dir, public, Small(day)); err != nil {
		t.Fatal(err)
	}
	return dir
}

// A change of any byte must come with another generation, or caches would go on
// with what they have.
func TestBytesBelongToTheGeneration(t *testing.T) {
	problemtest.Recorded(t, generation, "small\t"+problemtest.Digest(t, small(t))+"\n", *update)
}

func TestVersionChangesWithTheDayAndThePages(t *testing.T) {
	version := func(files fs.FS, day time.Time) string {
		v, err := Version(files, day)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	seen := map[string]bool{}
	for _, v := range []string{
		version(public, day), version(public, day.AddDate(0, 0, 1)),
		version(fstest.MapFS{"public/index.html": {Data: []byte("<p>")}}, day),
	} {
		if seen[v] {
			t.Errorf("%s twice", v)
		}
		seen[v] = true
	}
	if !seen[version(public, day.Truncate(time.Hour))] {
		t.Error("the hour matters, which it does not to the data")
	}
}

func TestDayIsTheFirstOfTheMonth(t *testing.T) {
	for text, want := range map[string]string{
		"2026-01-30T15:04:05+09:00": "2026-01-01", "2026-02-01T08:59:59+09:00": "2026-01-01",
		"2026-02-01T00:00:00Z": "2026-02-01", "2024-02-29T23:59:59Z": "2024-02-01",
	} {
		now, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		if got := Day(now).Format(time.DateOnly); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

func TestNamesAreUniqueAndShort(t *testing.T) {
	p, err := drawPeople(Full(day))
	if err != nil {
		t.Fatal(err)
	}
	if len(p.all) != lastUser {
		t.Errorf("%d users, want %d", len(p.all), lastUser)
	}
	seen := map[string]bool{}
	for _, one := range p.all {
		if n := len([]rune(one.name)); seen[one.name] || n > 8 {
			t.Errorf("%q: seen %v, %d characters", one.name, seen[one.name], n)
		}
		seen[one.name] = true
	}
	for i, want := range map[int]string{p.firstAudience: p.audiences[0], p.firstArtist: p.artists[0]} {
		if got := p.all[i-1].name; got != want {
			t.Errorf("user %d is %s, want %s", i, got, want)
		}
	}
}

// What the scenario and the specification need of the full world.
func TestFullWorld(t *testing.T) {
	opts := Full(day)
	p, err := drawPeople(opts)
	if err != nil {
		t.Fatal(err)
	}
	w, err := drawWorld(opts, p)
	if err != nil {
		t.Fatal(err)
	}
	today := opts.midnight()
	if got := today.Format(time.DateOnly); got != "2026-01-30" {
		t.Fatalf("the world's day is %s", got)
	}
	slotsOf := map[int][]timeslot{}
	for _, s := range w.slots {
		slotsOf[s.event] = append(slotsOf[s.event], s)
	}
	upcoming, soon, pictures := 0, 0, 0
	for i, e := range w.events {
		switch {
		case !e.start.Before(today.AddDate(0, 0, 1+shelfDays)):
			upcoming++
		case !e.start.Before(today.AddDate(0, 0, 1)):
			soon++
		}
		if e.pictureBytes > 0 {
			pictures += e.pictureBytes
		}
		slots := slotsOf[i+1]
		first, last := slots[0], slots[len(slots)-1]
		if e.venue != first.venue || e.venue != last.venue || e.start.Before(first.start) || e.end.After(last.start.Add(halfDay-time.Second)) ||
			!e.start.Before(e.end) || len(slots) == 2 && !first.start.Add(halfDay).Equal(last.start) || len(slots) > 2 {
			t.Errorf("event %d, %v to %v at %d, does not fit into %v", i+1, e.start, e.end, e.venue, slots)
		}
		if role := p.all[e.user-1].role; role != roleArtist {
			t.Errorf("event %d is of user %d, %s", i+1, e.user, role)
		}
	}
	if len(w.events) != 3696 || upcoming != opts.Upcoming || soon != opts.Soon {
		t.Errorf("%d events, %d upcoming, %d soon", len(w.events), upcoming, soon)
	}
	if buffer := 700 << 20; pictures*4/3 < buffer {
		t.Errorf("%d bytes of pictures fit into a buffer pool of %d", pictures*4/3, buffer)
	}
	if len(w.slots) != 60_006 || w.slots[6].venue != 1 || w.slots[24_202].venue != 121 {
		t.Errorf("%d timeslots", len(w.slots))
	}
	free := map[int]int{}
	for _, s := range w.slots { // on the last day of the shelf life
		if s.event == 0 && s.start.After(today.AddDate(0, 0, 1+shelfDays)) && s.start.Before(today.AddDate(0, 0, 60+shelfDays)) {
			free[s.venue]++
		}
	}
	for v := range w.venues {
		if free[v+1] < 4 {
			t.Errorf("venue %d has %d free timeslots in the next 60 days", v+1, free[v+1])
		}
	}
	sum := 0
	for _, v := range w.venues {
		sum += v.capacity
	}
	if mean := sum / len(w.venues); mean < 550 || mean > 680 {
		t.Errorf("venues hold %d on average", mean)
	}

	dir := t.TempDir()
	if err := w.writeReservations(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "sql", "reservations.sql"))
	if err != nil {
		t.Fatal(err)
	}
	tickets := map[int]int{}
	seen := map[[2]int]bool{}
	for line := range strings.Lines(string(text)) {
		field := strings.Split(line, ",")
		if !strings.HasPrefix(line, "(") {
			continue // the head of a statement, or its end
		}
		user, event, n := number(t, field[1]), number(t, field[2]), number(t, field[3])
		if seen[[2]int{user, event}] {
			t.Fatalf("user %d has two reservations of event %d", user, event)
		}
		seen[[2]int{user, event}] = true
		tickets[event] += n
	}
	if n := len(seen); n < 450_000 || n > 600_000 {
		t.Errorf("%d reservations", n)
	}
	full := 0
	for i, e := range w.events {
		room := w.venues[e.venue-1].capacity - tickets[i+1]
		if room < 0 {
			t.Errorf("event %d has %d tickets too many", i+1, -room)
		}
		if room < seats.Max {
			full++
		}
	}
	t.Logf("%d reservations, %d of %d events sold out, %d MB of pictures", len(seen), full, len(w.events), pictures>>20)
}

func number(t *testing.T, text string) int {
	t.Helper()
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestPicturesArePNGsOfTheirSize(t *testing.T) {
	for size := smallestPicture; size < 3_000_000; size = size*3/2 + 7 {
		file := poster(newChance(1, uint64(size)), size)
		if _, err := png.Decode(bytes.NewReader(file)); err != nil || len(file) != size {
			t.Errorf("a picture of %d bytes has %d: %v", size, len(file), err)
		}
	}
	picture, err := emblem(defaultSide, defaultBytes)
	if err != nil {
		t.Fatal(err)
	}
	config, err := png.DecodeConfig(bytes.NewReader(picture))
	if err != nil || config.Width != 128 || config.Height != 128 || len(picture) != defaultBytes {
		t.Errorf("the default picture: %v, %d bytes, %v", config, len(picture), err)
	}
}

func TestTruthTellsOfTheFiles(t *testing.T) {
	dir := small(t)
	read := func(name string) []byte {
		t.Helper()
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	var revoked, expired []string
	for name, into := range map[string]*[]string{"revoked": &revoked, "expired": &expired} {
		if err := json.Unmarshal(read("truth/"+name+"_token.json"), into); err != nil {
			t.Fatal(err)
		}
	}
	list := string(read("sql/seed.list"))
	if n := strings.Count(list, "\n"); n != Small(day).Revoked || len(revoked) != n || len(expired) != knownExpired {
		t.Errorf("%d tokens are revoked, %d known, %d expired", n, len(revoked), len(expired))
	}
	for _, token := range revoked {
		if !strings.Contains(list, token+"\n") {
			t.Errorf("not in the list: %s", token)
		}
	}
	if list != string(read("revocated_token.list")) || string(read("truth/jwt.key")) != Key {
		t.Error("the lists or the keys differ")
	}
	lines := strings.Split(strings.TrimSpace(string(read("truth/static.tsv"))), "\n")
	if len(lines) != 4 {
		t.Errorf("static files: %q", lines)
	}
	for _, line := range lines {
		field := strings.Split(line, "\t")
		content := public["public"+field[0]]
		if content == nil {
			content = &fstest.MapFile{Data: read("public" + field[0])}
		}
		if sum := md5.Sum(content.Data); fmt.Sprint(len(content.Data)) != field[1] || hex.EncodeToString(sum[:]) != field[2] {
			t.Errorf("%s: %d bytes, %x", line, len(content.Data), sum)
		}
	}
}

// problem.toml has the key, too: the app gets it from there.
func TestManifestHasTheKey(t *testing.T) {
	for _, name := range []string{"problem.toml", "env.sh"} {
		text, err := os.ReadFile(filepath.Join("..", name))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(text), Key) {
			t.Errorf("%s has another JWT_SECRET_KEY than %s", name, Key)
		}
	}
}

func TestOptionsThatCannotBe(t *testing.T) {
	for name, change := range map[string]func(*Options){
		"no day":           func(o *Options) { o.Day = time.Time{} },
		"users":            func(o *Options) { o.Others = lastUser },
		"names":            func(o *Options) { o.Bookings.Max = o.Audiences + 1 },
		"events":           func(o *Options) { o.Events = lastEvent + 1 },
		"upcoming":         func(o *Options) { o.Upcoming = o.Events + 1 },
		"soon":             func(o *Options) { o.Soon = o.Events },
		"days":             func(o *Options) { o.Days = 2 },
		"pictures":         func(o *Options) { o.Pictures = o.Events },
		"tiny pictures":    func(o *Options) { o.PictureBytes.Min = 10 },
		"nothing revoked":  func(o *Options) { o.Revoked = 0 },
		"bookings the end": func(o *Options) { o.Bookings = Range{3, 1} },
	} {
		t.Run(name, func(t *testing.T) {
			opts := Small(day)
			change(&opts)
			if err := Generate(t.Context(), t.TempDir(), public, opts); err == nil {
				t.Error("no error")
			}
		})
	}
}
