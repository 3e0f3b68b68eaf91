package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"hotseat"
)

// maxLogsPerSecond bounds what a scenario can print, so that a careless Log in
// an iteration neither fills the parent's disk nor slows the users down.
const maxLogsPerSecond = 50

// emitter prints events. Users only queue them, so that a parent that is slow
// to read does not slow the load down; the queue is bounded by what fills it:
// samples and logs are limited, all else comes once a second.
type emitter struct {
	mu      sync.Mutex
	wake    sync.Cond
	queue   []hotseat.Event
	closed  bool
	done    chan struct{}
	broken  func(error) // called once when the parent no longer reads
	logs    int         // log events since the last tick
	dropped int
}

func newEmitter(out io.Writer, broken func(error)) *emitter {
	e := &emitter{done: make(chan struct{}), broken: broken}
	e.wake.L = &e.mu
	go e.write(out)
	return e
}

// emit queues an event; after close it is dropped.
func (e *emitter) emit(ev hotseat.Event) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	if ev.LogEvent != nil {
		e.logs++
		if e.logs > maxLogsPerSecond {
			e.dropped++
			return
		}
	}
	e.queue = append(e.queue, ev)
	e.wake.Signal()
}

// tick begins a new second of log lines and returns how many the last one dropped.
func (e *emitter) tick() (dropped int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	dropped, e.logs, e.dropped = e.dropped, 0, 0
	return dropped
}

// close emits a last event and waits until everything is written.
func (e *emitter) close(last hotseat.Event) {
	e.mu.Lock()
	if !e.closed {
		e.queue = append(e.queue, last)
		e.closed = true
		e.wake.Signal()
	}
	e.mu.Unlock()
	<-e.done
}

// write owns out until close.
func (e *emitter) write(out io.Writer) {
	defer close(e.done)
	var failed bool
	for {
		e.mu.Lock()
		for len(e.queue) == 0 && !e.closed {
			e.wake.Wait()
		}
		batch := e.queue
		e.queue = nil
		e.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		var lines []byte
		for _, ev := range batch {
			line, err := json.Marshal(ev)
			if err != nil { // a NaN from a scenario's arithmetic is the only way
				line, _ = json.Marshal(hotseat.Event{Type: hotseat.EventLog, AtS: ev.AtS,
					LogEvent: &hotseat.LogEvent{Audience: hotseat.AudienceAdmin, Message: fmt.Sprintf("a %s event was lost: %v", ev.Type, err)}})
			}
			lines = append(append(lines, line...), '\n')
		}
		if failed {
			continue
		}
		if _, err := out.Write(lines); err != nil {
			failed = true
			e.broken(err)
		}
	}
}
