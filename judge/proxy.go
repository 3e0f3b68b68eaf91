package judge

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"

	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"
)

// proxy stands between benchmark and stack and meddles.
type proxy struct {
	target    *url.URL
	transport *http.Transport
	tampers   []*tamper
	server    *http.Server
	url       string
	done      chan struct{}
	stop      context.CancelFunc // ends what hangs on purpose
	stopped   context.Context

	mu     sync.Mutex
	first  map[string]*answer            // by stale key
	latest map[string]map[string]*answer // path → client → answer
}

// startProxy listens on a free port of the loopback and passes everything on to
// target, but for what the tampers take.
func startProxy(target string, tampers []Tamper, seed uint64) (*proxy, error) {
	to, err := url.Parse(target)
	if err != nil {
		return nil, err
	}
	p := &proxy{
		target: to,
		// No compression of its own, connections kept as the benchmark keeps its own.
		transport: &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: 256, IdleConnTimeout: 30 * time.Second},
		done:      make(chan struct{}),
		first:     map[string]*answer{},
		latest:    map[string]map[string]*answer{},
	}
	p.stopped, p.stop = context.WithCancel(context.Background())
	for i, t := range tampers {
		c, err := compile(t, seed+uint64(i))
		if err != nil {
			return nil, err
		}
		p.tampers = append(p.tampers, c)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p.url = "http://" + listener.Addr().String()
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: time.Minute}
	go func() {
		defer close(p.done)
		_ = p.server.Serve(listener) // ends with Close
	}()
	return p, nil
}

// Close stops listening and ends all connections.
func (p *proxy) Close() error {
	p.stop()
	err := p.server.Close()
	<-p.done
	p.transport.CloseIdleConnections()
	return err
}

// ServeHTTP passes one exchange on, meddled with.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	form, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	var before, after []*tamper // those that take the request already, those that wait for the answer
	for _, t := range p.tampers {
		if !t.wantsRequest(r, form) {
			continue
		}
		if t.needsAnswer() {
			after = append(after, t)
		} else if t.takes() {
			before = append(before, t)
		}
	}
	if slices.ContainsFunc(before, func(t *tamper) bool { return t.Drop == "before" }) {
		hangUp(w, nil)
		return
	}
	a, err := p.exchange(r, form, before)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	taken := before
	for _, t := range after {
		if t.wantsAnswer(a) && t.takes() {
			taken = append(taken, t)
		}
	}
	p.answer(w, r, a, taken)
}

// exchange asks the stack, as often and with what the tampers say.
func (p *proxy) exchange(r *http.Request, form []byte, taken []*tamper) (*answer, error) {
	head := r.Header.Clone()
	times := 1
	for _, t := range taken {
		for _, s := range t.sendAs {
			form = s.match.ReplaceAll(form, []byte(s.with))
		}
		for _, h := range t.SendHead {
			setHeader(head, h)
		}
		renameCookies(head, "Cookie", t.Rename, true)
		if t.Twice {
			times = 2
		}
		if t.NotSent {
			times = 0
		}
	}
	a := &answer{status: http.StatusOK, head: http.Header{}, at: time.Now()}
	for range times {
		var err error
		if a, err = p.ask(r, head, form); err != nil {
			return nil, err
		}
	}
	return a, nil
}

func (p *proxy) ask(r *http.Request, head http.Header, form []byte) (*answer, error) {
	to := *r.URL
	to.Scheme, to.Host = p.target.Scheme, p.target.Host
	req, err := http.NewRequestWithContext(r.Context(), r.Method, to.String(), bytes.NewReader(form))
	if err != nil {
		return nil, err
	}
	req.Header, req.Host = head.Clone(), r.Host
	req.Header.Del("Connection")
	if len(form) == 0 {
		req.Body = http.NoBody
	}
	resp, err := p.transport.RoundTrip(req)
	if err != nil {
		return nil, fmt.Errorf("behind the tampering proxy: %w", err)
	}
	defer func() { _ = resp.Body.Close() }()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, fmt.Errorf("behind the tampering proxy: %w", err)
	}
	for _, name := range []string{"Connection", "Keep-Alive", "Transfer-Encoding", "Content-Length"} {
		resp.Header.Del(name) // they belong to the other connection
	}
	return &answer{resp.StatusCode, resp.Header, body, time.Now()}, nil
}

