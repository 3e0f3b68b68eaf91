package stack

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"hotseat"
)

// ErrNotRunning is wrapped by the error of [Connect] when no stack runs there.
var ErrNotRunning = errors.New("the stack is not running")

// ErrRunning is wrapped by the error of [Launch] when one runs there already.
var ErrRunning = errors.New("the stack is running already")

// Client talks to the guardian of a running stack. It may be used by several
// goroutines; each request opens a connection of its own, and one given up by
// its context is still carried out.
type Client struct {
	dir   string
	place place
}

// settleTime is how long a guardian that is going, or was killed, may still
// hold its lock: the watcher needs that time to kill what it left.
const settleTime = 8 * time.Second

// Connect finds the stack that runs from the run folder dir. What a killed
// guardian left behind is cleaned. If none runs the error wraps ErrNotRunning.
func Connect(ctx context.Context, dir string) (*Client, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	c := &Client{dir: dir, place: placeOf(dir)}
	for give := time.Now().Add(settleTime); ; {
		_, err := c.ping(ctx)
		if err == nil {
			return c, nil
		}
		if !errors.Is(err, ErrNotRunning) && !errors.Is(err, errHungUp) {
			return nil, hotseat.Unavailable("if another version of hotseat started it, stop it with that one, or send its guardian a TERM", "reach the guardian in %s: %w", dir, err)
		}
		lock, err := c.place.lock()
		switch {
		case err == nil:
			err = errors.Join(c.place.clean(), lock.Close())
			return nil, errors.Join(notRunning(dir), err)
		case errors.Is(err, fs.ErrNotExist):
			return nil, notRunning(dir)
		case !errors.Is(err, errLocked):
			return nil, hotseat.Unavailable("", "%w", err)
		case time.Now().After(give):
			return nil, hotseat.Unavailable("see "+c.place.file(guardianLog),
				"the guardian of %s neither answers nor ends", dir)
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// ping finds out whether the guardian lives. A connection alone says nothing:
// the kernel still accepts some for a process that has just been killed.
func (c *Client) ping(ctx context.Context) (ending bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, settleTime)
	defer cancel()
	r, err := c.ask(ctx, request{Op: "ping"})
	return r.Ending, err
}

func notRunning(dir string) error {
	return hotseat.NotFound("`hotseat up` starts it", "%w (%s)", ErrNotRunning, dir)
}

// Dir returns the run folder.
func (c *Client) Dir() string { return c.dir }

// Status takes a picture of the stack.
func (c *Client) Status(ctx context.Context) (Status, error) {
	r, err := c.ask(ctx, request{Op: "status"})
	if err != nil || r.Status == nil {
		return Status{}, err
	}
	return *r.Status, nil
}

// PIDs returns, for each process that runs, its pids with everything it started.
func (c *Client) PIDs(ctx context.Context) (map[string][]int, error) {
	st, err := c.Status(ctx)
	if err != nil {
		return nil, err
	}
	pids := map[string][]int{}
	for _, p := range st.Processes {
		if len(p.PIDs) > 0 {
			pids[p.Name] = p.PIDs
		}
	}
	return pids, nil
}

// Restart is Supervisor.Restart.
func (c *Client) Restart(ctx context.Context, names ...string) error {
	_, err := c.ask(ctx, request{Op: "restart", Names: names})
	return err
}

// Apply is Supervisor.Apply.
func (c *Client) Apply(ctx context.Context, plan Plan) (Changes, error) {
	r, err := c.ask(ctx, request{Op: "apply", Plan: &plan})
	if r.Changes == nil {
		return Changes{}, err
	}
	return *r.Changes, err
}

// Logs returns the last lines of a process's log.
func (c *Client) Logs(ctx context.Context, name string, lines int) ([]string, error) {
	r, err := c.ask(ctx, request{Op: "logs", Names: []string{name}, Lines: lines})
	return r.Lines, err
}

// Stop stops the stack and returns when nothing of it is left.
func (c *Client) Stop(ctx context.Context) error {
	if _, err := c.ask(ctx, request{Op: "stop"}); err != nil && !errors.Is(err, errHungUp) {
		return err
	}
	return c.awaitGone(ctx)
}

// awaitGone waits until guardian and watcher have let go of their lock.
func (c *Client) awaitGone(ctx context.Context) error {
	for {
		lock, err := c.place.lock()
		if err == nil {
			return errors.Join(c.place.clean(), lock.Close())
		}
		if !errors.Is(err, errLocked) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// Events tells what happened after the event of that number (0: everything
// still known) and what happens from now on. The channel is closed when ctx
// ends or the stack does.
func (c *Client) Events(ctx context.Context, after uint64) (<-chan Event, error) {
	conn, err := c.open(ctx, request{Op: "events", After: after})
	if err != nil {
		return nil, err
	}
	events := make(chan Event)
	go func() { // ends with ctx at the latest: the connection is closed then
		defer close(events)
		defer func() { _ = conn.Close() }()
		for {
			r, err := conn.next()
			if err != nil || r.Event == nil {
				return
			}
			select {
			case events <- *r.Event:
			case <-ctx.Done():
				return
			}
		}
	}()
	return events, nil
}

// Held is a hold that lasts until Release, or until this process ends.
type Held struct {
	// Output is what Do wrote.
	Output string
	conn   *connection
}

// Hold changes the running stack for as long as this client lives.
func (c *Client) Hold(ctx context.Context, h Hold) (*Held, error) {
	conn, err := c.open(context.WithoutCancel(ctx), request{Op: "hold", Hold: &h})
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	r, err := conn.next()
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	return &Held{Output: r.Output, conn: conn}, nil
}

// Release undoes the change and returns when that is done. Only the first call
// does anything.
func (h *Held) Release() error {
	if h.conn == nil {
		return nil
	}
	conn := h.conn
	h.conn = nil
	defer func() { _ = conn.Close() }()
	// When the stack stopped meanwhile there is nothing left to undo.
	if err := writeJSON(conn, request{Op: "release"}); err != nil {
		return nil
	}
	if _, err := conn.next(); err != nil && !errors.Is(err, errHungUp) {
		return err
	}
	return nil
}

// errHungUp tells that the guardian ended in the middle of a conversation.
var errHungUp = errors.New("the guardian hung up")

// connection is one request with its replies.
type connection struct {
	net.Conn
	in   *json.Decoder
	ctx  context.Context // closing the connection is how it interrupts
	stop func() bool
}

// open sends a request. The connection is closed when ctx ends.
func (c *Client) open(ctx context.Context, req request) (*connection, error) {
	conn, err := c.place.dial(ctx)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil, notRunning(c.dir)
	}
	if err != nil {
		return nil, err
	}
	if err := writeJSON(conn, req); err != nil {
		_ = conn.Close()
		if errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
			return nil, errHungUp
		}
		return nil, fmt.Errorf("ask the guardian: %w", err)
	}
	return &connection{
		Conn: conn, in: json.NewDecoder(bufio.NewReader(conn)), ctx: ctx,
		stop: context.AfterFunc(ctx, func() { _ = conn.Close() }),
	}, nil
}

// Close ends the conversation.
func (c *connection) Close() error {
	c.stop()
	return c.Conn.Close()
}

// next reads one reply; an error in it becomes ours.
func (c *connection) next() (reply, error) {
	var r reply
	switch err := c.in.Decode(&r); {
	case c.ctx.Err() != nil:
		return r, c.ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return r, errHungUp
	case err != nil:
		return r, fmt.Errorf("read the guardian's reply: %w", err)
	}
	return r, r.Error.err()
}

// ask sends a request and returns its only reply.
func (c *Client) ask(ctx context.Context, req request) (reply, error) {
	conn, err := c.open(ctx, req)
	if err != nil {
		return reply{}, err
	}
	defer func() { _ = conn.Close() }()
	return conn.next()
}
