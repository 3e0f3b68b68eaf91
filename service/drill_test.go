package service_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"hotseat/service"
	"hotseat/service/mariadb"
	"hotseat/service/nginx"
	"hotseat/stack"
	"hotseat/stack/stacktest"
)

// TestMain lets the test binary be the hidden commands of hotseat, and an app.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "_watch":
			os.Exit(stack.WatchMain(os.Args[2:]))
		case "_guardian":
			os.Exit(stack.GuardianMain(os.Args[2:]))
		case "_app":
			fmt.Println(http.ListenAndServe(os.Args[2], http.NotFoundHandler()))
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// realStack prepares a stack of nginx, MariaDB and an app that leaves its
// session, in a folder of its own.
func realStack(t *testing.T, golden string) stack.Plan {
	t.Helper()
	dir, err := os.MkdirTemp("/tmp", "drill")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ports := map[string]int{}
	for _, name := range []string{"web", "app", "mysql"} {
		ports[name] = stacktest.FreePort(t)
	}
	sub := service.Substitution{Addresses: []service.Address{
		{Name: "web", CanonicalPort: 80, Port: ports["web"]},
		{Name: "app", CanonicalPort: 8080, Port: ports["app"]},
		{Name: "mysql", CanonicalPort: 3306, Port: ports["mysql"]},
	}}
	etc := filepath.Join(dir, "etc")
	if err := os.Mkdir(etc, 0o755); err != nil {
		t.Fatal(err)
	}
	conf := "worker_processes 2;\nevents {}\nhttp { server { location / { proxy_pass http://127.0.0.1:8080; } } }\n"
	if err := os.WriteFile(filepath.Join(etc, "nginx.conf"), []byte(conf), 0o644); err != nil {
		t.Fatal(err)
	}
	run := filepath.Join(dir, "run")
	data := filepath.Join(dir, "data")
	if err := mariadb.Copy(t.Context(), golden, data); err != nil {
		t.Fatal(err)
	}
	db, err := mariadb.Config{
		Tool: find(t, "mariadbd"), Out: filepath.Join(run, "effective", "my.cnf"), DataDir: data, RunDir: run,
		Socket: filepath.Join(run, "mysql.sock"), Port: ports["mysql"], Substitution: sub,
	}.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	web, err := nginx.Config{
		Tool: find(t, "nginx"), Source: etc, OutDir: filepath.Join(run, "effective", "nginx"), RunDir: filepath.Join(run, "nginx"),
		Substitution: sub, Address: "127.0.0.1:" + strconv.Itoa(ports["web"]), After: []string{"app"},
	}.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	app := service.App{
		Name: "app", Dir: dir, After: []string{"mariadb"}, Address: sub.Text("127.0.0.1:8080"),
		Argv: []string{"sh", "-c", `setsid "$EXE" _app "$ADDRESS" & sleep 600`},
		Env:  []string{"EXE=" + executable(t), "ADDRESS=" + sub.Text("127.0.0.1:8080")},
	}.Process()
	return stack.Plan{ID: dir, Dir: run, Processes: []stack.Process{web, app, db}}
}

func find(t *testing.T, name string) service.Tool {
	t.Helper()
	tool, err := service.Find(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func executable(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}

func launch(t *testing.T, plan stack.Plan) *stack.Client {
	t.Helper()
	c, err := stack.Launch(t.Context(), []string{executable(t)}, plan)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := c.Stop(ctx); err != nil && !errors.Is(err, stack.ErrNotRunning) {
			t.Error(err)
		}
	})
	return c
}

func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	return err == nil && !strings.Contains(string(b), ") Z ")
}

// TestRealServers starts two stacks of real servers side by side and kills the
// guardian of one and the watcher of the other: within five seconds nothing of
// either is left, and the same stack starts again on the data it had.
func TestRealServers(t *testing.T) {
	dir, err := os.MkdirTemp("/tmp", "gold")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	golden, err := mariadb.Golden{Server: find(t, "mariadbd"), CacheDir: dir, Args: []string{"--innodb-log-file-size=16M"}}.
		Get(t.Context(), "empty", func(context.Context, mariadb.Conn) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	plans := []stack.Plan{realStack(t, golden), realStack(t, golden)}
	a, b := launch(t, plans[0]), launch(t, plans[1])
	for _, victim := range []struct {
		name   string
		client *stack.Client
		plan   stack.Plan
		pid    func(guardian int) int
	}{
		{"guardian", a, plans[0], func(guardian int) int { return guardian }},
		{"watcher", b, plans[1], parent},
	} {
		st, err := victim.client.Status(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		pids, err := stack.Descendants(parent(st.Guardian))
		if err != nil || len(pids) < 8 { // guardian, mariadbd, nginx and two workers, sh, sleep, app
			t.Fatalf("%s: processes %v, %v", victim.name, pids, err)
		}
		if byName, err := victim.client.PIDs(t.Context()); err != nil || len(byName["nginx"]) != 3 || len(byName["mariadb"]) != 1 || len(byName["app"]) < 3 {
			t.Errorf("%s: pids %v, %v", victim.name, byName, err)
		}
		if err := syscall.Kill(victim.pid(st.Guardian), syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		deadline := time.Now().Add(5 * time.Second)
		for _, pid := range pids {
			for alive(pid) {
				if time.Now().After(deadline) {
					t.Fatalf("%s killed: %d is alive 5 s later", victim.name, pid)
				}
				time.Sleep(5 * time.Millisecond)
			}
		}
		launch(t, victim.plan)
		conn, err := net.Dial("tcp", victim.plan.Processes[0].Ready[0].Address)
		if err != nil {
			t.Errorf("%s: after the next start: %v", victim.name, err)
			continue
		}
		_ = conn.Close()
	}
}

func parent(pid int) int {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	_, after, _ := strings.Cut(string(b), ") ")
	ppid, _ := strconv.Atoi(strings.Fields(after)[1])
	return ppid
}
