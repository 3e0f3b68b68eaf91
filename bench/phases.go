package bench

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"hotseat"
	"hotseat/bench/wire"
)

const (
	preflightEvery = 50 * time.Millisecond   // between attempts
	preflightOne   = 1500 * time.Millisecond // for one attempt
)

// phases is the run from beginning to end. A phase that decides the verdict
// cancels r.ctx, and the rest is left out.
func (r *Run) phases() {
	c := r.contest
	if c.Prepare != nil {
		r.inPhase(PhasePrepare, c.InitTimeout, r.prepare)
	}
	if r.initializes() {
		r.inPhase(PhaseInitialize, c.InitTimeout, r.initialize)
	}
	r.inPhase(PhasePreflight, r.contest.patience.preflight+preflightOne, r.preflight)
	if len(c.Verify) > 0 {
		r.inPhase(PhaseVerify, c.VerifyTimeout, func() bool { return r.alone(c.Verify, c.VerifyTimeout) })
	}
	if r.inVerify() {
		return
	}
	if c.Populations != nil {
		r.load()
	}
	if r.opts.replay != nil {
		return // what Finish looks for was not done
	}
	pause := c.Pause
	if c.PauseParam != "" {
		pause = time.Duration(r.Int(c.PauseParam)) * time.Second
	}
	if pause > 0 && len(c.Finish) > 0 {
		r.inPhase(PhasePause, pause, func() bool { return r.wait(pause) })
	}
	if len(c.Finish) > 0 {
		r.inPhase(PhaseFinish, c.FinishTimeout, func() bool { return r.alone(c.Finish, c.FinishTimeout) })
	}
}

// inPhase runs one phase and tells of its beginning and end.
func (r *Run) inPhase(name string, atMost time.Duration, work func() bool) {
	if r.ctx.Err() != nil {
		return
	}
	end := r.beginPhase(name, 0, atMost)
	end(work())
}

// beginPhase tells of a phase's beginning; what it returns tells of its end.
func (r *Run) beginPhase(name string, expected, atMost time.Duration) (end func(ok bool)) {
	began := r.Elapsed()
	r.phase.Store(&name)
	r.limit(atMost)
	r.events.emit(hotseat.Event{Type: hotseat.EventPhase, AtS: began.Seconds(),
		PhaseEvent: &hotseat.PhaseEvent{Phase: name, State: hotseat.PhaseBegin, OK: true, ExpectedS: expected.Seconds()}})
	return func(ok bool) {
		now := r.Elapsed()
		r.events.emit(hotseat.Event{Type: hotseat.EventPhase, AtS: now.Seconds(),
			PhaseEvent: &hotseat.PhaseEvent{Phase: name, State: hotseat.PhaseEnd, OK: ok, ElapsedS: (now - began).Seconds()}})
	}
}

