package accesslog

import (
	"bytes"
	"time"
)

// duration is a time taken, as a log writes it.
type duration struct {
	micro   int64   // millionths of the unit, whatever the unit is
	tries   int     // how many were added up
	hops    int     // internal redirects between them
	present bool    // there was a number, not just "-"
	whole   bool    // none had a fraction
	unit    float64 // seconds, if written behind the number
	ok      bool    // it could be read
}

// parseDuration reads a number; "-" or nothing for none; or what nginx writes
// after retries and internal redirects: "0.100, 0.200 : 0.300".
// https://nginx.org/en/docs/http/ngx_http_upstream_module.html#var_upstream_addr
func parseDuration(b []byte) duration {
	if len(b) == 0 || len(b) == 1 && b[0] == '-' {
		return duration{whole: true, ok: true}
	}
	d := duration{whole: true}
	i := 0
	for {
		for i < len(b) && b[i] == ' ' {
			i++
		}
		if i < len(b) && b[i] == '-' && (i+1 == len(b) || b[i+1] == ',' || b[i+1] == ' ') {
			i++ // a try that never got so far
			if len(b) > 1 {
				d.tries++
			}
		} else if i < len(b) {
			n, next, whole, ok := decimal(b, i)
			if !ok {
				return duration{}
			}
			i = next
			if unit, length := unitBehind(b[i:]); length > 0 {
				d.unit = unit
				i += length
			}
			d.micro += n
			d.whole = d.whole && whole
			d.tries++
			d.present = true
		}
		for i < len(b) && b[i] == ' ' {
			i++
		}
		if i == len(b) {
			d.ok = true
			return d
		}
		switch b[i] {
		case ',':
		case ':':
			d.hops++
		default:
			return duration{}
		}
		i++
	}
}

// decimal reads digits with at most one dot, and an exponent, as millionths.
func decimal(b []byte, i int) (micro int64, next int, whole, ok bool) {
	const most = int64(1) << 42 // of the unit; 10⁻⁶ of that fits
	start := i
	var n int64
	for ; i < len(b) && b[i]-'0' <= 9; i++ {
		if n < most {
			n = n*10 + int64(b[i]-'0')
		}
	}
	found := i > start
	whole = true
	micro = min(n, most) * 1_000_000
	if i < len(b) && b[i] == '.' {
		whole = false
		scale := int64(100_000)
		for i++; i < len(b) && b[i]-'0' <= 9; i++ {
			micro += int64(b[i]-'0') * scale
			scale /= 10
			found = true
		}
	}
	if found && i < len(b) && b[i]|0x20 == 'e' { // JSON: 1.2e-05
		j, negative, exponent := i+1, false, 0
		if j < len(b) && (b[j] == '-' || b[j] == '+') {
			negative = b[j] == '-'
			j++
		}
		if j < len(b) && b[j]-'0' <= 9 {
			micro, exponent, i = exponentiate(b, start, i, j, negative)
			whole = exponent >= 0 && whole
		}
	}
	return micro, i, whole, found
}

// exponentiate reads what decimal left, slowly: mantissa b[start:e], exponent from j.
func exponentiate(b []byte, start, e, j int, negative bool) (micro int64, exponent, next int) {
	for ; j < len(b) && b[j]-'0' <= 9; j++ {
		exponent = min(exponent*10+int(b[j]-'0'), 1000)
	}
	if negative {
		exponent = -exponent
	}
	x, scale := 0.0, 1.0
	fraction := false
	for _, c := range b[start:e] {
		switch {
		case c == '.':
			fraction = true
		case fraction:
			scale /= 10
			x += float64(c-'0') * scale
		default:
			x = x*10 + float64(c-'0')
		}
	}
	x *= 1e6
	for range max(exponent, -exponent) {
		if exponent > 0 {
			x *= 10
		} else {
			x /= 10
		}
	}
	return int64(min(x, 4e18)), exponent, j
}

