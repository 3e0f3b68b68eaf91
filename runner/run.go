package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"hotseat"
	"hotseat/measure"
	"hotseat/problem"
	"hotseat/report"
)

// Runner does runs, and whatever else needs a workspace's stack.
type Runner struct {
	// Exe is the command line that reaches our hidden commands: usually the
	// path of this executable alone.
	Exe       []string
	CacheRoot string // see cache.Root
	Log       *slog.Logger
	Observer  Observer
}

// Observer is told what goes on. Its functions may be nil.
type Observer struct {
	// Step is called when something begins that takes time. The function it
	// returns, if not nil, is called when that is over.
	Step  func(text string) (done func(error))
	Event func(hotseat.Event)
	// Line is given each line of the benchmark's output as it came, event or not.
	Line func([]byte)
}

func (o Observer) step(format string, args ...any) (done func(error)) {
	if o.Step != nil {
		if done := o.Step(fmt.Sprintf(format, args...)); done != nil {
			return done
		}
	}
	return func(error) {}
}

// Options are the choices of one run.
type Options struct {
	Problem   *problem.Problem
	Workspace *problem.Workspace // nil: the stack is somebody else's

	Target string // URL; empty: the workspace's stack
	Init   string // command line of the init script; empty: the problem's
	Data   string // folder of truth; empty: the problem's generated one

	Duration time.Duration // of the load; 0: the problem's
	Params   map[string]string
	Seed     *uint64 // nil: random
	Measure  Measure
	Note     string
	Replay   string // USER:STEP of docs/protocol.md; empty: an ordinary run

	DisabledRules []string // for the judge only
	RunsDir       string   // empty: the workspace's
	NoReport      bool     // write no report.html
}

// Measure says how much is measured around a run.
type Measure string

// The levels of measuring.
const (
	MeasureFull Measure = "full"
	MeasureOff  Measure = "off"
)

// Outcome is a finished run.
type Outcome struct {
	Result *hotseat.Result
	Dir    string // the run's folder
	Exit   int    // the benchmark's own exit status, -1 if a signal ended it
}

// Run does one run. An error means that there was none: the input was wrong, the
// stack would not start, or the run's folder could not be written. Whatever
// happens once the benchmark has started ends in a result.
func (r *Runner) Run(ctx context.Context, o Options) (*Outcome, error) {
	if err := r.complete(&o); err != nil {
		return nil, err
	}
	if err := CompleteKilled(o.RunsDir); err != nil {
		return nil, err
	}
	truth, err := r.truth(ctx, o)
	if err != nil {
		return nil, err
	}
	stack, err := r.stackOf(ctx, o)
	if err != nil {
		return nil, err
	}

	if o.Workspace != nil {
		r.quietDisk(ctx, o.Workspace.Dir)
	}

	began := time.Now()
	result := r.firstResult(ctx, o, stack, began)
	folder, err := newFolder(o.RunsDir, began, result)
	if err != nil {
		return nil, err
	}
	s := newSession(r, o, stack, folder)
	refused, allowed := stack.refusals(ctx)
	if err := s.start(ctx, truth, result.Seed); err != nil {
		folder.discard()
		return nil, err
	}
	ending := s.watch(ctx)

	r.closeCollectors(ctx, s, result)
	s.collected(func(c *collector) { c.fill(result) })
	result.ElapsedS = time.Since(began).Seconds()
	if err := s.conclude(ending, result); err != nil {
		if ending.kind == endedUsage {
			folder.discard()
		}
		return nil, err
	}
	s.nameCause(context.WithoutCancel(ctx), refused, allowed, result)
	result.Limits = stack.limits(ctx)
	settle(result)
	if s.picture != nil {
		result.Findings = adviceOn(result, s.picture, folder.dir).Findings
	}
	stack.keepLogs(folder.dir)
	if err := folder.finish(result); err != nil {
		return nil, err
	}
	if !o.NoReport {
		if _, err := report.Save(folder.dir); err != nil {
			return nil, noSpaceHint(err)
		}
	}
	return &Outcome{Result: result, Dir: folder.dir, Exit: s.bench.exitStatus()}, nil
}

// complete fills in what the caller left open and refuses what cannot be.
func (r *Runner) complete(o *Options) error {
	switch {
	case o.Duration < 0:
		return hotseat.Invalid("for instance --duration 60s", "the duration is negative: %s", o.Duration)
	case o.Duration == 0:
		o.Duration = o.Problem.Benchmark.Load()
	}
	if o.Measure == "" {
		o.Measure = MeasureFull
	}
	if o.Measure != MeasureFull && o.Measure != MeasureOff {
		return hotseat.Invalid("--measure full or --measure off", "unknown level of measuring %q", o.Measure)
	}
	if o.Workspace == nil && o.Target == "" {
		return hotseat.Invalid("go into a workspace, or give --target, --init and --data", "there is no stack to run against")
	}
	if o.RunsDir == "" {
		if o.Workspace == nil {
			o.RunsDir = "runs"
		} else {
			o.RunsDir = o.Workspace.RunsDir()
		}
	}
	params := maps.Clone(o.Problem.Benchmark.Params)
	if params == nil {
		params = map[string]string{}
	}
	maps.Copy(params, o.Params)
	o.Params = params
	return nil
}

