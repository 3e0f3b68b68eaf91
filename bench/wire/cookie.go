package wire

import (
	"bytes"
	"math"
	"strings"
	"time"
)

// Cookie is one cookie, as parsed from Set-Cookie or held by a Jar.
type Cookie struct {
	Name, Value string
	// Domain is in lower case and without a leading dot. In a Jar, an empty
	// Domain (only possible through Jar.Set) means: sent to every host.
	Domain string
	// HostOnly restricts the cookie to exactly Domain, as for a Set-Cookie
	// without a Domain attribute.
	HostOnly bool
	Path     string
	Secure   bool
	HTTPOnly bool
	// Expires is when the cookie ends; zero for a session cookie. Max-Age is
	// already worked in.
	Expires time.Time
}

// Bounds on cookies; the first two are the browsers' (RFC 6265bis §5.6 and §5.7).
const (
	maxCookie          = 4096 // bytes of name and value together
	maxCookieAttribute = 1024 // bytes of an attribute's value; longer ones are ignored
	maxCookies         = 180  // cookies in one jar
)

// setCookie is a Set-Cookie value taken apart in place.
type setCookie struct {
	name, value  []byte
	domain, path []byte // empty without the attribute
	expires      time.Time
	maxAge       int64 // seconds
	hasMaxAge    bool
	secure       bool
	httpOnly     bool
}

// expiry gives when the cookie ends, zero for a session cookie. Only Max-Age
// needs the clock; it wins over Expires, RFC 6265 §5.3.
func (sc *setCookie) expiry(now func() time.Time) time.Time {
	switch {
	case !sc.hasMaxAge:
		return sc.expires
	case sc.maxAge <= 0:
		return longAgo
	}
	return now().Add(time.Duration(sc.maxAge) * time.Second)
}

// ParseSetCookie reads one Set-Cookie value as RFC 6265 §5.2 says: leniently,
// ignoring unknown attributes. It is false for what a browser ignores: no
// name and no value, no "=", a control character, or name and value above 4096 bytes.
// Domain and Path are as given; now is what Max-Age counts from.
func ParseSetCookie(value []byte, now time.Time) (Cookie, bool) {
	sc, ok := parseSetCookie(value)
	if !ok {
		return Cookie{}, false
	}
	return Cookie{
		Name: string(sc.name), Value: string(sc.value),
		Domain: strings.ToLower(string(sc.domain)), HostOnly: len(sc.domain) == 0,
		Path: string(sc.path), Secure: sc.secure, HTTPOnly: sc.httpOnly,
		Expires: sc.expiry(func() time.Time { return now }),
	}, true
}

func parseSetCookie(b []byte) (sc setCookie, ok bool) {
	for _, c := range b {
		if !valueByte[c] {
			return sc, false
		}
	}
	pair, rest := cutByte(b, ';')
	name, value, found := bytes.Cut(pair, []byte{'='})
	sc.name, sc.value = trimBlank(name), trimBlank(value)
	if !found || len(sc.name) == 0 || len(sc.name)+len(sc.value) > maxCookie {
		return sc, false
	}
	for len(rest) > 0 {
		var attribute []byte
		attribute, rest = cutByte(rest, ';')
		name, value := cutByte(attribute, '=')
		name, value = trimBlank(name), trimBlank(value)
		if len(value) > maxCookieAttribute {
			continue
		}
		switch {
		case equalFold(name, "path"):
			sc.path = nil
			if len(value) > 0 && value[0] == '/' {
				sc.path = value
			}
		case equalFold(name, "httponly"):
			sc.httpOnly = true
		case equalFold(name, "secure"):
			sc.secure = true
		case equalFold(name, "domain"):
			if len(value) > 0 && value[0] == '.' {
				value = value[1:]
			}
			sc.domain = value
		case equalFold(name, "max-age"):
			if seconds, ok := parseMaxAge(value); ok {
				sc.maxAge, sc.hasMaxAge = seconds, true
			}
		case equalFold(name, "expires"):
			if t, ok := parseCookieDate(value); ok {
				sc.expires = t
			}
		}
	}
	return sc, true
}

