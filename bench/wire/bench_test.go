package wire

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// rawServer answers every request on every connection with the same bytes, at
// the least cost that Go allows, so that benchmarks measure the client.
func rawServer(tb testing.TB, response string) Target {
	tb.Helper()
	answer := []byte(response)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		for {
			nc, err := listener.Accept()
			if errors.Is(err, net.ErrClosed) {
				return
			}
			if err != nil { // out of file descriptors, for one test's sake
				time.Sleep(time.Millisecond)
				continue
			}
			group.Go(func() {
				defer func() { _ = nc.Close() }()
				var b [4096]byte
				n := 0
				for {
					got, err := nc.Read(b[n:])
					if err != nil {
						return
					}
					n += got
					if !bytes.HasSuffix(b[:n], []byte("\r\n\r\n")) {
						continue
					}
					n = 0
					if _, err := nc.Write(answer); err != nil {
						return
					}
				}
			})
		}
	})
	tb.Cleanup(func() { _ = listener.Close(); group.Wait() })
	target, err := ParseTarget("http://" + listener.Addr().String())
	if err != nil {
		tb.Fatal(err)
	}
	return target
}

// page is a response with a typical head and a body of n bytes.
func page(n int) string {
	return "HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 02 Jan 2006 15:04:05 GMT\r\nContent-Type: text/html; charset=utf-8\r\n" +
		fmt.Sprintf("Content-Length: %d\r\nConnection: keep-alive\r\nSet-Cookie: sid=0123456789abcdef; Path=/; HttpOnly\r\n\r\n", n) + strings.Repeat("x", n)
}

func chunkedPage(n int) string {
	return "HTTP/1.1 200 OK\r\nServer: nginx\r\nContent-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n" +
		fmt.Sprintf("%x\r\n%s\r\n%x\r\n%s\r\n0\r\n\r\n", n/2, strings.Repeat("x", n/2), n-n/2, strings.Repeat("y", n-n/2))
}

// BenchmarkDo counts the CPU of client and server together; "cpu-us/op" is
// what the machine spent, not what the clock says.
func BenchmarkDo(b *testing.B) {
	for _, test := range []struct {
		name, response string
	}{
		{"200B", page(200)},
		{"10KB", page(10 << 10)},
		{"10KB-chunked", chunkedPage(10 << 10)},
	} {
		b.Run(test.name, func(b *testing.B) {
			target := rawServer(b, test.response)
			jar := new(Jar)
			client := NewClient(Options{Target: target, Jar: jar, AcceptEncoding: "gzip, br", Header: []Field{{"User-Agent", "hotseat"}}})
			defer client.Close()
			ctx, cancel := context.WithCancel(b.Context())
			defer cancel()
			req := &Request{Path: "/posts/12345?page=2", Header: []Field{{"Accept", "text/html"}}, Limits: Limits{Total: time.Second}}
			if err := req.Prepare(); err != nil {
				b.Fatal(err)
			}
			var resp Response
			b.ReportAllocs()
			before := cpuTime(b)
			for b.Loop() {
				if err := client.Do(ctx, req, &resp); err != nil {
					b.Fatal(err)
				}
				resp.Release()
			}
			b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
		})
	}
}

// BenchmarkNetHTTP is what the same costs with the standard library.
func BenchmarkNetHTTP(b *testing.B) {
	target := rawServer(b, page(200))
	transport := new(http.Transport)
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	url := target.URL("/posts/12345?page=2")
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		resp, err := client.Get(url)
		if err != nil {
			b.Fatal(err)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	b.ReportMetric(float64((cpuTime(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
}

func BenchmarkHead(b *testing.B) {
	response := []byte(page(0))
	var h head
	b.ReportAllocs()
	for b.Loop() {
		h.begin(0)
		if end, failure := h.advance(response); failure != nil || end != len(response) {
			b.Fatal(failure)
		}
	}
}

func BenchmarkJar(b *testing.B) {
	jar := new(Jar)
	value := []byte("sid=0123456789abcdef; Path=/; HttpOnly")
	var header []byte
	b.ReportAllocs()
	for b.Loop() {
		jar.SetCookie("127.0.0.1", "/", false, value)
		header = jar.AppendCookies(header[:0], "127.0.0.1", "/posts", false)
	}
}

func cpuTime(tb testing.TB) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
