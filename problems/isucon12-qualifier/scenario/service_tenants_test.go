package isucon12qscenario

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// This file is the service's pages for organizers and players.

func (s *service) organizer(t *fakeTenant, r *http.Request) (any, error) {
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/organizer/"), "/")
	if len(parts) == 3 && parts[0] == "competition" && parts[2] == "score" {
		return s.upload(t, parts[1], r)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(parts) == 1 && parts[0] == "players":
		return map[string]any{"players": s.listPlayers(t)}, nil
	case len(parts) == 2 && parts[0] == "players":
		return s.addPlayers(t, r)
	case len(parts) == 3 && parts[2] == "disqualified":
		p := t.players[parts[1]]
		if p == nil {
			return nil, httpError{http.StatusNotFound}
		}
		p.disqualified, p.since = true, time.Now()
		shown := s.playerDetail(p)
		shown["is_disqualified"] = !s.is("disqualify-unsaid")
		return map[string]any{"player": shown}, nil
	case len(parts) == 1 && parts[0] == "competitions":
		return s.listCompetitions(t), nil
	case len(parts) == 2 && parts[0] == "competitions":
		c := &fakeCompetition{id: s.id(), title: r.FormValue("title"), visits: map[string][]fakeVisit{}}
		t.competitions = append(t.competitions, c)
		return map[string]any{"competition": s.competitionDetail(c)}, nil
	case len(parts) == 3 && parts[2] == "finish":
		c := t.competition(parts[1])
		if c == nil {
			if s.is("unknown-finish") {
				return nil, nil
			}
			return nil, httpError{http.StatusNotFound}
		}
		c.finishedAt = time.Now()
		c.finished = c.finishedAt.Unix()
		return nil, nil
	case len(parts) == 1 && parts[0] == "billing":
		return s.billing(t), nil
	}
	return nil, httpError{http.StatusNotFound}
}

func (s *service) billing(t *fakeTenant) any {
	if s.is("billing-cached") && time.Since(t.cachedAt) < 10*time.Second && len(t.cachedBill) == len(t.competitions) {
		return map[string]any{"reports": t.cachedBill}
	}
	list := []map[string]any{}
	for i := range t.competitions {
		c := t.competitions[len(t.competitions)-1-i]
		if s.is("billing-finished-only") && c.finished == 0 {
			continue
		}
		list = append(list, s.bill(t, c))
		if s.is("initial-off") && c.initialYen > 0 {
			list[len(list)-1]["billing_yen"] = c.initialYen + 10
		}
	}
	if s.is("oldest-first") {
		slices.Reverse(list)
	}
	t.cachedBill, t.cachedAt = list, time.Now()
	return map[string]any{"reports": list}
}

func (t *fakeTenant) competition(id string) *fakeCompetition {
	for _, c := range t.competitions {
		if c.id == id {
			return c
		}
	}
	return nil
}

func (s *service) playerDetail(p *fakePlayer) map[string]any {
	shown := p.disqualified
	if s.is("never-shown") && !p.since.IsZero() {
		shown = false
	}
	return map[string]any{"id": p.id, "display_name": p.name, "is_disqualified": shown}
}

func (s *service) listPlayers(t *fakeTenant) any {
	list := []map[string]any{}
	if len(t.order) == 0 {
		list = nil // as the Go app of the contest
	}
	for i := range t.order {
		list = append(list, s.playerDetail(t.order[len(t.order)-1-i]))
	}
	if s.is("oldest-first") {
		slices.Reverse(list)
	}
	if s.is("players-page") {
		list = list[:min(len(list), 90)]
	}
	return list
}

func (s *service) addPlayers(t *fakeTenant, r *http.Request) (any, error) {
	if err := r.ParseForm(); err != nil {
		return nil, httpError{http.StatusBadRequest}
	}
	list := []map[string]any{}
	for _, name := range r.PostForm["display_name[]"] {
		if name == "" && s.is("no-empty-names") {
			continue
		}
		p := &fakePlayer{id: s.id(), name: name}
		t.players[p.id] = p
		t.order = append(t.order, p)
		list = append(list, s.playerDetail(p))
	}
	if s.is("same-player-ids") {
		for i := range list {
			if len(list) == 24 && i > 12 { // of the check of the billing, which needs the first half only
				list[i]["id"] = list[i-1]["id"]
			}
		}
	}
	if s.is("reversed") {
		slices.Reverse(list)
	}
	return map[string]any{"players": list}, nil
}

