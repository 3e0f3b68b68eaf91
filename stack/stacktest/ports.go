// Package stacktest finds ports for the servers that tests start.
package stacktest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hotseat/stack"
)

// The range lies below that of workspaces, and both below the ephemeral ports: those go
// to whoever asks next, in any package whose tests run at the same time.
const (
	firstPort = 10000
	lastPort  = 18999
)

// FreePort returns a TCP port that nobody uses, at no address of this machine. Until the
// test ends, no other test of this user is given it.
func FreePort(t testing.TB) int {
	t.Helper()
	owner := t.TempDir()
	ports, err := stack.Ports{
		File: filepath.Join(os.TempDir(), fmt.Sprintf("hotseat-test-%d", os.Geteuid()), "ports.json"),
		From: firstPort, To: lastPort + 1,
	}.Lease(owner, []string{"test"})
	if err != nil {
		t.Fatal(err)
	}
	return ports["test"]
}
