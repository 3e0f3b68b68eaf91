package runner

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotseat"
)

// events are what a benchmark printed before it was killed.
const events = `{"event":"phase","at_s":0,"phase":"initialize","state":"begin"}
{"event":"phase","at_s":2,"phase":"initialize","state":"end","ok":true}
{"event":"phase","at_s":2,"phase":"load","state":"begin"}
{"event":"point","at_s":3,"tag":"page","count":4}
{"event":"point","at_s":4,"tag":"page","count":5}
{"event":"failure","at_s":3.5,"class":"content","code":"value-mismatch","rule":"x.y","side":"target","step":"GET /","message":"m","sampled":true,"count":1}
{"event":"failure","at_s":4,"class":"content","code":"value-mismatch","rule":"x.y","side":"target","step":"GET /","message":"m","sampled":false,"count":7}
{"event":"progress","at_s":4,"score":90,"requests":100,"errors":8,"users":1,"generator_cpu_s":0.5}
{"event":"failure","at_s":4.5,"class":"timeout","code":"timeo`

func read(t *testing.T, text string) *collector {
	t.Helper()
	file := filepath.Join(t.TempDir(), EventsFile)
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	c := newCollector()
	if err := readEvents(file, c.add); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCollectorKeepsWhatAKilledBenchmarkTold(t *testing.T) {
	var r hotseat.Result
	read(t, events).fill(&r)
	settle(&r)
	if r.Verdict != hotseat.Infra || r.Score != nil || r.RawScore != 90 || r.Points["page"] != 9 {
		t.Errorf("verdict %s, score %v, raw %d, points %v", r.Verdict, r.Score, r.RawScore, r.Points)
	}
	if len(r.Phases) != 2 || r.Phases[0].ElapsedS != 2 || !r.Phases[0].OK || r.Phases[1].Name != "load" || r.Phases[1].OK {
		t.Errorf("phases %+v", r.Phases)
	}
	if len(r.Failures) != 1 || r.Failures[0].Count != 8 || len(r.Failures[0].Samples) != 1 {
		t.Errorf("failures %+v", r.Failures)
	}
	if r.Generator.Requests != 100 || r.Generator.CPUS != 0.5 {
		t.Errorf("generator %+v", r.Generator)
	}
}

func TestVerdictDecidesTheScore(t *testing.T) {
	for verdict, want := range map[string]string{"pass": "90", "fail": "0", "infra": "null"} {
		var r hotseat.Result
		line := `{"event":"verdict","at_s":9,"verdict":"` + verdict + `","reason":"r","score":90,"raw_score":90}`
		read(t, line).fill(&r)
		settle(&r)
		got, _ := json.Marshal(r.Score)
		if string(got) != want || r.RawScore != 90 {
			t.Errorf("%s: score %s, raw %d, want %s", verdict, got, r.RawScore, want)
		}
	}
}

func TestKilledRunIsCompletedAsInterrupted(t *testing.T) {
	runs := t.TempDir()
	f, err := newFolder(runs, time.Now(), &hotseat.Result{Schema: hotseat.ResultSchema, Problem: "tiny"})
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.SplitSeq(events, "\n") {
		if err := f.event([]byte(line)); err != nil {
			t.Fatal(err)
		}
	}
	if err := CompleteKilled(runs); err != nil {
		t.Fatal(err)
	}
	if r, err := ReadResult(f.dir); err != nil || r.RawScore != 0 {
		t.Fatalf("a run that goes on was touched: %+v, %v", r, err)
	}
	_ = f.lock.Close() // what the kernel does when the runner is killed
	if err := CompleteKilled(runs); err != nil {
		t.Fatal(err)
	}
	r, err := ReadResult(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != hotseat.Infra || r.Reason != "interrupted" || r.Score != nil || r.RawScore != 90 || r.Problem != "tiny" {
		t.Errorf("completed as %+v", r)
	}
}

func TestFindRun(t *testing.T) {
	runs := t.TempDir()
	if _, err := FindRun(runs, ""); hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("without runs: %v", err)
	}
	for _, name := range []string{"20260101-000000-aaaaaa", "20260102-000000-bbbbbb"} {
		if err := os.Mkdir(filepath.Join(runs, name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{"": "20260102-000000-bbbbbb", "20260101": "20260101-000000-aaaaaa", "bbbbbb": "20260102-000000-bbbbbb"} {
		if got, err := FindRun(runs, name); err != nil || filepath.Base(got) != want {
			t.Errorf("%q: %q, %v", name, got, err)
		}
	}
	if _, err := FindRun(runs, "2026"); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("ambiguous: %v", err)
	}
	if _, err := FindRun(runs, "x"); hotseat.CodeOf(err) != hotseat.CodeNotFound {
		t.Errorf("unknown: %v", err)
	}
}
