package measure

import (
	"bufio"
	"bytes"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
)

// States of TCP sockets in /proc/net/tcp (include/net/tcp_states.h).
const (
	tcpEstablished = 1
	tcpTimeWait    = 6
	tcpListen      = 10
)

// socket is one line of /proc/net/tcp or tcp6.
type socket struct {
	local, remote netip.AddrPort
	state         int
	inode         uint64
}

// sockets lists the TCP sockets of our network namespace, which is that of the
// stack. IPv4 addresses written as IPv6 ones come as IPv4.
func (p *procfs) sockets() ([]socket, error) {
	var all []socket
	for _, name := range []string{"net/tcp", "net/tcp6"} {
		text, err := p.read(name)
		if err != nil {
			if name == "net/tcp6" {
				continue // a kernel without IPv6
			}
			return nil, err
		}
		_, text, _ = bytes.Cut(text, []byte("\n")) // the heading
		for len(text) > 0 {
			var line []byte
			line, text, _ = bytes.Cut(text, []byte("\n"))
			if s, ok := parseSocket(line); ok {
				all = append(all, s)
			}
		}
	}
	return all, nil
}

// parseSocket reads "sl local remote st tx:rx tr:tm retr uid timeout inode …".
func parseSocket(line []byte) (s socket, ok bool) {
	f := bytes.Fields(line)
	if len(f) < 10 {
		return s, false
	}
	var err error
	if s.local, ok = parseAddress(f[1]); !ok {
		return s, false
	}
	if s.remote, ok = parseAddress(f[2]); !ok {
		return s, false
	}
	state, err := strconv.ParseInt(string(f[3]), 16, 32)
	if err != nil {
		return s, false
	}
	s.state = int(state)
	s.inode, err = strconv.ParseUint(string(f[9]), 10, 64)
	return s, err == nil
}

// parseAddress reads "0100007F:1F90": the address as words in the machine's
// byte order, little-endian on what we run on, and the port.
func parseAddress(text []byte) (netip.AddrPort, bool) {
	host, port, ok := bytes.Cut(text, []byte(":"))
	n, err := strconv.ParseUint(string(port), 16, 16)
	if !ok || err != nil || len(host) != 8 && len(host) != 32 {
		return netip.AddrPort{}, false
	}
	raw := make([]byte, 0, 16)
	for i := 0; i < len(host); i += 8 {
		word, err := strconv.ParseUint(string(host[i:i+8]), 16, 32)
		if err != nil {
			return netip.AddrPort{}, false
		}
		raw = append(raw, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	a, _ := netip.AddrFromSlice(raw)
	return netip.AddrPortFrom(a.Unmap(), uint16(n)), true
}

// tuple is what a local port is taken for: it can be used once for each.
type tuple struct {
	from netip.Addr
	to   netip.AddrPort
}

// busiestTuple counts the local ports taken per tuple, those that wait included.
// Only the side that connected needs a port of the range: a socket whose own
// port is listened on is the other side.
func busiestTuple(all []socket) (t tuple, n int) {
	listening := map[uint16]bool{}
	for _, s := range all {
		if s.state == tcpListen {
			listening[s.local.Port()] = true
		}
	}
	counts := map[tuple]int{}
	for _, s := range all {
		if s.state == tcpListen || listening[s.local.Port()] && !listening[s.remote.Port()] {
			continue
		}
		counts[tuple{s.local.Addr(), s.remote}]++
	}
	for key, count := range counts {
		if count > n {
			t, n = key, count
		}
	}
	return t, n
}

// networkCounters reads the kernel's counters of TCP, by "Tcp.ActiveOpens" and
// the like (RFC 4022 names the first group; the rest is Linux's own).
func networkCounters() (Counters, error) {
	all := Counters{}
	for _, name := range []string{"/proc/net/snmp", "/proc/net/netstat"} {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		parseNetCounters(text, all)
	}
	return all, nil
}

// parseNetCounters reads pairs of lines: names, then values, both with the
// group's name in front.
func parseNetCounters(text []byte, into Counters) {
	scanner := bufio.NewScanner(bytes.NewReader(text))
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		group, names, ok := strings.Cut(scanner.Text(), ": ")
		if !ok || !scanner.Scan() {
			return
		}
		_, values, _ := strings.Cut(scanner.Text(), ": ")
		v := strings.Fields(values)
		for i, name := range strings.Fields(names) {
			if i < len(v) {
				if n, err := strconv.ParseInt(v[i], 10, 64); err == nil {
					into[group+"."+name] = n
				}
			}
		}
	}
}

// portRange is how many local ports connections may take.
func portRange() int {
	text, err := os.ReadFile("/proc/sys/net/ipv4/ip_local_port_range")
	if err != nil {
		return 0
	}
	var low, high int
	if n, _ := fmt.Sscan(string(text), &low, &high); n != 2 || high < low {
		return 0
	}
	return high - low + 1
}

// kernelSettings are the settings that detectors look at.
var kernelSettings = []string{
	"net.ipv4.ip_local_port_range", "net.ipv4.tcp_tw_reuse", "net.ipv4.tcp_max_tw_buckets", "net.ipv4.tcp_max_syn_backlog",
	"net.core.somaxconn", "net.core.netdev_max_backlog", "net.ipv4.tcp_fin_timeout", "net.netfilter.nf_conntrack_max",
	"net.netfilter.nf_conntrack_count", "fs.file-max", "fs.file-nr", "vm.swappiness", "vm.overcommit_memory",
}

// Kernel reads the kernel's settings by their sysctl names; those that this
// kernel does not have are missing.
func Kernel() map[string]string {
	out := map[string]string{}
	for _, name := range kernelSettings {
		text, err := os.ReadFile("/proc/sys/" + strings.ReplaceAll(name, ".", "/"))
		if err == nil {
			out[name] = strings.Join(strings.Fields(string(text)), " ")
		}
	}
	return out
}
