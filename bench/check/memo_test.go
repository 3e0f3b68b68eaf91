package check_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"hotseat/bench/check"
)

// What memory says must be what a full check says. Each step checks a body twice, with memory and without, after all
// the steps before it have had their chance to be remembered.
func TestMemoNeverHidesAnything(t *testing.T) {
	const page = `<html><head><title>%s</title></head><body><p id="who" data-x="%s">%s</p><form><input name="token" value="%s"></form><ul><li>%s</li></ul></body></html>`
	type state struct{ title, data, who, token, item, user string }
	for _, c := range []struct {
		name string
		make func() *check.HTMLValidator
	}{
		{"plain", func() *check.HTMLValidator {
			return check.HTML("p").InnerMatch("#who", check.Var("user")).Exists("li")
		}},
		{"token masked", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`name="token" value="`, `"`).InnerMatch("#who", check.Var("user")).EachText("li", check.Match("^[a-z]+$"))
		}},
		{"token masked and looked at", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`name="token" value="`, `"`).AttrMatch("[name=token]", "value", check.Match(`^[a-f0-9]+$`))
		}},
		{"token masked and selected by", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`name="token" value="`, `"`).Exists("input[value='0a']")
		}},
		{"name masked by variable", func() *check.HTMLValidator {
			return check.HTML("p").MaskVar(`">`, "</p>", "user").InnerMatch("#who", check.Var("user"))
		}},
		{"name masked, but also in the title", func() *check.HTMLValidator {
			return check.HTML("p").MaskVar(`">`, "</p>", "user").Text("title", "x").TextMatch("#who", check.Var("user")).TextMatch("title", check.Var("user"))
		}},
		{"name masked, but matched", func() *check.HTMLValidator {
			return check.HTML("p").MaskVar(`">`, "</p>", "user").TextMatch("#who", check.Match("^[a-z]+$"))
		}},
		{"both", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`value="`, `"`).MaskVar(`">`, "</p>", "user").InnerMatch("#who", check.Var("user")).Count("li", 1)
		}},
		{"all text masked", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`>`, `<`).Count("li", 1).Count("input", 1)
		}},
		{"mask in attribute", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`data-x="`, `"`).Mask("<li>", "</li>").AttrMatch("#who", "data-x", check.Var("user"))
		}},
		{"text masked that may be markup", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`">`, "</p>").Absent("b")
		}},
		{"list masked", func() *check.HTMLValidator {
			return check.HTML("p").Mask(`<ul>`, `</ul>`).Count("li", 1)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(3, 3))
			memo, plain := c.make().Memo(), c.make()
			pick := func(from ...string) string { return from[rnd.IntN(len(from))] }
			wrong := 0
			for range 1500 {
				users := []string{"alice", "bob", "x", "a&b", "a&amp;b", ""}
				s := state{
					title: pick("x", "alice", "bob"), data: pick("0a", "alice", "q"), who: pick("alice", "bob", "x", "a&amp;b", "a&b", "", "<b>x</b>"),
					token: pick("0a", "1b", "zz", "", `" class="x`), item: pick("one", "two", "3", "a<li>b"), user: pick(users...),
				}
				body := []byte(fmt.Sprintf(page, s.title, s.data, s.who, s.token, s.item))
				version := rnd.Uint64N(2)
				user := check.Set("user", s.user)
				want := plain.Check(&check.Input{Body: body}, user)
				got := memo.Check(&check.Input{Body: body, Version: version}, user)
				if (want == nil) != (got == nil) {
					t.Fatalf("with memory: %v\nwithout: %v\nuser %q, %s", got, want, s.user, body)
				}
				if want != nil {
					wrong++
				}
			}
			if wrong == 1500 {
				t.Error("all bodies were wrong: nothing was tested")
			}
		})
	}
}