// answer gives the client what the tampers made of the stack's answer.
func (p *proxy) answer(w http.ResponseWriter, r *http.Request, a *answer, taken []*tamper) {
	truth := a.clone()
	for _, t := range taken {
		a = p.recall(t, r, a)
		t.alter(a)
		renameCookies(a.head, "Set-Cookie", t.Rename, false)
		if t.Gzip && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") && len(a.body) > 0 {
			a.head.Set("Content-Encoding", "gzip")
			a.body = compressed(a.body)
		}
		if t.DelayMS > 0 {
			select {
			case <-time.After(time.Duration(t.DelayMS) * time.Millisecond):
			case <-p.stopped.Done():
			}
		}
	}
	p.remember(r, truth)
	for _, t := range taken {
		switch {
		case t.Drop == "after":
			hangUp(w, nil)
			return
		case t.Raw != "":
			hangUp(w, []byte(t.Raw))
			return
		case t.GiveUp != "":
			p.giveUp(w, a, t.GiveUp)
			return
		}
	}
	for name, values := range a.head {
		w.Header()[name] = values
	}
	w.Header().Set("Content-Length", fmt.Sprint(len(a.body)))
	w.WriteHeader(a.status)
	_, _ = w.Write(a.body) // the client may have gone: its business
}

// recall returns an earlier answer where the tamper wants one, or a.
func (p *proxy) recall(t *tamper, r *http.Request, a *answer) *answer {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.Stranger {
		for client, other := range p.latest[r.URL.Path] {
			if client != clientOf(r) && !bytes.Equal(other.body, a.body) {
				return &answer{a.status, a.head, slices.Clone(other.body), other.at}
			}
		}
	}
	if t.Stale == "" {
		return a
	}
	key := r.URL.Path
	if t.Stale == "client" {
		key += "\x00" + clientOf(r)
	}
	old := p.first[key]
	if old == nil || t.FreezeMS > 0 && time.Since(old.at) > time.Duration(t.FreezeMS)*time.Millisecond {
		p.first[key] = a.clone()
		return a
	}
	return old.clone()
}

func (p *proxy) remember(r *http.Request, a *answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.latest[r.URL.Path] == nil {
		p.latest[r.URL.Path] = map[string]*answer{}
	}
	p.latest[r.URL.Path][clientOf(r)] = a
}

// clientOf tells the benchmark's users apart as an app would: by the address
// they claim, or by their connection's.
func clientOf(r *http.Request) string {
	if forwarded := r.Header.Get("X-Forwarded-For"); forwarded != "" {
		return forwarded
	}
	host, _, _ := net.SplitHostPort(r.RemoteAddr)
	return host + r.Header.Get("Cookie")
}

// hangUp closes the client's connection, after raw if there is any.
func hangUp(w http.ResponseWriter, raw []byte) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	_, _ = conn.Write(raw)
	_ = conn.Close()
}

// giveUp sends the head and then fails the client.
func (p *proxy) giveUp(w http.ResponseWriter, a *answer, how string) {
	conn, buffer, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return
	}
	defer func() { _ = conn.Close() }()
	_, _ = fmt.Fprintf(buffer, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	a.head.Set("Content-Length", fmt.Sprint(max(len(a.body), 2)))
	_ = a.head.Write(buffer)
	_, _ = buffer.WriteString("\r\n")
	if how == "half" {
		_, _ = buffer.Write(a.body[:len(a.body)/2])
	}
	_ = buffer.Flush()
	switch tcp, ok := conn.(*net.TCPConn); {
	case how == "reset" && ok:
		_ = tcp.SetLinger(0)
	case how == "hang":
		select {
		case <-p.stopped.Done():
		case <-gone(conn):
		}
	}
}

// gone is closed when the other side has closed the connection.
func gone(conn net.Conn) <-chan struct{} {
	c := make(chan struct{})
	go func() {
		defer close(c)
		_, _ = io.Copy(io.Discard, conn)
	}()
	return c
}

// renameCookies gives cookies another name in the header of that name; back
// tells the direction.
func renameCookies(head http.Header, header string, names []Header, back bool) {
	for _, n := range names {
		from, to := n.Name, n.To
		if back {
			from, to = to, from
		}
		values := head[header]
		for i, v := range values {
			values[i] = strings.Replace(v, from+"=", to+"=", 1)
		}
	}
}

func compressed(body []byte) []byte {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write(body) // a buffer takes everything
	_ = z.Close()
	return b.Bytes()
}

// reverseLists turns every list in a JSON text round; what is no JSON stays as it is.
func reverseLists(body []byte) []byte {
	var v any
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return body
	}
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			slices.Reverse(v)
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, e := range v {
				walk(e)
			}
		}
	}
	walk(v)
	out, err := json.Marshal(v)
	if err != nil {
		return body
	}
	return out
}
