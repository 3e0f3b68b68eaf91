package nttscenario

import (
	"errors"
	"fmt"
	"slices"
	"time"
)

// groundVenues is how many venues, the last ones, are left to the checks before the
// load: no artist of the load gets a timeslot there.
const groundVenues = 3

// isGround tells whether a venue is one of those.
func (t *truth) isGround(venue int64) bool { return venue > int64(len(t.venues))-groundVenues }

// testers are the test users: those of whom nobody in the load is one.
type testers struct {
	audience, other, artist, rival, owner person
}

func (t *truth) chooseTesters() error {
	inLoad := map[string]bool{}
	for _, names := range [][]string{t.audiences, t.artists, t.owners} {
		for _, name := range names {
			inLoad[name] = true
		}
	}
	free := map[string][]person{}
	for _, who := range t.users {
		if !inLoad[who.name] {
			free[who.role] = append(free[who.role], who)
		}
	}
	audiences, artists, owners := free[roleAudience], free[roleArtist], free[roleOwner]
	if len(audiences) < 2 || len(artists) < 2 || len(owners) < 1 {
		return errors.New(usersTable + ": want two audiences, two artists and an owner who are in none of the lists of names")
	}
	t.testers = testers{audience: audiences[0], other: audiences[1], artist: artists[0], rival: artists[1], owner: owners[0]}
	return nil
}

// openDay is a day on which a venue is free in the morning and in the evening.
type openDay struct{ morning, evening timeslot }

// ground is what the checks before the load use of the initial data.
type ground struct {
	open      []openDay // of one venue, in the order of time
	elsewhere openDay   // at another venue, of another size if there is one

	// Timeslots that follow one another, but on two days, or at two venues.
	twoDays, twoVenues [2]timeslot
	three              [3]timeslot // of one venue
	taken              timeslot    // of an event
	artists            int64       // the id of an event of the first artist of the testers
}

func newGround(t *truth, now time.Time) (*ground, error) {
	if len(t.venues) < groundVenues {
		return nil, fmt.Errorf("%s: want %d venues or more", venuesTable, groundVenues)
	}
	g := new(ground)
	soon := now.Add(48 * time.Hour)
	venue := int64(len(t.venues))
	other := venue - 1
	if t.venues[other-1].capacity == t.venues[venue-1].capacity {
		other-- // so that a move shows
	}
	free := map[time.Time]timeslot{} // by start, at any venue
	byVenue := map[int64][]timeslot{}
	for _, s := range t.slots {
		byVenue[s.venue] = append(byVenue[s.venue], s)
	}
	for id := int64(1); id <= venue; id++ {
		slots := byVenue[id]
		slices.SortFunc(slots, func(a, b timeslot) int { return a.start.Compare(b.start) })
		for i, s := range slots {
			if s.event != 0 {
				continue
			}
			follows := s.end.Add(time.Second)
			if at, ok := free[follows]; ok && at.venue != s.venue && follows.Day() == s.start.Day() {
				g.twoVenues = [2]timeslot{s, at}
			}
			free[s.start] = s
			if i+1 == len(slots) || slots[i+1].event != 0 || !slots[i+1].start.Equal(follows) {
				continue
			}
			next := slots[i+1]
			switch day := (openDay{s, next}); {
			case next.start.Day() != s.start.Day():
				g.twoDays = [2]timeslot{s, next}
			case s.start.Before(soon):
			case id == venue:
				g.open = append(g.open, day)
			case id == other:
				g.elsewhere = day
			}
		}
	}
	for _, s := range t.slots {
		if s.event != 0 && s.start.After(soon) {
			g.taken = s
			break
		}
	}
	for _, e := range t.events {
		if e.artist == t.testers.artist.id {
			g.artists = e.id
			break
		}
	}
	if len(g.open) < openDays || g.elsewhere.morning.id == 0 || g.twoDays[0].id == 0 || g.twoVenues[0].id == 0 || g.taken.id == 0 || g.artists == 0 {
		return nil, errors.New(timeslotsTable + ": the last venues have too few free days to come, or no timeslot there is taken")
	}
	g.three = [3]timeslot{g.open[0].morning, g.open[0].evening, g.open[1].morning}
	return g, nil
}

// openDays is how many days at one venue the checks use.
const openDays = 3
