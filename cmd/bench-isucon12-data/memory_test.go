package main

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

const held = 32 << 20

// holder starts a shell that keeps 32 MB in a variable until its input ends.
func holder(t *testing.T) (pid int, end func()) {
	t.Helper()
	child := exec.CommandContext(t.Context(), "bash", "-c", `x=$(head -c 33554432 /dev/zero | tr '\0' x); echo ready; read -r`)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	end = func() {
		_ = in.Close() // once is enough
		_ = child.Wait()
	}
	t.Cleanup(end)
	if _, err := out.Read(make([]byte, 6)); err != nil {
		t.Fatal(err)
	}
	return child.Process.Pid, end
}

// A child's memory counts as its parent's, and nobody else's does.
func TestTreeMemory(t *testing.T) {
	alone := treeMemory(os.Getpid())
	child, _ := holder(t)
	if got := treeMemory(child); got < held {
		t.Errorf("the child holds %d bytes, want at least %d", got, held)
	}
	if got := treeMemory(os.Getpid()); got < alone+held/2 {
		t.Errorf("with the child there are %d bytes, without it %d", got, alone)
	}
	if got := treeMemory(1 << 30); got != 0 {
		t.Errorf("nobody holds %d bytes", got)
	}
}

// The peak stays, whatever comes after it.
func TestWatchMemoryKeepsThePeak(t *testing.T) {
	_, end := holder(t)
	ended, peak := make(chan struct{}), make(chan int64)
	go func() { peak <- watchMemory(os.Getpid(), ended) }()
	time.Sleep(3 * memoryPoll)
	end()
	time.Sleep(3 * memoryPoll)
	close(ended)
	if got := <-peak; got < held {
		t.Errorf("peak of %d bytes, want at least %d", got, held)
	}
}