// wait waits, and reports whether it was not interrupted.
func (r *Run) wait(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// prepare has the author load the truth.
func (r *Run) prepare() bool {
	err := r.guard(nil, func() error { return r.contest.Prepare(r) })
	if err == nil {
		return r.ctx.Err() == nil
	}
	if r.ctx.Err() == nil {
		r.refuse(err)
	}
	return false
}

// initializes reports whether this run brings the target back to its initial
// state: not every contest did.
func (r *Run) initializes() bool { return r.contest.Initialize != nil || r.opts.init != "" }

// initialize brings the target back to its initial state.
func (r *Run) initialize() bool {
	ctx, cancel := context.WithTimeout(r.ctx, r.contest.InitTimeout)
	defer cancel()
	work := r.contest.Initialize
	if work == nil {
		work = func(ctx context.Context, r *Run) error { return r.RunInit(ctx) }
	}
	err := r.guard(nil, func() error { return work(ctx, r) })
	r.exercise(ruleInitialize)
	if err == nil {
		return r.ctx.Err() == nil
	}
	if r.ctx.Err() != nil {
		return false
	}
	var failed *Failed
	if errors.As(err, &failed) && failed.Class.Side() == hotseat.SideBench {
		r.decide(outcome{verdict: hotseat.Infra, reason: failed.Message})
		return false
	}
	hint := "run the command by hand and look at its output"
	if failed != nil {
		hint = failed.Hint
	}
	r.engineFailure(hotseat.ClassLifecycle, CodeInitializeFailed, ruleInitialize, &Mismatch{
		Message: err.Error(), Actual: initOutput(err),
		Expected: fmt.Sprintf("initializing succeeds within %s", r.contest.InitTimeout), Hint: hint,
	})
	r.decide(outcome{verdict: hotseat.Fail, reason: CodeInitializeFailed + ": " + err.Error(), hint: hint})
	return false
}

// initOutput is what there is to see of a failed initialize.
func initOutput(err error) string {
	var command *initError
	if errors.As(err, &command) {
		return command.output
	}
	return err.Error()
}

// engineFailure records a failure that no user met.
func (r *Run) engineFailure(class hotseat.Class, code, slug string, m *Mismatch) {
	f := hotseat.Failure{Class: class, Code: code, Side: class.Side(), Phase: r.phaseName(), AtS: r.Elapsed().Seconds(),
		Message: line(m.Message, 300), Hint: m.Hint}
	if slug != "" {
		f.Rule = r.rules.base(slug).ID
	}
	r.fail(&f, func() {
		// The last of a command's output matters most.
		f.Expected, f.Actual = safe(m.Expected, maxExcerpt), safe(m.Actual[max(0, len(m.Actual)-2*maxExcerpt):], 2*maxExcerpt)
	})
}

// alone runs scenarios one after the other and reports whether all went well.
// In Verify the first failure decides the verdict; in Finish all are run, and
// the judge decides.
func (r *Run) alone(scenarios []Scenario, atMost time.Duration) bool {
	ctx, cancel := context.WithTimeout(r.ctx, atMost)
	defer cancel()
	ok := true
	for len(scenarios) > 0 && r.ctx.Err() == nil {
		together := 1
		for together < len(scenarios) && scenarios[together].Beside {
			together++
		}
		oks := make([]bool, together)
		var wait sync.WaitGroup
		for i, s := range scenarios[:together] {
			wait.Go(func() { oks[i] = r.once(ctx, s, atMost) })
		}
		wait.Wait()
		ok = ok && !slices.Contains(oks, false)
		if slices.ContainsFunc(scenarios[:together], r.opts.replay.isOf) {
			return ok // up to where it should be
		}
		scenarios = scenarios[together:]
	}
	return ok && r.ctx.Err() == nil
}

// once runs one scenario and reports whether it went well.
func (r *Run) once(ctx context.Context, s Scenario, atMost time.Duration) bool {
	err := r.Alone(ctx, s)
	if r.ctx.Err() != nil {
		return false
	}
	if err == nil || r.opts.replay.isOf(s) && errors.Is(err, ErrCut) && ctx.Err() == nil {
		return true
	}
	var failed *Failed
	if !errors.As(err, &failed) { // cut by the time limit
		failed = &Failed{Class: hotseat.ClassTimeout, Message: fmt.Sprintf("%s did not end within %s", s.Name, atMost)}
		r.engineFailure(hotseat.ClassTimeout, wire.CodeTimeout, ruleTimeout, &Mismatch{Message: failed.Message,
			Expected: "all of phase " + r.phaseName() + " takes at most " + atMost.String(), Actual: "it was still going on"})
	}
	if r.phaseName() == PhaseVerify {
		verdict := hotseat.Fail
		if failed.Class.Side() == hotseat.SideBench {
			verdict = hotseat.Infra
		}
		r.decide(outcome{verdict: verdict, hint: failed.Hint,
			reason: fmt.Sprintf("%s: %s: %s%s", PhaseVerify, s.Name, failed.where(), inBrackets(failed.Rule))})
	}
	return false
}

func inBrackets(rule string) string {
	if rule == "" {
		return ""
	}
	return " [" + rule + "]"
}

// preflight makes sure that somebody is there, so that a dead target is told
// at once and not after a minute of refused requests.
func (r *Run) preflight() bool {
	until := time.Now().Add(r.contest.patience.preflight)
	for {
		err := r.reach()
		if err == nil {
			return true
		}
		if r.ctx.Err() != nil {
			return false
		}
		if time.Now().After(until) {
			r.unreachable(err)
			return false
		}
		r.wait(preflightEvery)
	}
}

// unreachable ends the run because the preflight found nobody.
func (r *Run) unreachable(err error) {
	class, code := hotseat.ClassConnect, wire.CodeRefused
	var onWire *wire.Error
	var status badStatus
	switch {
	case errors.As(err, &onWire):
		class, code = hotseat.Class(onWire.Class), onWire.Code
	case errors.As(err, &status):
		class, code = hotseat.ClassStatus, hotseat.CodeStatus5xx
	}
	slug := ""
	if base := r.rules.ofClass(class); base != nil {
		slug = strings.TrimPrefix(base.ID, r.rules.prefix+".")
		r.exercise(slug)
	}
	message := fmt.Sprintf("the target %s cannot be reached: %v", r.opts.rawTarget, err)
	r.engineFailure(class, code, slug, &Mismatch{Message: message, Expected: "a server at " + r.opts.rawTarget,
		Actual: err.Error(), Hint: hintFor(wire.CodeRefused)})
	verdict := hotseat.Fail
	if class.Side() == hotseat.SideBench {
		verdict = hotseat.Infra
	}
	r.decide(outcome{verdict: verdict, reason: message, hint: hintFor(wire.CodeRefused)})
}

// badStatus is what a server answers that is not ready.
type badStatus struct {
	path   string
	status int
}

func (e badStatus) Error() string { return fmt.Sprintf("%s answers with status %d", e.path, e.status) }

// reach tries once to get a connection, and an answer where the contest names a path to ask.
func (r *Run) reach() error {
	ctx, cancel := context.WithTimeout(r.ctx, preflightOne)
	defer cancel()
	if r.contest.Ready == "" {
		conn, err := new(net.Dialer).DialContext(ctx, r.opts.target.Network, r.opts.target.Address)
		if err != nil {
			return err
		}
		return conn.Close()
	}
	client := wire.NewClient(wire.Options{Target: r.opts.target, Limits: Limits{Total: preflightOne}})
	defer client.Close()
	var resp wire.Response
	defer resp.Release()
	err := client.Do(ctx, &wire.Request{Path: r.contest.Ready, Header: []wire.Field{{Name: "User-Agent", Value: "hotseat-preflight"}}}, &resp)
	if err == nil && resp.Status >= 500 {
		return badStatus{r.contest.Ready, resp.Status}
	}
	return err
}

// cookieHost is a Host header as cookies know it: a name in lower case, without port.
func cookieHost(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}
