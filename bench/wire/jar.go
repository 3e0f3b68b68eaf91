package wire

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"
)

// Jar keeps one user's cookies by the rules of RFC 6265 §5.3 and §5.4. The
// zero value is an empty jar, ready for use by several goroutines.
//
// It is quick where benchmarks spend their time: a response that sets a cookie
// to the value it already has changes nothing and allocates nothing, and the
// Cookie header is copied straight into the request. It is deterministic: the
// same responses in the same order leave the same cookies in the same order.
//
// There is no list of public suffixes; a Domain attribute without a dot
// ("com") is refused, which is what matters on a benchmark's own network.
// SameSite is ignored: a benchmark has no foreign sites.
type Jar struct {
	// Now is the clock that expiry is judged by; nil means time.Now.
	Now func() time.Time

	mu      sync.Mutex
	entries []entry // in the order of the Cookie header
	created uint64
	refused int
	expires bool // some entry may expire, so the clock matters
}

type entry struct {
	Cookie
	created uint64
}

func (j *Jar) now() time.Time {
	if j.Now != nil {
		return j.Now()
	}
	return time.Now()
}

// Get gives the value of the first cookie with this name, whatever its host
// and path, in the order they would be sent.
func (j *Jar) Get(name string) (value string, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dropExpired()
	for i := range j.entries {
		if j.entries[i].Name == name {
			return j.entries[i].Value, true
		}
	}
	return "", false
}

// Set puts a cookie into the jar as if a server had set it, or takes it out
// if it has expired. An empty Domain means every host, an empty Path "/".
func (j *Jar) Set(c Cookie) {
	if c.Path == "" {
		c.Path = "/"
	}
	c.Domain = strings.ToLower(strings.TrimPrefix(c.Domain, "."))
	j.mu.Lock()
	defer j.mu.Unlock()
	i := j.find(c.Domain, c.Path, c.Name)
	j.store(i, c)
}

// Cookies gives a copy of all cookies, in the order they would be sent.
func (j *Jar) Cookies() []Cookie {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.dropExpired()
	all := make([]Cookie, len(j.entries))
	for i := range j.entries {
		all[i] = j.entries[i].Cookie
	}
	return all
}

// Reset empties the jar: a new browser.
func (j *Jar) Reset() {
	j.mu.Lock()
	defer j.mu.Unlock()
	clear(j.entries)
	j.entries, j.created, j.refused, j.expires = j.entries[:0], 0, 0, false
}

// Refused counts the Set-Cookie headers that were ignored: malformed, too
// large, or for a domain that is not the server's to set.
func (j *Jar) Refused() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.refused
}

// SetCookie takes one Set-Cookie value from a response of host (a name
// without port, in lower case) to a request for path. It tells whether the
// cookie was accepted.
func (j *Jar) SetCookie(host, path string, secure bool, value []byte) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	ok := j.setCookie(host, path, secure, value)
	if !ok {
		j.refused++
	}
	return ok
}

func (j *Jar) setCookie(host, path string, secure bool, value []byte) bool {
	sc, ok := parseSetCookie(value)
	if !ok {
		return false
	}
	hostOnly, ok := domainAllowed(host, sc.domain)
	if !ok || !prefixAllowed(&sc, secure) {
		return false
	}
	cookiePath := defaultPath(path)
	i := -1
	for k := range j.entries {
		e := &j.entries[k]
		if e.Name == string(sc.name) && equalPath(e.Path, sc.path, cookiePath) && equalDomain(e.Domain, sc.domain, host, hostOnly) {
			i = k
			break
		}
	}
	expires := sc.expiry(j.now)
	if i >= 0 && expires.IsZero() {
		e := &j.entries[i]
		if e.Value == string(sc.value) && e.HostOnly == hostOnly && e.Secure == sc.secure && e.HTTPOnly == sc.httpOnly && e.Expires.IsZero() {
			return true // the common case: nothing new
		}
	}
	c := Cookie{
		Name: string(sc.name), Value: string(sc.value), Domain: host, HostOnly: hostOnly, Path: cookiePath,
		Secure: sc.secure, HTTPOnly: sc.httpOnly, Expires: expires,
	}
	if !hostOnly {
		c.Domain = strings.ToLower(string(sc.domain))
	}
	if len(sc.path) > 0 {
		c.Path = string(sc.path)
	}
	j.store(i, c)
	return true
}

func equalPath(have string, given []byte, otherwise string) bool {
	if len(given) > 0 {
		return have == string(given)
	}
	return have == otherwise
}

func equalDomain(have string, given []byte, host string, hostOnly bool) bool {
	if hostOnly {
		return have == host
	}
	return equalFold(given, have)
}

