package isucon12qscenario

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
	"hotseat/bench/model"
)

// Paths of the organizer, and their names in failures.
const (
	pathPlayers         = "/api/organizer/players"
	pathPlayersAdd      = "/api/organizer/players/add"
	pathCompetitions    = "/api/organizer/competitions"
	pathCompetitionsAdd = "/api/organizer/competitions/add"
	pathBilling         = "/api/organizer/billing"

	routeDisqualify = "/api/organizer/player/:player_id/disqualified"
	routeFinish     = "/api/organizer/competition/:competition_id/finish"
	routeScore      = "/api/organizer/competition/:competition_id/score"
)

func pathDisqualify(id string) string { return "/api/organizer/player/" + id + "/disqualified" }
func pathFinish(id string) string     { return "/api/organizer/competition/" + id + "/finish" }
func pathScore(id string) string      { return "/api/organizer/competition/" + id + "/score" }

// refusedOutright reports that the service has said that it did nothing.
func refusedOutright(p *bench.Page) bool { return p.Status() >= 400 && p.Status() < 500 }

// list asks for all players and takes note of those not met before.
func (b *browser) list() ([]playerDetail, error) {
	p := b.do(b.user.Get(pathPlayers), statusOK)
	if !p.OK() {
		return nil, p.Err()
	}
	data, err := read[playersData](b, p)
	if err != nil {
		return nil, err
	}
	if err := b.blame(p, b.checkPlayers(p, data.Players)...); err != nil {
		return nil, err
	}
	b.point(pointPlayers)
	return data.Players, nil
}

// checkPlayers compares a listing with the players that are known.
func (b *browser) checkPlayers(p *bench.Page, listed []playerDetail) []*finding {
	b.exercised(rulePlayersList, ruleDisqualifiedShown)
	t := b.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	shown := make(map[string]bool, len(listed))
	var findings []*finding
	wrong := func(rule, code, expected, actual, message string) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: rule, Code: code, Expected: expected, Actual: actual, Message: message}})
	}
	for i := range listed {
		d := &listed[i]
		if shown[d.ID] {
			wrong(rulePlayersList, "duplicate", "each player once", d.ID+" twice", "a player is listed twice")
		}
		shown[d.ID] = true
		known := t.players[d.ID]
		if known == nil {
			if t.complete && t.doubtful == 0 {
				wrong(rulePlayersList, "phantom", "only players of "+t.name, fmt.Sprintf("%s, %q", d.ID, *d.DisplayName),
					"the list has a player whom nobody has added to this tenant")
				continue
			}
			known = t.meet(d.ID, *d.DisplayName)
			known.initially = told(*d.IsDisqualified)
		}
		findings = append(findings, b.checkDetail(p, known, d, rulePlayersList)...)
	}
	for _, known := range t.roster {
		if !shown[known.id] && known.since.Before(p.SentAt()) {
			rule := rulePlayersList
			if t.initial != nil && known.since.IsZero() {
				rule = ruleInitialLists
			}
			wrong(rule, "lost-write", "player "+known.id, fmt.Sprintf("%d players without this one", len(listed)),
				"a player of the tenant is not in the list")
			break
		}
	}
	t.complete = true
	return findings
}

// checkDetail compares what is shown of a player; t.mu is held.
func (b *browser) checkDetail(p *bench.Page, known *player, d *playerDetail, nameRule string) (findings []*finding) {
	untold := known.name == "" && known.since.IsZero()
	if untold && nameRule == rulePlayersList {
		known.name = *d.DisplayName
	}
	if *d.DisplayName != known.name && !untold {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: nameRule, Code: "value-mismatch",
			Expected: fmt.Sprintf("%s is called %q", known.id, known.name), Actual: fmt.Sprintf("%q", *d.DisplayName),
			Message: "a player is shown with another name"}})
	}
	qualified, disqualified := known.shown(p.SentAt(), b.world.size.grace)
	if *d.IsDisqualified && !disqualified || !*d.IsDisqualified && !qualified {
		rule := ruleDisqualifiedShown
		if known.asked.IsZero() && b.tenant.initial != nil {
			rule = ruleInitialLists
		}
		findings = append(findings, &finding{Problem: bench.Problem{Rule: rule, Code: "stale-read",
			Expected: fmt.Sprintf("is_disqualified of %s is %t", known.id, disqualified), Actual: fmt.Sprint(*d.IsDisqualified),
			Message: "a player is shown with the wrong standing", Hint: "a disqualification has to show within 3 s, and only for the player concerned"}})
	}
	return findings
}

