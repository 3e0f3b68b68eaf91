package wire

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"syscall"
	"time"
)

// conn is one connection. It holds no buffers: reading goes straight into the
// Response, so an idle connection costs a few hundred bytes.
type conn struct {
	host   *host
	nc     net.Conn
	raw    syscall.RawConn // nil if nc is not a socket
	local  netip.AddrPort
	served int       // exchanges begun
	since  time.Time // of being idle

	// armed is the deadline in force on nc. On a plain socket it may be
	// earlier than what an exchange needs: see arm.
	armed time.Time
	exact bool      // set the deadline for every read: TLS, or an upload
	split bool      // an upload writes beside the reading, under a deadline of its own
	under *eofWatch // the socket, when nc is a TLS connection

	socket swap // of a plain socket

	mu       sync.Mutex
	active   bool // in an exchange
	canceled bool // that exchange was interrupted: the connection is lost
	closed   bool
	watched  <-chan struct{} // Done of the context that would interrupt us
	unwatch  func() bool
}

func newConn(h *host, nc net.Conn) *conn {
	cn := &conn{host: h, nc: nc}
	socket := nc
	if t, ok := nc.(*tls.Conn); ok {
		cn.under, _ = t.NetConn().(*eofWatch)
		cn.exact = true
		socket = cn.under.Conn
	}
	if s, ok := socket.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			cn.raw = raw
			cn.socket.step = cn.socket.advance
		}
	}
	if addr, ok := nc.LocalAddr().(*net.TCPAddr); ok {
		cn.local = addr.AddrPort()
	}
	return cn
}

// begin starts an exchange at the given time: from here on the end of ctx
// interrupts it. The registration with ctx stays when the exchange is over,
// because the next one most likely runs under the same context; it costs three
// allocations to renew, and nothing to keep.
func (cn *conn) begin(ctx context.Context, at time.Time) error {
	cn.served++
	cn.exact, cn.split = cn.under != nil, false
	if !cn.armed.After(at) {
		cn.armed = time.Time{} // it has passed and would wake us at once
	}
	done := ctx.Done()
	cn.mu.Lock()
	defer cn.mu.Unlock()
	if done != cn.watched {
		if cn.unwatch != nil {
			cn.unwatch()
			cn.unwatch = nil
		}
		cn.watched = done
		if done != nil {
			cn.unwatch = context.AfterFunc(ctx, func() { cn.interrupt(done) })
		}
	}
	cn.active = true
	// An interruption that came before active was set did nothing; then the
	// context has ended already.
	if done != nil && ctx.Err() != nil {
		return errInterrupted
	}
	return nil
}

// interrupt makes the running exchange fail now, if it is one of the context
// that done belongs to.
func (cn *conn) interrupt(done <-chan struct{}) {
	cn.mu.Lock()
	defer cn.mu.Unlock()
	if cn.active && cn.watched == done {
		cn.canceled = true
		_ = cn.nc.SetDeadline(longAgo) // fails only on a closed connection
	}
}

// end tells whether the exchange ran to its end uninterrupted.
func (cn *conn) end() bool {
	cn.mu.Lock()
	defer cn.mu.Unlock()
	cn.active = false
	return !cn.canceled && !cn.closed
}

// arm sees to it that a read or write does not wait beyond until. Setting a
// deadline costs a timer operation, so one that is in force and not later is
// left alone: it may wake us early, once, and is then set anew. With limits of
// seconds and exchanges of microseconds hardly any exchange sets one.
// (crypto/tls does not survive an early wake-up while writing: exact.)
func (cn *conn) arm(until time.Time) error {
	if cn.armed.IsZero() || cn.armed.After(until) || (cn.exact && !cn.armed.Equal(until)) {
		return cn.set(until)
	}
	return nil
}

func (cn *conn) set(until time.Time) error {
	cn.mu.Lock()
	defer cn.mu.Unlock()
	if cn.canceled {
		return errInterrupted
	}
	cn.armed = until
	if cn.split {
		return cn.nc.SetReadDeadline(until)
	}
	return cn.nc.SetDeadline(until)
}

// expired judges a deadline error: nil means it was only the early wake-up
// that arm allows.
func (cn *conn) expired(until time.Time) error {
	cn.mu.Lock()
	canceled := cn.canceled
	cn.mu.Unlock()
	switch {
	case canceled:
		return errInterrupted
	case !time.Now().Before(until):
		return errTimedOut
	}
	return cn.set(until)
}

// read reads what there is, waiting no longer than until.
func (cn *conn) read(p []byte, until time.Time) (int, error) {
	if err := cn.arm(until); err != nil {
		return 0, err
	}
	for {
		n, err := cn.nc.Read(p)
		if n > 0 || err == nil {
			return n, nil // an error that came with data comes again
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return 0, err
		}
		if err := cn.expired(until); err != nil {
			return 0, err
		}
	}
}

// write writes all of p, waiting no longer than until.
func (cn *conn) write(p []byte, until time.Time) (int, error) {
	if err := cn.arm(until); err != nil {
		return 0, err
	}
	written := 0
	for {
		n, err := cn.nc.Write(p[written:])
		written += n
		if err == nil || !errors.Is(err, os.ErrDeadlineExceeded) {
			return written, err
		}
		if err := cn.expired(until); err != nil {
			return written, err
		}
	}
}

// close ends the connection, and tells whether it was still open. A TLS
// connection in good health is closed with a goodbye; on a broken or busy one
// that could block.
func (cn *conn) close(healthy bool) bool {
	cn.mu.Lock()
	defer cn.mu.Unlock()
	if cn.closed {
		return false
	}
	cn.closed = true
	if cn.unwatch != nil {
		cn.unwatch()
		cn.unwatch = nil
	}
	socket := cn.nc
	if cn.under != nil && (!healthy || cn.active) {
		socket = cn.under
	}
	_ = socket.Close() // nothing to be done about it
	return true
}

// setWrite sets the deadline of writing alone, for an upload.
func (cn *conn) setWrite(until time.Time) error {
	cn.mu.Lock()
	defer cn.mu.Unlock()
	if cn.canceled {
		return errInterrupted
	}
	return cn.nc.SetWriteDeadline(until)
}
