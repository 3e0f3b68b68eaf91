package bench

import (
	"net/http"
	"testing"

	"hotseat"
)

// A server that answers a kept-alive connection by closing it may have done the
// work: the request is sent again, and the scenario can know.
func TestRetriedPageSaysSo(t *testing.T) {
	s := serve(t, every(2, hangUp))
	var retried []bool
	c := Contest{Name: "x", Verify: []Scenario{{Name: "twice", Run: func(u *User) error {
		for range 2 {
			p := u.Get("/").Do()
			if !p.OK() {
				return p.Err()
			}
			retried = append(retried, p.Retried())
		}
		return nil
	}}}}
	o := play(t, c, "--target", s.URL)
	if o.verdict.Verdict != hotseat.Pass || len(retried) != 2 || retried[0] || !retried[1] {
		t.Errorf("%s (%s), retried %v", o.verdict.Verdict, o.verdict.Reason, retried)
	}
}

// The original contests did not mind errors: where their judge passes a run, it
// is passed, however many of the target's answers failed.
func TestErrorsOfTheTargetDoNotMakeARunUnreliable(t *testing.T) {
	s := serve(t, every(2, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) }))
	c := get()
	c.Judge = func(*Run, *Tally) (hotseat.Verdict, string) { return hotseat.Pass, "whatever happened" }
	o := play(t, c, "--target", s.URL, "--param", "rules=original")
	if o.verdict.Verdict != hotseat.Pass {
		t.Errorf("%s: %s", o.verdict.Verdict, o.verdict.Reason)
	}
}