// addPlayers adds one player for each name and returns them in the order of the answer.
func (b *browser) addPlayers(names []string) ([]*player, error) {
	t := b.tenant
	fields := make([]string, 0, 2*len(names))
	for _, n := range names {
		fields = append(fields, "display_name[]", n)
	}
	t.mu.Lock()
	t.doubtful++
	t.mu.Unlock()
	p := b.do(b.user.PostForm(pathPlayersAdd, fields...), statusOK)
	if !p.Sent() || refusedOutright(p) {
		t.mu.Lock()
		t.doubtful--
		t.mu.Unlock()
	}
	if !p.OK() {
		return nil, p.Err()
	}
	data, err := read[playersData](b, p)
	if err != nil {
		return nil, err
	}
	if err := b.blame(p, b.checkAdded(names, data.Players), b.checkUnique(data.Players)); err != nil {
		return nil, err
	}
	t.mu.Lock()
	t.doubtful--
	added := make([]*player, 0, len(data.Players))
	for i := range data.Players {
		d := &data.Players[i]
		who := t.meet(d.ID, *d.DisplayName)
		if !who.since.IsZero() {
			t.complete = false // the rule about ids is switched off: others may have been meant
		}
		who.since, who.initially = p.DoneAt(), isNot
		added = append(added, who)
	}
	t.mu.Unlock()
	b.point(pointAddPlayers)
	return added, nil
}

// checkAdded wants exactly the names that were asked for, in any order.
func (b *browser) checkAdded(names []string, added []playerDetail) *finding {
	b.exercised(ruleEcho)
	wrong := func(expected, actual, message string) *finding {
		return &finding{Problem: bench.Problem{Rule: ruleEcho, Code: "value-mismatch", Expected: expected, Actual: actual, Message: message}}
	}
	if len(added) != len(names) {
		return wrong(fmt.Sprintf("%d players", len(names)), fmt.Sprintf("%d players", len(added)),
			"another number of players was added; empty names count as well")
	}
	left := make(map[string]int, len(names))
	for _, n := range names {
		left[n]++
	}
	for i := range added {
		d := &added[i]
		if left[*d.DisplayName]--; left[*d.DisplayName] < 0 {
			return wrong("one of the names asked for", fmt.Sprintf("%q", *d.DisplayName), "a player has a name that was not asked for")
		}
		if *d.IsDisqualified {
			return wrong("is_disqualified is false", "true", "a new player is disqualified")
		}
	}
	return nil
}

func (b *browser) checkUnique(added []playerDetail) *finding {
	b.exercised(ruleUniqueIDs)
	t := b.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	seen := make(map[string]bool, len(added))
	for i := range added {
		id := added[i].ID
		if known := t.players[id]; seen[id] || known != nil && !known.since.IsZero() {
			return &finding{Problem: bench.Problem{Rule: ruleUniqueIDs, Code: "duplicate", Expected: "an id of its own for each player",
				Actual: id + " again", Message: "two players of a tenant have the same id"}}
		}
		seen[id] = true
	}
	return nil
}

// disqualify disqualifies a player. Once the answer is there, the standing follows.
func (b *browser) disqualify(who *player) error {
	t := b.tenant
	t.mu.Lock()
	if who.asked.IsZero() {
		who.asked = time.Now()
	}
	t.mu.Unlock()
	s := b.user.Request("POST", pathDisqualify(who.id)).Route(routeDisqualify)
	if b.original() && b.scored {
		s.Expecting(cachePrivate) // the one place where the original's load looked at it
	}
	p := b.do(s, statusOK)
	if !p.OK() {
		return p.Err()
	}
	data, err := read[playerData](b, p)
	if err != nil {
		return err
	}
	b.exercised(ruleEcho)
	if d := &data.Player; d.ID != who.id || !*d.IsDisqualified {
		err := b.blame(p, &finding{Problem: bench.Problem{Rule: ruleEcho, Code: "value-mismatch",
			Expected: who.id + " with is_disqualified true", Actual: fmt.Sprintf("%s with is_disqualified %t", d.ID, *d.IsDisqualified),
			Message: "the answer to a disqualification does not say so"}})
		if err != nil {
			return err
		}
	}
	t.mu.Lock()
	who.done = p.DoneAt()
	t.mu.Unlock()
	b.point(pointDisqualify)
	return nil
}

