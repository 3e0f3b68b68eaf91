package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hotseat"
	"hotseat/advise"
	"hotseat/problem"
)

// orchard is the workspace of the advisor's drills: an app with tables, columns
// and routes that nothing else has, behind nginx, MariaDB, Redis and memcached.
type orchard struct {
	bank
	original map[string]string // configuration files as given
}

// newOrchard builds the app and its load from testdata/orchard.
func newOrchard(t *testing.T) *orchard {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "orchard")
	if err := os.CopyFS(folder, os.DirFS("testdata/orchard/problem")); err != nil {
		t.Fatal(err)
	}
	build := exec.CommandContext(t.Context(), "go", "build", "-o", folder+"/", "./testdata/orchard/packer", "./testdata/orchard/load")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(folder, "app", "go"), 0o755); err != nil {
		t.Fatal(err)
	}
	start := fmt.Sprintf("#!/bin/sh\nexec %s\n", filepath.Join(folder, "packer"))
	if err := os.WriteFile(filepath.Join(folder, "app", "go", "run.sh"), []byte(start), 0o755); err != nil { // a script
		t.Fatal(err)
	}
	o := &orchard{bank: bank{t: t, dir: filepath.Join(t.TempDir(), "ws"), env: append(os.Environ(), testFolders(t)...)}, original: map[string]string{}}
	o.must(t.TempDir(), "init", folder, o.dir)
	t.Cleanup(func() { o.must(o.dir, "down") })
	for _, name := range []string{problem.ConfigFile, "etc/my.cnf", "etc/nginx/nginx.conf"} {
		text, err := os.ReadFile(filepath.Join(o.dir, name))
		if err != nil {
			t.Fatal(err)
		}
		o.original[name] = string(text)
	}
	o.original[problem.ConfigFile] += "\n[redis]\n[memcached]\n"
	o.write(condition{})
	if err := os.MkdirAll(filepath.Join(o.dir, "public"), 0o755); err != nil {
		t.Fatal(err)
	}
	o.file("public/style.css", strings.Repeat("p { color: green }\n", 300))
	o.must(o.dir, "up")
	return o
}

func (o *orchard) file(name, text string) {
	o.t.Helper()
	if err := os.WriteFile(filepath.Join(o.dir, name), []byte(text), 0o644); err != nil {
		o.t.Fatal(err)
	}
}

// condition is what a drill changes of the orchard, and the load it gets.
type condition struct {
	name    string
	env     map[string]string
	mysql   string            // lines for my.cnf
	nginx   map[string]string // texts of nginx.conf and what stands for them
	sql     []string          // before the run
	mix     string            // routes, one after the other
	workers int               // 4 if 0
	seconds int               // 2 if 0
	close   bool              // a connection for each request

	want []string // ids of findings, wherever they stand
	says []string // somewhere in the advice
}

// write brings the configuration to the condition; everything else is as given.
func (o *orchard) write(c condition) {
	o.t.Helper()
	config := o.original[problem.ConfigFile]
	if len(c.env) > 0 {
		config += "\n[env]\n"
	}
	for name, value := range c.env {
		config += fmt.Sprintf("%s = %q\n", name, value)
	}
	o.file(problem.ConfigFile, config)
	o.file("etc/my.cnf", o.original["etc/my.cnf"]+c.mysql)
	nginx := o.original["etc/nginx/nginx.conf"]
	for from, to := range c.nginx {
		if !strings.Contains(nginx, from) {
			o.t.Fatalf("nginx.conf has no %q", from)
		}
		nginx = strings.ReplaceAll(nginx, from, to)
	}
	o.file("etc/nginx/nginx.conf", nginx)
}

// run loads the orchard in a condition and returns what the advisor says.
func (o *orchard) run(t *testing.T, c condition, wrap ...string) *advise.Advice {
	t.Helper()
	o.write(c)
	for _, s := range c.sql {
		o.must(o.dir, "sql", "--", "-e", s)
	}
	args := slices.Concat(wrap, []string{"hotseat", "bench", "--json", "--duration", fmt.Sprintf("%ds", max(c.seconds, 2)),
		"--param", "mix=" + c.mix, "--param", fmt.Sprintf("workers=%d", max(c.workers, 4))})
	if c.close {
		args = append(args, "--param", "close=yes")
	}
	cmd := exec.CommandContext(context.Background(), args[0], args[1:]...)
	cmd.Dir, cmd.Env = o.dir, o.env
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var result hotseat.Result
	if err == nil {
		err = json.Unmarshal(out, &result)
	}
	if err != nil {
		t.Fatalf("%v\n%s\n%s", err, out, &stderr)
	}
	var advice advise.Advice
	if err := json.Unmarshal([]byte(o.must(o.dir, "advise", "--json")), &advice); err != nil {
		t.Fatal(err)
	}
	return &advice
}

