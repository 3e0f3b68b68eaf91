package wire

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// KeepAlive is the number of requests that one connection carries before it
// is closed; the last of them says "Connection: close".
type KeepAlive int

const (
	// KeepAlways reuses connections for as long as the server agrees.
	KeepAlways KeepAlive = 0
	// KeepNever makes a connection per request.
	KeepNever KeepAlive = 1
)

// Options of a Client. Only Target is required.
type Options struct {
	Target Target
	Limits Limits
	// MaxConns bounds the connections per server, in use and idle together;
	// further requests wait in line. Default 6, as in browsers; negative: no bound.
	MaxConns int
	// MaxIdle bounds the idle connections kept per server; further ones are
	// closed when they come back, as with Go's MaxIdleConnsPerHost. Default:
	// MaxConns; negative: none.
	MaxIdle int
	// IdleTimeout is how long an idle connection is good for. Default 90 s;
	// negative: for ever.
	IdleTimeout time.Duration
	// KeepAlive says how many requests a connection carries.
	KeepAlive KeepAlive
	// AcceptEncoding is sent with every request that has none of its own, and
	// is what bodies are decoded by: gzip, deflate, br and zstd are known. An
	// answer in a coding that was not asked for is bad-encoding. Empty: only
	// identity is accepted.
	AcceptEncoding string
	// Header fields are sent with every request that does not name them
	// itself, before the request's own.
	Header []Field
	// Jar holds the user's cookies; nil means that cookies are ignored.
	Jar *Jar
	// Events, when not nil, receives the counts.
	Events *Stats
	// Resolve says which server an absolute redirect to another origin leads
	// to; host is what the redirect names, with its port if it names one. Nil,
	// and false, make such a redirect an unexpected-redirect: a benchmark
	// never talks to strangers.
	Resolve func(scheme, host string) (Target, bool)
}

// Client is one user's browser: connections, cookies, limits. It is safe for
// concurrent use, as for the parallel assets of one page.
type Client struct {
	options  Options
	limits   Limits // in effect for requests that have none of their own
	accepted codings
	stats    *Stats
	invalid  error // what is wrong with options, reported by every exchange

	// dialContext replaces connecting in tests.
	dialContext func(ctx context.Context, network, address string) (net.Conn, error)

	mu     sync.Mutex
	closed bool
	main   host
	others []*host
}

// host is one server and the connections to it.
type host struct {
	target Target
	name   string // host name for cookies

	// Guarded by Client.mu.
	conns   []*conn // all that are open
	idle    []*conn // of these the unused, longest idle first
	slots   int     // taken of MaxConns: open, or being made
	waiting []chan *conn
}

// NewClient makes a client. It connects only when there is something to send.
func NewClient(options Options) *Client {
	if options.MaxConns == 0 {
		options.MaxConns = 6
	}
	if options.MaxIdle == 0 {
		options.MaxIdle = options.MaxConns
		if options.MaxConns < 0 {
			options.MaxIdle = unlimitedBytes
		}
	}
	if options.IdleTimeout == 0 {
		options.IdleTimeout = 90 * time.Second
	}
	options.Limits = options.Limits.over(defaultLimits)
	c := &Client{options: options, limits: options.Limits.effective(), stats: options.Events}
	if c.stats == nil {
		c.stats = new(Stats)
	}
	c.accepted = parseAccepted(options.AcceptEncoding)
	c.main.init(options.Target)
	if !isValue(options.AcceptEncoding) {
		c.invalid = errors.New("options: AcceptEncoding cannot be sent")
	}
	if _, failure := (&Request{Path: "/", Host: c.main.target.Host, Header: options.Header}).check(); failure != nil {
		c.invalid = failure.Err
	}
	return c
}

func (h *host) init(target Target) {
	h.target = target.withDefaults()
	h.name = hostname(h.target.Host)
}

// Close closes all connections and ends the exchanges under way, which fail
// as canceled; later ones do at once.
func (c *Client) Close() {
	c.mu.Lock()
	c.closed = true
	var open []*conn
	for h := range c.hosts {
		open = append(open, h.conns...)
		h.idle = nil
		for _, w := range h.waiting {
			close(w)
		}
		h.waiting = nil
	}
	c.mu.Unlock()
	for _, cn := range open {
		if cn.close(true) {
			c.stats.Closed.Add(1)
		}
	}
}

// CloseIdle closes the idle connections: the user went away for a while.
func (c *Client) CloseIdle() {
	c.mu.Lock()
	var idle []*conn
	for h := range c.hosts {
		idle = append(idle, h.idle...)
		h.idle = h.idle[:0]
	}
	c.mu.Unlock()
	for _, cn := range idle {
		c.discard(cn, true)
	}
}

func (c *Client) hosts(yield func(*host) bool) {
	if !yield(&c.main) {
		return
	}
	for _, h := range c.others {
		if !yield(h) {
			return
		}
	}
}

// hostOf gives the server that a request is for.
func (c *Client) hostOf(req *Request) *host {
	if req.Target == nil {
		return &c.main
	}
	return c.hostFor(*req.Target)
}

