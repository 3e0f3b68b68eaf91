package isucon12qscenario

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"hotseat/bench"
	"hotseat/bench/model"
)

// Paths of players, and their names in failures.
const (
	pathPlayersCompetitions = "/api/player/competitions"

	routePlayer  = "/api/player/player/:player_id"
	routeRanking = "/api/player/competition/:competition_id/ranking"
)

func pathPlayer(id string) string  { return "/api/player/player/" + id }
func pathRanking(id string) string { return "/api/player/competition/" + id + "/ranking" }

// playersList asks for the player's list of competitions.
func (b *browser) playersList() ([]competitionDetail, error) {
	return b.competitions(pathPlayersCompetitions, pointPlayersOwnLists)
}

// rankingRequest describes a look at a ranking; no rank_after where it is negative.
func (b *browser) rankingRequest(id string, after int) *bench.Step {
	path := pathRanking(id)
	if after >= 0 {
		path += "?rank_after=" + strconv.Itoa(after)
	}
	return b.user.Get(path).Route(routeRanking)
}

// board is a ranking that was shown.
type board struct {
	competitionDetail
	ranks []rank
	took  time.Duration
}

// ranking looks at a competition by its id. One that the run knows nothing of
// is only held to what is true of all.
func (b *browser) ranking(id string, after int) (*board, error) {
	c := b.tenant.competition(id)
	if c != nil {
		c.visiting(b.player, time.Now())
	}
	p := b.do(b.rankingRequest(id, after), statusOK)
	if p.Status() == 200 && c != nil {
		c.visited(b.player, p.DoneAt(), after >= 0)
	}
	if !p.OK() {
		return nil, p.Err()
	}
	data, err := read[rankingData](b, p)
	if err != nil {
		return nil, err
	}
	if err := b.blame(p, b.checkRanking(p, c, max(after, 0), data)...); err != nil {
		return nil, err
	}
	b.point(pointRanking)
	return &board{data.Competition, data.Ranks, p.DoneAt().Sub(p.SentAt())}, nil
}

// checkRanking compares a ranking with the sheets that it may show.
func (b *browser) checkRanking(p *bench.Page, c *competition, after int, data *rankingData) []*finding {
	b.exercised(ruleRankingDetails, ruleRankingRank, ruleRankingPage, ruleRankingOrder)
	findings := checkPage(after, data.Ranks)
	if c == nil {
		return findings
	}
	t := b.tenant
	t.mu.Lock()
	findings = append(findings, b.checkCompetition(p, c, &data.Competition, ruleRankingDetails)...)
	if data.Competition.ID != c.id {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleRankingDetails, Code: "value-mismatch",
			Expected: "competition " + c.id, Actual: "competition " + data.Competition.ID, Message: "the ranking is of another competition"}})
	}
	for i := range data.Ranks {
		d := &data.Ranks[i]
		if who := t.players[d.PlayerID]; who != nil {
			if who.name == "" && who.since.IsZero() {
				who.name = d.PlayerDisplayName // nobody has told us
			}
			if who.name != d.PlayerDisplayName {
				findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleRankingDetails, Code: "value-mismatch",
					Expected: fmt.Sprintf("%s is called %q", who.id, who.name), Actual: fmt.Sprintf("%q", d.PlayerDisplayName),
					Message: "a player has another name in the ranking"}})
				break
			}
		}
	}
	t.mu.Unlock()
	if c.sheets == nil || c.unknowable() {
		return findings
	}

	b.exercised(ruleRankingWhole, ruleRankingFresh, ruleRankingSheet, ruleRankingTies, ruleRankingLastRow, ruleRankingDisqualified, ruleUploadEmpty)
	span := model.Span{Sent: p.SentAt(), Done: p.DoneAt()}
	possible, _ := c.sheets.Possible(nil, span)
	var shown []*sheet
	for _, s := range possible {
		if matches(data.Ranks, after, s) {
			shown = append(shown, s)
		}
	}
	switch {
	case len(shown) == 1:
		if v := c.sheets.Read(nil, span, shown[0]); v != nil {
			findings = append(findings, &finding{Problem: bench.Problem{Rule: ruleRankingFresh, Code: v.Code,
				Expected: v.Expected, Actual: v.Actual, Message: "the ranking went back to an earlier sheet", Hint: v.Message}})
		}
	case len(shown) == 0 && len(findings) == 0:
		if f := c.suspect(b.diagnose(c, data.Ranks, after, possible)); f != nil {
			findings = append(findings, f)
		}
	}
	return findings
}

