package wire

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"strings"
)

// Target says where a server is and what it is called. The two are
// independent: a contest's virtual hosts all live at one address.
type Target struct {
	// Network is "tcp" (the default) or "unix".
	Network string
	// Address is host:port, or the path of a unix socket.
	Address string
	// Host is the Host header, as a browser would send it: without the port
	// when that is the scheme's own. Empty means Address ("localhost" for a
	// unix socket).
	Host string
	// TLS, when not nil, makes every connection a TLS one. ServerName
	// defaults to the name in Host. The Config is used as it is if it names
	// a server and protocols, and copied once per client otherwise.
	TLS *tls.Config
	// Source, when valid, is the local address that connections are made
	// from, for instance one of 127.0.0.0/8 per virtual user. The port is
	// chosen at connect time (IP_BIND_ADDRESS_NO_PORT), so that each source
	// has all ports to itself.
	Source netip.Addr
}

// ParseTarget reads http://host[:port], https://host[:port] or unix:/path.
// A path other than "/" is refused, as are user names and queries: they have
// no place in the address of a server.
func ParseTarget(raw string) (Target, error) {
	if path, ok := strings.CutPrefix(raw, "unix:"); ok {
		path = strings.TrimPrefix(path, "//")
		if !strings.HasPrefix(path, "/") && !strings.HasPrefix(path, "@") {
			return Target{}, fmt.Errorf("parse target %q: a unix socket needs an absolute path", raw)
		}
		return Target{Network: "unix", Address: path, Host: "localhost"}, nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		return Target{}, fmt.Errorf("parse target: %w", err)
	}
	if (u.Path != "" && u.Path != "/") || u.RawQuery != "" || u.Fragment != "" || u.User != nil || u.Opaque != "" {
		return Target{}, fmt.Errorf("parse target %q: only scheme, host and port belong here", raw)
	}
	if u.Hostname() == "" {
		return Target{}, fmt.Errorf("parse target %q: no host", raw)
	}
	t := Target{Network: "tcp"}
	port := "80"
	switch u.Scheme {
	case "http":
	case "https":
		port = "443"
		t.TLS = &tls.Config{ServerName: u.Hostname(), NextProtos: []string{"http/1.1"}, MinVersion: tls.VersionTLS12}
	default:
		return Target{}, fmt.Errorf("parse target %q: scheme %q is not http, https or unix", raw, u.Scheme)
	}
	t.Host = u.Host
	if p := u.Port(); p != "" && p != port {
		port = p
	} else {
		t.Host = strings.TrimSuffix(u.Host, ":"+p)
	}
	t.Address = net.JoinHostPort(u.Hostname(), port)
	return t, nil
}

// URL gives the absolute URL of a path on this target, for messages and curl
// lines. It names the host as the server knows it, not the address.
func (t Target) URL(path string) string { return t.scheme() + "://" + t.host() + path }

func (t Target) scheme() string {
	if t.TLS != nil {
		return "https"
	}
	return "http"
}

// host is the Host header with its default filled in.
func (t Target) host() string {
	switch {
	case t.Host != "":
		return t.Host
	case t.Network == "unix":
		return "localhost"
	}
	port := ":80"
	if t.TLS != nil {
		port = ":443"
	}
	return strings.TrimSuffix(t.Address, port)
}

// hostname is a Host header without its port, in lower case: the name that
// cookies and certificates go by.
func hostname(host string) string {
	if i := strings.LastIndexByte(host, ':'); i >= 0 && !strings.HasSuffix(host, "]") {
		host = host[:i]
	}
	if strings.HasPrefix(host, "[") && strings.HasSuffix(host, "]") {
		host = host[1 : len(host)-1]
	}
	return strings.ToLower(host) // returns its argument when there is nothing to do
}

// withDefaults fills in what the zero values stand for.
func (t Target) withDefaults() Target {
	if t.Network == "" {
		t.Network = "tcp"
	}
	t.Host = t.host()
	if t.TLS != nil && (t.TLS.ServerName == "" || len(t.TLS.NextProtos) == 0) {
		t.TLS = t.TLS.Clone()
		if t.TLS.ServerName == "" {
			t.TLS.ServerName = hostname(t.Host)
		}
		if len(t.TLS.NextProtos) == 0 {
			t.TLS.NextProtos = []string{"http/1.1"}
		}
	}
	return t
}
