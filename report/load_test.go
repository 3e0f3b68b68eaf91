package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

func TestLoad(t *testing.T) {
	run := load(t, sampleRun(t, true))
	if !run.Complete || len(run.Notes) != 0 {
		t.Errorf("complete %v, notes %v", run.Complete, run.Notes)
	}
	if len(run.Progress) != 60 || len(run.Samples) != 73 || len(run.Logs) != 1 {
		t.Errorf("%d progress points, %d samples, %d logs", len(run.Progress), len(run.Samples), len(run.Logs))
	}
	want := []Span{{"initialize", 0, 4.2, true, true}, {"verify", 4.2, 6, true, true}, {"load", 6, 66, true, true}, {"report", 66, 71.5, false, true}}
	if diff := cmp.Diff(want, run.Spans); diff != "" {
		t.Errorf("phases (-want +got):\n%s", diff)
	}
	// What package measure wrote is understood, down to the last member shown.
	if m := run.Measure; m.Samples != 73 || m.Host.BusyPct < 50 || m.Collector.CorePct != 0.26 || len(m.Timeline.T) != 72 ||
		len(m.Timeline.Processes["mariadb"].Cores) != 72 || len(m.Timeline.StealPct) != 72 {
		t.Errorf("measure: %+v", m)
	}
	if d := run.Measure.Database; d == nil || d.Queries != 46_350 || d.Counters["Com_select"].Delta != 41_200 || len(d.PerRequest) != 1 || d.PerRequest[0].Rows == 0 {
		t.Errorf("database: %+v", d)
	}
	if s := run.Samples[40]; s.Processes["mariadb"].CPUS < 40 || s.Processes["mariadb"].RSSBytes == 0 || s.Host.BusyPct == 0 || s.T != 40 {
		t.Errorf("sample: %+v", s)
	}
}

func TestLoadOfAKilledRun(t *testing.T) {
	dir := sampleRun(t, true)
	if err := os.Remove(filepath.Join(dir, "result.json")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, "samples.jsonl")); err != nil {
		t.Fatal(err)
	}
	events := filepath.Join(dir, "events.jsonl")
	text, err := os.ReadFile(events)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(string(text), "\n")
	kept := strings.Join(lines[:30], "") +
		`{"event":"failure","at_s":20,"class":"content","code":"value-mismatch","rule":"x.y","side":"target","message":"m","sampled":true,"count":1}` + "\n" +
		`{"event":"failure","at_s":21,"class":"content","code":"value-mismatch","rule":"x.y","side":"target","message":"m","sampled":false,"count":6}` + "\n" +
		`{"event":"point","at_s":21,"tag":"page","count":5}` + "\n" +
		`{"event":"progress","at_s":22,"sco`
	if err := os.WriteFile(events, []byte(kept), 0o600); err != nil {
		t.Fatal(err)
	}
	run := load(t, dir)
	if run.Complete || len(run.Notes) != 3 {
		t.Errorf("complete %v, notes %q", run.Complete, run.Notes)
	}
	r := run.Result
	if r.Run != filepath.Base(dir) || r.Verdict != "" || r.RawScore == 0 || r.Points["page"] != 5 || len(r.Phases) != 2 {
		t.Errorf("result %+v", r)
	}
	if len(r.Failures) != 1 || r.Failures[0].Count != 7 || len(r.Failures[0].Samples) != 1 {
		t.Errorf("failures %+v", r.Failures)
	}
	if last := run.Spans[len(run.Spans)-1]; last.Name != "load" || last.Ended || last.To < 20 {
		t.Errorf("the phase that was cut off: %+v", last)
	}
	page := render(t, run)
	checkPage(t, page)
	for _, want := range []string{"UNFINISHED", "result.json is missing", "samples.jsonl is missing", "1 line could not be read"} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not shown", want)
		}
	}
}

func TestLoadOfDamagedParts(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"result.json": `{"verdict":"pa`, "events.jsonl": "\x00\xff\n[]\n\n", "samples.jsonl": `{"t":"x"}`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := load(t, dir)
	if len(run.Notes) != 3 || run.Complete {
		t.Errorf("notes %q", run.Notes)
	}
	checkPage(t, render(t, run))
}

func TestLoadOfNoRun(t *testing.T) {
	for _, dir := range []string{filepath.Join(t.TempDir(), "gone"), "load_test.go"} {
		if _, err := Load(dir); hotseat.CodeOf(err) != hotseat.CodeNotFound {
			t.Errorf("%s: %v", dir, err)
		}
	}
}

func TestSaveLeavesNothingHalfWritten(t *testing.T) {
	dir := sampleRun(t, false)
	if _, err := Save(dir); err != nil {
		t.Fatal(err)
	}
	// A folder in the report's place: the last step fails.
	other := sampleRun(t, false)
	if err := os.MkdirAll(filepath.Join(other, FileName, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Save(other); err == nil {
		t.Error("no error")
	}
	for _, d := range []string{dir, other} {
		entries, err := os.ReadDir(d)
		if err != nil {
			t.Fatal(err)
		}
		if len(entries) != 4 {
			t.Errorf("%d files in the run's folder", len(entries))
		}
	}
}
