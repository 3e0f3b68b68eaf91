package isucon12qscenario

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"
)

// bill is §7, with its faults.
func (s *service) bill(t *fakeTenant, c *fakeCompetition) map[string]any {
	scored := map[string]bool{}
	players := int64(0)
	for _, r := range c.rows {
		if !scored[r.player] || s.is("billed-rows") {
			players++
		}
		scored[r.player] = true
	}
	if s.is("no-disqualified-players") {
		for id := range scored {
			if t.players[id].disqualified {
				players--
			}
		}
	}
	visitors := int64(0)
	for id, visits := range c.visits {
		counts := 0
		for i, v := range visits {
			in := v.at <= c.finished
			switch {
			case s.is("strictly-before"):
				in = v.at < c.finished
			case s.is("late-visits"):
				in = true
			case s.is("last-visit"):
				in = in && i == len(visits)-1
			case s.is("unpaged-visits"):
				in = in && !v.paged
			}
			if in {
				counts++
			}
		}
		if scored[id] && !s.is("billed-twice") || s.is("no-disqualified-visitors") && t.players[id].disqualified {
			continue
		}
		if counts > 1 && !s.is("every-visit") {
			counts = 1
		}
		visitors += int64(counts)
	}
	if s.is("visitors-halved") {
		visitors = (visitors + 1) / 2
	}
	if c.finished == 0 && !s.is("unfinished-billed") {
		players, visitors = 0, 0
	}
	yen := players*playerYen + visitors*visitorYen
	if c.initialYen != 0 || c.visits == nil {
		yen = c.initialYen
		if c.finished != 0 && c.initialYen == 0 { // finished by somebody
			yen = 700
		}
		players, visitors = yen/100, yen%100/10
	}
	out := map[string]any{"competition_id": c.id, "competition_title": c.title, "player_count": players, "visitor_count": visitors,
		"billing_player_yen": players * playerYen, "billing_visitor_yen": visitors * visitorYen, "billing_yen": yen}
	if s.is("yen-off") && visitors > 0 && c.visits != nil {
		out["billing_visitor_yen"] = visitors
	}
	return out
}

func (s *service) playerPage(t *fakeTenant, id string) (any, error) {
	p := t.players[id]
	if p == nil {
		return nil, httpError{http.StatusNotFound}
	}
	scores := []map[string]any{}
	for _, c := range t.competitions {
		if ranked := s.ranked(t, c, "page-"); len(ranked) > 0 {
			for _, r := range ranked {
				if r.player == id {
					scores = append(scores, map[string]any{"competition_title": c.title, "score": r.score})
				}
			}
		}
	}
	detail := s.playerDetail(p)
	if s.is("page-name") {
		detail["display_name"] = p.name + "様"
	}
	return map[string]any{"player": detail, "scores": scores}, nil
}

// ranked is §8, with its faults; those of pages have a prefix.
func (s *service) ranked(t *fakeTenant, c *fakeCompetition, prefix string) []fakeRow {
	rows := c.rows
	if s.is(prefix+"stale") && time.Since(c.uploadedAt) < 1500*time.Millisecond && len(c.old) > 0 {
		rows = c.old
	}
	last := map[string]int{}
	for i, r := range rows {
		j, there := last[r.player]
		switch {
		case s.is(prefix+"best") && there && rows[j].score > r.score:
		case s.is(prefix+"first-row") && there:
		default:
			last[r.player] = i
		}
	}
	var out []fakeRow
	for i, r := range rows {
		if last[r.player] != i || s.is(prefix+"no-disqualified") && t.players[r.player].disqualified {
			continue
		}
		out = append(out, r)
	}
	slices.SortStableFunc(out, func(a, b fakeRow) int {
		by := cmp.Compare(b.score, a.score)
		if by == 0 && s.is(prefix+"ties-by-id") {
			by = cmp.Compare(b.player, a.player)
		}
		return by
	})
	if s.is(prefix+"ascending") && len(out) > 1 {
		out[0], out[len(out)-1] = out[len(out)-1], out[0]
	}
	return out
}

func (s *service) ranking(t *fakeTenant, me *fakePlayer, id string, r *http.Request) (any, error) {
	c := t.competition(id)
	if c == nil {
		return nil, httpError{http.StatusNotFound}
	}
	after, _ := strconv.Atoi(cmp.Or(r.FormValue("rank_after"), "0"))
	if c.visits != nil {
		c.visits[me.id] = append(c.visits[me.id], fakeVisit{time.Now().Unix(), r.FormValue("rank_after") != ""})
	}
	ranks := []map[string]any{}
	for i, row := range s.ranked(t, c, "") {
		from := after
		if s.is("after-off") && after > 0 {
			from--
		}
		limit := 100
		if s.is("page-of-101") {
			limit = 101
		}
		if i < from || len(ranks) >= limit {
			continue
		}
		name := t.players[row.player].name
		if s.is("ranking-names") {
			name = row.player
		}
		rank := i + 1
		if s.is("ties-share") && len(ranks) > 0 && fmt.Sprint(ranks[len(ranks)-1]["score"]) == fmt.Sprint(row.score) {
			rank = ranks[len(ranks)-1]["rank"].(int)
		}
		score := row.score
		if s.is("score-off") && i == 3 && len(ranks) > 3 {
			score = (ranks[2]["score"].(int64) + row.score) / 2
		}
		ranks = append(ranks, map[string]any{"rank": rank, "score": score, "player_id": row.player, "player_display_name": name})
	}
	if len(ranks) == 0 && s.is("admin-null") {
		ranks = nil
	}
	return map[string]any{"competition": s.competitionDetail(c), "ranks": ranks}, nil
}
