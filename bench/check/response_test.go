package check_test

import (
	"net/http"
	"testing"

	"hotseat/bench/check"
)

func TestResponseChecks(t *testing.T) {
	in := &check.Input{
		Status: 200,
		Header: http.Header{"Content-Type": {"Text/HTML; charset=utf-8"}, "Location": {"/mypage"}},
		Body:   []byte("hello"),
	}
	teapot := &check.Input{Status: 418}
	broken := &check.Input{Status: 503}
	redirect := &check.Input{Status: 302}
	const md5, sha = "5d41402abc4b2a76b9719d911017c592", "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
	for _, c := range []struct {
		name  string
		check check.Checker
		in    *check.Input
		code  string
	}{
		{"status", check.Status("r", 200), in, ""},
		{"one of two", check.Status("r", 204, 200), in, ""},
		{"4xx", check.Status("r", 200), teapot, check.Unexpected4xx},
		{"5xx", check.Status("r", 200, 204), broken, check.Unexpected5xx},
		{"3xx", check.Status("r", 200), redirect, check.UnexpectedStatus},
		{"type", check.ContentType("r", "text/html"), in, ""},
		{"second type", check.ContentType("r", "application/json", "text/html"), in, ""},
		{"wrong type", check.ContentType("r", "application/json"), in, check.ContentTypeWrong},
		{"no type", check.ContentType("r", "text/html"), teapot, check.ContentTypeWrong},
		{"header", check.Header("r", "location", check.Is("/mypage")), in, ""},
		{"header by variable", check.With(check.Header("r", "Location", check.Var("to")), check.Set("to", "/mypage")), in, ""},
		{"wrong header", check.Header("r", "Location", check.Is("/")), in, check.ValueMismatch},
		{"md5", check.Digest("r", "x", check.MD5, md5), in, ""},
		{"sha256 in capitals", check.Digest("r", "x", check.SHA256, "2CF24DBA5FB0A30E26E83B2AC5B9E29E1B161E5C1FA7425E73043362938B9824"), in, ""},
		{"wrong md5", check.Digest("r", "x", check.MD5, md5), teapot, check.AssetDigest},
		{"wrong sha256", check.Image("r", "x", check.SHA256, sha), teapot, check.ImageDigest},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := c.check.Check(c.in)
			if (m == nil) != (c.code == "") || m != nil && (m.Code != c.code || m.Rule != "r") {
				t.Errorf("mismatch %+v, want code %q", m, c.code)
			}
			skipping := *c.in
			skipping.Skip = func(rule string) bool { return rule == "r" }
			if m := c.check.Verify(&skipping); m != nil {
				t.Errorf("with its rule switched off: %v", m)
			}
		})
	}
}

func TestDigestRemembersOnlyTheRightBody(t *testing.T) {
	c := check.Digest("", "x", check.MD5, "5d41402abc4b2a76b9719d911017c592")
	for _, step := range []struct {
		body  string
		right bool
	}{{"hello", true}, {"hello", true}, {"hellp", false}, {"hellp", false}, {"", false}, {"hello", true}} {
		if m := c.Check(&check.Input{Body: []byte(step.body)}); (m == nil) != step.right {
			t.Errorf("%q: %v", step.body, m)
		}
	}
}

func TestDigestNobodyCanHave(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("no panic")
		}
	}()
	check.Digest("", "x", check.SHA256, "5d41402abc4b2a76b9719d911017c592")
}

func TestAround(t *testing.T) {
	body := []byte("いろはにほへと")
	for _, c := range []struct {
		offset, size int
		want         string
	}{
		{0, 6, "いろ"}, {-1, 7, "いろ"}, {21, 6, "へと"}, {9, 8, "はに"}, {9, 100, "いろはにほへと"}, {99, 3, "と"},
	} {
		if got := string(check.Around(body, c.offset, c.size)); got != c.want {
			t.Errorf("Around(%d, %d) = %q, want %q", c.offset, c.size, got, c.want)
		}
	}
}
