package stack

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
)

// address splits Probe.Address's form into what package net takes: "unix:/path"
// or "/path" is a UNIX socket, everything else host:port.
func address(a string) (network, addr string) {
	if path, ok := strings.CutPrefix(a, "unix:"); ok {
		return "unix", path
	}
	if strings.HasPrefix(a, "/") {
		return "unix", a
	}
	return "tcp", a
}

// listener is one listening socket as the kernel lists it.
type listener struct {
	inode uint64
	ip    netip.Addr // TCP only
	port  uint16
	path  string // UNIX only
}

// covers tells whether a connection to that address would reach the listener.
func (l listener) covers(want netip.AddrPort) bool {
	if l.port != want.Port() {
		return false
	}
	return l.ip == want.Addr() || l.ip.IsUnspecified() && (l.ip.Is6() || want.Addr().Is4()) ||
		want.Addr().IsUnspecified()
}

// tcpListeners lists the listening sockets of the network namespace that pid
// lives in.
func tcpListeners(pid int) ([]listener, error) {
	if sameNetwork(pid) {
		if all, err := diagListeners(); err == nil { // some containers and kernels do not have it
			return all, nil
		}
	}
	return procListeners(pid)
}

// procListeners reads them from proc_net(5): local_address is the IP in host
// byte order per 32-bit word, then the port; state 0A is LISTEN.
func procListeners(pid int) ([]listener, error) {
	var out []listener
	for _, name := range []string{"tcp", "tcp6"} {
		err := eachLine(fmt.Sprintf("/proc/%d/net/%s", pid, name), func(line string) {
			f := strings.Fields(line)
			if len(f) < 10 || f[3] != "0A" {
				return
			}
			ip, port, ok := parseHexAddr(f[1])
			inode, err := strconv.ParseUint(f[9], 10, 64)
			if ok && err == nil {
				out = append(out, listener{inode: inode, ip: ip, port: port})
			}
		})
		if err != nil && !errors.Is(err, fs.ErrNotExist) { // no tcp6 where IPv6 is off
			return nil, err
		}
	}
	return out, nil
}

// parseHexAddr reads "0100007F:1F90" (IPv4) or its 32-digit form (IPv6). An
// IPv4 address inside IPv6 comes out as IPv4.
func parseHexAddr(s string) (ip netip.Addr, port uint16, ok bool) {
	host, portText, found := strings.Cut(s, ":")
	p, err := strconv.ParseUint(portText, 16, 16)
	b, errHex := hex.DecodeString(host)
	if !found || err != nil || errHex != nil {
		return ip, 0, false
	}
	for i := 0; i+4 <= len(b); i += 4 { // little-endian hosts only: all that hotseat is built for
		b[i], b[i+1], b[i+2], b[i+3] = b[i+3], b[i+2], b[i+1], b[i]
	}
	ip, ok = netip.AddrFromSlice(b)
	return ip.Unmap(), uint16(p), ok
}

// unixListeners reads the listening UNIX sockets that have a path.
func unixListeners(pid int) ([]listener, error) {
	const acceptsConnections = 1 << 16 // SO_ACCEPTCON in the Flags column
	var out []listener
	err := eachLine(fmt.Sprintf("/proc/%d/net/unix", pid), func(line string) {
		f := strings.Fields(line)
		if len(f) < 8 {
			return
		}
		flags, err1 := strconv.ParseUint(f[3], 16, 64)
		inode, err2 := strconv.ParseUint(f[6], 10, 64)
		if err1 == nil && err2 == nil && flags&acceptsConnections != 0 {
			out = append(out, listener{inode: inode, path: strings.Join(f[7:], " ")})
		}
	})
	return out, err
}

func eachLine(path string, fn func(line string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	sc := bufio.NewScanner(f)
	for sc.Scan() {
		fn(sc.Text())
	}
	return sc.Err()
}

// listenersAt returns the sockets that a connection to a would reach.
func listenersAt(pid int, a string) ([]listener, error) {
	network, addr := address(a)
	if network == "unix" {
		all, err := unixListeners(pid)
		return slices.DeleteFunc(all, func(l listener) bool { return l.path != addr }), err
	}
	want, err := resolve(addr)
	if err != nil {
		return nil, err
	}
	all, err := tcpListeners(pid)
	return slices.DeleteFunc(all, func(l listener) bool { return !l.covers(want) }), err
}

// resolve reads host:port without asking any name server.
func resolve(addr string) (netip.AddrPort, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return netip.AddrPort{}, err
	}
	switch host {
	case "localhost":
		host = "127.0.0.1"
	case "", "*":
		host = "0.0.0.0"
	}
	return netip.ParseAddrPort(net.JoinHostPort(host, port))
}