// addCompetition adds a competition.
func (b *browser) addCompetition(title string) (*competition, error) {
	t := b.tenant
	c := newCompetition(t, title)
	t.mu.Lock()
	t.competitions = append(t.competitions, c) // announced
	t.mu.Unlock()
	p, err := b.doBusy(func() *bench.Step { return b.user.PostForm(pathCompetitionsAdd, "title", title) })
	if err != nil {
		if !p.Sent() || refusedOutright(p) {
			t.forget(c)
		}
		return nil, err
	}
	data, err := read[competitionData](b, p)
	if err != nil {
		return nil, err
	}
	b.exercised(ruleEcho, ruleUniqueIDs)
	d := &data.Competition
	var findings []*finding
	if d.Title != title || *d.IsFinished {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleEcho, Code: "value-mismatch",
			Expected: fmt.Sprintf("%q, not finished", title), Actual: fmt.Sprintf("%q, finished: %t", d.Title, *d.IsFinished),
			Message: "the new competition is not the one that was asked for"}})
	}
	if t.competition(d.ID) != nil {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleUniqueIDs, Code: "duplicate",
			Expected: "an id of its own for each competition", Actual: d.ID + " again", Message: "two competitions of a tenant have the same id"}})
	}
	if err := b.blame(p, findings...); err != nil {
		return nil, err
	}
	t.mu.Lock()
	c.id, c.added = d.ID, p.DoneAt()
	t.byID[c.id] = c
	t.mu.Unlock()
	b.point(pointAddCompetition)
	return c, nil
}

// forget takes back what was announced and certainly did not happen.
func (t *tenant) forget(c *competition) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.competitions = slices.DeleteFunc(t.competitions, func(o *competition) bool { return o == c })
}

// scoreRequest describes an upload.
func (b *browser) scoreRequest(id, header string, rows []row) *bench.Step {
	return b.user.Post(pathScore(id), multipartType, multipart(csv(header, rows))).Route(routeScore)
}

// upload replaces the scores of a competition.
func (b *browser) upload(c *competition, s *sheet) error {
	c.uploads(s)
	write := c.sheets.Write(nil, time.Now(), s)
	p := b.do(b.scoreRequest(c.id, sheetHeader, s.rows), statusOK)
	problem := settle(write, p)
	findings := c.uploadEnded(p.OK(), p.Sent() && !refusedOutright(p))
	if !p.OK() {
		return p.Err()
	}
	data, err := read[rowsData](b, p)
	if err != nil {
		return err
	}
	b.exercised(ruleUploadRows)
	if *data.Rows != int64(s.count) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleUploadRows, Code: "value-mismatch",
			Expected: fmt.Sprintf("rows: %d", s.count), Actual: fmt.Sprintf("rows: %d", *data.Rows), Message: "another number of rows was taken from the sheet"}})
	}
	if problem != nil {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleRankingFresh, Code: problem.Code,
			Expected: "rankings in an order of time", Actual: problem.Actual, Message: "rankings went back to an earlier sheet"}})
	}
	if err := b.blame(p, findings...); err != nil {
		return err
	}
	b.point(pointUpload)
	return nil
}

// settle tells the model what became of a write.
func settle[V comparable](w *model.Write[V], p *bench.Page) *model.Violation {
	switch {
	case p.OK():
		return w.Commit(p.DoneAt())
	case !p.Sent() || refusedOutright(p):
		return w.Never()
	default:
		w.Maybe(time.Now())
		return nil
	}
}

// finish ends a competition.
func (b *browser) finish(c *competition) error {
	write := c.finished.Write(nil, time.Now(), true)
	sent := time.Now()
	// Whoever reads the billing meanwhile must know that it is under way.
	c.ended(ending{sent: sent, doubtful: true})
	p := b.do(b.user.Request(http.MethodPost, pathFinish(c.id)).Route(routeFinish), statusOK)
	_ = settle(write, p) // that an answer said so before is the readers' finding
	switch {
	case p.OK():
		c.ended(ending{sent: sent, done: p.DoneAt()})
	case !p.Sent() || refusedOutright(p):
		c.ended(ending{})
	}
	if !p.OK() {
		return p.Err()
	}
	if err := readEmpty(b, p); err != nil {
		return err
	}
	b.point(pointFinish)
	return nil
}

