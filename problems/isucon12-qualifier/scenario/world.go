package isucon12qscenario

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hotseat"
	"hotseat/bench"
)

// world is everything the benchmark believes about the service during one run.
type world struct {
	run       *bench.Run
	strict    bool
	reproduce bool
	size      size
	truth     *truth
	signer    *signer
	stranger  *signer // with a key of its own
	admin     pass

	initial []*tenant // by id, from 1

	mu     sync.Mutex
	added  []*tenant       // by the run, as acknowledged
	doubt  int             // additions of tenants whose outcome nobody knows
	titles map[string]bool // and names, so that all are different

	// What failures in the load weigh: 1 each, 10 if critical (§16.7).
	weight atomic.Int64
	earned atomic.Bool // at least one point

	crowd crowd
	seed  seed
}

// domain is what follows the tenant's name in its host (§2).
const (
	domain    = ".t.isucon.dev"
	adminName = "admin"
	adminHost = adminName + domain
)

func newWorld(r *bench.Run, t *truth, stranger *signer) *world {
	w := &world{run: r, strict: r.Strict(), reproduce: r.Param(paramReproduce) == "true", size: sizeOf(r), truth: t, signer: newSigner(t.key), stranger: stranger, titles: map[string]bool{}}
	for _, i := range t.tenants {
		n := newTenant(w, i.name)
		n.id, n.initial = i.id, i
		for _, c := range i.competitions {
			known := &competition{tenant: n, id: c.id, initial: c}
			n.byID[c.id] = known
		}
		for _, s := range i.samples {
			if n.players[s.PlayerID] == nil {
				n.meet(s.PlayerID, "").initially = told(s.IsDisqualified)
			}
		}
		w.initial = append(w.initial, n)
	}
	w.seed.choose(w)
	return w
}

// tenantOf returns an initial tenant.
func (w *world) tenantOf(id int) *tenant { return w.initial[id-1] }

// oneOf draws a number between the two, both included.
func oneOf(dice *rand.Rand, least, most int) int { return least + dice.IntN(most-least+1) }

// unique draws a word of small letters that this run has not used yet.
func (w *world) unique(dice *rand.Rand, length int) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	for {
		b := make([]byte, length)
		for i := range b {
			b[i] = byte('a' + dice.IntN(26))
		}
		if s := string(b); !w.titles[s] {
			w.titles[s] = true
			return s
		}
	}
}

// newNames draws the names of a new tenant.
func (w *world) newNames(dice *rand.Rand) (name, display string) {
	name = w.unique(dice, 12)
	return name, "テナント " + name
}

func (w *world) newTitle(dice *rand.Rand) string { return "大会 " + w.unique(dice, 10) }

// newPlayerNames draws what a new tenant's players are called: half of them
// have no name, and these come first (§16.5).
func (w *world) newPlayerNames(dice *rand.Rand) []string {
	n := oneOf(dice, w.size.namedMin, w.size.namedMax)
	names := make([]string, 2*n)
	for i := n; i < 2*n; i++ {
		names[i] = w.unique(dice, 16)
	}
	return names
}

// limit is the weight of failures at which the load stops (§16.7).
const (
	weightLimit    = 100
	normalWeight   = 1
	criticalWeight = 10
)

// normal and critical take note of what a failed request of the load costs.
// They return the error.
func (w *world) normal(err error) error   { return w.weigh(err, normalWeight) }
func (w *world) critical(err error) error { return w.weigh(err, criticalWeight) }

func (w *world) weigh(err error, weight int64) error {
	failed := new(bench.Failed)
	if !errors.As(err, &failed) || failed.Class.Side() != hotseat.SideTarget {
		return err
	}
	if w.weight.Add(weight) >= weightLimit {
		w.run.Disqualify(fmt.Sprintf("errors took all points: 1 %% for each, 10 %% for those of updates; the last was: %s", failed.Message),
			"look at the failures; the first ones often cause the others")
	}
	return err
}

// tenant is a customer of the service.
type tenant struct {
	world     *world
	name      string
	display   string
	host      string
	organizer pass

	mu       sync.Mutex
	id       int64          // 0: not known
	initial  *initialTenant // nil for those that the run has added
	players  map[string]*player
	roster   []*player // as they became known
	complete bool      // all players are known
	doubtful int       // additions of players under way, or of unknown outcome

	competitions []*competition // of this run, as announced
	byID         map[string]*competition
	addedAt      time.Time
}

func newTenant(w *world, name string) *tenant {
	return &tenant{world: w, name: name, host: name + domain, players: map[string]*player{}, byID: map[string]*competition{}}
}

// meet returns the player of that id; t.mu is held, or nobody else knows t.
func (t *tenant) meet(id, name string) *player {
	p := t.players[id]
	if p == nil {
		p = &player{id: id, name: name, number: len(t.roster)}
		t.players[id] = p
		t.roster = append(t.roster, p)
	}
	return p
}

// competition returns that of an id, nil if the tenant is not known to have it.
func (t *tenant) competition(id string) *competition {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.byID[id]
}

// own returns the competitions that the run has added to the tenant.
func (t *tenant) own() []*competition {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.competitions)
}

// pass is a token, signed when it is first needed.
type pass struct {
	once   sync.Once
	cookie string
}

func (p *pass) get(s *signer, role, subject, tenant string) string {
	p.once.Do(func() { p.cookie = s.sign(newClaims(role, subject, tenant, time.Now())) })
	return p.cookie
}

func (w *world) adminCookie() string {
	return w.admin.get(w.signer, roleAdmin, roleAdmin, adminName)
}

func (t *tenant) organizerCookie() string {
	return t.organizer.get(t.world.signer, roleOrganizer, roleOrganizer, t.name)
}

func (t *tenant) playerCookie(p *player) string {
	return p.get(t.world.signer, rolePlayer, p.id, t.name)
}

// standing is what is known of a player's disqualification; the tenant's lock
// guards it.
type standing struct {
	initially tristate
	asked     time.Time // zero: never in this run
	done      time.Time // zero: no answer has said so yet
}

// shown returns whether an answer may show the player as qualified, and as disqualified.
func (s *standing) shown(sent time.Time, grace time.Duration) (qualified, disqualified bool) {
	switch {
	case s.initially == is:
		return false, true
	case !s.done.IsZero() && !sent.Before(s.done.Add(grace)):
		return false, true
	case !s.asked.IsZero() || s.initially == notTold:
		return true, true
	default:
		return true, false
	}
}

// out reports whether the player may be disqualified.
func (t *tenant) out(p *player) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return p.initially == is || !p.asked.IsZero()
}
