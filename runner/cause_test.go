package runner

import (
	"testing"

	"hotseat"
)

func TestWhatALackOfConnectionsExplains(t *testing.T) {
	for name, tc := range map[string]struct {
		class hotseat.Class
		code  string
		want  bool // that something else is wrong
	}{
		"a server error":        {hotseat.ClassStatus, hotseat.CodeStatus5xx, false},
		"an initialize":         {hotseat.ClassLifecycle, "initialize-failed", false},
		"a timeout":             {hotseat.ClassTimeout, "timeout", false},
		"our own lag":           {hotseat.ClassGenerator, "late-start", false},
		"another status":        {hotseat.ClassStatus, "unexpected-status", true},
		"a wrong answer":        {hotseat.ClassContent, "value-mismatch", true},
		"a lost write":          {hotseat.ClassConsistency, "lost-write", true},
		"somebody else's token": {hotseat.ClassSession, "unexpected-status", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := otherwiseWrong(hotseat.FailureGroup{Class: tc.class, Code: tc.code, Side: tc.class.Side()}); got != tc.want {
				t.Errorf("otherwise wrong: %v", got)
			}
		})
	}
}
