package wire

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httputil"
	"slices"
	"strings"
	"testing"
	"time"
)

// canned is a connection that answers with fixed bytes, in pieces of the
// given sizes (the last size repeats), and then ends.
type canned struct {
	net.Conn // nil: what is not overridden is not used
	data     []byte
	pieces   []int
}

func (c *canned) Read(p []byte) (int, error) {
	if len(c.data) == 0 {
		return 0, io.EOF
	}
	size := len(p)
	if len(c.pieces) > 0 {
		size = min(size, max(1, c.pieces[0]))
		if len(c.pieces) > 1 {
			c.pieces = c.pieces[1:]
		}
	}
	n := copy(p[:size], c.data)
	c.data = c.data[n:]
	return n, nil
}
func (c *canned) Write(p []byte) (int, error)      { return len(p), nil }
func (c *canned) Close() error                     { return nil }
func (c *canned) LocalAddr() net.Addr              { return nil }
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }

// cannedClient makes a client whose every connection answers with response.
func cannedClient(response []byte, pieces []int, options Options) *Client {
	options.Target = Target{Address: "canned:80"}
	client := NewClient(options)
	client.dialContext = func(context.Context, string, string) (net.Conn, error) {
		return &canned{data: response, pieces: pieces}, nil
	}
	return client
}

// outcome is what a client made of a response.
type outcome struct {
	Code   string
	Status int
	Head   string
	Body   string
}

func outcomeOf(t *testing.T, method string, response []byte, pieces []int, limits Limits) outcome {
	t.Helper()
	client := cannedClient(response, pieces, Options{Limits: limits})
	defer client.Close()
	var resp Response
	defer resp.Release()
	err := client.Do(context.Background(), &Request{Method: method, Path: "/", NoRetry: true}, &resp)
	o := outcome{Status: resp.Status, Body: string(resp.Body)}
	for name, value := range resp.Fields() {
		o.Head += fmt.Sprintf("%s: %s\n", name, value)
	}
	var failure *Error
	if errors.As(err, &failure) {
		o.Code = failure.Code
		if ClassOf(o.Code) == "" || failure.Side != SideTarget || !failure.Sent {
			t.Errorf("badly classified: %+v", failure)
		}
	} else if err != nil {
		t.Errorf("untyped error %v", err)
	}
	return o
}

// FuzzResponse checks three things of any response: that nothing panics or
// hangs, that the outcome does not depend on how the network cuts it, and
// that what is accepted means the same to net/http.
func FuzzResponse(f *testing.F) {
	for _, seed := range []string{
		page(20), chunkedPage(20), "HTTP/1.0 200 OK\r\n\r\nbody", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=\"y\"\r\nabc\r\n0\r\nA: b\r\n\r\n",
		"HTTP/1.1 200 OK\nContent-Length: 3\n\nabc", "HTTP/1.1 200 OK\r\nConnection: close\r\nX:\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: /\r\nContent-Length: 0\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
		"HTTP/1.1 304 Not Modified\r\nETag: \"x\"\r\nContent-Length: 9\r\n\r\n",
	} {
		f.Add([]byte(seed), false, uint8(1))
		f.Add([]byte(seed), true, uint8(7))
	}
	limits := Limits{MaxHead: 4 << 10, MaxBody: 64 << 10}
	f.Fuzz(func(t *testing.T, response []byte, isHead bool, piece uint8) {
		method := "GET"
		if isHead {
			method = "HEAD"
		}
		whole := outcomeOf(t, method, response, nil, limits)
		cut := outcomeOf(t, method, response, []int{int(piece)}, limits)
		// Bytes behind the end of a response are only seen when they come with it.
		if extra := whole.Code == CodeLengthMismatch || whole.Code == CodeUnexpectedBody; extra && cut.Code == "" {
			cut.Code = whole.Code
		}
		if whole.Code == "" || cut.Code == "" {
			if whole != cut {
				t.Errorf("in one piece %+v\nin pieces of %d %+v", whole, piece, cut)
			}
		} else if whole.Code != cut.Code && whole.Code != CodeHeaderTooLarge && cut.Code != CodeHeaderTooLarge {
			// Which limit is met first may depend on the pieces, nothing else.
			t.Errorf("in one piece %s, in pieces of %d %s", whole.Code, piece, cut.Code)
		}
		if whole.Code == "" {
			compareWithStandard(t, method, response, whole)
		}
	})
}

