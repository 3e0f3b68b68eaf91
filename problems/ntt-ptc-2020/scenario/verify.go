package nttscenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"hotseat/bench"
	"hotseat/bench/check"
)

// verification is what is tried before the load: every endpoint with every status
// of §4, as strictly as the contest's tests did (§11). What no request changes
// goes on at the same time. Under rules=original there is none: the published
// benchmark skipped its tests, too.
func verification(w func() *world) []bench.Scenario {
	var scenarios []bench.Scenario
	for i, s := range []struct {
		name string
		work func(c *tester) error
	}{
		{"logins", (*tester).logins},
		{"tokens", (*tester).tokens},
		{"people", (*tester).people},
		{"places", (*tester).places},
		{"initial events", (*tester).initialEvents},
		{"initial reservations", (*tester).initialReservations},
		{"events", (*tester).events},
		{"static files", (*tester).staticFiles},
	} {
		scenarios = append(scenarios, bench.Scenario{Name: s.name, Beside: i > 1, Run: func(u *bench.User) error {
			w := w()
			if !w.strict || i > 0 && w.cast.owner == nil {
				return nil
			}
			u.SetHeader("User-Agent", userAgent)
			err := s.work(&tester{User: u, world: w, truth: w.truth})
			if errors.Is(err, bench.ErrCut) && !u.Cut() {
				return nil // an answer that only a switched-off rule lets pass
			}
			return err
		}})
	}
	return scenarios
}

// member is somebody who has logged in.
type member struct {
	person
	token string
}

// cast are the test users, who have no part in the load.
type cast struct {
	audience, other *member // who attend events
	artist, rival   *member
	owner           *member
}

// tester tries things out as one member, or as nobody.
type tester struct {
	*bench.User
	world *world
	truth *truth
	who   *member // nil: nobody
}

// as is the tester as another member.
func (c *tester) as(who *member) *tester {
	other := *c
	other.who = who
	return &other
}

// request describes a request. Values take the places of what begins with a colon
// in the route's path, one after the other.
func (c *tester) request(method, route string, values ...any) *bench.Step {
	template, query, _ := strings.Cut(route, "?")
	parts := strings.Split(template, "/")
	for i, part := range parts {
		if strings.HasPrefix(part, ":") {
			parts[i], values = fmt.Sprint(values[0]), values[1:]
		}
	}
	path := strings.Join(parts, "/")
	if query != "" {
		path += "?" + query
	}
	s := c.Request(method, path).Route(template)
	if c.who != nil {
		s.Header("Authorization", "Bearer "+c.who.token)
	}
	return s
}

func (c *tester) get(route string, values ...any) *bench.Step {
	return c.request(http.MethodGet, route, values...)
}

// payload is an object to send.
type payload map[string]any

// with is the payload with another value; a nil one removes the member.
func (b payload) with(name string, value any) payload {
	other := payload{}
	for k, v := range b {
		other[k] = v
	}
	if other[name] = value; value == nil {
		delete(other, name)
	}
	return other
}

// send describes a request with JSON.
func (c *tester) send(method, route string, body payload, values ...any) *bench.Step {
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // texts, numbers and lists of them
	}
	return c.request(method, route, values...).Header("Content-Type", typeOfJSON).Body(text)
}

// trial is a request that has to be refused.
type trial struct {
	rule   string
	status int
	name   string // what is wrong with it
	step   *bench.Step
}

// refuse tries what has to be refused, all of it at once. It returns ErrCut if
// something was not, and its rule is switched off: nobody knows what has changed.
func (c *tester) refuse(trials ...trial) error {
	var steps []*bench.Step
	for _, t := range trials {
		steps = append(steps, t.step.Name(t.name).Expecting(refusedWith(t.rule, t.status)...))
	}
	for i, p := range c.All(steps...) {
		if !p.OK() {
			return p.Err()
		}
		if p.Status() != trials[i].status {
			return bench.ErrCut
		}
	}
	return nil
}

// refuseInTurn is refuse, one after the other: for what the app might have begun
// to write before it refuses.
func (c *tester) refuseInTurn(trials ...trial) error {
	for _, t := range trials {
		if err := c.refuse(t); err != nil {
			return err
		}
	}
	return nil
}

// done sends a request that is in order and wants its status.
func (c *tester) done(status int, s *bench.Step) error {
	p := s.Expect(bench.Status(ruleOKStatus, status))
	if p.OK() && p.Status() != status {
		return bench.ErrCut
	}
	return p.Err()
}