// unitBehind reads a unit behind a number: 12ms, 850µs, 1.2s.
func unitBehind(b []byte) (unit float64, length int) {
	for _, u := range [...]struct {
		text string
		unit float64
	}{{"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"μs", 1e-6}, {"ns", 1e-9}, {"s", 1}} {
		if len(b) >= len(u.text) && string(b[:len(u.text)]) == u.text {
			return u.unit, len(u.text)
		}
	}
	return 0, 0
}

// whole reads digits only.
func whole(b []byte) (n int64, ok bool) {
	if len(b) == 0 || len(b) > 18 {
		return 0, false
	}
	for _, c := range b {
		if c-'0' > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return n, true
}

// parseTime reads when a request was logged, in seconds since 1970.
func parseTime(b []byte) (unix float64, ok bool) {
	switch {
	case len(b) >= 26 && b[2] == '/' && b[6] == '/' && b[11] == ':': // 21/Nov/2026:23:05:06 +0900
		return commonTime(b)
	case len(b) >= 19 && b[4] == '-' && b[7] == '-' && (b[10] == 'T' || b[10] == ' '):
		return isoTime(b)
	}
	if d := parseDuration(b); d.ok && d.present && d.tries == 1 { // seconds, or milliseconds and less of some loggers
		unix = float64(d.micro) / 1e6
		for unix > 1e11 {
			unix /= 1000
		}
		return unix, true
	}
	for _, layout := range [...]string{time.RFC1123Z, time.RFC1123, time.RFC850, time.ANSIC, "2006/01/02 15:04:05"} {
		if t, err := time.Parse(layout, string(b)); err == nil {
			return float64(t.UnixNano()) / 1e9, true
		}
	}
	return 0, false
}

const months = "JanFebMarAprMayJunJulAugSepOctNovDec"

// commonTime reads the time of the common log format.
func commonTime(b []byte) (float64, bool) {
	month := bytes.Index([]byte(months), b[3:6])
	if month < 0 || month%3 != 0 {
		return 0, false
	}
	day, ok1 := whole(b[0:2])
	year, ok2 := whole(b[7:11])
	seconds, ok3 := clock(b[12:20])
	zone, ok4 := zone(b[21:])
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return 0, false
	}
	return float64(days(year, int64(month/3+1), day)*86400 + seconds - zone), true
}

// isoTime reads ISO 8601 with or without a fraction; without a zone it is taken as UTC.
func isoTime(b []byte) (float64, bool) {
	year, ok1 := whole(b[0:4])
	month, ok2 := whole(b[5:7])
	day, ok3 := whole(b[8:10])
	seconds, ok4 := clock(b[11:19])
	if !ok1 || !ok2 || !ok3 || !ok4 || month < 1 || month > 12 {
		return 0, false
	}
	rest, fraction := b[19:], 0.0
	if len(rest) > 0 && (rest[0] == '.' || rest[0] == ',') {
		scale, i := 0.1, 1
		for ; i < len(rest) && rest[i]-'0' <= 9; i++ {
			fraction += float64(rest[i]-'0') * scale
			scale /= 10
		}
		rest = rest[i:]
	}
	zone, ok := zone(rest)
	return float64(days(year, month, day)*86400+seconds-zone) + fraction, ok
}

func clock(b []byte) (seconds int64, ok bool) {
	h, ok1 := whole(b[0:2])
	m, ok2 := whole(b[3:5])
	s, ok3 := whole(b[6:8])
	return h*3600 + m*60 + s, ok1 && ok2 && ok3 && b[2] == ':' && b[5] == ':'
}

// zone reads +0900, +09:00, Z or nothing, as seconds east.
func zone(b []byte) (seconds int64, ok bool) {
	if len(b) == 0 || b[0] == 'Z' {
		return 0, true
	}
	if len(b) < 5 || b[0] != '+' && b[0] != '-' {
		return 0, false
	}
	minutes := b[3:5]
	if b[3] == ':' && len(b) >= 6 {
		minutes = b[4:6]
	}
	h, ok1 := whole(b[1:3])
	m, ok2 := whole(minutes)
	seconds = h*3600 + m*60
	if b[0] == '-' {
		seconds = -seconds
	}
	return seconds, ok1 && ok2
}

// days since 1970-01-01 in the Gregorian calendar.
func days(year, month, day int64) int64 {
	if month <= 2 {
		year--
		month += 12
	}
	return 365*year + year/4 - year/100 + year/400 + (153*(month-3)+2)/5 + day - 1 - 719468
}
