package stack

import (
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"hotseat"
)

func registry(t *testing.T) Ports {
	t.Helper()
	return Ports{File: filepath.Join(t.TempDir(), "state", "ports.json"), From: 19900, To: 20000}
}

func leaseOf(t *testing.T, p Ports, owner string, names ...string) map[string]int {
	t.Helper()
	ports, err := p.Lease(owner, names)
	if err != nil {
		t.Fatal(err)
	}
	return ports
}

func TestPortsStayWithTheirWorkspace(t *testing.T) {
	p := registry(t)
	a, b := t.TempDir(), t.TempDir()
	first := leaseOf(t, p, a, "web", "app")
	other := leaseOf(t, p, b, "web", "app")
	again := leaseOf(t, p, a, "app", "web", "redis")
	if again["web"] != first["web"] || again["app"] != first["app"] {
		t.Errorf("%v, then %v", first, again)
	}
	all := slices.Concat(slices.Collect(maps.Values(again)), slices.Collect(maps.Values(other)))
	slices.Sort(all)
	if len(slices.Compact(all)) != 5 {
		t.Errorf("ports met: %v and %v", again, other)
	}
	for _, port := range all {
		if port < p.From || port >= p.To {
			t.Errorf("port %d", port)
		}
	}
	if err := p.Release(a); err != nil {
		t.Fatal(err)
	}
	if got := leaseOf(t, p, a, "app"); got["app"] == 0 {
		t.Errorf("after the release: %v", got)
	}
	if got := leaseOf(t, p, b, "web"); got["web"] != other["web"] {
		t.Errorf("the other's ports changed: %v, then %v", other, got)
	}
}

func TestPortsOfAVanishedWorkspaceAreReclaimed(t *testing.T) {
	p := registry(t)
	p.To = p.From + 1
	if !bindable(p.From) {
		t.Fatalf("the test needs port %d", p.From)
	}
	gone := filepath.Join(t.TempDir(), "gone")
	if err := os.Mkdir(gone, 0o755); err != nil {
		t.Fatal(err)
	}
	leaseOf(t, p, gone, "web")
	here := t.TempDir()
	if _, err := p.Lease(here, []string{"web"}); hotseat.CodeOf(err) != hotseat.CodeUnavailable {
		t.Errorf("a leased port was leased again: %v", err)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if got := leaseOf(t, p, here, "web"); got["web"] != p.From {
		t.Errorf("%v", got)
	}
}

func TestAPortInUseIsNotLeased(t *testing.T) {
	p := registry(t)
	owner := t.TempDir()
	would := leaseOf(t, p, owner, "web")["web"]
	if err := p.Release(owner); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(would))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	if got := leaseOf(t, p, owner, "web")["web"]; got == would {
		t.Errorf("port %d is in use", got)
	}
}

func TestManyLeaseAtOnce(t *testing.T) {
	p := registry(t)
	var mu sync.Mutex
	seen := map[int]int{}
	var wg sync.WaitGroup
	for range 10 {
		owner := t.TempDir()
		wg.Go(func() {
			ports, err := p.Lease(owner, []string{"a", "b", "c"})
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, port := range ports {
				seen[port]++
			}
		})
	}
	wg.Wait()
	if len(seen) != 30 {
		t.Errorf("%d different ports for 30 names", len(seen))
	}
}

func TestABrokenRegistryIsTold(t *testing.T) {
	p := registry(t)
	if err := os.MkdirAll(filepath.Dir(p.File), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.File, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := p.Lease(t.TempDir(), []string{"web"})
	if hotseat.CodeOf(err) != hotseat.CodeInvalid || !strings.Contains(err.Error(), p.File) {
		t.Errorf("error %v", err)
	}
}

func TestDefaultPorts(t *testing.T) {
	t.Setenv("HOME", "/h")
	t.Setenv("XDG_STATE_HOME", "")
	if p, err := DefaultPorts(); err != nil || p.File != "/h/.local/state/hotseat/ports.json" || p.To > 32768 {
		t.Errorf("%+v, %v", p, err)
	}
	t.Setenv("XDG_STATE_HOME", "/s")
	if p, err := DefaultPorts(); err != nil || p.File != "/s/hotseat/ports.json" {
		t.Errorf("%+v, %v", p, err)
	}
}
