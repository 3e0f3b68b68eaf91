package bench

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/netip"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/bench/check"
	"hotseat/bench/tally"
	"hotseat/bench/wire"
)

// Run is one execution of a [Contest]. Its methods may be called from any
// goroutine.
type Run struct {
	contest    *Contest
	opts       *options
	start      time.Time
	cookieHost string // the target's name as cookies know it

	ctx    context.Context // done when the run is to stop at once
	cancel context.CancelFunc

	rules    *ruleBook
	tags     map[string]tally.Tag
	tally    *tally.Tally
	failures *failureLog
	events   *emitter
	parent   parent
	gen      *generator
	alive    pulse
	captures captures
	seen     sightings
	answers  sync.Map // of check.Checker to the []*rule that it answers for
	stats    []paddedStats

	addresses *addresses   // of Contest.Sources; nil without it
	visitors  atomic.Int64 // users that are in no population, so far

	phase     atomic.Pointer[string]
	loading   atomic.Bool   // load or drain
	loadEnded chan struct{} // closed at the load's end
	deadline  atomic.Int64  // of the phase, for the watchdog; since start
	loadEnd   atomic.Int64  // planned end of the load, since start; 0 outside it
	working   atomic.Int64  // users at work
	stuck     atomic.Bool   // some goroutine is given up; author code may block for ever

	mu          sync.Mutex
	outcome     *outcome
	users       []*User
	populations []*crowd
	exercised   []int64 // by rule index, of users that have ended
	remarks     []string

	logMu sync.Mutex
	log   io.Writer

	skip      func(rule string) bool
	disagreed func(check.Disagreement)
}

// paddedStats keeps the counters of different users out of each other's cache lines.
type paddedStats struct {
	wire.Stats
	_ [128]byte
}

// outcome is a verdict that was reached before the end.
type outcome struct {
	verdict hotseat.Verdict
	reason  string
	hint    string
	usage   bool
}

// decide settles the verdict and stops the run; the first decision holds.
func (r *Run) decide(o outcome) {
	r.mu.Lock()
	if r.outcome == nil {
		o.reason = line(o.reason, 500)
		r.outcome = &o
	}
	r.mu.Unlock()
	r.cancel()
}

// decided returns the early verdict, nil without one.
func (r *Run) decided() *outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.outcome
}

// Param returns the value of a declared parameter, or its default. It panics
// about a name that was not declared.
func (r *Run) Param(name string) string {
	value, ok := r.opts.params[name]
	if !ok {
		panic(authorError(fmt.Sprintf("parameter %q is not in Contest.Params", name)))
	}
	return value
}

// Int returns the value of a parameter whose Check admits only integers, such
// as [IntBetween].
func (r *Run) Int(name string) int {
	n, err := strconv.Atoi(r.Param(name))
	if err != nil {
		panic(authorError(fmt.Sprintf("parameter %s: %v", name, err)))
	}
	return n
}

// IntBetween is a Check for parameters that are whole numbers.
func IntBetween(least, most int) func(value string) error {
	return func(value string) error {
		n, err := strconv.Atoi(value)
		if err != nil || n < least || n > most {
			return fmt.Errorf("want a whole number from %d to %d, not %q", least, most, value)
		}
		return nil
	}
}

// Strict reports whether the run is judged by rules=strict, in contrast to original.
func (r *Run) Strict() bool { return r.Param(paramRules) == rulesStrict }

// Data returns the folder of --data, where the truth is kept; "" without one.
func (r *Run) Data() string { return r.opts.data }

// Target returns the target as --target gave it.
func (r *Run) Target() string { return r.opts.rawTarget }

// Duration returns how long the load lasts.
func (r *Run) Duration() time.Duration { return r.opts.duration }

// Seed returns the seed of the run.
func (r *Run) Seed() uint64 { return r.opts.seed }

// Rand returns dice of their own for these labels: the same for the same seed
// and labels. They are not safe for concurrent use.
func (r *Run) Rand(labels ...any) *rand.Rand {
	pcg := new(rand.PCG)
	pcg.Seed(r.seeds(labels...))
	return rand.New(pcg)
}

