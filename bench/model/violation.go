package model

import "fmt"

// Codes of the violations, of the class consistency in the failure taxonomy.
const (
	// CodeLostWrite: an acknowledged write that no read has shown is missing.
	CodeLostWrite = "lost-write"
	// CodeStaleRead: a state that was over, longer ago than the promised lag.
	CodeStaleRead = "stale-read"
	// CodeNonMonotonic: a session was shown an older state than before.
	CodeNonMonotonic = "non-monotonic"
	// CodeDuplicate: one element twice in one listing.
	CodeDuplicate = "duplicate"
	// CodePhantom: something that nobody wrote, or that was refused, or not sent yet.
	CodePhantom = "phantom"
	// CodeWrongOrder: elements of a listing in another order than they were written in.
	CodeWrongOrder = "wrong-order"
	// CodeSumMismatch: a total that no outcome of the doubtful writes explains.
	CodeSumMismatch = "sum-mismatch"
)

// Violation says which promise the observations contradict. Its fields are those of
// bench.Mismatch, so that a scenario converts one into the other:
//
//	return (*bench.Mismatch)(price.Read(session, at, shown))
//
// A nil *Violation means that all is well. It is deliberately no error: a nil
// one in an error variable would not be nil.
type Violation struct {
	Code     string
	Expected string
	Actual   string
	Message  string // one line, plain words
	Hint     string
}

// String returns the violation in one line, for logs.
func (v *Violation) String() string {
	if v == nil {
		return "no violation"
	}
	return fmt.Sprintf("%s: %s: expected %s, got %s", v.Code, v.Message, v.Expected, v.Actual)
}

// Conflict is what the package panics with when a scenario contradicts itself, for
// instance by settling a write twice: a bug of the author, never the target's fault.
type Conflict string

// Error returns the contradiction.
func (c Conflict) Error() string { return "model conflict: " + string(c) }

// maxText keeps a value in a message short; the sample holds the whole answer.
const maxText = 200

// text writes a value for people.
func text(v any) string {
	t := fmt.Sprint(v)
	if s, ok := v.(string); ok {
		t = fmt.Sprintf("%q", s)
	}
	if r := []rune(t); len(r) > maxText {
		t = string(r[:maxText]) + "…"
	}
	return t
}
