package stack

import (
	"encoding/json"
	"errors"
	"io"
	"time"

	"hotseat"
)

// The control socket speaks JSON lines: one request per connection, then one
// reply, or for events many.

type request struct {
	Op    string   `json:"op"`              // ping, status, restart, apply, stop, events, logs, hold, release
	Names []string `json:"names,omitempty"` // restart, logs
	Plan  *Plan    `json:"plan,omitempty"`  // apply
	After uint64   `json:"after,omitempty"` // events
	Lines int      `json:"lines,omitempty"` // logs
	Hold  *Hold    `json:"hold,omitempty"`  // hold
}

type reply struct {
	Error   *wireError `json:"error,omitempty"`
	Status  *Status    `json:"status,omitempty"`
	Changes *Changes   `json:"changes,omitempty"`
	Event   *Event     `json:"event,omitempty"`
	Lines   []string   `json:"lines,omitempty"`
	Output  string     `json:"output,omitempty"`
	Ending  bool       `json:"ending,omitempty"` // ping: the stack is being stopped
	OK      bool       `json:"ok,omitempty"`     // the last reply to a request that went well
}

// Hold is a change to the running stack that must not outlive the client that
// wants it, such as a slow log switched on for the length of a run.
type Hold struct {
	// Do is run first; the hold begins only if it ends with status 0. It may be
	// the zero Command.
	Do Command `json:"do"`
	// Undo is run when the client lets go, dies, or the stack is stopped.
	Undo Command `json:"undo"`
}

// Command is a short command that the guardian runs to its end. The guardian
// cuts it off after HoldTimeout.
type Command struct {
	Argv []string `json:"argv,omitempty"`
	Dir  string   `json:"dir,omitempty"` // empty: the plan's
	Env  []string `json:"env,omitempty"` // whole; a PATH is given where none is set
}

// HoldTimeout bounds each command of a Hold.
const HoldTimeout = 20 * time.Second

// wireError carries an error through the socket.
type wireError struct {
	Code    hotseat.ErrorCode `json:"code"`
	Message string            `json:"message"`
	Hint    string            `json:"hint,omitempty"`
	Detail  string            `json:"detail,omitempty"`
}

func toWire(err error) *wireError {
	if err == nil {
		return nil
	}
	w := &wireError{Code: hotseat.CodeOf(err), Message: err.Error()}
	var e *hotseat.Error
	if errors.As(err, &e) {
		w.Hint, w.Detail = e.Hint, e.Detail
	}
	return w
}

// err gives back what toWire was given, with the same code, words and hint.
func (w *wireError) err() error {
	if w == nil {
		return nil
	}
	return &hotseat.Error{Code: w.Code, Message: w.Message, Hint: w.Hint, Detail: w.Detail}
}

func writeJSON(w io.Writer, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(append(b, '\n'))
	return err
}
