package check_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat/bench/check"
)

// A page as the bank writes it.
const loginPage = `<!DOCTYPE html>
<html>
  <head>
    <meta charset="UTF-8">
    <link rel="stylesheet" href="/stylesheets/bootstrap.min.css">
    <link rel=stylesheet href='/stylesheets/bootflat.min.css'>
    <title>isucon4 &amp; friends</title>
  </head>
  <body>
    <div class="container">
      <h1 id="topbar"><a href="/"><img src="/images/isucon-bank.png" alt="いすこん銀行"></a></h1>
      <div id="be-careful" class="panel panel-danger"><p>one<p>two <b>bold</b></div>
      <div id="notice-message" class="alert alert-danger" role="alert">You&#39;re banned.</div>
      <form class="form-horizontal" role="form" action="/login" method="POST">
        <INPUT ID="input-username" type="text" name="login" disabled>
        <input type="password" name="password"/>
        <button type="submit" class="btn btn-primary">  Log
          in </button>
      </form>
      <dl><dt>IP<dd id="last-logined-ip">127.1.0.7<dd>x</dl>
      <table><tr><td class=c>1<td class=c>2<tr><td class=c>3</table>
      <textarea>
a &lt;b&gt;</textarea>
      <script>if (a < b) document.write("<p id=no>")</script>
    </div>
  </body>
</html>
`

func TestHTML(t *testing.T) {
	type page = *check.HTMLValidator
	for _, c := range []struct {
		name string
		page page
		code string // of the mismatch; "" if the page is right
		want string // part of its description
	}{
		{"exists", check.HTML("p").Exists("input[name='login']").Exists("[type=submit]").Exists("#topbar > a > img"), "", ""},
		{"missing", check.HTML("p").Exists("input[name=login]").Exists("input[name=token]"), check.SelectorMissing, "input[name=token]"},
		{"the first in declaration order", check.HTML("p").Absent("form").Exists("nav"), check.ValueMismatch, "form"},
		{"absent", check.HTML("p").Absent("nav").Absent("#no").Absent("div input > a").Absent(".ntainer").Absent(".contain"), "", ""},
		{"not absent", check.HTML("p").Absent("#notice-message"), check.ValueMismatch, "no such element"},
		{"child is not descendant", check.HTML("p").Exists("body img").Absent("body > img"), "", ""},
		{"count", check.HTML("p").Count("p", 2).Count("td.c", 3).CountBetween("link", 1, 2).CountBetween("dd", 2, -1), "", ""},
		{"wrong count", check.HTML("p").Count("td.c", 4), check.ValueMismatch, "want 4 elements, got 3 elements"},
		{"implied section", check.HTML("p").Count("table > tbody > tr > td", 3).Absent("table > tr"), "", ""},
		{"list counts each element once", check.HTML("p").Count("p, b, div p", 3), "", ""},
		{"text", check.HTML("p").Text("title", "isucon4 & friends").Text("#be-careful", "onetwo bold"), "", ""},
		{"raw text", check.HTML("p").Text("textarea", "a <b>").TextMatch("script", check.Match(`^if \(a < b`)), "", ""},
		{"wrong text", check.HTML("p").Text("title", "isucon4"), check.ValueMismatch, `want "isucon4", got "isucon4 & friends"`},
		{"normalised", check.HTML("p").TextNormalized("button", "Log in"), "", ""},
		{"not normalised", check.HTML("p").Text("button", "Log in"), check.ValueMismatch, "Log in"},
		{"inner", check.HTML("p").InnerExact("#notice-message", "You're banned."), "", ""},
		{"inner with markup", check.HTML("p").InnerExact("#be-careful", "onetwo bold"), check.ValueMismatch, "<p>one"},
		{"inner of an implied end", check.HTML("p").InnerExact("#last-logined-ip", "127.1.0.7"), "", ""},
		{"attr", check.HTML("p").Attr("form", "method", "POST").AttrMatch("a", "HREF", check.Match("^/")).Attr("input", "disabled", ""), "", ""},
		{"wrong attr", check.HTML("p").Attr("form", "action", "/"), check.ValueMismatch, `form @action: want "/", got "/login"`},
		{"no such attr", check.HTML("p").EachAttr("input", "value", check.NotEmpty), check.ValueMismatch, "no attribute value"},
		{"each attr", check.HTML("p").EachAttr("link", "href", check.Match(`^/stylesheets/\S+\.css$`)), "", ""},
		{"one attr wrong", check.HTML("p").EachAttr("link", "href", check.OneOf("/stylesheets/bootstrap.min.css")), check.ValueMismatch, "bootflat"},
		{"each text", check.HTML("p").EachText("td", check.Match(`^\d$`)), "", ""},
		{"one text wrong", check.HTML("p").EachText("td", check.Match(`^[12]$`)), check.ValueMismatch, `"3"`},
		{"each of none", check.HTML("p").EachText("nav", check.NotEmpty), "", ""},
		{"text of none", check.HTML("p").Text("nav", ""), check.SelectorMissing, "nav"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for way, run := range map[string]func(*check.Input, ...check.Value) *check.Mismatch{
				"scanner": c.page.Check, "tree": c.page.CheckTree, "both": c.page.Verify,
			} {
				m := run(&check.Input{Body: []byte(loginPage), OnDisagree: func(d check.Disagreement) {
					t.Errorf("disagreement: scanner %v, reference %v", d.Scanner, d.Reference)
				}})
				switch {
				case m == nil && c.code != "":
					t.Errorf("%s: found nothing wrong, want %s", way, c.code)
				case m != nil && c.code == "":
					t.Errorf("%s: %v", way, m)
				case m != nil && (m.Code != c.code || !strings.Contains(m.Error(), c.want)):
					t.Errorf("%s: %s: %v\nwant %s: …%s…", way, m.Code, m, c.code, c.want)
				}
			}
		})
	}
}

