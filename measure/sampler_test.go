package measure

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// TestMain lets the test binary be the processes that the tests watch.
func TestMain(m *testing.M) {
	switch os.Getenv("MEASURE_TEST_ROLE") {
	case "":
		os.Exit(m.Run())
	case "burn":
		burn(400 * time.Millisecond)
	case "parent": // leaves its work to a child that ends before it
		if err := role("burn").Run(); err != nil {
			os.Exit(1)
		}
	case "idle":
	}
	// Stay until the test closes the pipe.
	_, _ = bufio.NewReader(os.Stdin).ReadByte()
}

// burn uses CPU time, not wall time: the machine may be busy with others.
func burn(d time.Duration) {
	proc := newProcfs("/proc")
	for {
		line, err := proc.read("self/stat")
		if p, ok := parseStat(line, 1); err != nil || !ok || p.own >= int64(d.Seconds()*userHZ) {
			return
		}
		for i, x := 0, 1.0; i < 100_000 && x > 0; i++ {
			x = x*1.0000001 + 1e-9
		}
	}
}

func role(name string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "MEASURE_TEST_ROLE="+name)
	return cmd
}

// start runs a role until the test ends and returns its process number.
func start(t *testing.T, name string) int {
	t.Helper()
	cmd := role(name)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = stdin.Close() // ends it; Wait tells how that went
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	})
	return cmd.Process.Pid
}

