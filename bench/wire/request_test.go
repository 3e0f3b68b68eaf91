package wire

import (
	"bytes"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/netip"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseTarget(t *testing.T) {
	type parsed struct {
		Network, Address, Host string
		TLS                    bool
	}
	for _, test := range []struct {
		url  string
		want parsed
	}{
		{"http://127.0.0.1:8080", parsed{"tcp", "127.0.0.1:8080", "127.0.0.1:8080", false}},
		{"http://photo.example/", parsed{"tcp", "photo.example:80", "photo.example", false}},
		{"http://photo.example:80", parsed{"tcp", "photo.example:80", "photo.example", false}},
		{"https://photo.example", parsed{"tcp", "photo.example:443", "photo.example", true}},
		{"https://photo.example:8443", parsed{"tcp", "photo.example:8443", "photo.example:8443", true}},
		{"http://[::1]:8080", parsed{"tcp", "[::1]:8080", "[::1]:8080", false}},
		{"http://[::1]", parsed{"tcp", "[::1]:80", "[::1]", false}},
		{"unix:/run/app.sock", parsed{"unix", "/run/app.sock", "localhost", false}},
		{"unix:///run/app.sock", parsed{"unix", "/run/app.sock", "localhost", false}},
		{"unix:@abstract", parsed{"unix", "@abstract", "localhost", false}},
	} {
		target, err := ParseTarget(test.url)
		if err != nil {
			t.Errorf("%s: %v", test.url, err)
			continue
		}
		got := parsed{target.Network, target.Address, target.Host, target.TLS != nil}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", test.url, diff)
		}
	}
	for _, bad := range []string{"", "photo.example", "ftp://photo.example", "http://", "http://a/path", "http://u:p@a", "http://a?b", "unix:relative", "http://a b"} {
		if target, err := ParseTarget(bad); err == nil {
			t.Errorf("%q is taken for %+v", bad, target)
		}
	}
}

func TestTargetDefaults(t *testing.T) {
	for _, test := range []struct {
		target Target
		url    string
	}{
		{Target{Address: "10.0.0.1:80"}, "http://10.0.0.1/x"},
		{Target{Address: "10.0.0.1:81"}, "http://10.0.0.1:81/x"},
		{Target{Address: "10.0.0.1:81", Host: "photo.example", Source: netip.MustParseAddr("127.0.0.2")}, "http://photo.example/x"},
		{Target{Network: "unix", Address: "/x.sock"}, "http://localhost/x"},
	} {
		if got := test.target.URL("/x"); got != test.url {
			t.Errorf("%+v: %s, want %s", test.target, got, test.url)
		}
	}
	for host, want := range map[string]string{"A.example:80": "a.example", "[::1]:80": "::1", "[::1]": "::1", "a": "a"} {
		if got := hostname(host); got != want {
			t.Errorf("hostname(%q) = %q, want %q", host, got, want)
		}
	}
}