// same holds what an answer shows against what it has to. It returns ErrCut for a
// difference that a switched-off rule lets pass: more would follow from it.
func (c *tester) same(p *bench.Page, rule, message string, want, got any) error {
	c.Exercised(rule)
	wanted, shown := difference(plainly(want), plainly(got))
	if wanted == shown {
		return nil
	}
	err := c.Fail(bench.Problem{Rule: rule, Code: check.ValueMismatch, Page: p, Expected: wanted, Actual: shown,
		Message: inPlaceOf(message, shown, wanted)})
	if err != nil {
		return err
	}
	return bench.ErrCut
}

// inPlaceOf says in one line what there is, and what there should be.
func inPlaceOf(message, shown, wanted string) string {
	return fmt.Sprintf("%s: %s instead of %s", message, short(shown), short(wanted))
}

func short(text string) string {
	const most = 100 // characters
	if r := []rune(text); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return text
}

// on tells whether all these rules are on: what several would explain is not held
// against anybody while one of them is off.
func (c *tester) on(rules ...string) bool {
	for _, rule := range rules {
		if !c.Run.RuleOn(rule) {
			return false
		}
	}
	return true
}

// plainly is a value as decoded JSON.
func plainly(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err) // answers, which came as JSON
	}
	d := json.NewDecoder(strings.NewReader(string(text)))
	d.UseNumber()
	var out any
	if err := d.Decode(&out); err != nil {
		panic(err)
	}
	return out
}

// difference shows where two values differ: of objects the members that do, of
// lists the first item that does. Both texts are empty if nothing differs.
func difference(want, got any) (wanted, shown string) {
	if reflect.DeepEqual(want, got) || isEmpty(want) && isEmpty(got) {
		return "", ""
	}
	switch w := want.(type) {
	case map[string]any:
		if g, ok := got.(map[string]any); ok {
			left, right := map[string]any{}, map[string]any{}
			for name := range w {
				if !reflect.DeepEqual(w[name], g[name]) {
					left[name], right[name] = w[name], g[name]
				}
			}
			want, got = left, right
		}
	case []any:
		g, ok := got.([]any)
		for i := range min(len(w), len(g)) {
			if a, b := difference(w[i], g[i]); a != b {
				return fmt.Sprintf("%s, number %d with %s", items(len(w)), i+1, a), fmt.Sprintf("%s, number %d with %s", items(len(g)), i+1, b)
			}
		}
		if ok {
			return items(len(w)), items(len(g))
		}
	}
	return asText(want), asText(got)
}

func items(n int) string {
	if n == 1 {
		return "1 item"
	}
	return fmt.Sprint(n, " items")
}

// isEmpty tells whether a value is an empty list, or null, which is as good.
func isEmpty(value any) bool {
	list, ok := value.([]any)
	return value == nil || ok && len(list) == 0
}

func asText(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// unknownID is one that nobody and nothing has (§7).
const unknownID = 999_999

// badIDs are trials of ids in a path that are none, and of some that nothing has.
func badIDs(what string, step func(id any) *bench.Step) []trial {
	trials := []trial{{ruleParameters, http.StatusBadRequest, what + ": an ID that is no number", step("abc")}}
	for _, id := range []int{unknownID, 0, -1} {
		trials = append(trials, trial{ruleNotFound, http.StatusNotFound, fmt.Sprintf("%s: ID %d", what, id), step(id)})
	}
	return trials
}

// badPages are trials of limits and offsets.
func badPages(what string, step func(query string) *bench.Step) []trial {
	var trials []trial
	for _, query := range []string{"limit=-1", "limit=abc", "offset=-1", "offset=abc"} {
		trials = append(trials, trial{ruleParameters, http.StatusBadRequest, what + ": " + query, step(query)})
	}
	return trials
}

// staticFiles are the pages, byte for byte.
func (c *tester) staticFiles() error {
	var steps []*bench.Step
	for _, f := range c.truth.static {
		steps = append(steps, c.get(f.path).Expecting(bench.Status(ruleOKStatus, http.StatusOK), bench.Digest(ruleStaticFile, "md5", f.md5)))
		if f.path == "/index.html" {
			steps = append(steps, c.get("/").Expecting(bench.Status(ruleOKStatus, http.StatusOK), bench.Digest(ruleStaticFile, "md5", f.md5)))
		}
	}
	return firstFailure(c.All(steps...))
}

func firstFailure(pages []*bench.Page) error {
	i := slices.IndexFunc(pages, func(p *bench.Page) bool { return !p.OK() })
	if i < 0 {
		return nil
	}
	return pages[i].Err()
}

// days tells when today began for a request, as its server may see it: two
// answers around midnight.
func days(p *bench.Page) []time.Time {
	const doubt = time.Minute // between two clocks
	first, last := p.SentAt().Add(-doubt).UTC().Truncate(24*time.Hour), p.DoneAt().Add(doubt).UTC().Truncate(24*time.Hour)
	if first.Equal(last) {
		return []time.Time{first}
	}
	return []time.Time{first, last}
}