// seeds derives 128 bits from the run's seed and labels.
func (r *Run) seeds(labels ...any) (uint64, uint64) {
	text := fmt.Appendf(nil, "%d", r.opts.seed)
	for _, l := range labels {
		text = fmt.Appendf(text, "\x00%v", l)
	}
	sum := sha256.Sum256(text)
	return binary.LittleEndian.Uint64(sum[:8]), binary.LittleEndian.Uint64(sum[8:16])
}

// RuleOn reports whether a rule has not been switched off by --disable-rule.
func (r *Run) RuleOn(rule string) bool { return !r.rule(rule).off }

// rule returns a declared rule.
func (r *Run) rule(id string) *rule {
	found := r.rules.byID[id]
	if found == nil {
		panic(authorError(fmt.Sprintf("rule %q is not in Contest.Rules", id)))
	}
	return found
}

// tag returns a declared tag.
func (r *Run) tag(name string) tally.Tag {
	t, ok := r.tags[name]
	if !ok {
		panic(authorError(fmt.Sprintf("point tag %q is not in Contest.Tags", name)))
	}
	return t
}

// Log prints a line for the team or for the administrator; see
// hotseat.AudienceTeam and hotseat.AudienceAdmin. More than 50 lines a second
// are dropped, and counted.
func (r *Run) Log(audience, format string, args ...any) {
	message := line(fmt.Sprintf(format, args...), maxExcerpt)
	r.events.emit(hotseat.Event{Type: hotseat.EventLog, AtS: r.Elapsed().Seconds(),
		LogEvent: &hotseat.LogEvent{Audience: audience, Message: message}})
}

// maxRemarks bounds what a scenario can say in the verdict.
const maxRemarks = 20

// Remark says in one line what the contestant should know of this run beside
// verdict and score, whatever they are: that a limit of the benchmark was reached, or that
// it went on otherwise than the target asked for. It stands in the result and the report.
func (r *Run) Remark(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.remarks) < maxRemarks {
		r.remarks = append(r.remarks, line(fmt.Sprintf(format, args...), 300))
	}
}

// Refuse ends the run as one that cannot be: nobody's failure, exit status 2, as an
// error of [Contest].Prepare does. For what shows only when the target has been asked, such as
// data that do not belong together.
func (r *Run) Refuse(err error) { r.refuse(err) }

// note writes words of the engine for the administrator to its log.
func (r *Run) note(format string, args ...any) {
	r.logMu.Lock()
	defer r.logMu.Unlock()
	_, _ = fmt.Fprintf(r.log, format+"\n", args...) // nobody to tell if it fails
}

// LoadEnded reports whether the load's time is up.
func (r *Run) LoadEnded() bool {
	select {
	case <-r.loadEnded:
		return true
	default:
		return false
	}
}

// draining reports whether users are in the iteration that began before the load's end.
func (r *Run) draining() bool { return r.loading.Load() && r.LoadEnded() }

// Elapsed returns the time since the run started: what the at_s of events is.
func (r *Run) Elapsed() time.Duration { return time.Since(r.start) }

// phaseName returns the phase the run is in.
func (r *Run) phaseName() string {
	if name := r.phase.Load(); name != nil {
		return *name
	}
	return ""
}

// newUser makes a user that lives until ctx is done.
func (r *Run) newUser(ctx context.Context, p *population, id int, source netip.Addr) *User {
	u := &User{ID: id, Population: p.name, Run: r, ctx: ctx, tally: r.tally.User(), exercised: make([]int64, len(r.rules.all)), source: source}
	if r.opts.replay.of(u) {
		u.ctx, u.cutReplay = context.WithCancel(ctx)
	}
	u.pcg.Seed(r.seeds("user", p.name, id))
	u.Rand = rand.New(&u.pcg)
	target := r.opts.target
	target.Source = source
	u.client = wire.NewClient(wire.Options{Target: target, Limits: r.contest.Limits, MaxConns: p.maxConns, MaxIdle: p.maxIdle,
		AcceptEncoding: acceptEncoding, Jar: &u.jar, Events: &r.stats[id%len(r.stats)].Stats})
	r.mu.Lock()
	r.users = append(r.users, u)
	r.mu.Unlock()
	r.working.Add(1)
	return u
}

// retire ends a user and adds up what it had counted by itself.
func (r *Run) retire(u *User) {
	u.client.Close()
	u.endIteration()
	if u.cutReplay != nil {
		u.cutReplay()
	}
	u.steps = nil
	r.working.Add(-1)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, n := range u.exercised {
		r.exercised[i] += n
	}
}

