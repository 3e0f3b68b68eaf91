package bench

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hotseat"
)

// replay is what --replay asks for: one user again, alone, up to one of its
// steps. Everything before the load is done as in any run, so that target and
// expected world are where they were. With the same seed the user throws the
// same dice; what other users did meanwhile is missing.
//
// What changes during the run belongs to the user's goroutine, and may be read
// when that has ended.
type replay struct {
	population string // or a verify scenario; empty: the only population
	id         int
	number     int    // of the last step, from 1; 0: the first one of this name
	name       string // of the last step, as failures have it

	done    int       // steps
	reached bool      // the last one
	found   *Mismatch // by the checks of the step that is being settled
}

// parseReplay reads USER:STEP, where USER is ID or POPULATION/ID, and STEP a
// number or a name.
func parseReplay(text string) (*replay, error) {
	user, step, ok := strings.Cut(text, ":")
	if !ok || step == "" {
		return nil, errors.New("want USER:STEP, such as visitor/3:17")
	}
	p := &replay{name: step}
	id := user
	if slash := strings.LastIndexByte(user, '/'); slash >= 0 {
		p.population, id = user[:slash], user[slash+1:]
	}
	var err error
	if p.id, err = strconv.Atoi(id); err != nil || p.id < 1 || p.id > maxUsers {
		return nil, fmt.Errorf("user %q is no number from 1 to %d", id, maxUsers)
	}
	if n, err := strconv.Atoi(step); err == nil {
		if n < 1 {
			return nil, fmt.Errorf("step %d: steps are counted from 1", n)
		}
		p.number, p.name = n, ""
	}
	return p, nil
}

// of reports whether this is the user's replay.
func (p *replay) of(u *User) bool {
	return p != nil && p.id == u.ID && p.population == u.Population
}

// isOf reports whether it is that scenario that is replayed.
func (p *replay) isOf(s Scenario) bool { return p != nil && p.population == s.Name }

// inVerify reports whether it is a verify scenario that is replayed.
func (r *Run) inVerify() bool { return slices.ContainsFunc(r.contest.Verify, r.opts.replay.isOf) }

// only returns the population of the replay, alone; all of them if there is no replay.
func (r *Run) only(populations []Population) []Population {
	p := r.opts.replay
	if p == nil {
		return populations
	}
	if p.population == "" && len(populations) == 1 {
		p.population = populations[0].spec().name
	}
	var names []string
	for _, all := range populations {
		if all.spec().name == p.population {
			return []Population{all}
		}
		names = append(names, all.spec().name)
	}
	for _, s := range r.contest.Verify {
		names = append(names, s.Name)
	}
	reason := fmt.Sprintf("there is no population %q to replay a user of", p.population)
	if p.population == "" {
		reason = "--replay needs to know the population: there are several"
	}
	r.refuse(hotseat.Invalid(fmt.Sprintf("--replay NAME/%d:STEP with one of the names %s", p.id, strings.Join(names, ", ")), "%s", reason))
	return nil
}

// next counts a step that begins, and cuts the user if the last one is done:
// not sooner, so that the scenario sees its answer and says what it thinks.
func (p *replay) next(u *User) {
	if !p.of(u) {
		return
	}
	p.found = nil // of an earlier step, by the scenario's own comparing
	if p.reached {
		u.cutReplay()
	}
}

// note keeps what a failure of the step found, for its event.
func (p *replay) note(u *User, m *Mismatch) {
	if p.of(u) {
		p.found = m
	}
}

// tell emits a step that is done.
func (p *replay) tell(s *Step) {
	u, page := s.user, &s.page
	if !p.of(u) {
		return
	}
	found := p.found
	p.found = nil
	p.done++
	p.reached = p.reached || s.number == p.number || s.place() == p.name
	e := &hotseat.StepEvent{Number: s.number, Scenario: safe(u.Population, 200), User: u.ID, Step: safe(s.place(), 200), OK: page.err == nil,
		ElapsedMS: float64(page.doneAt.Sub(page.sentAt).Microseconds()) / 1000,
		Expected:  safe(s.expected(), maxExcerpt), Actual: safe(s.answer(), 2*maxExcerpt)}
	e.Request, e.Curl = s.sample()
	var failed *Failed
	if errors.As(page.err, &failed) {
		e.Message, e.Rule = line(failed.Message, 300), failed.Rule
	}
	if found != nil {
		e.Expected, e.Actual = safe(found.Expected, maxExcerpt), difference(found.Expected, found.Actual)
	}
	u.Run.events.emit(hotseat.Event{Type: hotseat.EventStep, AtS: u.Run.Elapsed().Seconds(), Replayed: e})
}

// expected lists what the checks of a step ask for.
func (s *Step) expected() string {
	if len(s.checks) == 0 {
		return "an answer"
	}
	var lines []string
	for i := range s.checks {
		c := &s.checks[i]
		text := ""
		switch c.kind {
		case checkStatus:
			text = "status " + strings.Trim(strings.ReplaceAll(fmt.Sprint(c.statuses), " ", " or "), "[]")
		case checkPath:
			text = "path " + c.want
		case checkHeader:
			text = c.name + ": " + c.want
		case checkBody:
			text = "body: " + c.body.Name()
		case checkThat:
			text = s.user.Run.rule(c.rule).Text
		}
		lines = append(lines, text+inBrackets(c.rule))
	}
	return strings.Join(lines, "\n")
}

// judgeReplay says whether it happened again.
func (r *Run) judgeReplay() *outcome {
	p := r.opts.replay
	who := fmt.Sprintf("%s/%d", p.population, p.id)
	if n := r.failures.first((*failureCount).target); n != nil {
		return &outcome{verdict: hotseat.Fail, reason: n.summary(), hint: n.hint}
	}
	if n := r.failures.first(func(*failureCount) bool { return true }); n != nil {
		return &outcome{verdict: hotseat.Infra, reason: n.summary(), hint: n.hint}
	}
	if !p.reached {
		what := fmt.Sprintf("number %d", p.number)
		if p.name != "" {
			what = fmt.Sprintf("%q", p.name)
		}
		return &outcome{verdict: hotseat.Infra, usage: true, hint: "name an earlier step, or give a longer --duration",
			reason: fmt.Sprintf("%s made %d requests and ended; step %s was not among them", who, p.done, what)}
	}
	return &outcome{verdict: hotseat.Pass, reason: fmt.Sprintf("none of the %d requests of %s failed", p.done, who)}
}
