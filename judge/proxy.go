package judge

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"
)

// proxy stands between benchmark and stack and meddles.
type proxy struct {
	url string // where the benchmark goes

	target    *url.URL
	transport *http.Transport
	tampers   []*tamper
	listener  net.Listener
	server    *http.Server
	served    chan struct{} // closed when the server listens no more

	stopped context.Context
	stop    context.CancelFunc // ends what hangs on purpose

	mu       sync.Mutex
	handlers sync.WaitGroup                // grows only until stop was called
	cached   map[string]*answer            // by cacheKey
	latest   map[string]map[string]*answer // path → client → answer
}

// startProxy listens on a free port of the loopback and passes everything on to
// target, but for what the tampers take. The seed makes their choices repeatable.
func startProxy(target string, tampers []Tamper, seed uint64) (*proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	p := &proxy{
		target: to,
		// No compression of its own, and as many connections as the benchmark has.
		transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second},
		served:    make(chan struct{}),
		cached:    map[string]*answer{},
		latest:    map[string]map[string]*answer{},
	}
	for i, t := range tampers {
		c, err := compile(t, seed+uint64(i))
		if err != nil {
			return nil, err
		}
		p.tampers = append(p.tampers, c)
	}
	p.listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.stopped, p.stop = context.WithCancel(context.Background())
	p.url = "http://" + p.listener.Addr().String()
	// What goes wrong between it and the benchmark goes wrong on purpose.
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	go func() {
		defer close(p.served)
		_ = p.server.Serve(p.listener) // ends with Close, or because nobody is to listen any more
	}()
	return p, nil
}

// Close stops listening and ends all connections.
func (p *proxy) Close() error {
	p.mu.Lock()
	p.stop()
	p.mu.Unlock()
	err := p.server.Close()
	<-p.served
	p.handlers.Wait()
	p.transport.CloseIdleConnections()
	if errors.Is(err, net.ErrClosed) { // the listener, by a tamper
		return nil
	}
	return err
}

// ServeHTTP passes one exchange on, meddled with.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.enter() {
		hangUp(w, "")
		return
	}
	defer p.handlers.Done()
	form, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var taken, later []*tamper // later: those that wait for the answer
	for _, t := range p.tampers {
		switch {
		case !t.wantsRequest(r, form):
		case t.waitsForAnswer():
			later = append(later, t)
		case t.takes():
			taken = append(taken, t)
		}
	}
	for _, t := range taken {
		if t.Refuse {
			_ = p.listener.Close() // a second time it is closed already
		}
		if t.Refuse || t.Drop == "before" {
			hangUp(w, "")
			return
		}
	}
	a, err := p.exchange(r, form, taken)
	if err != nil {
		http.Error(w, "behind the tampering proxy: "+err.Error(), http.StatusBadGateway)
		return
	}
	for _, t := range later {
		if t.wantsAnswer(a) && t.takes() {
			taken = append(taken, t)
		}
	}
	p.answer(w, r, a, taken)
}

// enter registers a handler for Close to wait for; false once it is closed.
func (p *proxy) enter() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stopped.Err() != nil {
		return false
	}
	p.handlers.Add(1)
	return true
}

// exchange asks the stack, or the cache in front of it, as often and with what
// the tampers say.
func (p *proxy) exchange(r *http.Request, form []byte, taken []*tamper) (*answer, error) {
	for _, t := range taken {
		if a := p.fromCache(t, r, form); a != nil {
			return a, nil
		}
	}
	head, target, body, times := r.Header.Clone(), r.URL.RequestURI(), form, 1
	for _, t := range taken {
		target = string(substitute([]byte(target), t.sendPath, r.Host))
		body = substitute(body, t.sendForm, r.Host)
		changeFields(head, t.sendHead, r.Host)
		if t.Twice {
			times = 2
		}
	}
	var a *answer
	for range times {
		var err error
		if a, err = p.ask(r, target, head, body); err != nil {
			return nil, err
		}
	}
	for _, t := range taken {
		p.toCache(t, r, form, a)
	}
	return a, nil
}

