package runner

import (
	"context"
	"time"

	"hotseat/cache"
)

// The disk may take this long unmentioned, and that long at all.
const (
	quietUnsaid = 500 * time.Millisecond
	quietWithin = time.Minute
)

// quietDisk waits until what was written before a run is on the disk: golden data
// that were copied, programs that were built. The kernel writes them half a minute
// later otherwise, and meanwhile lets every commit of the contestant's wait, for as long as
// initializing may take.
func (r *Runner) quietDisk(ctx context.Context, dir string) {
	r.waitQuiet(ctx, func() error { return cache.Sync(dir) })
}

func (r *Runner) waitQuiet(ctx context.Context, sync func() error) {
	// It cannot be interrupted: whoever does not wait leaves it behind.
	written := make(chan struct{})
	go func() {
		defer close(written)
		_ = sync() // an error shows again where it matters: to MariaDB, or in the run's folder
	}()
	select {
	case <-written:
		return
	case <-time.After(quietUnsaid):
	}
	done := r.Observer.step("Waiting for the disk to write what came before the run")
	defer done(nil)
	select {
	case <-written:
	case <-time.After(quietWithin):
	case <-ctx.Done():
	}
}
