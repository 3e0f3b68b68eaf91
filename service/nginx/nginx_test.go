package nginx

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat"
	"hotseat/service"
	"hotseat/stack"
	"hotseat/stack/stacktest"
)

// workspace lays out a folder with an nginx.conf and returns its configuration,
// with an upstream that answers everything.
func workspace(t *testing.T, conf string) Config {
	t.Helper()
	tool, err := service.Find(t.Context(), "nginx")
	if err != nil {
		t.Fatal(err)
	}
	app := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "app saw "+r.Host+" "+r.URL.Path)
	}))
	t.Cleanup(app.Close)
	dir := filepath.Join(t.TempDir(), "a space")
	etc := filepath.Join(dir, "etc", "nginx")
	if err := os.MkdirAll(etc, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"nginx.conf": conf, "mime.types": "types { text/plain tst; }\n"} {
		if err := os.WriteFile(filepath.Join(etc, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	port := stacktest.FreePort(t)
	return Config{
		Tool: tool, Source: etc, OutDir: filepath.Join(dir, "run", "effective", "nginx"), RunDir: filepath.Join(dir, "run", "nginx"),
		Substitution: service.Substitution{Addresses: []service.Address{
			{Name: "web", CanonicalPort: 80, Port: port},
			{Name: "app", CanonicalPort: 8080, Port: app.Listener.Addr().(*net.TCPAddr).Port},
		}, Paths: []service.PathMap{{From: "/home/isucon/webapp", To: filepath.Join(dir, "app")}}},
		Address: "127.0.0.1:" + strconv.Itoa(port),
	}
}

func start(t *testing.T, c Config) *stack.Supervisor {
	t.Helper()
	p, err := c.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	sup, err := stack.Start(t.Context(), stack.Plan{Dir: c.RunDir, Processes: []stack.Process{p}})
	if err != nil {
		var e *hotseat.Error
		if errors.As(err, &e) {
			t.Log(e.Detail)
		}
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = sup.Close() })
	return sup
}

func get(t *testing.T, c Config, path string) string {
	t.Helper()
	resp, err := http.Get("http://" + c.Address + path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func given(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/isucon4-given.in")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// varFolders are where nginx would write if nothing was said.
func varFolders(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("sh", "-c", "ls -laR --time-style=full-iso /var/lib/nginx /var/log/nginx /run/nginx.pid 2>&1").CombinedOutput()
	if err != nil && len(out) == 0 {
		t.Fatal(err)
	}
	return string(out)
}

func TestTheGivenConfiguration(t *testing.T) {
	before := varFolders(t)
	c := workspace(t, given(t))
	c.Log = &Log{Name: "hotseat", Format: "'$request_uri $status'", Path: filepath.Join(c.RunDir, "measure.log")}
	sup := start(t, c)
	if got := get(t, c, "/x"); got != "app saw app /x" {
		t.Errorf("answer %q", got)
	}
	// A body that does not fit into memory goes through the folders for
	// temporary files.
	resp, err := http.Post("http://"+c.Address+"/up", "text/plain", strings.NewReader(strings.Repeat("x", 200<<10)))
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%v, %v", resp, err)
	}
	_ = resp.Body.Close()
	if st := sup.Status().Processes[0]; len(st.PIDs) != 2 {
		t.Errorf("master and worker: %v", st.PIDs)
	}
	began := time.Now()
	sup.StopAll(0)
	if exit := sup.Status().Processes[0].Exit; exit.Code != 0 || time.Since(began) > 5*time.Second {
		t.Errorf("stop: %s after %s", exit, time.Since(began))
	}
	for _, log := range []string{"logs/access.log", "measure.log"} {
		b, err := os.ReadFile(filepath.Join(c.RunDir, log))
		if err != nil || !strings.Contains(string(b), "/x") {
			t.Errorf("%s: %q, %v", log, b, err)
		}
	}
	if after := varFolders(t); after != before {
		t.Errorf("touched outside the run folder:\n%s\nbefore:\n%s", after, before)
	}
}

func TestDirectivesThatTheFileSetsItself(t *testing.T) {
	c := workspace(t, "daemon off;\npid /var/run/nginx.pid;\nuser "+userName()+";\nerror_log /var/log/nginx/error.log info;\n"+
		"load_module modules/ngx_http_geoip_module.so;\n"+
		"events {}\nhttp {\n include /etc/nginx/mime.types;\n client_body_temp_path b;\n access_log off;\n"+
		" server { listen 80; root /home/isucon/webapp; }\n}\n")
	if _, err := os.Stat(filepath.Join(modulesDir, "ngx_http_geoip_module.so")); err != nil {
		b, _ := os.ReadFile(filepath.Join(c.Source, "nginx.conf"))
		text := strings.Replace(string(b), "load_module modules/ngx_http_geoip_module.so;", "", 1)
		if err := os.WriteFile(filepath.Join(c.Source, "nginx.conf"), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	app := c.Substitution.Paths[0].To
	if err := os.MkdirAll(app, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(app, "f.tst"), []byte("from disk"), 0o644); err != nil {
		t.Fatal(err)
	}
	start(t, c)
	if got := get(t, c, "/f.tst"); got != "from disk" {
		t.Errorf("answer %q", got)
	}
	if b, err := os.ReadFile(filepath.Join(c.RunDir, "logs", "error.log")); err != nil || len(b) == 0 {
		t.Errorf("error log: %d bytes, %v", len(b), err)
	}
}

func userName() string {
	if os.Geteuid() == 0 {
		return "root"
	}
	return "nobody"
}

func TestAMistakeIsToldInNginxsWords(t *testing.T) {
	for name, c := range map[string]struct{ conf, want string }{
		"unknown directive": {"events {}\nhttp {\n  server {\n    lissten 80;\n  }\n}\n", `unknown directive "lissten" in SOURCE/nginx.conf:4`},
		"no semicolon":      {"events {}\nhttp {\n  server {\n    listen 80\n  }\n}\n", `unexpected "}" in SOURCE/nginx.conf:5`},
		"not closed":        {"events {}\nhttp {\n  server {\n", `unexpected end of file, expecting "}" in SOURCE/nginx.conf:4`},
		"no such upstream":  {"events {}\nhttp {\n  server {\n    location / { proxy_pass http://nobody.invalid; }\n  }\n}\n", `host not found in upstream "nobody.invalid" in SOURCE/nginx.conf:4`},
		"missing include":   {"events {}\nhttp {\n  include there.conf;\n}\n", `open() "SOURCE/there.conf" failed (2: No such file or directory) in SOURCE/nginx.conf:3`},
	} {
		t.Run(name, func(t *testing.T) {
			ws := workspace(t, c.conf)
			_, err := ws.Prepare(t.Context())
			want := "nginx refuses its configuration: " + strings.ReplaceAll(c.want, "SOURCE", ws.Source)
			if err == nil || err.Error() != want || hotseat.CodeOf(err) != hotseat.CodeInvalid {
				t.Errorf("error %v, want %s", err, want)
			}
		})
	}
	t.Run("no file", func(t *testing.T) {
		ws := workspace(t, "")
		ws.Main = "other.conf"
		if _, err := ws.Prepare(t.Context()); hotseat.CodeOf(err) != hotseat.CodeNotFound {
			t.Errorf("error %v", err)
		}
	})
}

func TestRevisionFollowsTheConfiguration(t *testing.T) {
	c := workspace(t, given(t))
	first, err := c.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	again, err := c.Prepare(t.Context())
	if err != nil || again.Revision != first.Revision {
		t.Errorf("unchanged, but %s became %s, %v", first.Revision, again.Revision, err)
	}
	if err := os.WriteFile(filepath.Join(c.Source, "mime.types"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err = c.Prepare(t.Context()); err != nil || again.Revision == first.Revision {
		t.Errorf("changed, but still %s, %v", again.Revision, err)
	}
}

func TestAKilledMasterTakesItsWorkersAlong(t *testing.T) {
	sup := start(t, workspace(t, given(t)))
	st := sup.Status().Processes[0]
	if err := syscall.Kill(st.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	for sup.Status().Processes[0].State != stack.StateExited && ctx.Err() == nil {
		time.Sleep(5 * time.Millisecond)
	}
	for _, pid := range st.PIDs {
		b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err == nil && !strings.Contains(string(b), ") Z ") { // whoever adopts an orphan waits for it
			t.Errorf("%d is still alive", pid)
		}
	}
}

// TestAsOrdinaryUser runs nginx without root's rights.
func TestAsOrdinaryUser(t *testing.T) {
	if os.Geteuid() != 0 {
		return // everything here has just run as an ordinary user
	}
	dir, err := os.MkdirTemp("/tmp", "ngx")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	for _, script := range []string{
		"chmod 755 " + dir, "cp /proc/" + strconv.Itoa(os.Getpid()) + "/exe " + dir + "/nginx.test", "cp -r testdata " + dir,
	} {
		if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v: %s", script, err, out)
		}
	}
	const tests = "TestTheGivenConfiguration|TestDirectivesThatTheFileSetsItself|TestAMistakeIsToldInNginxsWords"
	cmd := exec.Command(filepath.Join(dir, "nginx.test"), "-test.v", "-test.run", "^("+tests+")$")
	cmd.Dir = dir
	cmd.Env = []string{"HOME=/nonexistent", "PATH=/usr/bin:/bin"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("as nobody: %v\n%s", err, out)
	}
	for test := range strings.SplitSeq(tests, "|") {
		if !strings.Contains(string(out), "--- PASS: "+test) {
			t.Errorf("%s did not run:\n%s", test, out)
		}
	}
}
