package bench

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

func TestAddresses(t *testing.T) {
	for prefix, want := range map[string]struct {
		count       uint32
		first, last string
	}{
		"127.0.0.0/8":    {65536*254 - 1, "127.0.0.2", "127.255.255.254"},
		"127.0.7.9/8":    {65536*254 - 1, "127.0.0.2", "127.255.255.254"},
		"127.3.0.0/16":   {256 * 254, "127.3.0.1", "127.3.255.254"},
		"127.0.0.0/24":   {253, "127.0.0.2", "127.0.0.254"},
		"127.9.9.0/24":   {254, "127.9.9.1", "127.9.9.254"},
		"127.0.0.0/28":   {14, "127.0.0.2", "127.0.0.15"},
		"127.0.0.16/28":  {16, "127.0.0.16", "127.0.0.31"},
		"127.0.0.240/28": {15, "127.0.0.240", "127.0.0.254"},
		"127.1.2.3/32":   {1, "127.1.2.3", "127.1.2.3"},
	} {
		a, err := parseAddresses(prefix)
		if err != nil {
			t.Errorf("%s: %v", prefix, err)
			continue
		}
		if first, last := a.at(0).String(), a.fromEnd(0).String(); a.count != want.count || first != want.first || last != want.last {
			t.Errorf("%s: %d addresses from %s to %s, want %+v", prefix, a.count, first, last, want)
		}
		if again := a.at(int(a.count)); again != a.at(0) {
			t.Errorf("%s: after the last comes %s", prefix, again)
		}
		seen := map[netip.Addr]bool{}
		for i := range min(int(a.count), 70_000) {
			addr := a.at(i)
			four := addr.As4()
			if seen[addr] || !netip.MustParsePrefix(prefix).Contains(addr) || four[3] == 0 || four[3] == 255 || addr.String() == "127.0.0.1" {
				t.Fatalf("%s: number %d is %s", prefix, i, addr)
			}
			seen[addr] = true
		}
	}
	for _, prefix := range []string{"", "127", "127.0.0.1", "10.0.0.0/8", "::1/128", "126.0.0.0/7", "0.0.0.0/0", "127.0.0.1/32", "127.0.0.0/31", "127.4.4.255/32"} {
		if a, err := parseAddresses(prefix); err == nil {
			t.Errorf("%q is %+v", prefix, a)
		}
	}
}

// guests is a target that notes who came from where.
type guests struct {
	mu   sync.Mutex
	seen map[string]map[string]bool // addresses by user
	conn map[string]bool            // address and port
}

func (g *guests) reset() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.seen, g.conn = map[string]map[string]bool{}, map[string]bool{}
}

func (g *guests) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	who := r.Header.Get("X-User")
	g.mu.Lock()
	if g.seen[who] == nil {
		g.seen[who] = map[string]bool{}
	}
	g.seen[who][host] = true
	g.conn[r.RemoteAddr] = true
	g.mu.Unlock()
	fmt.Fprint(w, "ok")
}

