package wire

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/zstd"
)

func TestHostileFraming(t *testing.T) {
	chunks := ok200 + "Transfer-Encoding: chunked\r\n\r\n"
	head := func(fields string) string { return ok200 + fields + "\r\n\r\n" }
	runHostile(t, []hostileCase{
		{name: "two lengths", script: reply(head("Content-Length: 2\r\nContent-Length: 3") + "okx"), code: CodeLengthMismatch},
		{name: "the same length twice", script: reply(head("Content-Length: 2\r\nContent-Length: 2") + "ok"), code: CodeLengthMismatch},
		{name: "a list of lengths", script: reply(head("Content-Length: 2, 2") + "ok"), code: CodeLengthMismatch},
		{name: "length and chunked", script: reply(head("Content-Length: 12\r\nTransfer-Encoding: chunked") + "2\r\nok\r\n0\r\n\r\n"), code: CodeLengthMismatch},
		{name: "negative length", script: reply(head("Content-Length: -2") + "ok"), code: CodeBadHeader},
		{name: "signed length", script: reply(head("Content-Length: +2") + "ok"), code: CodeBadHeader},
		{name: "empty length", script: reply(head("Content-Length:") + "ok"), code: CodeBadHeader},
		{name: "length in hexadecimal", script: reply(head("Content-Length: 0x2") + "ok"), code: CodeBadHeader},
		{name: "length beyond 64 bits", script: reply(head("Content-Length: 99999999999999999999") + "ok"), code: CodeBadHeader},
		{name: "length with a blank", script: reply(head("Content-Length: 1 0") + "ok"), code: CodeBadHeader},
		{name: "a terabyte announced", script: replyAndHold(head("Content-Length: 1099511627776") + "ok"), code: CodeBodyTooLarge, status: 200},
		{name: "body larger than the limit", limits: Limits{MaxBody: 10}, script: reply(head("Content-Length: 11") + "01234567890"), code: CodeBodyTooLarge},
		{name: "body as large as the limit", limits: Limits{MaxBody: 10}, script: reply(head("Content-Length: 10") + "0123456789"), body: "0123456789"},
		{name: "more than announced", script: reply(head("Content-Length: 2") + "okay"), code: CodeLengthMismatch, status: 200},
		{name: "more than announced, large", script: reply(head("Content-Length: 100000") + strings.Repeat("x", 100001)), code: CodeLengthMismatch},
		{name: "less than announced", script: reply(head("Content-Length: 3") + "ok"), code: CodeEarlyEOF, status: 200},
		{name: "a second response behind", script: reply(head("Content-Length: 2") + "ok" + head("Content-Length: 2") + "ok"), code: CodeLengthMismatch},
		{name: "a second response behind chunks", script: reply(chunks + "2\r\nok\r\n0\r\n\r\n" + head("Content-Length: 2") + "ok"), code: CodeLengthMismatch},
		{name: "stalled body", limits: Limits{Body: 50 * time.Millisecond}, script: replyAndHold(head("Content-Length: 9") + "ok"), code: CodeStalledBody},
		{name: "stalled chunks", limits: Limits{Body: 50 * time.Millisecond}, script: replyAndHold(chunks + "9\r\nok"), code: CodeStalledBody},
		{name: "stalled before the last chunk", limits: Limits{Body: 50 * time.Millisecond}, script: replyAndHold(chunks + "2\r\nok\r\n"), code: CodeStalledBody},
		{name: "stalled without a length", limits: Limits{Body: 50 * time.Millisecond}, script: replyAndHold(head("X: y") + "ok"), code: CodeStalledBody},
		{name: "dripping body", limits: Limits{Body: 2 * time.Second, Total: 150 * time.Millisecond}, code: CodeTimeout, script: func(p *peer) {
			p.request()
			p.send(head("Content-Length: 10000"))
			p.drip(strings.Repeat("x", 10000), 5*time.Millisecond)
		}},
		{name: "dripping chunks are fine", body: "0123456789", script: func(p *peer) {
			p.request()
			p.drip(chunks+"5\r\n01234\r\n5;a=b\r\n56789\r\n0\r\nA: b\r\n\r\n", time.Millisecond)
			p.hold()
		}},
		{name: "reset in the middle of the body", code: CodeReset, status: 200, script: func(p *peer) {
			p.request()
			p.send(head("Content-Length: 1000") + "ok")
			time.Sleep(10 * time.Millisecond)
			p.reset()
		}},
		{name: "until close", script: reply(head("X: y") + "until the end"), body: "until the end"},
		{name: "until close, empty", script: reply(head("X: y"))},
		{name: "until reset", code: CodeReset, script: func(p *peer) {
			p.request()
			p.send(head("X: y") + "some")
			time.Sleep(10 * time.Millisecond)
			p.reset()
		}},
		{name: "endless until close", script: endless(head("X: y"), "x"), limits: Limits{MaxBody: 1 << 20}, code: CodeBodyTooLarge},
		{name: "HTTP/1.0", script: reply("HTTP/1.0 200 OK\r\n\r\nold"), body: "old"},
		{name: "HTTP/1.0 with a length, held open", script: replyAndHold("HTTP/1.0 200 OK\r\nContent-Length: 3\r\n\r\nold"), body: "old"},
		{name: "HTTP/1.0 chunked", script: reply("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), code: CodeBadEncoding},

		{name: "HEAD", req: Request{Method: "HEAD"}, script: replyAndHold(head("Content-Length: 100"))},
		{name: "HEAD of a chunked page", req: Request{Method: "HEAD"}, script: replyAndHold(chunks)},
		{name: "HEAD with a body", req: Request{Method: "HEAD"}, script: reply(head("Content-Length: 2") + "ok"), code: CodeUnexpectedBody},
		{name: "204", script: replyAndHold("HTTP/1.1 204 No Content\r\n\r\n"), status: 204},
		{name: "204 with a length", script: replyAndHold("HTTP/1.1 204 No Content\r\nContent-Length: 7\r\n\r\n"), status: 204},
		{name: "204 with a body", script: reply("HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\nok"), code: CodeUnexpectedBody, status: 204},
		{name: "204 chunked", script: reply("HTTP/1.1 204 No Content\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), code: CodeUnexpectedBody},
		{name: "304 with a length", script: replyAndHold("HTTP/1.1 304 Not Modified\r\nContent-Length: 7\r\n\r\n"), status: 304},
		{name: "304 with a body", script: reply("HTTP/1.1 304 Not Modified\r\n\r\nok"), code: CodeUnexpectedBody},

		{name: "transfer coding gzip", script: reply(head("Transfer-Encoding: gzip, chunked") + "0\r\n\r\n"), code: CodeBadEncoding},
		{name: "transfer coding identity", script: reply(head("Transfer-Encoding: identity") + "ok"), code: CodeBadEncoding},
		{name: "chunked twice", script: reply(head("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked") + "0\r\n\r\n"), code: CodeBadEncoding},
		{name: "chunked, chunked", script: reply(head("Transfer-Encoding: chunked, chunked") + "0\r\n\r\n"), code: CodeBadEncoding},

		{name: "chunks", script: reply(chunks + "2\r\nok\r\nA\r\n0123456789\r\n0\r\n\r\n"), body: "ok0123456789"},
		{name: "no chunks", script: reply(chunks + "0\r\n\r\n")},
		{name: "chunk extensions", script: reply(chunks + "2;a=b;c=\"d;e\"\r\nok\r\n0;last\r\n\r\n"), body: "ok"},
		{name: "blanks behind the size", script: reply(chunks + "2 \t\r\nok\r\n0\r\n\r\n"), body: "ok"},
		{name: "words behind the size", script: reply(chunks + "2 bytes\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "blank before the semicolon", script: reply(chunks + "2 ;a=b\r\nok\r\n0\r\n\r\n"), body: "ok"},
		{name: "endless chunk extension", script: endless(chunks+"2;", "a"), code: CodeBadChunk},
		{name: "endless chunk extensions", script: endless(chunks, "1;"+strings.Repeat("a", 1000)+"\r\nx\r\n"), code: CodeBadChunk},
		{name: "NUL in an extension", script: reply(chunks + "2;\x00\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "size in decimal words", script: reply(chunks + "two\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "size negative", script: reply(chunks + "-2\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "size with 0x", script: reply(chunks + "0x2\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "size empty", script: reply(chunks + "\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "size of 17 digits", script: reply(chunks + "10000000000000002\r\nok\r\n"), code: CodeBadChunk},
		{name: "size of endless zeros", script: endless(chunks, "0"), code: CodeBadChunk},
		{name: "size beyond the limit", script: replyAndHold(chunks + "fffffffffff\r\nok"), code: CodeBodyTooLarge},
		{name: "size line with bare LF", script: reply(chunks + "2\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "size line with CR inside", script: reply(chunks + "2\r\rok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "data longer than its size", script: reply(chunks + "2\r\nokay\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "data followed by bare LF", script: reply(chunks + "2\r\nok\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "data shorter than its size", script: reply(chunks + "3\r\nok\r\n0\r\n\r\n"), code: CodeBadChunk},
		{name: "no last chunk", script: reply(chunks + "2\r\nok\r\n"), code: CodeEarlyEOF},
		{name: "endless chunks", script: endless(chunks, "4\r\nabcd\r\n"), limits: Limits{MaxBody: 1 << 20}, code: CodeBodyTooLarge},
		{name: "endless chunks of one byte", script: endless(chunks, "1\r\na\r\n"), limits: Limits{MaxBody: 1 << 18}, code: CodeBodyTooLarge},
		{name: "trailers", script: reply(chunks + "2\r\nok\r\n0\r\nX-A: b\r\nX-C: d\r\n\r\n"), body: "ok"},
		{name: "endless trailers", script: endless(chunks+"0\r\n", "X: y\r\n"), code: CodeHeaderTooLarge},
		{name: "folded trailer", script: reply(chunks + "0\r\nX: y\r\n z\r\n\r\n"), code: CodeBadHeader},
		{name: "trailer without a colon", script: reply(chunks + "0\r\nwhat\r\n\r\n"), code: CodeBadHeader},
		{name: "trailer with bare LF", script: reply(chunks + "0\r\nX: y\n\r\n"), code: CodeBadChunk},
		{name: "plain text labelled chunked", script: reply(chunks + "hello"), code: CodeBadChunk},
	})
}

func TestTrailer(t *testing.T) {
	client := NewClient(Options{Target: hostile(t, reply(ok200+"Transfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\nX-Sum: 17 \r\nX-More:\r\n\r\n"))})
	defer client.Close()
	resp := get(t, client, "/")
	if v, ok := resp.Trailer("x-sum"); !ok || string(v) != "17" {
		t.Errorf("X-Sum = %q, %v", v, ok)
	}
	if v, ok := resp.Trailer("X-More"); !ok || len(v) != 0 {
		t.Errorf("X-More = %q, %v", v, ok)
	}
	if _, ok := resp.Trailer("X-Other"); ok {
		t.Error("a trailer from nowhere")
	}
}

// packed encodes with other implementations than ours where there are any.
func packed(t testing.TB, coding, s string) string {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	var err error
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "bare deflate":
		w, err = flate.NewWriter(&b, 5)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, err = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(w, s); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func encoded(coding, body string) string {
	return ok200 + "Content-Encoding: " + coding + "\r\nContent-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n" + body
}

func TestHostileCoding(t *testing.T) {
	const all = "gzip, deflate, br, zstd"
	text := strings.Repeat("all the words of a page ", 1000)
	bomb := strings.Repeat("\x00", 2<<20)
	limits := Limits{MaxDecoded: 1 << 20}
	cases := []hostileCase{
		{name: "bare deflate", accept: all, script: reply(encoded("deflate", packed(t, "bare deflate", text))), body: text},
		{name: "identity", accept: all, script: reply(encoded("identity", text)), body: text},
		{name: "identity unasked", script: reply(encoded("identity", text)), body: text},
		{name: "x-gzip", accept: all, script: reply(encoded("x-gzip", packed(t, "gzip", text))), body: text},
		{name: "GZIP", accept: all, script: reply(encoded("GZIP", packed(t, "gzip", text))), body: text},
		{name: "two codings", accept: all, script: reply(encoded("br, gzip", packed(t, "gzip", packed(t, "br", text)))), body: text},
		{name: "three codings", accept: all, script: reply(encoded("br, gzip, gzip", text)), code: CodeBadEncoding},
		{name: "two codings in two fields", accept: all, script: reply(strings.Replace(encoded("gzip", packed(t, "gzip", packed(t, "br", text))), "Content-Encoding", "Content-Encoding: br\r\nContent-Encoding", 1)), body: text},
		{name: "unknown coding", accept: all, script: reply(encoded("sdch", text)), code: CodeBadEncoding, status: 200},
		{name: "unasked coding", accept: "gzip", script: reply(encoded("br", packed(t, "br", text))), code: CodeBadEncoding},
		{name: "refused coding", accept: "*, br;q=0", script: reply(encoded("br", packed(t, "br", text))), code: CodeBadEncoding},
		{name: "unasked by this request", accept: "gzip", req: Request{Header: []Field{{"Accept-Encoding", "identity"}}}, script: reply(encoded("gzip", packed(t, "gzip", text))), code: CodeBadEncoding},
		{name: "asked by this request", req: Request{Header: []Field{{"Accept-Encoding", "gzip"}}}, script: reply(encoded("gzip", packed(t, "gzip", text))), body: text},
		{name: "nothing, labelled gzip", accept: all, script: reply(encoded("gzip", ""))},
		{name: "gzip of another kind", accept: all, script: reply(encoded("gzip", packed(t, "deflate", text))), code: CodeBadEncoding},
		{name: "HEAD labelled gzip", accept: all, req: Request{Method: "HEAD"}, script: replyAndHold(ok200 + "Content-Encoding: gzip\r\nContent-Length: 77\r\n\r\n")},
	}
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		good := packed(t, coding, text)
		garbled := []byte(good)
		for i := range 8 { // somewhere in the data, not in the header
			garbled[len(garbled)/2+i] ^= 0x55
		}
		cases = append(cases,
			hostileCase{name: coding, accept: all, script: reply(encoded(coding, good)), body: text},
			hostileCase{name: coding + " chunked", accept: all, body: text,
				script: reply(ok200 + "Content-Encoding: " + coding + "\r\nTransfer-Encoding: chunked\r\n\r\n" + strconv.FormatInt(int64(len(good)), 16) + "\r\n" + good + "\r\n0\r\n\r\n")},
			hostileCase{name: coding + " bomb", accept: all, limits: limits, script: reply(encoded(coding, packed(t, coding, bomb))), code: CodeBodyTooLarge},
			hostileCase{name: coding + " that is plain text", accept: all, script: reply(encoded(coding, "hello, this is plain text")), code: CodeBadEncoding},
			hostileCase{name: coding + " cut off", accept: all, script: reply(encoded(coding, good[:len(good)-5])), code: CodeBadEncoding},
			hostileCase{name: coding + " with more behind", accept: all, script: reply(encoded(coding, good+"and more")), code: CodeBadEncoding},
			hostileCase{name: coding + " garbled", accept: all, script: reply(encoded(coding, string(garbled))), code: CodeBadEncoding},
		)
	}
	runHostile(t, cases)
}

// TestDecodedTwice uses every decoder again, also after a failure.
func TestDecodedTwice(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "bare deflate", "br", "zstd"} {
		kind := map[string]codings{"gzip": codingGzip, "br": codingBrotli, "zstd": codingZstd}[coding]
		if kind == 0 {
			kind = codingDeflate
		}
		for i, text := range []string{"first", strings.Repeat("second ", 5000), "", "fourth"} {
			good := []byte(packed(t, coding, text))
			if out, err := inflate(kind, good, getBuffer(16), 1<<20); err != nil || string(out.b) != text {
				t.Errorf("%s %d: %v, %d bytes of %d", coding, i, err, len(out.b), len(text))
			}
			if _, err := inflate(kind, good[:len(good)-1], getBuffer(16), 1<<20); err == nil {
				t.Errorf("%s %d: no error for a body cut off", coding, i)
			}
		}
	}
}
