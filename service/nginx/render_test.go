package nginx

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/service"
)

var update = flag.Bool("update", false, "write the golden files anew")

// contest is a contest's substitution as the golden files know it.
var contest = service.Substitution{
	Addresses: []service.Address{
		{Name: "web", CanonicalPort: 80, Port: 20080},
		{Name: "tls", CanonicalPort: 443, Port: 20443},
		{Name: "app", CanonicalPort: 8080, Port: 28080},
		{Name: "mysql", CanonicalPort: 3306, Port: 23306},
	},
	Paths: []service.PathMap{
		{From: "/home/isucon", To: "/w"},
		{From: "/home/isucon/webapp/public", To: "/w/static"},
		{From: "/home/isucon/webapp", To: "/w/app"},
		{From: "/home/isucon/run", To: "/w/run"},
		{From: "/opt/static", To: "/w/two words"},
		{From: "/var/log/nginx", To: "/w/run/logs"},
		{From: "/etc/nginx", To: "/w/effective/nginx"},
	},
}

func options() Options {
	return Options{
		Substitution: contest, OutDir: "/w/effective/nginx",
		AccessLog: "/w/run/logs/access.log", TempDir: "/w/run/temp",
		Distribution: fstest.MapFS{"mime.types": {}, "proxy_params": {}},
	}
}

func TestRenderGolden(t *testing.T) {
	ins, err := filepath.Glob("testdata/*.in")
	if err != nil || len(ins) < 20 {
		t.Fatalf("%d golden pairs, %v", len(ins), err)
	}
	for _, in := range ins {
		name := strings.TrimSuffix(filepath.Base(in), ".in")
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(in)
			if err != nil {
				t.Fatal(err)
			}
			r, err := Render(fstest.MapFS{"nginx.conf": {Data: text}}, "nginx.conf", options())
			if err != nil {
				t.Fatal(err)
			}
			got := r.Files["nginx.conf"]
			if a, b := strings.Count(got, "\n"), strings.Count(string(text), "\n"); a != b {
				t.Errorf("%d lines became %d", b, a)
			}
			golden := strings.TrimSuffix(in, ".in") + ".out"
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestNothingElseIsTouched takes every golden file through a rendering that
// has nothing to replace and nothing to add.
func TestNothingElseIsTouched(t *testing.T) {
	ins, err := filepath.Glob("testdata/*.in")
	if err != nil {
		t.Fatal(err)
	}
	for _, in := range ins {
		text, err := os.ReadFile(in)
		if err != nil {
			t.Fatal(err)
		}
		r, err := Render(fstest.MapFS{"nginx.conf": {Data: text}}, "nginx.conf", Options{})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(text), r.Files["nginx.conf"]); diff != "" {
			t.Errorf("%s: %s", in, diff)
		}
	}
}

func TestListens(t *testing.T) {
	conf := `events {} http { server { listen 80; listen [::]:443 ssl; listen unix:/home/isucon/run/n.sock; }
		server { listen 127.0.0.1:9000 proxy_protocol; } server { listen 80; } }`
	r, err := Render(fstest.MapFS{"nginx.conf": {Data: []byte(conf)}}, "nginx.conf", options())
	if err != nil {
		t.Fatal(err)
	}
	want := []Listen{
		{"0.0.0.0:20080", true}, {"127.0.0.1:9000", false}, {"[::]:20443", false}, {"unix:/w/run/n.sock", true},
	}
	if diff := cmp.Diff(want, r.Listens); diff != "" {
		t.Error(diff)
	}
}

func TestIncludes(t *testing.T) {
	src := fstest.MapFS{
		"nginx.conf":  {Data: []byte("include main.conf;\nevents {}\nhttp {\n include http.conf;\n include /etc/nginx/sites/*;\n include sites/none-*;\n include nginx.conf;\n}\n")},
		"main.conf":   {Data: []byte("user nobody;\n")},
		"http.conf":   {Data: []byte("access_log off;\n")},
		"sites/a":     {Data: []byte("server { include listen.conf; location / { proxy_pass http://127.0.0.1:8080; } }\n")},
		"sites/b":     {Data: []byte("server { server_name b; }\n")},
		"listen.conf": {Data: []byte("listen 80;\n")},
		"unused.conf": {Data: []byte("listen 80;\n")},
	}
	r, err := Render(src, "nginx.conf", options())
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"nginx.conf": "include main.conf;\nevents {}\nhttp { client_body_temp_path /w/run/temp/client_body; fastcgi_temp_path /w/run/temp/fastcgi;" +
			" proxy_temp_path /w/run/temp/proxy; scgi_temp_path /w/run/temp/scgi; uwsgi_temp_path /w/run/temp/uwsgi;\n" +
			" include http.conf;\n include /w/effective/nginx/sites/*;\n include sites/none-*;\n include nginx.conf;\n}\n",
		"main.conf":   "user nobody;\n",
		"http.conf":   "access_log off;\n",
		"sites/a":     "server { include listen.conf; location / { proxy_pass http://127.0.0.1:28080; } }\n",
		"sites/b":     "server { listen 20080; server_name b; }\n",
		"listen.conf": "listen 20080;\n",
	}
	if diff := cmp.Diff(want, r.Files); diff != "" {
		t.Error(diff)
	}
	if !r.Main["user"] || r.Main["pid"] {
		t.Errorf("main level %v", r.Main)
	}
}