// all lists findings with those that are folded under them.
func all(list []hotseat.Finding) []hotseat.Finding {
	var out []hotseat.Finding
	for _, f := range list {
		out = append(append(out, f), all(f.Folded)...)
	}
	return out
}

// has tells whether there is a finding of that id, or of that detector.
func has(list []hotseat.Finding, id string) bool {
	return slices.ContainsFunc(list, func(f hotseat.Finding) bool { return f.ID == id || strings.HasPrefix(f.ID, id+"/") })
}

// summary is the advice in short, for messages.
func summary(a *advise.Advice) string {
	var b strings.Builder
	fmt.Fprintf(&b, "limit: %s\n", a.Limit)
	for _, f := range all(a.Findings) {
		fmt.Fprintf(&b, "%s (%s, gain %.2f): %s\n", f.ID, f.Severity, f.Gain, f.Title)
		for _, line := range slices.Concat(f.Evidence, f.Remedy) {
			fmt.Fprintf(&b, "    %s\n", line)
		}
	}
	return b.String()
}

func (c *condition) check(t *testing.T, a *advise.Advice) {
	t.Helper()
	missing := c.missing(a)
	for _, m := range missing {
		t.Error(m)
	}
	if len(missing) > 0 {
		t.Log(summary(a))
	}
}

// missing is what the advice should say and does not.
func (c *condition) missing(a *advise.Advice) (missing []string) {
	found, text := all(a.Findings), summary(a)
	for _, id := range c.want {
		if !has(found, id) {
			missing = append(missing, id+" was not found")
		}
	}
	for _, s := range c.says {
		if !strings.Contains(text, s) {
			missing = append(missing, fmt.Sprintf("nothing says %q", s))
		}
	}
	return missing
}

// keepAliveOff has nginx close each connection to the app, first: with HTTP/1.0
// the app would, and the ports would wait on its side, where they hinder nobody.
var keepAliveOff = map[string]string{"keepalive 64;": ""}

// conditions are troubles on the real stack; each is in one of them only, and
// the stack is otherwise as it should be.
var conditions = []condition{
	{
		name: "no index, and growers sorted by their crates", mix: strings.Repeat("/crates,", 24) + "/busiest",
		sql:  []string{"DROP INDEX IF EXISTS by_place ON crates"},
		want: []string{"missing-index/crates", "sort-for-few", "hot-route"},
		says: []string{"CREATE INDEX idx_crates_grower_plot ON crates (grower, plot);", "ALTER TABLE growers ADD COLUMN last_picked"},
	},
	{
		name: "loops, prepared anew, each write to the disk", mix: strings.Repeat("/board,", 7) + "/harvest", mysql: "innodb_flush_log_at_trx_commit=1\n", env: map[string]string{"PREPARE": "yes"},
		want: []string{"query-loop", "write-loop", "prepare-chatter", "commit-fsync", "drift"},
		says: []string{"interpolateParams=true", "innodb_flush_log_at_trx_commit = 2", "MariaDB innodb_flush_log_at_trx_commit: 2 → 1"},
	},
	{
		name: "little memory for the data, and a cache for queries", mix: strings.Repeat("/label,/picture,", 5) + "/harvest", mysql: "innodb_buffer_pool_size=6M\nquery_cache_type=1\nquery_cache_size=1M\n",
		want: []string{"buffer-pool", "query-cache", "fat-rows"},
		says: []string{"innodb_buffer_pool_size = "},
	},
	{
		name: "too many connections, and none kept", mix: "/label,/crates", workers: 40, mysql: "max_connections=12\n", env: map[string]string{"POOL": "100", "IDLE": "1"},
		want: []string{"pools-exceed-server", "connection-churn", "server-errors"},
		says: []string{"max_connections = 12"},
	},
	{name: "a table locked as a whole", mix: "/weigh", workers: 8, want: []string{"lock-wait"}, says: []string{"FOR UPDATE"}},
	{
		name: "a pool of 150 where 1,000 are allowed", mix: "/far", workers: 220, seconds: 5, mysql: "max_connections=1000\n", env: map[string]string{"POOL": "150"},
		want: []string{"pool-too-small"}, says: []string{"exactly 150 connections", "max_connections is 1,000"},
	},
	{
		name: "few connections for nginx", mix: "/", workers: 60, nginx: map[string]string{"worker_connections 2048;": "worker_connections 32;"},
		want: []string{"nginx-slots"}, says: []string{"worker_connections 128;"},
	},
	{
		name: "few files for nginx", mix: "/", workers: 60, nginx: map[string]string{"worker_rlimit_nofile 8192;": "worker_rlimit_nofile 60;"},
		want: []string{"file-limit/nginx"}, says: []string{"worker_rlimit_nofile 8192;", "Too many open files"},
	},
	{
		name: "nothing kept open", mix: "/", close: true, nginx: map[string]string{"access_log off;": "access_log off; keepalive_timeout 0;", "keepalive 64;": "", `proxy_http_version 1.1;`: ""},
		want: []string{"upstream-keepalive", "client-keepalive"}, says: []string{"keepalive 64;", "keepalive_timeout 65;"},
	},
	{
		name: "an app that does what others should", mix: "/style.css,/delivery,/almanac,/basket,/shelf,/broken", env: map[string]string{"TALKATIVE": "yes"},
		nginx: map[string]string{`\.css$`: `\.nothing$`, "client_body_buffer_size 1m;": ""},
		want:  []string{"static-via-app", "proxy-spill", "file-reads", "log-writer", "redis/round-trips", "cache-misses", "server-errors"},
		says:  []string{"/style.css", "500"},
	},
}

