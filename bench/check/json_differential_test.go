package check_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"hotseat/bench/check"
)

// nosyJSON looks at everything about a document that a validator can look at.
func nosyJSON(strict bool) *check.JSONValidator {
	v := check.JSON("nosy").
		Capture("all", "*").Capture("items", "[]").Capture("deep", "a[].b").Capture("deeper", "*.a.*").Capture("second", "a[1]").Capture("root", "").
		Type("a", check.Array|check.Object|check.Number).Optional("a").
		Type("b[].a", check.Integer|check.Null|check.String).Optional("b").Optional("b[].a").Nullable("b[]").
		LenBetween("c", 0, 2).Optional("c").
		OnlyKeys("d", "a", "b").Optional("d").Nullable("d").
		Forbid("a.c").
		Number(`["0"]`, "1").Optional(`["0"]`).
		Bool("t", true).Optional("t").
		String("s", check.Match("^[^x]*$")).Optional("s")
	if strict {
		v.Strict()
	}
	return v
}

func agreeJSON(t *testing.T, body string) {
	t.Helper()
	for _, strict := range []bool{false, true} {
		_ = nosyJSON(strict).Verify(&check.Input{Body: []byte(body), OnDisagree: func(d check.Disagreement) {
			fast, slow := &check.Input{Body: d.Body}, &check.Input{Body: d.Body}
			_ = nosyJSON(strict).Check(fast)
			_ = nosyJSON(strict).CheckTree(slow)
			t.Errorf("strict: %t\nscanner %v\nreference %v\non %q\nscanner found %q\nreference found %q", strict, d.Scanner, d.Reference, body,
				fast.Found.All("all"), slow.Found.All("all"))
		}})
	}
}

var jsonSeeds = []string{
	report, "", " ", "null", "[]", "{}", "0", "-0", "01", "1.", ".5", "1e", "1e+5", "-", "tru", "truex", `"a"b`, "1 2", "[1,]", "[,]", `{"a"}`, `{"a":}`,
	`{"a":1,}`, `{a:1}`, `{"a":1 "b":2}`, `"\u12"`, `"\ud800"`, `"\ud83d\ude00"`, `"\ud83d\u0041"`, `"\x"`, "\"\t\"", "\"\x7f\"", "\"\xff\"", "\ufeff{}",
	`{"a":1,"a":[1]}`, `{"x":1,"x":2}`, `{"b":[{"a":1},null,{"a":1.5}]}`, `{"c":[1,2,3]}`, `{"d":{"e":1}}`, `{"a":{"c":1}}`, `{"0":1.0}`, `{"s":"\u0078"}`, "[[[[[]]]]]",
	`{"t":false}`, `[]]`, `{}}`, `{"\u0061":1}`, "{\"\xff\":1,\"\xfe\":2}", `[1e99999,-0.0e-5]`, " {\n\"a\" : [ 1 , 2 ] } \r\n", "{\"a\":\"\x01\"}", `"abcdefgh\"ijklmnopq"`,
}

func TestJSONScannerAgreesWithTheReference(t *testing.T) {
	for i, seed := range jsonSeeds {
		t.Run(fmt.Sprint("seed ", i), func(t *testing.T) { agreeJSON(t, seed) })
	}
	rnd := rand.New(rand.NewPCG(5, 5))
	for range 4000 {
		var b strings.Builder
		writeJSON(&b, rnd, 4)
		doc := []byte(b.String())
		if rnd.IntN(2) == 0 { // a slip of the pen
			at := rnd.IntN(len(doc))
			switch rnd.IntN(3) {
			case 0:
				doc[at] = `{}[],:"\0n x`[rnd.IntN(12)]
			case 1:
				doc = append(doc[:at], doc[at+1:]...)
			default:
				doc = append(doc[:at:at], append([]byte{`{}[],:"\0n x`[rnd.IntN(12)]}, doc[at:]...)...)
			}
		}
		agreeJSON(t, string(doc))
		if t.Failed() {
			return
		}
	}
}

// writeJSON writes a value with names and types that nosyJSON cares about.
func writeJSON(b *strings.Builder, rnd *rand.Rand, depth int) {
	pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
	space := func() { b.WriteString(pick("", "", "", " ", "\n\t")) }
	space()
	kind := rnd.IntN(8)
	if depth == 0 {
		kind %= 5
	}
	switch kind {
	case 0:
		b.WriteString(pick("1", "0", "-1.5e3", "1.0", "10e-1", "123456789012345678901234567890", "1E5"))
	case 1:
		b.WriteString(pick("true", "false", "null"))
	case 2, 3, 4:
		b.WriteString(pick(`"x"`, `""`, `"日本語"`, `"\u3042\ud83d\ude00"`, `"a\\\"b\/"`, `"a long string without any escapes in it"`, `"\n"`, "\"\xe3\x81\""))
	case 5:
		b.WriteByte('[')
		for i := range rnd.IntN(4) {
			if i > 0 {
				b.WriteByte(',')
			}
			writeJSON(b, rnd, depth-1)
		}
		b.WriteByte(']')
	default:
		b.WriteByte('{')
		names := rnd.Perm(12)
		for i := range rnd.IntN(5) {
			if i > 0 {
				b.WriteByte(',')
			}
			space()
			name := []string{"a", "b", "c", "d", "t", "s", "0", "other", "", "\\u0061", "x.y", "é"}[names[i]]
			if rnd.IntN(20) == 0 {
				name = "a"
			}
			b.WriteString(`"` + name + `"`)
			space()
			b.WriteByte(':')
			writeJSON(b, rnd, depth-1)
		}
		b.WriteByte('}')
	}
	space()
}

func FuzzJSON(f *testing.F) {
	for _, seed := range jsonSeeds {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, body string) { agreeJSON(t, body) })
}

// FuzzJSONString holds the eight-bytes-at-a-time string reader to strconv and the reference decoder.
func FuzzJSONString(f *testing.F) {
	f.Add("", 0)
	f.Add("日本語 \" \\ \x00 \u2028", 3)
	f.Fuzz(func(t *testing.T, text string, shift int) {
		pad := strings.Repeat(" ", (shift%16+16)%16)
		agreeJSON(t, pad+strconv.Quote(text))
		agreeJSON(t, pad+`"`+text+`"`)
	})
}

// FuzzSelector: what our parser accepts must mean the same to cascadia, on one page that has a bit of everything.
func FuzzSelector(f *testing.F) {
	for _, s := range []string{"a", "*", "#x.y[z]", "a > b c, d", "[a=b]", "[a^='b' ]", "a>b", " a ", "[a~=\"\"]", "[ a|=b]", "a,b ,c", "[a$=x][b*=y]", "é", "a:hover", ".1"} {
		f.Add(s)
	}
	body := []byte(loginPage)
	f.Fuzz(func(t *testing.T, selector string) {
		v, ok := compiled(selector)
		if !ok {
			return
		}
		_ = v.Verify(&check.Input{Body: body, OnDisagree: func(d check.Disagreement) {
			t.Errorf("selector %q: scanner %v, reference %v", selector, d.Scanner, d.Reference)
		}})
	})
}

// compiled returns a validator that uses the selector, unless it is refused.
func compiled(selector string) (v *check.HTMLValidator, ok bool) {
	defer func() { ok = recover() == nil }()
	return check.HTML("p").CaptureText("text", selector).CaptureAttr("id", selector, "id"), true
}
