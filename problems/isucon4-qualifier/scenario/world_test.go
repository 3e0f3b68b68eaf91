package scenario

import (
	"math/rand/v2"
	"testing"
	"time"
)

// The lists of §15.3, and what comes after its last one.
func TestListAddress(t *testing.T) {
	for _, test := range []struct {
		list, i, octet int
		want           string
	}{
		{0, 0, 1, "127.1.0.1"},
		{0, 126, 127, "127.1.0.127"},
		{1, 0, 128, "127.1.0.128"},
		{1, 126, 254, "127.1.0.254"},
		{2, 4, 5, "127.1.1.5"},
		{255, 126, 254, "127.1.127.254"},
		{256, 0, 1, "127.2.0.1"},
		{lastList, 126, 254, "127.99.127.254"},
	} {
		if ip, octet := listAddress(test.list, test.i); ip != test.want || octet != test.octet {
			t.Errorf("list %d, address %d: got %s (%d), want %s (%d)", test.list, test.i, ip, octet, test.want, test.octet)
		}
	}
}

func TestListsNeverRepeatButInTheOriginal(t *testing.T) {
	seen := map[string]bool{}
	strict := lists{size: 3}
	for range 3 * originalLists {
		for _, a := range strict.next() {
			if seen[a.ip] {
				t.Fatalf("%s again", a.ip)
			}
			seen[a.ip] = true
		}
	}
	strict.given = make([][]*address, lastList+1)
	if strict.next() != nil {
		t.Error("a list after the last")
	}
	original := lists{size: 3, repeats: true}
	first := original.next()
	first[0].settle(wrong)
	for range originalLists - 1 {
		original.next()
	}
	again := original.next()
	if again[0].ip != first[0].ip || again[0].low != 0 {
		t.Errorf("list 256 begins with %s, %d failures; want %s with none", again[0].ip, again[0].low, first[0].ip)
	}
}

// A list wears out when 64 of its 127 addresses are banned (§15.3).
func TestRotationWears(t *testing.T) {
	l := lists{size: listSize}
	r := rotation{list: l.next()}
	for i := range 64 {
		if r.worn() {
			t.Fatalf("worn with %d banned", i)
		}
		for range banThreshold {
			r.list[i].settle(wrong)
		}
	}
	if !r.worn() {
		t.Error("not worn with 64 banned")
	}
	dice := rand.New(rand.NewPCG(1, 2))
	for _, a := range r.list[64:] {
		a.maybe(wrong)
	}
	for range 1000 {
		if a := r.next(dice); a == nil || a.unsure() {
			t.Fatalf("an address of unknown state: %v", a)
		}
	}
}

// A window wears out when more than a fifth is locked, and nobody picks what
// another holds.
func TestCustomers(t *testing.T) {
	w := &world{window: 10}
	for i := range 30 {
		w.accounts = append(w.accounts, &account{customer: customer{id: i}, failures: failures{threshold: lockThreshold}})
	}
	c := customers{world: w, first: 25, dice: rand.New(rand.NewPCG(1, 2))}
	held := map[*account]bool{}
	for range 10 {
		a := c.pick()
		if held[a] || (a.id >= 5 && a.id < 25) {
			t.Fatalf("picked %d", a.id)
		}
		held[a] = true
	}
	if c.pick() == nil {
		t.Fatal("no window where there are free accounts elsewhere")
	}
	for a := range held {
		w.release(a)
	}
	c.first = 25
	for i, id := range []int{25, 29, 0} {
		if c.worn() {
			t.Fatalf("worn with %d locked", i)
		}
		for range lockThreshold {
			w.accounts[id].settle(locked)
		}
	}
	if !c.worn() {
		t.Error("not worn with 3 of 10 locked")
	}
	for _, a := range w.accounts {
		a.held = true
	}
	if a := c.pick(); a != nil {
		t.Errorf("picked %d, which is held", a.id)
	}
}

func TestFailures(t *testing.T) {
	f := failures{threshold: lockThreshold}
	expect := func(low, high int, reached, may, unsure bool) {
		t.Helper()
		if f.low != low || f.high != high || f.reached() != reached || f.mayHaveReached() != may || f.unsure() != unsure {
			t.Fatalf("got %+v, reached %v, may have %v, unsure %v", f, f.reached(), f.mayHaveReached(), f.unsure())
		}
	}
	f.settle(wrong)
	f.settle(banned)
	expect(2, 2, false, false, false)
	g := f
	f.maybe(wrong)
	expect(2, 3, false, true, true)
	f = g
	f.maybe(accepted)
	expect(0, 2, false, false, true)
	f = failures{threshold: lockThreshold}
	f.maybe(accepted) // it may be worked off later, and set back what has failed by then
	expect(0, 0, false, false, true)
	f = g
	f.settle(accepted)
	expect(0, 0, false, false, false)
	if f.ever != 2 || f.onlyWithoutReset() {
		t.Fatalf("%+v", f)
	}
	f = g
	f.settle(locked)
	expect(3, 3, true, true, false)
	if !f.onlyByRefusals() {
		t.Fatal("1 of 3 failures was for a wrong password")
	}
	f.maybe(locked) // there is no way back
	f.settle(accepted)
	expect(3, 3, true, true, false)
	f.forget()
	if f.reached() || !f.mayHaveReached() || !f.unsure() {
		t.Fatalf("%+v", f)
	}
}