// Masks where other text would be other markup, and pages that the scanner does not understand.
func TestMaskedPlaces(t *testing.T) {
	for _, c := range []struct {
		name         string
		v            *check.HTMLValidator
		right, wrong string // the same but for the mask
	}{
		{"bare attribute value", check.HTML("p").Mask("value=", ">").Absent("[class]"), "<input value=1>", "<input value=1 class=x>"},
		{"tag name", check.HTML("p").Mask("<x", ">").Absent("xb"), "<xa>", "<xb>"},
		{"before the body", check.HTML("p").Mask("-->", "<!--").Absent("body > link"), "<!-- --> <!-- --><link>", "<!-- -->x<!-- --><link>"},
		{"in a table", check.HTML("p").Mask("<tr>", "</tr>").Text("table", " "), "<table><tr> </tr></table>", "<table><tr>x</tr></table>"},
		{"misnested page", check.HTML("p").Mask(`value="`, `"`).EachAttr("input", "value", check.Match("^[0-9]$")),
			`<b><i>x</b></i><input value="1">`, `<b><i>x</b></i><input value="x">`},
	} {
		t.Run(c.name, func(t *testing.T) {
			v := c.v.Memo()
			for range 2 {
				if m := v.Check(&check.Input{Body: []byte(c.right)}); m != nil {
					t.Error("right:", m)
				}
				if m := v.Check(&check.Input{Body: []byte(c.wrong)}); m == nil {
					t.Error("wrong, but not found")
				}
			}
		})
	}
}

// A body is only right for the version of the world that it was checked against.
func TestMemoAndVersions(t *testing.T) {
	balance := "5"
	v := check.HTML("p").TextMatch("p", check.Func("the balance", func(s string) bool { return s == balance })).Memo()
	in := &check.Input{Body: []byte("<p>5</p>"), Version: 1}
	if m := v.Check(in); m != nil {
		t.Fatal(m)
	}
	balance = "6"
	if m := v.Check(in); m != nil {
		t.Error("not from memory:", m)
	}
	in.Version++
	if m := v.Check(in); m == nil {
		t.Error("a stale body passed as right for a new version")
	}
}

func TestMaskIsUsed(t *testing.T) {
	calls := 0
	v := check.HTML("p").Mask(`value="`, `"`).MaskVar("<b>", "</b>", "user").InnerMatch("b", check.Var("user")).
		TextMatch("p", check.Func("anything", func(string) bool { calls++; return true })).Memo()
	for i := range 10 {
		user := fmt.Sprint("user", i)
		body := fmt.Sprintf(`<p>x<input value="%d"></p><b>%s</b>`, i, user)
		if m := v.Check(&check.Input{Body: []byte(body)}, check.Set("user", user)); m != nil {
			t.Fatal(m)
		}
	}
	if calls != 1 {
		t.Errorf("%d full checks of pages that differ in masked places only, want 1", calls)
	}
}

func TestMemoIsBounded(t *testing.T) {
	v := check.HTML("p").Exists("p").Memo()
	var busy sync.WaitGroup
	for w := range 4 {
		busy.Go(func() {
			for i := range 3000 {
				body := fmt.Sprintf("<p>%d", i%2500)
				if i%10 == w {
					body = strings.Replace(body, "p", "q", 1)
				}
				if m := v.Check(&check.Input{Body: []byte(body)}); (m == nil) != (i%10 != w) {
					t.Errorf("%s: %v", body, m)
				}
			}
		})
	}
	busy.Wait()
	if n := v.Remembered(); n == 0 || n > 2048 {
		t.Errorf("%d bodies remembered, want some and at most 2048", n)
	}
}

func TestQuery(t *testing.T) {
	body := []byte(loginPage)
	hrefs := check.SelectAttr("link[href], script[src]", "href")
	if got := hrefs.All(body); len(got) != 2 || got[1] != "/stylesheets/bootflat.min.css" {
		t.Errorf("hrefs = %q", got)
	}
	if got, ok := check.SelectText("#last-logined-ip").First(body); got != "127.1.0.7" || !ok {
		t.Errorf("ip = %q, %t", got, ok)
	}
	if _, ok := check.SelectText("nav").First(body); ok {
		t.Error("found a nav")
	}
	// Misnested markup goes through the reference parser.
	if got := check.SelectText("i").All([]byte("<b><i>x</b>y</i>")); fmt.Sprint(got) != "[x y]" {
		t.Errorf("i = %q", got)
	}
}
