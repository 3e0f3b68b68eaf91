package bench

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"

	"hotseat"
	"hotseat/bench/wire"
)

// addresses are the local addresses of a prefix that users connect from.
// Those that end in 0 or 255 are left out, since applications take them for
// networks and broadcasts, and so is 127.0.0.1, which everybody else uses.
type addresses struct {
	base  uint32 // of the first block of 256
	from  uint32 // last byte of the first address in a block
	per   uint32 // addresses in a block
	skip  uint32 // of the first block
	count uint32
}

// loopback is where any address may be used without setting it up: Linux
// takes all of it for its own.
var loopback = netip.MustParsePrefix("127.0.0.0/8")

func parseAddresses(text string) (*addresses, error) {
	prefix, err := netip.ParsePrefix(text)
	if err != nil {
		return nil, fmt.Errorf("sources %q: want a prefix such as 127.0.0.0/8", text)
	}
	if prefix = prefix.Masked(); !prefix.Addr().Is4() || !loopback.Contains(prefix.Addr()) || prefix.Bits() < loopback.Bits() {
		return nil, fmt.Errorf("sources %s: only addresses of %s need no set-up", text, loopback)
	}
	four := prefix.Addr().As4()
	first := binary.BigEndian.Uint32(four[:])
	a := &addresses{base: first &^ 0xff, from: 1, per: 254}
	blocks := uint32(1)
	if bits := prefix.Bits(); bits <= 24 {
		blocks <<= 24 - bits
	} else {
		last := min(first&0xff+1<<(32-bits)-1, 254)
		a.from = max(first&0xff, 1)
		a.per = last + 1 - a.from
	}
	if prefix.Contains(netip.AddrFrom4([4]byte{127, 0, 0, 1})) {
		a.skip = 1
	}
	if blocks*a.per <= a.skip {
		return nil, fmt.Errorf("sources %s: no address is left without .0, .255 and 127.0.0.1", text)
	}
	a.count = blocks*a.per - a.skip
	return a, nil
}

// at returns the address of that number, from 0. There are count of them;
// then they begin anew.
func (a *addresses) at(n int) netip.Addr {
	i := uint32(n%int(a.count)) + a.skip
	var four [4]byte
	binary.BigEndian.PutUint32(four[:], a.base+i/a.per<<8+a.from+i%a.per)
	return netip.AddrFrom4(four)
}

// fromEnd counts from the last address.
func (a *addresses) fromEnd(n int) netip.Addr { return a.at(int(a.count) - 1 - n%int(a.count)) }

// reachableFrom says why a target cannot be reached from a loopback address,
// nil if it can. Its errors are for whoever chose the target.
func reachableFrom(t wire.Target, sources string) error {
	refuse := func(why string) error {
		return hotseat.Invalid("run it against a target on this machine, such as http://127.0.0.1:8080",
			"every user connects from an address of its own in %s, and %s", sources, why)
	}
	if t.Network != "tcp" {
		return refuse("a unix socket knows no addresses")
	}
	host, _, _ := net.SplitHostPort(t.Address) // ParseTarget has joined it
	if host == "localhost" {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err != nil || !loopback.Contains(ip.Unmap()) {
		return refuse("the target " + host + " is not reached from there")
	}
	return nil
}

// placeUsers settles which addresses the users of every population have. The
// populations take turns, so that no two users share an address, and so that a
// user has the same one no matter which populations are at work.
func (r *Run) placeUsers(populations []Population) error {
	for i, p := range populations {
		spec := p.spec()
		spec.place, spec.places, spec.addresses = i, len(populations), r.addresses
		if spec.sources == nil {
			continue
		}
		if spec.addresses = nil; *spec.sources == "" {
			continue
		}
		var err error
		if spec.addresses, err = parseAddresses(*spec.sources); err != nil {
			panic(authorError(fmt.Sprintf("population %s: %v", spec.name, err)))
		}
		if err := reachableFrom(r.opts.target, *spec.sources); err != nil {
			return err
		}
	}
	return nil
}

// address returns the address that a user of the population connects from; it
// is not valid if that is left to the system.
func (p *population) address(id int) netip.Addr {
	if p.addresses == nil {
		return netip.Addr{}
	}
	return p.addresses.at((id-1)*p.places + p.place)
}