// truth returns the folder that the benchmark checks against.
func (r *Runner) truth(ctx context.Context, o Options) (string, error) {
	if o.Data != "" {
		if info, err := os.Stat(o.Data); err != nil || !info.IsDir() {
			return "", hotseat.NotFound("--data names the folder of the problem's truth files; docs/protocol.md lists them", "no folder %s", o.Data)
		}
		return filepath.Abs(o.Data)
	}
	if o.Problem.Data.Truth == "" {
		return "", nil
	}
	done := r.Observer.step("Generating data")
	var dir string
	var err error
	if o.Workspace != nil {
		dir, err = o.Workspace.Generated(ctx, r.CacheRoot)
	} else {
		dir, err = o.Problem.Generated(ctx, r.CacheRoot, o.Problem.Data.Profile)
	}
	done(err)
	return filepath.Join(dir, o.Problem.Data.Truth), err
}

// stackOf brings the workspace's stack up to date; without a workspace there is
// none of ours.
func (r *Runner) stackOf(ctx context.Context, o Options) (*Stack, error) {
	if o.Workspace == nil {
		return nil, nil
	}
	return r.up(ctx, o.Workspace, o.Measure == MeasureFull)
}

// firstResult is what is known before anything has happened. Its verdict is what
// a run that ends here deserves.
func (r *Runner) firstResult(ctx context.Context, o Options, stack *Stack, began time.Time) *hotseat.Result {
	result := &hotseat.Result{
		Schema:  hotseat.ResultSchema,
		Problem: o.Problem.ID, ProblemVersion: o.Problem.Version,
		StartedAt: began.UTC(),
		Verdict:   hotseat.Infra, Reason: hotseat.ReasonInterrupted,
		Points: map[string]int64{}, Phases: []hotseat.Phase{}, Endpoints: []hotseat.Endpoint{},
		Failures: []hotseat.FailureGroup{}, Rules: map[string]int64{}, Processes: []hotseat.ProcessUse{},
		Findings: []hotseat.Finding{},
		Host:     measure.Host(),
		Params:   o.Params,
		Note:     o.Note,
		Target:   o.Target,
	}
	if o.Seed != nil {
		result.Seed = *o.Seed
	} else {
		result.Seed = randomSeed()
	}
	if o.Workspace != nil {
		result.Commit, result.Dirty = o.Workspace.Commit(ctx)
		result.Ran = stack.Ran
		if result.Target == "" {
			result.Target = stack.URL
		}
	}
	return result
}

// closeCollectors takes the last samples, even of a run that was interrupted.
func (r *Runner) closeCollectors(ctx context.Context, s *session, result *hotseat.Result) {
	result.Measure = json.RawMessage(`{"level":"off"}`)
	if s.sampler == nil {
		return
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	summary, err := s.sampler.Stop(last)
	if err != nil && !errors.Is(err, unix.ENOSPC) { // a full disk is told once, by who cannot go on
		r.Log.Warn("measuring", "error", err)
	}
	if summary == nil {
		return
	}
	result.Processes = summary.Processes
	if s.measuring != nil {
		picture := s.measuring.finish(context.WithoutCancel(ctx), s.sampler, result, s.folder.dir)
		result.Queries = queriesOf(picture)
		s.picture = picture
		if err := writePicture(s.folder.dir, picture); err != nil {
			r.Log.Warn("measuring", "error", err)
		}
	}
	if summary.Database != nil {
		s.collected(func(c *collector) {
			if c.verdict != nil {
				summary.Database.PerEndpoint(c.verdict.Endpoints)
			}
		})
	}
	measured := struct {
		Level Measure `json:"level"`
		*measure.Summary
		Cost *Cost `json:"cost,omitempty"` // to the score, if an A/B of runs found it out
	}{Level: MeasureFull, Summary: summary}
	if s.stack != nil {
		measured.Cost = rememberedCost(s.stack.workspace)
	}
	text, err := json.Marshal(measured)
	if err != nil {
		r.Log.Warn("measuring", "error", err)
		return
	}
	result.Measure = text
}

// errorOf makes an error of a benchmark's complaint about its input.
func errorOf(v *hotseat.VerdictEvent) error {
	if v == nil {
		return errors.New("the benchmark refused its input")
	}
	return hotseat.Invalid(v.Hint, "%s", v.Reason)
}
