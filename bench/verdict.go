package bench

import (
	"fmt"

	"hotseat"
)

// conclude emits what is left to tell and the verdict, and returns the exit status.
func (r *Run) conclude() int {
	if r.tally == nil { // it never began
		return r.close(&hotseat.VerdictEvent{}, r.decided())
	}
	r.tally.Close()
	t := r.newTally()
	score := r.lastScore(t)
	o := r.decided()
	if o == nil && r.ctx.Err() != nil {
		o = &outcome{verdict: hotseat.Infra, reason: hotseat.ReasonInterrupted}
	}
	if o == nil {
		o = r.judge(t, score)
	}
	r.flush()
	v := &hotseat.VerdictEvent{RawScore: score.Value(), Deduction: score.Deduction, Endpoints: r.endpoints(),
		Rules: map[string]int64{}, RuleInfo: r.rules.info(), Generator: r.generatorReport(t.Requests())}
	r.mu.Lock()
	for _, rule := range r.rules.all {
		v.Rules[rule.ID] = r.exercised[rule.index]
	}
	v.Remarks = r.remarks
	r.mu.Unlock()
	v.Arrivals = r.Arrivals()
	return r.close(v, o)
}

// close emits the verdict event and returns the exit status.
func (r *Run) close(v *hotseat.VerdictEvent, o *outcome) int {
	v.Verdict, v.Reason, v.Hint, v.ExitUsage = o.verdict, o.reason, o.hint, o.usage
	switch o.verdict {
	case hotseat.Pass:
		v.Score = &v.RawScore
	case hotseat.Fail:
		v.Score = new(int64)
	case hotseat.Infra: // null: it says nothing about the target
	}
	r.events.close(hotseat.Event{Type: hotseat.EventVerdict, AtS: r.Elapsed().Seconds(), VerdictEvent: v})
	switch {
	case o.usage:
		return hotseat.ExitUsage
	case o.verdict == hotseat.Infra && o.reason == hotseat.ReasonInterrupted:
		return hotseat.ExitInterrupted
	default:
		return o.verdict.ExitStatus()
	}
}

// judge decides the verdict of a run that went through to its end.
func (r *Run) judge(t *Tally, score Score) *outcome {
	o := &outcome{}
	if r.opts.replay != nil {
		return r.judgeReplay()
	}
	if !r.Strict() && r.contest.Judge != nil {
		judge := func() error {
			verdict, reason := r.contest.Judge(r, t)
			if !verdict.Valid() || reason == "" {
				panic(authorError(fmt.Sprintf("Contest.Judge returned verdict %q, reason %q", verdict, reason)))
			}
			o.verdict, o.reason = verdict, line(reason, 500)
			return nil
		}
		if !r.within(r.contest.patience.deadlock, func() { _ = r.guard(nil, judge) }) { // a panic is in r.decided
			r.dumpGoroutines()
			r.deadlocked("Contest.Judge")
		}
		if early := r.decided(); early != nil {
			return early
		}
	} else {
		o = r.judgeStrictly(t, score)
	}
	if o.verdict == hotseat.Pass {
		if reason := r.unreliable(t); reason != "" {
			return &outcome{verdict: hotseat.Infra, reason: reason, hint: "run it again on a machine with less to do"}
		}
	}
	return o
}

// judgeStrictly applies rules=strict: architecture.md §4.
func (r *Run) judgeStrictly(t *Tally, score Score) *outcome {
	fail := func(n *failureCount, format string, args ...any) *outcome {
		return &outcome{verdict: hotseat.Fail, reason: fmt.Sprintf(format, args...), hint: n.hint}
	}
	if n := r.failures.first((*failureCount).wrong); n != nil {
		return fail(n, "%s (%d wrong answers in all)", n.summary(), t.WrongAnswers())
	}
	inFinish := func(n *failureCount) bool { return n.target() && n.phase == PhaseFinish }
	if n := r.failures.first(inFinish); n != nil {
		return fail(n, "%s: %s", PhaseFinish, n.summary())
	}
	if share := t.ErrorShare(); share > r.contest.MaxErrorShare {
		n := r.failures.most((*failureCount).costly)
		return fail(n, "%.1f %% of %d requests failed, more than %.1f %%; most often: %s",
			100*share, t.Requests(), 100*r.contest.MaxErrorShare, n.summary())
	}
	reason := fmt.Sprintf("no wrong answer to %d requests, %d of which failed; score %d", t.Requests(), t.Errors(), score.Value())
	if t.Requests() == 0 {
		reason = "no request was answered before the end"
	}
	return &outcome{verdict: hotseat.Pass, reason: reason}
}

// summary tells of a kind of failure in one line.
func (n *failureCount) summary() string {
	where := n.step
	if where == "" {
		where = n.scenario
	}
	text := n.message
	if where != "" {
		text = where + ": " + text
	}
	return fmt.Sprintf("%s%s ×%d", text, inBrackets(n.rule), n.count)
}

// unreliable says why the benchmark's own lag leaves a run without a verdict,
// "" if it does not. A benchmark at its limit under a closed load is normal;
// only what it could not check, or did not send in time, counts.
func (r *Run) unreliable(t *Tally) string {
	if n := r.failures.first(func(n *failureCount) bool { return n.lost() && n.phase == PhaseFinish }); n != nil {
		return fmt.Sprintf("%s could not be checked: %s", PhaseFinish, n.summary())
	}
	lost := r.failures.sum((*failureCount).lost)
	doubtful := lost + t.Errors()
	if all := t.Requests(); lost > 0 && float64(doubtful) > r.contest.MaxErrorShare*float64(all) {
		n := r.failures.most((*failureCount).lost)
		return fmt.Sprintf("the benchmark lost too many of its %d requests itself: %s", all, n.summary())
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range r.populations {
		if c.due == nil {
			continue
		}
		if late, all := c.late.Load(), c.due.count(); brokeSchedule(late, c.missed.Load(), all) {
			return fmt.Sprintf("the benchmark began %d of %d iterations of %s too late: it was not given enough CPU", late, all, c.name)
		}
	}
	return ""
}

// brokeSchedule reports whether the benchmark has broken the schedule of an open
// population: of all its starts, it made these late itself, and these were missed because
// of the target. Where a target keeps all users waiting nearly all the time, it is the
// target that breaks the schedule, and the load is as good as closed: a little more lateness
// on a machine that is full does not change what the run says.
func brokeSchedule(late, missed, all int64) bool {
	const (
		tolerated = 100 // one start in so many
		little    = 10  // one for so many that the target missed
	)
	return late > 1 && late*tolerated > all && late*little > missed
}

// most returns the most frequent of the kinds that match.
func (l *failureLog) most(match func(n *failureCount) bool) *failureCount {
	l.mu.Lock()
	defer l.mu.Unlock()
	var most failureCount
	for _, n := range l.order {
		if match(n) && n.count > most.count {
			most = *n
		}
	}
	return &most
}
