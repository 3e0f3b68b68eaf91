package report

import (
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"hotseat"
)

func TestVisible(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"", ""},
		{"plain <b> & 日本語　全角", "plain <b> & 日本語　全角"},
		{"two\nlines\tand a tab", "two\nlines\tand a tab"},
		{"\x1b[31mred\x1b[0m", `\x1b[31mred\x1b[0m`},
		{"bell\a nul\x00 del\x7f", `bell\x07 nul\x00 del\x7f`},
		{"a\r\nb", "a\\r\nb"},
		{"\u009b31m", `\u009b31m`}, // CSI in one character
		{"\u202eevil\u2066\u200f", `\u202eevil\u2066\u200f`},
		{"zero\u200bwidth\ufeff", `zero\u200bwidth\ufeff`},
		{"sep\u2028\u2029", `sep\u2028\u2029`},
		{"bad\xff\xc3(", `bad\xff\xc3(`},
		{"\ufffd is itself", "\ufffd is itself"},
		{"tag\U000e0041", `tag\U000e0041`},
		{"\uffff\ue000", `\uffff\ue000`},
		{"emoji 🎉 e\u0301", "emoji 🎉 e\u0301"},
	} {
		if got := Visible(c.in); got != c.want {
			t.Errorf("%q: got %q, want %q", c.in, got, c.want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("\x1b[2J\u202e")
	f.Add("\xff")
	f.Fuzz(func(t *testing.T, s string) {
		got := Visible(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\x1b\r\x00\u202e\u2028") {
			t.Errorf("%q", got)
		}
		if again := Visible(got); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
		if n := columns(fit(line(s), 20)); n > 20 {
			t.Errorf("%d columns", n)
		}
		for _, part := range wrap(line(s), 7, 3) {
			if columns(part) > 7 {
				t.Errorf("wrapped to %q", part)
			}
		}
	})
}

func TestColumns(t *testing.T) {
	for _, c := range []struct {
		s    string
		want int
	}{{"abc", 3}, {"日本", 4}, {"ｶﾅ", 2}, {"e\u0301", 1}, {"…✓✗", 3}, {"🎉", 2}, {"　", 2}} {
		if got := columns(c.s); got != c.want {
			t.Errorf("%q: %d, want %d", c.s, got, c.want)
		}
	}
	if got := fit("日本語", 5); got != "日本…" {
		t.Errorf("fit: %q", got)
	}
	if got := strings.Join(wrap("one two three four five", 9, 2), "|"); got != "one two|three fo…" {
		t.Errorf("wrap: %q", got)
	}
}

// hostile is what an app under test may answer to attack whoever reads the report.
const hostile = "<script>alert(1)</script><svg onload=alert(2)><img src=x onerror=alert(3)>\"'`--></style></title></details></pre>" +
	"\x1b]0;title\a\x1b[2J\u202e\u2066gnp.exe\x00\xff{{.}}javascript:alert(4) 日本語"

// hostileResult is a result with text in every string there is.
func hostileResult(text string) *hotseat.Result {
	r := &hotseat.Result{}
	fillStrings(reflect.ValueOf(r).Elem(), text, 0)
	score := int64(1)
	r.Score = &score
	r.StartedAt = time.Unix(0, 0)
	r.Measure = nil
	return r
}

// fillStrings sets every string under v, making one element of every slice, map
// and pointer; a type that holds itself, such as Finding, ends at some depth.
func fillStrings(v reflect.Value, text string, depth int) {
	if depth > 12 {
		return
	}
	depth++
	switch v.Kind() {
	case reflect.String:
		v.SetString(text)
	case reflect.Int64, reflect.Int:
		v.SetInt(3)
	case reflect.Float64:
		v.SetFloat(2.5)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		fillStrings(v.Index(0), text, depth)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fillStrings(key, text, depth)
		fillStrings(value, text, depth)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillStrings(v.Elem(), text, depth)
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				fillStrings(v.Field(i), text, depth)
			}
		}
	default: // numbers and times as they are
	}
}

func TestAllVisibleForgetsNothing(t *testing.T) {
	dirty := hostileResult("a\x1bb")
	want := hostileResult(`a\x1bb`)
	want.StartedAt = dirty.StartedAt
	if got := allVisible(dirty); !reflect.DeepEqual(want, got) {
		t.Errorf("got %+v", got)
	}
	if dirty.Problem != "a\x1bb" || dirty.Failures[0].Samples[0].Actual != "a\x1bb" {
		t.Error("the original was changed")
	}
}
