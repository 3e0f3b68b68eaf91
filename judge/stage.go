package judge

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"time"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

// stage is where the cases are played: one workspace in the problem's [judge]
// profile, and its stack.
type stage struct {
	problem   *problem.Problem
	runner    *runner.Runner
	dir       string // holds everything
	workspace *problem.Workspace
	patch     string // of a case, applied to the workspace now
}

// downTimeout is how long stopping the stack may take, whatever happened before.
const downTimeout = time.Minute

// openStage makes a temporary workspace with the judge's patch in it. Its stack
// starts with the first run. The caller must close it.
func openStage(ctx context.Context, p *problem.Problem, r *runner.Runner, parent string) (s *stage, err error) {
	dir, err := os.MkdirTemp(parent, "hotseat-judge-")
	if err != nil {
		return nil, hotseat.Unavailable("set TMPDIR to a folder with some free space", "make a folder to judge in: %w", err)
	}
	s = &stage{problem: p, runner: r, dir: dir}
	defer func() {
		if err != nil {
			err = errors.Join(err, s.close(ctx, false))
		}
	}()
	// Servers that run as somebody else must reach what is theirs in it.
	if err := os.Chmod(dir, 0o755); err != nil {
		return nil, err
	}
	s.workspace, err = problem.Create(ctx, p, filepath.Join(dir, "workspace"), problem.CreateOptions{
		Profile: p.Judge.Profile, CacheRoot: r.CacheRoot,
	})
	if err != nil {
		return nil, err
	}
	return s, s.setScene(ctx, "")
}

// finish closes the stage. What was not as it must be is worth a look: then the
// folder stays, and kept is its path.
func (s *stage) finish(ctx context.Context, ok bool, err error) (kept string, _ error) {
	keep := err == nil && !ok
	if keep {
		kept = s.dir
	}
	if closeErr := s.close(ctx, keep); err == nil {
		err = closeErr
	}
	return kept, err
}

// close stops the stack and removes the folder, unless it is to be kept.
func (s *stage) close(ctx context.Context, keep bool) error {
	var err error
	if s.workspace != nil {
		// Whoever interrupted wants the servers gone as well.
		down, cancel := context.WithTimeout(context.WithoutCancel(ctx), downTimeout)
		defer cancel()
		err = s.runner.Down(down, s.workspace)
	}
	if keep || err != nil { // servers that still run must not lose their files
		return err
	}
	return os.RemoveAll(s.dir)
}

// setScene brings the workspace to the judge's app with a case's patch in it;
// "" means none. The next run rebuilds and restarts what differs.
func (s *stage) setScene(ctx context.Context, patch string) error {
	if err := s.workspace.Restore(ctx); err != nil {
		return err
	}
	s.patch = patch
	if base := s.problem.Judge.Patch; base != "" {
		if err := s.apply(ctx, base); err != nil {
			return err
		}
	}
	if patch != "" {
		if err := s.apply(ctx, path.Join(faultsDir, patch)); err != nil {
			return err
		}
	}
	return s.workspace.Reload() // hotseat.toml may be what a patch changes
}

// apply applies a patch that the problem carries.
func (s *stage) apply(ctx context.Context, name string) error {
	text, err := fs.ReadFile(s.problem.Files, name)
	if err != nil {
		return err
	}
	file := filepath.Join(s.dir, path.Base(name))
	if err := os.WriteFile(file, text, 0o644); err != nil {
		return err
	}
	if err := s.workspace.Apply(ctx, file); err != nil {
		return err
	}
	return os.Remove(file)
}

// trial is one run of the benchmark in a scene.
type trial struct {
	c        *Case
	proxied  bool // even without any tampering
	seed     uint64
	disabled []string          // rules
	params   map[string]string // over the case's

	spoilable bool // a run that our own side spoiled counts as well
}

// run sets the scene and lets the benchmark run, as often as the case wants. The
// last outcome is the one that counts.
func (s *stage) run(ctx context.Context, t trial) (*runner.Outcome, error) {
	if s.patch != t.c.Patch {
		if err := s.setScene(ctx, t.c.Patch); err != nil {
			return nil, err
		}
	}
	if s.problem.Judge.Reset {
		if err := s.runner.Reset(ctx, s.workspace); err != nil {
			return nil, err
		}
	}
	params := maps.Clone(s.problem.Judge.Params)
	if params == nil {
		params = map[string]string{}
	}
	maps.Copy(params, t.c.Params)
	maps.Copy(params, t.params)
	var last *runner.Outcome
	for i := range max(t.c.Runs, 1) {
		discard(last) // it is not the one that counts
		var err error
		if last, err = s.onceOrTwice(ctx, t, t.seed+uint64(i), params); err != nil {
			return nil, err
		}
	}
	return last, nil
}

// onceOrTwice runs again what our own side spoiled, for instance because the
// machine was too busy: such a run tells nothing about the case. If it happens
// twice it is no accident.
func (s *stage) onceOrTwice(ctx context.Context, t trial, seed uint64, params map[string]string) (*runner.Outcome, error) {
	outcome, err := s.once(ctx, t, seed, params)
	if err != nil || outcome.Result.Verdict != hotseat.Infra || t.spoilable {
		return outcome, err
	}
	discard(outcome)
	return s.once(ctx, t, seed, params)
}

func (s *stage) once(ctx context.Context, t trial, seed uint64, params map[string]string) (*runner.Outcome, error) {
	o := runner.Options{
		Problem: s.problem, Workspace: s.workspace, Duration: s.problem.Judge.Load(), Params: params, Seed: &seed,
		Measure: runner.MeasureOff, NoReport: true, Note: t.c.Name,
		DisabledRules: t.disabled, RunsDir: filepath.Join(s.dir, "runs"),
	}
	if t.proxied || len(t.c.Tampers) > 0 {
		stack, err := s.runner.Up(ctx, s.workspace)
		if err != nil {
			return nil, err
		}
		p, err := startProxy(stack.URL, t.c.Tampers, seed)
		if err != nil {
			return nil, fmt.Errorf("tampering proxy: %w", err)
		}
		defer func() { _ = p.Close() }() // a listener less; nothing depends on it
		o.Target = p.url
	}
	outcome, err := s.runner.Run(ctx, o)
	if ctx.Err() != nil {
		return nil, ctx.Err() // an interrupted run tells nothing about the case
	}
	return outcome, err
}

// seedOf is a case's own seed: another one for each, the same every time. It is
// small enough to be exact as a JSON number everywhere.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64() >> 12
}

// randomSeed is one that is exact as a JSON number everywhere.
func randomSeed() uint64 { return rand.Uint64() >> 12 }

// discard removes the folder of a run that nobody needs any more.
func discard(o *runner.Outcome) {
	if o != nil {
		_ = os.RemoveAll(o.Dir) // at the latest it goes with the stage
	}
}

// seconds since began, to a tenth.
func seconds(began time.Time) float64 {
	s, _ := strconv.ParseFloat(strconv.FormatFloat(time.Since(began).Seconds(), 'f', 1, 64), 64)
	return s
}