// checkPage checks what is true of every page of every ranking: at most a
// hundred entries, ranks without gaps, no score above the one before it.
func checkPage(after int, ranks []rank) (findings []*finding) {
	wrong := func(rule, expected, actual, message string) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: rule, Code: "value-mismatch", Expected: expected, Actual: actual, Message: message}})
	}
	if len(ranks) > pageSize {
		wrong(ruleRankingPage, fmt.Sprintf("at most %d entries", pageSize), fmt.Sprintf("%d entries", len(ranks)), "the page of the ranking is too long")
	}
	if len(ranks) > 0 && ranks[0].Rank != int64(after)+1 {
		rule := ruleRankingPage
		if after == 0 {
			rule = ruleRankingRank
		}
		wrong(rule, fmt.Sprintf("the first entry has rank %d", after+1), fmt.Sprintf("rank %d", ranks[0].Rank), "the page begins at another rank")
		return findings
	}
	for i := 1; i < len(ranks); i++ {
		switch {
		case ranks[i].Rank != ranks[i-1].Rank+1:
			wrong(ruleRankingRank, fmt.Sprintf("rank %d", ranks[i-1].Rank+1), fmt.Sprintf("rank %d", ranks[i].Rank), "ranks do not go up by one")
			return findings
		case *ranks[i].Score > *ranks[i-1].Score:
			wrong(ruleRankingOrder, fmt.Sprintf("at most %d at rank %d", *ranks[i-1].Score, ranks[i].Rank), fmt.Sprint(*ranks[i].Score), "a higher score is ranked below a lower one")
			return findings
		}
	}
	return findings
}

// matches reports whether these are the entries of a sheet after a rank.
// The ranks themselves are checked elsewhere.
func matches(ranks []rank, after int, s *sheet) bool {
	due := s.page(after)
	if len(due) != len(ranks) {
		return false
	}
	for i := range due {
		if due[i].score != *ranks[i].Score || due[i].who.id != ranks[i].PlayerID {
			return false
		}
	}
	return true
}

// diagnose says which rule a ranking breaks that is of none of the possible sheets.
func (b *browser) diagnose(c *competition, ranks []rank, after int, possible []*sheet) *finding {
	if len(possible) == 0 {
		return &finding{Problem: bench.Problem{Rule: ruleRankingFresh, Code: "stale-read", Message: "no sheet can be shown now"}}
	}
	if len(possible) == 1 {
		return b.compareWith(possible[0], c, ranks, after)
	}
	f := &finding{Problem: bench.Problem{
		Rule: ruleRankingWhole, Code: "torn-read", Step: "GET " + routeRanking, Message: "a ranking read during an upload is neither of the old sheet nor of the new one",
		Expected: fmt.Sprintf("%s; or %s", describePage(possible[0].page(after)), describePage(possible[len(possible)-1].page(after))),
		Actual:   describeRanks(ranks),
		Hint:     "old scores deleted, new ones not all inserted yet: do both in one transaction, or behind a lock that readers take as well",
	}}
	for _, s := range possible {
		one := b.compareWith(s, c, ranks, after)
		if len(ranks) == len(s.page(after)) && (one.Rule == ruleRankingTies || one.Rule == ruleRankingLastRow) || one.Rule == ruleRankingDisqualified {
			return one // nothing else is missing, and nothing is of another sheet
		}
		f.or = append(f.or, one.Rule)
		f.or = append(f.or, one.or...)
	}
	return f
}

