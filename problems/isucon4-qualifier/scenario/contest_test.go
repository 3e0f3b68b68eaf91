package scenario

import (
	"net/http"
	"testing"

	"hotseat"
	"hotseat/bench"
	"hotseat/problem/problemtest"
)

// moment is a load in which everything happens where the machine has nothing else to do.
const moment = "150ms"

// execute runs the contest against a handler, for a moment, with short lists.
func execute(t testing.TB, w *testWorld, h http.Handler, args ...string) problemtest.Outcome {
	t.Helper()
	return executeContest(t, w, h, func(*bench.Contest) {}, args...)
}

func executeContest(t testing.TB, w *testWorld, h http.Handler, change func(*bench.Contest), args ...string) problemtest.Outcome {
	t.Helper()
	c := Contest()
	change(c)
	args = append([]string{"--target", serve(t, h), "--data", w.dir, "--seed", "1", "--duration", moment,
		"--param", "workload=2", "--param", "addresses=9", "--param", "users=12", "--param", "recheck=4", "--param", "pause=0"}, args...)
	return problemtest.Execute(t.Context(), t, c, nil, args...)
}

func TestRightBankPasses(t *testing.T) {
	w := newTestWorld(t, 400)
	r := execute(t, w, newBank(w))
	if r.Verdict.Verdict != hotseat.Pass || r.Status != hotseat.ExitPass {
		t.Fatal(r)
	}
	t.Log(r, *r.Verdict.Score, r.Verdict.Rules)
}
