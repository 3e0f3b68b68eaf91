package wire

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"fmt"
	"io"
	"math/big"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

func TestConnectFailures(t *testing.T) {
	served := rawServer(t, page(10))
	for _, test := range []struct {
		name   string
		target Target
		code   string
	}{
		{"refused", Target{Address: "127.0.0.1:1"}, CodeRefused},
		{"no such unix socket", Target{Network: "unix", Address: filepath.Join(t.TempDir(), "none.sock")}, CodeRefused},
		{"no answer to the SYN", Target{Address: deafListener(t)}, CodeConnectTimeout},
		// The kernel connects TCP to no broadcast address.
		{"no route", Target{Address: "127.255.255.255:80"}, CodeNoRoute},
		{"unknown name", Target{Address: "no-such-host.invalid:80"}, CodeDNS},
		{"foreign source address", Target{Address: served.Address, Source: netip.MustParseAddr("192.0.2.1")}, CodePortExhausted},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stats := new(Stats)
			client := NewClient(Options{Target: test.target, Limits: Limits{Connect: 300 * time.Millisecond}, Events: stats})
			defer client.Close()
			for range 2 { // the second tells whether the first left its slot
				err := client.Do(t.Context(), &Request{Method: "POST", Path: "/", Body: []byte("x")}, new(Response))
				expectFailure(t, err, test.code, false)
			}
			if client.main.slots != 0 || stats.BytesOut.Load() != 0 {
				t.Errorf("%d slots taken, %d bytes out", client.main.slots, stats.BytesOut.Load())
			}
		})
	}
}

// deafListener gives the address of a listener whose queue is full, so that
// the kernel drops further SYNs.
func deafListener(t *testing.T) string {
	t.Helper()
	fd, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = syscall.Close(fd) })
	if err := syscall.Bind(fd, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := syscall.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := fmt.Sprintf("127.0.0.1:%d", name.(*syscall.SockaddrInet4).Port)
	for range 4 {
		nc, err := net.DialTimeout("tcp", address, 50*time.Millisecond)
		if err != nil {
			break
		}
		t.Cleanup(func() { _ = nc.Close() })
	}
	return address
}

// TestFileDescriptors runs out of them for real; not parallel, because
// everything else in the process does so too.
func TestFileDescriptors(t *testing.T) {
	target := rawServer(t, page(10))
	client := NewClient(Options{Target: target})
	defer client.Close()
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	probe, err := syscall.Dup(0)
	if err != nil {
		t.Fatal(err)
	}
	_ = syscall.Close(probe)
	// The next descriptor would be probe; allow none above.
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: uint64(probe), Max: limit.Max}); err != nil {
		t.Fatal(err)
	}
	failure := client.Do(t.Context(), &Request{Path: "/"}, new(Response))
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		t.Fatal(err)
	}
	expectFailure(t, failure, CodeFDExhausted, false)
	get(t, client, "/")
}

