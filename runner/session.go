package runner

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/measure"
	"hotseat/stack"
)

// session is a run from the start of the benchmark to its end.
type session struct {
	runner    *Runner
	options   Options
	stack     *Stack // nil: somebody else's
	folder    *folder
	log       *os.File
	began     time.Time
	bench     *benchmark
	sampler   *measure.Sampler
	measuring *measuring         // nil without a stack of ours, or with --measure off
	picture   *measure.Picture   // what measuring saw, once it is over
	crashes   <-chan stack.Event // nil without a stack
	notBack   chan error         // a server that did not come back from a restart

	restarting atomic.Bool // the benchmark asked for it, and it is going on

	stopCollecting context.CancelFunc
	replies        sync.WaitGroup

	mu        sync.Mutex // guards what the benchmark's output changes
	collector *collector
	writeErr  error
}

func newSession(r *Runner, o Options, s *Stack, f *folder) *session {
	return &session{runner: r, options: o, stack: s, folder: f, collector: newCollector(), notBack: make(chan error, 1)}
}

// collected gives f what the benchmark told so far.
func (s *session) collected(f func(*collector)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(s.collector)
}

// start opens the collectors and starts the benchmark.
func (s *session) start(ctx context.Context, truth string, seed uint64) (err error) {
	s.log, err = os.Create(filepath.Join(s.folder.dir, "bench.log"))
	if err != nil {
		return noSpaceHint(err)
	}
	defer func() {
		if err != nil {
			s.close(ctx)
		}
	}()
	collecting, cancel := context.WithCancel(ctx)
	s.stopCollecting = cancel
	if s.stack != nil {
		s.crashes, err = s.stack.client.Events(collecting, 0)
		if err != nil {
			return err
		}
	}
	if s.stack != nil && s.options.Measure == MeasureFull {
		s.measuring = startMeasuring(ctx, s.stack, s.folder.dir)
		defer func() {
			if err != nil {
				s.measuring.abandon()
			}
		}()
	}
	s.began = time.Now()
	argv, env, dir, err := s.commandLine(truth, seed)
	if err != nil {
		return err
	}
	s.bench, err = startBenchmark(argv, env, dir, s.log, s.line)
	if err != nil {
		return err
	}
	if s.options.Measure == MeasureFull {
		o := measure.Options{Path: filepath.Join(s.folder.dir, "samples.jsonl"), Groups: s.groups}
		if s.stack != nil {
			o.Database, o.Details = s.stack.counters, true
		}
		s.sampler, err = measure.Start(context.WithoutCancel(ctx), o)
		if err != nil {
			s.bench.end(false)
			return noSpaceHint(err)
		}
	}
	return nil
}

// close gives back what start took.
func (s *session) close(context.Context) {
	if s.stopCollecting != nil {
		s.stopCollecting()
	}
	s.replies.Wait()
	_ = s.log.Close()
}

// commandLine is how the benchmark is started.
func (s *session) commandLine(truth string, seed uint64) (argv, env []string, dir string, err error) {
	o := s.options
	target, init := o.Target, o.Init
	env = os.Environ()
	if s.stack != nil {
		dir, env = s.stack.workspace.Dir, s.stack.Env
		if target == "" {
			target = s.stack.URL
		}
		if init == "" {
			init = shellJoin(o.Problem.Init.Command)
		}
	}
	if own := o.Problem.Benchmark.Command; len(own) > 0 {
		argv = slices.Clone(own)
		if strings.ContainsRune(argv[0], filepath.Separator) && !filepath.IsAbs(argv[0]) {
			argv[0] = filepath.Join(o.Problem.Dir, argv[0])
		}
	} else {
		argv = append(slices.Clone(s.runner.Exe), "_benchmark", o.Problem.ID)
	}
	argv = append(argv, "--target", target, "--duration", o.Duration.String(), "--seed", strconv.FormatUint(seed, 10))
	if init != "" {
		argv = append(argv, "--init", init)
	}
	if truth != "" {
		argv = append(argv, "--data", truth)
	}
	for _, k := range slices.Sorted(maps.Keys(o.Params)) {
		argv = append(argv, "--param", k+"="+o.Params[k])
	}
	for _, rule := range o.DisabledRules {
		argv = append(argv, "--disable-rule", rule)
	}
	if o.Replay != "" {
		argv = append(argv, "--replay", o.Replay)
	}
	return argv, env, dir, nil
}