func (c *Client) hostFor(t Target) *host {
	t.Host = t.host()
	if t.Network == "" {
		t.Network = "tcp"
	}
	same := func(h *host) bool {
		return h.target.Address == t.Address && h.target.Network == t.Network && h.target.Host == t.Host &&
			h.target.Source == t.Source && (h.target.TLS == nil) == (t.TLS == nil)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for h := range c.hosts {
		if same(h) {
			return h
		}
	}
	h := new(host)
	h.init(t)
	c.others = append(c.others, h)
	return h
}

// acquire gives a connection for one exchange: an idle one unless a fresh one
// is asked for, or a new one, as soon as there may be one more.
func (c *Client) acquire(ctx context.Context, h *host, fresh bool, limits *Limits, resp *Response, until time.Time) (*conn, *Error) {
	cn, wait, failure := c.take(h, fresh, resp.Timing.Start)
	if failure != nil {
		return nil, failure
	}
	if cn != nil {
		resp.Timing.Connected = resp.Timing.Start
		return cn, nil
	}
	if wait != nil {
		cn, failure = c.await(ctx, h, wait, until)
		if failure != nil {
			return nil, failure
		}
		if cn != nil {
			resp.Timing.Connected = time.Now()
			return cn, nil
		}
	}
	// We hold a slot and may make a connection.
	cn, failure = c.dialAside(ctx, h, limits, until)
	if failure != nil {
		c.release(h)
		return nil, failure
	}
	resp.Timing.Connected = time.Now()
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		cn.close(true)
		c.release(h)
		return nil, fail(CodeCanceled, "connect", errClientClosed)
	}
	h.conns = append(h.conns, cn)
	c.mu.Unlock()
	return cn, nil
}

// take gives an idle connection, or a place in the line for one; neither
// means that the caller has a slot to make a connection in.
func (c *Client) take(h *host, fresh bool, now time.Time) (*conn, chan *conn, *Error) {
	c.mu.Lock()
	for {
		if c.closed {
			c.mu.Unlock()
			return nil, nil, fail(CodeCanceled, "wait", errClientClosed)
		}
		full := c.options.MaxConns >= 0 && h.slots >= c.options.MaxConns
		n := len(h.idle)
		if n == 0 || (fresh && !full) {
			var wait chan *conn
			if full {
				wait = make(chan *conn, 1)
				h.waiting = append(h.waiting, wait)
			} else {
				h.slots++
			}
			c.mu.Unlock()
			return nil, wait, nil
		}
		cn := h.idle[n-1]
		h.idle[n-1] = nil
		h.idle = h.idle[:n-1]
		c.mu.Unlock()
		expired := c.options.IdleTimeout > 0 && now.Sub(cn.since) > c.options.IdleTimeout
		if !fresh && !expired {
			return cn, nil, nil
		}
		c.discard(cn, true) // if a fresh one is wanted, this one occupies its slot
		c.mu.Lock()
	}
}

// await waits in line. It returns a connection that another exchange gave
// back, or none and a slot.
func (c *Client) await(ctx context.Context, h *host, wait chan *conn, until time.Time) (*conn, *Error) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	var failure *Error
	select {
	case cn, ok := <-wait:
		if !ok {
			return nil, fail(CodeCanceled, "wait", errClientClosed)
		}
		return cn, nil
	case <-ctx.Done():
		failure = canceled(ctx, "wait")
	case <-timer.C:
		failure = failf(CodeTimeout, "wait", "all %d connections were busy: %w", c.options.MaxConns, errTimedOut)
	}
	c.mu.Lock()
	i := slices.Index(h.waiting, wait)
	if i >= 0 {
		h.waiting = slices.Delete(h.waiting, i, i+1)
	}
	c.mu.Unlock()
	if i < 0 { // served in the same moment: pass it on
		if cn, ok := <-wait; ok && cn != nil {
			c.giveBack(cn)
		} else if ok {
			c.release(h)
		}
	}
	return nil, failure
}

// giveBack returns a connection in good order after an exchange.
func (c *Client) giveBack(cn *conn) {
	h := cn.host
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		c.discard(cn, true)
		return
	}
	if len(h.waiting) > 0 {
		wait := h.waiting[0]
		h.waiting = slices.Delete(h.waiting, 0, 1)
		wait <- cn
		c.mu.Unlock()
		return
	}
	if len(h.idle) < c.options.MaxIdle {
		h.idle = append(h.idle, cn)
		c.mu.Unlock()
		return
	}
	c.mu.Unlock()
	c.discard(cn, true)
}

// discard closes a connection and frees its slot.
func (c *Client) discard(cn *conn, healthy bool) {
	if cn.close(healthy) {
		c.stats.Closed.Add(1)
	}
	c.mu.Lock()
	if i := slices.Index(cn.host.conns, cn); i >= 0 {
		cn.host.conns = slices.Delete(cn.host.conns, i, i+1)
	}
	c.mu.Unlock()
	c.release(cn.host)
}

// release frees a slot, or hands it to the first in line.
func (c *Client) release(h *host) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(h.waiting) == 0 {
		h.slots--
		return
	}
	wait := h.waiting[0]
	h.waiting = slices.Delete(h.waiting, 0, 1)
	wait <- nil
}
