package main

import (
	"fmt"
	"sync"
	"time"

	"hotseat/report"
	"hotseat/runner"
)

// observer tells on standard error what a command is doing: steps with how long
// they took, then the benchmark's progress.
func (m *Main) observer() runner.Observer {
	m.progress = report.NewProgress(m.Stderr, m.onTerminal(), m.width)
	return runner.Observer{Step: m.step, Event: m.progress.Event}
}

// clearProgress takes the live line away before anything else is said: after
// an interruption it is still there.
func (m *Main) clearProgress() {
	if m.progress != nil {
		m.progress.Close()
		m.progress = nil
	}
}

// steps that are over sooner than this are not worth a line.
const worthALine = 300 * time.Millisecond

// step shows a step while it lasts and, if it lasted, how long it took.
func (m *Main) step(text string) func(error) {
	began := time.Now()
	tty := m.onTerminal()
	var once sync.Once
	shown := make(chan struct{})
	show := time.AfterFunc(worthALine, func() {
		if tty {
			_, _ = fmt.Fprintf(m.Stderr, "\r  … %s", text)
		}
		close(shown)
	})
	return func(err error) {
		once.Do(func() {
			if show.Stop() {
				return // too short to be worth it; errors are told elsewhere
			}
			<-shown
			if tty {
				_, _ = fmt.Fprint(m.Stderr, "\r\x1b[K")
			}
			mark := "✓"
			if err != nil {
				mark = "✗"
			}
			_, _ = fmt.Fprintf(m.Stderr, "  %s %s (%.1f s)\n", mark, text, time.Since(began).Seconds())
		})
	}
}
