package wire

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestFollow(t *testing.T) {
	type end struct {
		Request string // as the last server saw it
		Hops    int
	}
	echo := func(w http.ResponseWriter, r *http.Request) {
		status, location := 0, ""
		if _, err := fmt.Sscanf(r.URL.Query().Get("go"), "%d:%s", &status, &location); err == nil {
			w.Header().Set("Location", location)
			w.WriteHeader(status)
			return
		}
		body, _ := io.ReadAll(r.Body)
		_, _ = fmt.Fprintf(w, "%s %s%s %q type=%q auth=%q x=%q", r.Method, r.Host, r.URL.RequestURI(), body,
			r.Header.Get("Content-Type"), r.Header.Get("Authorization"), r.Header.Get("X"))
	}
	header := []Field{{"Content-Type", "text/plain"}, {"Authorization", "secret"}, {"X", "1"}}
	for _, test := range []struct {
		name, method, path string
		want               end
	}{
		{"301 POST becomes GET", "POST", "/?go=301:/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"302 POST becomes GET", "POST", "/?go=302:/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"303 POST becomes GET", "POST", "/?go=303:/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"303 PUT becomes GET", "PUT", "/?go=303:/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"302 PUT stays", "PUT", "/?go=302:/end", end{`PUT photo.example/end "body" type="text/plain" auth="secret" x="1"`, 1}},
		{"307 POST stays", "POST", "/?go=307:/end", end{`POST photo.example/end "body" type="text/plain" auth="secret" x="1"`, 1}},
		{"308 POST stays", "POST", "/?go=308:/end", end{`POST photo.example/end "body" type="text/plain" auth="secret" x="1"`, 1}},
		{"query and fragment", "POST", "/?go=303:/end?a=b%23top", end{`GET photo.example/end?a=b "" type="" auth="secret" x="1"`, 1}},
		{"relative", "POST", "/a/b?go=303:c/./d/../e?f", end{`GET photo.example/a/c/e?f "" type="" auth="secret" x="1"`, 1}},
		{"query only", "POST", "/a/b?go=303:%3Fx=y", end{`GET photo.example/a/b?x=y "" type="" auth="secret" x="1"`, 1}},
		{"dots", "POST", "/?go=303:/a/../end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"absolute", "POST", "/?go=303:http://photo.example/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"absolute with the default port", "POST", "/?go=303:http://PHOTO.example:80/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"absolute without a path", "POST", "/?go=303:http://photo.example", end{`GET photo.example/ "" type="" auth="secret" x="1"`, 1}},
		{"without a scheme", "POST", "/?go=303://photo.example/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 1}},
		{"raw UTF-8", "POST", "/?go=303:/%E5%86%99", end{`GET photo.example/%E5%86%99 "" type="" auth="secret" x="1"`, 1}},
		{"to another origin", "POST", "/?go=307:http://admin.example/end", end{`POST admin.example/end "body" type="text/plain" auth="" x="1"`, 1}},
		{"twice", "POST", "/?go=307:/?go=303:/end", end{`GET photo.example/end "" type="" auth="secret" x="1"`, 2}},
		{"there and back", "POST", "/?go=303:http://admin.example/?go=302:http://photo.example/end", end{`GET photo.example/end "" type="" auth="" x="1"`, 2}},
		{"no redirect", "POST", "/end", end{`POST photo.example/end "body" type="text/plain" auth="secret" x="1"`, 0}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var here Target
			client, _ := serve(t, Options{Target: Target{Host: "photo.example"}, Resolve: func(scheme, host string) (Target, bool) {
				other := here
				other.Host = host
				return other, scheme == "http" && host == "admin.example"
			}}, echo)
			here = client.main.target
			req := &Request{Method: test.method, Path: test.path, Header: header, Body: []byte("body")}
			if err := req.Prepare(); err != nil {
				t.Fatal(err)
			}
			var resp Response
			for range 2 {
				if err := client.Follow(t.Context(), req, &resp); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(test.want, end{string(resp.Body), len(resp.Redirects)}); diff != "" {
					t.Error(diff)
				}
				if len(resp.Redirects) > 0 && (resp.Redirects[0].Path != test.path || resp.Redirects[0].Method != test.method) {
					t.Errorf("first hop %+v", resp.Redirects[0])
				}
				if !strings.Contains(string(resp.Body), resp.Method+" "+resp.Host+resp.Path+" ") {
					t.Errorf("final request %s %s%s", resp.Method, resp.Host, resp.Path)
				}
			}
			if len(req.Header) != 3 || req.Method != test.method {
				t.Error("the request was changed")
			}
		})
	}
}

func TestHostileRedirects(t *testing.T) {
	to := func(location string) func(*peer) {
		return func(p *peer) {
			for p.request() && p.send("HTTP/1.1 302 Found\r\nLocation: "+location+"\r\nContent-Length: 0\r\n\r\n") {
			}
		}
	}
	runHostile(t, []hostileCase{
		{name: "loop", follow: true, script: to("/"), code: CodeRedirectLoop, status: 302},
		{name: "limit of none", follow: true, limits: Limits{MaxRedirects: -1}, script: to("/"), code: CodeRedirectLoop},
		{name: "ever longer", follow: true, script: func(p *peer) {
			for i := 0; p.request() && p.send(fmt.Sprintf("HTTP/1.1 302 Found\r\nLocation: /%d\r\nContent-Length: 0\r\n\r\n", i)); i++ {
			}
		}, code: CodeRedirectLoop},
		{name: "slow loop", follow: true, limits: Limits{Total: 100 * time.Millisecond, MaxRedirects: 1 << 20}, code: CodeTimeout, script: func(p *peer) {
			for p.request() && p.send("HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n") {
				time.Sleep(10 * time.Millisecond)
			}
		}},
		{name: "another host", follow: true, script: to("http://evil.example/"), code: CodeUnexpectedRedirect, status: 302},
		{name: "another host without a scheme", follow: true, script: to("//evil.example/"), code: CodeUnexpectedRedirect},
		{name: "another host behind backslashes", follow: true, script: to("http:\\\\evil.example/"), code: CodeUnexpectedRedirect},
		{name: "another port", follow: true, script: to("http://127.0.0.1:1/"), code: CodeUnexpectedRedirect},
		{name: "another scheme", follow: true, script: to("https://127.0.0.1/"), code: CodeUnexpectedRedirect},
		{name: "ftp", follow: true, script: to("ftp://127.0.0.1/"), code: CodeUnexpectedRedirect},
		{name: "script", follow: true, script: to("javascript:alert(1)"), code: CodeUnexpectedRedirect},
		{name: "not a URL", follow: true, script: to("http://[::1"), code: CodeUnexpectedRedirect},
		{name: "bad escape", follow: true, script: to("http://127.0.0.1/%zz"), code: CodeUnexpectedRedirect},
		{name: "broken on the way", follow: true, code: CodeBadStatusLine, script: func(p *peer) {
			p.request()
			p.send("HTTP/1.1 302 Found\r\nLocation: /a\r\nContent-Length: 0\r\n\r\n")
			p.request()
			p.send("what?\r\n")
		}},
		{name: "without a Location", follow: true, script: reply("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nok"), status: 302, body: "ok"},
		{name: "not followed by Do", script: to("/"), status: 302},
		{name: "304 with a Location", follow: true, script: reply("HTTP/1.1 304 Not Modified\r\nLocation: /\r\n\r\n"), status: 304},
	})
}

// TestFollowCookies logs in, as contest apps do it: cookie and redirect in
// one answer, and the page behind it wants the cookie.
func TestFollowCookies(t *testing.T) {
	jar := new(Jar)
	client, _ := serve(t, Options{Jar: jar}, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "sid", Value: "42", Path: "/", HttpOnly: true})
			http.Redirect(w, r, "/mypage", http.StatusFound)
		case "/logout":
			http.SetCookie(w, &http.Cookie{Name: "sid", Path: "/", MaxAge: -1})
			http.Redirect(w, r, "/mypage", http.StatusFound)
		default:
			c, _ := r.Cookie("sid")
			_, _ = fmt.Fprint(w, c)
		}
	})
	for _, step := range []struct{ path, want string }{{"/login", "sid=42"}, {"/mypage", "sid=42"}, {"/logout", ""}} {
		var resp Response
		if err := client.Follow(t.Context(), &Request{Path: step.path}, &resp); err != nil {
			t.Fatal(err)
		}
		if string(resp.Body) != step.want {
			t.Errorf("%s: server saw cookie %s, want %s", step.path, resp.Body, step.want)
		}
	}
}

func TestSameOrigin(t *testing.T) {
	for _, test := range []struct{ location, want string }{
		{"/a b", "/a%20b"}, {"/x#y", "/x"}, {"/", "/"}, {"/é", "/%C3%A9"},
	} {
		if got, ok := localPath(test.location); !ok || got != test.want {
			t.Errorf("localPath(%q) = %q, %v, want %q", test.location, got, ok, test.want)
		}
	}
	for _, location := range []string{"", "//x", "x", "/a/./b", "http://x/"} {
		if _, ok := localPath(location); ok {
			t.Errorf("localPath(%q) takes it for a plain path", location)
		}
	}
}
