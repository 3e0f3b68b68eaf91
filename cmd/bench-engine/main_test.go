package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"hotseat/bench/check"
)

// The tests' own binary is the clients' too.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == asClient {
		os.Exit(beClient(os.Args[2:]))
	}
	os.Exit(m.Run())
}

// One tiny round against a real nginx: every client takes part, every spoiled
// page is reported (run fails otherwise), and the files have the agreed form.
// What it costs is not looked at.
func TestQuick(t *testing.T) {
	out := filepath.Join(t.TempDir(), "bench-engine.json")
	var printed bytes.Buffer
	if err := run(t.Context(), []string{"-quick", "-clients", "hotseat,wrk,nethttp,nethttp-goquery", "-out", out}, &printed); err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Rows []struct {
			Case    string  `json:"case"`
			Client  string  `json:"client"`
			Micros  float64 `json:"cpu_us_per_request"`
			PerCPUS float64 `json:"requests_per_cpu_s"`
			Rounds  int     `json:"rounds"`
		} `json:"rows"`
		Memory []struct {
			Client string `json:"client"`
			Users  int    `json:"users"`
			RSS    int64  `json:"rss_bytes"`
		} `json:"memory"`
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&got); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	seen := map[string]bool{}
	for _, r := range got.Rows {
		seen[r.Case+" "+r.Client] = true
		if r.Rounds != 1 || r.Micros <= 0 || r.PerCPUS <= 0 {
			t.Errorf("implausible: %+v", r)
		}
	}
	for _, want := range []string{"200B hotseat", "200B nethttp", "10KB hotseat", "10KB nethttp",
		"10KB-scanned hotseat", "10KB-scanned nethttp-goquery", "10KB-memoised hotseat"} {
		if !seen[want] {
			t.Errorf("no row for %s in\n%s", want, text)
		}
	}
	if len(got.Memory) == 0 || got.Memory[0].Client != clientHotseat || got.Memory[0].Users != 200 || got.Memory[0].RSS < 1<<20 {
		t.Errorf("implausible: %+v", got.Memory)
	}
	if !strings.Contains(printed.String(), "spoiled in") {
		t.Errorf("nothing is said of spoiled pages in\n%s", &printed)
	}
}

func TestSoak(t *testing.T) {
	var printed bytes.Buffer
	if err := run(t.Context(), []string{"-soak", "2s", "-out", filepath.Join(t.TempDir(), "x.json")}, &printed); err != nil {
		t.Fatalf("%v\n%s", err, &printed)
	}
	if !strings.Contains(printed.String(), "0 errors") {
		t.Errorf("printed\n%s", &printed)
	}
}

// Both ways of checking accept every good page and refuse every spoiled one.
func TestPages(t *testing.T) {
	dice := rand.New(rand.NewPCG(7, 7))
	validator := feed()
	judge := func(t *testing.T, n int, text string, want bool) {
		t.Helper()
		m := validator.Check(&check.Input{Body: []byte(text)}, check.Set("first", firstID(n)))
		if (m == nil) != want {
			t.Errorf("page %d: the engine's check says %v of\n%s", n, m, text)
		}
		if right, err := checkTree(strings.NewReader(text), firstID(n)); err != nil || right != want {
			t.Errorf("page %d: goquery's check says %v, %v of\n%s", n, right, err, text)
		}
	}
	for n := range pageCount {
		good := strings.Join(page(n), "")
		if len(good) < pageSize-200 || len(good) > pageSize+200 {
			t.Fatalf("page %d has %d bytes", n, len(good))
		}
		judge(t, n, good, true)
		judge(t, n, spoil(page(n), dice), false)
		if t.Failed() {
			return
		}
	}
}

func TestParseWrk(t *testing.T) {
	got, err := parseWrk([]byte("  56789 requests in 2.00s, 12.3MB read\n  Socket errors: connect 1, read 2, write 0, timeout 3\n  Non-2xx or 3xx responses: 4\n"))
	if want := (counts{Requests: 56789, Errors: 10}); err != nil || got != want {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
	if _, err := parseWrk([]byte("unable to connect")); err == nil {
		t.Error("no error for a wrk that did nothing")
	}
}

func TestMedian(t *testing.T) {
	for _, c := range []struct {
		sorted []float64
		want   float64
	}{{[]float64{3}, 3}, {[]float64{1, 2}, 1.5}, {[]float64{1, 2, 9}, 2}} {
		if got := median(c.sorted); got != c.want {
			t.Errorf("median(%v) = %v, want %v", c.sorted, got, c.want)
		}
	}
}

func TestGrowthIsJudged(t *testing.T) {
	l := &lab{log: new(bytes.Buffer)}
	for _, c := range []struct {
		sizes []int64
		flat  bool
	}{
		{[]int64{1 << 20, 10 << 20, 90 << 20, 90 << 20, 90 << 20, 91 << 20}, true}, // growing up does not count
		{[]int64{90 << 20, 90 << 20, 90 << 20, 90 << 20, 110 << 20, 110 << 20}, false},
		{[]int64{10 << 20, 10 << 20, 10 << 20, 10 << 20, 12 << 20, 12 << 20}, true}, // too little to tell
		{nil, true},
	} {
		if err := l.judgeGrowth(c.sizes); (err == nil) != c.flat {
			t.Errorf("judgeGrowth(%v) = %v", c.sizes, err)
		}
	}
}

func TestBadArguments(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-cases", "1MB"}, {"-duration", "-1s"}, {"what"}} {
		if err := run(t.Context(), args, new(bytes.Buffer)); err == nil {
			t.Error(fmt.Sprint(args), "is accepted")
		}
	}
}

// BenchmarkFeed is the part of the case 10KB-scanned that is not the network's.
func BenchmarkFeed(b *testing.B) {
	validator := feed()
	// As many as in the real thing: a processor learns a page by heart.
	bodies, firsts := make([][]byte, pageCount), make([][]check.Value, pageCount)
	for n := range pageCount {
		bodies[n], firsts[n] = []byte(strings.Join(page(n), "")), []check.Value{check.Set("first", firstID(n))}
	}
	dice, in := rand.New(rand.NewPCG(1, 1)), new(check.Input)
	b.SetBytes(pageSize)
	b.ReportAllocs()
	for b.Loop() {
		n := dice.IntN(pageCount)
		in.Body = bodies[n]
		if m := validator.Check(in, firsts[n]...); m != nil {
			b.Fatal(m)
		}
	}
}