// compareWith says which rule a ranking breaks if it is meant to be of this sheet.
func (b *browser) compareWith(due *sheet, c *competition, ranks []rank, after int) *finding {
	page := due.page(after)
	f := &finding{Problem: bench.Problem{Code: "value-mismatch", Expected: describePage(page), Actual: describeRanks(ranks)}}
	everybody := make(map[string]*player, len(due.ranked))
	for _, r := range due.ranked {
		everybody[r.who.id] = r.who
	}
	shown := make(map[string]int64, len(ranks))
	for i := range ranks {
		shown[ranks[i].PlayerID] = *ranks[i].Score
	}
	for _, old := range c.past() {
		if len(ranks) == 0 && after > 0 {
			break // as most sheets end
		}
		if old != due && matches(ranks, after, old) && !slices.Equal(old.ranked, due.ranked) {
			f.Rule, f.Code, f.Message = ruleRankingFresh, "stale-read", "the ranking is that of an earlier sheet"
			if len(due.ranked) == 0 {
				f.or = []string{f.Rule}
				f.Rule, f.Message = ruleUploadEmpty, "an empty sheet did not clear the ranking"
			}
			return f
		}
	}
	for i := range ranks {
		if everybody[ranks[i].PlayerID] == nil {
			f.Rule, f.Code, f.Message = ruleRankingSheet, "phantom", fmt.Sprintf("player %s is in the ranking but not in the sheet", ranks[i].PlayerID)
			return f
		}
	}
	for i := range ranks {
		who, got := everybody[ranks[i].PlayerID], *ranks[i].Score
		want, _ := due.score(who)
		if got == want {
			continue
		}
		f.Rule, f.Message = ruleRankingSheet, fmt.Sprintf("player %s has score %d in the ranking and %d in the sheet", who.id, got, want)
		if slices.Contains(due.rows, row{who, got}) {
			f.Rule, f.Message = ruleRankingLastRow, fmt.Sprintf("player %s is ranked with %d, which is not their last row: that says %d", who.id, got, want)
			f.or = []string{ruleRankingSheet} // or the last row got lost
		}
		return f
	}
	if len(shown) == len(ranks) && sameScores(ranks, page) {
		f.Rule, f.Message = ruleRankingTies, "equal scores are not in the order of their rows"
		f.or = []string{ruleRankingOrder}
		return f
	}
	if len(due.ranked) > len(page) {
		// What is wrong elsewhere may have pushed entries onto another page.
		f.or = []string{ruleRankingOrder, ruleRankingTies, ruleRankingLastRow, ruleRankingDisqualified}
	}
	var missing *player
	missed, disqualified := 0, true
	for _, r := range page {
		if _, ok := shown[r.who.id]; !ok {
			missing = r.who
			missed++
			disqualified = disqualified && b.tenant.out(r.who)
		}
	}
	switch {
	case len(shown) < len(ranks):
		f.Rule, f.Code, f.Message = ruleRankingSheet, "duplicate", "a player is in the ranking twice"
	case missed > 0 && disqualified:
		f.Rule, f.Code, f.Message = ruleRankingDisqualified, "lost-write", fmt.Sprintf("disqualified player %s has vanished from the ranking", missing.id)
		f.or = append(f.or, ruleRankingSheet) // by chance
	case len(ranks) < len(page) && len(due.ranked) > pageSize && (len(ranks) == 0 || matches(ranks, after, &sheet{ranked: due.ranked[:after+len(ranks)]})):
		f.Rule, f.Message = ruleRankingPage, "the page does not hold everybody up to a hundred"
		f.or = append(f.or, ruleRankingSheet)
	case missed > 0:
		f.Rule, f.Code, f.Message = ruleRankingSheet, "lost-write", fmt.Sprintf("%d of %d players are missing, %s for one", missed, len(page), missing.id)
	default:
		f.Rule, f.Message = ruleRankingPage, "the page holds other entries than those after rank_after"
	}
	return f
}

// sameScores reports whether the entries have the scores of a page, if not the players.
func sameScores(ranks []rank, page []row) bool {
	return slices.EqualFunc(ranks, page, func(a rank, b row) bool { return *a.Score == b.score })
}

// past returns every sheet that was ever uploaded for the competition.
func (c *competition) past() []*sheet {
	c.mu.Lock()
	defer c.mu.Unlock()
	return append([]*sheet{noSheet}, c.uploaded...)
}

func describePage(page []row) string {
	text := fmt.Sprintf("%d entries", len(page))
	for i, r := range page {
		if i == 3 {
			return text + ", …"
		}
		text += fmt.Sprintf(", %s with %d", r.who.id, r.score)
	}
	return text
}