// longAgo is the expiry of a cookie that is to be deleted.
var longAgo = time.Unix(0, 0).UTC()

// parseMaxAge reads a Max-Age in seconds. Anything from 68 years on is as good
// as for ever.
func parseMaxAge(b []byte) (seconds int64, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	for _, c := range b {
		if !isDigit(c) {
			return 0, false
		}
	}
	seconds, fits := parseLength(b)
	switch {
	case len(b) == 0:
		return 0, false
	case negative:
		return 0, true
	case !fits:
		return math.MaxInt32, true
	}
	return min(seconds, math.MaxInt32), true
}

// parseCookieDate is the forgiving date parser of RFC 6265 §5.1.1.
func parseCookieDate(b []byte) (time.Time, bool) {
	var hour, minute, second, day, month, year int
	var haveTime, haveDay, haveMonth, haveYear bool
	for len(b) > 0 {
		n := 0
		for n < len(b) && !dateDelimiter(b[n]) {
			n++
		}
		token := b[:n]
		b = b[min(n+1, len(b)):]
		if len(token) == 0 {
			continue
		}
		if !haveTime {
			if hour, minute, second, haveTime = parseClock(token); haveTime {
				continue
			}
		}
		if !haveDay {
			if day, haveDay = leadingNumber(token, 1, 2); haveDay {
				continue
			}
		}
		if !haveMonth {
			if month = monthNumber(token); month > 0 {
				haveMonth = true
				continue
			}
		}
		if !haveYear {
			year, haveYear = leadingNumber(token, 2, 4)
		}
	}
	switch {
	case 70 <= year && year <= 99:
		year += 1900
	case 0 <= year && year <= 69:
		year += 2000
	}
	if !haveTime || !haveDay || !haveMonth || !haveYear ||
		day < 1 || day > 31 || year < 1601 || hour > 23 || minute > 59 || second > 59 {
		return time.Time{}, false
	}
	t := time.Date(year, time.Month(month), day, hour, minute, second, 0, time.UTC)
	return t, t.Day() == day // no 31 February
}

func dateDelimiter(c byte) bool {
	return c == '\t' || (0x20 <= c && c <= 0x2f) || (0x3b <= c && c <= 0x40) || (0x5b <= c && c <= 0x60) || (0x7b <= c && c <= 0x7e)
}

// parseClock reads h:m:s with one or two digits each and anything that is not
// a digit behind it.
func parseClock(b []byte) (hour, minute, second int, ok bool) {
	var part [3]int
	for i := range part {
		n := 0
		for n < len(b) && n < 2 && isDigit(b[n]) {
			part[i] = part[i]*10 + int(b[n]-'0')
			n++
		}
		if n == 0 {
			return 0, 0, 0, false
		}
		b = b[n:]
		if i < 2 {
			if len(b) == 0 || b[0] != ':' {
				return 0, 0, 0, false
			}
			b = b[1:]
		}
	}
	if len(b) > 0 && isDigit(b[0]) {
		return 0, 0, 0, false
	}
	return part[0], part[1], part[2], true
}

// leadingNumber reads from least to most digits that no further digit follows.
func leadingNumber(b []byte, least, most int) (n int, ok bool) {
	i := 0
	for i < len(b) && isDigit(b[i]) {
		if i == most {
			return 0, false
		}
		n = n*10 + int(b[i]-'0')
		i++
	}
	return n, i >= least
}

func monthNumber(b []byte) int {
	if len(b) < 3 {
		return 0
	}
	for i, name := range [...]string{"jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"} {
		if equalFold(b[:3], name) {
			return i + 1
		}
	}
	return 0
}

func cutByte(b []byte, sep byte) (before, after []byte) {
	if i := bytes.IndexByte(b, sep); i >= 0 {
		return b[:i], b[i+1:]
	}
	return b, nil
}
