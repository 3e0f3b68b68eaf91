package advise

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"hotseat"
	"hotseat/measure"
)

// errorLines is how many lines of nginx's error log hold a text.
func (v *view) errorLines(text string) (n int64, example string) {
	if v.p.Nginx == nil {
		return 0, ""
	}
	for _, k := range v.p.Nginx.Errors {
		if strings.Contains(k.Text, text) {
			n += k.Count
			example = cmp.Or(example, k.Example)
		}
	}
	return n, example
}

// ports is detector 1: a connection that was closed keeps its local port for a
// minute.
func ports(v *view) []hotseat.Finding {
	n := v.p.Network
	refused, example := v.errorLines("(99: Cannot assign requested address)")
	share := 0.0
	if n.PortRange > 0 {
		share = float64(n.TupleMax) / float64(n.PortRange)
	}
	if share < 0.7 && refused == 0 {
		return nil
	}
	f := hotseat.Finding{Subject: subjectNginx, Severity: hotseat.Warning, Confidence: 0.95, Gain: 0.2,
		Title:    fmt.Sprintf("Local ports for connections to port %d are running out", n.TuplePort),
		Evidence: []string{fmt.Sprintf("%s: %s of %s local ports taken at once, most in TIME_WAIT (%s at most)", n.Tuple, count(float64(n.TupleMax)), count(float64(n.PortRange)), count(float64(n.TimeWaitMax)))},
		Remedy: []string{"keep upstream connections: keepalive 64; in the upstream block, and proxy_http_version 1.1; proxy_set_header Connection \"\";", "or a unix socket, which needs no port",
			"sysctl -w net.ipv4.ip_local_port_range='1024 65535' net.ipv4.tcp_tw_reuse=1"},
		Risk: "sysctl settings are lost at the next boot unless they are in /etc/sysctl.d",
	}
	if reuse := v.p.Kernel["net.ipv4.tcp_tw_reuse"]; reuse != "" {
		f.Evidence = append(f.Evidence, "net.ipv4.tcp_tw_reuse = "+reuse+", net.ipv4.ip_local_port_range = "+v.p.Kernel["net.ipv4.ip_local_port_range"])
	}
	if refused > 0 || share > 0.9 {
		f.Severity, f.Gain = hotseat.Critical, 0.5
	}
	if refused > 0 {
		f.Title = fmt.Sprintf("Local ports for connections to port %d have run out: requests fail", n.TuplePort)
		f.Evidence = append(f.Evidence, fmt.Sprintf("%s × in nginx's error log: %s", count(float64(refused)), clip(example, 140)))
	}
	return []hotseat.Finding{f}
}

// acceptQueue is detector 3.
func acceptQueue(v *view) []hotseat.Finding {
	n := v.p.Network
	refused, _ := v.errorLines("(11: Resource temporarily unavailable) while connecting to upstream")
	if n.ListenOverflows == 0 && refused == 0 {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectApp, Severity: hotseat.Warning, Confidence: 0.8, Gain: 0.1,
		Title: "A server did not accept connections as fast as they came",
		Evidence: []string{fmt.Sprintf("TcpExt ListenOverflows +%s, ListenDrops +%s; net.core.somaxconn = %s", count(float64(n.ListenOverflows)), count(float64(n.ListenDrops)), v.p.Kernel["net.core.somaxconn"]),
			fmt.Sprintf("%s × errno 11 on a unix socket in nginx's error log", count(float64(refused)))},
		Remedy: []string{"a longer queue: sysctl -w net.core.somaxconn=4096, and the same as backlog= of listen and in the app", "more workers that accept, if the queue is never empty"},
		Risk:   "a longer queue hides an app that is too slow",
	}}
}

