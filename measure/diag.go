package measure

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"
)

// Numbers of sock_diag(7): the kernel tells its sockets in binary, at a fraction
// of the cost of the text of /proc/net/tcp. The older of its two requests tells
// IPv4 and IPv6 at once, in one walk through the kernel's table: the walk is what
// costs, ten times what is copied.
const (
	tcpDiagGetSock   = 18 // TCPDIAG_GETSOCK of linux/inet_diag.h
	diagRequestSize  = 60 // struct inet_diag_req
	diagStatesOffset = 52 // of idiag_states in it
	diagMessageSize  = 72 // struct inet_diag_msg
	netlinkHeader    = unix.NLMSG_HDRLEN
)

// diag asks the kernel for sockets. It is not safe for concurrent use.
type diag struct {
	fd  int
	buf []byte
	all []socket
}

// newDiag opens the kernel's interface; it is missing in some sandboxes.
func newDiag() (*diag, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("open sock_diag: %w", err)
	}
	// A kernel that does not answer must not hang the sampler.
	timeout := unix.Timeval{Sec: 1}
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &timeout); err != nil {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("open sock_diag: %w", err)
	}
	return &diag{fd: fd, buf: make([]byte, 64<<10)}, nil
}

func (d *diag) close() { _ = unix.Close(d.fd) }

// sockets lists the TCP sockets of our network namespace that are connected or
// listening and, if asked for, those that wait after their end: there may be tens
// of thousands. The slice is valid until the next call.
func (d *diag) sockets(waiting bool) ([]socket, error) {
	d.all = d.all[:0]
	if err := d.ask(waiting); err != nil {
		return nil, err
	}
	if err := d.read(); err != nil {
		return nil, err
	}
	return d.all, nil
}

func (d *diag) ask(waiting bool) error {
	states := uint32(1<<tcpEstablished | 1<<tcpListen)
	if waiting {
		states |= 1 << tcpTimeWait
	}
	var q [netlinkHeader + diagRequestSize]byte
	native := binary.NativeEndian
	native.PutUint32(q[0:], uint32(len(q)))
	native.PutUint16(q[4:], tcpDiagGetSock)
	native.PutUint16(q[6:], unix.NLM_F_REQUEST|unix.NLM_F_DUMP)
	q[netlinkHeader] = unix.AF_INET
	native.PutUint32(q[netlinkHeader+diagStatesOffset:], states)
	if err := unix.Sendto(d.fd, q[:], 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return fmt.Errorf("ask sock_diag: %w", err)
	}
	return nil
}

// read takes the messages of one answer.
func (d *diag) read() error {
	for {
		n, _, err := unix.Recvfrom(d.fd, d.buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("read sock_diag: %w", err)
		}
		done, err := d.messages(d.buf[:n])
		if done || err != nil {
			return err
		}
	}
}

func (d *diag) messages(text []byte) (done bool, err error) {
	native := binary.NativeEndian
	for len(text) >= netlinkHeader {
		size := int(native.Uint32(text))
		kind := native.Uint16(text[4:])
		if size < netlinkHeader || size > len(text) {
			return true, fmt.Errorf("read sock_diag: a message of %d bytes", size)
		}
		body := text[netlinkHeader:size]
		switch kind {
		case unix.NLMSG_DONE:
			return true, nil
		case unix.NLMSG_ERROR:
			if len(body) >= 4 {
				if no := int32(native.Uint32(body)); no != 0 {
					return true, fmt.Errorf("read sock_diag: %w", unix.Errno(-no))
				}
			}
			return true, nil
		case tcpDiagGetSock:
			if s, ok := parseDiag(body); ok {
				d.all = append(d.all, s)
			}
		}
		text = text[min((size+unix.NLMSG_ALIGNTO-1)&^(unix.NLMSG_ALIGNTO-1), len(text)):]
	}
	return false, nil
}

// parseDiag reads a struct inet_diag_msg: family, state, timer and retransmits,
// the socket's ports and addresses in network byte order, and further on the
// owner's inode.
func parseDiag(b []byte) (s socket, ok bool) {
	if len(b) < diagMessageSize {
		return s, false
	}
	s.state = int(b[1])
	width := 4
	if b[0] == unix.AF_INET6 {
		width = 16
	}
	local, _ := netip.AddrFromSlice(b[8 : 8+width])
	remote, _ := netip.AddrFromSlice(b[24 : 24+width])
	s.local = netip.AddrPortFrom(local.Unmap(), binary.BigEndian.Uint16(b[4:]))
	s.remote = netip.AddrPortFrom(remote.Unmap(), binary.BigEndian.Uint16(b[6:]))
	s.inode = uint64(binary.NativeEndian.Uint32(b[68:]))
	return s, true
}
