package nttscenario

import (
	"fmt"
	"net/http"
	"slices"
	"time"

	"hotseat/bench"
)

// How many requests meet at a time: before the load, and during it, when they take from
// what the others' visits are worth.
const (
	rivalsAlone  = 4
	rivalsInLoad = 2
)

// statusOfRace lets pass that requests that get into each other's way fail: the contest's app
// had deadlocks. Only what was promised and then broken is held against anybody, and
// which refusal is the right one is tried when all is quiet.
var statusOfRace = bench.That(ruleOKStatus, func(p *bench.Page) *bench.Mismatch {
	if p.Status() == http.StatusCreated || isError(p.Status()) {
		return nil
	}
	return &bench.Mismatch{Code: bench.CodeUnexpectedStatus, Expected: "status 201 or 409", Actual: fmt.Sprintf("status %d", p.Status()),
		Message: fmt.Sprintf("status %d instead of 201 or 409", p.Status())}
})

// race tries what only shows when several do the same thing at the same time: artists
// who take one timeslot, a user who reserves twice, people who want more tickets than there are,
// and a token that is used while everybody is told that it no longer counts. All
// of them are new users, and the event is at a venue that is nobody's but theirs for so long.
func (w *world) race(u *bench.User, rivals int) error {
	v := newVisitor(u, w)
	var artists, audience []*member
	for i := range 2 + 1 + max(rivals-1, 2) {
		role := roleArtist
		if i >= 2 {
			role = roleAudience
		}
		m, err := v.tester.signUp(v.randomText(20), role)
		if err != nil {
			return err
		}
		if role == roleArtist {
			artists = append(artists, m)
		} else {
			audience = append(audience, m)
		}
	}
	e, err := v.raceForSlot(artists, rivals)
	if err != nil || e == nil {
		return err
	}
	if err := v.raceOfOne(e, slices.Repeat(audience[:1], rivals)); err != nil {
		return err
	}
	if err := v.raceForTickets(e, audience[1:]); err != nil {
		return err
	}
	return v.raceAfterLogout(audience[0])
}

// raceForSlot lets two artists take one timeslot at the same time. It returns the event that
// came of it, nil if that is not known for sure.
func (v *visitor) raceForSlot(artists []*member, rivals int) (*eventData, error) {
	v.who = artists[0]
	s := v.claimSomewhere()
	if s == nil {
		return nil, nil
	}
	v.world.slots.take(s)
	var steps []*bench.Step
	for i := range rivals {
		who := artists[i%len(artists)]
		steps = append(steps, v.as(who).send(http.MethodPost, routeEvents, v.plan(s, v.randomText(8), firstGenre, v.randomPrice())).
			Name("event in a timeslot that others take at this moment").
			Expecting(statusOfRace))
	}
	pages := v.All(steps...)
	made, refused := sort(pages)
	switch {
	case len(made) > 0:
		v.world.slots.taken(s, happened)
	case refused == len(pages):
		v.world.slots.taken(s, never)
	}
	v.Exercised(ruleSlotRace)
	if wrong := len(made) > 1 || refused == len(pages); wrong && v.on(ruleSlotTaken) {
		return nil, v.Fail(bench.Problem{Rule: ruleSlotRace, Code: "race", Page: pages[0],
			Expected: fmt.Sprintf("one 201, and 409 for the other %d", len(pages)-1),
			Actual:   fmt.Sprintf("%d × 201, %d × 409", len(made), refused),
			Message:  fmt.Sprintf("%d artists' requests for timeslot %d at the same time: %d of them got it", len(pages), s.id, len(made)),
			Hint:     "between looking whether a timeslot is free and taking it, others must not do the same"})
	}
	if err := firstFailure(pages); err != nil || len(made) != 1 {
		return nil, err
	}
	e, err := eventAnswer.read(v.User, made[0])
	return &e, err
}

// claimSomewhere claims a timeslot of any venue; some have none that is free and not
// too soon. It returns nil if none has.
func (v *visitor) claimSomewhere() *slot {
	venues := int64(len(v.truth.venues) - groundVenues)
	first := v.world.anyVenue(v.User) - 1
	for i := range venues {
		if s := v.world.slots.claimAny(v.Rand, 1+(first+i)%venues, v.world.now().Add(24*time.Hour)); s != nil {
			return s
		}
	}
	return nil
}