func TestAppendHead(t *testing.T) {
	jar := new(Jar)
	jar.Set(Cookie{Name: "sid", Value: "1", Domain: "photo.example"})
	jar.Set(Cookie{Name: "adm", Value: "2", Domain: "admin.example"})
	client := NewClient(Options{
		Target: Target{Address: "127.0.0.1:8080", Host: "photo.example"}, Jar: jar, AcceptEncoding: "gzip",
		Header: []Field{{"User-Agent", "hotseat"}, {"Accept", "*/*"}},
	})
	defer client.Close()
	for _, test := range []struct {
		name string
		req  Request
		want string
	}{
		{"plain", Request{Path: "/?a=b"}, "GET /?a=b HTTP/1.1|Host: photo.example|User-Agent: hotseat|Accept: */*|Accept-Encoding: gzip|Cookie: sid=1||"},
		{"another host", Request{Path: "/", Host: "Admin.example:99"}, "GET / HTTP/1.1|Host: Admin.example:99|User-Agent: hotseat|Accept: */*|Accept-Encoding: gzip|Cookie: adm=2||"},
		{"overridden", Request{Path: "/", Header: []Field{{"accept", "text/html"}, {"Cookie", "x=y"}, {"Accept-Encoding", "br"}}},
			"GET / HTTP/1.1|Host: photo.example|User-Agent: hotseat|accept: text/html|Cookie: x=y|Accept-Encoding: br||"},
		{"empty post", Request{Method: "POST", Path: "/"}, "POST / HTTP/1.1|Host: photo.example|User-Agent: hotseat|Accept: */*|Accept-Encoding: gzip|Cookie: sid=1|Content-Length: 0||"},
		{"body", Request{Method: "DELETE", Path: "/", Body: []byte("12345")}, "DELETE / HTTP/1.1|Host: photo.example|User-Agent: hotseat|Accept: */*|Accept-Encoding: gzip|Cookie: sid=1|Content-Length: 5||"},
		{"conditional", Request{Path: "/", Header: []Field{IfNoneMatch(`W/"x"`), IfModifiedSince(time.Unix(0, 0))}},
			`GET / HTTP/1.1|Host: photo.example|User-Agent: hotseat|Accept: */*|If-None-Match: W/"x"|If-Modified-Since: Thu, 01 Jan 1970 00:00:00 GMT|Accept-Encoding: gzip|Cookie: sid=1||`},
		{"server-wide", Request{Method: "OPTIONS", Path: "*"}, "OPTIONS * HTTP/1.1|Host: photo.example|User-Agent: hotseat|Accept: */*|Accept-Encoding: gzip|Cookie: sid=1||"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, prepared := range []bool{false, true} {
				if prepared {
					if err := test.req.Prepare(); err != nil {
						t.Fatal(err)
					}
				}
				b, err := client.AppendHead(nil, &test.req)
				got := strings.ReplaceAll(string(b), "\r\n", "|")
				if diff := cmp.Diff(test.want, got); err != nil || diff != "" {
					t.Error(err, diff)
				}
			}
		})
	}
}

func TestRequestsThatCannotBeSent(t *testing.T) {
	client := NewClient(Options{Target: rawServer(t, page(1))})
	defer client.Close()
	for name, req := range map[string]Request{
		"no path":              {},
		"relative path":        {Path: "x"},
		"absolute URL":         {Path: "http://x/"},
		"blank in the path":    {Path: "/a b"},
		"line break":           {Path: "/a\r\nX: y"},
		"raw UTF-8":            {Path: "/写"},
		"method":               {Method: "GE T", Path: "/"},
		"connect":              {Method: "CONNECT", Path: "/"},
		"host":                 {Path: "/", Host: "a\r\nb"},
		"field name":           {Path: "/", Header: []Field{{"A b", "c"}}},
		"empty field name":     {Path: "/", Header: []Field{{"", "c"}}},
		"line break in value":  {Path: "/", Header: []Field{{"A", "b\r\nc: d"}}},
		"host as field":        {Path: "/", Header: []Field{{"host", "b"}}},
		"content-length":       {Path: "/", Header: []Field{{"Content-length", "1"}}},
		"transfer-encoding":    {Path: "/", Header: []Field{{"Transfer-Encoding", "chunked"}}},
		"expect":               {Path: "/", Header: []Field{{"Expect", "100-continue"}}},
		"server-wide with GET": {Path: "*"},
	} {
		t.Run(name, func(t *testing.T) {
			expectFailure(t, client.Do(t.Context(), &req, new(Response)), CodeScenarioBug, false)
			if _, err := client.AppendHead(nil, &req); err == nil {
				t.Error("AppendHead takes it")
			}
		})
	}
	t.Run("options", func(t *testing.T) {
		bad := NewClient(Options{Target: client.main.target, Header: []Field{{"A", "b\n"}}})
		defer bad.Close()
		expectFailure(t, bad.Do(t.Context(), &Request{Path: "/"}, new(Response)), CodeScenarioBug, false)
	})
}

