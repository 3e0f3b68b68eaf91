package nginx

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"hotseat/service"
	"hotseat/stack"
	"hotseat/stack/stacktest"
)

// memcachedBefore is how contestants put memcached before an app: pages by
// their path, kept-alive connections to memcached, misses to the app.
const memcachedBefore = `events {}
http {
    upstream memcached {
        server 127.0.0.1:11211;
        keepalive 4;
    }
    server {
        listen 80;
        default_type "text/html; charset=utf-8";
        location / {
            set $memcached_key $uri;
            memcached_pass memcached;
            error_page 404 502 504 = @app;
        }
        location = /direct {
            set $memcached_key /article/1;
            memcached_pass 127.0.0.1:11211;
        }
        location @app { proxy_pass http://127.0.0.1:8080; }
    }
}
`

// TestPagesFromMemcached has a rendered configuration talk to a real memcached,
// whose canonical port is replaced in both places.
func TestPagesFromMemcached(t *testing.T) {
	tool, err := service.Find(t.Context(), "memcached")
	if err != nil {
		t.Fatal(err)
	}
	c := workspace(t, memcachedBefore)
	port := stacktest.FreePort(t)
	c.Substitution.Addresses = append(c.Substitution.Addresses, service.Address{Name: "memcached", CanonicalPort: 11211, Port: port})
	address := fmt.Sprintf("127.0.0.1:%d", port)
	cache, err := stack.Start(t.Context(), stack.Plan{Dir: c.RunDir, Processes: []stack.Process{
		service.Memcached{Name: "memcached", Tool: tool, Address: address}.Process(),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cache.Close() })
	c.RunDir += "-web" // a guardian each
	start(t, c)

	m := talkTo(t, address)
	if got := m.say(t, "set /article/1 0 0 6\r\ncached", "STORED"); got == "" {
		t.Fatal("nothing stored")
	}
	connections := m.stat(t, "total_connections")
	for path, want := range map[string]string{
		"/article/1": "cached", "/direct": "cached", "/article/2": "app saw " + upstream(t, c) + " /article/2",
	} {
		if got := get(t, c, path); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	for range 20 {
		if got := get(t, c, "/article/1"); got != "cached" {
			t.Fatalf("answer %q", got)
		}
	}
	// One kept by the upstream, one for /direct, which keeps none.
	if opened := m.stat(t, "total_connections") - connections; opened > 4 {
		t.Errorf("%d connections to memcached for 23 requests: none is kept", opened)
	}
}

// upstream is the address of the workspace's app.
func upstream(t *testing.T, c Config) string {
	t.Helper()
	port, ok := c.Substitution.Port(8080)
	if !ok {
		t.Fatal("the app has no port")
	}
	return fmt.Sprintf("127.0.0.1:%d", port)
}

// memcachedTalk is a connection of ours to memcached.
type memcachedTalk struct {
	conn net.Conn
	in   *bufio.Reader
}

func talkTo(t *testing.T, address string) *memcachedTalk {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(context.WithoutCancel(t.Context()), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return &memcachedTalk{conn, bufio.NewReader(conn)}
}

// say sends a command and returns what comes up to a line that begins with end.
func (m *memcachedTalk) say(t *testing.T, command, end string) string {
	t.Helper()
	if _, err := fmt.Fprintf(m.conn, "%s\r\n", command); err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	for {
		line, err := m.in.ReadString('\n')
		if err != nil {
			t.Fatalf("%s: %q, %v", command, said.String(), err)
		}
		said.WriteString(line)
		if strings.HasPrefix(line, end) {
			return said.String()
		}
	}
}

// stat reads one of memcached's own counters.
func (m *memcachedTalk) stat(t *testing.T, name string) (n int) {
	t.Helper()
	_, after, found := strings.Cut(m.say(t, "stats", "END"), "STAT "+name+" ")
	if _, err := fmt.Sscan(after, &n); !found || err != nil {
		t.Fatalf("no counter %s: %v", name, err)
	}
	return n
}
