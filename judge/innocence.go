package judge

import (
	"context"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/problem"
	"hotseat/runner"
)

// InnocenceOptions are the choices of [Innocence].
type InnocenceOptions struct {
	Problem *problem.Problem
	Runner  *runner.Runner
	Runs    int
	Dir     string // where the temporary folder is made; empty: the system's

	Done func(InnocentRun) // told of each run; may be nil
}

// InnocenceReport is what came of running the correct app again and again.
type InnocenceReport struct {
	Problem  string        `json:"problem"`
	Runs     int           `json:"runs"`
	Accused  int           `json:"accused"`  // of a wrong or of too many slow answers: the verdict was fail
	Troubled int           `json:"troubled"` // verdict infra: nobody was accused, but nothing was shown either
	Each     []InnocentRun `json:"each"`
	ElapsedS float64       `json:"elapsed_s"`
	Kept     string        `json:"kept,omitempty"` // the folder with workspace and runs, if something was not ok
}

// InnocentRun is one of them.
type InnocentRun struct {
	Number    int             `json:"number"` // from 1
	Seed      uint64          `json:"seed"`
	Workload  int             `json:"workload,omitempty"` // of the parameter that varies, if one does
	Contended bool            `json:"contended"`          // something else wanted all processors
	Verdict   hotseat.Verdict `json:"verdict"`
	Score     int64           `json:"score"`
	Codes     []string        `json:"codes"`
	OK        bool            `json:"ok"`
	Problem   string          `json:"problem,omitempty"`
	Run       string          `json:"run,omitempty"`
	ElapsedS  float64         `json:"elapsed_s"`
}

// OK reports whether every run passed.
func (r *InnocenceReport) OK() bool { return r.Accused+r.Troubled == 0 }

const (
	mostOfValue    = 8 // the parameter that varies goes through 1 to this
	contendedEvery = 3 // runs
)

// Innocence runs the benchmark against the judge's correct app again and again:
// seeds at random, the problem's [judge] vary from 1 to 8 in turn, rules strict, and
// every third time with something else at work on all processors. Not once may it be
// accused.
func Innocence(ctx context.Context, o InnocenceOptions) (report *InnocenceReport, err error) {
	began := time.Now()
	s, err := openStage(ctx, o.Problem, o.Runner, o.Dir)
	if err != nil {
		return nil, err
	}
	report = &InnocenceReport{Problem: o.Problem.ID, Each: []InnocentRun{}}
	defer func() {
		report.Kept, err = s.finish(ctx, report.OK(), err)
		report.ElapsedS = seconds(began)
	}()
	for n := 1; n <= o.Runs; n++ {
		run, err := s.innocentRun(ctx, n)
		if err != nil {
			return report, err
		}
		report.add(run)
		if o.Done != nil {
			o.Done(run)
		}
	}
	return report, nil
}

func (r *InnocenceReport) add(run InnocentRun) {
	r.Runs++
	r.Each = append(r.Each, run)
	switch run.Verdict {
	case hotseat.Pass:
	case hotseat.Fail:
		r.Accused++
	default:
		r.Troubled++
	}
}

func (s *stage) innocentRun(ctx context.Context, n int) (InnocentRun, error) {
	began := time.Now()
	run := InnocentRun{Number: n, Seed: randomSeed(), Contended: n%contendedEvery == 0}
	var params map[string]string
	if vary := s.problem.Judge.Vary; vary != "" {
		run.Workload = 1 + (n-1)%mostOfValue
		params = map[string]string{vary: strconv.Itoa(run.Workload)}
	}
	if run.Contended {
		defer burn(runtime.NumCPU())()
	}
	outcome, err := s.run(ctx, trial{c: &Case{Name: untouched}, seed: run.Seed, spoilable: true, params: params})
	if err != nil {
		return run, err
	}
	r := outcome.Result
	run.Verdict, run.Codes, run.OK = r.Verdict, codesOf(r), r.Verdict == hotseat.Pass
	if r.Score != nil {
		run.Score = *r.Score
	}
	run.ElapsedS = seconds(began)
	if run.OK {
		discard(outcome)
	} else {
		run.Run = outcome.Dir
		run.Problem = r.Reason + seen(r)
	}
	return run, nil
}

// burn keeps n processors busy until the function that it returns is called.
func burn(n int) (stop func()) {
	var over atomic.Bool
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for x := 1.0; !over.Load(); x *= 1.000001 {
				for range 1000 {
					x += 1 / x
				}
			}
		})
	}
	return func() {
		over.Store(true)
		wg.Wait()
	}
}