// meet runs a contest of two populations whose users come three times over new
// connections, and returns the address of each.
func meet(t *testing.T, readers, visitors int, change func(c *Contest, reader *ClosedPopulation, visitor *OpenPopulation)) map[string]string {
	t.Helper()
	g := new(guests)
	s := serve(t, g.ServeHTTP)
	const visits = 3
	come := func(u *User) error {
		name := fmt.Sprint(u.Population, u.ID)
		for range visits {
			u.SetHeader("X-User", name)
			if err := u.getOK("/").Err(); err != nil {
				return err
			}
			u.ResetConnections()
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if want := u.Source().String(); u.Source().IsValid() && !g.seen[name][want] {
			return fmt.Errorf("%s thinks that it comes from %s", name, want)
		}
		return nil
	}
	c := get()
	c.Sources = "127.0.0.0/8"
	c.Verify = []Scenario{{Name: "first", Run: come}, {Name: "second", Run: come}}
	work := func(u *User) Iteration {
		return func() error {
			err := come(u)
			u.Think(time.Minute, time.Minute) // once is enough
			return err
		}
	}
	c.Populations = func(*Run) []Population {
		reader, visitor := Closed("reader", work).Start(readers), Open("visitor", work).Users(visitors).PerSecond(float64(10*visitors)).MaxLate(time.Minute)
		change(&c, reader, visitor)
		return []Population{reader, visitor}
	}
	change(&c, Closed("", nil), Open("", nil))
	c.Drain = 20 * time.Second // all of them come, however slow this machine is
	o := unhurried(t, func(load time.Duration) (*outcomeOf, bool) {
		g.reset()
		return play(t, c, "--target", s.URL, "--duration", load.String()), len(g.seen) >= readers+visitors+len(c.Verify)
	}, time.Second, 8*time.Second, 30*time.Second)
	wantVerdict(t, o, hotseat.Pass, "")
	if len(g.conn) < visits*(readers+2) {
		t.Errorf("%d connections", len(g.conn))
	}
	addresses := map[string]string{}
	for who, from := range g.seen {
		if len(from) != 1 {
			t.Errorf("%s came from %v", who, from)
		}
		for a := range from {
			addresses[who] = a
		}
	}
	return addresses
}

// A server sees as many addresses as there are users, and each user under the
// same one, over all its connections and in every run.
func TestEveryUserHasAnAddress(t *testing.T) {
	const readers, visitors = 1016, 6
	first := meet(t, readers, visitors, func(*Contest, *ClosedPopulation, *OpenPopulation) {})
	if len(first) != readers+visitors+2 {
		t.Fatalf("%d users came", len(first))
	}
	who := map[string]string{}
	for user, address := range first {
		if other := who[address]; other != "" || address == "127.0.0.1" || strings.HasSuffix(address, ".0") || strings.HasSuffix(address, ".255") {
			t.Errorf("%s and %q come from %s", user, other, address)
		}
		who[address] = user
	}
	if len(who) != 1024 {
		t.Errorf("%d addresses", len(who))
	}
	again := meet(t, 3, visitors, func(*Contest, *ClosedPopulation, *OpenPopulation) {})
	for user, address := range again {
		if first[user] != address {
			t.Errorf("%s came from %s, and then from %s", user, first[user], address)
		}
	}
}

func TestSourcesOfAPopulation(t *testing.T) {
	t.Parallel()
	got := meet(t, 2, 1, func(_ *Contest, reader *ClosedPopulation, visitor *OpenPopulation) {
		reader.Sources("127.8.0.0/24")
		visitor.Sources("")
	})
	want := map[string]string{"first1": "127.255.255.254", "second1": "127.255.255.253",
		"reader1": "127.8.0.1", "reader2": "127.8.0.3", "visitor1": "127.0.0.1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSourcesNeedALoopbackTarget(t *testing.T) {
	t.Parallel()
	for target, accepted := range map[string]bool{
		"http://127.0.0.1:1":             true,
		"http://127.200.0.9:1":           true,
		"http://localhost:1":             true,
		"http://[::ffff:127.0.0.1]:1":    true,
		"http://10.1.2.3:1":              false,
		"http://[::1]:1":                 false,
		"http://example.invalid:1":       false,
		"http://127.0.0.1.example:1":     false,
		"unix:/run/hotseat-is-not-there": false,
	} {
		c := impatient(get())
		c.Sources = "127.0.0.0/8"
		o := play(t, c, "--target", target)
		if o.verdict.ExitUsage == accepted || !accepted && !strings.Contains(o.verdict.Reason, "of its own in 127.0.0.0/8") {
			t.Errorf("%s: %s", target, o.verdict.Reason)
		}
	}
	c := get()
	c.Populations = func(*Run) []Population { return []Population{Closed("reader", nil).Sources("127.0.0.0/8")} }
	dir := t.TempDir()
	l, err := net.Listen("unix", dir+"/socket")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close() //nolint:errcheck // nothing to lose
	if o := play(t, c, "--target", "unix:"+dir+"/socket"); !o.verdict.ExitUsage || o.verdict.Hint == "" {
		t.Errorf("%+v", o.verdict)
	}
}

func TestSourcesThatAreNone(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	c := get()
	c.Sources = "192.168.0.0/16"
	wantVerdict(t, play(t, c, "--target", s.URL), hotseat.Infra, "need no set-up (scenario-bug)")
	c = get()
	c.Populations = func(*Run) []Population { return []Population{Closed("reader", nil).Sources("all of them")} }
	wantVerdict(t, play(t, c, "--target", s.URL), hotseat.Infra, "population reader: sources")
}

func TestFailuresNameTheSource(t *testing.T) {
	t.Parallel()
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "no") })
	c := get()
	c.Sources = "127.77.0.0/16"
	o := play(t, c, "--target", s.URL)
	if f := o.sample(t, CodeValueMismatch); !strings.Contains(f.Curl, " --interface 127.77.0.") {
		t.Errorf("curl line %s", f.Curl)
	}
}
