package nttscenario

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"hotseat"
	"hotseat/problem/problemtest"
)

// Data are good until the month is over, and a little longer; then nobody is accused of it.
func TestDataGrowOld(t *testing.T) {
	t.Parallel()
	truth, err := loadTruth(testSeed(t).truth())
	if err != nil {
		t.Fatal(err)
	}
	for days, fresh := range map[int]bool{0: true, 15: true, 31: true, 60: false, 400: false} {
		err := truth.fresh(truth.day.AddDate(0, 0, days).Add(23 * time.Hour))
		var known *hotseat.Error
		if fresh != (err == nil) || err != nil && (!errors.As(err, &known) || !strings.Contains(known.Hint, "hotseat reset")) {
			t.Errorf("after %d days: %v", days, err)
		}
	}
	later := func() time.Time { return truth.day.AddDate(0, 0, 100) }
	o := problemtest.Execute(t.Context(), t, contest(later, loadTruth), nil, "--target", "http://127.0.0.1:1", "--data", testSeed(t).truth())
	if o.Status != hotseat.ExitUsage || !o.Verdict.ExitUsage || !strings.Contains(o.Verdict.Reason, "too old") || len(o.Failures) > 0 {
		t.Errorf("%v", o)
	}
}

// otherDay is a service with other dates, as one is whose database was filled then.
type otherDay struct {
	http.Handler
	first *event
}

func (d otherDay) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !strings.HasPrefix(r.URL.Path, "/api/events") {
		d.Handler.ServeHTTP(w, r)
		return
	}
	w.Header().Set("Content-Type", typeOfJSON)
	if strings.HasSuffix(r.URL.Path, "/2") {
		then := func(at time.Time) string { return second(at.AddDate(-5, 0, 0)) }
		_, _ = fmt.Fprintf(w, `{"id": 2, "start_at": %q, "created_at": %q}`, then(d.first.start), then(d.first.created))
		return
	}
	_, _ = io.WriteString(w, "[]")
}

func TestDataOfAnotherDayAreNobodysFailure(t *testing.T) {
	t.Parallel()
	truth, err := loadTruth(testSeed(t).truth())
	if err != nil {
		t.Fatal(err)
	}
	o := execute(t.Context(), t, otherDay{newService(testSeed(t)), &truth.events[1]})
	if o.Status != hotseat.ExitUsage || !strings.Contains(o.Verdict.Reason, "another day") || !strings.Contains(o.Verdict.Hint, "hotseat reset") {
		t.Errorf("status %d: %v", o.Status, o)
	}
}

func TestCampaigns(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answered, param string
		want            int
		remark          string
	}{
		{"1", "", 1, "as the app answered"}, {" 3\n", "", 3, "as the app answered"}, {"4", "", 4, "as the app answered"}, {"", "", 1, "which is none"}, {`{"campaign":2}`, "", 1, "which is none"},
		{"0", "", 1, "which is none"}, {"1", "2", 2, "although the app answered"}, {"2", "2", 2, "as the app answered"}, {"x", "4", 4, "although the app answered"},
	} {
		t.Run(c.answered+"/"+c.param, func(t *testing.T) {
			t.Parallel()
			args := []string{"--param", "restart=0"}
			if c.param != "" {
				args = append(args, "--param", "campaign="+c.param)
			}
			o := execute(t.Context(), t, answering{newService(testSeed(t)), c.answered}, append(args, "--duration", "300ms")...)
			users := int64(levels[c.want-1].crowds[0].users)
			if a := o.Verdict.Arrivals; len(a) != 4 || a[0].Users != users {
				t.Errorf("%+v, want campaign %d: %v", a, c.want, o)
			}
			remarks := strings.Join(o.Verdict.Remarks, "; ")
			if !strings.Contains(remarks, c.remark) {
				t.Errorf("remarks: %q", remarks)
			}
		})
	}
}

// answering is a service with an initialization that answers something else.
type answering struct {
	http.Handler
	campaign string
}

func (a answering) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/api/initialize" {
		a.Handler.ServeHTTP(httptest.NewRecorder(), r)
		_, _ = io.WriteString(w, a.campaign)
		return
	}
	a.Handler.ServeHTTP(w, r)
}
