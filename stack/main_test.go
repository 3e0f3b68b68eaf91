package stack

import (
	"os"
	"testing"
)

// TestMain makes the test binary play every part of a stack: the hidden
// commands, and the processes that are supervised (fake_test.go).
func TestMain(m *testing.M) {
	if len(os.Args) > 2 {
		switch os.Args[1] {
		case "_watch":
			os.Exit(WatchMain(os.Args[2:]))
		case "_guardian":
			os.Exit(GuardianMain(os.Args[2:]))
		case "_fake":
			os.Exit(fake(os.Args[2:]))
		}
	}
	os.Exit(m.Run())
}
