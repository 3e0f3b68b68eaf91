package bench

import (
	"context"
	"time"

	"hotseat"
	"hotseat/bench/wire"
)

// Contest is a benchmark: everything the author of a problem writes, in the
// order in which a run meets it. Make a fresh one for each run, with a
// function: the world that its scenarios share lives in what they close over.
//
// Only Name and one of Verify, Populations and Finish are required.
type Contest struct {
	// Name is the problem's id, for instance "isucon4-qualifier".
	Name string

	// RulePrefix begins the id of every rule of this contest, without a dot.
	// The engine adds the base rules <prefix>.connect, .transport, .timeout,
	// .protocol, .server-error (5xx and 429), .initialize and .server-died
	// and names them in the failures that it finds itself. The default is Name.
	RulePrefix string

	// Rules are the further promises that checks may name. A check that names
	// a rule not listed here is an author failure, and the verdict infra.
	Rules []hotseat.Rule

	// Tags are the kinds of points that steps may earn. Earning any other is
	// an author failure.
	Tags []string

	// Params are the names that --param accepts, besides "rules".
	Params []Param

	// Load is how long the populations work, unless --duration says otherwise.
	// The default is 60 s.
	Load time.Duration

	// InitTimeout bounds Initialize. The default is 60 s.
	InitTimeout time.Duration

	// MaxErrorShare is the share of requests that may end in a connect,
	// transport, timeout, 5xx or 429 failure before a strict run fails. The
	// default is 0.10.
	MaxErrorShare float64

	// Limits bound every request that does not say otherwise with
	// [Step.Within].
	Limits Limits

	// Sources is a prefix of loopback addresses, such as "127.0.0.0/8", from
	// which every user connects with one of its own, the same for the whole
	// run and, by its number, in every run: see [User.Source]. A target can
	// then tell users apart as a site does that is not behind one proxy.
	// 127.0.0.1 and what ends in .0 or .255 are left out; users beyond the
	// size of the prefix share. Empty leaves it to the system, which takes
	// 127.0.0.1. A target that is not on this machine over TCP is refused
	// (exit status 2); [ClosedPopulation.Sources] can decide by [Run.Target].
	Sources string

	// AnyCertificate makes an https target's certificate good whoever signed it
	// and whatever its name or age, as contests have it whose servers are made
	// at home.
	AnyCertificate bool

	// Ready is the path that is asked before Verify until it answers with a
	// status below 500, for at most three seconds. Where it is empty, only a
	// connection is tried. Either way a target that cannot be reached ends
	// the run there, with verdict fail.
	Ready string

	// Prepare loads the truth from [Run.Data] and builds the expected world.
	// An error means that the run cannot start (exit status 2); its text is
	// the verdict's reason, so say which file and line is at fault. A
	// *hotseat.Error brings its hint along.
	Prepare func(r *Run) error

	// Initialize brings the target back to its initial state. The default is
	// [Run.RunInit], which runs the command of --init if there is one. An
	// error ends the run with verdict fail and a lifecycle failure
	// initialize-failed. A contest that initialises by a request calls
	// [Run.Alone].
	Initialize func(ctx context.Context, r *Run) error

	// Verify scenarios run once each, alone, one after the other unless they say
	// Beside, before the load. The first failure of any kind ends the run.
	Verify []Scenario

	// VerifyTimeout bounds all of Verify, FinishTimeout all of Finish.
	// Running out of it is a failure of its own. The default is 60 s each.
	VerifyTimeout, FinishTimeout time.Duration

	// Populations returns who works during the load. It is called after Verify.
	Populations func(r *Run) []Population

	// Drain is how long users may take to end the iteration they are in when
	// the load's time is up. What is in flight after that is cut: neither
	// scored nor blamed. Zero cuts at once.
	Drain time.Duration

	// DrainTimeout is the total time limit of requests that start after the
	// load's end. Running out of it is a cut, not a failure. Zero leaves the
	// request's own limits.
	DrainTimeout time.Duration

	// Pause is quiet time before Finish. PauseParam names a parameter in whole
	// seconds that says otherwise, for runs that are about something else.
	Pause      time.Duration
	PauseParam string

	// Finish scenarios run like Verify, after the drain: sums, reports.
	Finish []Scenario

	// Score turns what was counted into points. It is called once a second
	// while the load runs and once at the end. Without it the score is the
	// number of points of all tags together.
	Score func(r *Run, t *Tally) Score

	// Judge decides the verdict when --param rules=original, as the contest
	// of the day did, and says why in one line, the cause first. It is asked
	// only about runs that were not decided already by trouble of the
	// benchmark's own, by an initialize that failed or by a target that
	// cannot be reached. Without it rules=original judges as strict does.
	Judge func(r *Run, t *Tally) (hotseat.Verdict, string)

	patience patience
}

// patience is how long the engine waits before it acts on its own. Tests have less of it.
type patience struct {
	deadlock  time.Duration // after the time that a phase may take, until it is given up; 5 s
	stop      time.Duration // for users of a run that is told to stop; 3 s
	dead      time.Duration // of nothing but refused connections, until the load ends; 3 s
	preflight time.Duration // for a server that init has restarted; 3 s
}

// Scenario is a named piece of work for one user.
type Scenario struct {
	// Name tells it apart in failures and logs.
	Name string

	// Beside makes it run at the same time as the one before it in the list.
	Beside bool

	// Run does the work. Failures are recorded by the steps themselves; an
	// error that it returns only says that it could not go on. An error that
	// comes from no recorded failure is a mistake of the scenario and makes
	// the verdict infra.
	Run func(u *User) error
}

// Param declares one --param name=value.
type Param struct {
	Name    string                   // as on the command line
	Default string                   // what [Run.Param] returns without --param
	Doc     string                   // one line for --help
	Check   func(value string) error // says what values are good; nil accepts all
}

// Limits bound a request in time and size; see [wire.Limits].
type Limits = wire.Limits

// Score is what a run is worth. The result is Raw minus Deduction, at least 0.
type Score struct {
	Raw           int64 // points earned
	Deduction     int64 // points lost again by failures
	MayBeNegative bool  // the contest did not stop at 0
}

// Value returns the score that counts if the run passes.
func (s Score) Value() int64 {
	if s.MayBeNegative {
		return s.Raw - s.Deduction
	}
	return max(s.Raw-s.Deduction, 0)
}

// The phases of a run, in order. Phases for which a contest has nothing to do
// are left out.
const (
	PhasePrepare    = "prepare"
	PhaseInitialize = "initialize"
	PhasePreflight  = "preflight"
	PhaseVerify     = "verify"
	PhaseLoad       = "load"
	PhaseDrain      = "drain"
	PhasePause      = "pause"
	PhaseFinish     = "finish"
)