func (r *Run) allUsers() []*User {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.users[:len(r.users):len(r.users)]
}

// exercise counts a base rule that no user exercises.
func (r *Run) exercise(slug string) {
	if b := r.rules.base(slug); !b.off {
		r.mu.Lock()
		r.exercised[b.index]++
		r.mu.Unlock()
	}
}

// Alone runs a scenario with a user of its own and waits for it, for instance
// to initialise by a request. It returns the first failure, or ErrCut. Requests
// keep to [Contest].Limits: give one that may take longer a [Step.Within].
func (r *Run) Alone(ctx context.Context, s Scenario) error {
	// The run may end while the author's context goes on.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(r.ctx, cancel)()
	// From the end of the addresses, out of the way of the populations.
	var source netip.Addr
	if n := r.visitors.Add(1) - 1; r.addresses != nil {
		source = r.addresses.fromEnd(int(n))
	}
	u := r.newUser(ctx, &population{name: s.Name}, 1, source)
	defer r.retire(u)
	var failed *Failed
	r.iterate(u, func() error {
		err := s.Run(u)
		errors.As(err, &failed) // of another user that worked for this one
		return err
	})
	switch {
	case u.first != nil:
		return u.first
	case failed != nil:
		return failed
	case u.Cut():
		return ErrCut
	default:
		return nil
	}
}

// iterate runs one iteration or scenario of a user and reports whether it was clean.
func (r *Run) iterate(u *User, work func() error) (clean bool) {
	err := r.guard(u, work)
	if err == nil {
		return !u.failed
	}
	var failed *Failed
	if !errors.As(err, &failed) && !errors.Is(err, ErrCut) && !u.Cut() {
		r.authorFailure(u, codeScenarioBug, fmt.Sprintf("the scenario returned an error that is not a recorded failure: %v", err), "")
	}
	return false
}

// guard calls author code and turns a panic into an author failure.
func (r *Run) guard(u *User, work func() error) (err error) {
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		stack := string(debug.Stack())
		var misuse authorError
		switch e := v.(type) {
		case nil: // runtime.Goexit
			r.authorFailure(u, codeScenarioBug, "the scenario ended its goroutine", stack)
		case error:
			if errors.As(e, &misuse) {
				r.authorFailure(u, codeScenarioBug, misuse.Error(), stack)
			} else {
				r.authorFailure(u, codePanic, "panic: "+e.Error(), stack)
			}
		default:
			r.authorFailure(u, codePanic, fmt.Sprintf("panic: %v", v), stack)
		}
		err = ErrCut
	}()
	err = work()
	returned = true
	return err
}

// authorFailure records a mistake of the scenario and stops the run with verdict infra.
func (r *Run) authorFailure(u *User, code, message, stack string) {
	f := hotseat.Failure{Class: hotseat.ClassAuthor, Code: code, Side: hotseat.SideBench, Phase: r.phaseName(),
		AtS: r.Elapsed().Seconds(), Message: line(message, 300), Hint: "this is a mistake of the benchmark, not of the target"}
	where := "outside of any user"
	if u != nil {
		f.Scenario, f.User = u.Population, u.ID
		where = fmt.Sprintf("user %d of %s", u.ID, u.Population)
	}
	r.fail(&f, func() { f.Actual = safe(authorFrames(stack), 2*maxExcerpt) })
	if stack != "" {
		r.note("%s: %s in phase %s: %s\n%s", code, where, f.Phase, message, stack)
	}
	r.decide(outcome{verdict: hotseat.Infra, reason: fmt.Sprintf("%s (%s, %s, seed %d)", f.Message, code, where, r.opts.seed)})
}

// authorFrames drops the frames of the recovery itself from a stack.
func authorFrames(stack string) string {
	if _, after, ok := strings.Cut(stack, "\npanic("); ok {
		if _, after, ok = strings.Cut(after, "\n\t"); ok {
			if _, after, ok = strings.Cut(after, "\n"); ok {
				return after
			}
		}
	}
	return stack
}

// Main runs the contest as a program of its own: with the arguments, standard
// input and output of this process, and ends it.
func Main(c Contest) { os.Exit(Execute(c, os.Args[1:])) }
