package stack

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"time"

	"hotseat"
)

// clientPatience is how long a client may take to read a reply.
const clientPatience = 10 * time.Second

// serve answers the control socket until the listener is closed.
func (g *guardian) serve(l *net.UnixListener) {
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			select {
			case <-g.stopped:
				return
			case <-time.After(50 * time.Millisecond): // out of descriptors, most likely
				continue
			}
		}
		g.clients.Go(func() {
			defer func() { _ = conn.Close() }()
			// What waits for a client's next word stops waiting when the stack ends.
			wake := context.AfterFunc(g.ctx, func() { _ = conn.SetReadDeadline(time.Now()) })
			defer wake()
			c := &conversation{g: g, conn: conn, in: json.NewDecoder(bufio.NewReader(conn))}
			c.talk()
		})
	}
}

// conversation is one client's connection.
type conversation struct {
	g    *guardian
	conn *net.UnixConn
	in   *json.Decoder
}

func (c *conversation) reply(r reply) error {
	if err := c.conn.SetWriteDeadline(time.Now().Add(clientPatience)); err != nil {
		return err
	}
	return writeJSON(c.conn, r)
}

// end sends the last reply. A client that is gone does not get it.
func (c *conversation) end(r reply, err error) {
	r.Error, r.OK = toWire(err), err == nil
	_ = c.reply(r)
}

func (c *conversation) talk() {
	cred, err := peerCredentials(c.conn)
	if err != nil || int(cred.Uid) != os.Geteuid() && cred.Uid != 0 {
		c.end(reply{}, hotseat.Unavailable("", "this stack belongs to another user"))
		return
	}
	var req request
	if err := c.in.Decode(&req); err != nil {
		return
	}
	sup := c.g.sup
	switch req.Op {
	case "ping":
		c.end(reply{Ending: c.g.ctx.Err() != nil}, nil)
	case "status":
		st := sup.Status()
		c.end(reply{Status: &st}, nil)
	case "restart":
		c.end(reply{}, sup.Restart(c.g.ctx, req.Names...))
	case "apply":
		if req.Plan == nil {
			c.end(reply{}, hotseat.Invalid("", "apply needs a plan"))
			return
		}
		ch, err := sup.Apply(c.g.ctx, *req.Plan)
		c.end(reply{Changes: &ch}, err)
	case "stop":
		c.g.stop(fmt.Errorf("asked by process %d", cred.Pid))
		<-c.g.stopped
		c.end(reply{}, nil)
	case "events":
		c.events(req.After)
	case "logs":
		lines, err := sup.logTail(req.Names, req.Lines)
		c.end(reply{Lines: lines}, err)
	case "hold":
		if req.Hold == nil {
			c.end(reply{}, hotseat.Invalid("", "hold needs what to undo"))
			return
		}
		c.hold(*req.Hold)
	default:
		c.end(reply{}, hotseat.Invalid("update hotseat, or `hotseat down` with the version that started this stack",
			"the guardian does not know %q", req.Op))
	}
}

// events tells what happens until the client goes away or the stack ends.
func (c *conversation) events(after uint64) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	gone := make(chan struct{})
	go func() { // ends when the connection is closed
		defer close(gone)
		var req request
		if err := c.in.Decode(&req); err != nil && c.g.ctx.Err() == nil {
			cancel()
		}
	}()
	err := c.g.sup.events.follow(ctx, after, func(e Event) error { return c.reply(reply{Event: &e}) })
	if err == nil {
		c.end(reply{}, nil)
	}
	_ = c.conn.CloseRead()
	<-gone
}

// hold runs Do, waits until the client lets go or is gone or the stack is about
// to stop, and runs Undo.
func (c *conversation) hold(h Hold) {
	c.g.mu.Lock()
	if c.g.ending {
		c.g.mu.Unlock()
		c.end(reply{}, hotseat.Unavailable("", "the stack is being stopped"))
		return
	}
	c.g.holding.Add(1)
	c.g.mu.Unlock()
	defer c.g.holding.Done()

	out, err := c.g.command(h.Do)
	if err != nil {
		c.end(reply{Output: out}, err)
		return
	}
	if c.reply(reply{Output: out, OK: true}) == nil {
		var req request
		_ = c.in.Decode(&req) // a word, the end of the connection, or the end of the stack: all mean the same
	}
	if c.g.hurried() {
		return // the servers are about to die anyway
	}
	out, err = c.g.command(h.Undo)
	c.end(reply{Output: out}, err)
}

// endHolds lets no new hold begin and waits until all are undone.
func (g *guardian) endHolds() {
	g.mu.Lock()
	g.ending = true
	g.mu.Unlock()
	g.holding.Wait()
}

// command runs a short command beside the stack.
func (g *guardian) command(cmd Command) (string, error) {
	if len(cmd.Argv) == 0 {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), HoldTimeout)
	defer cancel()
	dir := cmd.Dir
	if dir == "" {
		dir = g.sup.dir
	}
	return g.sup.spawner.run(ctx, spec{argv: cmd.Argv, dir: dir, env: childEnv(cmd.Env, markVariable+"=command")})
}

// logTail returns the last lines of the named process's log.
func (s *Supervisor) logTail(names []string, lines int) ([]string, error) {
	if len(names) != 1 {
		return nil, hotseat.Invalid("", "name one process")
	}
	u := s.unit(names[0])
	if u == nil {
		return nil, hotseat.NotFound("", "this stack has no process %q", names[0])
	}
	s.mu.Lock()
	path := u.proc.Log
	s.mu.Unlock()
	return tail(path, 0, lines)
}
