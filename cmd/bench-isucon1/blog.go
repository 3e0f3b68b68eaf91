package main

import (
	"context"
	"crypto/md5" // the contest's digest
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	isucon1data "hotseat/problems/isucon1/data"
)

// The pages of the finished blog.
const (
	otherArticles = 50 // drawn by the list
	newestArticle = otherArticles
)

// Sizes of pages with the contest's data (specification §6).
const (
	articleBytes = 20 << 10
	indexBytes   = 12 << 10
)

// blog is an nginx that has every page ready, and takes posts without doing anything.
type blog struct {
	dir, url, truth string
	statics         []string
	cmd             *exec.Cmd
}

const nginxConfig = `
daemon off;
master_process off;
pid %[1]s/nginx.pid;
error_log %[1]s/error.log warn;
events { worker_connections 1024; }
http {
	client_body_temp_path %[1]s/tmp;
	proxy_temp_path %[1]s/tmp;
	fastcgi_temp_path %[1]s/tmp;
	uwsgi_temp_path %[1]s/tmp;
	scgi_temp_path %[1]s/tmp;
	access_log off;
	types { text/css css; application/javascript js; image/jpeg jpg; }
	default_type "text/html; charset=utf-8";
	sendfile on;
	tcp_nopush on;
	keepalive_timeout 0;
	open_file_cache max=1024 inactive=1h;
	open_file_cache_valid 1h;
	server {
		listen %[2]s backlog=4096;
		root %[1]s/public;
		location = / { try_files /index.html =404; }
		location = /post { return 302 /; }
		location /comment/ { return 302 /; }
	}
}
`

// startBlog starts nginx and waits until it answers.
func startBlog(ctx context.Context) (_ *blog, err error) {
	b := &blog{}
	if b.dir, err = os.MkdirTemp("", "bench-isucon1-"); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			b.stop()
		}
	}()
	if err := b.write(); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	if err := l.Close(); err != nil {
		return nil, err
	}
	b.url = "http://" + address
	config := filepath.Join(b.dir, "nginx.conf")
	if err := os.WriteFile(config, fmt.Appendf(nil, nginxConfig, b.dir, address), 0o600); err != nil {
		return nil, err
	}
	b.cmd = child(ctx, "nginx", "-e", filepath.Join(b.dir, "error.log"), "-c", config)
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start nginx (apt-get install nginx-light): %w", err)
	}
	for range 100 {
		answer, err := http.Get(b.url + "/article/1")
		if err == nil {
			_ = answer.Body.Close() // only the status matters
			if answer.StatusCode == http.StatusOK {
				return b, nil
			}
			return nil, fmt.Errorf("nginx answers %s", answer.Status)
		}
		time.Sleep(50 * time.Millisecond)
	}
	log, _ := os.ReadFile(filepath.Join(b.dir, "error.log")) // may not be there
	return nil, fmt.Errorf("nginx does not answer: %s", log)
}

func (b *blog) stop() {
	if b.cmd != nil && b.cmd.Process != nil {
		_ = b.cmd.Process.Kill() // it may have ended already
		_ = b.cmd.Wait()         // that it was killed
	}
	_ = os.RemoveAll(b.dir) // ours alone; what is left is no harm
}

// write writes the pages and the truth about the static files.
func (b *blog) write() error {
	public := filepath.Join(b.dir, "public")
	b.truth = filepath.Join(b.dir, "truth")
	for _, dir := range []string{filepath.Join(b.dir, "tmp"), b.truth, filepath.Join(public, "article")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return err
		}
	}
	if err := isucon1data.Static(public); err != nil {
		return err
	}
	table := ""
	for _, path := range []string{"/css/jquery-ui-1.8.14.custom.css", "/css/isucon.css", "/js/jquery-1.6.2.min.js",
		"/js/jquery-ui-1.8.14.custom.min.js", "/js/isucon.js", "/images/isucon_title.jpg"} {
		content, err := os.ReadFile(filepath.Join(public, path))
		if err != nil {
			return err
		}
		b.statics = append(b.statics, path)
		table += fmt.Sprintf("%s\t%d\t%x\n", path, len(content), md5.Sum(content))
	}
	pages := map[string]string{
		filepath.Join(b.truth, "static.tsv"):   table,
		filepath.Join(b.truth, "initial.json"): "[]",
		filepath.Join(public, "index.html"):    page(newestArticle, indexBytes),
	}
	for id := 1; id <= newestArticle+1; id++ {
		pages[filepath.Join(public, "article", fmt.Sprint(id))] = page(id, articleBytes)
	}
	for path, text := range pages {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// page is a page of that size, about one article.
func page(id, size int) string {
	head := fmt.Sprintf(`<!DOCTYPE html><html><body><div id="articleview"><div class="article"><div class="articlelink"><a href="/article/%d">read more</a></div>`, id)
	const tail = `</div></div></body></html>`
	return head + strings.Repeat("あ", (size-len(head)-len(tail))/len("あ")) + tail
}

func cpus() int { return runtime.NumCPU() }
