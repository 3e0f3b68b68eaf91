package hotseat

// Verdict is the outcome of a run.
type Verdict string

const (
	// Pass means every promise was kept: the score counts.
	Pass Verdict = "pass"
	// Fail means the contestant's side is at fault; the score is 0.
	Fail Verdict = "fail"
	// Infra means our side is at fault (the benchmark crashed, was starved or
	// interrupted): never scored, never blamed on the contestant.
	Infra Verdict = "infra"
)

// Exit statuses of every command that runs a benchmark.
const (
	ExitPass        = 0
	ExitFail        = 1
	ExitUsage       = 2
	ExitInfra       = 3
	ExitInterrupted = 130
)

// ReasonInterrupted is the reason of a run that a person or a signal ended.
const ReasonInterrupted = "interrupted"

// Valid reports whether v is one of the three verdicts.
func (v Verdict) Valid() bool { return v == Pass || v == Fail || v == Infra }

// ExitStatus is the process exit status that tells the verdict to scripts.
func (v Verdict) ExitStatus() int {
	switch v {
	case Pass:
		return ExitPass
	case Fail:
		return ExitFail
	default:
		return ExitInfra
	}
}