// compareWithStandard reads the response with net/http. Everything that we
// accept it accepts, and understands alike.
func compareWithStandard(t *testing.T, method string, response []byte, ours outcome) {
	t.Helper()
	r := bufio.NewReader(bytes.NewReader(response))
	var std *http.Response
	for {
		var err error
		std, err = http.ReadResponse(r, &http.Request{Method: method})
		if err != nil {
			t.Errorf("net/http refuses what we accept: %v", err)
			return
		}
		if std.StatusCode >= 200 {
			break
		}
	}
	body, err := io.ReadAll(std.Body)
	if err != nil && !blankBeforeSemicolon(response) {
		t.Errorf("net/http: body: %v", err)
	}
	_ = std.Body.Close()
	if std.StatusCode != ours.Status || (err == nil && string(body) != ours.Body) {
		t.Errorf("net/http: %d %.200q, wire: %d %.200q", std.StatusCode, body, ours.Status, ours.Body)
	}
	// net/http takes framing fields out of the header and changes the case of names.
	for line := range strings.Lines(ours.Head) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key := http.CanonicalHeaderKey(name); key {
		case "Transfer-Encoding", "Trailer", "Content-Length", "Connection":
		default:
			if !slices.Contains(std.Header.Values(key), value) {
				t.Errorf("net/http has %s = %q, wire %q", key, std.Header.Values(key), value)
			}
		}
	}
}

// blankBeforeSemicolon: there we are more lenient than the standard library,
// as RFC 9112 §7.1.1 has it.
func blankBeforeSemicolon(data []byte) bool {
	return bytes.Contains(data, []byte(" ;")) || bytes.Contains(data, []byte("\t;"))
}

// TestDifferential generates responses that are right, or wrong in one place,
// and compares with net/http: what is right both accept with the same
// meaning, and what only one accepts is on the list of known strictness.
func TestDifferential(t *testing.T) {
	accepted, refused := 0, 0
	for seed := range uint64(3000) {
		random := rand.New(rand.NewPCG(seed, 2))
		response, method, right := generate(random)
		var pieces []int
		for range random.IntN(20) {
			pieces = append(pieces, 1+random.IntN(40))
		}
		got := outcomeOf(t, method, response, pieces, Limits{})
		if right && got.Code != "" {
			t.Errorf("seed %d: right response refused as %s", seed, got.Code)
		}
		if got.Code == "" {
			accepted++
			compareWithStandard(t, method, response, got)
		} else {
			refused++
		}
		if t.Failed() {
			t.Fatalf("seed %d: %s %.1000q", seed, method, response)
		}
	}
	if accepted < 1000 || refused < 500 {
		t.Errorf("%d accepted, %d refused: the generator has lost its balance", accepted, refused)
	}
}