func TestSamplerSeesRealProcesses(t *testing.T) {
	groups := map[string][]int{"missing": {1 << 30}}
	path := filepath.Join(t.TempDir(), "samples.jsonl")
	ctx := context.Background()
	calls := 0
	s, err := Start(ctx, Options{
		Path: path, Interval: 50 * time.Millisecond,
		Groups: func() map[string][]int { return groups },
		Database: func(context.Context) (Counters, error) {
			calls++
			return Counters{"Com_select": int64(100 * calls), "Handler_read_rnd_next": int64(9000 * calls)}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := func() (*Summary, error) {
		// Stopped on every path, so that the goroutine is gone when files are.
		time.Sleep(100 * time.Millisecond)
		return s.Stop(ctx)
	}()
	if err != nil || sum.Samples < 2 {
		t.Fatalf("%d samples, %v", sum.Samples, err)
	}
	if sum.Database.Queries != 100 || sum.Database.RowsPerQuery != 90 {
		t.Errorf("database: %+v", sum.Database)
	}

	groups = map[string][]int{"app": {start(t, "burn")}, "tree": {start(t, "parent")}, "db": {start(t, "idle")}}
	s, err = Start(ctx, Options{
		Path: path, Interval: 50 * time.Millisecond,
		Groups: func() map[string][]int { return groups },
	})
	if err != nil {
		t.Fatal(err)
	}
	// The children need 0.4 CPU seconds each, which on a busy machine takes a while.
	time.Sleep(1500 * time.Millisecond)
	sum, err = s.Stop(ctx)
	if err != nil {
		t.Fatal(err)
	}
	use := map[string]hotseat.ProcessUse{}
	for _, p := range sum.Processes {
		use[p.Name] = p
	}
	for _, name := range []string{"app", "tree"} {
		if got := use[name].CPUS; got < 0.1 || got > 0.7 {
			t.Errorf("%s used %.2f CPU seconds, want about 0.4", name, got)
		}
	}
	if got := use["db"].CPUS; got > 0.1 {
		t.Errorf("the idle process used %.2f CPU seconds", got)
	}
	if got := use["app"]; got.RSSMaxBytes < 1<<20 || got.CtxSwitches == 0 {
		t.Errorf("app: %+v", got)
	}
	if sum.Host.BusyPct <= 0 || sum.Host.MemAvailableMinBytes == 0 {
		t.Errorf("host: %+v", sum.Host)
	}

	samples := readSamples(t, path)
	last := map[string]float64{}
	samples = samples[len(samples)-sum.Samples:]
	intervals := 0 // the last two samples may be of the same millisecond
	for i, sample := range samples {
		if i > 0 && sample.T > samples[i-1].T {
			intervals++
		}
		for name, use := range sample.Processes {
			if use.CPUS < last[name] {
				t.Errorf("sample %d: the CPU time of %s falls from %v to %v", i, name, last[name], use.CPUS)
			}
			last[name] = use.CPUS
		}
	}
	if got := last["app"]; got != use["app"].CPUS {
		t.Errorf("the file ends with %v, the summary says %v", got, use["app"].CPUS)
	}
	if n := len(sum.Timeline.T); n != intervals || n < 2 || len(sum.Timeline.Processes["app"].Cores) != n || len(sum.Timeline.BusyPct) != n {
		t.Errorf("%d samples, %d intervals, timeline %+v", sum.Samples, intervals, sum.Timeline)
	}
}

func readSamples(t *testing.T, path string) []Sample {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var samples []Sample
	for line := range strings.Lines(string(text)) {
		var s Sample
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		samples = append(samples, s)
	}
	return samples
}

func TestSamplerIsCheap(t *testing.T) {
	s, err := Start(context.Background(), Options{
		Interval: 100 * time.Millisecond, // ten times as often as in a run
		Groups:   func() map[string][]int { return map[string][]int{"me": {os.Getpid()}, "all": {1}} },
	})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	sum, err := s.Stop(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	perSample := sum.Collector.CPUS / float64(sum.Samples)
	t.Logf("%.2f ms of CPU per sample", 1000*perSample)
	if sum.Collector.CPUS <= 0 || perSample > 0.050 { // in truth a few ms
		t.Errorf("%d samples cost %.3f CPU seconds", sum.Samples, sum.Collector.CPUS)
	}
}

func TestStartTellsWhatItCannotWrite(t *testing.T) {
	_, err := Start(context.Background(), Options{Path: filepath.Join(t.TempDir(), "gone", "samples.jsonl")})
	if !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestFullDiskIsToldOnceAndSamplingGoesOn(t *testing.T) {
	s, err := Start(context.Background(), Options{Path: "/dev/full", Interval: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(60 * time.Millisecond)
	sum, err := s.Stop(context.Background())
	if err == nil || !strings.Contains(err.Error(), "no space left") {
		t.Errorf("error %v", err)
	}
	if sum.Samples < 2 {
		t.Errorf("%d samples", sum.Samples)
	}
}

func TestSummarizeFillsGaps(t *testing.T) {
	sum := Summarize([]Sample{
		{T: 0, Processes: map[string]Use{"db": {RSSBytes: 10}}},
		{T: 1, Processes: map[string]Use{"db": {CPUS: 0.5, RSSBytes: 30}}, Host: HostUse{BusyPct: 50, StealPct: 4}},
		{T: 3, Processes: map[string]Use{"db": {CPUS: 2.5, RSSBytes: 20}, "late": {CPUS: 1}}, Host: HostUse{BusyPct: 80}},
		{T: 4, Processes: map[string]Use{"late": {CPUS: 1}}, Host: HostUse{BusyPct: 30}},
	}, time.Second)
	want := map[string]ProcessTimeline{
		"db":   {Cores: []float64{0.5, 1, 0}, RSSBytes: []int64{30, 20, 0}},
		"late": {Cores: []float64{0, 0.5, 0}, RSSBytes: []int64{0, 0, 0}},
	}
	if diff := cmp.Diff(want, sum.Timeline.Processes); diff != "" {
		t.Errorf("timeline (-want +got):\n%s", diff)
	}
	wantUse := []hotseat.ProcessUse{{Name: "db", CPUS: 2.5, RSSMaxBytes: 30}, {Name: "late", CPUS: 1}}
	if diff := cmp.Diff(wantUse, sum.Processes); diff != "" {
		t.Errorf("processes (-want +got):\n%s", diff)
	}
	if sum.Host.BusyPct != 60 || sum.Host.StealPct != 1 || sum.Host.StealMaxPct != 4 {
		t.Errorf("host %+v", sum.Host)
	}
	if empty := Summarize(nil, time.Second); empty.Samples != 0 || len(empty.Processes) != 0 {
		t.Errorf("no samples: %+v", empty)
	}
}

func TestDatabase(t *testing.T) {
	before := Counters{"Com_select": 10, "Com_insert": 5, "Handler_read_key": 100, "Handler_read_rnd_next": 1000, "Questions": 900}
	after := Counters{"Com_select": 40, "Com_insert": 15, "Handler_read_key": 150, "Handler_read_rnd_next": 4950, "Questions": 30, "Uptime": 9}
	d := newDatabase(before, nil, after, nil)
	d.PerEndpoint([]hotseat.Endpoint{
		{Method: "GET", Template: "/", Count: 50}, {Method: "POST", Template: "/login", Count: 20}, {Method: "POST", Template: "/none"},
	})
	want := &Database{
		Counters: map[string]CounterDelta{
			"Com_select":            {10, 40, 30},
			"Com_insert":            {5, 15, 10},
			"Handler_read_key":      {100, 150, 50},
			"Handler_read_rnd_next": {1000, 4950, 3950},
			"Questions":             {900, 30, 30}, // the server restarted
		},
		Queries: 40, RowsRead: 4000, RowsPerQuery: 100, ScanShare: 0.9875,
		PerRequest: []RowsPerRequest{{Method: "POST", Template: "/login", Count: 20, Rows: 200}},
	}
	if diff := cmp.Diff(want, d); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if d := newDatabase(before, nil, nil, errors.New("server gone")); d.Error != "server gone" || len(d.Counters) != 0 {
		t.Errorf("a server that died: %+v", d)
	}
}
