package hotseat

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"
)

func TestErrorKeepsItsCauseAndCode(t *testing.T) {
	err := fmt.Errorf("open workspace: %w", NotFound("make one", "no hotseat.toml: %w", fs.ErrNotExist))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Error("the cause is lost")
	}
	if got := HintOf(err); got != "make one" {
		t.Errorf("hint %q", got)
	}
	if got := CodeOf(err); got != CodeNotFound {
		t.Errorf("code %q", got)
	}
	if want := "open workspace: no hotseat.toml: file does not exist"; err.Error() != want {
		t.Errorf("message %q, want %q", err, want)
	}
}

func TestExitStatus(t *testing.T) {
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, 0},
		{Invalid("", "x"), 2},
		{Conflict("", "x"), 2},
		{NotFound("", "x"), 2},
		{Unavailable("", "x"), 3},
		{errors.New("x"), 3},
	} {
		if got := ExitStatus(c.err); got != c.want {
			t.Errorf("%v: exit %d, want %d", c.err, got, c.want)
		}
	}
}

func TestWrongAnswer(t *testing.T) {
	for _, c := range []struct {
		f    Failure
		want bool
	}{
		{Failure{Class: ClassContent, Code: "value-mismatch"}, true},
		{Failure{Class: ClassStatus, Code: "unexpected-4xx"}, true},
		{Failure{Class: ClassStatus, Code: CodeStatus5xx}, false},
		{Failure{Class: ClassStatus, Code: CodeStatus429}, false},
		{Failure{Class: ClassTimeout, Code: "timeout"}, false},
		{Failure{Class: ClassGenerator, Code: "late-start"}, false},
	} {
		if got := c.f.WrongAnswer(); got != c.want {
			t.Errorf("%s/%s: %v, want %v", c.f.Class, c.f.Code, got, c.want)
		}
	}
}
