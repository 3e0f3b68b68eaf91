package bench

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hotseat"
)

func TestInitialize(t *testing.T) {
	t.Parallel()
	s := serve(t, ok)
	t.Run("runs before the load", func(t *testing.T) {
		mark := filepath.Join(t.TempDir(), "mark")
		o := play(t, get(), "--target", s.URL, "--init", "echo hello; : > "+mark)
		wantVerdict(t, o, hotseat.Pass, "")
		if _, err := os.Stat(mark); err != nil {
			t.Error(err)
		}
		if p := o.phase(PhaseInitialize); p == nil || !p.OK || o.verdict.Rules["x.initialize"] != 1 {
			t.Errorf("phase %+v, rules %v", p, o.verdict.Rules)
		}
	})
	t.Run("is nothing that every run must have", func(t *testing.T) {
		for init, conditional := range map[string]bool{"": true, "true": false} {
			o := play(t, get(), "--target", s.URL, "--init", init)
			i := slices.IndexFunc(o.verdict.RuleInfo, func(r hotseat.Rule) bool { return r.ID == "x.initialize" })
			if i < 0 || o.verdict.RuleInfo[i].Conditional != conditional {
				t.Errorf("with --init %q: rules %+v, want conditional %t", init, o.verdict.RuleInfo, conditional)
			}
		}
	})
	t.Run("fails with its output", func(t *testing.T) {
		o := play(t, get(), "--target", s.URL, "--init", `i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; done; echo no such table >&2; exit 3`)
		wantVerdict(t, o, hotseat.Fail, "exit status 3")
		f := o.sample(t, CodeInitializeFailed)
		if f.Class != hotseat.ClassLifecycle || f.Rule != "x.initialize" {
			t.Errorf("failure %+v", f)
		}
		if !strings.HasSuffix(f.Actual, "no such table") || !strings.Contains(f.Actual, "last 40 of 101") || strings.Contains(f.Actual, "line 61\n") || !strings.Contains(f.Actual, "line 62\n") {
			t.Errorf("output is not the last 40 lines:\n%s", f.Actual)
		}
	})
	t.Run("is killed with its children when it takes too long", func(t *testing.T) {
		c := get()
		c.InitTimeout = 300 * time.Millisecond
		mark := filepath.Join(t.TempDir(), "mark")
		o := play(t, c, "--target", s.URL, "--init", "echo waiting; (sleep 1; : > "+mark+") & wait")
		wantVerdict(t, o, hotseat.Fail, "still running after 300ms")
		if f := o.sample(t, CodeInitializeFailed); !strings.Contains(f.Actual, "waiting") {
			t.Errorf("output %q", f.Actual)
		}
		time.Sleep(1200*time.Millisecond - o.took)
		if _, err := os.Stat(mark); err == nil {
			t.Error("a child of the init command outlived it")
		}
	})
	t.Run("may leave a server behind", func(t *testing.T) {
		mark := filepath.Join(t.TempDir(), "mark")
		o := play(t, get(), "--target", s.URL, "--init", "(sleep 3; : > "+mark+") &")
		wantVerdict(t, o, hotseat.Pass, "")
		if _, err := os.Stat(mark); err == nil {
			t.Error("the run waited for what the init command left running")
		}
		for range 100 {
			if _, err := os.Stat(mark); err == nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error("what the init command left running was killed")
	})
	t.Run("by a request", func(t *testing.T) {
		bad := serve(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) })
		c := get()
		c.Initialize = func(ctx context.Context, r *Run) error {
			return r.Alone(ctx, Scenario{Name: "initialize", Run: func(u *User) error {
				return u.Post("/initialize", "application/json", []byte("{}")).Expect(Status(ruleStatus, 200)).Err()
			}})
		}
		o := play(t, c, "--target", bad.URL)
		wantVerdict(t, o, hotseat.Fail, "status 500 instead of 200")
		wantVerdict(t, play(t, c, "--target", s.URL), hotseat.Pass, "")
	})
}
