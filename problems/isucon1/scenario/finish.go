package isucon1scenario

import (
	"fmt"
	"strconv"

	"hotseat"
	"hotseat/bench"
	"hotseat/bench/model"
)

// lastLook is how many articles are looked at when the load is over: the main
// one and those commented last.
const lastLook = 5

// lookBack looks after the load whether all that was accepted is there: only
// under rules=strict.
func (w *world) lookBack(u *bench.User) error {
	if !w.strict {
		return nil
	}
	return newVisitor(u, w).lookBack()
}

func (v *visitor) lookBack() error {
	ids, last := v.world.commented()
	if !v.until(last.Add(within)) {
		return bench.ErrCut
	}
	requests := []request{plain(v.world.lookAt(0))}
	for _, id := range ids[:min(len(ids), lastLook)] {
		requests = append(requests, plain(v.world.lookAt(id)))
	}
	return v.look(requests...)
}

// restart looks again after the servers were stopped and started. Nothing is
// asked of a stack that is not ours to restart.
func (w *world) restart(u *bench.User) error {
	if !w.strict || u.Run.Int(paramRestart) == 0 || !u.Run.RuleOn(ruleDurable) {
		return nil
	}
	if err := u.Run.Ask(u.Context(), hotseat.ActionRestartStack); err != nil {
		u.Run.Log(hotseat.AudienceAdmin, "durability is not checked: %v", err)
		return nil
	}
	w.restored.Store(true)
	v := newVisitor(u, w)
	l := w.lookAt(w.main.id)
	p := u.Get(l.path()).Route(l.route()).Plain().Expect(bench.That(ruleDurable, func(p *bench.Page) *bench.Mismatch {
		if p.Status() >= 500 || p.Status() == 200 && recognises(l.read(p), w.main) {
			return nil
		}
		return &bench.Mismatch{Code: model.CodeLostWrite, Expected: "article " + strconv.Itoa(w.main.id) + ", " + w.main.title, Actual: fmt.Sprintf("status %d", p.Status()),
			Message: "the article that was posted is gone after a restart", Hint: "what is only in memory is gone with it"}
	}))
	if !p.OK() {
		return p.Err()
	}
	return v.lookBack()
}
