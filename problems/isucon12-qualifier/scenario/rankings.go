package isucon12qscenario

import (
	"fmt"
	"sync/atomic"

	"hotseat/bench"
)

// uploadWatched uploads while readers hammer the ranking.
func (w *world) uploadWatched(u *bench.User, o *browser, c *competition, s *sheet, readers []*player) error {
	var over atomic.Bool
	errs := make(chan error, len(readers))
	for i, who := range readers {
		go func() {
			errs <- u.Run.Alone(u.Context(), bench.Scenario{Name: fmt.Sprintf("reader %d of %s", i+1, u.Population), Run: func(u *bench.User) error {
				b := newBrowser(u, w).asPlayer(o.tenant, who)
				for !over.Load() {
					if _, err := b.ranking(c.id, -1); err != nil {
						return err
					}
				}
				return nil
			}})
		}()
	}
	err := o.upload(c, s)
	over.Store(true)
	for range readers {
		if e := <-errs; e != nil && err == nil {
			err = e
		}
	}
	return err
}

// rankings is group B: order, ties, pages.
func (w *world) rankings(u *bench.User) error {
	const scored = pageSize + 1
	t, players, err := w.newTenantWith(u, scored)
	if err != nil {
		return err
	}
	o := newBrowser(u, w).asOrganizer(t)
	c, err := o.addCompetition(w.newTitle(u.Rand))
	if err != nil {
		return err
	}
	// One after the other on a single connection, as whoever is next needs it.
	look := func(after int, of *player) error {
		reader := newBrowser(u, w).asPlayer(t, players[0])
		defer o.asOrganizer(t)
		if _, err := reader.ranking(c.id, after); err != nil {
			return err
		}
		if after >= 0 {
			return nil
		}
		_, err := reader.page(of.id)
		return err
	}
	type step struct {
		rows  []row
		pages []int
	}
	steps := []step{
		{rowsOf(players, func(i int) int64 { return int64(100 + i) }), []int{-1, pageSize}},
		{rowsOf(players, func(i int) int64 { return int64(1000 - i) }), []int{-1}},
		{twice(players, 1, 1000), []int{-1}},
	}
	if w.strict {
		falling := twice(players, 900, 2)
		steps[0].pages = append(steps[0].pages, 0, 1, 57, scored)
		steps = append(steps, step{falling, []int{-1, 0}}, step{nil, []int{-1}}, step{mixed(players), []int{-1, 50}})
		if err := look(-1, players[30]); err != nil { // nothing yet
			return err
		}
	}
	for i, step := range steps {
		s := newSheet(step.rows)
		var readers []*player
		if w.strict && i > 0 {
			readers = players[1:3]
		}
		if err := w.uploadWatched(u, o, c, s, readers); err != nil {
			return err
		}
		for _, after := range step.pages {
			if err := look(after, players[30]); err != nil {
				return err
			}
		}
	}
	return nil
}

// twice makes a sheet with two rows for each player.
func twice(players []*player, first, second int64) []row {
	var rows []row
	for _, p := range players {
		rows = append(rows, row{p, first}, row{p, second})
	}
	return rows
}

// mixed makes a sheet with few different scores, so that ties abound, and a
// second row for every third player, far from the first.
func mixed(players []*player) []row {
	var rows []row
	for i := range players {
		p := players[i*37%len(players)]
		rows = append(rows, row{p, int64(i * 31 % 9)})
	}
	for i := 0; i < len(players); i += 3 {
		rows = append(rows, row{players[i], int64(i * 17 % 11)})
	}
	return rows
}
