package judge

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// stack is a server that counts what reaches it.
type stack struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string // METHOD URI BODY, with what the test asks about appended
}

func newStack(t *testing.T, answer http.HandlerFunc) *stack {
	t.Helper()
	s := &stack{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		s.mu.Lock()
		s.seen = append(s.seen, strings.TrimSpace(fmt.Sprintf("%s %s %s", r.Method, r.URL.RequestURI(), body)))
		s.mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *stack) requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string{}, s.seen...)
}

func tampering(t *testing.T, target string, tampers ...Tamper) *proxy {
	t.Helper()
	p, err := startProxy(target, tampers, 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error("close:", err)
		}
	})
	return p
}

// browser asks as the benchmark does: no redirects of its own, no compression
// behind our back.
func browser(t *testing.T) *http.Client {
	transport := &http.Transport{DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{
		Transport:     transport,
		Timeout:       10 * time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// reply is an answer as the client saw it, its body read or not.
type reply struct {
	status int
	head   http.Header
	length int64
}

// ask sends a request and returns the answer with its body.
func ask(t *testing.T, c *http.Client, method, url, body string, fields ...string) (reply, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(fields); i += 2 {
		req.Header.Set(fields[i], fields[i+1])
	}
	resp, err := c.Do(req)
	if err != nil {
		return reply{}, "", err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	return reply{resp.StatusCode, resp.Header, resp.ContentLength}, string(text), err
}

func TestProxyPassesOnWhatNoTamperTakes(t *testing.T) {
	s := newStack(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Set-Cookie"] = []string{"a=1", "b=2"}
		w.Header().Set("X-Host", r.Host)
		w.Header().Set("X-Cookie", r.Header.Get("Cookie"))
		w.WriteHeader(http.StatusTeapot)
		_, _ = io.WriteString(w, "tea")
	})
	p := tampering(t, s.URL, Tamper{Path: "^/other", AsStatus: 500})
	resp, body, err := ask(t, browser(t), "POST", p.url+"/a%20b?c=%2F", "x=1", "Cookie", "sid=7")
	if err != nil {
		t.Fatal(err)
	}
	got := []any{resp.status, body, resp.head["Set-Cookie"], resp.head.Get("X-Cookie"), resp.head.Get("X-Host"), resp.length}
	want := []any{http.StatusTeapot, "tea", []string{"a=1", "b=2"}, "sid=7", strings.TrimPrefix(p.url, "http://"), int64(3)}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"POST /a%20b?c=%2F x=1"}, s.requests()); d != "" {
		t.Error(d)
	}
}

func TestProxyChangesAnswers(t *testing.T) {
	const page = `<b href="/a">one</b>`
	for _, c := range []struct {
		name   string
		tamper Tamper
		want   string // status, Location, body
	}{
		{"status", Tamper{AsStatus: 404}, "404 /there " + page},
		{"body", Tamper{Replace: []Replace{{`href="(/a)"`, "src='http://{host}$1'"}}}, `200 /there <b src='http://HOST/a'>one</b>`},
		{"field", Tamper{Head: []Header{{Name: "location", To: "/else"}}}, "200 /else " + page},
		{"field in part", Tamper{Head: []Header{{Name: "Location", Match: "^/(t)", To: "http://{host}/$1$1"}}}, "200 http://HOST/tthere " + page},
		{"no field", Tamper{Head: []Header{{Name: "Location"}}}, "200 none " + page},
		{"absent field in part", Tamper{Head: []Header{{Name: "X-None", Match: "$", To: "x"}}}, "200 /there " + page},
		{"other method", Tamper{Method: "POST", AsStatus: 404}, "200 /there " + page},
		{"other client", Tamper{Client: `^127\.2\.`, AsStatus: 404}, "200 /there " + page},
		{"this client", Tamper{Client: `^127\.1\.`, AsStatus: 404}, "404 /there " + page},
		{"status asked for", Tamper{Status: 200, AsStatus: 303}, "303 /there " + page},
		{"other status", Tamper{Status: 302, AsStatus: 303}, "200 /there " + page},
		{"location asked for", Tamper{Location: "^/there$", AsStatus: 303}, "303 /there " + page},
		{"other location", Tamper{Location: "^/here$", AsStatus: 303}, "200 /there " + page},
		{"body asked for", Tamper{Body: "two", AsStatus: 303}, "200 /there " + page},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStack(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", "/there")
				_, _ = io.WriteString(w, page)
			})
			p := tampering(t, s.URL, c.tamper)
			resp, body, err := ask(t, browser(t), "GET", p.url+"/", "", "X-Forwarded-For", "127.1.0.3")
			if err != nil {
				t.Fatal(err)
			}
			location := "none"
			if values := resp.head["Location"]; len(values) > 0 {
				location = values[0]
			}
			got := fmt.Sprintf("%d %s %s", resp.status, location, body)
			if want := strings.ReplaceAll(c.want, "HOST", strings.TrimPrefix(p.url, "http://")); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestProxyChangesRequests(t *testing.T) {
	for _, c := range []struct {
		name   string
		tamper Tamper
		want   []string
	}{
		{"path", Tamper{SendPath: []Replace{{"^/form", "/real"}}}, []string{"POST /real?q x=1 c=old"}},
		{"body", Tamper{SendForm: []Replace{{"x=(.)", "y=$1$1"}}}, []string{"POST /form?q y=11 c=old"}},
		{"head", Tamper{SendHead: []Header{{Name: "Cookie", Match: "old", To: "new"}}}, []string{"POST /form?q x=1 c=new"}},
		{"twice", Tamper{Twice: true}, []string{"POST /form?q x=1 c=old", "POST /form?q x=1 c=old"}},
		{"form asked for", Tamper{Form: "x=2", Twice: true}, []string{"POST /form?q x=1 c=old"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var mu sync.Mutex
			var cookies []string
			s := newStack(t, func(w http.ResponseWriter, r *http.Request) {
				mu.Lock()
				defer mu.Unlock()
				cookies = append(cookies, r.Header.Get("Cookie"))
				_, _ = io.WriteString(w, fmt.Sprint(len(cookies)))
			})
			p := tampering(t, s.URL, c.tamper)
			_, body, err := ask(t, browser(t), "POST", p.url+"/form?q", "x=1", "Cookie", "c=old")
			if err != nil {
				t.Fatal(err)
			}
			mu.Lock()
			defer mu.Unlock()
			got := s.requests()
			for i := range got {
				got[i] += " " + cookies[i]
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Error(d)
			}
			if body != fmt.Sprint(len(c.want)) {
				t.Errorf("the answer is not the last one: %q", body)
			}
		})
	}
}

func TestProxyTakesSomeOfThose(t *testing.T) {
	for _, c := range []struct {
		name   string
		tamper Tamper
		want   string
	}{
		{"skip", Tamper{Skip: 3, AsStatus: 404}, "...xxxxx"},
		{"limit", Tamper{Limit: 2, AsStatus: 404}, "xx......"},
		{"both", Tamper{Skip: 1, Limit: 2, AsStatus: 404}, ".xx....."},
		{"both, of answers", Tamper{Skip: 1, Limit: 2, Body: "o", AsStatus: 404}, ".xx....."},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStack(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
			p := tampering(t, s.URL, c.tamper)
			got, client := "", browser(t)
			for range len(c.want) {
				resp, _, err := ask(t, client, "GET", p.url, "")
				if err != nil {
					t.Fatal(err)
				}
				got += map[bool]string{true: "x", false: "."}[resp.status == 404]
			}
			if got != c.want {
				t.Errorf("took %s, want %s", got, c.want)
			}
		})
	}
	c, err := compile(Tamper{Share: 0.25, AsStatus: 404}, 7)
	if err != nil {
		t.Fatal(err)
	}
	taken := 0
	for range 4000 {
		if c.takes() {
			taken++
		}
	}
	if taken < 800 || taken > 1200 {
		t.Errorf("a share of 0.25 took %d of 4000", taken)
	}
}

func TestProxyCache(t *testing.T) {
	for _, c := range []struct {
		tamper Tamper
		want   string // which answer each of the requests below gets
	}{
		{Tamper{Cache: "path"}, "1 1 1 1"},
		{Tamper{Cache: "client"}, "1 2 1 1"},
		{Tamper{Cache: "form"}, "1 2 3 1"},
		{Tamper{Cache: "path", CacheMS: 1}, "1 2 3 4"},
	} {
		t.Run(c.tamper.Cache, func(t *testing.T) {
			var s *stack
			s = newStack(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, fmt.Sprint(len(s.requests()))) })
			p := tampering(t, s.URL, c.tamper)
			client := browser(t)
			var got []string
			for _, r := range []struct{ client, form string }{{"a", "x"}, {"b", "x"}, {"a", "y"}, {"a", "x"}} {
				_, body, err := ask(t, client, "POST", p.url, r.form, "X-Forwarded-For", r.client)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, body)
				if c.tamper.CacheMS > 0 {
					time.Sleep(5 * time.Millisecond)
				}
			}
			if d := cmp.Diff(c.want, strings.Join(got, " ")); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestProxyGivesAStrangersPage(t *testing.T) {
	var s *stack
	s = newStack(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprint(w, r.Header.Get("X-Forwarded-For"), len(s.requests()))
	})
	p := tampering(t, s.URL, Tamper{Stranger: true, Client: "b|c"})
	client := browser(t)
	var got []string
	for _, name := range []string{"b", "a", "b", "b", "c"} {
		_, body, err := ask(t, client, "GET", p.url, "", "X-Forwarded-For", name)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, body)
	}
	// Nobody was there before the first b; c gets the latest: what b should have got.
	if d := cmp.Diff([]string{"b1", "a2", "a2", "a2", "b4"}, got); d != "" {
		t.Error(d)
	}
}

