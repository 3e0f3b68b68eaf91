package stack

import (
	"cmp"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestBothListsAgree: the kernel's two ways of listing sockets say the same.
func TestBothListsAgree(t *testing.T) {
	var ours []uint16
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", ":0", "0.0.0.0:0"} {
		l, err := net.Listen("tcp", addr)
		if err != nil {
			if addr == "[::1]:0" {
				continue // IPv6 is off
			}
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		ours = append(ours, uint16(l.Addr().(*net.TCPAddr).Port))
	}
	mine := func(all []listener, err error) []listener {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		all = slices.DeleteFunc(all, func(l listener) bool { return !slices.Contains(ours, l.port) })
		slices.SortFunc(all, func(a, b listener) int { return cmp.Compare(a.inode, b.inode) })
		return all
	}
	fromProc := mine(procListeners(os.Getpid()))
	fromDiag := mine(diagListeners())
	if len(fromProc) != len(ours) || !slices.Equal(fromProc, fromDiag) {
		t.Errorf("of %v, /proc lists %+v, sock_diag %+v", ours, fromProc, fromDiag)
	}
}

func TestParseHexAddr(t *testing.T) {
	for in, want := range map[string]string{
		"0100007F:1F90":                         "127.0.0.1:8080",
		"00000000:0050":                         "0.0.0.0:80",
		"00000000000000000000000001000000:0CEA": "[::1]:3306",
		"0000000000000000FFFF00000100007F:0050": "127.0.0.1:80",
	} {
		ip, port, ok := parseHexAddr(in)
		if !ok || netip.AddrPortFrom(ip, port).String() != want {
			t.Errorf("%s: %v %d %v, want %s", in, ip, port, ok, want)
		}
	}
	for _, in := range []string{"", "0100007F", "xx:0050", "0100007F:xyz", "01:0050"} {
		if _, _, ok := parseHexAddr(in); ok {
			t.Errorf("%q was read", in)
		}
	}
}

func TestCovers(t *testing.T) {
	for _, c := range []struct {
		listens, wanted string
		want            bool
	}{
		{"127.0.0.1:80", "127.0.0.1:80", true},
		{"127.0.0.1:80", "127.0.0.1:81", false},
		{"127.0.0.2:80", "127.0.0.1:80", false},
		{"0.0.0.0:80", "127.0.0.1:80", true},
		{"[::]:80", "127.0.0.1:80", true},
		{"0.0.0.0:80", "[::1]:80", false},
		{"127.0.0.1:80", "0.0.0.0:80", true},
	} {
		l := netip.MustParseAddrPort(c.listens)
		if got := (listener{ip: l.Addr(), port: l.Port()}).covers(netip.MustParseAddrPort(c.wanted)); got != c.want {
			t.Errorf("%s for %s: %v", c.listens, c.wanted, got)
		}
	}
}

func TestUnixSocketBoundByAnotherSpelling(t *testing.T) {
	dir := runDir(t)
	p := faked("app", "listen=unix:./x/../s.sock", "serve").readyWhen(Probe{Kind: ProbeConnect, Address: filepath.Join(dir, "s.sock")})
	if err := os.Mkdir(filepath.Join(dir, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Start(t.Context(), Plan{Dir: dir, Processes: []Process{p}})
	if err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
}

func TestAFileInTheSocketsPlace(t *testing.T) {
	path := filepath.Join(runDir(t), "s.sock")
	if err := os.WriteFile(path, []byte("precious"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := CheckFree(path); err == nil {
		t.Error("nobody minds")
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "precious" {
		t.Errorf("the file: %q, %v", b, err)
	}
}
