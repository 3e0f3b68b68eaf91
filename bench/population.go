package bench

import "time"

// Iteration is one round of a user's work: a visit, an order, a login. It is
// called again and again until the load ends; state that lasts from one
// iteration to the next lives in what it closes over. What it returns obeys
// the same rule as [Scenario].Run.
type Iteration func() error

// Population is a group of users who do the same work: a [ClosedPopulation]
// or an [OpenPopulation].
type Population interface {
	spec() *population
}

// population is what both kinds have in common.
type population struct {
	name     string
	newUser  func(u *User) Iteration
	maxConns int
	maxIdle  int
	sources  *string // nil: those of the contest

	addresses     *addresses // nil: left to the system
	place, places int        // among the populations of the run, from 0, of so many

	closed *ClosedPopulation // exactly one of the two is set
	open   *OpenPopulation
}

// ClosedPopulation is a number of users who start their next iteration as soon
// as the last one is over: a slow target makes them wait, so that they never
// offer more load than it can take.
type ClosedPopulation struct {
	population
	start, grow, limit int
	every              time.Duration
	growth             Growth
	door               door
}

// Closed describes a closed population of one user. The function is called once per
// user, on the user's own goroutine, and returns its iteration.
func Closed(name string, begin func(u *User) Iteration) *ClosedPopulation {
	p := &ClosedPopulation{population: population{name: name, newUser: begin}, start: 1}
	p.closed = p
	return p
}

func (p *ClosedPopulation) spec() *population { return &p.population }

// Start sets with how many users the load begins.
func (p *ClosedPopulation) Start(n int) *ClosedPopulation {
	p.start = n
	return p
}

// Growth says when a closed population may grow.
type Growth int

// The growth rules.
const (
	// CleanIterationsOnly grows if since the last time at least one iteration
	// ended and none of them had a failure.
	CleanIterationsOnly Growth = iota
	// Always grows no matter what.
	Always
)

// Grow adds n users each time the interval is over and the rule allows it.
func (p *ClosedPopulation) Grow(n int, every time.Duration, rule Growth) *ClosedPopulation {
	p.grow, p.every, p.growth = n, every, rule
	return p
}

// Max bounds the number of users that Grow leads to. Zero means 100,000.
func (p *ClosedPopulation) Max(n int) *ClosedPopulation {
	p.limit = n
	return p
}

// Connections sets how many connections a user may have at once, and how many
// of these it keeps open while they are idle; further ones are closed when
// their request is done. The default is 6 and 6, as browsers have it. Negative
// numbers mean as many as are asked for, and none.
func (p *ClosedPopulation) Connections(atOnce, idle int) *ClosedPopulation {
	p.maxConns, p.maxIdle = atOnce, idle
	return p
}

// Sources is [Contest].Sources for the users of this population alone, in place
// of the contest's; empty for none. Populations with the same prefix share its
// addresses out among them; prefixes that overlap otherwise do not.
func (p *ClosedPopulation) Sources(prefix string) *ClosedPopulation {
	p.sources = &prefix
	return p
}

// OpenPopulation starts iterations at given times, however long the earlier
// ones take, as the visitors of a real site do. A start that no user was free
// for is the target's: it waits for the next free user, and after
// [OpenPopulation.MaxLate] it is counted as missed. A start that came late
// although a user was free is the benchmark's own; more than one start in a hundred
// makes the verdict infra, unless the target itself missed ten times as many.
type OpenPopulation struct {
	population
	rate    float64
	poisson bool
	maxLate time.Duration
	users   int
}

// Open describes an open population: one iteration per second by up to 100
// users. The function is called once per user, on the user's own goroutine.
func Open(name string, begin func(u *User) Iteration) *OpenPopulation {
	p := &OpenPopulation{population: population{name: name, newUser: begin}, rate: 1, maxLate: time.Second, users: 100}
	p.open = p
	return p
}

func (p *OpenPopulation) spec() *population { return &p.population }

// PerSecond sets how many iterations start per second, evenly spaced.
func (p *OpenPopulation) PerSecond(rate float64) *OpenPopulation {
	p.rate = rate
	return p
}

// Poisson makes the starts as irregular as independent visitors are: the gaps
// are exponentially distributed, the same for the same seed.
func (p *OpenPopulation) Poisson() *OpenPopulation {
	p.poisson = true
	return p
}

// MaxLate sets how long after its time an iteration may start. The default is 1 s.
func (p *OpenPopulation) MaxLate(d time.Duration) *OpenPopulation {
	p.maxLate = d
	return p
}

// Users sets how many iterations may be under way at once.
func (p *OpenPopulation) Users(n int) *OpenPopulation {
	p.users = n
	return p
}

// Connections is [ClosedPopulation.Connections].
func (p *OpenPopulation) Connections(atOnce, idle int) *OpenPopulation {
	p.maxConns, p.maxIdle = atOnce, idle
	return p
}

// Sources is [ClosedPopulation.Sources].
func (p *OpenPopulation) Sources(prefix string) *OpenPopulation {
	p.sources = &prefix
	return p
}
