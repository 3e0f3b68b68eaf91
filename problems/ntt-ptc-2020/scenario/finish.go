package nttscenario

import (
	"net/http"

	"hotseat"
	"hotseat/bench"
)

// finish is what comes after the load.
func finish(w func() *world) []bench.Scenario {
	return []bench.Scenario{
		{Name: "ceiling", Run: func(u *bench.User) error { return w().sumUp(u) }},
		{Name: "restart", Run: func(u *bench.User) error { return w().restart(u) }},
	}
}

// restart looks whether revocations and pictures survive a restart of everything (§2). Nothing
// is asked of a stack that is not ours to restart.
func (w *world) restart(u *bench.User) error {
	if !w.strict || u.Run.Int(paramRestart) == 0 || !u.Run.RuleOn(ruleRevocationsSurvive) && !u.Run.RuleOn(ruleImagesSurvive) {
		return nil
	}
	tokens, shows := w.revoked.all(), w.shows.all()
	if len(tokens)+len(shows) == 0 {
		return nil // nobody has come so far
	}
	if err := u.Run.Ask(u.Context(), hotseat.ActionRestartStack); err != nil {
		u.Run.Remark("what a restart leaves was not checked: %v", err)
		return nil
	}
	v := newVisitor(u, w)
	if !v.on(ruleLogoutRevokes) {
		tokens = nil // they may never have been refused
	}
	if !v.on(ruleImageFresh) {
		shows = nil
	}
	var failed error
	for _, token := range tokens {
		v.who = &member{token: token}
		survives := bench.That(ruleRevocationsSurvive, func(p *bench.Page) *bench.Mismatch {
			if p.Status() != http.StatusOK {
				return nil
			}
			return &bench.Mismatch{Code: "lost-write", Expected: "status 401: the token was revoked by a logout before the restart", Actual: "status 200",
				Message: "a revoked token counts again after a restart", Hint: "what is only in memory is gone with it: keep revoked tokens in a file or in the database, too"}
		})
		s := v.get("/api/venues?limit=1").Name("venues with a token that was revoked before the restart")
		if err := s.Expect(survives, bench.Status(ruleLogoutRevokes, http.StatusUnauthorized, http.StatusOK)).Err(); err != nil {
			failed = err
		}
	}
	v.who = nil
	for i := range shows {
		s := v.get(routeImage, shows[i].ID).Name("a picture that was uploaded before the restart")
		survives := bench.That(ruleImagesSurvive, func(p *bench.Page) *bench.Mismatch {
			if p.Status() != http.StatusNotFound {
				return nil
			}
			return &bench.Mismatch{Code: "lost-write", Expected: "the picture that was uploaded", Actual: "status 404",
				Message: "an event is gone after a restart", Hint: "what is only in memory is gone with it"}
		})
		if err := s.Expect(survives, bench.Status(ruleOKStatus, http.StatusOK, http.StatusNotFound), w.kept(shows[i].image)).Err(); err != nil {
			failed = err
		}
	}
	return failed
}

// kept wants a picture to be the one that was uploaded.
func (w *world) kept(md5 string) bench.Check {
	return bench.Digest(ruleImagesSurvive, "md5", md5)
}