// shellJoin quotes argv for a POSIX shell.
func shellJoin(argv []string) string {
	quoted := make([]string, len(argv))
	for i, a := range argv {
		if a != "" && strings.Trim(a, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:") == "" {
			quoted[i] = a
		} else {
			quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// groups tells the sampler whose CPU is whose.
func (s *session) groups() map[string][]int {
	groups := map[string][]int{}
	if s.stack != nil {
		groups = s.stack.pids()
	}
	groups["benchmark"] = []int{s.bench.pid()}
	groups["hotseat"] = []int{os.Getpid()}
	return groups
}

// line takes one line of the benchmark's output. An error ends the benchmark:
// what cannot be kept must not go on.
func (s *session) line(line []byte) error {
	if s.runner.Observer.Line != nil {
		s.runner.Observer.Line(line)
	}
	e, err := parseLine(line)
	if err != nil {
		_, _ = fmt.Fprintf(s.log, "not an event (%v): %s\n", err, line)
		return nil
	}
	s.mu.Lock()
	s.collector.add(e)
	err = s.folder.event(line)
	if err != nil {
		s.writeErr = err
	}
	s.mu.Unlock()
	if err != nil {
		return err
	}
	if l := e.LogEvent; l != nil {
		_, _ = fmt.Fprintf(s.log, "[%s] %s\n", l.Audience, l.Message)
	}
	if e.PhaseEvent != nil && s.measuring != nil {
		s.measuring.phase(e.PhaseEvent)
	}
	if e.RequestEvent != nil {
		s.replies.Go(func() { s.answer(e.RequestEvent) })
	}
	if s.runner.Observer.Event != nil {
		s.runner.Observer.Event(e)
	}
	return nil
}

// answer does what the benchmark asks for, if the stack is ours.
func (s *session) answer(q *hotseat.RequestEvent) {
	reply := hotseat.Reply{ID: q.ID}
	switch {
	case s.stack == nil:
		reply.Error = "refused: the stack is somebody else's"
	case q.Action == hotseat.ActionRestartStack:
		ctx, cancel := context.WithTimeout(context.Background(), restartTime)
		defer cancel()
		s.restarting.Store(true)
		defer s.restarting.Store(false) // once its failure has been noted
		if err := s.stack.client.Restart(ctx); err != nil {
			reply.Error = err.Error()
			s.heldUp(err)
		}
	default:
		reply.Error = fmt.Sprintf("unknown action %q", q.Action)
	}
	reply.OK = reply.Error == ""
	_ = s.bench.reply(reply) // if it has gone meanwhile it does not wait for an answer
}

// restartTime is how long a restart may take that the benchmark asks for.
const restartTime = time.Minute

// heldUp notes that a restart came to nothing because servers were not ready again. Whatever
// else keeps the stack from restarting leaves it as it is.
func (s *session) heldUp(err error) {
	var failed *hotseat.Error
	if !errors.Is(err, context.DeadlineExceeded) && (!errors.As(err, &failed) || failed.Code != hotseat.CodeInvalid) {
		return
	}
	select {
	case s.notBack <- err:
	default: // one is enough
	}
}

// endKind is how a benchmark came to its end.
type endKind int

const (
	endedItself     endKind = iota
	endedUsage              // it refused its input
	endedInterrupt          // a person or a signal ended the run
	endedServerDied         // a server of the stack died under load
	endedNotBack            // a server was not ready again after a restart
	endedTooLong            // it did not end in time
	endedNoSpace            // its events could not be kept
)

type ending struct {
	kind  endKind
	crash stack.Event
	held  error // endedNotBack: why
	limit time.Duration
}

// watch waits until the benchmark has ended, one way or another.
func (s *session) watch(ctx context.Context) ending {
	defer s.close(ctx)
	limit := s.options.Duration + s.options.Problem.Benchmark.Limit()
	tooLong := time.NewTimer(limit)
	defer tooLong.Stop()
	for {
		select {
		case <-s.bench.exited:
			return s.ended()
		case <-ctx.Done():
			s.bench.end(false)
			return ending{kind: endedInterrupt}
		case <-tooLong.C:
			s.bench.end(true)
			return ending{kind: endedTooLong, limit: limit}
		case e, ok := <-s.crashes:
			if !ok {
				s.crashes = nil // the guardian is gone; the benchmark will notice
				continue
			}
			if s.diedNow(e) {
				s.bench.end(false)
				return s.gone(&e, nil)
			}
		case err := <-s.notBack:
			s.bench.end(false)
			return s.gone(nil, err)
		}
	}
}

// lateNews is how much later than its effect the news of a server's death may come.
const lateNews = 300 * time.Millisecond

// gone tells what ended the benchmark, by the news that has come of servers and by what may
// still be under way. One that ends while it is restarted is heard of twice, as a death and as
// a restart that came to nothing, and either may come first: the restart is what a reader has
// to know, unless it was memory that the server ended for, or all that is known of the restart
// is that it took too long.
func (s *session) gone(crash *stack.Event, held error) ending {
	late := time.NewTimer(lateNews)
	defer late.Stop()
	told := func() bool { return crash != nil && (held != nil || !s.restarting.Load() && len(s.notBack) == 0) }
	for waiting := true; waiting && !told(); {
		select {
		case e, ok := <-s.crashes:
			if !ok {
				s.crashes = nil
			} else if s.diedNow(e) {
				crash = &e
			}
		case held = <-s.notBack:
		case <-late.C:
			waiting = false
		}
	}
	switch {
	case crash != nil && (held == nil || crash.Exit.Memory != nil || errors.Is(held, context.DeadlineExceeded)):
		return ending{kind: endedServerDied, crash: *crash}
	case held != nil:
		return ending{kind: endedNotBack, held: held}
	}
	return ending{kind: endedItself}
}

// ended tells how a benchmark that is gone by itself ended. A server that died
// just before may be the cause, and its news still under way.
func (s *session) ended() ending {
	s.mu.Lock()
	writeErr, v := s.writeErr, s.collector.verdict
	s.mu.Unlock()
	switch {
	case writeErr != nil:
		return ending{kind: endedNoSpace}
	case v != nil && v.ExitUsage:
		return ending{kind: endedUsage}
	case len(s.notBack) == 0 && (v != nil && v.Verdict == hotseat.Pass || s.crashes == nil):
		return ending{kind: endedItself}
	}
	return s.gone(nil, nil)
}

// diedNow tells whether a server died in this run; a stack remembers earlier deaths too.
func (s *session) diedNow(e stack.Event) bool { return e.Crashed() && !e.At.Before(s.stack.upAt) }

// conclude decides what the benchmark's own verdict, or its lack, means.
func (s *session) conclude(end ending, r *hotseat.Result) error {
	switch end.kind {
	case endedNoSpace:
		return s.writeErr
	case endedUsage:
		return errorOf(s.collector.verdict)
	case endedInterrupt:
		r.Verdict, r.Reason = hotseat.Infra, hotseat.ReasonInterrupted
	case endedTooLong:
		r.Verdict = hotseat.Infra
		r.Reason = fmt.Sprintf("the benchmark did not end within %s and was killed; bench.log shows where it hung", end.limit)
	case endedServerDied:
		s.serverDied(end.crash, r)
	case endedNotBack:
		s.serverHeldUp(end.held, r)
	case endedItself:
		if s.collector.verdict == nil || !s.collector.verdict.Verdict.Valid() {
			reason, words := s.bench.obituary()
			r.Verdict, r.Reason = hotseat.Infra, reason
			s.benchFailure(r, reason, words)
		}
	default:
		return errors.New("a run ended in an unknown way")
	}
	return nil
}

// serverDied makes a server's death the cause of the failed run.
func (s *session) serverDied(crash stack.Event, r *hotseat.Result) {
	atS := time.Since(s.began).Seconds()
	message := fmt.Sprintf("%s died %.0f s into the run: %s", crash.Process, atS, crash.Exit)
	expected := crash.Process + " runs until it is stopped"
	r.Hint = "hotseat logs " + crash.Process
	if m := crash.Exit.Memory; m != nil {
		limit := strconv.FormatInt(m.LimitBytes>>20, 10)
		message = fmt.Sprintf("%s was killed at its memory limit of %s MB, %.0f s into the run: %s", crash.Process, limit, atS, m)
		expected = "all processes of the app together stay below " + limit + " MB"
		r.Hint = "keep less in memory (caches without a bound, whole uploads, large results); the limit is memory_mb in hotseat.toml"
	}
	s.dead(r, message, expected, strings.Join(crash.Exit.LastWords, "\n"))
}

// serverHeldUp makes a server that did not come back the cause of the failed run. Where all
// took too long together, nobody knows whose doing that is.
func (s *session) serverHeldUp(held error, r *hotseat.Result) {
	var failed *hotseat.Error
	if !errors.As(held, &failed) {
		r.Verdict = hotseat.Infra
		r.Reason = fmt.Sprintf("the stack was not ready again within %s of the restart that the benchmark asked for", restartTime)
		r.Hint = "hotseat logs shows what it was doing"
		return
	}
	r.Hint = failed.Hint
	s.dead(r, fmt.Sprintf("after a restart, %s", held), "all servers run again after a restart", failed.Detail)
}

// dead makes a server that is not there the cause of the failed run.
func (s *session) dead(r *hotseat.Result, message, expected, actual string) {
	r.Verdict, r.Reason = hotseat.Fail, message
	f := hotseat.Failure{
		Class: hotseat.ClassLifecycle, Code: "server-died", Rule: s.diedRule(r), Side: hotseat.SideTarget,
		Phase: s.collector.currentPhase(), AtS: time.Since(s.began).Seconds(), Message: message, Hint: r.Hint,
		Expected: expected, Actual: actual,
	}
	r.Failures = slices.Insert(r.Failures, 0, groupOf(f))
}

// diedRule is the id of the rule that servers stay alive, as the benchmark names
// it, if it does.
func (s *session) diedRule(r *hotseat.Result) string {
	for id := range r.Rules {
		if strings.HasSuffix(id, ".server-died") {
			return id
		}
	}
	return "hotseat.server-died"
}

// benchFailure records how the benchmark itself failed.
func (s *session) benchFailure(r *hotseat.Result, message, words string) {
	r.Failures = slices.Insert(r.Failures, 0, groupOf(hotseat.Failure{
		Class: hotseat.ClassAuthor, Code: "died", Side: hotseat.SideBench, Phase: s.collector.currentPhase(),
		AtS: time.Since(s.began).Seconds(), Message: message, Actual: words,
		Hint: "run it again; if it happens twice, report it with the run's folder",
	}))
}

func groupOf(f hotseat.Failure) hotseat.FailureGroup {
	return hotseat.FailureGroup{Class: f.Class, Code: f.Code, Rule: f.Rule, Side: f.Side, Count: 1,
		Message: f.Message, Hint: f.Hint, Samples: []hotseat.Failure{f}}
}

func randomSeed() uint64 {
	var b [8]byte
	_, _ = rand.Read(b[:])                        // never fails: crypto/rand ends the program instead
	return binary.LittleEndian.Uint64(b[:]) >> 11 // exact as a JSON number everywhere
}
