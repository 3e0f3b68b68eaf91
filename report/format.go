package report

import (
	"math"
	"strconv"
	"strings"
)

// count writes a whole number with thousands separated: 1,234,567.
func count(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if s[0] == '-' {
		sign, s = "-", s[1:]
	}
	var b strings.Builder
	b.WriteString(sign)
	for i, digit := range []byte(s) {
		if i > 0 && (len(s)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteByte(digit)
	}
	return b.String()
}

// large is count for a place with little room: from ten million on in words.
func large(n int64) string {
	size := math.Abs(float64(n))
	if size < 1e7 {
		return count(n)
	}
	for _, unit := range []struct {
		size float64
		name string
	}{{1e18, "quintillion"}, {1e15, "quadrillion"}, {1e12, "trillion"}, {1e9, "billion"}} {
		if size >= unit.size {
			return number(float64(n)/unit.size) + " " + unit.name
		}
	}
	return number(float64(n)/1e6) + " million"
}

// number writes x with about three significant digits, thousands separated
// above a thousand.
func number(x float64) string {
	switch size := math.Abs(x); {
	case size >= 9e18 || math.IsNaN(x):
		return strconv.FormatFloat(x, 'g', 4, 64)
	case size >= 100:
		return count(int64(math.Round(x)))
	case size >= 10:
		return trim(x, 1)
	case size >= 0.1:
		return trim(x, 2)
	case size >= 0.01:
		return trim(x, 3)
	default:
		return trim(x, 4)
	}
}

// trim writes x with at most so many decimals.
func trim(x float64, decimals int) string {
	s := strconv.FormatFloat(x, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	if s == "-0" {
		return "0"
	}
	return s
}

// short writes a number for an axis: 1.5k, 20M.
func short(x float64) string {
	size := math.Abs(x)
	for _, unit := range []struct {
		size float64
		name string
	}{{1e18, "E"}, {1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if size >= unit.size {
			return trim(x/unit.size, 2) + unit.name
		}
	}
	if size < 1 {
		return trim(x, 4)
	}
	return trim(x, 2)
}

// milliseconds writes a time given in milliseconds with its unit.
func milliseconds(ms float64) string {
	switch {
	case ms >= 100_000:
		return count(int64(math.Round(ms/1000))) + " s"
	case ms >= 1000:
		return strconv.FormatFloat(ms/1000, 'f', 2, 64) + " s"
	case ms >= 100:
		return strconv.FormatFloat(ms, 'f', 0, 64) + " ms"
	case ms >= 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + " ms"
	case ms == 0:
		return "0 ms"
	default:
		return strconv.FormatFloat(ms, 'f', 2, 64) + " ms"
	}
}

// seconds writes a time given in seconds with its unit.
func seconds(s float64) string {
	if math.Abs(s) >= 1000 {
		return count(int64(math.Round(s))) + " s"
	}
	return strconv.FormatFloat(s, 'f', 1, 64) + " s"
}

// byteSize writes a size in decimal units.
func byteSize(n int64) string {
	if n < 1000 && n > -1000 {
		return count(n) + " B"
	}
	x, unit := float64(n)/1000, 0
	for math.Abs(x) >= 999.5 && unit < 5 {
		x /= 1000
		unit++
	}
	return trim(x, map[bool]int{true: 0, false: 1}[math.Abs(x) >= 100]) + " " + []string{"kB", "MB", "GB", "TB", "PB", "EB"}[unit]
}

// percent writes a share, of 1, in percent.
func percent(share float64) string {
	p := 100 * share
	switch {
	case p == 0:
		return "0 %"
	case math.Abs(p) < 0.1:
		return "<0.1 %"
	case math.Abs(p) < 10:
		return strconv.FormatFloat(p, 'f', 1, 64) + " %"
	default:
		return strconv.FormatFloat(p, 'f', 0, 64) + " %"
	}
}

// plural returns "1 error" or "3 errors".
func plural(n int64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return count(n) + " " + many
}
