package nginx

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestInspect(t *testing.T) {
	files := fstest.MapFS{
		"nginx.conf": {Data: []byte(`worker_processes 4;
events { worker_connections 100; }
http {
  proxy_http_version 1.1;
  proxy_set_header Connection "";
  upstream kept { server 127.0.0.1:8080; server 127.0.0.1:8081 weight=2; keepalive 64; }
  upstream memc { server 127.0.0.1:11211; keepalive 8; }
  include sites/*.conf;
}
`)},
		"sites/one.conf": {Data: []byte(`server {
  listen 80;
  location / { proxy_pass http://kept; }
  location /old { proxy_set_header Host $host; proxy_pass http://127.0.0.1:9000/x; }
  location /m { set $memcached_key $uri; memcached_pass memc; }
  location /v { proxy_pass http://$backend; }
}
`)},
	}
	got, err := Inspect(files, "nginx.conf", "/nowhere")
	if err != nil {
		t.Fatal(err)
	}
	want := []Upstream{
		{Name: "127.0.0.1:9000", Servers: []string{"127.0.0.1:9000"}}, // its own header replaced the inherited one
		{Name: "kept", Servers: []string{"127.0.0.1:8080", "127.0.0.1:8081"}, KeepAlive: 64, HTTP11: true},
		{Name: "memc", Servers: []string{"127.0.0.1:11211"}, KeepAlive: 8, HTTP11: true},
	}
	if diff := cmp.Diff(want, got.Upstreams); diff != "" {
		t.Error(diff)
	}
	if got.Workers != 4 || got.WorkerConnections != 100 || !slices.Equal(got.Directives["location"], []string{"/", "/old", "/m", "/v"}) {
		t.Errorf("got %+v", got)
	}

	got, err = Inspect(fstest.MapFS{"nginx.conf": {Data: []byte("events {} http { server { location / { proxy_pass http://127.0.0.1:5000; } } }")}}, "nginx.conf", "")
	if err != nil || got.Workers != 1 || got.WorkerConnections != 512 || len(got.Upstreams) != 1 || got.Upstreams[0].HTTP11 || got.Upstreams[0].KeepAlive != 0 {
		t.Errorf("nginx's own defaults: %+v, %v", got, err)
	}
	if _, err := Inspect(fstest.MapFS{}, "nginx.conf", ""); err == nil {
		t.Error("a configuration that is not there was read")
	}
}

// The status counts what clients did, and is there again after nginx was killed.
func TestStatus(t *testing.T) {
	c := workspace(t, "events {} http { server { listen 80; location / { return 200 ok; } } }")
	dir, err := os.MkdirTemp("", "hs-status") // the limit of a socket's path is 107 bytes
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	c.Status = filepath.Join(dir, "status.sock")
	sup := start(t, c)
	before, err := ReadStatus(t.Context(), c.Status)
	if err != nil {
		t.Fatal(err)
	}
	for i := range 5 {
		resp, err := http.Get("http://" + c.Address + "/" + strconv.Itoa(i))
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
	}
	after, err := ReadStatus(t.Context(), c.Status)
	if err != nil {
		t.Fatal(err)
	}
	if got := after.Requests - before.Requests; got != 6 { // and the question itself
		t.Errorf("%d requests more, want 5 and the question", got)
	}
	if after.Accepts <= before.Accepts || after.Accepts != after.Handled || after.Active < 1 {
		t.Errorf("status %+v after %+v", after, before)
	}

	for _, p := range sup.Status().Processes {
		if err := syscall.Kill(-p.PID, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for _, err := ReadStatus(ctx, c.Status); err == nil; _, err = ReadStatus(ctx, c.Status) {
		if ctx.Err() != nil {
			t.Fatal("a killed nginx still answers: this test kills nothing")
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := os.Lstat(c.Status); err != nil {
		t.Fatalf("the socket is gone by itself: %v; this test shows nothing", err)
	}
	start(t, c)
	if _, err := ReadStatus(t.Context(), c.Status); err != nil {
		t.Error(err)
	}
}
