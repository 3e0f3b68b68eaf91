package stack

import (
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// nobody is the ordinary user that root's tests turn into.
const nobody = 65534

// foreignPort names a port that root holds while nobody's tests run.
const foreignPort = "HOTSEAT_TEST_FOREIGN_PORT"

// runAsNobody runs some of this binary's tests as an ordinary user.
func runAsNobody(t *testing.T, tests string) {
	t.Helper()
	dir := runDir(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	exe := filepath.Join(dir, "stack.test") // where the test binary lies only root may look
	if err := copyFile(exe, exePath); err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	cmd := exec.Command(exe, "-test.v", "-test.run", "^("+tests+")$")
	cmd.Dir = "/tmp"
	cmd.Env = []string{"HOME=/nonexistent", "PATH=" + defaultPath, foreignPort + "=" + l.Addr().String()}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
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

func copyFile(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}

// TestAPortThatIsTakenByAnotherUser needs a port held by somebody else; run as
// nobody it gets one of root's, run as root its own does.
func TestAPortThatIsTakenByAnotherUser(t *testing.T) {
	addr := os.Getenv(foreignPort)
	if addr == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = l.Close() }()
		addr = l.Addr().String()
	}
	var takenErr *TakenError
	if err := CheckFree(addr); !errors.As(err, &takenErr) {
		t.Fatalf("error %v", err)
	}
	if os.Geteuid() == nobody && (takenErr.PID != 0 || !strings.Contains(takenErr.Error(), "another user")) {
		t.Errorf("error %v", takenErr)
	}
}
