package runner

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hotseat"
	"hotseat/stack"
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

// A server that ends while it is restarted is told of twice, and whichever news is first, a
// reader reads the same.
func TestEndedByARestart(t *testing.T) {
	const soon, never = lateNews / 2, time.Hour
	crashed := &stack.Exit{Code: 1, Unasked: true}
	outOfMemory := &stack.Exit{Code: -1, Signal: "SIGKILL", Unasked: true, Memory: &stack.MemoryKill{}}
	notReady := hotseat.Invalid("look", "app exited with status 1 before it was ready")
	tooSlow := fmt.Errorf("ask: %w", context.DeadlineExceeded)
	for name, c := range map[string]struct {
		crash     *stack.Exit
		crashedIn time.Duration
		held      error
		heldIn    time.Duration
		restarts  bool
		want      endKind
		waits     time.Duration
	}{
		"death first":        {crashed, 0, notReady, soon, true, endedNotBack, soon},
		"restart first":      {crashed, soon, notReady, 0, false, endedNotBack, soon},
		"both":               {crashed, 0, notReady, 0, false, endedNotBack, 0},
		"out of memory":      {outOfMemory, soon, notReady, 0, false, endedServerDied, soon},
		"killed, too slow":   {crashed, soon, tooSlow, 0, false, endedServerDied, soon},
		"only too slow":      {nil, never, tooSlow, 0, false, endedNotBack, lateNews},
		"died before, is up": {crashed, 0, nil, never, true, endedServerDied, lateNews},
		"died under load":    {crashed, 0, nil, never, false, endedServerDied, 0},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newSession(nil, Options{}, &Stack{upAt: time.Now()}, nil)
				s.restarting.Store(c.restarts)
				crashes := make(chan stack.Event, 1)
				s.crashes = crashes
				var crash *stack.Event
				var held error
				switch e := (stack.Event{At: time.Now(), Process: "app", Exit: c.crash}); c.crashedIn {
				case 0:
					crash = &e
				case soon:
					time.AfterFunc(soon, func() { crashes <- e })
				}
				switch {
				case c.heldIn == soon:
					time.AfterFunc(soon, func() { s.heldUp(c.held) })
				case c.heldIn == 0 && crash != nil:
					s.heldUp(c.held)
				case c.heldIn == 0:
					held = c.held
				}
				began := time.Now()
				if end := s.gone(crash, held); end.kind != c.want {
					t.Errorf("%+v", end)
				}
				if waited := time.Since(began); waited != c.waits {
					t.Errorf("it waited %s", waited)
				}
			})
		})
	}
}
