package bench

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"hotseat"
)

// parent is the process that started the benchmark, as seen through standard input.
type parent struct {
	mu      sync.Mutex
	lastID  int
	waiting map[int]chan hotseat.Reply
	gone    bool
}

// errParentGone means that nobody will answer.
var errParentGone = errors.New("standard input has ended: nobody answers requests")

// read hands out the replies that come until in ends, and then calls gone.
func (p *parent) read(in io.Reader, gone func()) {
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		var reply hotseat.Reply
		if err := json.Unmarshal(lines.Bytes(), &reply); err != nil {
			continue // not ours; a later protocol may say more
		}
		p.mu.Lock()
		c := p.waiting[reply.ID]
		delete(p.waiting, reply.ID)
		p.mu.Unlock()
		if c != nil {
			c <- reply
		}
	}
	p.mu.Lock()
	p.gone = true
	for id, c := range p.waiting {
		c <- hotseat.Reply{ID: id, Error: errParentGone.Error()}
	}
	p.waiting = nil
	p.mu.Unlock()
	gone()
}

// expect makes room for the reply to a new request.
func (p *parent) expect() (id int, reply chan hotseat.Reply, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone {
		return 0, nil, errParentGone
	}
	if p.waiting == nil {
		p.waiting = map[int]chan hotseat.Reply{}
	}
	p.lastID++
	reply = make(chan hotseat.Reply, 1)
	p.waiting[p.lastID] = reply
	return p.lastID, reply, nil
}

// Ask asks the parent process for something that a benchmark cannot do, such
// as hotseat.ActionRestartStack, and waits for its answer. The parent refuses
// what it does not know, and everything about a stack that is not its own.
func (r *Run) Ask(ctx context.Context, action string) error {
	id, reply, err := r.parent.expect()
	if err != nil {
		return err
	}
	r.events.emit(hotseat.Event{Type: hotseat.EventRequest, AtS: r.Elapsed().Seconds(),
		RequestEvent: &hotseat.RequestEvent{ID: id, Action: action}})
	select {
	case got := <-reply:
		if !got.OK {
			return fmt.Errorf("the parent refused to %s: %s", action, got.Error)
		}
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-r.ctx.Done():
		return ErrCut
	}
}
