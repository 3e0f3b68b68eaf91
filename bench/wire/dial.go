package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// dialAside dials on a stack of its own. Connecting takes twice the stack of
// an exchange, and a user's goroutine that has grown for it keeps the larger
// stack for as long as nothing is collected, which without allocations is long.
// A client that keeps no connection dials for each request: there the larger
// stack is cheaper than growing a new one every time.
func (c *Client) dialAside(ctx context.Context, h *host, limits *Limits, until time.Time) (cn *conn, failure *Error) {
	if c.options.MaxIdle < 0 {
		return c.dial(ctx, h, limits, until)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		cn, failure = c.dial(ctx, h, limits, until)
	}()
	<-done // it heeds ctx and until
	return cn, failure
}

// dial makes a connection of h, handshake included.
func (c *Client) dial(ctx context.Context, h *host, limits *Limits, until time.Time) (*conn, *Error) {
	if deadline := time.Now().Add(limits.Connect); deadline.Before(until) {
		until = deadline
	}
	nc, failure := c.connect(ctx, h, until)
	if failure != nil {
		failure.Addr = h.target.Address
		return nil, failure
	}
	if h.target.TLS != nil {
		t := tls.Client(&eofWatch{Conn: nc}, h.target.TLS)
		err := nc.SetDeadline(until)
		if err == nil {
			err = t.HandshakeContext(ctx)
		}
		if err != nil {
			_ = nc.Close() // it never was a connection of ours
			failure := handshakeFailure(ctx, err)
			failure.Addr = h.target.Address
			return nil, failure
		}
		nc = t
	}
	c.stats.Opened.Add(1)
	return newConn(h, nc), nil
}

func (c *Client) connect(ctx context.Context, h *host, until time.Time) (net.Conn, *Error) {
	if c.dialContext != nil {
		nc, err := c.dialContext(ctx, h.target.Network, h.target.Address)
		if err != nil {
			return nil, dialFailure(ctx, err)
		}
		return nc, nil
	}
	if nc := direct(&h.target); nc != nil {
		return nc, nil
	}
	dialer := net.Dialer{
		Deadline:  until,
		KeepAlive: -1, // probes of idle connections are four system calls per connection for nothing
	}
	if source := h.target.Source; source.IsValid() && h.target.Network != "unix" {
		dialer.LocalAddr = net.TCPAddrFromAddrPort(netip.AddrPortFrom(source, 0))
		dialer.Control = bindWithoutPort
	}
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		nc, err := dialer.DialContext(ctx, h.target.Network, h.target.Address)
		switch {
		case err == nil:
			return nc, nil
		case !errors.Is(err, syscall.EAGAIN) || h.target.Network != "unix":
			return nil, dialFailure(ctx, err)
		}
		// The socket's backlog is full. TCP tries again by itself; for unix
		// sockets that is left to us.
		if time.Until(until) < pause {
			return nil, fail(CodeConnectTimeout, "connect", err)
		}
		select {
		case <-ctx.Done():
			return nil, canceled(ctx, "connect")
		case <-time.After(pause):
		}
	}
}

// eofWatch notices when a socket under TLS ends. crypto/tls, forgiving as the
// web needs it, reports a connection cut off between two records like one
// that was closed with a goodbye (RFC 8446 §6.1); where the end of the
// connection is the end of the body, only the second is complete.
type eofWatch struct {
	net.Conn
	ended bool
}

func (e *eofWatch) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	e.ended = e.ended || errors.Is(err, io.EOF)
	return n, err
}

// bindWithoutPort lets the kernel choose the local port when it connects and
// knows the other end, so that one source address has all ports for each
// destination instead of for all of them together.
func bindWithoutPort(_, _ string, socket syscall.RawConn) error {
	var failure error
	err := socket.Control(func(fd uintptr) {
		failure = unix.SetsockoptInt(int(fd), unix.SOL_IP, unix.IP_BIND_ADDRESS_NO_PORT, 1)
	})
	if err != nil {
		return err
	}
	if errors.Is(failure, unix.ENOPROTOOPT) { // IPv6 has no such option
		return nil
	}
	return failure
}