func TestMismatchPointsIntoTheBody(t *testing.T) {
	page := check.HTML("p").Rule("bank.notice").InnerExact("#notice-message", "This account is locked.")
	m := page.Check(&check.Input{Body: []byte(loginPage)})
	if m == nil {
		t.Fatal("found nothing wrong")
	}
	if m.Rule != "bank.notice" || m.Expected != `"This account is locked."` || m.Actual != `"You're banned."` || m.Hint == "" {
		t.Errorf("%+v", m)
	}
	if got := string(check.Around([]byte(loginPage), m.Offset, 28)); got != `alert">You&#39;re banned.</` {
		if !strings.Contains(got, "You&#39;re") {
			t.Errorf("around the offset: %q", got)
		}
	}
}

func TestSkippedRule(t *testing.T) {
	page := check.HTML("p").Rule("a").Exists("nav").Rule("b").Exists("aside")
	in := &check.Input{Body: []byte(loginPage), Skip: func(rule string) bool { return rule == "a" }}
	if m := page.Check(in); m == nil || m.Rule != "b" {
		t.Errorf("mismatch %+v, want one of rule b", m)
	}
	if diff := cmp.Diff([]string{"a", "b"}, page.Rules()); diff != "" {
		t.Error(diff)
	}
}

func TestVariables(t *testing.T) {
	page := check.HTML("p").InnerMatch("#last-logined-ip", check.Var("ip")).Memo()
	in := &check.Input{Body: []byte(loginPage)}
	if m := page.Check(in, check.Set("ip", "127.1.0.7")); m != nil {
		t.Error(m)
	}
	if m := page.Check(in, check.Set("ip", "127.1.0.8")); m == nil || m.Expected != `"127.1.0.8"` {
		t.Errorf("mismatch %+v; the right address for one is not right for all", m)
	}
	if m := check.With(page, check.Set("ip", "127.1.0.7")).Check(in); m != nil {
		t.Error(m)
	}
	defer func() {
		if recover() == nil {
			t.Error("no panic without a value")
		}
	}()
	_ = page.Check(in)
}

func TestCaptures(t *testing.T) {
	page := check.HTML("p").CaptureAttr("css", "link", "href").CaptureText("cells", "td").
		CaptureFirstText("cell", "td").CaptureAttr("none", "td", "id").Memo()
	want := map[string][]string{
		"css":   {"/stylesheets/bootstrap.min.css", "/stylesheets/bootflat.min.css"},
		"cells": {"1", "2", "3"},
		"cell":  {"1"},
		"none":  nil,
	}
	for range 2 { // the second time from memory
		in := &check.Input{Body: []byte(loginPage)}
		for _, run := range []func(*check.Input, ...check.Value) *check.Mismatch{page.Check, page.Verify} {
			in.Found.Reset()
			if m := run(in); m != nil {
				t.Fatal(m)
			}
			for name, values := range want {
				if got := in.Found.All(name); fmt.Sprint(got) != fmt.Sprint(values) {
					t.Errorf("%s = %q, want %q", name, got, values)
				}
			}
		}
	}
}

func TestAuthorsMistakes(t *testing.T) {
	used := check.HTML("p").Exists("a")
	_ = used.Check(&check.Input{})
	for name, mistake := range map[string]func(){
		"pseudo-class":      func() { check.HTML("p").Exists("a:hover") },
		"empty":             func() { check.HTML("p").Exists("") },
		"sibling":           func() { check.HTML("p").Exists("a + b") },
		"trailing comma":    func() { check.HTML("p").Exists("a,") },
		"unclosed":          func() { check.HTML("p").Exists("a[href") },
		"changed in use":    func() { used.Exists("b") },
		"twice captured":    func() { check.HTML("p").CaptureText("x", "a").CaptureText("x", "b") },
		"mask without ends": func() { check.HTML("p").Mask("", "x") },
		"too many": func() {
			v := check.HTML("p")
			for i := range 70 {
				v.Exists(fmt.Sprintf(".c%d", i))
			}
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