// TestDrillAdvice makes each trouble on a real stack and has the advisor find it,
// and finds nothing of the kind where there is none.
func TestDrillAdvice(t *testing.T) {
	o := newOrchard(t)
	for _, c := range conditions {
		t.Run(c.name, func(t *testing.T) {
			a := o.run(t, c)
			// On a busy machine two seconds may hold a handful of the rare
			// requests, and the slow log a part of those: then it takes longer.
			for c.seconds = max(c.seconds, 2) * 3; len(c.missing(a)) > 0 && c.seconds < 20; c.seconds *= 3 {
				a = o.run(t, c)
			}
			c.check(t, a)
			if c.name == conditions[0].name {
				o.remedy(t, c, a)
			}
		})
	}
	t.Run("ports run out", o.portsRunOut)
	t.Run("healthy", o.healthy)
}

// remedy makes the index that the first finding asks for, as the advisor wrote
// it, and expects the advisor to move on.
func (o *orchard) remedy(t *testing.T, c condition, a *advise.Advice) {
	t.Helper()
	if len(a.Findings) == 0 || a.Findings[0].ID != "missing-index/crates" {
		t.Fatalf("the first finding is not the missing index:\n%s", summary(a))
	}
	c.sql = a.Findings[0].Remedy
	after := o.run(t, c)
	if has(all(after.Findings), "missing-index") || len(after.Findings) == 0 || !has(after.Findings[:1], "sort-for-few") {
		t.Errorf("the advisor has not moved on to what is sorted:\n%s", summary(after))
	}
}

// portsRunOut is what cost a team fifty minutes: each request a connection, and
// its local port taken for a minute. The namespace has few of them.
func (o *orchard) portsRunOut(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Log("a network namespace is for root to make")
		return
	}
	o.must(o.dir, "down")
	defer o.must(o.dir, "down") // what runs in the namespace
	c := condition{mix: "/", nginx: keepAliveOff, want: []string{"ports"}, says: []string{"ip_local_port_range = 40000 40400", "tcp_tw_reuse = 0", "99: Cannot assign requested address", "keepalive 64;"}}
	a := o.run(t, c, "unshare", "--net", "sh", "-ec", `ip link set lo up
		sysctl -q -w net.ipv4.ip_local_port_range="40000 40400" net.ipv4.tcp_tw_reuse=0
		exec "$@"`, "sh")
	c.check(t, a)
	if len(a.Findings) == 0 || a.Findings[0].ID != "ports" || !has(a.Findings[0].Folded, "server-errors") {
		t.Errorf("the ports do not explain the errors:\n%s", summary(a))
	}
}

// healthy is the same app with indexes, kept connections and room, asked for
// what it does well.
func (o *orchard) healthy(t *testing.T) {
	a := o.run(t, condition{mix: "/,/crates,/newest,/label,/style.css"})
	for _, c := range conditions {
		for _, id := range c.want {
			if id != "hot-route" && id != "drift" && has(all(a.Findings), id) {
				t.Errorf("%s was found where it is not:\n%s", id, summary(a))
			}
		}
	}
	if has(all(a.Findings), "ports") {
		t.Errorf("ports:\n%s", summary(a))
	}
}