func TestProxyReversesAndCompresses(t *testing.T) {
	s := newStack(t, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"a":["x","y"],"n":12345678901234567890}`)
	})
	p := tampering(t, s.URL, Tamper{Reverse: true}, Tamper{Gzip: true})
	resp, body, err := ask(t, browser(t), "GET", p.url, "", "Accept-Encoding", "gzip")
	if err != nil {
		t.Fatal(err)
	}
	z, err := gzip.NewReader(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(z)
	if err != nil || resp.head.Get("Content-Encoding") != "gzip" {
		t.Fatal(err, resp.head)
	}
	if string(plain) != `{"a":["y","x"],"n":12345678901234567890}` {
		t.Errorf("got %s", plain)
	}
	if resp, body, err := ask(t, browser(t), "GET", p.url, ""); err != nil || resp.head.Get("Content-Encoding") != "" || body[0] != '{' {
		t.Errorf("compressed for somebody who does not take it: %q, %v", body, err)
	}
}

// A right answer is the same however it is delivered.
func TestProxyRightDeliveries(t *testing.T) {
	page := bytes.Repeat([]byte("0123456789"), 1234)
	for _, how := range []string{"", "chunked", "close", "http10", "terse", "dribble"} {
		t.Run(how, func(t *testing.T) {
			s := newStack(t, func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("X-Kept", "yes")
				w.WriteHeader(http.StatusCreated)
				if r.URL.Path != "/empty" {
					_, _ = w.Write(page)
				}
			})
			p := tampering(t, s.URL, Tamper{Deliver: how, AsStatus: 201})
			for _, path := range []string{"/", "/empty", "/"} {
				resp, body, err := ask(t, browser(t), "GET", p.url+path, "")
				if err != nil {
					t.Fatal(err)
				}
				want := string(page)
				if path == "/empty" {
					want = ""
				}
				if resp.status != 201 || resp.head.Get("X-Kept") != "yes" || body != want {
					t.Errorf("%s: status %d, head %v, %d bytes", path, resp.status, resp.head, len(body))
				}
			}
			head, rest := raw(t, p.url)
			for mark, with := range map[string]string{
				"transfer-encoding: chunked": "chunked", "connection: close": "close dribble", "http/1.0 201": "http10", "x-kept:yes\t": "terse",
			} {
				if has := strings.Contains(strings.ToLower(head), mark); has != (how != "" && strings.Contains(with, how)) {
					t.Errorf("%q in the head: %v\n%s", mark, has, head)
				}
			}
			if how == "terse" && !strings.Contains(head, "\r\nx-kept:") {
				t.Errorf("names in capitals:\n%s", head)
			}
			if how == "http10" && (strings.Contains(head, "Content-Length") || rest != string(page)) {
				t.Errorf("HTTP/1.0 answer: %s", head)
			}
		})
	}
}

// raw asks for / on a socket and returns head and body as they came, until the
// connection ended or fell silent.
func raw(t *testing.T, url string) (head, body string) {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if _, err := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(200 * time.Millisecond))
	all, _ := io.ReadAll(bufio.NewReader(conn))
	head, body, _ = strings.Cut(string(all), "\r\n\r\n")
	return head, body
}

// What fails a client does so after the stack has done its part, or before.
func TestProxyFailsTheClient(t *testing.T) {
	for _, c := range []struct {
		name    string
		tamper  Tamper
		reached int // requests of the stack
		want    func(status int, body string, err error) bool
	}{
		{"dropped before", Tamper{Drop: "before"}, 0, func(_ int, _ string, err error) bool { return errors.Is(err, io.EOF) }},
		{"dropped after", Tamper{Drop: "after"}, 1, func(_ int, _ string, err error) bool { return errors.Is(err, io.EOF) }},
		{"half", Tamper{Deliver: "half"}, 1, func(status int, body string, err error) bool {
			return status == 200 && body == "01234" && errors.Is(err, io.ErrUnexpectedEOF)
		}},
		{"reset", Tamper{Deliver: "reset"}, 1, func(_ int, _ string, err error) bool { return errors.Is(err, syscall.ECONNRESET) }},
		{"raw", Tamper{Raw: "no http\r\n\r\n"}, 1, func(_ int, _ string, err error) bool {
			return err != nil && strings.Contains(err.Error(), "malformed HTTP")
		}},
		{"hang", Tamper{Deliver: "hang"}, 1, func(status int, body string, err error) bool {
			var late net.Error
			return status == 200 && body == "" && errors.As(err, &late) && late.Timeout()
		}},
		{"delay", Tamper{DelayMS: 60_000}, 1, func(status int, _ string, err error) bool {
			var late net.Error
			return status == 0 && errors.As(err, &late) && late.Timeout()
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newStack(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "0123456789") })
			p := tampering(t, s.URL, c.tamper)
			client := browser(t)
			client.Timeout = 300 * time.Millisecond
			resp, body, err := ask(t, client, "POST", p.url, "x")
			if !c.want(resp.status, body, err) {
				t.Errorf("status %d, body %q, error %v", resp.status, body, err)
			}
			if n := len(s.requests()); n != c.reached {
				t.Errorf("%d requests reached the stack, want %d", n, c.reached)
			}
		})
	}
}

func TestProxyRefuses(t *testing.T) {
	s := newStack(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
	p := tampering(t, s.URL, Tamper{Skip: 1, Refuse: true})
	client := browser(t)
	if _, body, err := ask(t, client, "GET", p.url, ""); err != nil || body != "ok" {
		t.Fatal(body, err)
	}
	if _, _, err := ask(t, client, "POST", p.url, "x"); err == nil {
		t.Error("answered by a server that has gone")
	}
	if _, _, err := ask(t, browser(t), "GET", p.url, ""); !errors.Is(err, syscall.ECONNREFUSED) {
		t.Errorf("a later connection: %v", err)
	}
}

// Close ends what hangs on purpose.
func TestProxyCloses(t *testing.T) {
	for _, tamper := range []Tamper{{Deliver: "hang"}, {DelayMS: 60_000}} {
		s := newStack(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok") })
		p, err := startProxy(s.URL, []Tamper{tamper}, 1)
		if err != nil {
			t.Fatal(err)
		}
		asked := make(chan error, 1)
		go func() {
			_, _, err := ask(t, browser(t), "GET", p.url, "")
			asked <- err
		}()
		for len(s.requests()) == 0 {
			time.Sleep(time.Millisecond)
		}
		closed := make(chan error, 1)
		go func() { closed <- p.Close() }()
		select {
		case err := <-closed:
			if err != nil {
				t.Error(err)
			}
		case <-time.After(5 * time.Second):
			t.Fatalf("%+v outlives Close", tamper)
		}
		if err := <-asked; err == nil {
			t.Error("the client got an answer nevertheless")
		}
	}
}

func TestProxySaysThatTheStackIsGone(t *testing.T) {
	s := newStack(t, nil)
	s.Close()
	p := tampering(t, s.URL)
	resp, body, err := ask(t, browser(t), "GET", p.url, "")
	if err != nil || resp.status != http.StatusBadGateway || !strings.Contains(body, "tampering proxy") {
		t.Errorf("%v %q %v", resp, body, err)
	}
}

func TestTamperMakesSense(t *testing.T) {
	for _, c := range []struct {
		name   string
		tamper Tamper
		want   string
	}{
		{"nothing", Tamper{Path: "/"}, "does nothing"},
		{"expression", Tamper{Path: "(", AsStatus: 404}, "path: "},
		{"expression in a list", Tamper{Replace: []Replace{{"(", ""}}}, "replace: "},
		{"replacement of nothing", Tamper{Replace: []Replace{{"", "x"}}}, "replace: "},
		{"field without name", Tamper{Head: []Header{{To: "x"}}}, "head: "},
		{"drop", Tamper{Drop: "during"}, `drop = "during"`},
		{"cache", Tamper{Cache: "all"}, `cache = "all"`},
		{"deliver", Tamper{Deliver: "by hand"}, `deliver = "by hand"`},
		{"share", Tamper{Share: 2, AsStatus: 404}, "share"},
		{"status", Tamper{AsStatus: 99}, "as_status"},
		{"negative", Tamper{Skip: -1, AsStatus: 404}, "negative"},
		{"too late", Tamper{Status: 200, Twice: true}, "cannot depend"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := compile(c.tamper, 0); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q in it", err, c.want)
			}
		})
	}
}
