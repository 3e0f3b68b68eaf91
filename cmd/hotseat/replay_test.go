package main

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

func TestStepNumber(t *testing.T) {
	run := &hotseat.Result{Failures: []hotseat.FailureGroup{
		{Samples: []hotseat.Failure{{Scenario: "reader", User: 3, Step: "GET /", StepNumber: 40}}},
		{Samples: []hotseat.Failure{
			{Scenario: "voter", User: 2, Step: "GET /", StepNumber: 9},
			{Scenario: "voter", User: 3, Step: "GET /"}, // by a benchmark that does not count
			{Scenario: "voter", User: 3, Step: "POST /votes", StepNumber: 16},
			{Scenario: "voter", User: 3, Step: "GET /", StepNumber: 17},
		}},
	}}
	for _, c := range []struct{ user, step, want string }{
		{"voter/3", "GET /", "17"},
		{"voter/3", "POST /votes", "16"},
		{"3", "GET /", "40"},
		{"voter/4", "GET /", "GET /"},
		{"voter/3", "5", "5"},
	} {
		if got := stepNumber(run, c.user, c.step); got != c.want {
			t.Errorf("%s, %s: got %s, want %s", c.user, c.step, got, c.want)
		}
	}
}

func TestRepeat(t *testing.T) {
	run := &hotseat.Result{Problem: "vote", Seed: 42, Params: map[string]string{"rules": "strict", "size": "3"},
		Phases: []hotseat.Phase{{Name: "verify", ElapsedS: 9}, {Name: "load", ElapsedS: 20.01}}}
	vote := &problem.Problem{Manifest: &problem.Manifest{ID: "vote"}}

	o := runner.Options{Problem: vote, Params: map[string]string{"size": "4"}}
	if err := repeat(&o, run); err != nil {
		t.Fatal(err)
	}
	if *o.Seed != 42 || o.Duration != 21*time.Second || o.Measure != runner.MeasureOff || !o.NoReport {
		t.Errorf("%+v", o)
	}
	if diff := cmp.Diff(map[string]string{"rules": "strict", "size": "4"}, o.Params); diff != "" {
		t.Error(diff)
	}

	seed := uint64(7)
	if err := repeat(&runner.Options{Problem: vote, Seed: &seed}, run); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("another seed: %v", err)
	}
	bank := &problem.Problem{Manifest: &problem.Manifest{ID: "bank"}}
	if err := repeat(&runner.Options{Problem: bank}, run); hotseat.CodeOf(err) != hotseat.CodeInvalid {
		t.Errorf("a run of another problem: %v", err)
	}
}

func TestWhoReplays(t *testing.T) {
	for _, c := range []struct {
		benchmark problem.Benchmark
		want      bool
	}{
		{problem.Benchmark{}, true}, // compiled in
		{problem.Benchmark{Command: []string{"./bench.py"}}, false},
		{problem.Benchmark{Command: []string{"./bench"}, Replay: true}, true},
	} {
		if got := replays(&problem.Problem{Manifest: &problem.Manifest{Benchmark: c.benchmark}}); got != c.want {
			t.Errorf("%+v: %v", c.benchmark, got)
		}
	}
}

func TestWorkspaceDir(t *testing.T) {
	t.Chdir(t.TempDir())
	at := func(dir string) *problem.Problem {
		return &problem.Problem{Manifest: &problem.Manifest{ID: "mine"}, Dir: dir}
	}
	abs := t.TempDir()
	for _, c := range []struct {
		p    *problem.Problem
		want string
	}{
		{at(""), "mine"},
		{at(abs), "mine"},
		{at(here(t, "mine")), "mine-workspace"},
		{at(here(t, "sub/mine")), "mine"},
	} {
		if got := workspaceDir(c.p); got != c.want {
			t.Errorf("%s: %s, want %s", c.p.Dir, got, c.want)
		}
	}
}

func here(t *testing.T, name string) string {
	t.Helper()
	dir, err := filepath.Abs(name)
	if err != nil {
		t.Fatal(err)
	}
	return dir
}