// TestMeasuringLog: the added log must reach every level that would otherwise
// use another, and nothing else may change.
func TestMeasuringLog(t *testing.T) {
	conf := "events {}\nhttp {\n access_log /var/log/nginx/access.log combined;\n server {\n  listen 80;\n  access_log off;\n" +
		"  location /a { access_log a.log; access_log b.log; }\n  location /b { return 200; }\n }\n}\n"
	opt := options()
	opt.TempDir = ""
	opt.Log = &Log{Name: "hotseat", Format: "'$request_time'", Path: "/w/m.log", Options: "buffer=64k flush=1s"}
	r, err := Render(fstest.MapFS{"nginx.conf": {Data: []byte(conf)}}, "nginx.conf", opt)
	if err != nil {
		t.Fatal(err)
	}
	const added = "access_log /w/m.log hotseat buffer=64k flush=1s;"
	want := "events {}\nhttp { log_format hotseat '$request_time';\n access_log /w/run/logs/access.log combined; " + added + "\n server {\n  listen 20080;\n  " + added + "\n" +
		"  location /a { access_log a.log; " + added + " access_log b.log; }\n  location /b { return 200; }\n }\n}\n"
	if diff := cmp.Diff(want, r.Files["nginx.conf"]); diff != "" {
		t.Error(diff)
	}
	r, err = Render(fstest.MapFS{"nginx.conf": {Data: []byte("events {} http { server { listen 80; } }")}}, "nginx.conf", opt)
	if err != nil {
		t.Fatal(err)
	}
	want = "events {} http { access_log /w/run/logs/access.log combined; log_format hotseat '$request_time'; " + added + " server { listen 20080; } }"
	if diff := cmp.Diff(want, r.Files["nginx.conf"]); diff != "" {
		t.Error(diff)
	}
}

func TestDaemonOnIsRefused(t *testing.T) {
	_, err := Render(fstest.MapFS{"nginx.conf": {Data: []byte("events {}\ndaemon on;\nhttp {}\n")}}, "nginx.conf", options())
	if err == nil || !strings.HasPrefix(err.Error(), "nginx.conf:2: ") || hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("error %v", err)
	}
}

// FuzzRender: whatever a contestant writes, rendering ends, keeps the lines, and
// what has nothing to replace comes out as it went in.
func FuzzRender(f *testing.F) {
	ins, err := filepath.Glob("testdata/*.in")
	if err != nil {
		f.Fatal(err)
	}
	for _, in := range ins {
		text, err := os.ReadFile(in)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	f.Fuzz(func(t *testing.T, text string) {
		src := fstest.MapFS{"nginx.conf": {Data: []byte(text)}}
		r, err := Render(src, "nginx.conf", Options{})
		if err != nil {
			return
		}
		if got := r.Files["nginx.conf"]; got != text {
			t.Errorf("untouched came out as %q", got)
		}
		opt := options()
		opt.Log = &Log{Name: "m", Format: "x", Path: "/m"}
		if r, err = Render(src, "nginx.conf", opt); err != nil {
			t.Fatal(err)
		}
		if _, err := parse(text); err != nil {
			return
		}
		if _, err := parse(r.Files["nginx.conf"]); err != nil {
			t.Errorf("what could be parsed cannot be any more: %v\n%q", err, r.Files["nginx.conf"])
		}
	})
}
