package nttscenario

import (
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"hotseat/problem/problemtest"
)

// sharedSeed is what all tests' services begin with: generating it takes longest.
type sharedSeed struct {
	once  sync.Once
	seed  *testData
	truth *truth
	dir   string
	err   error
}

var shared sharedSeed

// testSeed returns generated data for today.
func testSeed(t testing.TB) *testData {
	t.Helper()
	shared.once.Do(func() {
		if shared.dir, shared.err = os.MkdirTemp("", "ntt-scenario"); shared.err != nil {
			return
		}
		if shared.seed, shared.err = newSeed(context.Background(), shared.dir); shared.err != nil {
			return
		}
		if shared.err = shared.seed.check(); shared.err == nil {
			shared.truth, shared.err = loadTruth(shared.seed.truth())
		}
	})
	if shared.err != nil {
		t.Fatal(shared.err)
	}
	return shared.seed
}

func TestMain(m *testing.M) {
	debug.SetGCPercent(400) // there is memory, but many runs share two CPUs
	status := m.Run()
	_ = os.RemoveAll(shared.dir)
	os.Exit(status)
}

// restarter is a target that can be stopped and started again.
type restarter interface{ restart() }

// execute runs the contest against a handler. Where the handler is a restarter, it
// is restarted if the benchmark asks for that.
func execute(ctx context.Context, t testing.TB, h http.Handler, args ...string) problemtest.Outcome {
	t.Helper()
	_ = testSeed(t) // and with it the truth
	return executeOn(ctx, t, shared.truth, h, args...)
}

// executeOn is execute with a truth of its own.
func executeOn(ctx context.Context, t testing.TB, known *truth, h http.Handler, args ...string) problemtest.Outcome {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	defer server.CloseClientConnections()
	args = append([]string{"--target", server.URL, "--data", shared.dir, "--duration", "2s"}, args...)
	var restart func()
	if target, ok := h.(restarter); ok {
		restart = target.restart
	}
	return problemtest.Execute(ctx, t, contest(time.Now, func(string) (*truth, error) { return known, nil }), restart, args...)
}

// atOnce is how many runs go on at the same time: they mostly wait for time to pass.
const atOnce = 24

// loadsAtOnce is the same for those in which much has to happen in little time.
const loadsAtOnce = 10

// until plays with more and more load.
func until(enough func(o problemtest.Outcome) bool, play func(load ...string) problemtest.Outcome) func() problemtest.Outcome {
	return problemtest.Until(enough, play, "2500ms", "8s", "30s")
}
