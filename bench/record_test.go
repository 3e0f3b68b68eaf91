package bench

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// received is a request as a server saw it, without what differs between
// clients by nature.
type received struct {
	Method, URI, Host, Body string
	Header                  http.Header
}

func receive(r *http.Request) received {
	body, _ := io.ReadAll(r.Body)
	h := r.Header.Clone()
	for _, name := range []string{"User-Agent", "Accept", "Content-Length"} {
		h.Del(name)
	}
	return received{r.Method, r.RequestURI, r.Host, string(body), h}
}

// The command line of a failure, given to a shell, makes the same request again.
func TestCurlLineRepeatsTheRequest(t *testing.T) {
	for name, describe := range map[string]func(u *User) *Step{
		"get":     func(u *User) *Step { return u.Get("/plain?q=it's&x=%20[1]{2}$HOME`id`") },
		"cookies": func(u *User) *Step { u.Get("/set").Do(); return u.Get("/with") },
		"form":    func(u *User) *Step { return u.PostForm("/login", "login", "o'hara & co", "password", "$(x)!\\") },
		"json": func(u *User) *Step {
			return u.Post("/json", "application/json", []byte("{\"a\": \"line\\n\",\n\t\"b\": \"@é\"}"))
		},
		"binary":    func(u *User) *Step { return u.Post("/bin", "image/png", []byte("\x89PNG\x00\x01%d'\\1\x7f\xfe0")) },
		"not utf-8": func(u *User) *Step { return u.Post("/bin", "text/plain", []byte("a\xffb'\\x1 1\r\nz")) },
		"at sign":   func(u *User) *Step { return u.Post("/at", "text/plain", []byte("@/etc/passwd")) },
		"no body":   func(u *User) *Step { return u.Request("POST", "/empty") },
		"delete":    func(u *User) *Step { return u.Request("DELETE", "/it") },
		"put":       func(u *User) *Step { return u.Request("PUT", "/it").Body([]byte("new")) },
		"head":      func(u *User) *Step { return u.Request("HEAD", "/it") },
		"headers": func(u *User) *Step {
			u.SetHeader("X-Forwarded-For", "127.1.0.1")
			u.SetHeader("X-Gone", "x")
			u.SetHeader("x-gone", "")
			return u.Get("/h").Header("X-Quote", `"it's"`)
		},
		"coding": func(u *User) *Step { return u.Get("/c").Header("Accept-Encoding", "br, gzip;q=0.5") },
		"dots":   func(u *User) *Step { return u.Get("/a/../b/./c") },
		"redirect": func(u *User) *Step {
			return u.PostForm("/enter", "a", "b").Follow()
		},
	} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			var seen []received
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				seen = append(seen, receive(r))
				mu.Unlock()
				switch r.URL.Path {
				case "/set":
					http.SetCookie(w, &http.Cookie{Name: "sid", Value: "a-b=c"})
				case "/with": // must not get into the line: it came too late
					http.SetCookie(w, &http.Cookie{Name: "later", Value: "x"})
				case "/enter":
					http.SetCookie(w, &http.Cookie{Name: "sid", Value: "new", Path: "/"})
					http.Redirect(w, r, "/in", http.StatusFound)
				}
			})
			c := get()
			c.Populations = nil
			c.Verify = []Scenario{{Name: "v", Run: func(u *User) error {
				return describe(u).Expect(That(ruleBody, func(*Page) *Mismatch { return &Mismatch{Expected: "a", Actual: "b"} })).Err()
			}}}
			o := play(t, c, "--target", s.URL)
			f := o.sample(t, CodeValueMismatch)
			want := seen[len(seen)-1:]
			if name == "redirect" {
				want = seen[len(seen)-2:]
			}
			want = append([]received(nil), want...)
			mu.Lock()
			seen = nil
			mu.Unlock()
			out, err := exec.Command("bash", "-c", f.Curl).CombinedOutput()
			if err != nil {
				t.Fatalf("%s: %v\n%s", f.Curl, err, out)
			}
			if diff := cmp.Diff(want, seen); diff != "" {
				t.Errorf("the line sends another request (-want +got):\n%s\n%s", diff, f.Curl)
			}
			if line := want[0].Method + " " + want[0].URI + " HTTP/1.1\nHost: "; !strings.HasPrefix(f.Request, line) {
				t.Errorf("request shown as %q, want it to begin with %q", f.Request, line)
			}
		})
	}
}

func FuzzSafe(f *testing.F) {
	f.Add("plain\n\ttext")
	f.Add("\x1b[2J\u202e\u2028\xff\x00\u0085é日本")
	f.Add(strings.Repeat("日", 1000))
	f.Fuzz(func(t *testing.T, s string) {
		const limit = 100
		got := safe(s, limit)
		if !utf8.ValidString(got) || !harmless(got) {
			t.Errorf("%q is not safe", got)
		}
		if len(got) > limit+50 {
			t.Errorf("%d bytes of %d", len(got), len(s))
		}
		if again := safe(got, len(got)); again != got {
			t.Errorf("%q becomes %q", got, again)
		}
		if l := line(s, limit); strings.ContainsAny(l, "\n\t") {
			t.Errorf("%q is more than a line", l)
		}
	})
}

func TestExcerptShowsTheDifference(t *testing.T) {
	want := strings.Repeat("same ", 2000) + "right"
	got := difference(want, strings.Repeat("same ", 2000)+"wrong"+strings.Repeat(" tail", 2000))
	if !strings.Contains(got, "wrong") || !strings.Contains(got, "more bytes") || len(got) > maxExcerpt+100 {
		t.Errorf("%d bytes: %.100q", len(got), got)
	}
	if got := difference("ok", "no"); got != "no" {
		t.Errorf("%q", got)
	}
}

func TestUnixSocket(t *testing.T) {
	path := filepath.Join(t.TempDir(), "app sock")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewUnstartedServer(http.HandlerFunc(ok))
	s.Listener = l
	s.Start()
	t.Cleanup(s.Close)
	wantVerdict(t, play(t, get(), "--target", "unix:"+path), hotseat.Pass, "")
	o := play(t, once(func(u *User) error { return u.Get("/x").Expect(Path(ruleBody, "/y")).Err() }), "--target", "unix:"+path)
	out, err := exec.Command("bash", "-c", o.sample(t, CodeUnexpectedPath).Curl).Output()
	if err != nil || !strings.HasSuffix(string(out), "\r\n\r\nok") {
		t.Errorf("%v: %s", err, out)
	}
}
