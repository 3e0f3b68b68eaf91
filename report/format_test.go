package report

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormats(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{count(0), "0"}, {count(999), "999"}, {count(1000), "1,000"}, {count(-1234567), "-1,234,567"}, {count(-999), "-999"},
		{count(math.MinInt64), "-9,223,372,036,854,775,808"},
		{large(9_999_999), "9,999,999"}, {large(12_345_678), "12.3 million"}, {large(1_530_200_000), "1.53 billion"}, {large(4e18), "4 quintillion"},
		{number(0), "0"}, {number(0.034), "0.034"}, {number(0.555), "0.56"}, {number(9.876), "9.88"}, {number(12.34), "12.3"}, {number(1234.5), "1,235"}, {number(-0.00001), "0"}, {number(1e20), "1e+20"},
		{short(0.25), "0.25"}, {short(1500), "1.5k"}, {short(2e6), "2M"}, {short(300), "300"}, {short(0), "0"},
		{milliseconds(0), "0 ms"}, {milliseconds(0.94), "0.94 ms"}, {milliseconds(12.44), "12.4 ms"}, {milliseconds(611.2), "611 ms"}, {milliseconds(1240), "1.24 s"}, {milliseconds(123456), "123 s"},
		{seconds(3.14), "3.1 s"}, {seconds(86400), "86,400 s"},
		{byteSize(0), "0 B"}, {byteSize(999), "999 B"}, {byteSize(1500), "1.5 kB"}, {byteSize(273e6), "273 MB"}, {byteSize(math.MaxInt64), "9.2 EB"},
		{percent(0), "0 %"}, {percent(0.0001), "<0.1 %"}, {percent(0.0123), "1.2 %"}, {percent(0.75), "75 %"}, {percent(1), "100 %"},
		{plural(1, "error", "errors"), "1 error"}, {plural(0, "error", "errors"), "0 errors"},
		{clock(45), "45 s"}, {clock(120), "2 min"}, {clock(3600), "1:00 h"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		top  float64
		want []float64
	}{
		{2, []float64{0, 0.5, 1, 1.5, 2}},
		{2709, []float64{0, 1000, 2000, 3000}},
		{1, []float64{0, 0.5, 1}},
		{7, []float64{0, 2, 4, 6, 8}},
		{0, []float64{0, 0.5, 1}},
		{math.NaN(), []float64{0, 0.5, 1}},
	} {
		if diff := cmp.Diff(c.want, ticks(c.top, 4)); diff != "" {
			t.Errorf("up to %v (-want +got):\n%s", c.top, diff)
		}
	}
	for top := 1e-9; top < 1e18; top *= 1.7 {
		values := ticks(top, 4)
		if n := len(values); n < 2 || n > 8 || values[n-1] < top*(1-1e-6) {
			t.Errorf("up to %v: %v", top, values)
		}
	}
	if diff := cmp.Diff([]float64{0, 15, 30, 45, 60}, timeTicks(72, 5)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for end := 0.01; end < 1e7; end *= 2 {
		if n := len(timeTicks(end, 10)); n < 1 || n > 12 {
			t.Errorf("%d ticks up to %v s", n, end)
		}
	}
}

func TestDifference(t *testing.T) {
	for _, c := range []struct{ a, b, want, got string }{
		{"score 120 of 300", "score 125 of 300", "score 12[0] of 300", "score 12[5] of 300"},
		{"same", "same", "same", "same"},
		{"", "something", "", "something"},
		{"This account is locked.", "Wrong username or password", "This account is locked.", "Wrong username or password"},
		{"日本語です", "日本人です", "日本[語]です", "日本[人]です"},
		{"aaaa", "aa", "aa[aa]", "aa"},
		{"é", "è", "é", "è"}, // one byte in common is not a character
	} {
		a, b := difference(c.a, c.b)
		show := func(m marked) string {
			if m.Differs == "" {
				return m.Before + m.After
			}
			return m.Before + "[" + m.Differs + "]" + m.After
		}
		if show(a) != c.want || show(b) != c.got {
			t.Errorf("%q and %q: %s and %s, want %s and %s", c.a, c.b, show(a), show(b), c.want, c.got)
		}
	}
}