func TestUnixBacklog(t *testing.T) {
	// A unix listener that accepts nobody: its queue fills, and connecting
	// says EAGAIN instead of waiting.
	path := filepath.Join(t.TempDir(), "full.sock")
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Bind(fd, &syscall.SockaddrUnix{Name: path}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	client := NewClient(Options{Target: Target{Network: "unix", Address: path}, Limits: Limits{Connect: 100 * time.Millisecond, Total: 200 * time.Millisecond}})
	defer client.Close()
	expectFailure(t, client.Do(t.Context(), &Request{Path: "/"}, new(Response)), CodeTimeout, true) // queued
	if nc, err := net.Dial("unix", path); err == nil {                                              // in case there was room for one more
		_ = nc.Close()
	}
	expectFailure(t, client.Do(t.Context(), &Request{Path: "/"}, new(Response)), CodeConnectTimeout, false)

	// When the server gets round to it, those who kept trying are served.
	var group sync.WaitGroup
	defer group.Wait()
	group.Go(func() {
		time.Sleep(50 * time.Millisecond)
		file := os.NewFile(uintptr(fd), "listener")
		listener, err := net.FileListener(file)
		if err != nil {
			t.Error(err)
			return
		}
		defer func() { _ = listener.Close() }()
		for {
			nc, err := listener.Accept()
			if err != nil {
				t.Error(err)
				return
			}
			req, err := http.ReadRequest(bufio.NewReader(nc))
			if err == nil && req.URL.Path == "/patient" {
				_, _ = io.WriteString(nc, ok200+"Content-Length: 0\r\n\r\n")
				_ = nc.Close()
				return
			}
			_ = nc.Close()
		}
	})
	patient := NewClient(Options{Target: Target{Network: "unix", Address: path}})
	defer patient.Close()
	get(t, patient, "/patient")
}

func TestStaleConnections(t *testing.T) {
	answer := ok200 + "Content-Length: 2\r\n\r\nok"
	// once answers one request per connection, waits for the second and only
	// then breaks: too late for the look before it.
	once := func(end func(*peer)) func(*peer) {
		return func(p *peer) {
			if p.request() && p.send(answer) && p.request() {
				end(p)
			}
		}
	}
	quiet := func(*peer) {}
	for _, test := range []struct {
		name   string
		script func(*peer)
		req    Request
		code   string // of the second request
		stats  string // opened, stale, retried, dropped, unsolicited
	}{
		{"closed while idle", reply(answer), Request{Path: "/"}, "", "2 0 0 1 0"},
		{"closed while idle, POST", reply(answer), Request{Method: "POST", Path: "/"}, "", "2 0 0 1 0"},
		{"reset while idle", func(p *peer) { p.request(); p.send(answer); time.Sleep(time.Millisecond); p.reset() }, Request{Path: "/"}, "", "2 0 0 1 0"},
		{"more sent while idle", func(p *peer) {
			p.request()
			p.send(answer)
			time.Sleep(10 * time.Millisecond)
			p.send(answer)
			p.hold()
		}, Request{Path: "/"}, "", "2 0 0 0 1"},
		{"closed at the request", once(quiet), Request{Path: "/"}, "", "2 1 1 0 0"},
		{"reset at the request", once((*peer).reset), Request{Path: "/"}, "", "2 1 1 0 0"},
		{"closed at the request, DELETE", once(quiet), Request{Method: "DELETE", Path: "/"}, "", "2 1 1 0 0"},
		{"closed at the request, POST", once(quiet), Request{Method: "POST", Path: "/", Body: []byte("x")}, CodeStaleKeepAlive, "1 1 0 0 0"},
		{"closed at the request, no retry", once(quiet), Request{Path: "/", NoRetry: true}, CodeStaleKeepAlive, "1 1 0 0 0"},
		{"closed after the first byte", once(func(p *peer) { p.send("H") }), Request{Path: "/"}, CodeEarlyEOF, "1 0 0 0 0"},
		{"closed twice", func(p *peer) {
			if p.request() && p.number == 1 && p.send(answer) {
				p.request()
			}
		}, Request{Path: "/"}, CodeEarlyEOF, "2 1 1 0 0"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			stats := new(Stats)
			client := NewClient(Options{Target: hostile(t, test.script), Events: stats})
			defer client.Close()
			get(t, client, "/")
			time.Sleep(30 * time.Millisecond) // for what happens while idle
			var resp Response
			err := client.Do(t.Context(), &test.req, &resp)
			if test.code != "" {
				expectFailure(t, err, test.code, true)
			} else if err != nil || string(resp.Body) != "ok" {
				t.Errorf("%v, body %q", err, resp.Body)
			}
			got := fmt.Sprint(stats.Opened.Load(), stats.Stale.Load(), stats.StaleRetries.Load(), stats.Dropped.Load(), stats.Unsolicited.Load())
			if got != test.stats {
				t.Errorf("opened, stale, retried, dropped, unsolicited = %s, want %s", got, test.stats)
			}
			if resp.Retried != (stats.StaleRetries.Load() > 0) {
				t.Errorf("Retried = %v", resp.Retried)
			}
		})
	}
}

// TestStaleThenRefused: the server went away for good. What was written to
// the stale connection may have been read all the same.
func TestStaleThenRefused(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	group.Go(func() {
		nc, err := listener.Accept()
		if err != nil {
			return
		}
		r := bufio.NewReader(nc)
		_, _ = http.ReadRequest(r)
		_, _ = io.WriteString(nc, ok200+"Content-Length: 2\r\n\r\nok")
		_, _ = http.ReadRequest(r)
		_ = listener.Close()
		_ = nc.Close()
	})
	client := NewClient(Options{Target: Target{Address: listener.Addr().String()}})
	defer client.Close()
	get(t, client, "/")
	expectFailure(t, client.Do(t.Context(), &Request{Path: "/"}, new(Response)), CodeRefused, true)
	group.Wait()
}

