package nttscenario

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"hotseat/bench/check"
)

const eventText = `{"id":1,"event_name":"e","event_genre_id":2,"artist_id":3,"artist_name":"a","venue_id":1,"venue_name":"v","start_at":"2026-12-01T00:00:00Z","end_at":"2026-12-01T11:59:59Z","price":5000,"timeslot_ids":[1,2],"created_at":"2026-09-01T00:00:00Z","updated_at":"2026-09-01T00:00:00Z","capacity":400,"current_resv":0}`

// Which bodies have the shape that is documented, and which rule the others break.
func TestShapesOfAnswers(t *testing.T) {
	event := func(old, new string) string { return replaceOnce(t, eventText, old, new) }
	for name, c := range map[string]struct {
		validator *check.JSONValidator
		body      string
		rule      string // "": all is well
	}{
		"an event":                  {eventAnswer.validator, eventText, ""},
		"members in another order":  {genresAnswer.validator, `[{"name":"Pop","id":1}]`, ""},
		"an event without slots":    {eventAnswer.validator, event("[1,2]", "null"), ""},
		"a list of events":          {eventsAnswer.validator, "[" + eventText + "," + eventText + "]", ""},
		"an empty list":             {eventsAnswer.validator, "[]", ""},
		"null":                      {eventsAnswer.validator, "null", ""},
		"white space around":        {eventsAnswer.validator, " []\n", ""},
		"null for an event":         {eventAnswer.validator, "null", ruleShape},
		"an object for a list":      {eventsAnswer.validator, "{}", ruleShape},
		"no JSON":                   {eventAnswer.validator, "<p>", ruleShape},
		"nothing":                   {eventAnswer.validator, "", ruleShape},
		"text behind":               {eventAnswer.validator, eventText + "x", ruleShape},
		"a member too many":         {eventAnswer.validator, event(`{"id"`, `{"image":null,"id"`), ruleShape},
		"a member twice":            {eventAnswer.validator, event(`{"id"`, `{"id":1,"id"`), ruleShape},
		"a member too few":          {eventAnswer.validator, event(`"capacity":400,`, ""), ruleShape},
		"a member too few in one":   {eventsAnswer.validator, "[" + eventText + "," + event(`"capacity":400,`, "") + "]", ruleShape},
		"a price as a text":         {eventAnswer.validator, event("5000", `"5000"`), ruleShape},
		"a price with a fraction":   {eventAnswer.validator, event("5000", "5000.0"), ruleShape},
		"a timeslot as a text":      {eventAnswer.validator, event("[1,2]", `[1,"2"]`), ruleShape},
		"timeslots as a number":     {eventAnswer.validator, event("[1,2]", "1"), ruleShape},
		"a name that is null":       {eventAnswer.validator, event(`"e"`, "null"), ruleShape},
		"a time that is a number":   {eventAnswer.validator, event(`"2026-12-01T00:00:00Z"`, "1"), ruleShape},
		"a time with a fraction":    {eventAnswer.validator, event("11:59:59Z", "11:59:59.000Z"), ruleTimeFormat},
		"a time with an offset":     {eventAnswer.validator, event("11:59:59Z", "11:59:59+00:00"), ruleTimeFormat},
		"a time without a zone":     {eventAnswer.validator, event("11:59:59Z", "11:59:59"), ruleTimeFormat},
		"a time that is none":       {eventAnswer.validator, event("11:59:59Z", "11:60:59Z"), ruleTimeFormat},
		"a fraction in a list":      {eventsAnswer.validator, "[" + event("11:59:59Z", "11:59:59.5Z") + "]", ruleTimeFormat},
		"a login":                   {loginAnswer.validator, `{"user_id":1,"access_token":"a.b.c"}`, ""},
		"a login with a text as ID": {loginAnswer.validator, `{"user_id":"1","access_token":"a.b.c"}`, ruleShape},
	} {
		t.Run(name, func(t *testing.T) {
			for how, judge := range map[string]func(*check.Input, ...check.Value) *check.Mismatch{"Check": c.validator.Check, "Verify": c.validator.Verify} {
				m := judge(&check.Input{Status: 200, Body: []byte(c.body)})
				got := ""
				if m != nil {
					got = m.Rule
				}
				if got != c.rule {
					t.Errorf("%s: %q, want %q: %v", how, got, c.rule, m)
				}
			}
		})
	}
}

func replaceOnce(t *testing.T, text, old, new string) string {
	t.Helper()
	if !strings.Contains(text, old) {
		t.Fatalf("%q is not in %s", old, text)
	}
	return strings.Replace(text, old, new, 1)
}

func TestMomentsAreReadLeniently(t *testing.T) {
	want := time.Date(2026, 12, 1, 11, 59, 59, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2026-12-01T11:59:59Z": want, "2026-12-01T11:59:59.9Z": want, "2026-12-01T20:59:59+09:00": want, "tomorrow": {},
	} {
		var m moment
		if err := check.Decode([]byte(strconv.Quote(text)), &m); err != nil || !m.Equal(want) {
			t.Errorf("%s: %v, %v", text, m, err)
		}
	}
}
