package bench

import "hotseat"

// Codes of the failures that the checks of this package find. A validator of
// package check brings its own.
const (
	CodeUnexpectedStatus = "unexpected-status"
	CodeUnexpectedPath   = "unexpected-path"
	CodeHeaderMismatch   = "header-mismatch"
	CodeValueMismatch    = "value-mismatch"
)

// Codes of the failures that the engine finds.
const (
	CodeInitializeFailed = "initialize-failed"
	CodeServerDied       = "server-died" // every connection of three seconds was refused
	codeGeneratorLag     = "late-read"   // an answer timed out while the benchmark had no CPU
	codePanic            = "panic"
	codeScenarioBug      = "scenario-bug"
	codeDeadlock         = "deadlock"
	codeLateStart        = "late-start"
)

// Mismatch says what a check found instead of what it wanted. All texts are
// shown to the contestant, made harmless and cut to 2 KB.
type Mismatch struct {
	Code     string // value-mismatch, stale-read …; the class comes from the rule
	Expected string // what the rule asks for: a value, a sentence
	Actual   string // what came instead, or an excerpt of it
	Message  string // one line, plain words; made from Expected and Actual where it is empty
	Hint     string // what to look at; may be empty
}

// Problem is a failure that the scenario itself found, by comparing answers
// with each other or with its model of the world.
type Problem struct {
	Rule string // gives the class
	Code string // lost-write, stale-read, sum-mismatch …
	// Page is the answer that told, if one did: its request goes into the sample.
	Page *Page
	// Step names the place in the scenario; the default is the page's.
	Step string
	// The rest is as in [Mismatch].
	Expected, Actual, Message, Hint string
}

// Failed is the error of a page or of [User.Fail]: a failure that the engine
// has recorded already.
type Failed struct {
	Class   hotseat.Class // that of the rule
	Code    string        // within the class: see docs/protocol.md
	Rule    string        // the promise that was broken
	Message string        // one line, plain words
	Step    string        // where in the scenario; empty if nowhere
	Hint    string        // what to look at; may be empty
}

// Error returns the message.
func (f *Failed) Error() string { return f.Message }

// where is the message with the step that it is about.
func (f *Failed) where() string {
	if f.Step == "" {
		return f.Message
	}
	return f.Step + ": " + f.Message
}

// authorError is what the engine panics with when a scenario uses it wrongly.
type authorError string

func (e authorError) Error() string { return string(e) }
