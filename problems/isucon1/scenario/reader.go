package isucon1scenario

import (
	"time"

	"hotseat/bench"
)

// reader reloads the main article and / now and then, in a browser with a
// cache: only under rules=strict. The main article's page is never twice the same once
// it has got a comment more, which is what 304 is held against.
type reader struct {
	*visitor
	every       time.Duration
	main, index bench.Cache
}

func newReader(u *bench.User, w *world) bench.Iteration {
	r := &reader{visitor: newVisitor(u, w), every: max(u.Run.Duration()/12, w.within/2),
		main: bench.Caching(ruleNotModified).State(w.mainSettled, w.mainSent.Load), index: bench.Caching(ruleNotModified)}
	return r.reload
}

func (r *reader) reload() error {
	r.user.Think(r.every, r.every)
	if r.user.Run.LoadEnded() {
		return nil
	}
	w := r.world
	if err := r.look(request{look: w.lookAt(w.main.id), cache: &r.main, gzip: true}); err != nil {
		return err
	}
	return r.look(request{look: w.lookAt(0), cache: &r.index, gzip: true})
}
