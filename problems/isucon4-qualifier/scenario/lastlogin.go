package scenario

import (
	"fmt"
	"math"
	"net/netip"
	"net/url"
	"strings"
	"sync"
	"time"

	"hotseat/bench"
)

const lastLoginFormat = "2006-01-02 15:04:05"

// checkLastAddress compares the address that my page shows with the one of
// the customer's last login.
func checkLastAddress(last *login, current string, shown element) *bench.Mismatch {
	if shown.is(last.ip) {
		return nil
	}
	m := &bench.Mismatch{
		Code:     "value-mismatch",
		Expected: last.ip,
		Actual:   shown.shown(),
		Message:  "#" + lastAddressID + " is not the address of the login before",
		Hint:     "exactly the address: no white space around it, no elements in it",
	}
	switch {
	case !shown.found:
		m.Code, m.Actual = "selector-missing", "no element with the id "+lastAddressID
	case shown.text == current:
		m.Hint = "this is the address of the current login; the one before is due"
	}
	return m
}

// checkLastFormat wants the time to be written as promised.
func checkLastFormat(shown element) *bench.Mismatch {
	if _, err := time.Parse(lastLoginFormat, shown.text); shown.found && shown.other == "" && err == nil {
		return nil
	}
	m := &bench.Mismatch{
		Code:     "time-format",
		Expected: "YYYY-MM-DD HH:MM:SS",
		Actual:   shown.shown(),
		Message:  "#" + lastTimeID + " is not a time in the promised form",
		Hint:     "exactly the time: no white space around it, no zone, no elements in it",
	}
	if !shown.found {
		m.Code, m.Actual = "selector-missing", "no element with the id "+lastTimeID
	}
	return m
}

const (
	// Databases cut fractions of a second off or round them.
	clockSlack = time.Second
	// All time zones are multiples of this away from UTC.
	zoneStep = 15 * time.Minute
	// A virtual machine behind a forwarded port may be this wrong.
	clockSkew = time.Minute
)

// clock knows how the times that the server shows differ from ours: by its
// time zone, which nobody tells us, and by how wrong either clock is. The
// difference stays the same all through a run, or the times shown are wrong.
// (A zone that begins or ends daylight saving in mid-run is not provided for.)
type clock struct {
	local bool // the server seems to be on this machine: the difference is a time zone, nearly

	mu          sync.Mutex
	known       bool
	least, most time.Duration // the difference lies between these
}

// check compares a time that a page shows with the moment that it should be.
// Each good one narrows down the difference of the clocks.
func (c *clock) check(shown time.Time, last *login) *bench.Mismatch {
	least, most := shown.Sub(last.done)-clockSlack, shown.Sub(last.sent)+clockSlack
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.known {
		c.least, c.most = math.MinInt64, math.MaxInt64
		if c.local {
			zone := ((least + most) / 2).Round(zoneStep)
			c.least, c.most = zone-clockSkew, zone+clockSkew
		}
	}
	if c.least <= most && least <= c.most {
		c.known, c.least, c.most = true, max(c.least, least), min(c.most, most)
		return nil
	}
	// The difference that would suit best shows the wanted time in the server's own zone.
	near := c.least
	if least > c.most {
		near = c.most
	}
	return &bench.Mismatch{
		Code: "value-mismatch",
		Expected: fmt.Sprintf("%s to %s", last.sent.UTC().Add(near-clockSlack).Format(lastLoginFormat),
			last.done.UTC().Add(near+clockSlack).Format(lastLoginFormat)),
		Actual:  shown.Format(lastLoginFormat),
		Message: "#" + lastTimeID + " is not the time of the login before",
		Hint:    "the login before the current one is due, in one time zone all through the run",
	}
}

// onThisMachine reports whether a target is on the machine of the benchmark.
func onThisMachine(target string) bool {
	if strings.HasPrefix(target, "unix:") {
		return true
	}
	u, err := url.Parse(target)
	return err == nil && isLoopback(u.Hostname())
}

func isLoopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.IsLoopback()
}

// hostPort returns the host and port of a URL in one spelling.
func hostPort(u *url.URL) (host, port string) {
	host, port = strings.ToLower(u.Hostname()), u.Port()
	if isLoopback(host) {
		host = "localhost"
	}
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return host, port
}
