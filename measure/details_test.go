package measure

import (
	"net"
	"os"
	"testing"
	"time"
)

// A sampler that watches this very process sees its sockets, its spinning
// thread and what it reads.
func TestDetailsOfThisProcess(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	accepted := make(chan net.Conn, 20) // held, or the collector of garbage closes them
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			accepted <- c
		}
	}()
	s, err := Start(t.Context(), Options{Interval: 50 * time.Millisecond, Details: true, Groups: func() map[string][]int { return map[string][]int{"app": {os.Getpid()}} }})
	if err != nil {
		t.Fatal(err)
	}
	const n = 7
	for range n {
		c, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close() }()
	}
	for end := time.Now().Add(400 * time.Millisecond); time.Now().Before(end); {
		if _, err := os.ReadFile("/proc/self/maps"); err != nil { // reads, and burns
			t.Fatal(err)
		}
	}
	if _, err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	p := &Picture{}
	if err := s.Picture(p); err != nil {
		t.Fatal(err)
	}
	if len(accepted) == 0 {
		t.Fatal("nothing was accepted")
	}
	app := p.Processes["app"]
	if app == nil || app.PIDs != 1 || app.Forks != 0 || app.Threads < 2 || app.FDsMax < n || app.FDsLimit < 64 {
		t.Fatalf("the process: %+v", app)
	}
	if app.HotThread < 0.05 || app.HotThread > 1.5 {
		t.Errorf("the hottest thread had %v of a core though one spun", app.HotThread)
	}
	if app.ReadBytes < 10_000 || app.ReadCalls < 10 {
		t.Errorf("%d bytes in %d reads", app.ReadBytes, app.ReadCalls)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	found := false
	for _, c := range p.Peaks {
		if c.Port == port {
			found = true
			if c.To != "app" || c.Max != n || c.Plateau <= 0 {
				t.Errorf("connections: %+v, want %d to app", c, n)
			}
		}
	}
	if !found {
		t.Errorf("no connections to port %d among %+v", port, p.Peaks)
	}
	if p.Network == nil || p.Network.ActiveOpens < n || p.Network.TupleMax < n || p.Network.PortRange < 100 || p.WindowS <= 0.3 {
		t.Errorf("network %+v in %v s", p.Network, p.WindowS)
	}
}

func TestAPlateauIsALimit(t *testing.T) {
	c := &connectionCount{from: map[string]int{}}
	for _, n := range []int{0, 3, 10, 10, 10, 10, 9, 10, 10, 10, 10, 0} {
		c.add(n)
	}
	d := &details{before: Counters{}, seen: map[connectionKind]*connectionCount{{"mariadb", 3306}: c}}
	_, _, peaks, err := d.finish()
	if err != nil || len(peaks) != 1 || peaks[0].Max != 10 || peaks[0].Plateau != 0.8 || peaks[0].From != "outside" {
		t.Errorf("peaks %+v, %v; want a plateau at 10 in 8 of the 10 samples with any", peaks, err)
	}
}