func describeRanks(ranks []rank) string {
	text := fmt.Sprintf("%d entries", len(ranks))
	for i := range ranks {
		if i == 3 {
			return text + ", …"
		}
		text += fmt.Sprintf(", %s with %d", ranks[i].PlayerID, *ranks[i].Score)
	}
	return text
}

// page asks for a player's page.
func (b *browser) page(id string) (*playerPageData, error) {
	p := b.do(b.user.Get(pathPlayer(id)).Route(routePlayer), statusOK)
	if !p.OK() {
		return nil, p.Err()
	}
	data, err := read[playerPageData](b, p)
	if err != nil {
		return nil, err
	}
	if err := b.blame(p, b.checkPlayerPage(p, id, data)...); err != nil {
		return nil, err
	}
	b.point(pointPlayer)
	return data, nil
}

// checkPlayerPage compares a player's page with the sheets that it may be made of.
func (b *browser) checkPlayerPage(p *bench.Page, id string, data *playerPageData) (findings []*finding) {
	b.exercised(rulePlayerDetail, rulePlayerScores, ruleDisqualifiedShown)
	wrong := func(rule, code, expected, actual, message string) {
		findings = append(findings, &finding{Problem: bench.Problem{Rule: rule, Code: code, Expected: expected, Actual: actual, Message: message}})
	}
	t := b.tenant
	if data.Player.ID != id {
		wrong(rulePlayerDetail, "value-mismatch", "player "+id, "player "+data.Player.ID, "the page is of another player")
		return findings
	}
	t.mu.Lock()
	who := t.players[id]
	if who != nil {
		findings = append(findings, b.checkDetail(p, who, &data.Player, rulePlayerDetail)...)
	}
	own := slices.Clone(t.competitions)
	t.mu.Unlock()
	if who == nil {
		return findings
	}

	byTitle := make(map[string]int64, len(data.Scores))
	for i := range data.Scores {
		d := &data.Scores[i]
		if _, twice := byTitle[d.CompetitionTitle]; twice && t.initial == nil {
			wrong(rulePlayerScores, "duplicate", "each competition once", d.CompetitionTitle+" twice", "a competition is on a player's page twice")
		}
		byTitle[d.CompetitionTitle] = *d.Score
	}
	span := model.Span{Sent: p.SentAt(), Done: p.DoneAt()}
	for _, c := range own {
		got, shown := byTitle[c.title]
		delete(byTitle, c.title)
		possible, _ := c.sheets.Possible(nil, span)
		if f := c.checkPlayerScore(possible, who, got, shown); f != nil {
			if f = c.suspect(f); f != nil {
				findings = append(findings, f)
			}
		}
	}
	if t.initial == nil {
		for title := range byTitle {
			wrong(rulePlayerScores, "phantom", "only competitions of "+t.name, title, "a player's page has a competition that nobody has added to this tenant")
		}
	}
	return findings
}

// checkPlayerScore compares what a page shows of a competition with the sheets
// that it may be made of.
func (c *competition) checkPlayerScore(possible []*sheet, who *player, got int64, shown bool) *finding {
	describe := func(score int64, there bool) string {
		if !there {
			return "no score in " + strconv.Quote(c.title)
		}
		return fmt.Sprintf("score %d in %q", score, c.title)
	}
	f := &finding{Problem: bench.Problem{Rule: rulePlayerScores, Code: "value-mismatch", Step: "GET " + routePlayer, Actual: describe(got, shown),
		Message: "a player's page does not show the score of the current sheet"}}
	for _, s := range possible {
		want, there := s.score(who)
		if there == shown && want == got {
			return nil
		}
		f.Expected = describe(want, there)
		// What an upload did wrong shows in the ranking too, and is blamed there.
		switch {
		case len(s.ranked) == 0:
			f.or = append(f.or, ruleUploadEmpty)
		case !shown:
			f.or = append(f.or, ruleRankingSheet)
		case slices.Contains(s.rows, row{who, got}):
			f.or = append(f.or, ruleRankingLastRow, ruleRankingSheet)
		}
	}
	if len(possible) > 1 {
		f.or = append(f.or, ruleRankingWhole)
	}
	return f
}