// handshakes is detector 4: lost handshakes look like pauses of one and three seconds.
func handshakes(v *view) []hotseat.Finding {
	n := v.p.Network
	buckets := number(v.p.Kernel["net.ipv4.tcp_max_tw_buckets"])
	if n.SYNDrops == 0 && n.TimeWaitRefused == 0 && (buckets == 0 || float64(n.TimeWaitMax) < 0.8*buckets) {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectHost, Severity: hotseat.Warning, Confidence: 0.8, Gain: 0.05,
		Title:    "The kernel's tables for new and ended connections overflow",
		Evidence: []string{fmt.Sprintf("TCPReqQFullDrop +%s, TCPTimeWaitOverflow +%s, %s sockets in TIME_WAIT of %s allowed", count(float64(n.SYNDrops)), count(float64(n.TimeWaitRefused)), count(float64(n.TimeWaitMax)), count(buckets))},
		Remedy:   []string{"sysctl -w net.ipv4.tcp_max_syn_backlog=8192 net.ipv4.tcp_max_tw_buckets=262144", "fewer new connections: keep them"},
	}}
}

// conntrack is detector 5.
func conntrack(v *view) []hotseat.Finding {
	have, most := number(v.p.Kernel["net.netfilter.nf_conntrack_count"]), number(v.p.Kernel["net.netfilter.nf_conntrack_max"])
	if most == 0 || have < 0.8*most {
		return nil
	}
	return []hotseat.Finding{{Subject: subjectHost, Severity: hotseat.Critical, Confidence: 0.9, Gain: 0.2,
		Title:    "The firewall's table of connections is nearly full: new ones will be dropped",
		Evidence: []string{fmt.Sprintf("nf_conntrack_count %s of nf_conntrack_max %s", count(have), count(most))},
		Remedy:   []string{"sysctl -w net.netfilter.nf_conntrack_max=1048576", "or no tracking for what stays on this machine: iptables -t raw -A PREROUTING -i lo -j NOTRACK"},
	}}
}

// fileLimits is detector 6.
func fileLimits(v *view) []hotseat.Finding {
	var out []hotseat.Finding
	refused, example := v.errorLines("(24: Too many open files)")
	for _, name := range slices.Sorted(maps.Keys(v.p.Processes)) {
		p := v.p.Processes[name]
		if name == "benchmark" || name == "hotseat" || p.FDsLimit <= 0 || float64(p.FDsMax) < 0.7*float64(p.FDsLimit) && (refused == 0 || name != subjectNginx) {
			continue
		}
		f := hotseat.Finding{ID: name, Subject: name, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.1,
			Title:    name + " is close to its limit of open files",
			Evidence: []string{fmt.Sprintf("%d of %d files open in one process at once", p.FDsMax, p.FDsLimit)},
			Remedy:   []string{"LimitNOFILE= in the service's unit (limits.conf does not apply to units)"},
		}
		if name == subjectNginx {
			f.Remedy = []string{fmt.Sprintf("worker_rlimit_nofile %d;    # main level of nginx.conf: two files for each proxied request", max(4096, 4*v.nginxConnections()))}
		}
		if refused > 0 && name == subjectNginx {
			f.Severity, f.Gain = hotseat.Critical, 0.4
			f.Title = "nginx has run out of open files: requests fail"
			f.Evidence = append(f.Evidence, fmt.Sprintf("%s × in its error log: %s", count(float64(refused)), clip(example, 140)))
		}
		out = append(out, f)
	}
	return out
}

func (v *view) nginxConnections() int {
	if v.p.Nginx == nil {
		return 0
	}
	return v.p.Nginx.WorkerConnections
}

// nginxSlots is detector 7.
func nginxSlots(v *view) []hotseat.Finding {
	n := v.p.Nginx
	dropped := n.Accepts - n.Handled
	refused, _ := v.errorLines("worker_connections are not enough")
	slots := int64(n.Workers * n.WorkerConnections)
	if proxies(n) {
		slots /= 2
	}
	full := slots > 0 && float64(n.ActiveMax) > 0.8*float64(slots)
	if dropped <= 0 && refused == 0 && !full {
		return nil
	}
	f := hotseat.Finding{Subject: subjectNginx, Severity: hotseat.Warning, Confidence: 0.95, Gain: 0.2,
		Title: "nginx's workers have too few connections",
		Evidence: []string{fmt.Sprintf("at most %s client connections at once; %d workers × %d worker_connections, half of which go upstream", count(float64(n.ActiveMax)), n.Workers, n.WorkerConnections),
			fmt.Sprintf("stub_status: %s accepted, %s handled; %s × \"worker_connections are not enough\"", count(float64(n.Accepts)), count(float64(n.Handled)), count(float64(refused)))},
		Remedy: []string{fmt.Sprintf("events { worker_connections %d; }", 4*n.WorkerConnections), fmt.Sprintf("worker_rlimit_nofile %d;", 8*n.WorkerConnections)},
	}
	if dropped > 0 || refused > 0 {
		f.Severity, f.Gain = hotseat.Critical, 0.4
	}
	return []hotseat.Finding{f}
}

