package stack

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"hotseat"
)

// Ports leases TCP ports to workspaces, so that two stacks of one user never
// meet. A port stays with its workspace from one start to the next, and is
// free again when the workspace's folder is gone. Users do not share a
// registry: what another user holds is noticed by trying to bind, and each
// user and workspace begins to look at a place of its own.
type Ports struct {
	// File is the registry. Beside it lies a lock file.
	File string
	// From and To bound the ports handed out, To excluded.
	From, To int
}

// The default range lies below the kernel's ephemeral ports (32768 and up,
// ip_local_port_range in ip(7)), which any outgoing connection might take.
const (
	firstPort = 20000
	lastPort  = 31999
)

// DefaultPorts is the registry in the user's state folder.
func DefaultPorts() (Ports, error) {
	dir := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(dir) { // the specification says to ignore relative ones
		home, err := os.UserHomeDir()
		if err != nil {
			return Ports{}, hotseat.Unavailable("set HOME", "find the home folder: %w", err)
		}
		dir = filepath.Join(home, ".local", "state")
	}
	return Ports{File: filepath.Join(dir, "hotseat", "ports.json"), From: firstPort, To: lastPort + 1}, nil
}

// lease is one line of the registry.
type lease struct {
	Port  int    `json:"port"`
	Owner string `json:"owner"` // the workspace's folder
	Name  string `json:"name"`  // what the workspace calls it
}

// Lease returns a port for each name. Those that the owner, an absolute path to
// a folder, has leased before are the same as before.
func (p Ports) Lease(owner string, names []string) (map[string]int, error) {
	if !filepath.IsAbs(owner) {
		return nil, fmt.Errorf("lease ports: %q is not an absolute path", owner)
	}
	ports := map[string]int{}
	err := p.edit(func(leases []lease) ([]lease, error) {
		leases = slices.DeleteFunc(leases, func(l lease) bool { return l.Owner != owner && vanished(l.Owner) })
		held := map[int]bool{}
		for _, l := range leases {
			held[l.Port] = true
			if l.Owner == owner && slices.Contains(names, l.Name) {
				ports[l.Name] = l.Port
			}
		}
		for _, name := range names {
			if _, ok := ports[name]; ok {
				continue
			}
			port, err := p.pick(owner, held)
			if err != nil {
				return nil, err
			}
			held[port], ports[name] = true, port
			leases = append(leases, lease{Port: port, Owner: owner, Name: name})
		}
		return leases, nil
	})
	return ports, err
}

// Release gives back all ports of an owner.
func (p Ports) Release(owner string) error {
	return p.edit(func(leases []lease) ([]lease, error) {
		return slices.DeleteFunc(leases, func(l lease) bool { return l.Owner == owner }), nil
	})
}

// vanished tells whether a workspace is surely gone. One that cannot be looked
// at keeps its ports.
func vanished(owner string) bool {
	_, err := os.Stat(owner)
	return errors.Is(err, fs.ErrNotExist)
}

// pick finds a port that is neither leased nor in use.
func (p Ports) pick(owner string, held map[int]bool) (int, error) {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s", os.Geteuid(), owner)
	n := p.To - p.From
	first := int(h.Sum32()>>1) % n
	for i := range n {
		port := p.From + (first+i)%n
		if held[port] || !bindable(port) {
			continue
		}
		return port, nil
	}
	return 0, hotseat.Unavailable("remove workspaces that are no longer needed",
		"all ports from %d to %d are taken or leased", p.From, p.To-1)
}

// bindable tells whether nobody uses the port, on any address.
func bindable(port int) bool {
	l, err := net.Listen("tcp", ":"+strconv.Itoa(port))
	if err != nil {
		return false
	}
	return l.Close() == nil
}

// edit changes the registry while no other process does.
func (p Ports) edit(change func([]lease) ([]lease, error)) error {
	if err := os.MkdirAll(filepath.Dir(p.File), 0o755); err != nil {
		return hotseat.Unavailable("", "make the folder of the port registry: %w", err)
	}
	lock, err := os.OpenFile(p.File+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return hotseat.Unavailable("", "lock the port registry: %w", err)
	}
	defer func() { _ = lock.Close() }()
	if err := unix.Flock(int(lock.Fd()), unix.LOCK_EX); err != nil {
		return hotseat.Unavailable("", "lock the port registry: %w", err)
	}
	var leases []lease
	b, err := os.ReadFile(p.File)
	if err == nil {
		err = json.Unmarshal(b, &leases)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return hotseat.Invalid("remove it: workspaces get new ports then", "the port registry %s cannot be read: %w", p.File, err)
	}
	if leases, err = change(leases); err != nil {
		return err
	}
	slices.SortFunc(leases, func(a, b lease) int { return cmp.Compare(a.Port, b.Port) })
	if b, err = json.MarshalIndent(leases, "", "  "); err != nil {
		return err
	}
	next := p.File + ".new"
	if err := os.WriteFile(next, append(b, '\n'), 0o644); err != nil {
		return hotseat.Unavailable("", "write the port registry: %w", err)
	}
	return os.Rename(next, p.File)
}
