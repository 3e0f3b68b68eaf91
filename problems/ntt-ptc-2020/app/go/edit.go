package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

// maxSlots is how many timeslots an event may take.
const maxSlots = 2

// draft is an event as somebody wants it.
type draft struct {
	Name        string  `json:"event_name"`
	GenreID     int64   `json:"event_genre_id"`
	TimeslotIDs []int64 `json:"timeslot_ids"`
	Price       int64   `json:"price"`
	StartText   string  `json:"start_at"`
	EndText     string  `json:"end_at"`

	start, end time.Time
	venueID    int64 // that of the timeslots
}

// readDraft reads a draft and checks what can be told without the database.
func readDraft(c echo.Context) (*draft, error) {
	var d draft
	if err := readBody(c, &d); err != nil {
		return nil, err
	}
	if d.Name == "" || d.GenreID == 0 || len(d.TimeslotIDs) == 0 || d.Price == 0 || d.StartText == "" || d.EndText == "" {
		return nil, errMissing
	}
	for _, at := range []struct {
		text string
		into *time.Time
	}{{d.StartText, &d.start}, {d.EndText, &d.end}} {
		parsed, err := time.Parse(time.RFC3339, at.text)
		if err != nil {
			return nil, errTypes
		}
		*at.into = parsed.UTC().Truncate(time.Second)
	}
	if len(d.TimeslotIDs) > maxSlots || d.Price < 0 {
		return nil, errLimits
	}
	return &d, nil
}

// check looks up genre and timeslots, and whether the event fits in.
func (a *app) check(ctx context.Context, d *draft) error {
	var genreID int64
	err := a.db.GetContext(ctx, &genreID, "SELECT id FROM eventgenres WHERE id = ?", d.GenreID)
	if errors.Is(err, sql.ErrNoRows) {
		return errUnavailable
	}
	if err != nil {
		return err
	}
	var slots []timeslotRow
	for _, id := range d.TimeslotIDs {
		var slot timeslotRow
		err := a.db.GetContext(ctx, &slot, "SELECT * FROM timeslots WHERE id = ?", id)
		if errors.Is(err, sql.ErrNoRows) {
			return errUnavailable
		}
		if err != nil {
			return err
		}
		slots = append(slots, slot)
	}
	if !fits(d.start, d.end, slots) {
		return errUnavailable
	}
	d.venueID = slots[0].VenueID
	return nil
}

// fits tells whether the timeslots follow one another at one venue on one day,
// and whether an event from start to end lies inside.
func fits(start, end time.Time, slots []timeslotRow) bool {
	slices.SortFunc(slots, func(a, b timeslotRow) int { return a.StartAt.Compare(b.StartAt) })
	first, last := slots[0], slots[len(slots)-1]
	for i, slot := range slots {
		if slot.VenueID != first.VenueID || !day(slot.StartAt).Equal(day(first.StartAt)) {
			return false
		}
		if i > 0 && !slots[i-1].EndAt.Add(time.Second).Equal(slot.StartAt) {
			return false
		}
	}
	return start.Before(end) && !start.Before(first.StartAt) && !end.After(last.EndAt)
}

func day(t time.Time) time.Time { return t.Truncate(24 * time.Hour) }

// createEvent is POST /api/events.
func (a *app) createEvent(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	if who.role != roleArtist {
		return errForbidden
	}
	d, err := readDraft(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	artist, err := a.userOf(ctx, who)
	if err != nil {
		return err
	}
	if err := a.check(ctx, d); err != nil {
		return err
	}
	var id int64
	err = a.inTransaction(ctx, func(tx *sqlx.Tx) error {
		result, err := tx.ExecContext(ctx,
			"INSERT INTO events (user_id, venue_id, eventgenre_id, name, start_at, end_at, price) VALUES (?, ?, ?, ?, ?, ?, ?)",
			artist.ID, d.venueID, d.GenreID, d.Name, d.start, d.end, d.Price)
		if err != nil {
			return err
		}
		if id, err = result.LastInsertId(); err != nil {
			return err
		}
		return takeSlots(ctx, tx, id, d.TimeslotIDs)
	})
	if err != nil {
		return err
	}
	return a.answerEvent(c, http.StatusCreated, id)
}

// updateEvent is PUT /api/events/:event_id.
func (a *app) updateEvent(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	id, err := pathID(c, "event_id")
	if err != nil {
		return err
	}
	d, err := readDraft(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	row, err := a.eventByID(ctx, id)
	if err != nil {
		return found(err)
	}
	if err := a.mayEdit(ctx, who, row); err != nil {
		return err
	}
	if err := a.check(ctx, d); err != nil {
		return err
	}
	err = a.inTransaction(ctx, func(tx *sqlx.Tx) error {
		if _, err := tx.ExecContext(ctx, "UPDATE timeslots SET event_id = NULL WHERE event_id = ?", id); err != nil {
			return err
		}
		if err := takeSlots(ctx, tx, id, d.TimeslotIDs); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx,
			"UPDATE events SET venue_id = ?, eventgenre_id = ?, name = ?, start_at = ?, end_at = ?, price = ? WHERE id = ?",
			d.venueID, d.GenreID, d.Name, d.start, d.end, d.Price, id)
		return err
	})
	if err != nil {
		return err
	}
	return a.answerEvent(c, http.StatusOK, id)
}

// takeSlots gives free timeslots to an event.
func takeSlots(ctx context.Context, tx *sqlx.Tx, event int64, ids []int64) error {
	for _, id := range ids {
		var slot timeslotRow
		if err := tx.GetContext(ctx, &slot, "SELECT * FROM timeslots WHERE id = ? FOR UPDATE", id); err != nil {
			return err
		}
		if slot.EventID != nil {
			return errSlotTaken
		}
		if _, err := tx.ExecContext(ctx, "UPDATE timeslots SET event_id = ? WHERE id = ?", event, id); err != nil {
			return err
		}
	}
	return nil
}

func (a *app) inTransaction(ctx context.Context, do func(*sqlx.Tx) error) error {
	tx, err := a.db.BeginTxx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing is left to undo after Commit
	if err := do(tx); err != nil {
		return err
	}
	return tx.Commit()
}
