package report

import (
	"strings"
	"testing"
	"time"

	"hotseat"
)

func sampleHistory() *History {
	score := func(n int64) *int64 { return &n }
	at := time.Date(2026, 11, 21, 20, 0, 0, 0, time.UTC)
	return &History{Problem: "isucon4-qualifier", NoiseShare: 0.07, NoiseRuns: 4, Runs: []HistoryRun{
		{Run: "a", StartedAt: at, Verdict: hotseat.Pass, Score: score(2204), Commit: "1234567890", Subject: "as given", Changed: []string{}},
		{Run: "b", StartedAt: at.Add(time.Hour), Verdict: hotseat.Pass, Score: score(18538), Commit: "abcdef1234", Subject: "indexes", Ratio: 8.41, Changed: []string{"sql/schema.sql"}},
		{Run: "c", StartedAt: at.Add(2 * time.Hour), Verdict: hotseat.Fail, Score: score(0), Reason: "the notice is wrong\x1b[2J", Commit: "abcdef1234", Dirty: true, Changed: []string{"app changed"}},
		{Run: "d", StartedAt: at.Add(3 * time.Hour), Verdict: hotseat.Infra, Reason: "interrupted", Changed: []string{}},
		{Run: "e", StartedAt: at.Add(4 * time.Hour), Verdict: hotseat.Pass, Score: score(18900), Commit: "fedcba9876", Note: "<b>nginx</b>", Ratio: 1.0195, Noise: true, Changed: []string{}},
	}}
}

func TestHistoryText(t *testing.T) {
	var out strings.Builder
	if err := sampleHistory().Text(&out, TerminalOptions{Width: 80}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, l := range lines {
		if columns(l) > 80 {
			t.Errorf("%d columns: %s", columns(l), l)
		}
	}
	for i, want := range []string{"Score", "as given", "8.41 ×  indexes; sql/schema.sql", "FAIL", "interrupted", "~+2 %  <b>nginx</b>"} {
		if !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q in it", i, lines[i], want)
		}
	}
	if !strings.Contains(lines[3], "abcdef1+") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("the failed run: %q: it was dirty, and what it quotes must not reach the terminal raw", lines[3])
	}
	// 18,538 of 18,900 in ten columns is 9.8; 2,204 is 1.2.
	if !strings.Contains(lines[2], "█████████▊") || strings.Contains(lines[1], "██") {
		t.Errorf("the bars do not show the scores: %q, %q", lines[1], lines[2])
	}
	if !strings.Contains(out.String(), "differ by up to 7 % by chance") {
		t.Errorf("no word on noise in:\n%s", out.String())
	}
}

func TestHistoryHTML(t *testing.T) {
	var out strings.Builder
	if err := sampleHistory().HTML(&out); err != nil {
		t.Fatal(err)
	}
	page := out.String()
	for _, want := range []string{`href="b/report.html"`, "18,538", "&lt;b&gt;nginx", "<circle", "as given", "content=\"default-src &#39;none&#39;"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s in the page", want)
		}
	}
	if n := strings.Count(page, `class="cross"`); n != 4 { // two crosses, in two sizes
		t.Errorf("%d crosses, want 4", n)
	}
	if strings.Contains(page, "<b>nginx") {
		t.Error("a note became markup")
	}
}
