package report

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares text with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got; go test -update accepts it):\n%s", path, diff)
	}
}

func story(t *testing.T, r *hotseat.Result, o TerminalOptions) string {
	t.Helper()
	var out bytes.Buffer
	if err := Terminal(&out, r, o); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func load(t *testing.T, dir string) *Run {
	t.Helper()
	run, err := Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	return run
}

func TestTerminal(t *testing.T) {
	infra := &hotseat.Result{Problem: "isucon4-qualifier", Verdict: hotseat.Infra, Reason: "the benchmark was killed (signal: killed)", ElapsedS: 3.2}
	noisy := load(t, sampleRun(t, true)).Result
	noisy.Processes = noisy.Processes[1:] // what the database used was somebody else's, then
	noisy.Measure = bytes.Replace(noisy.Measure, []byte(`"steal_max_pct": 0.3`), []byte(`"steal_max_pct": 37`), 1)
	for _, c := range []struct {
		name   string
		result *hotseat.Result
		o      TerminalOptions
	}{
		{"noisy", &noisy, TerminalOptions{}},
		{"pass", &load(t, sampleRun(t, false)).Result, TerminalOptions{Report: "runs/20261121-204257-k3x9/report.html"}},
		{"fail", &load(t, sampleRun(t, true)).Result, TerminalOptions{Report: "runs/20261121-204257-k3x9/report.html"}},
		{"fail-colour", &load(t, sampleRun(t, true)).Result, TerminalOptions{Color: true}},
		{"fail-narrow", &load(t, sampleRun(t, true)).Result, TerminalOptions{Width: 40}},
		{"infra", infra, TerminalOptions{}},
		{"empty", &hotseat.Result{}, TerminalOptions{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := story(t, c.result, c.o)
			checkScreen(t, got, c.o.Width)
			golden(t, "terminal-"+c.name+".txt", got)
		})
	}
}

var colours = regexp.MustCompile(`\x1b\[[0-9;]*m`)

// checkScreen asserts the promise: 25 lines that do not wrap and hold nothing
// but text and our own colours.
func checkScreen(t *testing.T, text string, width int) {
	t.Helper()
	if width == 0 {
		width = 80
	}
	text = colours.ReplaceAllString(text, "")
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines) > 25 {
		t.Errorf("%d lines", len(lines))
	}
	for _, line := range lines {
		if got := columns(line); got > width {
			t.Errorf("%d columns: %s", got, line)
		}
		if Visible(line) != line {
			t.Errorf("characters that act: %q", line)
		}
	}
}

func TestTerminalAtItsWorst(t *testing.T) {
	for _, width := range []int{40, 60, 80, 200} {
		for _, text := range []string{hostile, strings.Repeat("漢字かな交じり文", 60), strings.Repeat("x", 4000), strings.Repeat("word ", 500)} {
			r := hostileResult(text)
			for i := range 40 {
				r.Failures = append(r.Failures, hotseat.FailureGroup{Class: hotseat.ClassContent, Code: text, Count: int64(i) << 50, Message: text, Samples: r.Failures[0].Samples})
				r.Endpoints = append(r.Endpoints, hotseat.Endpoint{Method: text, Template: text, Count: 1 << 60, P50MS: 1e12, P99MS: 1e12})
				r.Processes = append(r.Processes, hotseat.ProcessUse{Name: text, CPUS: 1e15})
			}
			checkScreen(t, story(t, r, TerminalOptions{Width: width, Color: true}), width)
		}
	}
}

func TestVerdictIsToldWithoutColour(t *testing.T) {
	for verdict, want := range map[hotseat.Verdict]string{hotseat.Pass: "✓ PASS", hotseat.Fail: "✗ FAIL", hotseat.Infra: "! INFRA", "": "? UNFINISHED"} {
		got := story(t, &hotseat.Result{Verdict: verdict}, TerminalOptions{})
		if !strings.HasPrefix(got, want) || strings.Contains(got, "\x1b") {
			t.Errorf("%s: %q", verdict, got)
		}
	}
}

func TestColorWanted(t *testing.T) {
	file, err := os.Open(os.DevNull)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	if ColorWanted(file, func(string) string { return "" }) {
		t.Error("colour for what is no terminal")
	}
	if got := Width(file); got != 80 {
		t.Errorf("width %d", got)
	}
}