func TestLimits(t *testing.T) {
	base := Limits{Total: time.Second}.over(defaultLimits)
	got := Limits{Total: time.Minute, MaxBody: -1, Body: -1}.over(base).effective()
	want := Limits{
		Connect: 10 * time.Second, Head: time.Minute, Body: unlimitedTime, Total: time.Minute,
		MaxHead: 64 << 10, MaxBody: unlimitedBytes, MaxDecoded: 64 << 20, MaxRedirects: 10,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestForm(t *testing.T) {
	var form Form
	values := url.Values{}
	for _, v := range []string{"plain", "a b", "ü&=+%", "写真", "*-._~!", "\r\n\x00"} {
		form.Add("k"+v, v)
		values.Add("k"+v, v)
	}
	got, err := url.ParseQuery(string(form.Body()))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(values, got); diff != "" {
		t.Error(diff)
	}
	if got := string(form.Reset().Add("b", "2").Add("a", "1").Body()); got != "b=2&a=1" {
		t.Errorf("order lost: %s", got)
	}
}

func TestMultipart(t *testing.T) {
	var form Multipart
	image := []byte("\x89PNG\r\n------hotseat-boundary-0--\r\n\x00")
	form.Add("csrf", "token\r\nwith lines").Add(`quo"te`, "").AddFile("file", "写真 \"1\".png", "image/png", image).AddFile("raw", "x", "", nil)
	body, contentType := form.Encode()
	if again, _ := form.Encode(); !bytes.Equal(body, again) {
		t.Error("the same form, other bytes")
	}
	_, params, err := mime.ParseMediaType(contentType.Value)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	reader := multipart.NewReader(bytes.NewReader(body), params["boundary"])
	for {
		p, err := reader.NextRawPart()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(p)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, p.FormName()+"|"+p.FileName()+"|"+p.Header.Get("Content-Type")+"|"+string(content))
	}
	want := []string{"csrf|||token\r\nwith lines", "quo%22te|||", "file|写真 %221%22.png|image/png|" + string(image), "raw|x|application/octet-stream|"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestAccepted(t *testing.T) {
	all := codingGzip | codingDeflate | codingBrotli | codingZstd
	for value, want := range map[string]codings{
		"": 0, "identity": 0, "gzip": codingGzip, "gzip, deflate, br, zstd": all, "*": all, "gzip;q=0": 0, "gzip; q=0.0, br": codingBrotli,
		"GZIP;q=0.5": codingGzip, "sdch": 0, "*;q=0, br": codingBrotli, "gzip;q=0, *": all &^ codingGzip,
	} {
		if got := parseAccepted(value); got != want {
			t.Errorf("%q: %b, want %b", value, got, want)
		}
	}
}

// TestNoAllocations is the promise of the package: in the common case an
// exchange allocates nothing.
func TestNoAllocations(t *testing.T) {
	jar := new(Jar)
	client := NewClient(Options{Target: rawServer(t, page(200)), Jar: jar, AcceptEncoding: "gzip"})
	defer client.Close()
	req := &Request{Path: "/", Header: []Field{{"Accept", "text/html"}}, Limits: Limits{Total: time.Second}}
	var resp Response
	// The pool may be emptied by the garbage collector at any time: an average
	// below one is as good as none.
	n := testing.AllocsPerRun(2000, func() {
		if err := client.Do(t.Context(), req, &resp); err != nil {
			t.Fatal(err)
		}
		if v, ok := resp.Get("content-type"); !ok || len(v) == 0 || len(resp.Body) != 200 {
			t.Fatal("wrong response")
		}
		resp.Release()
	})
	if n >= 1 && !raceEnabled {
		t.Errorf("%v allocations per exchange", n)
	}
}
