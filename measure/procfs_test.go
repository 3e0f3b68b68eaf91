package measure

import (
	"os"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	const tail = " S 7 8 9 0 -1 4194304 104 0 0 0 11 12 13 14 20 0 5 0 126596 3133440 418 18446744073709551615 1 1\n"
	want := process{pid: 42, parent: 7, start: 126596, own: 23, waited: 27, threads: 5, rss: 418 * 4096}
	for _, c := range []struct {
		name, line string
		ok         bool
	}{
		{"plain", "42 (cat)" + tail, true},
		{"a command full of traps", "42 (a) S 1 (b\n) " + ")" + tail, true},
		{"cut short", "42 (cat) S 7 8", false},
		{"empty", "", false},
		{"no number", "x (cat)" + tail, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, ok := parseStat([]byte(c.line), 4096)
			if ok != c.ok {
				t.Fatalf("ok %v", ok)
			}
			if ok {
				if diff := cmp.Diff(want, got, cmp.AllowUnexported(process{})); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			}
		})
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add([]byte("42 (cat) S 7 8 9 0 -1 4194304 104 0 0 0 11 12 13 14 20 0 5 0 126596 3133440 418"))
	f.Add([]byte("1 () "))
	f.Fuzz(func(_ *testing.T, line []byte) {
		_, _ = parseStat(line, 4096) // must not panic
	})
}

func TestParseCPU(t *testing.T) {
	before := parseCPU([]byte("cpu  100 0 100 700 50 10 10 30 0 0\ncpu0 1 1 1\n"))
	after := parseCPU([]byte("cpu  150 10 120 780 60 15 15 50 0 0\n"))
	want := HostUse{BusyPct: 45, StealPct: 10, IOWaitPct: 5}
	if diff := cmp.Diff(want, after.since(before)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := before.since(after); got != (HostUse{}) {
		t.Errorf("time that runs backwards: %+v", got)
	}
}

func TestProcessesSeesThisTest(t *testing.T) {
	proc := newProcfs("/proc")
	all, err := proc.processes()
	if err != nil {
		t.Fatal(err)
	}
	me, ok := all[os.Getpid()]
	if !ok || me.parent != os.Getppid() || me.threads < 2 || me.rss < 1<<20 {
		t.Errorf("this process: %+v, found %v", me, ok)
	}
	if n := proc.descriptors(os.Getpid()); n < 3 {
		t.Errorf("%d file descriptors", n)
	}
	if counts := proc.switches(os.Getpid()); len(counts) < 2 || counts[os.Getpid()] == 0 {
		t.Errorf("context switches by thread: %v", counts)
	}
}

func TestReadGrowsItsBuffer(t *testing.T) {
	folder := t.TempDir()
	text := make([]byte, 100<<10)
	for i := range text {
		text[i] = byte(i)
	}
	if err := os.WriteFile(folder+"/big", text, 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := newProcfs(folder).read("big")
	if err != nil || string(got) != string(text) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}

func TestHost(t *testing.T) {
	h := Host()
	if h.CPUs < 1 || h.CPUModel == "" || h.Kernel == "" || h.MemoryBytes < 1<<26 || h.Tier != TierLocal {
		t.Errorf("%+v", h)
	}
	if got := cpuModel([]byte("processor\t: 0\nmodel name\t: Some   CPU @ 2 GHz\n")); got != "Some CPU @ 2 GHz" {
		t.Errorf("model %q", got)
	}
	if got := hostAt(newProcfs(t.TempDir())); got.CPUModel == "" || got.Kernel != "" {
		t.Errorf("without /proc: %+v, pid %s", got, strconv.Itoa(os.Getpid()))
	}
}
