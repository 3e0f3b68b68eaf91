package report

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"

	"hotseat"
)

// How much of each part of a step is shown: what failed is looked at closely.
const (
	replayLines       = 6
	replayLinesFailed = 24
)

// replayCommand is the command line that repeats what led to a failure of the
// run; empty where that is impossible: when no virtual user was at work whose
// steps are counted, or in a phase that is no user's.
func replayCommand(run string, f *hotseat.Failure) string {
	switch f.Phase {
	case "verify", "load", "drain":
	default:
		return ""
	}
	if run == "" || f.User == 0 || f.StepNumber == 0 || f.Side == hotseat.SideBench {
		return ""
	}
	user := strconv.Itoa(f.User)
	if f.Scenario != "" {
		user = f.Scenario + "/" + user
	}
	what := fmt.Sprintf("%s:%s:%d", run, user, f.StepNumber)
	if strings.Trim(what, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:") != "" {
		what = "'" + strings.ReplaceAll(what, "'", `'\''`) + "'"
	}
	return "hotseat bench --replay " + what
}

// Replay tells a replay step by step: what was asked, what was expected, what
// came. It is fed by one goroutine.
type Replay struct {
	t    terminal
	w    io.Writer
	told int // the last step
	err  error
}

// NewReplay makes a Replay that writes to w.
func NewReplay(w io.Writer, o TerminalOptions) *Replay {
	if o.Width == 0 {
		o.Width = 80
	}
	return &Replay{t: terminal{TerminalOptions: o, width: max(o.Width, 40)}, w: w}
}

// Err returns the first error of writing.
func (p *Replay) Err() error { return p.err }

// Event takes in the next event of the benchmark; those that do not belong to a
// replay are let pass.
func (p *Replay) Event(e hotseat.Event) {
	switch {
	case e.Replayed != nil:
		p.step(e.Replayed)
	case e.FailureEvent != nil && e.Sampled && (e.StepNumber == 0 || e.StepNumber <= p.told):
		p.afterwards(&e.Failure)
	}
}

func (p *Replay) step(s *hotseat.StepEvent) {
	p.told = s.Number
	mark, style, lines := "ok", green, replayLines
	if !s.OK {
		mark, style, lines = "WRONG", red, replayLinesFailed
	}
	number, took := fmt.Sprintf("#%d  ", s.Number), fmt.Sprintf(", %.1f ms", s.ElapsedMS)
	name := fit(line(s.Step), p.t.width-len(number)-len(took)-len(mark)-2)
	var out bytes.Buffer
	out.WriteString(p.t.paint(bold, number+name) + "  " + p.t.paint(style, mark) + took + "\n")
	if s.Message != "" {
		p.block(&out, "failure", inRule(s.Message, s.Rule), 3)
	}
	p.block(&out, "request", s.Request, lines)
	p.block(&out, "expected", s.Expected, lines)
	p.block(&out, "actual", s.Actual, lines)
	if !s.OK {
		p.curl(&out, s.Curl)
	}
	p.write(out.Bytes())
}

// afterwards tells of a failure that the scenario found when the step was done,
// by comparing answers with each other or with what it knows.
func (p *Replay) afterwards(f *hotseat.Failure) {
	var out bytes.Buffer
	where := ""
	if f.StepNumber > 0 {
		where = fmt.Sprintf(" after #%d", f.StepNumber)
	}
	out.WriteString(p.t.paint(red, "WRONG") + where + "\n")
	p.block(&out, "failure", inRule(f.Message, f.Rule), 3)
	p.block(&out, "expected", f.Expected, replayLinesFailed)
	p.block(&out, "actual", f.Actual, replayLinesFailed)
	p.curl(&out, f.Curl)
	p.write(out.Bytes())
}

// curl is on a line of its own and never cut: it is there to be copied.
func (p *Replay) curl(out *bytes.Buffer, command string) {
	if command != "" {
		out.WriteString("  " + p.t.paint(dim, "try:") + "\n" + line(command) + "\n")
	}
}

// block writes a label and a text of several lines, wrapped, and says how much
// of it is left out.
func (p *Replay) block(out *bytes.Buffer, label, text string, limit int) {
	const indent = 12
	var lines []string
	for l := range strings.SplitSeq(strings.TrimRight(Visible(text), "\n \t"), "\n") {
		if strings.TrimSpace(l) == "" {
			continue
		}
		lines = append(lines, wrap(strings.ReplaceAll(l, "\t", "  "), p.t.width-indent, replayLinesFailed)...)
	}
	if over := len(lines) - limit; over > 1 {
		lines = append(lines[:limit], fmt.Sprintf("… (%d more lines)", over))
	}
	for i, l := range lines {
		head := strings.Repeat(" ", indent)
		if i == 0 {
			head = "  " + p.t.paint(dim, pad(label, indent-2))
		}
		out.WriteString(head + l + "\n")
	}
}

func (p *Replay) write(text []byte) {
	if _, err := p.w.Write(text); err != nil && p.err == nil {
		p.err = err
	}
}

// inRule is a message with the rule that it is about.
func inRule(message, rule string) string {
	if rule == "" {
		return message
	}
	return message + " [" + rule + "]"
}

// Verdict tells how the replay ended.
func (p *Replay) Verdict(v hotseat.Verdict, reason string) {
	sign, word := verdictWord(v)
	style := map[hotseat.Verdict]string{hotseat.Pass: green, hotseat.Fail: red}[v]
	if style == "" {
		style = yellow
	}
	var out bytes.Buffer
	lines := wrap(line(reason), p.t.width-2, 3)
	out.WriteString(p.t.paint(bold+";"+style, sign+" "+word) + "\n")
	for _, l := range lines {
		out.WriteString("  " + l + "\n")
	}
	p.write(out.Bytes())
}