func proxies(n *measure.Nginx) bool { return len(n.Upstreams) > 0 }

// upstreamKeepAlive is detector 8.
func upstreamKeepAlive(v *view) []hotseat.Finding {
	t := v.p.Access.Total
	asked := float64(t.UpstreamTime.Count)
	if asked < 100 || v.p.Nginx == nil {
		return nil
	}
	// A connect time below a millisecond is written as 0.000: where nginx cannot
	// keep connections at all, the configuration is the witness.
	opened := float64(t.Connected) / asked
	var lazy []string
	for _, u := range v.p.Nginx.Upstreams {
		if slices.ContainsFunc(u.Servers, func(s string) bool { return strings.HasPrefix(s, "unix:") }) {
			continue // no port, and hardly a cost
		}
		if u.KeepAlive == 0 || !u.HTTP11 {
			lazy = append(lazy, u.Name)
		}
	}
	if len(lazy) == 0 || opened < 0.3 && v.p.Network != nil && float64(v.p.Network.ActiveOpens) < 0.3*asked {
		return nil
	}
	f := hotseat.Finding{Subject: subjectNginx, Severity: hotseat.Warning, Confidence: 0.9, Gain: 0.08,
		Title:    "nginx opens a new connection to the app for each request",
		Evidence: []string{fmt.Sprintf("%s requests went upstream; no kept connections in upstream %s", count(asked), strings.Join(lazy, ", "))},
		Remedy: []string{"upstream NAME { server …; keepalive 64; }", "location / { proxy_http_version 1.1; proxy_set_header Connection \"\"; proxy_pass http://NAME; }",
			"or server unix:/path; where app and nginx share a machine"},
		Risk: "the app must keep connections open longer than nginx does, or requests fail now and then",
	}
	if v.p.Network != nil {
		f.Evidence = append(f.Evidence, fmt.Sprintf("Tcp ActiveOpens +%s on this machine, %s sockets in TIME_WAIT at most", count(float64(v.p.Network.ActiveOpens)), count(float64(v.p.Network.TimeWaitMax))))
	}
	return []hotseat.Finding{f}
}

// clientKeepAlive is detector 9.
func clientKeepAlive(v *view) []hotseat.Finding {
	n := v.p.Nginx
	if n.Accepts < 200 || float64(n.Requests)/float64(n.Accepts) >= 2 {
		return nil
	}
	timeout := strings.Join(n.Config["keepalive_timeout"], ", ")
	off := strings.HasPrefix(timeout, "0")
	if !off && timeout != "" {
		timeout += " s"
	}
	f := hotseat.Finding{Subject: subjectNginx, Severity: hotseat.Note, Confidence: 0.5, Gain: 0.03,
		Title:    "Clients open a connection for each request",
		Evidence: []string{fmt.Sprintf("%s requests over %s connections (stub_status); keepalive_timeout %s", count(float64(n.Requests)), count(float64(n.Accepts)), cmp.Or(timeout, "not set"))},
		Remedy:   []string{"nothing, if it is the clients' wish: some load generators send Connection: close"},
	}
	if off {
		f.Severity, f.Confidence = hotseat.Warning, 0.7
		f.Remedy = []string{"keepalive_timeout 65;"}
		f.Risk = "some contests' load generators stall on kept connections: read the manual first"
	}
	return []hotseat.Finding{f}
}

// number reads a setting; 0 where it is none.
func number(text string) float64 {
	var n float64
	if _, err := fmt.Sscan(text, &n); err != nil {
		return 0
	}
	return n
}
