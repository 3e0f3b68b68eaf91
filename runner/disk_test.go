package runner

import (
	"context"
	"os"
	"testing"
	"testing/synctest"
	"time"
)

// A run waits for the disk, says so when it takes long, and not for ever.
func TestQuietDisk(t *testing.T) {
	for name, c := range map[string]struct {
		writes, waits time.Duration
		said          bool
	}{
		"nothing to write": {time.Millisecond, time.Millisecond, false},
		"a golden copy":    {20 * time.Second, 20 * time.Second, true},
		"a broken disk":    {time.Hour, quietUnsaid + quietWithin, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				said, over := false, false
				r := &Runner{Observer: Observer{Step: func(string) func(error) {
					said = true
					return func(error) { over = true }
				}}}
				began := time.Now()
				r.waitQuiet(t.Context(), func() error { time.Sleep(c.writes); return nil })
				if waited := time.Since(began); waited != c.waits || said != c.said || over != c.said {
					t.Errorf("waited %v, said %t, ended %t", waited, said, over)
				}
				time.Sleep(c.writes) // what is left behind ends as well
			})
		})
	}
	t.Run("interrupted", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			began := time.Now()
			new(Runner).waitQuiet(ctx, func() error { time.Sleep(time.Minute); return nil })
			if waited := time.Since(began); waited != 3*time.Second {
				t.Errorf("waited %v", waited)
			}
			time.Sleep(time.Minute)
		})
	})
	t.Run("a real one", func(t *testing.T) {
		dir := t.TempDir()
		if err := os.WriteFile(dir+"/file", make([]byte, 1<<20), 0o600); err != nil {
			t.Fatal(err)
		}
		new(Runner).quietDisk(t.Context(), dir)
	})
}
