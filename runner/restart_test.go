package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"hotseat"
)

// Whoever does not come back from a restart fails; what only took too long is nobody's
// fault; and what else went wrong leaves the run to the benchmark.
func TestHeldUpByARestart(t *testing.T) {
	for name, c := range map[string]struct {
		err     error
		verdict hotseat.Verdict // "" if nothing comes of it
		reason  string
	}{
		"not ready": {hotseat.Invalid("look", "app was not ready within 30s").WithDetail("waiting"), hotseat.Fail, "after a restart, app was not ready"},
		"too slow":  {fmt.Errorf("ask: %w", context.DeadlineExceeded), hotseat.Infra, "was not ready again within 1m0s"},
		"conflict":  {hotseat.Conflict("", "port taken"), "", ""},
		"hung up":   {fmt.Errorf("the guardian hung up"), "", ""},
	} {
		s := newSession(nil, Options{}, nil, nil)
		s.heldUp(c.err)
		s.heldUp(c.err) // a second one does not wait for anybody
		if got := len(s.notBack) == 1; got != (c.verdict != "") {
			t.Errorf("%s: noted %t", name, got)
			continue
		}
		if c.verdict == "" {
			continue
		}
		var r hotseat.Result
		s.serverHeldUp(<-s.notBack, &r)
		if r.Verdict != c.verdict || !strings.Contains(r.Reason, c.reason) || r.Hint == "" {
			t.Errorf("%s: %s: %s (%s)", name, r.Verdict, r.Reason, r.Hint)
		}
	}
}