// socketInodes adds the sockets that pid holds open. hidden is true if the
// kernel does not let us see.
func socketInodes(pid int, into map[uint64]int) (hidden bool) {
	dir := fmt.Sprintf("/proc/%d/fd", pid)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return errors.Is(err, fs.ErrPermission)
	}
	for _, e := range entries {
		target, err := os.Readlink(filepath.Join(dir, e.Name()))
		if err != nil {
			continue
		}
		if num, ok := strings.CutPrefix(target, "socket:["); ok {
			if inode, err := strconv.ParseUint(strings.TrimSuffix(num, "]"), 10, 64); err == nil {
				into[inode] = pid
			}
		}
	}
	return false
}

// ownership is whose a listening socket is.
type ownership int

const (
	nobodys  ownership = iota // nothing listens there
	ours                      // a process of the family holds it
	foreign                   // somebody else does
	unproven                  // the kernel hides what the family holds
)

// owner tells whether what listens at the address belongs to one of pids.
func owner(a string, pids []int) (ownership, error) {
	if len(pids) == 0 {
		return nobodys, nil
	}
	at, err := listenersAt(pids[0], a)
	if err != nil {
		return nobodys, err
	}
	held := map[uint64]int{}
	hidden := false
	for _, pid := range pids {
		hidden = socketInodes(pid, held) || hidden
	}
	for _, l := range at {
		if _, ok := held[l.inode]; ok {
			return ours, nil
		}
	}
	// A server may have bound its socket by another spelling of the path: the
	// kernel knows who listens at the other end of a connection.
	if network, path := address(a); network == "unix" {
		switch pid, err := unixPeer(path); {
		case err != nil:
			return nobodys, nil
		case slices.Contains(pids, pid):
			return ours, nil
		default:
			return foreign, nil
		}
	}
	switch {
	case len(at) == 0:
		return nobodys, nil
	case hidden:
		return unproven, nil
	default:
		return foreign, nil
	}
}

// unixPeer connects to a socket and returns the pid of who called listen on it.
func unixPeer(path string) (int, error) {
	conn, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close() }()
	cred, err := peerCredentials(conn.(*net.UnixConn))
	if err != nil {
		return 0, err
	}
	return int(cred.Pid), nil
}

func peerCredentials(conn *net.UnixConn) (*unix.Ucred, error) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return nil, err
	}
	var cred *unix.Ucred
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = unix.GetsockoptUcred(int(fd), unix.SOL_SOCKET, unix.SO_PEERCRED)
	})
	return cred, errors.Join(err, credErr)
}

// TakenError tells that somebody else already holds an address.
type TakenError struct {
	Address string
	PID     int    // zero where it is another user's and cannot be seen
	Command string // of that process
}

// Error names the address and, where visible, its holder.
func (e *TakenError) Error() string {
	what := "port " + e.Address
	if network, path := address(e.Address); network == "unix" {
		what = "socket " + path
	}
	if e.PID == 0 {
		return what + " is taken by a process of another user"
	}
	return fmt.Sprintf("%s is taken by process %d (%s)", what, e.PID, e.Command)
}

// CheckFree tells whether nobody holds the address yet; otherwise its error
// wraps a *TakenError. A UNIX socket's file that nobody listens on any more,
// left by a killed server, is removed.
func CheckFree(a string) error {
	network, addr := address(a)
	if network == "unix" {
		return checkFreeUnix(addr)
	}
	if at, err := listenersAt(os.Getpid(), addr); err != nil {
		return hotseat.Invalid("", "address %q: %w", addr, err)
	} else if len(at) > 0 {
		return taken(a, at)
	}
	// Listening sockets are all that is listed; one that is only bound shows here.
	want, err := resolve(addr)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", want.String())
	if errors.Is(err, syscall.EADDRINUSE) {
		return taken(a, nil)
	}
	if err != nil {
		return hotseat.Unavailable("", "%w", err)
	}
	return l.Close()
}

func checkFreeUnix(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi.Mode().Type() != fs.ModeSocket {
		return hotseat.Conflict("move it away", "%s is there and is no socket", path)
	}
	pid, err := unixPeer(path)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return os.Remove(path)
	}
	if err != nil {
		return err
	}
	return takenBy(path, pid)
}

// taken looks for who holds one of the sockets.
func taken(a string, at []listener) error {
	all, err := processes()
	if err != nil {
		return takenBy(a, 0)
	}
	for _, st := range all {
		held := map[uint64]int{}
		socketInodes(st.pid, held)
		for _, l := range at {
			if _, ok := held[l.inode]; ok {
				return takenBy(a, st.pid)
			}
		}
	}
	return takenBy(a, 0)
}

func takenBy(a string, pid int) error {
	e := &TakenError{Address: a, PID: pid}
	if pid != 0 {
		e.Command = command(pid)
	}
	return hotseat.Conflict("end that process, or let this workspace lease other ports", "%w", e)
}
