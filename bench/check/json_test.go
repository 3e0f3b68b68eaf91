package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat/bench/check"
)

const report = `{"banned_ips": ["127.1.0.7", "127.1.0.\u0038"], "locked_users": null, "sum": 1.50e2, "big": 12345678901234567890,
	"ok": true, "items": [{"id": 1, "tags": []}, {"id": 2, "tags": ["a\n\ud83d\ude00"], "note": null}], "odd.name": -0.0, "": {}}`

func TestJSON(t *testing.T) {
	type doc = *check.JSONValidator
	J := func() doc { return check.JSON("report") }
	for _, c := range []struct {
		name string
		doc  doc
		body string // "" for the report
		code string
		want string
	}{
		{"types", J().Type("", check.Object).Type("banned_ips", check.Array).Type("banned_ips[]", check.String).Type("sum", check.Number).
			Type("big", check.Integer).Type("ok", check.Bool).Type("items[].id", check.Integer).Type("items[].tags[]", check.String), "", "", ""},
		{"wrong type", J().Type("items[].id", check.String), "", check.JSONSchema, "items[0].id: want string, got number 1"},
		{"no integer", J().Type("sum", check.Integer), "", check.JSONSchema, "sum: want integer, got number 1.50e2"},
		{"null", J().Type("locked_users[]", check.String), "", check.JSONSchema, "locked_users: want array, got null"},
		{"null allowed", J().Type("locked_users[]", check.String).Nullable("locked_users"), "", "", ""},
		{"null as a type", J().Type("locked_users", check.Array|check.Null), "", "", ""},
		{"missing", J().Require("items[].id").Require("items[].note"), "", check.JSONSchema, "items[0].note: want it to be there"},
		{"missing on the way", J().Type("user.name", check.String), "", check.JSONSchema, "user: want it to be there"},
		{"optional", J().Type("user.name", check.String).Optional("user").Type("items[].note", check.Null).Optional("items[].note"), "", "", ""},
		{"optional but wrong", J().Type("sum", check.String).Optional("sum"), "", check.JSONSchema, "sum"},
		{"forbidden", J().Forbid("items[].password").Forbid("user"), "", "", ""},
		{"forbidden but there", J().Forbid("items[].note"), "", check.JSONSchema, "items[1].note: want no such member"},
		{"only these", J().OnlyKeys("items[]", "id", "tags", "note"), "", "", ""},
		{"one more", J().OnlyKeys("items[]", "tags").Type("items[].id", check.Number), "", check.JSONSchema, "items[1].note"},
		{"strings", J().String("banned_ips[1]", check.Is("127.1.0.8")).String("banned_ips[]", check.Match(`^127\.`)).
			String("items[1].tags[0]", check.Is("a\n😀")), "", "", ""},
		{"wrong string", J().String("banned_ips[]", check.Is("127.1.0.7")), "", check.ValueMismatch, `banned_ips[1]: want "127.1.0.7", got "127.1.0.8"`},
		{"numbers", J().Number("sum", "150").Number("big", "12345678901234567890").Int("items[0].id", 1).Number(`["odd.name"]`, "0"), "", "", ""},
		{"no rounding", J().Number("big", "12345678901234567891"), "", check.ValueMismatch, "got 12345678901234567890"},
		{"string for a number", J().Int("banned_ips[0]", 1), "", check.JSONSchema, "want number, got string"},
		{"truth", J().Bool("ok", true), "", "", ""},
		{"wrong truth", J().Bool("ok", false), "", check.ValueMismatch, "want false, got true"},
		{"length", J().Len("items", 2).LenBetween("banned_ips", 1, -1).LenBetween("items[].tags", 0, 1), "", "", ""},
		{"wrong length", J().Len("items[].tags", 0), "", check.ValueMismatch, "items[1].tags: want 0 items, got 1 items"},
		{"item missing", J().Require("items[2]"), "", check.JSONSchema, "items[2]"},
		{"every member", J().Type("*[]", check.String), `{"a": ["x"], "b": []}`, "", ""},
		{"not every member", J().Type("*[]", check.String), `{"a": ["x"], "b": [1]}`, check.JSONSchema, "b[0]"},
		{"every member and one", J().Type("*", check.Array).Len("a", 1), `{"b": [], "a": {}}`, check.JSONSchema, "a: want array, got object"},
		{"document of one value", J().Int("", 5), " 5 ", "", ""},
		{"first rule first", J().Int("a", 1).Int("b", 1), `{"b": 2, "a": 2}`, check.ValueMismatch, "a: want"},
		{"twice, not strict", J().Int("a", 2), `{"a": 1, "a": 2} x`, "", ""},
		{"twice", J().Strict(), `{"a": 1, "a": 2}`, check.JSONSchema, "twice"},
		{"twice by escape", J().Strict(), `[{"a": 1, "\u0061": 2}]`, check.JSONSchema, "twice"},
		{"same name elsewhere", J().Strict(), `{"a": {"a": {"a": 1}}, "b": {"a": [{"a": 1}, {"a": 2}]}}`, "", ""},
		{"text behind, strict", J().Strict(), `{} x`, check.JSONSchema, "after"},
		{"bad UTF-8", J().String("a", check.Is("\ufffd")), "{\"a\": \"\xff\"}", "", ""},
		{"bad UTF-8, strict", J().Strict(), "{\"a\": \"\xff\"}", check.JSONSchema, "UTF-8"},
		{"half a pair", J().String("a", check.Is("\ufffdx")), `{"a": "\ud83dx"}`, "", ""},
		{"not JSON", J(), "<html>", check.JSONSchema, "want a JSON document"},
		{"cut off", J(), `{"a": [1, 2`, check.JSONSchema, "early"},
		{"nothing", J(), "", check.JSONSchema, ""},
		{"deep", J(), strings.Repeat("[", 3000) + strings.Repeat("]", 3000), "", ""},
		{"too deep", J(), strings.Repeat("[", 20000) + strings.Repeat("]", 20000), check.JSONSchema, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := c.body
			if body == "" && c.name != "nothing" {
				body = report
			}
			for way, run := range map[string]func(*check.Input, ...check.Value) *check.Mismatch{
				"scanner": c.doc.Check, "tree": c.doc.CheckTree, "both": c.doc.Verify,
			} {
				m := run(&check.Input{Body: []byte(body), OnDisagree: func(d check.Disagreement) {
					t.Errorf("disagreement: scanner %v, reference %v", d.Scanner, d.Reference)
				}})
				switch {
				case m == nil && c.code != "":
					t.Errorf("%s: found nothing wrong, want %s", way, c.code)
				case m != nil && c.code == "":
					t.Errorf("%s: %v", way, m)
				case m != nil && (m.Code != c.code || way == "scanner" && !strings.Contains(m.Error(), c.want)):
					t.Errorf("%s: %s: %v\nwant %s: …%s…", way, m.Code, m, c.code, c.want)
				}
			}
		})
	}
}

