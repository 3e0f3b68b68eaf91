package measure

import (
	"context"
	"net"
	"net/netip"
	"testing"
)

func TestParseSocket(t *testing.T) {
	for _, c := range []struct {
		line, local, remote string
		state               int
		inode               uint64
	}{
		{"   0: 0100007F:1F90 0200007F:D431 06 00000000:00000000 03:0000 00000000     0        0 0 3 0", "127.0.0.1:8080", "127.0.0.2:54321", tcpTimeWait, 0},
		{"   1: 0000000000000000FFFF00000100007F:0050 00000000000000000000000001000000:0000 0A 0:0 00:0 0 0 0 4242 1", "127.0.0.1:80", "[::1]:0", tcpListen, 4242},
	} {
		s, ok := parseSocket([]byte(c.line))
		if !ok || s.local != netip.MustParseAddrPort(c.local) || s.remote != netip.MustParseAddrPort(c.remote) || s.state != c.state || s.inode != c.inode {
			t.Errorf("%q is %+v, %v", c.line, s, ok)
		}
	}
	for _, line := range []string{"", "sl local", "0: 0100007F 0200007F:D431 06 0:0 0:0 0 0 0 1", "0: 0100007F:XX 0200007F:D431 06 0:0 0:0 0 0 0 1", "0: 01:1 02:1 06 0:0 0:0 0 0 0 1"} {
		if s, ok := parseSocket([]byte(line)); ok {
			t.Errorf("%q is %+v", line, s)
		}
	}
}

// The tuple that local ports are taken for is found among real sockets: many
// connections to one address, from its accepting side too.
func TestBusiestTupleOfRealSockets(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	const n = 50
	accepted := make(chan net.Conn, n)
	go func() {
		for range n {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	from := &net.Dialer{LocalAddr: &net.TCPAddr{IP: net.IPv4(127, 77, 1, 9)}}
	for range n {
		c, err := from.DialContext(context.Background(), "tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
		other := <-accepted
		defer func() { _ = other.Close() }()
	}
	all, err := newProcfs("/proc").sockets()
	if err != nil {
		t.Fatal(err)
	}
	var mine []socket
	for _, s := range all {
		if s.local.Port() == uint16(listener.Addr().(*net.TCPAddr).Port) || s.remote.Port() == uint16(listener.Addr().(*net.TCPAddr).Port) {
			mine = append(mine, s)
		}
	}
	if len(mine) != 2*n+1 {
		t.Errorf("%d sockets, want both sides of %d connections and the listener", len(mine), n)
	}
	got, count := busiestTuple(mine)
	if count != n || got.from.String() != "127.77.1.9" || got.to.String() != listener.Addr().String() {
		t.Errorf("busiest is %v with %d, want %d from 127.77.1.9", got, count, n)
	}
}

func TestNetCounters(t *testing.T) {
	got := Counters{}
	parseNetCounters([]byte("Ip: Forwarding\nIp: 1\nTcp: MaxConn ActiveOpens PassiveOpens\nTcp: -1 12 34\nTcpExt: ListenOverflows\n"), got)
	if got["Tcp.MaxConn"] != -1 || got["Tcp.PassiveOpens"] != 34 || got["Ip.Forwarding"] != 1 || len(got) != 4 {
		t.Errorf("got %v", got)
	}
	real, err := networkCounters()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Tcp.ActiveOpens", "TcpExt.ListenOverflows", "TcpExt.TCPTimeWaitOverflow"} {
		if _, ok := real[name]; !ok {
			t.Errorf("the kernel does not tell %s", name)
		}
	}
	if portRange() < 100 {
		t.Errorf("port range of %d", portRange())
	}
	if k := Kernel(); k["net.core.somaxconn"] == "" {
		t.Errorf("kernel settings %v", k)
	}
}

// Both ways to ask the kernel tell the same sockets.
func TestDiagEqualsProc(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	six, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = six.Close() }()
	c, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	d, err := newDiag()
	if err != nil {
		t.Fatal(err)
	}
	defer d.close()
	binary, err := d.sockets(true)
	if err != nil {
		t.Fatal(err)
	}
	text, err := newProcfs("/proc").sockets()
	if err != nil {
		t.Fatal(err)
	}
	mine := func(all []socket) map[socket]bool {
		found := map[socket]bool{}
		for _, s := range all {
			for _, l := range []net.Listener{listener, six} {
				here := l.Addr().(*net.TCPAddr).AddrPort() // whole: the port may serve others on another address
				if s.local == here || s.remote == here {
					found[s] = true
				}
			}
		}
		return found
	}
	a, b := mine(binary), mine(text)
	if len(a) != 4 || len(a) != len(b) {
		t.Errorf("%d sockets by sock_diag, %d by /proc, want 4", len(a), len(b))
	}
	for s := range a {
		if !b[s] {
			t.Errorf("only sock_diag knows %+v", s)
		}
	}
}