// organizersList asks for the organizer's list of competitions.
func (b *browser) organizersList() ([]competitionDetail, error) {
	return b.competitions(pathCompetitions, pointOrganizersList)
}

func (b *browser) competitions(path, point string) ([]competitionDetail, error) {
	p := b.do(b.user.Get(path), statusOK)
	if !p.OK() {
		return nil, p.Err()
	}
	data, err := read[competitionsData](b, p)
	if err != nil {
		return nil, err
	}
	if err := b.blame(p, b.checkCompetitions(p, data.Competitions)...); err != nil {
		return nil, err
	}
	b.point(point)
	return data.Competitions, nil
}

// checkCompetitions compares a listing with the competitions that are known.
func (b *browser) checkCompetitions(p *bench.Page, listed []competitionDetail) (findings []*finding) {
	b.exercised(ruleCompetitionsList, ruleFinishShown)
	t := b.tenant
	t.mu.Lock()
	defer t.mu.Unlock()
	wrong := func(rule, code, expected, actual, message string) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: rule, Code: code, Expected: expected, Actual: actual, Message: message}})
	}
	shown := make(map[string]bool, len(listed))
	for i := range listed {
		d := &listed[i]
		if shown[d.ID] {
			wrong(ruleCompetitionsList, "duplicate", "each competition once", d.ID+" twice", "a competition is listed twice")
		}
		shown[d.ID] = true
		c := t.byID[d.ID]
		if c == nil {
			if !t.announced(d.Title) {
				wrong(ruleCompetitionsList, "phantom", "only competitions of "+t.name, fmt.Sprintf("%s, %q", d.ID, d.Title),
					"the list has a competition that nobody has added to this tenant")
			}
			continue
		}
		findings = append(findings, b.checkCompetition(p, c, d, ruleCompetitionsList)...)
	}
	for id, c := range t.byID {
		if !shown[id] && c.added.Before(p.SentAt()) {
			rule := ruleCompetitionsList
			if c.initial != nil {
				rule = ruleInitialLists
			}
			wrong(rule, "lost-write", fmt.Sprintf("%s, %q", id, c.title), fmt.Sprintf("%d competitions without this one", len(listed)),
				"a competition of the tenant is not in the list")
			break
		}
	}
	return findings
}

// announced reports whether a competition of that title is being added; t.mu is held.
func (t *tenant) announced(title string) bool {
	for _, c := range t.competitions {
		if c.title == title && c.id == "" {
			return true
		}
	}
	return false
}

// checkCompetition compares what is shown of a competition; its tenant's lock is held.
func (b *browser) checkCompetition(p *bench.Page, c *competition, d *competitionDetail, titleRule string) (findings []*finding) {
	if c.initial != nil && c.title == "" {
		c.title = d.Title // nobody has told us
	}
	if d.Title != c.title {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: titleRule, Code: "value-mismatch",
			Expected: fmt.Sprintf("%s is called %q", c.id, c.title), Actual: fmt.Sprintf("%q", d.Title), Message: "a competition is shown with another title"}})
	}
	if c.initial != nil {
		if f := b.checkInitialState(c, *d.IsFinished); f != nil {
			findings = append(findings, f)
		}
		return findings
	}
	span := model.Span{Sent: p.SentAt(), Done: p.DoneAt()}
	if v := c.finished.Read(nil, span, *d.IsFinished); v != nil {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleFinishShown, Code: v.Code,
			Expected: fmt.Sprintf("is_finished of %s is %t", c.id, !*d.IsFinished), Actual: fmt.Sprint(*d.IsFinished),
			Message: "a competition is shown as finished or not against the facts", Hint: v.Message}})
	}
	return findings
}

// checkInitialState compares an initial competition, which nobody finishes
// during a run, with the truth.
func (b *browser) checkInitialState(c *competition, finished bool) *finding {
	if c.initial.finished == notTold || (c.initial.finished == is) == finished {
		return nil
	}
	rule, message := ruleInitialLists, "an initial competition is not in its initial state"
	if c.initial.seeded {
		rule, message = ruleInitializeReset, "a competition that was finished before the initialisation is still finished"
	}
	return &finding{Problem: bench.Problem{Rule: rule, Code: "stale-read",
		Expected: fmt.Sprintf("is_finished of %s is %t", c.id, !finished), Actual: fmt.Sprint(finished), Message: message}}
}
