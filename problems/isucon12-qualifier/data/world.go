package data

import (
	"cmp"
	"slices"
	"strconv"
	"time"
)

// The window of the initial data: May 2022, in UTC (§12). What happens from the
// second after end on is the contest's, and POST /initialize removes it.
var (
	epoch = time.Date(2022, time.May, 1, 0, 0, 0, 0, time.UTC).Unix()
	end   = time.Date(2022, time.May, 31, 23, 59, 59, 0, time.UTC).Unix()
)

const hour = 60 * 60

// hugeTenant is the tenant whose size is set apart: Options.Huge….
const hugeTenant = 1

// tenant is one customer, with all but what its players did.
type tenant struct {
	id            int
	name, display string
	createdAt     int64
	players       []player      // oldest first
	competitions  []competition // oldest first
}

type player struct {
	id, display  string
	createdAt    int64
	disqualified bool
}

type competition struct {
	id, title  string
	createdAt  int64
	finishedAt int64 // 0: still running

	// Known once the history is written: distinct players with a row in the
	// sheet, and distinct players without one who looked at the ranking.
	scored, visitors int
}

func (c competition) finished() bool { return c.finishedAt != 0 }

// until is when the competition's history ends.
func (c competition) until() int64 {
	if c.finished() {
		return c.finishedAt
	}
	return end
}

// yen is what a tenant pays for the competition (§7).
func (c competition) yen() int64 {
	if !c.finished() {
		return 0
	}
	return 100*int64(c.scored) + 10*int64(c.visitors)
}

func (t tenant) yen() (sum int64) {
	for _, c := range t.competitions {
		sum += c.yen()
	}
	return sum
}

// artist draws tenants.
type artist struct {
	chance chance
	ids    *dispenser
	opts   Options
}

// drawTenants draws all tenants, by id from 1.
func drawTenants(opts Options, ids *dispenser) []tenant {
	a := artist{newChance(opts.Seed, worldStream), ids, opts}
	tenants := make([]tenant, opts.Tenants)
	for i := range tenants {
		tenants[i] = a.tenant(i + 1)
	}
	return tenants
}

func (a artist) tenant(id int) tenant {
	t := tenant{id: id}
	switch id {
	case 1:
		t.name, t.display, t.createdAt = "isucon", "ISUコングロマリット", epoch
	case 2:
		t.name, t.display, t.createdAt = "kayac", "KAYAC", epoch+5*60
	default:
		t.name = a.chance.pick(slugs) + "-" + a.chance.pick(slugs) + "-" + strconv.Itoa(id)
		t.display = a.teamName()
		from := epoch + 3*hour*int64(id)
		t.createdAt = a.chance.between(from, from+3*hour)
	}
	t.players = a.players(t)
	t.competitions = a.competitions(t)
	return t
}

// fixedPlayers are there in every world: people log in as them.
var fixedPlayers = map[int]player{
	1: {id: "0001", display: "ISUコンボイ"},
	2: {id: "0002", display: "fujiwara組"},
}

func (a artist) players(t tenant) []player {
	n := a.chance.in(a.opts.Players)
	if t.id == hugeTenant {
		n = a.opts.HugePlayers
	}
	var players []player
	for range n {
		at := a.chance.between(t.createdAt, end)
		players = append(players, player{a.ids.id(at), a.personName(), at, a.chance.percent(10)})
	}
	if fixed, ok := fixedPlayers[t.id]; ok {
		fixed.createdAt = t.createdAt
		players = append(players, fixed)
	}
	slices.SortStableFunc(players, func(x, y player) int { return cmp.Compare(x.createdAt, y.createdAt) })
	return players
}

func (a artist) competitions(t tenant) []competition {
	n := a.chance.in(a.opts.Competitions)
	if t.id == hugeTenant {
		n = a.opts.HugeCompetitions
	}
	competitions := make([]competition, n)
	for i := range competitions {
		at := a.chance.between(t.createdAt, end)
		competitions[i] = competition{id: a.ids.id(at), title: a.title(), createdAt: at}
		if a.chance.percent(50) {
			competitions[i].finishedAt = a.chance.between(at, end)
		}
	}
	slices.SortStableFunc(competitions, func(x, y competition) int { return cmp.Compare(x.createdAt, y.createdAt) })
	return competitions
}

// teamName is how a tenant calls itself.
func (a artist) teamName() string {
	name := ""
	if a.chance.percent(20) {
		name = "チーム"
	}
	return name + a.salad() + a.chance.pick(teamEndings)
}

// title is how a competition is called.
func (a artist) title() string {
	number := strconv.Itoa(1 + a.chance.below(9))
	if a.chance.percent(22) {
		return "第" + number + "回 " + a.salad()
	}
	return a.salad() + a.chance.pick([]string{"杯", "カップ", "大会", " vol." + number, " #" + number, ""})
}

// salad is a noun, half of the time dressed with an adjective.
func (a artist) salad() string {
	if a.chance.percent(50) {
		return a.chance.pick(adjectives) + a.chance.pick(nouns)
	}
	return a.chance.pick(nouns)
}

func (a artist) personName() string {
	return a.chance.pick(givenNames) + " " + a.chance.pick(familyNames)
}
