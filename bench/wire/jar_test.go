package wire

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestJar(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	type set struct{ from, value string } // from is host/path
	for _, test := range []struct {
		name string
		set  []set
		at   string // host/path, https:// before it if secure
		want string
	}{
		{"session", []set{{"a.example/", "sid=1; Path=/; HttpOnly"}}, "a.example/x", "sid=1"},
		{"replaced", []set{{"a.example/", "sid=1"}, {"a.example/", "sid=2"}}, "a.example/", "sid=2"},
		{"host only", []set{{"a.example/", "sid=1"}}, "b.a.example/", ""},
		{"other host", []set{{"a.example/", "sid=1"}}, "b.example/", ""},
		{"domain", []set{{"www.a.example/", "sid=1; Domain=a.example"}}, "b.a.example/", "sid=1"},
		{"domain with a dot", []set{{"www.a.example/", "sid=1; Domain=.A.Example"}}, "a.example/", "sid=1"},
		{"foreign domain", []set{{"a.example/", "sid=1; Domain=b.example"}}, "b.example/", ""},
		{"subdomain", []set{{"a.example/", "sid=1; Domain=www.a.example"}}, "www.a.example/", ""},
		{"suffix without a dot", []set{{"evil-a.example/", "sid=1; Domain=a.example"}}, "a.example/", ""},
		{"top-level domain", []set{{"a.example/", "sid=1; Domain=example"}}, "b.example/", ""},
		{"own name without a dot", []set{{"localhost/", "sid=1; Domain=localhost"}}, "localhost/", "sid=1"},
		{"address", []set{{"127.0.0.1/", "sid=1; Domain=127.0.0.1"}}, "127.0.0.1/", "sid=1"},
		{"part of an address", []set{{"127.0.0.1/", "sid=1; Domain=0.0.1"}}, "1.0.0.1/", ""},
		{"path", []set{{"a.example/", "sid=1; Path=/admin"}}, "a.example/admin/users?x=/", "sid=1"},
		{"path is no prefix", []set{{"a.example/", "sid=1; Path=/admin"}}, "a.example/administrator", ""},
		{"default path", []set{{"a.example/admin/login?next=/x/y", "sid=1"}}, "a.example/admin/", "sid=1"},
		{"default path elsewhere", []set{{"a.example/admin/login", "sid=1"}}, "a.example/", ""},
		{"relative path", []set{{"a.example/x/y", "sid=1; Path=admin"}}, "a.example/x/", "sid=1"},
		{"secure over plain", []set{{"a.example/", "sid=1; Secure"}}, "a.example/", ""},
		{"secure", []set{{"https://a.example/", "sid=1; Secure"}}, "https://a.example/", "sid=1"},
		{"host prefix", []set{{"https://a.example/", "__Host-a=1; Secure; Path=/"}}, "https://a.example/", "__Host-a=1"},
		{"host prefix over plain", []set{{"a.example/", "__Host-a=1; Secure; Path=/"}}, "https://a.example/", ""},
		{"host prefix with a domain", []set{{"https://a.example/", "__Host-a=1; Secure; Path=/; Domain=a.example"}}, "https://a.example/", ""},
		{"secure prefix over plain", []set{{"a.example/", "__Secure-a=1; Secure"}}, "https://a.example/", ""},
		{"max-age", []set{{"a.example/", "sid=1; Max-Age=10"}}, "a.example/", "sid=1"},
		{"deleted by max-age", []set{{"a.example/", "sid=1"}, {"a.example/", "sid=; Max-Age=0"}}, "a.example/", ""},
		{"deleted by expires", []set{{"a.example/", "sid=1"}, {"a.example/", "sid=x; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}}, "a.example/", ""},
		{"max-age before expires", []set{{"a.example/", "sid=1; Max-Age=10; Expires=Thu, 01 Jan 1970 00:00:00 GMT"}}, "a.example/", "sid=1"},
		{"max-age nonsense", []set{{"a.example/", "sid=1; Max-Age=-; Expires=x"}}, "a.example/", "sid=1"},
		{"max-age beyond reason", []set{{"a.example/", "sid=1; Max-Age=99999999999999999999999"}}, "a.example/", "sid=1"},
		{"order", []set{{"a.example/", "a=1"}, {"a.example/", "b=2; Path=/x"}, {"a.example/", "c=3"}}, "a.example/x", "b=2; a=1; c=3"},
		{"replaced keeps its place", []set{{"a.example/", "a=1"}, {"a.example/", "b=2"}, {"a.example/", "a=3"}}, "a.example/", "a=3; b=2"},
		{"same name, two paths", []set{{"a.example/", "a=1"}, {"a.example/", "a=2; Path=/x"}}, "a.example/x/", "a=2; a=1"},
		{"quotes are part of it", []set{{"a.example/", `a="1 2"`}}, "a.example/", `a="1 2"`},
		{"value with equals", []set{{"a.example/", "a=b=c=="}}, "a.example/", "a=b=c=="},
		{"empty value", []set{{"a.example/", "a="}}, "a.example/", "a="},
		{"no equals", []set{{"a.example/", "just text"}}, "a.example/", ""},
		{"no name", []set{{"a.example/", "=x"}}, "a.example/", ""},
		{"NUL", []set{{"a.example/", "a=\x00"}}, "a.example/", ""},
		{"line break", []set{{"a.example/", "a=1\r\nb: c"}}, "a.example/", ""},
		{"too large", []set{{"a.example/", "a=" + strings.Repeat("x", 4096)}}, "a.example/", ""},
		{"just not too large", []set{{"a.example/", "a=" + strings.Repeat("x", 4095)}}, "a.example/", "a=" + strings.Repeat("x", 4095)},
	} {
		t.Run(test.name, func(t *testing.T) {
			jar := &Jar{Now: func() time.Time { return now }}
			for _, s := range test.set {
				from, secure := strings.CutPrefix(s.from, "https://")
				host, path, _ := strings.Cut(from, "/")
				jar.SetCookie(host, "/"+path, secure, []byte(s.value))
			}
			at, secure := strings.CutPrefix(test.at, "https://")
			host, path, _ := strings.Cut(at, "/")
			if got := string(jar.AppendCookies(nil, host, "/"+path, secure)); got != test.want {
				t.Errorf("got %.80q, want %.80q", got, test.want)
			}
		})
	}
}

func TestJarExpiry(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	jar := &Jar{Now: func() time.Time { return now }}
	jar.SetCookie("a", "/", false, []byte("long=1; Max-Age=100"))
	jar.SetCookie("a", "/", false, []byte("short=1; Max-Age=10"))
	jar.SetCookie("a", "/", false, []byte("session=1"))
	for _, step := range []struct {
		after int
		want  string
	}{{9, "long=1; short=1; session=1"}, {1, "long=1; session=1"}, {89, "long=1; session=1"}, {1, "session=1"}} {
		now = now.Add(time.Duration(step.after) * time.Second)
		if got := string(jar.AppendCookies(nil, "a", "/", false)); got != step.want {
			t.Errorf("after %d s more: %q, want %q", step.after, got, step.want)
		}
	}
}

func TestJarBounds(t *testing.T) {
	jar := new(Jar)
	for i := range 1000 {
		jar.SetCookie("a", "/", false, fmt.Appendf(nil, "c%d=1", i))
	}
	cookies := jar.Cookies()
	if len(cookies) != maxCookies || cookies[0].Name != "c820" || cookies[maxCookies-1].Name != "c999" {
		t.Errorf("%d cookies, %s to %s", len(cookies), cookies[0].Name, cookies[len(cookies)-1].Name)
	}
	if jar.SetCookie("a", "/", false, []byte("x=1; Domain=b")) || jar.Refused() != 1 {
		t.Error("a foreign cookie was not refused")
	}
	jar.Reset()
	if len(jar.Cookies()) != 0 || jar.Refused() != 0 {
		t.Error("the jar is not empty after Reset")
	}
}

func TestJarByHand(t *testing.T) {
	jar := new(Jar)
	jar.Set(Cookie{Name: "any", Value: "1"})
	jar.Set(Cookie{Name: "one", Value: "2", Domain: "A.example", HostOnly: true})
	if v, ok := jar.Get("one"); !ok || v != "2" {
		t.Errorf("one = %q, %v", v, ok)
	}
	if _, ok := jar.Get("two"); ok {
		t.Error("a cookie from nowhere")
	}
	if got := string(jar.AppendCookies(nil, "b.example", "/", false)); got != "any=1" {
		t.Errorf("elsewhere: %q", got)
	}
	if got := string(jar.AppendCookies(nil, "a.example", "/", false)); got != "any=1; one=2" {
		t.Errorf("at home: %q", got)
	}
	jar.Set(Cookie{Name: "any", Expires: time.Unix(1, 0)})
	if _, ok := jar.Get("any"); ok {
		t.Error("an expired cookie is still there")
	}
}

// TestJarAgainstStandard runs random histories through this jar and the
// standard library's and compares every Cookie header.
func TestJarAgainstStandard(t *testing.T) {
	hosts := []string{"shop.example.com", "www.shop.example.com", "example.com", "other.com"}
	paths := []string{"/", "/a", "/a/", "/a/b", "/a/b/c", "/ab"}
	domains := []string{"", "", "", "; Domain=example.com", "; Domain=.shop.example.com", "; Domain=other.com"}
	cookiePaths := []string{"", "", "; Path=/", "; Path=/a", "; Path=/a/b", "; Path=nonsense"}
	more := []string{"", "", "", "; HttpOnly", "; Secure", "; Max-Age=0", "; Max-Age=100", "; Expires=Wed, 01 Jan 2020 00:00:00 GMT", "; Expires=Fri, 01-Jan-2100 00:00:00 GMT"}
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		one := func(list []string) string { return list[random.IntN(len(list))] }
		standard, err := cookiejar.New(nil)
		if err != nil {
			t.Fatal(err)
		}
		jar := new(Jar)
		var history []string
		for step := range 60 {
			scheme := one([]string{"http", "https"})
			host, path := one(hosts), one(paths)
			u := &url.URL{Scheme: scheme, Host: host, Path: path}
			if random.IntN(2) == 0 {
				value := fmt.Sprintf("%s=%d", one([]string{"a", "b", "c"}), step) + one(domains) + one(cookiePaths) + one(more)
				history = append(history, u.String()+" sets "+value)
				response := http.Response{Header: http.Header{"Set-Cookie": {value}}}
				standard.SetCookies(u, response.Cookies())
				jar.SetCookie(host, path, scheme == "https", []byte(value))
				continue
			}
			var want []string
			for _, c := range standard.Cookies(u) {
				want = append(want, c.Name+"="+c.Value)
			}
			got := string(jar.AppendCookies(nil, host, path, scheme == "https"))
			if diff := cmp.Diff(strings.Join(want, "; "), got); diff != "" {
				t.Fatalf("seed %d, %s: %s\n%s", seed, u, diff, strings.Join(history, "\n"))
			}
		}
	}
}

func TestCookieDate(t *testing.T) {
	want := time.Date(1994, 11, 6, 8, 49, 37, 0, time.UTC)
	for _, good := range []string{
		"Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
		"6 nov 1994 8:49:37", "08:49:37 November 6, 94 and more",
	} {
		if got, ok := parseCookieDate([]byte(good)); !ok || !got.Equal(want) {
			t.Errorf("%q: %v, %v", good, got, ok)
		}
	}
	for _, bad := range []string{
		"", "0", "Sun, 06 Nov 1994", "06 Nov 1994 24:00:00", "31 Feb 2020 00:00:00", "06 Nov 1600 08:49:37", "06 Nov 1994 08:49",
		"06 Nov 1994 08:60:00", "00 Nov 1994 08:00:00", "06 Foo 1994 08:00:00", "06 Nov 19945 08:00:00",
	} {
		if got, ok := parseCookieDate([]byte(bad)); ok {
			t.Errorf("%q is taken for %v", bad, got)
		}
	}
}

func TestParseSetCookie(t *testing.T) {
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	got, ok := ParseSetCookie([]byte(" sid = 1 ; Path=/x; domain=.A.example; SECURE; HttpOnly; Max-Age=60; SameSite=Lax; priority=high"), now)
	want := Cookie{Name: "sid", Value: "1", Domain: "a.example", Path: "/x", Secure: true, HTTPOnly: true, Expires: now.Add(time.Minute)}
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Error(ok, diff)
	}
}
