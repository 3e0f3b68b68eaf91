package isucon12qscenario

import (
	"fmt"
	"slices"
	"time"

	"hotseat/bench"
	"hotseat/bench/model"
)

// The prices of §7, in yen.
const (
	playerYen  = 100
	visitorYen = 10
)

// bill is what a finished competition costs: its players exactly, its visitors
// between two numbers, since the service may have taken a visit down before or
// after a finish that it overlapped.
type bill struct {
	players     int64
	least, most int64 // visitors
}

// tellers are the visitors that tell which rule a wrong number breaks.
type tellers struct {
	sameSecond   int64 // counted ones, whose visit ended in the second of the finish
	paged        int64 // counted ones, who have never looked without rank_after
	disqualified int64 // counted ones, who were disqualified later
	late         int64 // uncounted ones, who came in a later second
	repeated     int64 // counted ones, who came again, before or after the finish
	scored       int64 // with a score of their own
	disqScored   int64 // players who were disqualified later
}

// billing asks for the tenant's billing.
func (b *browser) billing() ([]report, error) {
	p := b.do(b.user.Get(pathBilling), statusOK)
	if !p.OK() {
		return nil, p.Err()
	}
	data, err := read[billingData](b, p)
	if err != nil {
		return nil, err
	}
	if err := b.blame(p, b.checkBilling(p, data.Reports)...); err != nil {
		return nil, err
	}
	b.point(pointBilling)
	return data.Reports, nil
}

// checkBilling compares the reports with everything that is known.
func (b *browser) checkBilling(p *bench.Page, reports []report) (findings []*finding) {
	b.exercised(ruleBillingReports, ruleBillingYen, ruleBillingPlayers, ruleBillingVisitors)
	wrong := func(code, expected, actual, message string) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleBillingReports, Code: code, Expected: expected, Actual: actual, Message: message}})
	}
	t := b.tenant
	t.mu.Lock()
	known := make(map[string]*competition, len(t.byID))
	for id, c := range t.byID {
		known[id] = c
	}
	t.mu.Unlock()

	shown := make(map[string]bool, len(reports))
	for i := range reports {
		r := &reports[i]
		if shown[r.CompetitionID] {
			wrong("duplicate", "each competition once", r.CompetitionID+" twice", "a competition is billed twice")
		}
		shown[r.CompetitionID] = true
		c := known[r.CompetitionID]
		if c == nil {
			t.mu.Lock()
			announced := t.announced(r.CompetitionTitle)
			t.mu.Unlock()
			if !announced {
				wrong("phantom", "only competitions of "+t.name, r.CompetitionID, "the billing has a competition that nobody has added to this tenant")
			}
			continue
		}
		if c.initial == nil && r.CompetitionTitle != c.title {
			wrong("value-mismatch", fmt.Sprintf("%s is called %q", c.id, c.title), fmt.Sprintf("%q", r.CompetitionTitle), "a competition is billed under another title")
		}
		if f := b.checkReport(p, c, r); f != nil {
			findings = append(findings, f)
		}
	}
	for id, c := range known {
		if !shown[id] && c.added.Before(p.SentAt()) {
			wrong("lost-write", fmt.Sprintf("a report of %s, %q", id, c.title), fmt.Sprintf("%d reports without one", len(reports)),
				"a competition is missing in the billing; unfinished ones belong there too")
			break
		}
	}
	return plainFirst(findings)
}

