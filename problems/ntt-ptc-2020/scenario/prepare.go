package nttscenario

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"hotseat"
	"hotseat/bench"
)

// initializeTimeout is the contest's (§10.1).
const initializeTimeout = 20 * time.Second

// initialize brings the service back to its initial state and learns how much the
// site is advertised.
func (w *world) initialize(ctx context.Context, r *bench.Run) error {
	return r.Alone(ctx, bench.Scenario{Name: "initialize", Run: func(u *bench.User) error {
		p := u.Post("/api/initialize", typeOfJSON, []byte("{}")).Within(initializeTimeout).
			Expect(bench.Status(ruleOKStatus, http.StatusOK, http.StatusCreated, http.StatusAccepted, http.StatusNoContent))
		if !p.OK() {
			return p.Err()
		}
		w.decideCampaign(string(p.Body()))
		return nil
	}})
}

const typeOfJSON = "application/json"

// decideCampaign takes the campaign of --param, or else what the app answered.
func (w *world) decideCampaign(answered string) {
	answered = strings.TrimSpace(answered)
	if given := w.run.Param(paramCampaign); given != "" {
		w.campaign = int(given[0] - '0')
		if answered != given {
			w.run.Log(hotseat.AudienceTeam, "campaign %s by --param; the app answered %.20q", given, answered)
		}
		return
	}
	w.campaign = 1
	if isCampaign(answered) != nil {
		w.run.Log(hotseat.AudienceTeam, "POST /api/initialize answered %.20q, which is no campaign: it counts as 1", answered)
		return
	}
	w.campaign = int(answered[0] - '0')
}

// isCampaign wants a level of the load, or nothing.
func isCampaign(value string) error {
	if len(value) != 1 || value[0] < '1' || value[0] > '4' {
		return fmt.Errorf("want 1, 2, 3 or 4, not %q", value)
	}
	return nil
}