// domainAllowed judges a Domain attribute against the host that sent it.
func domainAllowed(host string, domain []byte) (hostOnly, ok bool) {
	if len(domain) == 0 {
		return true, true
	}
	if equalFold(domain, host) {
		// An address, or a name without a dot, has no subdomains to share with.
		return isAddress(host) || !strings.Contains(host, "."), true
	}
	tail := len(host) - len(domain)
	if tail < 1 || host[tail-1] != '.' || !equalFold(domain, host[tail:]) || isAddress(host) {
		return false, false
	}
	for _, c := range domain {
		if c == '.' {
			return false, true
		}
	}
	return false, false // a top-level domain
}

// prefixAllowed enforces the name prefixes of RFC 6265bis §4.1.3.
func prefixAllowed(sc *setCookie, secure bool) bool {
	if len(sc.name) < len("__Host-") || sc.name[0] != '_' {
		return true
	}
	if equalFold(sc.name[:7], "__host-") {
		return secure && sc.secure && len(sc.domain) == 0 && string(sc.path) == "/"
	}
	if len(sc.name) >= len("__Secure-") && equalFold(sc.name[:9], "__secure-") {
		return secure && sc.secure
	}
	return true
}

func isAddress(host string) bool {
	if host == "" || (host[0] > '9' && !strings.Contains(host, ":")) {
		return false
	}
	_, err := netip.ParseAddr(host)
	return err == nil
}

// defaultPath is the directory of a request's path, RFC 6265 §5.1.4.
func defaultPath(path string) string {
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	i := strings.LastIndexByte(path, '/')
	if i <= 0 || path[0] != '/' {
		return "/"
	}
	return path[:i]
}

func (j *Jar) find(domain, path, name string) int {
	return slices.IndexFunc(j.entries, func(e entry) bool {
		return e.Name == name && e.Domain == domain && e.Path == path
	})
}

// store puts c in place of entry i, or anew if i < 0. A cookie that has
// already expired is how servers delete one.
func (j *Jar) store(i int, c Cookie) {
	if !c.Expires.IsZero() {
		j.expires = true
		if !c.Expires.After(j.now()) {
			if i >= 0 {
				j.entries = slices.Delete(j.entries, i, i+1)
			}
			return
		}
	}
	if i >= 0 {
		j.entries[i].Cookie = c // its place and creation stay, RFC 6265 §5.3 step 11.3
		return
	}
	if len(j.entries) >= maxCookies {
		j.dropExpired()
	}
	if len(j.entries) >= maxCookies {
		j.dropOldest()
	}
	j.created++
	// Longer paths first, then older cookies first, RFC 6265 §5.4.
	at := len(j.entries)
	for at > 0 && len(j.entries[at-1].Path) < len(c.Path) {
		at--
	}
	j.entries = slices.Insert(j.entries, at, entry{Cookie: c, created: j.created})
}

func (j *Jar) dropExpired() {
	if !j.expires {
		return
	}
	now := j.now()
	j.expires = false
	j.entries = slices.DeleteFunc(j.entries, func(e entry) bool {
		if e.Expires.IsZero() {
			return false
		}
		j.expires = j.expires || e.Expires.After(now)
		return !e.Expires.After(now)
	})
}

func (j *Jar) dropOldest() {
	oldest := 0
	for i := range j.entries {
		if j.entries[i].created < j.entries[oldest].created {
			oldest = i
		}
	}
	j.entries = slices.Delete(j.entries, oldest, oldest+1)
}

// AppendCookies appends the value of the Cookie header for a request, and
// nothing if no cookie applies. Host is a name without port in lower case.
func (j *Jar) AppendCookies(dst []byte, host, path string, secure bool) []byte {
	return j.appendHeader(dst, "", host, path, secure, "")
}

// appendHeader wraps the cookies, if there are any, in before and after.
func (j *Jar) appendHeader(dst []byte, before, host, path string, secure bool, after string) []byte {
	j.mu.Lock()
	defer j.mu.Unlock()
	if len(j.entries) == 0 {
		return dst
	}
	j.dropExpired()
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path = path[:i]
	}
	found := false
	for i := range j.entries {
		e := &j.entries[i]
		if (e.Secure && !secure) || !domainMatch(host, e) || !pathMatch(path, e.Path) {
			continue
		}
		if found {
			dst = append(dst, "; "...)
		} else {
			dst = append(dst, before...)
			found = true
		}
		dst = append(dst, e.Name...)
		dst = append(dst, '=')
		dst = append(dst, e.Value...)
	}
	if found {
		dst = append(dst, after...)
	}
	return dst
}

func domainMatch(host string, e *entry) bool {
	if host == e.Domain || e.Domain == "" {
		return true
	}
	tail := len(host) - len(e.Domain)
	return !e.HostOnly && tail > 0 && host[tail-1] == '.' && host[tail:] == e.Domain
}

func pathMatch(path, cookie string) bool {
	if cookie == "/" || path == cookie {
		return true
	}
	return strings.HasPrefix(path, cookie) && (cookie[len(cookie)-1] == '/' || path[len(cookie)] == '/')
}
