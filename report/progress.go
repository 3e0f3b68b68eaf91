package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"hotseat"
)

// Progress shows a run while it goes on. On a terminal it keeps one line that
// it redraws with every event; elsewhere it writes a line when a phase begins
// and one when it ends. Wrong answers and words for the team are told as they
// come, a few of each.
//
// It is fed by one goroutine. What it cannot write is lost: progress must not
// stop a run.
type Progress struct {
	w     io.Writer
	live  bool
	width func() int

	phase    string
	began    float64 // of the phase, seconds since the benchmark started
	expected float64
	now      hotseat.ProgressEvent
	last     hotseat.ProgressEvent // the one before, for the rate
	at       float64
	lastAt   float64
	drawn    bool
	wrong    int
	logs     int
}

// Told at most, since a benchmark may have thousands of each.
const (
	maxWrongTold = 3
	maxLogsTold  = 20
)

// NewProgress makes a Progress that writes to w. isTTY says whether w is a
// terminal; width, its columns, is asked anew for every line because people
// resize windows. It may be nil where isTTY is false.
func NewProgress(w io.Writer, isTTY bool, width func() int) *Progress {
	return &Progress{w: w, live: isTTY, width: width}
}

// Event takes in the next event of the benchmark.
func (p *Progress) Event(e hotseat.Event) {
	switch {
	case e.PhaseEvent != nil && e.State == hotseat.PhaseBegin:
		p.phase, p.began, p.expected = e.Phase, e.AtS, e.ExpectedS
		p.at, p.now.LeftS = e.AtS, 0
		if !p.live {
			p.say(line(e.Phase) + ": begins" + expectation(e.ExpectedS))
		}
	case e.PhaseEvent != nil:
		p.at = e.AtS
		p.endPhase(e)
	case e.ProgressEvent != nil:
		p.last, p.lastAt = p.now, p.at
		p.now, p.at = *e.ProgressEvent, e.AtS
	case e.FailureEvent != nil && e.Sampled && e.WrongAnswer() && p.wrong < maxWrongTold:
		p.wrong++
		p.say(strings.TrimSpace(fmt.Sprintf("✗ %s/%s %s: %s", line(string(e.Class)), line(e.Code), line(e.Rule), line(e.FailureEvent.Message))))
	case e.VerdictEvent != nil:
		p.Close()
	case e.LogEvent != nil && e.Audience == hotseat.AudienceTeam && p.logs < maxLogsTold:
		p.logs++
		p.say("· " + line(e.Message))
	}
	p.draw()
}

func expectation(s float64) string {
	if s <= 0 {
		return ""
	}
	return " (" + seconds(s) + ")"
}

func (p *Progress) endPhase(e hotseat.Event) {
	took := e.ElapsedS
	if took == 0 {
		took = e.AtS - p.began
	}
	sign, how := "✓", "done in"
	if !e.OK {
		sign, how = "✗", "failed after"
	}
	text := fmt.Sprintf("%s: %s %s", line(e.Phase), how, seconds(took))
	if p.now.Requests > 0 {
		text += fmt.Sprintf(" · score %s · %s · %s", count(p.now.Score),
			plural(p.now.Requests, "request", "requests"), plural(p.now.Errors, "error", "errors"))
	}
	if p.live {
		text = sign + " " + text
	}
	p.phase = ""
	p.say(text)
}

// Close takes the live line away; what was said stays. It must be called
// before anything else is written to the terminal, unless there was a verdict.
func (p *Progress) Close() {
	p.erase()
	p.phase = ""
}

// say writes a line that stays.
func (p *Progress) say(text string) {
	p.erase()
	width := 400 // a log's reader wraps by itself
	if p.live {
		width = p.columns()
	}
	_, _ = io.WriteString(p.w, fit(text, width)+"\n")
}

func (p *Progress) erase() {
	if p.drawn {
		_, _ = io.WriteString(p.w, "\r\x1b[K") // to the line's begin, erase it: ECMA-48 §8.3.41
		p.drawn = false
	}
}

// columns leaves the last one free: some terminals wrap when it is written.
func (p *Progress) columns() int {
	if p.width == nil {
		return 79
	}
	return max(p.width()-1, 1)
}

// draw writes the live line, what matters most first since its end is cut on
// narrow terminals.
func (p *Progress) draw() {
	if !p.live || p.phase == "" {
		return
	}
	parts := []string{line(p.phase)}
	elapsed := p.at - p.began
	switch {
	case p.now.LeftS > 0:
		parts = append(parts, fmt.Sprintf("%.0f s left", p.now.LeftS))
	case p.expected > 0:
		parts = append(parts, fmt.Sprintf("%.0f s left", max(p.expected-elapsed, 0)))
	default:
		parts = append(parts, (time.Duration(elapsed) * time.Second).String())
	}
	if p.now.Requests > 0 {
		parts = append(parts, "score "+count(p.now.Score), plural(p.now.Errors, "error", "errors"))
		if took := p.at - p.lastAt; took > 0 && p.now.Requests >= p.last.Requests {
			parts = append(parts, number(float64(p.now.Requests-p.last.Requests)/took)+" requests/s")
		}
		if p.now.Users > 0 {
			parts = append(parts, plural(p.now.Users, "user", "users"))
		}
	}
	width := p.columns()
	if whole := elapsed + p.now.LeftS; p.now.LeftS > 0 {
		if room := min(width-columns(strings.Join(parts, " · "))-1, 20); room >= 8 {
			done := min(int(elapsed/whole*float64(room)+0.5), room)
			parts[0] += " " + strings.Repeat("█", done) + strings.Repeat("░", room-done)
		}
	}
	text := strings.Join(parts, " · ")
	_, _ = io.WriteString(p.w, "\r\x1b[K"+fit(text, width))
	p.drawn = true
}