func generate(random *rand.Rand) (response []byte, method string, right bool) {
	one := func(list ...string) string { return list[random.IntN(len(list))] }
	method = one("GET", "GET", "GET", "POST", "HEAD")
	status := one("200", "200", "200", "201", "206", "302", "404", "500", "503", "204", "304")
	body := strings.Repeat(one("x", "ab\r\n", "\x00\xff", "HTTP/1.1 200 OK\r\n\r\n"), random.IntN(1+random.IntN(2000)))
	var b bytes.Buffer
	for range random.IntN(3) {
		b.WriteString("HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n")
	}
	b.WriteString("HTTP/1.1 " + status + one(" OK", " ", " Not at all", "") + "\r\n")
	for range random.IntN(8) {
		b.WriteString(one("Server", "x-a", "ETag", "Set-Cookie", "X-"+strings.Repeat("long", random.IntN(30))) + ":" + one("", " ", "\t  ") +
			one("value", "", "a, b", "\"quoted: x\"", "päge", strings.Repeat("v", random.IntN(300))) + one("", " ", " \t") + "\r\n")
	}
	noBody := method == "HEAD" || status == "204" || status == "304"
	switch random.IntN(3) {
	case 0:
		_, _ = fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
		if !noBody {
			b.WriteString(body)
		}
	case 1:
		b.WriteString(one("Transfer-Encoding: chunked", "transfer-encoding:CHUNKED") + "\r\n\r\n")
		if !noBody {
			for rest := body; rest != ""; {
				n := 1 + random.IntN(len(rest))
				size := fmt.Sprintf(one("%x", "%X", "00%x"), n)
				b.WriteString(size + one("", "", ";a", ";a=b", ";a=\"b;c\"", " ") + "\r\n" + rest[:n] + "\r\n")
				rest = rest[n:]
			}
			b.WriteString(one("0", "000", "0;x") + "\r\n" + one("", "", "X-T: v\r\n") + "\r\n")
		}
	default:
		b.WriteString(one("", "Connection: close\r\n") + "\r\n")
		if !noBody {
			b.WriteString(body)
		}
	}
	response = b.Bytes()
	if random.IntN(2) == 0 {
		return response, method, true
	}
	for range 1 + random.IntN(2) { // break something
		at := random.IntN(len(response))
		if random.IntN(2) == 0 {
			at = random.IntN(min(len(response), 100))
		}
		switch random.IntN(4) {
		case 0:
			response = append(response[:at:at], response[at+1:]...)
		case 1:
			response[at] = byte(random.IntN(256))
		case 2:
			response = slices.Insert(response, at, one("\r", "\n", " ", ":", "\x00", "0", ";")[0])
		default:
			response = response[:max(1, at)]
		}
	}
	return response, method, false
}

// FuzzHead feeds a head in two pieces: the cut must not matter, and every
// offset must lie within it.
func FuzzHead(f *testing.F) {
	f.Add([]byte(page(0)), 10)
	f.Add([]byte("HTTP/1.1 200\nA:b\n\n"), 3)
	f.Add([]byte("HTTP/1.0 404 Not Found\r\nConnection: keep-alive, close\r\nContent-Length: 007\r\n\r\n"), 70)
	f.Fuzz(func(t *testing.T, data []byte, cut int) {
		var whole, pieces head
		whole.begin(0)
		end, failure := whole.advance(data)
		pieces.begin(0)
		var failure2 *Error
		end2 := 0
		if cut > 0 && cut < len(data) {
			end2, failure2 = pieces.advance(data[:cut])
		}
		if end2 == 0 && failure2 == nil {
			end2, failure2 = pieces.advance(data)
		}
		if end != end2 || (failure == nil) != (failure2 == nil) || (failure != nil && failure.Code != failure2.Code) {
			t.Fatalf("whole: %d %v, cut at %d: %d %v", end, failure, cut, end2, failure2)
		}
		if failure != nil || end == 0 {
			return
		}
		if whole.status < 100 || whole.status > 999 || whole.length < -1 || end > len(data) {
			t.Errorf("%+v", whole)
		}
		last := uint32(0)
		for _, s := range whole.fields {
			if s.name < last || s.colon <= s.name || s.value <= s.colon || s.end < s.value || int(s.end) > end {
				t.Fatalf("field at %+v of %d", s, end)
			}
			last = s.end
			if bytes.ContainsAny(data[s.name:s.end], "\r\n\x00") {
				t.Errorf("field %q", data[s.name:s.end])
			}
		}
	})
}

