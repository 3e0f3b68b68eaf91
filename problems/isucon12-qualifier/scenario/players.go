package isucon12qscenario

import (
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"hotseat/bench"
)

// crew is the watchers of one organizer: browsers that look at a ranking while
// its sheet is uploaded. They are made when first needed and stay.
type crew struct {
	world *world
	size  int
	work  chan *watching // nil: nobody works yet
}

func newCrew(w *world, size int) *crew { return &crew{world: w, size: size} }

// watching is one competition being looked at.
type watching struct {
	tenant    *tenant
	what      *competition
	qualified []*player
	over      atomic.Bool
	gone      chan struct{} // one for each watcher who is done
	watchers  int
}

// watch sends the watchers to a competition.
func (c *crew) watch(t *tenant, what *competition, qualified []*player) *watching {
	if c.work == nil {
		c.work = make(chan *watching, c.size)
		begun := 0
		for range c.size {
			if c.world.crowd.watcher.Join(func(u *bench.User) bench.Iteration { return newWatcher(u, c.world, c.work).look }) {
				begun++
			}
		}
		c.size = begun
	}
	job := &watching{tenant: t, what: what, qualified: qualified, gone: make(chan struct{}, c.size), watchers: c.size}
	for range c.size {
		c.work <- job
	}
	return job
}

// end has every watcher look once more, and waits until they have.
func (j *watching) end(u *bench.User) {
	j.over.Store(true)
	for range j.watchers {
		select {
		case <-j.gone:
		case <-u.Context().Done():
			return
		}
	}
}

type watcher struct {
	worker
	work chan *watching
	last *player
}

func newWatcher(u *bench.User, w *world, work chan *watching) *watcher {
	return &watcher{worker: newWorker(u, w), work: work}
}

// look watches one competition, as a random player each time.
func (k *watcher) look() error {
	var j *watching
	select {
	case j = <-k.work:
	case <-k.user.Context().Done():
		return bench.ErrCut
	}
	defer func() { j.gone <- struct{}{} }()
	who := j.qualified[k.user.Rand.IntN(len(j.qualified))]
	if who != k.last {
		k.user.ResetConnections() // somebody else's browser
	}
	k.last = who
	k.asPlayer(j.tenant, who)
	for {
		over := j.over.Load()
		if _, err := k.ranking(j.what.id, -1); err != nil {
			return k.world.normal(err)
		}
		if over || k.user.Cut() || k.user.Run.LoadEnded() {
			return nil
		}
		k.world.size.wait.take(k.user)
	}
}

// gamer is a player who plays: looks at rankings and at other players. Slow
// rankings drive them away.
type gamer struct {
	worker
	tenant *tenant
	slow   int
}

// Three rankings that take longer than this are too many.
const (
	slowRanking = 1200 * time.Millisecond
	slowEnough  = 3
	looksPerMap = 10 // rankings until the list is asked for again
)

func newGamer(u *bench.User, w *world, t *tenant, p *player) *gamer {
	k := &gamer{worker: newWorker(u, w), tenant: t}
	k.asPlayer(t, p)
	return k
}

func (k *gamer) round() error {
	err := k.play()
	if err != nil {
		k.user.Leave()
		return k.world.normal(err)
	}
	return nil
}

func (k *gamer) play() error {
	u, size := k.user, &k.world.size
	list, err := k.playersList()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		size.empty.take(u)
		return nil
	}
	for range looksPerMap {
		if u.Cut() || u.Run.LoadEnded() {
			return nil
		}
		id := pick(u.Rand, list)
		board, err := k.look(id, -1)
		if err != nil || k.gone() {
			return err
		}
		if n := len(board.ranks); n > 0 && u.Rand.IntN(5) == 0 {
			size.glance.take(u)
			if _, err := k.look(id, u.Rand.IntN(n)); err != nil || k.gone() {
				return err
			}
		}
		if len(board.ranks) == 0 {
			if k.world.reproduce {
				continue // as on the day of the contest (§16.6)
			}
			size.empty.take(u)
			return nil
		}
		for range oneOf(u.Rand, 3, 5) {
			if u.Cut() || u.Run.LoadEnded() {
				return nil
			}
			if _, err := k.page(board.ranks[u.Rand.IntN(len(board.ranks))].PlayerID); err != nil {
				return err
			}
			size.wait.take(u)
		}
	}
	return nil
}

// look is a look at a ranking, with a mind of how long it took.
func (k *gamer) look(id string, after int) (*board, error) {
	board, err := k.ranking(id, after)
	if err != nil {
		return nil, err
	}
	if board.took > slowRanking {
		k.slow++
	}
	if k.slow >= slowEnough {
		k.user.Leave()
	}
	return board, nil
}

func (k *gamer) gone() bool { return k.slow >= slowEnough }

// pick chooses a competition: mostly the first one that is not finished.
func pick(dice *rand.Rand, list []competitionDetail) string {
	first := slices.IndexFunc(list, func(c competitionDetail) bool { return !*c.IsFinished })
	if first >= 0 && dice.IntN(10) < 9 {
		return list[first].ID
	}
	return list[dice.IntN(len(list))].ID
}
