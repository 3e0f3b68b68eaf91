package nttscenario

import (
	"net/http"

	"hotseat/bench"
)

// pageFiles are what a browser fetches before it can do anything (§10.3).
var pageFiles = []string{"/index.html", "/favicon.ico", "/js/app.js", "/js/chunk-vendors.js"}

// newAudience is somebody who looks for something to go to (§10.3). As in the
// contest's benchmark a failed request ends the visit only if what comes next needs its answer.
func newAudience(u *bench.User, w *world) bench.Iteration {
	v := newVisitor(u, w)
	return func() error {
		defer v.leave()
		v.loadPage()
		if err := v.enter(roleAudience, true); err != nil {
			return err
		}
		events, err := v.listEvents()
		if err != nil {
			return err
		}
		failed := v.lookAtImages(events)
		if err := v.lookAt(events[v.Rand.IntN(len(events))].ID); err != nil {
			failed = err
		}
		v.reserveAll(events)
		own, err := v.ownReservations()
		if err != nil {
			return err
		}
		if err := v.lookAtReservations(own); err != nil {
			failed = err
		}
		if err := v.cancelSome(own); err != nil {
			failed = err
		}
		if err := v.logOut(); err != nil {
			return err
		}
		return failed
	}
}

// loadPage fetches the page and what it needs. The contest's benchmark went on without.
func (v *visitor) loadPage() {
	var steps []*bench.Step
	for _, path := range pageFiles {
		if checks := v.world.files[path]; checks != nil {
			steps = append(steps, v.get(path).Expecting(checks...))
		}
	}
	v.countAll(groupStatic, steps)
}

// fileChecks are those of the page's files, by their paths.
func fileChecks(t *truth) map[string][]bench.Check {
	checks := map[string][]bench.Check{}
	for _, f := range t.static {
		checks[f.path] = []bench.Check{bench.Status(ruleOKStatus, http.StatusOK), bench.Digest(ruleStaticFile, "md5", f.md5)}
	}
	return checks
}