// FuzzChunked compares with the standard library's reader, and with itself
// when the data comes in pieces.
func FuzzChunked(f *testing.F) {
	for _, seed := range []string{
		"0\r\n\r\n", "3\r\nabc\r\n0\r\n\r\n", "A;x=y\r\n0123456789\r\n0\r\nT: v\r\n\r\n", "1 \r\na\r\n00\r\n\r\n", "fffffffffffffff\r\n", "2\nab\n0\n\n",
	} {
		f.Add([]byte(seed), uint8(1))
		f.Add([]byte(seed), uint8(3))
	}
	limits := Limits{MaxBody: 1 << 20, MaxHead: 1 << 10}
	f.Fuzz(func(t *testing.T, data []byte, piece uint8) {
		decode := func(size int) (body []byte, rest int, state chunkState, failure *Error) {
			var d chunked
			buf := make([]byte, 0, len(data))
			w := 0
			for at := 0; at < len(data) && d.state != chunkDone && failure == nil; {
				n := min(size, len(data)-at)
				buf = append(buf[:w], data[at:at+n]...)
				r := 0
				w, r, failure = d.decode(buf, w, w, &limits)
				at += n
				rest = len(data) - at + len(buf) - r
				if w > r || r > len(buf) || (failure == nil && d.state != chunkDone && r != len(buf)) {
					t.Fatalf("wrote to %d, read to %d of %d", w, r, len(buf))
				}
			}
			return buf[:w], rest, d.state, failure
		}
		whole, rest, state, failure := decode(max(1, len(data)))
		pieces, rest2, state2, failure2 := decode(max(1, int(piece)))
		if !bytes.Equal(whole, pieces) || state != state2 || (failure == nil) != (failure2 == nil) {
			t.Fatalf("whole: %q %d %v, in pieces: %q %d %v", whole, state, failure, pieces, state2, failure2)
		}
		if failure != nil || state != chunkDone {
			return
		}
		if rest != rest2 {
			t.Errorf("%d bytes behind the end, in pieces %d", rest, rest2)
		}
		std, err := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(data)))
		if (err != nil && !blankBeforeSemicolon(data)) || (err == nil && !bytes.Equal(std, whole)) {
			t.Errorf("standard library: %q %v, wire: %q", std, err, whole)
		}
	})
}

// FuzzSetCookie checks that no Set-Cookie value can smuggle anything into a
// request, and that the standard library agrees about names it accepts.
func FuzzSetCookie(f *testing.F) {
	for _, seed := range []string{
		"sid=1; Path=/; HttpOnly", "a=b; Domain=.example.com; Max-Age=-1", "a=b; Expires=Sun, 06 Nov 1994 08:49:37 GMT", "=", ";;;", "a=\"b c\"; secure",
		"__Host-x=1; Secure; Path=/", "a=b; max-age=99999999999999999999",
	} {
		f.Add([]byte(seed))
	}
	now := time.Date(2024, 5, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, value []byte) {
		jar := &Jar{Now: func() time.Time { return now }}
		accepted := jar.SetCookie("www.example.com", "/a/b", true, value)
		cookies := jar.Cookies()
		if len(cookies) > 1 || (!accepted && len(cookies) > 0) {
			t.Fatalf("accepted %v, %d cookies", accepted, len(cookies))
		}
		header := string(jar.AppendCookies(nil, "www.example.com", "/a/b", true))
		if len(header) > maxCookie+1 || !isValue(header) {
			t.Errorf("Cookie header %q", header)
		}
		for _, c := range cookies {
			if c.Name == "" || strings.ContainsAny(c.Name+c.Value, ";\r\n\x00") || c.Path == "" || c.Path[0] != '/' {
				t.Errorf("cookie %+v", c)
			}
			if c.Domain != "www.example.com" && c.Domain != "example.com" {
				t.Errorf("domain %q", c.Domain)
			}
			if std, err := http.ParseSetCookie(string(value)); err == nil && std.Name != c.Name {
				t.Errorf("name %q, standard library %q", c.Name, std.Name)
			}
			// Setting it again changes nothing.
			jar.SetCookie("www.example.com", "/a/b", true, value)
			if again := jar.Cookies(); len(again) != 1 || again[0] != c {
				t.Errorf("again: %+v, first %+v", again, c)
			}
		}
	})
}
