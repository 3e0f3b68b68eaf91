package bench

import (
	"context"
	"io"
	"math/rand/v2"
	"time"
)

// Run is one execution of a [Contest]. Its methods may be called from any
// goroutine.
type Run struct{}

// Param returns the value of a declared parameter, or its default. It panics
// about a name that was not declared.
func (r *Run) Param(name string) string { return "" }

// Int returns the value of a parameter whose Check admits only integers.
func (r *Run) Int(name string) int { return 0 }

// Strict reports whether the run is judged by rules=strict, in contrast to original.
func (r *Run) Strict() bool { return true }

// Data returns the folder of --data, where the truth is kept.
func (r *Run) Data() string { return "" }

// Target returns the target as --target gave it.
func (r *Run) Target() string { return "" }

// Seed returns the seed of the run.
func (r *Run) Seed() uint64 { return 0 }

// Rand returns dice of their own for these labels: the same for the same seed
// and labels. They are not safe for concurrent use.
func (r *Run) Rand(labels ...any) *rand.Rand { return nil }

// RuleOn reports whether a rule has not been switched off by --disable-rule.
func (r *Run) RuleOn(rule string) bool { return true }

// Log prints a line for the team or for the administrator; see
// hotseat.AudienceTeam and hotseat.AudienceAdmin.
func (r *Run) Log(audience, format string, args ...any) {}

// RunInit runs the command of --init with sh -c in a process group of its own
// and kills the group when InitTimeout is over. Without a command it does nothing.
func (r *Run) RunInit(ctx context.Context) error { return nil }

// Alone runs a scenario with a user of its own and waits for it, for instance
// to initialise by a request. It returns the first failure.
func (r *Run) Alone(ctx context.Context, s Scenario) error { return nil }

// Ask asks the parent process for something that a benchmark cannot do, such
// as hotseat.ActionRestartStack, and waits for its answer.
func (r *Run) Ask(ctx context.Context, action string) error { return nil }

// LoadEnded reports whether the load's time is up.
func (r *Run) LoadEnded() bool { return false }

// Elapsed returns the time since the run started: what the at_s of events is.
func (r *Run) Elapsed() time.Duration { return 0 }

// Now returns the time, by the run's clock.
func (r *Run) Now() time.Time { return time.Time{} }

// Main runs the contest as a program of its own: with the arguments, standard
// input and output of this process, and ends it.
func Main(c Contest) {}

// Execute is Main for programs that do other things too: it runs the contest
// with these arguments and returns the exit status.
func Execute(c Contest, args []string) int { return 0 }

// Run executes the contest once and returns its exit status. It prints one
// hotseat.Event per line to out and words for the administrator to log, and
// reads replies from in. When in ends or ctx is done the run stops, and the
// verdict is infra, interrupted.
func (c *Contest) Run(ctx context.Context, args []string, in io.Reader, out, log io.Writer) int {
	return 0
}
