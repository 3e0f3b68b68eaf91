package nttscenario

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// The table of §10.2: users at once, and visits in a minute.
func TestCampaignsBringAsManyAsThen(t *testing.T) {
	for i, want := range [][4][2]int{
		{{12, 30}, {4, 10}, {1, 5}, {4, 10}},
		{{24, 180}, {8, 120}, {2, 15}, {8, 30}},
		{{72, 1080}, {24, 720}, {6, 120}, {24, 360}},
	} {
		var got [4][2]int
		for k, c := range levels[i].crowds {
			got[k] = [2]int{c.users, int(c.perTime * float64(time.Minute/c.time))}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("campaign %d: %s", i+1, diff)
		}
	}
}

// stuck is a service that never shows the load's visitors a page of events.
type stuck struct{ http.Handler }

func (s stuck) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == routeEvents && r.URL.Query().Get("limit") == "12" && r.Header.Get("Authorization") != "" {
		<-r.Context().Done()
	}
	s.Handler.ServeHTTP(w, r)
}

// Whoever is at the ceiling is told so; whoever made people stay away is told that.
func TestTheCeilingIsTold(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		handler  http.Handler
		campaign string
		ceiling  bool
	}{
		"quick": {newService(testSeed(t)), "1", true},
		"stuck": {stuck{newService(testSeed(t))}, "3", false}, // 72 audiences have come after 4 s
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := execute(t.Context(), t, c.handler, "--param", "campaign="+c.campaign, "--duration", "6s")
			if o.Verdict.Verdict == hotseat.Infra {
				t.Logf("this machine is too busy: %s", o.Verdict.Reason)
				return
			}
			remarks, missed := strings.Join(o.Verdict.Remarks, "; "), int64(0)
			for _, a := range o.Verdict.Arrivals {
				missed += a.Missed
			}
			if told := strings.Contains(remarks, "ceiling of"); told != c.ceiling || told == (missed > 0) {
				t.Errorf("remarks %q, and %d were missed: %v", remarks, missed, o)
			}
		})
	}
}

func TestScoreOfGroups(t *testing.T) {
	for group, want := range map[string][2]int64{groupStatic: {1, 5}, groupEvents: {1, 5}, groupReserve: {5, 25}, groupUpload: {5, 25}, groupCancel: {5, 25}} {
		if earns, costs := worth(group); [2]int64{earns, costs} != want {
			t.Errorf("%s earns %d and costs %d, want %v", group, earns, costs, want)
		}
	}
}
