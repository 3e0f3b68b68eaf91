package nttscenario

import (
	"net/http"

	"hotseat/bench"
)

// newOldUser is somebody whose token was revoked before the run (§10.3). The contest's
// benchmark meant to send expired tokens, too, and never did; here the checks before the
// load see to these.
func newOldUser(u *bench.User, w *world) bench.Iteration {
	v := newVisitor(u, w)
	return func() error {
		v.who = &member{token: w.truth.revoked[v.Rand.IntN(len(w.truth.revoked))]}
		_, failed := v.listEvents()
		err := v.count(groupLogout, v.request(http.MethodPost, "/api/logout").Name("logout with a revoked token"),
			refusedWith(ruleTokenRevoked, http.StatusUnauthorized)...).Err()
		if err != nil {
			return err
		}
		return failed
	}
}
