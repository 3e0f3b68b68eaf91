package report

import (
	"fmt"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Visible returns s with everything that acts instead of being seen written as
// an escape: control characters (a terminal obeys them), bidirectional and
// other format characters (they reorder or hide text), line separators, private
// and unassigned code points, and bytes that are no UTF-8. Newline and tab stay.
// The result is also legal in XML 1.0.
func Visible(s string) string {
	if clean(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && size == 1, r < 0x80 && !seen(r) && r != '\r':
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case r == '\r':
			b.WriteString(`\r`)
		case seen(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
		i += size
	}
	return b.String()
}

// seen reports whether a rune is shown as it is. Graphic characters are letters,
// marks, numbers, punctuation, symbols and spaces (the ideographic one too).
func seen(r rune) bool { return r == '\n' || r == '\t' || unicode.IsGraphic(r) }

func clean(s string) bool {
	for i, r := range s {
		if !seen(r) {
			return false
		}
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(s[i:]); size == 1 {
				return false
			}
		}
	}
	return true
}

// line returns s made visible on one line, runs of white space as one space.
func line(s string) string { return strings.Join(strings.Fields(Visible(s)), " ") }

// allVisible returns a copy of v in which every string, however deep, and every
// key of a map is [Visible]: no field can be forgotten, not even one added
// later.
func allVisible[T any](v T) T {
	to := reflect.New(reflect.TypeFor[T]()).Elem()
	copyVisible(to, reflect.ValueOf(&v).Elem())
	return to.Interface().(T)
}

func copyVisible(to, from reflect.Value) {
	switch from.Kind() {
	case reflect.String:
		to.SetString(Visible(from.String()))
	case reflect.Pointer:
		if !from.IsNil() {
			to.Set(reflect.New(from.Type().Elem()))
			copyVisible(to.Elem(), from.Elem())
		}
	case reflect.Slice:
		if from.IsNil() || from.Type().Elem().Kind() == reflect.Uint8 {
			to.Set(from)
			return
		}
		to.Set(reflect.MakeSlice(from.Type(), from.Len(), from.Len()))
		for i := range from.Len() {
			copyVisible(to.Index(i), from.Index(i))
		}
	case reflect.Map:
		if from.IsNil() {
			return
		}
		to.Set(reflect.MakeMapWithSize(from.Type(), from.Len()))
		for entries := from.MapRange(); entries.Next(); {
			key := reflect.New(from.Type().Key()).Elem()
			copyVisible(key, entries.Key())
			value := reflect.New(from.Type().Elem()).Elem()
			copyVisible(value, entries.Value())
			to.SetMapIndex(key, value)
		}
	case reflect.Struct:
		to.Set(from) // what is not exported, in time.Time for one
		for i := range from.NumField() {
			if from.Type().Field(i).IsExported() {
				copyVisible(to.Field(i), from.Field(i))
			}
		}
	default:
		to.Set(from)
	}
}