func (s *service) competitionDetail(c *fakeCompetition) map[string]any {
	finished := c.finished != 0
	if s.is("finish-late") && time.Since(c.finishedAt) < 1500*time.Millisecond {
		finished = false
	}
	return map[string]any{"id": c.id, "title": c.title, "is_finished": finished}
}

func (s *service) listCompetitions(t *fakeTenant) any {
	list := []map[string]any{}
	for i := range t.competitions {
		list = append(list, s.competitionDetail(t.competitions[len(t.competitions)-1-i]))
	}
	if s.is("oldest-first") {
		slices.Reverse(list)
	}
	if s.is("competitions-lack-newest") && len(list) > 3 && t.competitions[0].visits != nil {
		list = list[1:]
	}
	return map[string]any{"competitions": list}
}

func (s *service) upload(t *fakeTenant, id string, r *http.Request) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := t.competition(id)
	if c == nil {
		return nil, httpError{http.StatusNotFound}
	}
	if c.finished != 0 && !s.is("upload-after-finish") {
		return nil, httpError{http.StatusBadRequest}
	}
	file, _, err := r.FormFile("scores")
	if err != nil {
		return nil, httpError{http.StatusInternalServerError}
	}
	text, _ := io.ReadAll(file)
	lines := strings.Split(string(text), "\n")
	if lines[0] != sheetHeader && !s.is("any-header") {
		return nil, httpError{http.StatusBadRequest}
	}
	var rows []fakeRow
	for _, line := range lines[1:] {
		cells := strings.Split(line, ",")
		if len(cells) < 2 {
			return nil, httpError{http.StatusInternalServerError}
		}
		player, text := cells[0], cells[1]
		if strings.HasPrefix(lines[0], "score") {
			player, text = text, player
		}
		if t.players[player] == nil {
			if s.is("clears-first") {
				c.rows = nil
			}
			if s.is("any-player") {
				continue
			}
			return nil, httpError{http.StatusBadRequest}
		}
		score, err := strconv.ParseInt(text, 10, 64)
		if err != nil {
			return nil, httpError{http.StatusBadRequest}
		}
		rows = append(rows, fakeRow{player, score})
	}
	count := len(rows)
	if s.is("distinct-rows") {
		seen := map[string]bool{}
		for _, r := range rows {
			seen[r.player] = true
		}
		count = len(seen)
	}
	if s.is("lost-row") && len(rows) > 1 {
		rows = rows[:len(rows)-1]
	}
	if len(rows) == 0 && s.is("empty-ignored") {
		return map[string]any{"rows": 0}, nil
	}
	if s.is("torn") {
		half := len(rows) / 2
		c.rows = rows[:half]
		s.mu.Unlock()
		time.Sleep(100 * time.Millisecond)
		s.mu.Lock()
	}
	if r.Header.Get(halfHeader) != "" {
		c.rows = rows[:len(rows)/2]
		return nil, httpError{http.StatusInternalServerError}
	}
	c.old, c.uploadedAt = c.rows, time.Now()
	c.rows = rows
	return map[string]any{"rows": count}, nil
}

func (s *service) player(v viewer, r *http.Request) (any, error) {
	t := v.tenant
	s.mu.Lock()
	defer s.mu.Unlock()
	me := t.players[v.id]
	if me == nil {
		if s.is("any-player-token") {
			return s.listCompetitions(t), nil
		}
		return nil, httpError{http.StatusUnauthorized}
	}
	parts := strings.Split(strings.TrimPrefix(r.URL.Path, "/api/player/"), "/")
	if me.disqualified {
		late := time.Since(me.since)
		allowed := s.is("disqualified-served") || s.is("disqualified-late") && late < 2*time.Second ||
			s.is("disqualified-pages") && len(parts) == 2 || s.is("grace-used") && late < 250*time.Millisecond && !strings.Contains(t.name, badTenant)
		if !allowed {
			return nil, httpError{http.StatusForbidden}
		}
	}
	switch {
	case len(parts) == 2 && parts[0] == "player":
		return s.playerPage(t, parts[1])
	case len(parts) == 1 && parts[0] == "competitions":
		return s.listCompetitions(t), nil
	case len(parts) == 3 && parts[2] == "ranking":
		return s.ranking(t, me, parts[1], r)
	}
	return nil, httpError{http.StatusNotFound}
}
