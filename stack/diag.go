package stack

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// After a load /proc/net/tcp holds tens of thousands of connections in
// TIME_WAIT and takes a tenth of a second to read. The kernel's socket
// monitoring, sock_diag(7), lists the listening ones alone.

const (
	diagRequestLen = 56 // struct inet_diag_req_v2
	diagMessageLen = 72 // struct inet_diag_msg
	diagByFamily   = 20 // SOCK_DIAG_BY_FAMILY
	tcpListen      = 10 // TCP_LISTEN, include/net/tcp_states.h
)

// diagListeners lists the listening TCP sockets of this process's network
// namespace.
func diagListeners() ([]listener, error) {
	fd, err := unix.Socket(unix.AF_NETLINK, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, unix.NETLINK_SOCK_DIAG)
	if err != nil {
		return nil, fmt.Errorf("open sock_diag: %w", err)
	}
	defer func() { _ = unix.Close(fd) }()
	patience := unix.NsecToTimeval(int64(2 * time.Second))
	if err := unix.SetsockoptTimeval(fd, unix.SOL_SOCKET, unix.SO_RCVTIMEO, &patience); err != nil {
		return nil, err
	}
	var out []listener
	for _, family := range []byte{unix.AF_INET, unix.AF_INET6} {
		if err := diagDump(fd, family, &out); err != nil {
			return nil, fmt.Errorf("sock_diag: %w", err)
		}
	}
	return out, nil
}

// diagDump asks for one family's listening sockets and reads all answers.
func diagDump(fd int, family byte, out *[]listener) error {
	req := make([]byte, syscall.NLMSG_HDRLEN+diagRequestLen)
	ne := binary.NativeEndian
	ne.PutUint32(req[0:], uint32(len(req)))
	ne.PutUint16(req[4:], diagByFamily)
	ne.PutUint16(req[6:], syscall.NLM_F_REQUEST|syscall.NLM_F_DUMP)
	ne.PutUint32(req[8:], uint32(family)) // sequence number: tells the answers of the two dumps apart
	body := req[syscall.NLMSG_HDRLEN:]
	body[0], body[1] = family, unix.IPPROTO_TCP
	ne.PutUint32(body[4:], 1<<tcpListen)
	if err := unix.Sendto(fd, req, 0, &unix.SockaddrNetlink{Family: unix.AF_NETLINK}); err != nil {
		return err
	}
	buf := make([]byte, 64<<10)
	for {
		n, _, err := unix.Recvfrom(fd, buf, 0)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return err
		}
		messages, err := syscall.ParseNetlinkMessage(buf[:n])
		if err != nil {
			return err
		}
		for _, m := range messages {
			switch {
			case m.Header.Type == syscall.NLMSG_DONE:
				return nil
			case m.Header.Type == syscall.NLMSG_ERROR:
				return diagError(m.Data)
			case len(m.Data) >= diagMessageLen:
				if l, ok := diagListener(m.Data); ok {
					*out = append(*out, l)
				}
			}
		}
	}
}

// diagError reads a struct nlmsgerr.
func diagError(data []byte) error {
	if len(data) < 4 {
		return errors.New("the kernel's answer is cut off")
	}
	return syscall.Errno(-int32(binary.NativeEndian.Uint32(data)))
}

// diagListener reads a struct inet_diag_msg: four bytes, the first of them the
// family, then source port (2, network order), destination port (2), source
// address (16), …; the inode is the last word.
func diagListener(data []byte) (listener, bool) {
	address := data[8:24]
	if data[0] == unix.AF_INET {
		address = address[:4]
	}
	ip, ok := netip.AddrFromSlice(address)
	return listener{
		inode: uint64(binary.NativeEndian.Uint32(data[diagMessageLen-4:])),
		ip:    ip.Unmap(),
		port:  binary.BigEndian.Uint16(data[4:]),
	}, ok
}

// sameNetwork tells whether a process sees the same network as this one.
func sameNetwork(pid int) bool {
	own, err1 := os.Readlink("/proc/self/ns/net")
	its, err2 := os.Readlink(fmt.Sprintf("/proc/%d/ns/net", pid))
	return err1 == nil && err2 == nil && own == its
}
