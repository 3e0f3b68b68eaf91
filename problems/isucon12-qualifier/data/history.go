package data

import (
	"cmp"
	"slices"
)

// visit is one look at a competition's ranking.
type visit struct {
	at     int64
	player int // index into the tenant's players
}

// score is one row of a competition's sheet.
type score struct {
	at     int64
	player int
	value  int64
}

// historian draws what the players of one tenant did, competition by
// competition, so that only one competition is ever in memory.
type historian struct {
	chance chance
	opts   Options
	tenant *tenant
	visits []visit
	scores []score
}

func newHistorian(t *tenant, opts Options) *historian {
	return &historian{chance: newChance(opts.Seed, historyStream+uint64(t.id)), opts: opts, tenant: t}
}

// draw draws the history of c, oldest first, and counts in c who will be
// billed. The rows are good until the next call.
func (h *historian) draw(c *competition) ([]visit, []score) {
	h.visits, h.scores = h.visits[:0], h.scores[:0]
	c.scored, c.visitors = 0, 0
	from, until := c.createdAt, c.until()
	for i, p := range h.tenant.players {
		if p.createdAt >= until {
			continue
		}
		first := h.chance.between(from, until)
		last := h.chance.between(first, until)
		for range h.chance.loops(h.opts.Visits) {
			h.visits = append(h.visits, visit{h.chance.between(first, last), i})
		}
		if !h.chance.percent(90) {
			c.visitors++
			continue
		}
		c.scored++
		for range h.chance.loops(h.opts.Scores) {
			at := h.chance.between(from, until)
			h.scores = append(h.scores, score{at, i, h.chance.between(0, 100) * h.chance.between(0, 100) * h.chance.between(0, 100)})
		}
	}
	slices.SortStableFunc(h.visits, func(x, y visit) int { return cmp.Compare(x.at, y.at) })
	slices.SortStableFunc(h.scores, func(x, y score) int { return cmp.Compare(x.at, y.at) })
	return h.visits, h.scores
}