func TestIdleTimeout(t *testing.T) {
	stats := new(Stats)
	client := NewClient(Options{Target: rawServer(t, page(10)), IdleTimeout: 10 * time.Millisecond, Events: stats})
	defer client.Close()
	get(t, client, "/")
	time.Sleep(20 * time.Millisecond)
	get(t, client, "/")
	client.CloseIdle()
	get(t, client, "/")
	if n := stats.Opened.Load(); n != 3 {
		t.Errorf("%d connections, want 3", n)
	}
}

// TestUploads are requests whose body the server does not want.
func TestUploads(t *testing.T) {
	body := bytes.Repeat([]byte("x"), 32<<20) // more than all socket buffers
	head := func(p *peer) {
		for line := ""; line != "\r\n"; {
			var err error
			if line, err = p.r.ReadString('\n'); err != nil {
				return
			}
		}
	}
	runHostile(t, []hostileCase{
		{name: "refused and closed", req: Request{Method: "POST", Body: body}, status: 413, body: "no", script: func(p *peer) {
			head(p)
			p.send("HTTP/1.1 413 Content Too Large\r\nConnection: close\r\nContent-Length: 2\r\n\r\nno")
		}},
		{name: "refused and held", req: Request{Method: "POST", Body: body}, status: 413, body: "no", script: func(p *peer) {
			head(p)
			p.send("HTTP/1.1 413 Content Too Large\r\nContent-Length: 2\r\n\r\nno")
			<-p.t.Context().Done() // which ends when the client has its answer
		}},
		{name: "reset", req: Request{Method: "POST", Body: body}, code: CodeReset, script: func(p *peer) { head(p); p.reset() }},
		{name: "never read", req: Request{Method: "POST", Body: body}, limits: Limits{Total: 150 * time.Millisecond}, code: CodeTimeout, script: func(p *peer) {
			head(p)
			time.Sleep(300 * time.Millisecond)
		}},
		{name: "read slowly, answered well", req: Request{Method: "POST", Body: body[:4<<20]}, body: "ok", script: func(p *peer) {
			head(p)
			_, _ = io.CopyN(io.Discard, p.r, 1<<20)
			time.Sleep(50 * time.Millisecond)
			_, _ = io.CopyN(io.Discard, p.r, 3<<20)
			p.send(ok200 + "Content-Length: 2\r\n\r\nok")
			p.hold()
		}},
		{name: "answered before the end, then read", req: Request{Method: "PUT", Body: body[:1<<20]}, body: "ok", script: func(p *peer) {
			head(p)
			p.send(ok200 + "Content-Length: 2\r\n\r\nok")
			p.hold()
		}},
	})
}

func TestCancelInBody(t *testing.T) {
	for name, begin := range map[string]string{
		"length": ok200 + "Content-Length: 100\r\n\r\nsome", "chunked": ok200 + "Transfer-Encoding: chunked\r\n\r\n9\r\nsome", "close": ok200 + "\r\nsome",
	} {
		t.Run(name, func(t *testing.T) {
			client := NewClient(Options{Target: hostile(t, replyAndHold(begin))})
			defer client.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
			defer cancel()
			var resp Response
			expectFailure(t, client.Do(ctx, &Request{Path: "/"}, &resp), CodeCanceled, true)
			if resp.Status != 200 || string(resp.Body) != "some" {
				t.Errorf("of the response %d %q is left", resp.Status, resp.Body)
			}
		})
	}
}

func TestSourceAddresses(t *testing.T) {
	seen := make(chan string, 1)
	for i := range 5 {
		source := netip.AddrFrom4([4]byte{127, 1, byte(i), 9})
		client, server := serve(t, Options{Target: Target{Source: source}}, func(_ http.ResponseWriter, r *http.Request) { seen <- r.RemoteAddr })
		resp := get(t, client, "/")
		remote := <-seen
		if !strings.HasPrefix(remote, source.String()+":") || resp.LocalAddr.String() != remote {
			t.Errorf("server saw %s, LocalAddr %s, want %s", remote, resp.LocalAddr, source)
		}
		server.Close()
	}
}

// authority signs certificates for the TLS tests.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pool *x509.CertPool
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(cert)
	return &authority{cert, key, pool}
}

