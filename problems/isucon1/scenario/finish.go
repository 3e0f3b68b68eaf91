package isucon1scenario

import (
	"fmt"

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
	w := v.world
	ids, last := w.commented()
	if !v.until(last.Add(w.within)) {
		return bench.ErrCut
	}
	requests := []request{plain(w.lookAt(0))}
	for _, id := range ids[:min(len(ids), lastLook)] {
		l := w.lookAt(id)
		w.last = append(w.last, l)
		requests = append(requests, plain(l))
	}
	return v.look(requests...)
}

// restart looks at the same articles again after the servers were stopped and
// started. Nothing is asked of a stack that is not ours to restart.
func (w *world) restart(u *bench.User) error {
	if !w.strict || u.Run.Int(paramRestart) == 0 || !u.Run.RuleOn(ruleDurable) {
		return nil
	}
	if err := u.Run.Ask(u.Context(), hotseat.ActionRestartStack); err != nil {
		u.Run.Log(hotseat.AudienceAdmin, "durability is not checked: %v", err)
		return nil
	}
	v := newVisitor(u, w)
	var requests []request
	for _, before := range w.last {
		l := w.lookAt(before.article)
		// First the rule about the article: its page may answer 404 now.
		durable := bench.That(ruleDurable, func(p *bench.Page) *bench.Mismatch {
			if p.Status() >= 500 || before.doc == nil {
				return nil // there is nothing to compare, or to compare with
			}
			return l.checkDurable(p, before)
		})
		requests = append(requests, request{look: l, checks: []bench.Check{durable, bench.Status(rulePageStatus, 200)}})
	}
	return v.look(requests...)
}

// checkDurable wants a page to show what it showed before.
func (l *look) checkDurable(p *bench.Page, before *look) *bench.Mismatch {
	m := &bench.Mismatch{Code: model.CodeLostWrite, Message: "the article is gone after a restart", Expected: l.path(),
		Actual: fmt.Sprintf("status %d", p.Status()), Hint: "what is only in memory is gone with it"}
	if p.Status() != 200 {
		return m
	}
	d := l.read(p)
	if a := l.world.known[l.article]; a != nil && !recognises(d, a) && recognises(before.doc, a) {
		m.Expected, m.Actual = a.title, "another page"
		return m
	}
	there := map[string]bool{}
	for i := range d.comments {
		there[lineKey(d.comments[i].lines)] = true
	}
	for _, c := range before.exactly() {
		if !there[c.key] {
			m.Expected, m.Actual = c.body, fmt.Sprintf("%d comments, none of which says this", len(d.comments))
			m.Message = fmt.Sprintf("%s is gone after a restart", c)
			return m
		}
	}
	return nil
}

// exactly returns the known comments that the page shows as they are.
func (l *look) exactly() (list []*comment) {
	there := map[string]bool{}
	for i := range l.doc.comments {
		there[lineKey(l.doc.comments[i].lines)] = true
	}
	for c := range l.shown {
		if there[c.key] {
			list = append(list, c)
		}
	}
	return list
}
