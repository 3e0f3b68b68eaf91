package hotseat

import (
	"errors"
	"fmt"
)

// ErrorCode is the kind of an error, as coarse as a caller needs to act on it.
type ErrorCode string

// The error codes. Anything without a code is internal.
const (
	CodeInvalid     ErrorCode = "invalid"     // bad input or configuration
	CodeConflict    ErrorCode = "conflict"    // something is there already, or somebody else holds it
	CodeNotFound    ErrorCode = "not-found"   // what was named is not there
	CodeUnavailable ErrorCode = "unavailable" // this machine cannot do it now: disk full, no permission
	CodeInternal    ErrorCode = "internal"    // our own mistake
)

// Error is an error with a code for callers, a message for people and a hint
// about what to do next. It is printed as "error: message" and "hint: hint".
type Error struct {
	Code    ErrorCode
	Message string
	Hint    string // may be empty
	Detail  string // more lines worth seeing, such as a compiler's output; may be empty

	cause error // its text is part of Message already
}

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Unwrap returns the cause, nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// WithDetail returns a copy of e that carries more lines worth seeing.
func (e *Error) WithDetail(detail string) *Error {
	c := *e
	c.Detail = detail
	return &c
}

// Invalid makes an error about bad input or configuration.
func Invalid(hint, format string, args ...any) *Error {
	return newError(CodeInvalid, hint, format, args)
}

// Conflict makes an error about something that is in the way.
func Conflict(hint, format string, args ...any) *Error {
	return newError(CodeConflict, hint, format, args)
}

// NotFound makes an error about something that is not there.
func NotFound(hint, format string, args ...any) *Error {
	return newError(CodeNotFound, hint, format, args)
}

// Unavailable makes an error about something that this machine cannot do now.
func Unavailable(hint, format string, args ...any) *Error {
	return newError(CodeUnavailable, hint, format, args)
}

// newError formats like fmt.Errorf; what a %w wraps stays reachable for errors.Is and errors.As.
func newError(code ErrorCode, hint, format string, args []any) *Error {
	formatted := fmt.Errorf(format, args...)
	return &Error{Code: code, Message: formatted.Error(), Hint: hint, cause: errors.Unwrap(formatted)}
}

// CodeOf returns the code of the first *Error in err's chain, CodeInternal if there is none.
func CodeOf(err error) ErrorCode {
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return CodeInternal
}

// ExitStatus maps an error to the exit status of a command: what the user can
// mend by changing their input is 2, everything else is ours.
func ExitStatus(err error) int {
	switch {
	case err == nil:
		return ExitPass
	case CodeOf(err) == CodeInvalid, CodeOf(err) == CodeConflict, CodeOf(err) == CodeNotFound:
		return ExitUsage
	default:
		return ExitInfra
	}
}

// HintOf returns the hint of the first *Error in err's chain, "" if there is none.
func HintOf(err error) string {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return ""
}
