package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"hotseat"
	"hotseat/stack"
	"hotseat/stack/stacktest"
)

func find(t *testing.T, name string) Tool {
	t.Helper()
	tool, err := Find(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func TestFind(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/bin") // as an ordinary user has it
	for _, name := range []string{"nginx", "mariadbd", "mariadb", "mariadb-install-db", "redis-server", "memcached"} {
		tool := find(t, name)
		if !filepath.IsAbs(tool.Path) || tool.Name != name {
			t.Errorf("%s: %+v", name, tool)
		}
		if name != "mariadb-install-db" && strings.Count(tool.Version, ".") != 2 {
			t.Errorf("%s: version %q", name, tool.Version)
		}
	}
	if v := find(t, "mariadbd").Version; v != find(t, "mariadb").Version {
		t.Errorf("server %s, client %s", v, find(t, "mariadb").Version)
	}
	_, err := Find(t.Context(), "no-such-daemon")
	var e *hotseat.Error
	if !errors.As(err, &e) || e.Message != "no-such-daemon is not installed" || !strings.Contains(e.Hint, "doctor --install") {
		t.Errorf("error %#v", err)
	}
}

func TestBuild(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module app\n\ngo 1.26\n")
	write("main.go", "package main\n\nfunc main() {\n\tprintln(undefinedThing)\n}\n")
	env := append(BaseEnv(), "GOFLAGS=-mod=mod", "GOTOOLCHAIN=local")
	err := Build(t.Context(), dir, []string{"go", "build", "-o", "app", "."}, env)
	var e *hotseat.Error
	if !errors.As(err, &e) || e.Code != hotseat.CodeInvalid || !strings.Contains(e.Detail, "main.go:4:10: undefined: undefinedThing") {
		t.Fatalf("error %#v", err)
	}
	write("main.go", "package main\n\nfunc main() {}\n")
	if err := Build(t.Context(), dir, []string{"go", "build", "-o", "app", "."}, env); err != nil {
		t.Error(err)
	}
	if err := Build(t.Context(), dir, nil, nil); err != nil {
		t.Errorf("nothing to build: %v", err)
	}
	if err := Build(t.Context(), dir, []string{"no-such-compiler"}, env); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("no compiler: %v", err)
	}
}

func TestAGivenUpBuildLeavesNothing(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	err := Build(ctx, t.TempDir(), []string{"sh", "-c", "sleep 60 & sleep 60"}, BaseEnv())
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 30*time.Second {
		t.Errorf("error %v after %s", err, time.Since(began))
	}
	if pids, err := stack.Descendants(os.Getpid()); err != nil || len(pids) > 0 {
		t.Errorf("still running: %v, %v", pids, err)
	}
}

func TestLongOutputKeepsItsBeginning(t *testing.T) {
	err := Build(t.Context(), t.TempDir(), []string{"sh", "-c", "seq 1000; exit 1"}, BaseEnv())
	var e *hotseat.Error
	if !errors.As(err, &e) || !strings.HasPrefix(e.Detail, "1\n2\n") || strings.Count(e.Detail, "\n") > 60 {
		t.Errorf("detail %q", e.Detail)
	}
}

// TestCachesAndApp runs memcached and Redis on TCP and UNIX sockets, and an app
// beside them.
func TestCachesAndApp(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "svc")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	mc, rd := find(t, "memcached"), find(t, "redis-server")
	plan := stack.Plan{Dir: dir, Processes: []stack.Process{
		Memcached{Name: "memcached", Tool: mc, Address: "127.0.0.1:" + strconv.Itoa(stacktest.FreePort(t)), MemoryMB: 16}.Process(),
		Memcached{Name: "memcached-unix", Tool: mc, Address: "unix:" + filepath.Join(dir, "mc.sock")}.Process(),
		Redis{Name: "redis", Tool: rd, Address: "127.0.0.1:" + strconv.Itoa(stacktest.FreePort(t)), Dir: dir, Args: []string{"--save", ""}}.Process(),
		Redis{Name: "redis-unix", Tool: rd, Address: "unix:" + filepath.Join(dir, "rd.sock"), Dir: dir, Args: []string{"--save", "", "--requirepass", "x"}}.Process(),
		App{
			Name: "app", Dir: dir, Address: "unix:" + filepath.Join(dir, "app.sock"), After: []string{"redis", "memcached"},
			Argv: []string{rd.Path, "--port", "0", "--unixsocket", "app.sock", "--save", "", "--daemonize", "no"}, Env: []string{"X=1"},
		}.Process(),
	}}
	sup, err := stack.Start(t.Context(), plan)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = sup.Close() }()
	for _, p := range sup.Status().Processes {
		if p.State != stack.StateReady {
			t.Errorf("%s is %s", p.Name, p.State)
		}
	}
}

func TestCheckDir(t *testing.T) {
	for dir, ok := range map[string]bool{"/home/me/isucon 4/run": true, "/a/$HOME": false, "/a/b;c": false, `/a"b`: false, "/ü/日本": true} {
		if err := CheckDir(dir); (err == nil) != ok {
			t.Errorf("%q: %v", dir, err)
		}
	}
}

func TestDigest(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	digest := func() string {
		t.Helper()
		d, err := Digest(dir, filepath.Join(dir, "absent"))
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	seen := map[string]string{digest(): "empty"}
	for _, c := range []struct {
		what   string
		change func() error
	}{
		{"a file", func() error { return os.WriteFile(file, []byte("x"), 0o644) }},
		{"other content", func() error { return os.WriteFile(file, []byte("y"), 0o644) }},
		{"another mode", func() error { return os.Chmod(file, 0o755) }},
		{"another name", func() error { return os.Rename(file, file+"2") }},
		{"a folder", func() error { return os.Mkdir(file, 0o755) }},
	} {
		if err := c.change(); err != nil {
			t.Fatal(err)
		}
		d := digest()
		if before, ok := seen[d]; ok {
			t.Errorf("%s does not show: same as %s", c.what, before)
		}
		seen[d] = c.what
		if digest() != d {
			t.Error("not the same twice")
		}
	}
}
