package isucon1scenario

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"hotseat"
	"hotseat/problem/problemtest"
)

// testWithin is how soon comments must show here, so that tests need not wait
// for a second again and again.
const testWithin = 150 * time.Millisecond

// atOnce runs a subtest for each of the names, eight at a time however few CPUs
// there are: they mostly wait.
func atOnce(t *testing.T, names []string, test func(t *testing.T, i int)) {
	var wait sync.WaitGroup
	places := make(chan struct{}, 8)
	for i, name := range names {
		wait.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(name, func(t *testing.T) { test(t, i) })
		})
	}
	wait.Wait()
}

// execute runs the contest against a handler, for a moment, with many posts.
// A restart that it asks for is done by the function.
func execute(t testing.TB, w *testWorld, h http.Handler, restart func(), args ...string) problemtest.Outcome {
	t.Helper()
	args = append([]string{"--target", serve(t, h), "--data", w.dir, "--seed", "1", "--duration", "400ms",
		"--param", "connections=1", "--param", "posts=1200"}, args...)
	return problemtest.Execute(t.Context(), t, contest(testWithin), restart, args...)
}

func TestRightBlogPasses(t *testing.T) {
	w := newTestWorld(t, 40)
	r := execute(t, w, newBlog(w), func() {}, "--duration", "2s")
	if r.Verdict.Verdict != hotseat.Pass || r.Status != hotseat.ExitPass {
		t.Fatal(r)
	}
	for rule, n := range r.Verdict.Rules {
		if n == 0 && rule != ruleNotModified && rule != prefix+".initialize" {
			t.Errorf("%s was not exercised", rule)
		}
	}
	if *r.Verdict.Score == 0 || len(r.Requests) != 1 {
		t.Error(*r.Verdict.Score, r.Requests)
	}
}