// checkReport compares one report.
func (b *browser) checkReport(p *bench.Page, c *competition, r *report) *finding {
	if c.initial != nil {
		return b.checkInitialBill(c, r)
	}
	players, visitors := *r.PlayerCount, *r.VisitorCount
	if *r.BillingPlayerYen != players*playerYen || *r.BillingVisitorYen != visitors*visitorYen ||
		*r.BillingYen != *r.BillingPlayerYen+*r.BillingVisitorYen {
		return c.wrong(ruleBillingYen, fmt.Sprintf("%d and %d yen, together %d", players*playerYen, visitors*visitorYen, players*playerYen+visitors*visitorYen),
			fmt.Sprintf("%d and %d yen, together %d", *r.BillingPlayerYen, *r.BillingVisitorYen, *r.BillingYen), "the amounts do not follow from the counts")
	}
	c.mu.Lock()
	end := c.ending
	settled := c.bill
	c.mu.Unlock()
	zero := players == 0 && visitors == 0
	actual := fmt.Sprintf("%d players and %d visitors", players, visitors)
	if end.sent.IsZero() || p.DoneAt().Before(end.sent) {
		b.exercised(ruleBillingUnfinished)
		if zero {
			return nil
		}
		return c.wrong(ruleBillingUnfinished, "nothing: it is not finished", actual, "a competition is billed that nobody has finished")
	}
	due := end.done.Add(b.world.size.grace)
	late := !end.doubtful && !p.SentAt().Before(due)
	if zero && !late {
		return nil // allowed not to show yet
	}
	b.exercised(ruleBillingFresh)
	possible, _ := c.sheets.Possible(nil, model.Span{Sent: p.SentAt(), Done: p.DoneAt()})
	if len(possible) == 0 {
		return nil
	}
	s := possible[len(possible)-1]
	for _, other := range possible {
		if int64(len(other.ranked)) == players {
			s = other
		}
	}
	want, tell := settled, tellers{}
	if settled == nil {
		want, tell = c.reckon(s, end)
	}
	expected := fmt.Sprintf("%d players and %d visitors", want.players, want.least)
	if want.most > want.least {
		expected = fmt.Sprintf("%d players and %d to %d visitors", want.players, want.least, want.most)
	}
	switch {
	case players == want.players && visitors >= want.least && visitors <= want.most:
		if late && time.Since(end.done) > time.Second {
			c.settle(want)
		}
		return nil
	case zero:
		return c.wrong(ruleBillingFresh, expected, actual, fmt.Sprintf("%s after the finish the billing does not show it", p.SentAt().Sub(end.done).Round(10*time.Millisecond)))
	case players != want.players:
		f := c.wrong(ruleBillingPlayers, expected, actual, "another number of players is billed than have a score")
		f.or = []string{ruleRankingSheet} // which may have arrived in part, or on top of the one before
		if tell.disqScored > 0 && want.players-players == tell.disqScored {
			f.or, f.Rule = append(f.or, f.Rule, ruleBillingDisqualified), ruleBillingDisqualified
		}
		return c.blamed(f)
	}
	f := c.wrong(ruleBillingVisitors, expected, actual, "another number of visitors is billed than looked before the finish")
	f.or = []string{f.Rule}
	why := func(rule string, possible bool) {
		if !possible {
			return
		}
		f.or = append(f.or, rule)
		f.Rule = rule
	}
	if visitors < want.least {
		missing := want.least - visitors
		why(ruleBillingRankAfter, missing <= tell.paged)
		why(ruleBillingDisqualified, missing <= tell.disqualified)
		why(ruleBillingRepeat, missing <= tell.repeated)
		why(ruleBillingSameSecond, missing <= tell.sameSecond)
	} else {
		// A bill that was right when nothing could change it any more has only later visits to grow by.
		why(ruleBillingLateVisit, settled != nil || visitors-want.most <= tell.late)
		why(ruleBillingOnce, visitors-want.most <= tell.scored)
		why(ruleBillingRepeat, tell.repeated > 0)
	}
	return c.blamed(f)
}

// checkInitialBill wants the amount of the truth: nobody finishes initial
// competitions, and later visits do not count.
func (b *browser) checkInitialBill(c *competition, r *report) *finding {
	b.exercised(ruleBillingInitial)
	if *r.BillingYen == c.initial.yen {
		return nil
	}
	rule := ruleBillingInitial
	if c.initial.seeded {
		rule = ruleInitializeReset
	}
	return c.wrong(rule, fmt.Sprintf("%d yen", c.initial.yen), fmt.Sprintf("%d yen", *r.BillingYen), "an initial competition is not billed as it was")
}

func (c *competition) wrong(rule, expected, actual, message string) *finding {
	return &finding{Problem: bench.Problem{Rule: rule, Code: "sum-mismatch",
		Expected: fmt.Sprintf("%s (%q): %s", c.id, c.title, expected), Actual: actual, Message: message}}
}

// blamed puts the blame where the rehearsal wants it, if it made this
// competition for one rule.
func (c *competition) blamed(f *finding) *finding {
	if c.purpose != "" && (c.purpose != ruleBillingPlayers || f.Rule == ruleBillingPlayers) {
		f.or = append(f.or, f.Rule)
		f.Rule = c.purpose
	}
	return f
}

// plainFirst puts findings about the plainest rules first: where these do not
// hold, neither do the finer ones.
func plainFirst(findings []*finding) []*finding {
	slices.SortStableFunc(findings, func(a, b *finding) int { return plainness(a) - plainness(b) })
	return findings
}

func plainness(f *finding) int {
	switch f.Rule {
	case ruleBillingReports, ruleBillingYen, ruleBillingPlayers:
		return 0
	case ruleBillingVisitors:
		return 1
	default:
		return 2
	}
}

// settle remembers what a bill was right with, from a moment on at which
// nothing can change it any more.
func (c *competition) settle(due *bill) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bill, c.visits = due, nil
}

// reckon works out what a finished competition costs (§7). A visit counts if
// its second is not later than the finish's. So one that was answered before the
// finish was sent counts, and one that was sent a second or more after the
// finish was answered does not, whatever the service's clock says.
func (c *competition) reckon(s *sheet, end ending) (due *bill, tell tellers) {
	c.mu.Lock()
	defer c.mu.Unlock()
	due = &bill{players: int64(len(s.ranked))}
	for _, r := range s.ranked {
		if c.tenant.out(r.who) {
			tell.disqScored++
		}
	}
	for who, v := range c.visits {
		if _, scored := s.score(who); scored {
			tell.scored++
			continue
		}
		counts := v.answered > 0 && !v.seen.After(end.sent)
		may := end.doubtful || v.asked.Before(end.done.Add(time.Second))
		switch {
		case counts:
			due.least++
			due.most++
			if !v.seen.Before(end.sent.Truncate(time.Second)) || v.seen.Unix() == end.done.Unix() {
				tell.sameSecond++
			}
			if v.paged {
				tell.paged++
			}
			if c.tenant.out(who) {
				tell.disqualified++
			}
			if v.times > 1 {
				tell.repeated++
			}
		case may:
			due.most++
		default:
			tell.late++
		}
	}
	return due, tell
}