// sort returns the answers that said yes, and how many said 409.
func sort(pages []*bench.Page) (made []*bench.Page, refused int) {
	for _, p := range pages {
		switch {
		case !p.Answered():
		case p.Status() == http.StatusCreated:
			made = append(made, p)
		case p.Status() == http.StatusConflict:
			refused++
		}
	}
	return made, refused
}

// rush lets several reserve at the same time.
func (v *visitor) rush(e *eventData, name string, tickets int64, who ...*member) []*bench.Page {
	var steps []*bench.Step
	for _, m := range who {
		steps = append(steps, v.as(m).send(http.MethodPost, routeReserve, payload{"num_of_resv": tickets}, e.ID).
			Name(name).Expecting(statusOfRace))
	}
	return v.All(steps...)
}

// raceOfOne lets one user reserve several times at the same time.
func (v *visitor) raceOfOne(e *eventData, who []*member) error {
	pages := v.rush(e, "reservation that the same user makes elsewhere at this moment", 1, who...)
	made, refused := sort(pages)
	v.Exercised(ruleReservationRace)
	if len(made) > 1 && v.on(ruleReservationOnce) {
		return v.Fail(bench.Problem{Rule: ruleReservationRace, Code: "race", Page: made[1],
			Expected: fmt.Sprintf("at most one 201, and 409 for the other %d", len(pages)-1), Actual: fmt.Sprintf("%d × 201, %d × 409", len(made), refused),
			Message: fmt.Sprintf("one user's %d requests at the same time got %d reservations for event %d", len(pages), len(made), e.ID),
			Hint:    "between looking for a reservation and making one, others must not do the same; a unique key cannot be got round"})
	}
	if refused == len(pages) {
		if err := v.noReason(e, pages[0]); err != nil {
			return err
		}
	}
	return firstFailure(pages)
}

// raceForTickets lets several users want more than half of the tickets at the same time.
func (v *visitor) raceForTickets(e *eventData, who []*member) error {
	want := e.Capacity/2 + 1
	pages := v.rush(e, "reservation of tickets that others reserve at this moment", want, who...)
	made, refused := sort(pages)
	v.Exercised(ruleCapacityRace)
	if len(made) > 1 && v.on(ruleCapacity) {
		return v.Fail(bench.Problem{Rule: ruleCapacityRace, Code: "race", Page: made[1],
			Expected: fmt.Sprintf("one 201: there is room for %d, and everybody wants %d", e.Capacity, want),
			Actual:   fmt.Sprintf("%d × 201, %d × 409", len(made), refused),
			Message:  fmt.Sprintf("event %d now has %d tickets reserved, of %d", e.ID, int64(len(made))*want, e.Capacity),
			Hint:     "between counting the tickets and reserving some, others must not do the same"})
	}
	if refused == len(pages) {
		if err := v.noReason(e, pages[0]); err != nil {
			return err
		}
	}
	return firstFailure(pages)
}

// noReason fails a refusal of everybody who wanted what was there.
func (v *visitor) noReason(e *eventData, p *bench.Page) error {
	return v.Fail(bench.Problem{Rule: ruleReservationPossible, Code: bench.CodeUnexpectedStatus, Page: p, Expected: "status 201 for one of them",
		Actual: "status 409 for all", Message: fmt.Sprintf("nobody could reserve tickets for event %d, which has room for %d", e.ID, e.Capacity)})
}

// raceAfterLogout wants a token to be refused everywhere at once, by whatever process
// the next requests meet.
func (v *visitor) raceAfterLogout(who *member) error {
	v.who = who
	if p := v.request(http.MethodPost, "/api/logout").Expect(bench.Status(ruleOKStatus, http.StatusOK)); !p.OK() {
		return p.Err()
	}
	v.world.revoked.keep(v.Rand, who.token)
	return v.refusedEverywhere(ruleLogoutRevokes)
}

// anyVenue draws a venue of those that the load uses.
func (w *world) anyVenue(u *bench.User) int64 {
	return int64(1 + u.Rand.IntN(len(w.truth.venues)-groundVenues))
}

// raceScenario is race before the load, when all is quiet.
func raceScenario(w func() *world) bench.Scenario {
	return bench.Scenario{Name: "races", Run: func(u *bench.User) error {
		if w := w(); w.strict {
			return w.race(u, rivalsAlone)
		}
		return nil
	}}
}