// §15.8: rounded up for each worker.
func TestWorkerScore(t *testing.T) {
	for _, test := range []struct{ pages, assets, want int64 }{
		{0, 0, 0}, {1, 0, 1}, {1, 1, 2}, {2, 8, 3}, {200, 800, 216}, {0, 1, 1},
	} {
		if got := workerScore(test.pages, test.assets); got != test.want {
			t.Errorf("%d pages, %d assets: got %d, want %d", test.pages, test.assets, got, test.want)
		}
	}
}

// The time that a server shows is judged up to its zone, which stays the same.
func TestClock(t *testing.T) {
	start := time.Date(2026, 3, 4, 5, 6, 7, 500e6, time.UTC)
	at := func(s float64) *login {
		sent := start.Add(time.Duration(s * 1e9))
		return &login{sent: sent, done: sent.Add(20 * time.Millisecond)}
	}
	// shown as a server in that zone shows it, cut to seconds
	shown := func(s float64, zone time.Duration) time.Time {
		return start.Add(time.Duration(s*1e9) + 10*time.Millisecond + zone).Truncate(time.Second)
	}
	const japan, nepal = 9 * time.Hour, 5*time.Hour + 45*time.Minute
	for _, test := range []struct {
		name  string
		local bool
		zones []time.Duration // one login each, 4 s apart; the last one is judged
		off   time.Duration
		bad   bool
	}{
		{"same zone", true, []time.Duration{0, 0, 0}, 0, false},
		{"Japan", true, []time.Duration{japan, japan}, 0, false},
		{"Nepal", true, []time.Duration{nepal, nepal}, 0, false},
		{"two zones", true, []time.Duration{japan, 0}, 0, true},
		{"the current login's", true, []time.Duration{0, 0}, 3 * time.Second, true},
		{"the first is off", true, []time.Duration{japan}, 5 * time.Minute, true},
		{"rounded up", true, []time.Duration{0, 0}, time.Second, false},
		{"elsewhere, a wrong clock", false, []time.Duration{5 * time.Minute, 5 * time.Minute}, 0, false},
		{"elsewhere, two zones", false, []time.Duration{0, japan}, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := clock{local: test.local}
			for i, zone := range test.zones {
				s, last := float64(4*i)+0.3, i == len(test.zones)-1
				off := time.Duration(0)
				if last {
					off = test.off
				}
				m := c.check(shown(s, zone+off), at(s))
				if bad := m != nil; bad != (last && test.bad) {
					t.Fatalf("login %d: %+v", i, m)
				}
			}
		})
	}
}

// All right times pass, wherever within a second they were taken, cut or rounded.
func TestClockAccusesNobody(t *testing.T) {
	dice := rand.New(rand.NewPCG(3, 4))
	for range 2000 {
		zone := time.Duration(dice.IntN(105)-48) * zoneStep
		skew := time.Duration(dice.Int64N(int64(50 * time.Second)))
		c := clock{local: dice.IntN(2) == 0}
		round := dice.IntN(2) == 0
		now := time.Unix(1_700_000_000+dice.Int64N(1e6), dice.Int64N(1e9))
		for range 20 {
			now = now.Add(time.Duration(dice.Int64N(int64(3 * time.Second))))
			l := &login{sent: now, done: now.Add(time.Duration(dice.Int64N(int64(2 * time.Second))))}
			taken := now.Add(time.Duration(dice.Int64N(int64(l.done.Sub(now)) + 1)))
			text := taken.UTC().Add(zone + skew)
			if round {
				text = text.Round(time.Second)
			}
			shown, err := time.Parse(lastLoginFormat, text.Format(lastLoginFormat))
			if err != nil {
				t.Fatal(err)
			}
			if m := c.check(shown, l); m != nil {
				t.Fatalf("zone %v, skew %v: %+v", zone, skew, m)
			}
		}
	}
}

func TestResolve(t *testing.T) {
	a := newAssets("http://127.0.0.1:8080", nil)
	page, err := a.target.Parse("/mypage")
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ reference, want string }{
		{"/a.css", "/a.css"},
		{"a.css", "/a.css"},
		{"./x/../a.css?v=1#top", "/a.css?v=1"},
		{"//127.0.0.1:8080/a.css", "/a.css"},
		{"http://localhost:8080/a.css", "/a.css"},
		{"HTTP://LOCALHOST:8080/a.css", "/a.css"},
		{"http://[::1]:8080", "/"},
		{"/ä?q=a b", "/%C3%A4?q=a%20b"},
		{"?x", "/mypage?x"},
		{"http://127.0.0.1/a.css", ""},
		{"https://127.0.0.1:8080/a.css", ""},
		{"http://example.com:8080/a.css", ""},
		{"data:,x", ""},
		{"javascript:void(0)", ""},
		{"http:a.css", ""},
		{"%zz", ""},
	} {
		got, ours := a.resolve(page, test.reference)
		if ours != (test.want != "") || got != test.want {
			t.Errorf("%s: got %q, %v, want %q", test.reference, got, ours, test.want)
		}
	}
}
