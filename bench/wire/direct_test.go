package wire

import (
	"errors"
	"io"
	"net"
	"net/netip"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

func TestDirect(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ours := direct(&Target{Network: "tcp", Address: l.Addr().String()})
	if ours == nil {
		t.Fatal("no connection to a server of this machine")
	}
	theirs, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	if ours.LocalAddr().String() != theirs.RemoteAddr().String() || ours.RemoteAddr().String() != l.Addr().String() {
		t.Errorf("from %v to %v; the server sees %v", ours.LocalAddr(), ours.RemoteAddr(), theirs.RemoteAddr())
	}
	if _, err := ours.Write([]byte("hello")); err != nil {
		t.Error(err)
	}
	got := make([]byte, 5)
	if _, err := io.ReadFull(theirs, got); err != nil || string(got) != "hello" {
		t.Errorf("%q, %v", got, err)
	}
	if err := ours.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
		t.Error(err)
	}
	var timeout net.Error
	if _, err := ours.Read(got); !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("after the deadline: %v", err)
	}
	_ = theirs.Close()
	if err := ours.SetReadDeadline(time.Time{}); err != nil {
		t.Error(err)
	}
	if _, err := ours.Read(got); err != io.EOF { //nolint:errorlint // readers give it bare
		t.Errorf("after the server has closed: %v", err)
	}
	if err := ours.Close(); err != nil {
		t.Error(err)
	}
	if _, err := ours.Read(got); !errors.Is(err, net.ErrClosed) {
		t.Errorf("after closing: %v", err)
	}

	_ = l.Close()
	for _, target := range []Target{
		{Network: "tcp", Address: l.Addr().String()}, // nobody listens any more
		{Network: "tcp", Address: "[::1]:80"},
		{Network: "tcp", Address: "localhost:80"},
		{Network: "tcp", Address: "192.0.2.1:80"},
		{Network: "tcp", Address: "127.0.0.1:80", Source: netip.MustParseAddr("127.0.0.2")},
		{Network: "unix", Address: "/run/none"},
	} {
		if c := direct(&target); c != nil {
			t.Errorf("%v: %v", target, c)
		}
	}
}

// A queue that is full makes nobody wait: the dialer does that, with all its limits.
func TestDirectDoesNotWait(t *testing.T) {
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd) //nolint:errcheck // only listened
	if err := unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}); err != nil {
		t.Fatal(err)
	}
	if err := unix.Listen(fd, 0); err != nil {
		t.Fatal(err)
	}
	name, err := unix.Getsockname(fd)
	if err != nil {
		t.Fatal(err)
	}
	address := netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), uint16(name.(*unix.SockaddrInet4).Port))
	for n := range 10 {
		c := direct(&Target{Network: "tcp", Address: address.String()})
		if c == nil {
			if n == 0 {
				t.Error("not even the first")
			}
			return
		}
		defer c.Close() //nolint:errcheck // of the test's end
	}
	t.Error("ten connections fit in a queue of none")
}
