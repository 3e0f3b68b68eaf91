package nginx

import (
	"bufio"
	"context"
	"fmt"
	"io/fs"
	"net"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"hotseat/service"
)

// Inspection is what a configuration says that matters for speed.
type Inspection struct {
	Workers           int // "auto" resolved
	WorkerConnections int
	// Directives are the arguments of every directive outside locations'
	// details, by name, in the order of the files; "location" comes with its
	// own arguments, and what is inside it under "NAME".
	Directives map[string][]string
	Upstreams  []Upstream
}

// Upstream is where requests are passed to.
type Upstream struct {
	Name      string // of the upstream block, or the address in proxy_pass
	Servers   []string
	KeepAlive int  // idle connections kept by each worker
	HTTP11    bool // requests go there with HTTP/1.1 and an empty Connection header
}

// Inspect reads a configuration, includes and all, as Render would. src is the
// folder of the files, canonical or rendered; out the folder that absolute
// includes are relative to, if they lead into it.
func Inspect(src fs.FS, main, out string) (*Inspection, error) {
	r := &renderer{opt: Options{Substitution: service.Substitution{}, OutDir: out}, src: src, main: main, files: map[string]*file{}, out: &Rendering{}}
	if _, err := r.load(main); err != nil {
		return nil, fmt.Errorf("read nginx's configuration: %w", err)
	}
	in := &inspector{r: r, found: &Inspection{Workers: 1, WorkerConnections: 512, Directives: map[string][]string{}}}
	in.walk(r.level(main, r.files[main].dirs, nil), "main", passing{version: "1.0", connection: "close"})
	slices.SortFunc(in.found.Upstreams, func(a, b Upstream) int { return strings.Compare(a.Name, b.Name) })
	return in.found, nil
}

// passing is what proxied requests inherit from the levels above: nginx's
// defaults are HTTP/1.0 and "Connection: close" until 1.29.7.
type passing struct{ version, connection string }

type inspector struct {
	r     *renderer
	found *Inspection
	depth int
}

func (in *inspector) walk(level []visit, context string, p passing) {
	if in.depth++; in.depth > deepest {
		in.depth--
		return
	}
	defer func() { in.depth-- }()
	// proxy_set_header is inherited as a whole or not at all.
	if slices.ContainsFunc(level, func(v visit) bool { return v.d.name == "proxy_set_header" }) {
		p.connection = "close"
	}
	for _, v := range level {
		args := make([]string, len(v.d.args))
		for i := range args {
			args[i] = v.d.arg(i)
		}
		in.found.Directives[v.d.name] = append(in.found.Directives[v.d.name], strings.Join(args, " "))
		switch v.d.name {
		case "worker_processes":
			in.found.Workers = workers(v.d.arg(0))
		case "worker_connections":
			if n, err := strconv.Atoi(v.d.arg(0)); err == nil {
				in.found.WorkerConnections = n
			}
		case "proxy_http_version":
			p.version = v.d.arg(0)
		case "proxy_set_header":
			if strings.EqualFold(v.d.arg(0), "Connection") {
				p.connection = v.d.arg(1)
			}
		}
	}
	for _, v := range level {
		if strings.HasSuffix(v.d.name, "_pass") && len(v.d.args) > 0 {
			// memcached and fastcgi have protocols of their own, which keep connections.
			http11 := v.d.name != "proxy_pass" || p.version == "1.1" && p.connection == ""
			in.passed(v.d.arg(0), http11)
		}
		if v.d.open == 0 || v.d.literal {
			continue
		}
		inner := in.r.level(v.name, v.d.block, nil)
		if v.d.name == "upstream" {
			in.upstream(v.d.arg(0), inner)
			continue
		}
		in.walk(inner, context+"/"+v.d.name, p)
	}
}

func workers(arg string) int {
	if n, err := strconv.Atoi(arg); err == nil && n > 0 {
		return n
	}
	return runtime.NumCPU() // auto
}

// upstream takes in an upstream block.
func (in *inspector) upstream(name string, level []visit) {
	u := in.at(name)
	for _, v := range level {
		switch v.d.name {
		case "server":
			u.Servers = append(u.Servers, v.d.arg(0))
		case "keepalive":
			u.KeepAlive, _ = strconv.Atoi(v.d.arg(0)) // nginx itself refuses what is no number
		}
	}
}

// passed takes in a *_pass directive.
func (in *inspector) passed(to string, http11 bool) {
	to = strings.TrimPrefix(strings.TrimPrefix(to, "http://"), "https://")
	if !strings.HasPrefix(to, "unix:") {
		to, _, _ = strings.Cut(to, "/")
	}
	if to == "" || strings.Contains(to, "$") {
		return // told only at run time
	}
	u := in.at(to)
	u.HTTP11 = u.HTTP11 || http11
	if len(u.Servers) == 0 && strings.ContainsAny(to, ":.") {
		u.Servers = []string{to}
	}
}

func (in *inspector) at(name string) *Upstream {
	for i := range in.found.Upstreams {
		if in.found.Upstreams[i].Name == name {
			return &in.found.Upstreams[i]
		}
	}
	in.found.Upstreams = append(in.found.Upstreams, Upstream{Name: name})
	return &in.found.Upstreams[len(in.found.Upstreams)-1]
}

// Status is what nginx's stub_status tells.
type Status struct{ Active, Accepts, Handled, Requests int64 }

// ReadStatus asks a stub_status that listens on a unix socket; see Config.Status.
// The connection it takes is counted in the answer.
func ReadStatus(ctx context.Context, socket string) (Status, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", socket)
	if err != nil {
		return Status{}, fmt.Errorf("read nginx's status: %w", err)
	}
	defer func() { _ = conn.Close() }()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // a socket that cannot have one blocks no longer than nginx lives
	}
	if _, err := fmt.Fprint(conn, "GET / HTTP/1.0\r\n\r\n"); err != nil {
		return Status{}, fmt.Errorf("read nginx's status: %w", err)
	}
	var s Status
	counts := false
	for scanner := bufio.NewScanner(conn); scanner.Scan(); {
		line := strings.TrimSpace(scanner.Text())
		switch {
		case strings.HasPrefix(line, "Active connections:"):
			s.Active, err = strconv.ParseInt(strings.TrimSpace(strings.TrimPrefix(line, "Active connections:")), 10, 64)
		case strings.HasPrefix(line, "server accepts handled requests"):
			counts = true
		case counts:
			_, err = fmt.Sscan(line, &s.Accepts, &s.Handled, &s.Requests)
			counts = false
			if err == nil {
				return s, nil
			}
		}
		if err != nil {
			return Status{}, fmt.Errorf("read nginx's status: %q: %w", line, err)
		}
	}
	return Status{}, fmt.Errorf("read nginx's status: the answer on %s is none", socket)
}
