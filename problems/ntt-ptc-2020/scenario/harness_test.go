package nttscenario

import (
	"context"
	"os"
	"sync"
	"testing"
)

// sharedSeed is what all tests' services begin with: generating it takes longest.
type sharedSeed struct {
	once sync.Once
	seed *seed
	dir  string
	err  error
}

var shared sharedSeed

// testSeed returns generated data for today.
func testSeed(t testing.TB) *seed {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "ntt-scenario"); shared.err != nil {
			return
		}
		if shared.seed, shared.err = newSeed(context.Background(), shared.dir); shared.err == nil {
			shared.err = shared.seed.check()
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.seed
}

func TestMain(m *testing.M) {
	status := m.Run()
	_ = os.RemoveAll(shared.dir)
	os.Exit(status)
}
