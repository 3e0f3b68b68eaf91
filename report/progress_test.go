package report

import (
	"bytes"
	"strings"
	"testing"

	"hotseat"
)

// shortRun feeds a run's events to a Progress.
func shortRun(p *Progress, resize func(second int)) {
	phase := func(at float64, name, state string, ok bool, s float64) {
		e := &hotseat.PhaseEvent{Phase: name, State: state, OK: ok, ElapsedS: s}
		if state == hotseat.PhaseBegin {
			e.ElapsedS, e.ExpectedS = 0, s
		}
		p.Event(hotseat.Event{Type: hotseat.EventPhase, AtS: at, PhaseEvent: e})
	}
	phase(0, "initialize", hotseat.PhaseBegin, false, 0)
	phase(2.5, "initialize", hotseat.PhaseEnd, true, 2.5)
	phase(2.5, "load", hotseat.PhaseBegin, false, 3)
	for s := 1; s <= 3; s++ {
		resize(s)
		p.Event(hotseat.Event{Type: hotseat.EventProgress, AtS: 2.5 + float64(s), ProgressEvent: &hotseat.ProgressEvent{
			Score: int64(1000 * s), Requests: int64(400 * s), Errors: int64(s - 1), Users: 8, LeftS: float64(3 - s),
		}})
		p.Event(hotseat.Event{Type: hotseat.EventFailure, AtS: 2.5 + float64(s), FailureEvent: &hotseat.FailureEvent{
			Sampled: true, Count: 1, Failure: hotseat.Failure{Class: hotseat.ClassContent, Code: "value-mismatch", Rule: "x.y", Message: "got \x1b[2J" + hostile},
		}})
	}
	p.Event(hotseat.Event{Type: hotseat.EventLog, LogEvent: &hotseat.LogEvent{Audience: hotseat.AudienceAdmin, Message: "secret"}})
	p.Event(hotseat.Event{Type: hotseat.EventLog, LogEvent: &hotseat.LogEvent{Audience: hotseat.AudienceTeam, Message: "workload 2 は速い"}})
	phase(5.6, "load", hotseat.PhaseEnd, false, 3.1)
	p.Close()
}

func TestProgressOffATerminal(t *testing.T) {
	var out bytes.Buffer
	shortRun(NewProgress(&out, false, nil), func(int) {})
	golden(t, "progress-plain.txt", out.String())
	if strings.ContainsAny(out.String(), "\r\x1b") {
		t.Errorf("control characters: %q", out.String())
	}
}

func TestProgressOnATerminal(t *testing.T) {
	var out bytes.Buffer
	width := 100
	widths := []int{}
	resize := func(second int) {
		width = []int{100, 30, 1}[second-1]
	}
	shortRun(NewProgress(&out, true, func() int { widths = append(widths, width); return width }), resize)
	golden(t, "progress-live.txt", strings.ReplaceAll(strings.ReplaceAll(out.String(), "\r\x1b[K", "⟲\n"), "\x1b", "ESC"))
	if len(widths) < 8 {
		t.Errorf("the width was asked %d times", len(widths))
	}
	if !strings.HasSuffix(out.String(), "\n") {
		t.Error("the live line was left standing")
	}
}

// TestProgressNeverWraps replays what is written on a screen of one width.
func TestProgressNeverWraps(t *testing.T) {
	for width := 1; width < 120; width++ {
		var out bytes.Buffer
		shortRun(NewProgress(&out, true, func() int { return width }), func(int) {})
		for _, row := range strings.FieldsFunc(out.String(), func(r rune) bool { return r == '\n' || r == '\r' }) {
			row = strings.TrimPrefix(row, "\x1b[K")
			if got := columns(row); got > max(width-1, 1) || strings.Contains(row, "\x1b") {
				t.Fatalf("at %d columns: %d wide: %q", width, got, row)
			}
		}
	}
}