func TestJSONCaptures(t *testing.T) {
	v := check.JSON("report").Capture("ips", "banned_ips[]").Capture("ids", "items[].id").Capture("all", "*").Memo()
	for range 2 {
		in := &check.Input{Body: []byte(report)}
		if m := v.Check(in); m != nil {
			t.Fatal(m)
		}
		for name, want := range map[string][]string{
			"ips": {"127.1.0.7", "127.1.0.8"}, "ids": {"1", "2"}, "all": {"1.50e2", "12345678901234567890", "true", "-0.0"},
		} {
			if diff := cmp.Diff(want, in.Found.All(name)); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

func TestJSONVariables(t *testing.T) {
	v := check.JSON("report").Rule("sum").NumberMatch("sum", check.Var("sum")).Memo()
	in := &check.Input{Body: []byte(report)}
	if m := v.Check(in, check.Set("sum", "150.0")); m != nil {
		t.Error(m)
	}
	if m := v.Check(in, check.Set("sum", "151")); m == nil || m.Offset < 0 || m.Actual != "1.50e2" {
		t.Errorf("mismatch %+v", m)
	}
	in.Skip = func(rule string) bool { return rule == "sum" }
	if m := v.Check(in, check.Set("sum", "151")); m != nil {
		t.Error("with its rule switched off:", m)
	}
	in.Skip = nil
	if m := v.Check(in, check.Set("sum", "151")); m == nil {
		t.Error("a body that was let pass was remembered as right")
	}
}

func TestSameNumber(t *testing.T) {
	const name = "n"
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"1", "1.0", true}, {"100", "1e2", true}, {"0.01", "1E-2", true}, {"-0", "0.000", true}, {"0", "0e99", true},
		{"1e400", "1e401", false}, {"0.1", "0.10000000000000000001", false}, {"-1", "1", false}, {"10", "1", false},
		{"1e99999999999999999999", "1e99999999999999999999", true}, {"1234.5", "12345e-1", true}, {"0.0012", "1.2e-3", true},
	} {
		v := check.JSON("n").NumberMatch("", check.Var(name))
		if got := v.Check(&check.Input{Body: []byte(c.a)}, check.Set(name, c.b)) == nil; got != c.same {
			t.Errorf("%s and %s are the same: %t, want %t", c.a, c.b, got, c.same)
		}
	}
}

func TestJSONAuthorsMistakes(t *testing.T) {
	for _, path := range []string{"a..b", "a[", "a[x]", "a[-1]", `["a`, `["a"x]`, ".a", "a.", "a]b[", "[]a"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("path %q: no panic", path)
				}
			}()
			check.JSON("p").Require(path)
		}()
	}
	for name, mistake := range map[string]func(){
		"no number":      func() { check.JSON("p").Number("a", "01") },
		"forbid an item": func() { check.JSON("p").Forbid("a[]") },
		"captured twice": func() { check.JSON("p").Capture("x", "a").Capture("x", "b") },
		"too many members": func() {
			v := check.JSON("p")
			for i := range 65 {
				v.Require(fmt.Sprint("k", i))
			}
			func() {
				defer func() { _ = recover() }()
				_ = v.Check(&check.Input{})
			}()
			_ = v.Check(&check.Input{}) // the second user must not find it half ready, or wait for ever
		},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			mistake()
		})
	}
}

func TestDecode(t *testing.T) {
	type reply struct {
		Banned []string `json:"banned_ips"`
	}
	for _, c := range []struct {
		body         string
		fast, strict bool
	}{
		{`{"banned_ips": ["a"]}`, true, true},
		{`{"banned_ips": ["a"], "more": 1}`, true, false},
		{`{"banned_ips": [], "banned_ips": ["a"]}`, true, false},
		{`{"banned_ips": ["a"]} x`, false, false},
		{`{"banned_ips": [1]}`, false, false},
	} {
		var fast, strict reply
		if err := check.Decode([]byte(c.body), &fast); (err == nil) != c.fast || err == nil && fast.Banned[0] != "a" {
			t.Errorf("%s: %v, %v", c.body, fast, err)
		}
		if err := check.DecodeStrict([]byte(c.body), &strict); (err == nil) != c.strict {
			t.Errorf("%s, strictly: %v, %v", c.body, strict, err)
		}
	}
}