func (a *authority) certificate(t *testing.T, name string, until time.Time) tls.Certificate {
	t.Helper()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(2), DNSNames: []string{name}, NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: until,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, a.cert, &a.key.PublicKey, a.key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: a.key}
}

func TestTLS(t *testing.T) {
	ca, stranger := newAuthority(t), newAuthority(t)
	later := time.Now().Add(time.Hour)
	good := ca.certificate(t, "photo.example", later)
	secure := func(config *tls.Config, script func(*tls.Conn)) func(*peer) {
		return func(p *peer) {
			conn := tls.Server(p.nc, config)
			if conn.Handshake() == nil {
				script(conn)
			}
		}
	}
	answer := func(s string, goodbye bool) func(*tls.Conn) {
		return func(conn *tls.Conn) {
			r := bufio.NewReader(conn)
			for {
				if _, err := http.ReadRequest(r); err != nil {
					return
				}
				if _, err := io.WriteString(conn, s); err != nil {
					return
				}
				if strings.Contains(s, "Connection: close") {
					if goodbye {
						_ = conn.Close()
					}
					return
				}
			}
		}
	}
	fine := answer(ok200+"Content-Length: 2\r\n\r\nok", true)
	for _, test := range []struct {
		name   string
		script func(*peer)
		code   string
		sent   bool
		body   string
	}{
		{"fine", secure(&tls.Config{Certificates: []tls.Certificate{good}}, fine), "", true, "ok"},
		{"TLS 1.2", secure(&tls.Config{Certificates: []tls.Certificate{good}, MaxVersion: tls.VersionTLS12}, fine), "", true, "ok"},
		{"wrong name", secure(&tls.Config{Certificates: []tls.Certificate{ca.certificate(t, "other.example", later)}}, fine), CodeTLSCert, false, ""},
		{"expired", secure(&tls.Config{Certificates: []tls.Certificate{ca.certificate(t, "photo.example", time.Now().Add(-time.Minute))}}, fine), CodeTLSCert, false, ""},
		{"unknown authority", secure(&tls.Config{Certificates: []tls.Certificate{stranger.certificate(t, "photo.example", later)}}, fine), CodeTLSCert, false, ""},
		{"old version", secure(&tls.Config{Certificates: []tls.Certificate{good}, MinVersion: tls.VersionTLS10, MaxVersion: tls.VersionTLS11}, fine), CodeTLSHandshake, false, ""},
		{"no certificate", secure(&tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return nil, io.EOF }}, fine), CodeTLSHandshake, false, ""},
		{"plain HTTP at the TLS port", func(p *peer) { p.send("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n"); p.hold() }, CodeTLSHandshake, false, ""},
		{"closed in the handshake", func(p *peer) { _ = p.nc.CloseWrite(); p.hold() }, CodeTLSHandshake, false, ""},
		{"silent in the handshake", func(p *peer) { p.hold() }, CodeConnectTimeout, false, ""},
		{"until close", secure(&tls.Config{Certificates: []tls.Certificate{good}}, answer(ok200+"Connection: close\r\n\r\nwhole", true)), "", true, "whole"},
		{"cut off without a goodbye", secure(&tls.Config{Certificates: []tls.Certificate{good}}, answer(ok200+"Connection: close\r\n\r\nin part", false)), CodeEarlyEOF, true, ""},
		{"garbage after the handshake", secure(&tls.Config{Certificates: []tls.Certificate{good}}, func(conn *tls.Conn) {
			_, _ = http.ReadRequest(bufio.NewReader(conn))
			_, _ = io.WriteString(conn.NetConn(), strings.Repeat("garbage ", 10))
		}), CodeTLSHandshake, true, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			target := hostile(t, test.script)
			target.Host = "photo.example"
			target.TLS = &tls.Config{RootCAs: ca.pool}
			client := NewClient(Options{Target: target, Limits: Limits{Connect: 500 * time.Millisecond, Total: 5 * time.Second}})
			defer client.Close()
			var resp Response
			for i := range 2 {
				err := client.Do(t.Context(), &Request{Path: "/"}, &resp)
				switch {
				case test.code != "":
					expectFailure(t, err, test.code, test.sent)
				case err != nil || string(resp.Body) != test.body:
					t.Errorf("%v, body %q", err, resp.Body)
				case resp.Reused != (i > 0 && test.body == "ok"):
					t.Errorf("request %d: Reused = %v", i, resp.Reused)
				}
			}
		})
	}
}
