package bench

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

// dicing is a contest of two populations; its users ask for pages by their dice.
func dicing() Contest {
	c := get()
	roam := func(u *User) Iteration {
		return func() error {
			return u.Get(fmt.Sprintf("/%d", u.Rand.IntN(1000))).Route("/:n").Name("roam as "+u.Population).Expect(Status(ruleStatus, 200), saysOK()).Err()
		}
	}
	c.Populations = func(*Run) []Population {
		return []Population{Closed("reader", roam).Start(3), Open("visitor", roam).PerSecond(50).Users(1)}
	}
	c.Verify = []Scenario{
		{Name: "first", Run: func(u *User) error { return u.getOK("/first").Err() }},
		{Name: "second", Run: func(u *User) error {
			if err := u.getOK("/second").Err(); err != nil {
				return err
			}
			return u.getOK("/third").Err()
		}},
	}
	return c
}

// steps are the steps that a replay told of.
func (o *outcomeOf) steps() (steps []hotseat.StepEvent) {
	for _, e := range o.events {
		if e.Replayed != nil {
			steps = append(steps, *e.Replayed)
		}
	}
	return steps
}

// visited is a target that answers ok, but says what it must not for one of
// the paths, and remembers what it was asked for, by user.
func visited(t *testing.T, bad string) (url string, paths func() []string) {
	var mu sync.Mutex
	var seen []string
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		seen = append(seen, r.URL.Path)
		mu.Unlock()
		if r.URL.Path == bad {
			fmt.Fprint(w, "no")
			return
		}
		fmt.Fprint(w, "ok")
	})
	return s.URL, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return append([]string(nil), seen...)
	}
}

// A user asks for the same when replayed as in the run: the failure of a run
// comes back with its number.
func TestReplayFindsTheFailureAgain(t *testing.T) {
	for _, population := range []string{"reader", "visitor"} {
		t.Run(population, func(t *testing.T) {
			url, paths := visited(t, "/nothing")
			first := play(t, dicing(), "--target", url, "--seed", "5", "--replay", population+"/1:7")
			wantVerdict(t, first, hotseat.Pass, "none of the 7 requests of "+population+"/1 failed")
			want := paths() // with the three of verify
			if len(want) != 3+7 {
				t.Fatalf("asked for %d pages: %v", len(want), want)
			}
			seventh := want[len(want)-1]

			url, _ = visited(t, seventh)
			run := play(t, dicing(), "--target", url, "--seed", "5")
			var number int
			for _, e := range run.events {
				if e.FailureEvent != nil && e.Sampled && e.Scenario == population && e.User == 1 {
					number = e.StepNumber
					break
				}
			}
			if number == 0 {
				t.Fatal("the run found nothing wrong")
			}

			url, paths = visited(t, seventh)
			again := play(t, dicing(), "--target", url, "--seed", "5", "--replay", fmt.Sprintf("%s/1:%d", population, number))
			wantVerdict(t, again, hotseat.Fail, "roam as "+population+": want ok, got no [x.body]")
			if diff := cmp.Diff(want[:3+number], paths()); diff != "" {
				t.Errorf("asked for something else (-want +got):\n%s", diff)
			}
			steps := again.steps()
			if len(steps) != number {
				t.Fatalf("told of %d steps of %d", len(steps), number)
			}
			last := steps[number-1]
			if last.OK || last.Number != number || last.Rule != ruleBody || last.Expected != "ok" || last.Actual != "no" ||
				!strings.Contains(last.Request, "GET "+seventh+" ") || !strings.Contains(last.Curl, seventh) {
				t.Errorf("the last step is %+v", last)
			}
			good := steps[0]
			if !good.OK || good.Message != "" || good.Expected != "status 200 [x.status]\nPages say ok. [x.body]" ||
				!strings.Contains(good.Actual, "status 200") {
				t.Errorf("the first step is %+v", good)
			}
		})
	}
}

// What the scenario finds by its own comparing after the last step still counts.
func TestReplayWaitsForTheScenariosOwnFindings(t *testing.T) {
	c := get()
	c.Populations = func(*Run) []Population {
		return []Population{Closed("reader", func(u *User) Iteration {
			n := 0
			return func() error {
				n++
				p := u.getOK("/")
				if n == 2 {
					return u.Fail(Problem{Rule: ruleBody, Expected: "one", Actual: "two"})
				}
				return p.Err()
			}
		})}
	}
	url, _ := visited(t, "")
	wantVerdict(t, play(t, c, "--target", url, "--replay", "1:1"), hotseat.Pass, "none of the 1 requests")
	o := play(t, c, "--target", url, "--replay", "1:2")
	wantVerdict(t, o, hotseat.Fail, "want one, got two")
	if f := o.sample(t, CodeValueMismatch); f.StepNumber != 2 {
		t.Errorf("after step %d", f.StepNumber)
	}
	if steps := o.steps(); !steps[1].OK || steps[1].Expected == "one" {
		t.Errorf("the step itself was good: %+v", steps[1])
	}
	o = play(t, c, "--target", url, "--replay", "1:3")
	if steps := o.steps(); !steps[2].OK || steps[2].Expected == "one" {
		t.Errorf("nor had the next one anything to do with it: %+v", steps[2])
	}
}

func TestReplayByName(t *testing.T) {
	url, _ := visited(t, "")
	o := play(t, dicing(), "--target", url, "--replay", "reader/2:roam as reader")
	wantVerdict(t, o, hotseat.Pass, "none of the 1 requests of reader/2 failed")
}

func TestReplayOfVerify(t *testing.T) {
	url, paths := visited(t, "")
	o := play(t, dicing(), "--target", url, "--replay", "second/1:GET /second")
	wantVerdict(t, o, hotseat.Pass, "none of the 1 requests of second/1")
	if diff := cmp.Diff([]string{"/first", "/second"}, paths()); diff != "" {
		t.Errorf("asked for (-want +got):\n%s", diff)
	}
	url, _ = visited(t, "/second")
	o = play(t, dicing(), "--target", url, "--replay", "second/1:1")
	wantVerdict(t, o, hotseat.Fail, "verify: second: GET /second: want ok, got no [x.body]")
	if len(o.steps()) != 1 {
		t.Errorf("steps: %v", o.steps())
	}
}

func TestReplayOfWhatIsNotThere(t *testing.T) {
	url, _ := visited(t, "")
	once := get()
	once.Load = 100 * time.Millisecond
	once.Populations = func(*Run) []Population {
		return []Population{Closed("reader", func(u *User) Iteration {
			asked := false
			return func() error {
				if asked {
					u.Think(time.Hour, time.Hour)
					return nil
				}
				asked = true
				return u.getOK("/").Err()
			}
		})}
	}
	for name, c := range map[string]struct {
		contest Contest
		replay  string
		reason  string
	}{
		"no step":            {get(), "1", "want USER:STEP"},
		"no user":            {get(), ":3", `user ""`},
		"user zero":          {get(), "0:3", `user "0"`},
		"step zero":          {get(), "1:0", "counted from 1"},
		"unknown population": {dicing(), "writer/1:1", `no population "writer"`},
		"which population":   {dicing(), "1:1", "there are several"},
		"never reached":      {once, "1:9", "made 1 requests and ended; step number 9"},
		"never of that name": {once, "1:POST /", `step "POST /"`},
	} {
		t.Run(name, func(t *testing.T) {
			o := play(t, c.contest, "--target", url, "--replay", c.replay)
			wantVerdict(t, o, hotseat.Infra, c.reason)
			if !o.verdict.ExitUsage || o.verdict.Hint == "" {
				t.Errorf("%+v", o.verdict)
			}
		})
	}
}
