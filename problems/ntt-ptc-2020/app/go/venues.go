package main

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

type genre struct {
	ID   int64  `db:"id" json:"id"`
	Name string `db:"name" json:"name"`
}

type venue struct {
	ID        int64     `db:"id" json:"id"`
	Name      string    `db:"name" json:"name"`
	Capacity  int64     `db:"capacity" json:"capacity"`
	CreatedAt time.Time `db:"created_at" json:"created_at"`
	UpdatedAt time.Time `db:"updated_at" json:"updated_at"`
}

type timeslotRow struct {
	ID        int64     `db:"id" json:"id"`
	VenueID   int64     `db:"venue_id" json:"-"`
	EventID   *int64    `db:"event_id" json:"-"` // nil: free
	StartAt   time.Time `db:"start_at" json:"start_at"`
	EndAt     time.Time `db:"end_at" json:"end_at"`
	CreatedAt time.Time `db:"created_at" json:"created_at"`
	UpdatedAt time.Time `db:"updated_at" json:"updated_at"`
}

// getGenres is GET /api/genres.
func (a *app) getGenres(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	if who.role != roleArtist && who.role != roleOwner {
		return errForbidden
	}
	genres := []genre{}
	if err := a.db.SelectContext(c.Request().Context(), &genres, "SELECT id, name FROM eventgenres ORDER BY id"); err != nil {
		return err
	}
	return c.JSON(http.StatusOK, genres)
}

// getVenues is GET /api/venues.
func (a *app) getVenues(c echo.Context) error {
	if _, err := a.authenticate(c); err != nil {
		return err
	}
	limit, offset, err := paging(c, 5)
	if err != nil {
		return err
	}
	venues := []venue{}
	err = a.db.SelectContext(c.Request().Context(), &venues, "SELECT * FROM venues LIMIT ? OFFSET ?", limit, offset)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, venues)
}

// getTimeslots is GET /api/venues/:venue_id/timeslots: when the venue is free.
func (a *app) getTimeslots(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	id, err := pathID(c, "venue_id")
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	if _, err := a.venueByID(ctx, id); err != nil {
		return found(err)
	}
	if who.role != roleArtist && who.role != roleOwner {
		return errForbidden
	}
	now := time.Now().UTC()
	from, err := queryTime(c, "from", now)
	if err != nil {
		return err
	}
	to, err := queryTime(c, "to", endOfMonth(now))
	if err != nil {
		return err
	}
	slots := []timeslotRow{}
	err = a.db.SelectContext(ctx, &slots,
		"SELECT * FROM timeslots WHERE venue_id = ? AND event_id IS NULL AND ? <= start_at AND start_at <= ?", id, from, to)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, slots)
}

// queryTime is a time in the query, or the fallback if it is not there.
func queryTime(c echo.Context, name string, fallback time.Time) (time.Time, error) {
	text := c.QueryParam(name)
	if text == "" {
		return fallback, nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return time.Time{}, errTypes
	}
	return at.UTC(), nil
}

// endOfMonth is the last second of t's month.
func endOfMonth(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month()+1, 1, 0, 0, 0, 0, t.Location()).Add(-time.Second)
}

func (a *app) venueByID(ctx context.Context, id int64) (*venue, error) {
	var v venue
	return &v, a.db.GetContext(ctx, &v, "SELECT * FROM venues WHERE id = ?", id)
}
