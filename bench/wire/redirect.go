package wire

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"
)

// Follow makes an exchange and walks its redirects, RFC 9110 §15.4: the
// response is the one at the end, and resp.Redirects tells the way there.
// Cookies set on the way are in the jar before the next request. Limits.Total
// bounds the whole walk.
//
// 301 and 302 turn POST into GET, 303 turns everything but HEAD into GET; the
// body and the fields that describe it are then dropped. 307 and 308 repeat
// the request as it is. Header fields are repeated, but Cookie and
// Authorization not to another origin. A redirect without Location is simply
// the response.
//
// A redirect to an origin that is neither the request's own nor the target nor
// known to Options.Resolve is an unexpected-redirect, too many are a
// redirect-loop; resp then holds the redirect.
func (c *Client) Follow(ctx context.Context, req *Request, resp *Response) error {
	resp.Redirects = resp.Redirects[:0]
	start := time.Now()
	limits := c.limitsFor(req, resp)
	until := start.Add(limits.Total)
	if failure := c.do(ctx, req, resp, limits, start, until); failure != nil {
		return failure
	}
	if !resp.redirects() {
		return nil
	}
	next := *req // from here on the request is ours to change
	for hops := 0; resp.redirects(); hops++ {
		if hops >= limits.MaxRedirects {
			failure := failf(CodeRedirectLoop, "redirect", "more than %d redirects, the last to %q", hops, resp.location())
			return c.redirectFailure(&next, failure)
		}
		hop := Hop{Status: resp.Status, Method: resp.Method, Host: resp.Host, Path: resp.Path, Location: string(resp.location())}
		if failure := c.turn(&next, &hop); failure != nil {
			return c.redirectFailure(&next, failure)
		}
		resp.Redirects = append(resp.Redirects, hop)
		if failure := c.do(ctx, &next, resp, limits, start, until); failure != nil {
			failure.Sent = true // the requests before this one were
			return failure
		}
	}
	return nil
}

func (c *Client) redirectFailure(req *Request, failure *Error) *Error {
	failure.Addr, failure.Sent = c.hostOf(req).target.Address, true
	return failure
}

// redirects tells whether the response is one to be followed.
func (r *Response) redirects() bool {
	switch r.Status {
	case 301, 302, 303, 307, 308:
		return r.head.location >= 0
	}
	return false
}

func (r *Response) location() []byte {
	_, value := r.span(r.head.location)
	return value
}

// turn changes req into the request that a redirect asks for.
func (c *Client) turn(req *Request, hop *Hop) *Error {
	h := c.hostOf(req)
	scheme := h.target.scheme()
	path, local := localPath(hop.Location)
	if !local {
		base, err := url.ParseRequestURI(hop.Path)
		if err != nil {
			return fail(CodeScenarioBug, "redirect", err)
		}
		base.Scheme, base.Host = scheme, hop.Host
		location, err := url.Parse(escapeLocation(hop.Location))
		if err != nil {
			return fail(CodeUnexpectedRedirect, "redirect", fmt.Errorf("redirect to %q: %w", hop.Location, err))
		}
		goal := base.ResolveReference(location)
		path = goal.RequestURI()
		if !sameOrigin(scheme, hop.Host, goal) {
			if failure := c.leave(req, goal); failure != nil {
				return failure
			}
		}
	}
	req.Path = path
	switch {
	case hop.Status == 303 && hop.Method != "HEAD", (hop.Status == 301 || hop.Status == 302) && hop.Method == "POST":
		req.Method, req.Body = "GET", nil
		req.without("Content-Type", "Content-Encoding", "Content-Language", "Content-Location")
	}
	return nil
}

// leave points req at another origin, if we know it.
func (c *Client) leave(req *Request, goal *url.URL) *Error {
	if goal.Scheme != "http" && goal.Scheme != "https" || goal.Host == "" {
		return failf(CodeUnexpectedRedirect, "redirect", "redirect to %s, which is no HTTP address", goal.Redacted())
	}
	req.without("Cookie", "Authorization")
	req.Host = ""
	main := c.main.target
	if main.scheme() == goal.Scheme && (sameOrigin(goal.Scheme, main.Host, goal) || sameOrigin(goal.Scheme, main.Address, goal)) {
		req.Target = nil
		if !sameOrigin(goal.Scheme, main.Host, goal) {
			req.Host = goal.Host // by its address instead of its name
		}
		return nil
	}
	if c.options.Resolve != nil {
		if target, ok := c.options.Resolve(goal.Scheme, goal.Host); ok {
			if target.Host == "" {
				target.Host = goal.Host
			}
			req.Target = &target
			return nil
		}
	}
	return failf(CodeUnexpectedRedirect, "redirect", "redirect to another origin, %s://%s", goal.Scheme, goal.Host)
}

// without takes fields out of a request that is ours, leaving the slice it
// may share with others as it is.
func (r *Request) without(names ...string) {
	kept := make([]Field, 0, len(r.Header))
	for _, f := range r.Header {
		drop := false
		for _, name := range names {
			drop = drop || equalFold(f.Name, name)
		}
		if !drop {
			kept = append(kept, f)
		}
	}
	r.Header, r.prepared = kept, false
}

// sameOrigin compares scheme, host and port, RFC 6454.
func sameOrigin(scheme, host string, u *url.URL) bool {
	return u.Scheme == scheme && strings.EqualFold(withPort(scheme, u.Host), withPort(scheme, host))
}

func withPort(scheme, host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		return host
	}
	port := "80"
	if scheme == "https" {
		port = "443"
	}
	return net.JoinHostPort(strings.Trim(host, "[]"), port)
}

// localPath takes the Location that nearly all are, a path on the same
// origin, without the detour through net/url.
func localPath(location string) (path string, ok bool) {
	if location == "" || location[0] != '/' || strings.HasPrefix(location, "//") || strings.Contains(location, "/.") {
		return "", false
	}
	if i := strings.IndexByte(location, '#'); i >= 0 {
		location = location[:i]
	}
	return escapeLocation(location), true
}

// escapeLocation percent-encodes what may not stand in a URL but is found in
// Location fields all the same: blanks and raw UTF-8.
func escapeLocation(location string) string {
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(location) {
		c := location[i]
		if c > ' ' && c < 0x7f {
			if b.Len() > 0 {
				b.WriteByte(c)
			}
			continue
		}
		if b.Len() == 0 {
			b.WriteString(location[:i])
		}
		b.WriteByte('%')
		b.WriteByte(hex[c>>4])
		b.WriteByte(hex[c&15])
	}
	if b.Len() == 0 {
		return location
	}
	return b.String()
}
