package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// site is the nginx that all clients load.
type site struct {
	dir string
	url string
	cmd *exec.Cmd
}

// One process without a master: it dies with us, whatever happens, and is the
// one worker that the method asks for.
const nginxConfig = `
daemon off;
master_process off;
%[3]s
worker_rlimit_nofile %[4]d;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log warn;
events {
	worker_connections %[5]d;
	multi_accept on;
}
http {
	client_body_temp_path %[1]s/tmp;
	proxy_temp_path %[1]s/tmp;
	fastcgi_temp_path %[1]s/tmp;
	uwsgi_temp_path %[1]s/tmp;
	scgi_temp_path %[1]s/tmp;
	access_log off;
	types { text/html html; }
	default_type text/html;
	charset utf-8;
	sendfile on;
	keepalive_requests 1000000000;
	keepalive_timeout 1h;
	open_file_cache max=8192 inactive=1h;
	open_file_cache_valid 1h;

	# Some answers, one in 1,000 as a rule, come from the other folder.
	split_clients $request_id $folder {
		%[8]s	spoiled;
		*	good;
	}
	map $folder $is_spoiled {
		spoiled	1;
		default	0;
	}
	log_format spoiled '$request_id $uri';

	server {
		listen %[2]s backlog=16384;
		location = /200B {
			return 200 "%[6]s";
		}
		location = /10KB {
			alias %[1]s/page.html;
		}
		location = /10KB-memoised {
			alias %[1]s/page.html;
			add_header Set-Cookie "session=$request_id; Path=/; HttpOnly";
		}
		location /scanned/ {
			# From the file, the pieces around what is filled in would go out
			# one by one, each a segment of its own.
			sendfile off;
			output_buffers 2 64k;
			root %[1]s/$folder;
			add_header Set-Cookie "session=$request_id; Path=/; HttpOnly";
			sub_filter %[7]s $request_id;
			access_log %[1]s/spoiled.log spoiled if=$is_spoiled;
		}
	}
}
`

// Shares of spoiled answers: few enough to cost nothing, and so many that a
// turn of some hundred requests has one.
const (
	spoiledShare      = "0.1%"
	spoiledShareQuick = "10%"
)

// startSite starts nginx on the given core and waits until it answers.
func startSite(ctx context.Context, core int, spoiled string) (*site, error) {
	bin, err := lookPath("nginx")
	if err != nil {
		return nil, fmt.Errorf("%w (apt-get install nginx-light)", err)
	}
	files, err := allowFiles()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench-engine-")
	if err != nil {
		return nil, err
	}
	s := &site{dir: dir}
	if err := s.start(ctx, bin, core, files, spoiled); err != nil {
		log, _ := os.ReadFile(filepath.Join(dir, "error.log")) // may not be there yet
		s.stop()
		return nil, fmt.Errorf("start nginx: %w\n%s", err, bytes.TrimSpace(log))
	}
	return s, nil
}

func (s *site) start(ctx context.Context, bin string, core, files int, spoiled string) error {
	if err := writePages(s.dir); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	user := ""
	if os.Geteuid() == 0 {
		user = "user root;" // of a folder that only we may enter
	}
	config := fmt.Sprintf(nginxConfig, s.dir, address, user, files, files-100, strings.Repeat("x", 200), tokenPlace, spoiled)
	path := filepath.Join(s.dir, "nginx.conf")
	if err := os.WriteFile(path, []byte(config), 0o644); err != nil {
		return err
	}
	s.cmd = pinned(ctx, core, bin, "-p", s.dir, "-e", filepath.Join(s.dir, "error.log"), "-c", path)
	if err := s.cmd.Start(); err != nil {
		return err
	}
	s.url = "http://" + address
	return s.await(ctx)
}

// await waits until nginx answers.
func (s *site) await(ctx context.Context) error {
	var err error
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		var req *http.Request
		if req, err = http.NewRequestWithContext(ctx, http.MethodGet, s.url+"/200B", http.NoBody); err != nil {
			return err
		}
		var resp *http.Response
		if resp, err = http.DefaultClient.Do(req); err == nil {
			http.DefaultClient.CloseIdleConnections()
			return resp.Body.Close()
		}
		if ctx.Err() != nil {
			break
		}
	}
	return err
}

// stop ends nginx and removes what it had.
func (s *site) stop() {
	if s.cmd != nil && s.cmd.Process != nil {
		_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended by itself
		_ = s.cmd.Wait()                          // ended by a signal is what we want
	}
	_ = os.RemoveAll(s.dir) // a temporary folder; nobody to tell
}

// spoiledServed returns how many spoiled pages nginx has served so far. It
// waits for the log to be quiet: a line is written after its answer was sent.
func (s *site) spoiledServed() (int64, error) {
	count := func() (int64, error) {
		log, err := os.ReadFile(filepath.Join(s.dir, "spoiled.log"))
		return int64(bytes.Count(log, []byte{'\n'})), err
	}
	before := int64(-1)
	for {
		now, err := count()
		if err != nil || now == before {
			return now, err
		}
		before = now
		time.Sleep(50 * time.Millisecond)
	}
}

// freeAddress finds a loopback address that nobody listens at.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// lookPath finds a program, also where only root's PATH leads.
func lookPath(name string) (string, error) {
	path, err := exec.LookPath(name)
	if err == nil {
		return path, nil
	}
	for _, dir := range []string{"/usr/sbin", "/usr/local/sbin"} {
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil {
			return path, nil
		}
	}
	return "", err
}
