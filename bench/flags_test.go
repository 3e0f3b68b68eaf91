package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hotseat"
)

func TestUsage(t *testing.T) {
	s := serve(t, ok)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := get()
	c.Params = []Param{{Name: "workload", Default: "1", Doc: "number of workers", Check: IntBetween(1, 9)}}
	for name, args := range map[string]struct {
		args   []string
		reason string
	}{
		"no target":         {nil, "no target"},
		"bad target":        {[]string{"--target", "ftp://x"}, "ftp"},
		"bad duration":      {[]string{"--target", s.URL, "--duration", "soon"}, "duration"},
		"negative duration": {[]string{"--target", s.URL, "--duration", "-3s"}, "not positive"},
		"unknown flag":      {[]string{"--target", s.URL, "--speed", "3"}, "speed"},
		"stray argument":    {[]string{"--target", s.URL, "fast"}, `"fast"`},
		"unknown param":     {[]string{"--target", s.URL, "--param", "size=3"}, "rules, workload"},
		"bad param":         {[]string{"--target", s.URL, "--param", "workload=ten"}, "from 1 to 9"},
		"param without =":   {[]string{"--target", s.URL, "--param", "workload"}, "name=value"},
		"bad rules":         {[]string{"--target", s.URL, "--param", "rules=lenient"}, "strict or original"},
		"bad seed":          {[]string{"--target", s.URL, "--seed", "x"}, "seed"},
		"unknown rule":      {[]string{"--target", s.URL, "--disable-rule", "x.nonsense"}, "x.nonsense"},
		"no data":           {[]string{"--target", s.URL, "--data", file + "-not"}, "no such file"},
		"data is a file":    {[]string{"--target", s.URL, "--data", file}, "not a folder"},
	} {
		t.Run(name, func(t *testing.T) {
			o := play(t, c, args.args...)
			wantVerdict(t, o, hotseat.Infra, args.reason)
			if !o.verdict.ExitUsage || o.verdict.Hint == "" || o.status != hotseat.ExitUsage || len(o.events) != 1 {
				t.Errorf("status %d, %+v", o.status, o.verdict)
			}
		})
	}
	t.Run("bad data", func(t *testing.T) {
		c := c
		c.Prepare = func(*Run) error { return hotseat.Invalid("make it anew", "users.tsv:3: want 5 columns") }
		o := play(t, c, "--target", s.URL)
		wantVerdict(t, o, hotseat.Infra, "users.tsv:3")
		if !o.verdict.ExitUsage || o.verdict.Hint != "make it anew" {
			t.Errorf("%+v", o.verdict)
		}
	})
	t.Run("help", func(t *testing.T) {
		var out, log strings.Builder
		if status := c.Run(context.Background(), []string{"--help"}, nil, &out, &log); status != 0 || out.Len() > 0 ||
			!strings.Contains(log.String(), "workload") || !strings.Contains(log.String(), "-disable-rule") {
			t.Errorf("status %d, out %q, log %q", status, &out, &log)
		}
	})
	t.Run("params reach the run", func(t *testing.T) {
		c := c
		c.Prepare = func(r *Run) error {
			if r.Int("workload") != 3 || r.Strict() || r.Seed() != 42 || r.Duration() != time.Second || r.Data() != filepath.Dir(file) {
				return fmt.Errorf("got %d %v %d %s %s", r.Int("workload"), r.Strict(), r.Seed(), r.Duration(), r.Data())
			}
			return errors.New("all well")
		}
		o := play(t, c, "--target", s.URL, "--param", "workload=3", "--param", "rules=original", "--seed", "42", "--duration", "1s", "--data", filepath.Dir(file))
		wantVerdict(t, o, hotseat.Infra, "all well")
	})
}
