package slowlog

import (
	"bytes"
	"database/sql"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// startMariaDB starts an empty server that logs everything, and ends it with the test.
func startMariaDB(t *testing.T, data, socket, slow string) *sql.Conn {
	t.Helper()
	runtime.LockOSThread() // the server dies with the thread that started it
	install := exec.CommandContext(t.Context(), find(t, "mariadb-install-db"), "--no-defaults", "--datadir="+data,
		"--auth-root-authentication-method=normal", "--skip-test-db")
	server := exec.Command(find(t, "mariadbd"), "--no-defaults", "--datadir="+data, "--socket="+socket, "--skip-networking",
		"--slow-query-log=1", "--slow-query-log-file="+slow, "--long-query-time=0", "--log-slow-verbosity=query_plan,explain,engine",
		"--innodb-buffer-pool-size=16M", "--innodb-log-file-size=8M")
	if os.Geteuid() == 0 {
		install.Args = append(install.Args, "--user=root")
		server.Args = append(server.Args, "--user=root")
	}
	if out, err := install.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var said bytes.Buffer
	server.Stderr = &said
	server.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Kill() // nobody needs its data
		_ = server.Wait()
	})
	db, err := sql.Open("mysql", "root@unix("+socket+")/")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	for deadline := time.Now().Add(30 * time.Second); ; {
		conn, err := db.Conn(t.Context())
		if err == nil {
			t.Cleanup(func() { _ = conn.Close() })
			return conn
		}
		if time.Now().After(deadline) {
			t.Fatalf("%v; the server said: %s", err, said.String())
		}
		time.Sleep(50 * time.Millisecond)
	}
}