// hopByHop fields belong to a single connection (RFC 9110 §7.6.1); the length
// is given anew with each message.
var hopByHop = []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length"}

func (p *proxy) ask(r *http.Request, target string, head http.Header, body []byte) (*answer, error) {
	to, err := p.target.Parse(target)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(r.Context(), r.Method, to.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header, req.Host = head.Clone(), r.Host
	for _, name := range hopByHop {
		req.Header.Del(name)
	}
	if _, ok := head["User-Agent"]; !ok {
		req.Header["User-Agent"] = nil // not one of the proxy's
	}
	if len(body) == 0 {
		req.Body = http.NoBody
	}
	resp, err := p.transport.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("read body: %w", err)
	}
	for _, name := range hopByHop {
		resp.Header.Del(name)
	}
	return &answer{resp.StatusCode, resp.Header, text, time.Now()}, nil
}

// answer gives the client what the tampers make of the stack's answer.
func (p *proxy) answer(w http.ResponseWriter, r *http.Request, a *answer, taken []*tamper) {
	truth := a.clone()
	how := ""
	for _, t := range taken {
		if t.Stranger {
			a = p.another(r, a)
		}
		a.alter(t, r)
		if t.Deliver != "" {
			how = t.Deliver
		}
		if t.DelayMS > 0 && !p.pause(r, time.Duration(t.DelayMS)*time.Millisecond) {
			hangUp(w, "")
			return
		}
	}
	p.remember(r, truth)
	for _, t := range taken {
		if t.Drop == "after" || t.Raw != "" {
			hangUp(w, t.Raw)
			return
		}
	}
	p.deliver(w, a, how)
}

// pause waits; false means that the client has gone meanwhile, or that the proxy
// was closed, which ends its connections.
func (p *proxy) pause(r *http.Request, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.Context().Done():
		return false
	}
}

// cacheKey is under what a tamper's cache keeps an answer.
func (t *tamper) cacheKey(r *http.Request, form []byte) string {
	key := r.Method + " " + r.URL.RequestURI()
	if t.Cache != "path" {
		key += "\x00" + clientOf(r)
	}
	if t.Cache == "form" {
		key += "\x00" + string(form)
	}
	return key
}

func (p *proxy) fromCache(t *tamper, r *http.Request, form []byte) *answer {
	if t.Cache == "" {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	a := p.cached[t.cacheKey(r, form)]
	if a == nil || t.CacheMS > 0 && time.Since(a.at) > time.Duration(t.CacheMS)*time.Millisecond {
		return nil
	}
	return a.clone()
}

func (p *proxy) toCache(t *tamper, r *http.Request, form []byte, a *answer) {
	if t.Cache == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cached[t.cacheKey(r, form)] = a.clone()
}

// another returns the latest answer of the same status that another client got
// to this path, or a where there is none yet.
func (p *proxy) another(r *http.Request, a *answer) *answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	var latest *answer
	for client, other := range p.latest[r.URL.Path] {
		if client != clientOf(r) && other.status == a.status && !bytes.Equal(other.body, a.body) &&
			(latest == nil || other.at.After(latest.at)) {
			latest = other
		}
	}
	if latest == nil {
		return a
	}
	return &answer{a.status, a.head, slices.Clone(latest.body), a.at}
}

func (p *proxy) remember(r *http.Request, a *answer) {
	if !slices.ContainsFunc(p.tampers, func(t *tamper) bool { return t.Stranger }) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest[r.URL.Path] == nil {
		p.latest[r.URL.Path] = map[string]*answer{}
	}
	p.latest[r.URL.Path][clientOf(r)] = a
}

// clientOf tells the benchmark's users apart as an app would: by the address
// they claim, or by their connection's and their cookies.
func clientOf(r *http.Request) string {
	if forwarded := r.Header.Get("X-Forwarded-For"); forwarded != "" {
		return forwarded
	}
	return r.RemoteAddr + r.Header.Get("Cookie")
}
