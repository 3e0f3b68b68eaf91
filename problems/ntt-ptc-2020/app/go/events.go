package main

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

// eventColumns are those of eventRow: all but the image.
const eventColumns = "id, user_id, venue_id, eventgenre_id, name, start_at, end_at, price, created_at, updated_at"

type eventRow struct {
	ID        int64     `db:"id"`
	UserID    int64     `db:"user_id"` // the artist
	VenueID   int64     `db:"venue_id"`
	GenreID   int64     `db:"eventgenre_id"`
	Name      string    `db:"name"`
	StartAt   time.Time `db:"start_at"`
	EndAt     time.Time `db:"end_at"`
	Price     int64     `db:"price"`
	CreatedAt time.Time `db:"created_at"`
	UpdatedAt time.Time `db:"updated_at"`
}

type event struct {
	ID          int64     `json:"id"`
	Name        string    `json:"event_name"`
	GenreID     int64     `json:"event_genre_id"`
	ArtistID    int64     `json:"artist_id"`
	ArtistName  string    `json:"artist_name"`
	VenueID     int64     `json:"venue_id"`
	VenueName   string    `json:"venue_name"`
	StartAt     time.Time `json:"start_at"`
	EndAt       time.Time `json:"end_at"`
	Price       int64     `json:"price"`
	TimeslotIDs []int64   `json:"timeslot_ids"`
	CreatedAt   time.Time `json:"created_at"`
	UpdatedAt   time.Time `json:"updated_at"`
	Capacity    int64     `json:"capacity"`     // of the venue
	CurrentResv int64     `json:"current_resv"` // tickets that are reserved
}

// getEvents is GET /api/events: what takes place from today on.
func (a *app) getEvents(c echo.Context) error {
	artist, err := queryInt(c, "user_id", 0)
	if err != nil {
		return err
	}
	limit, offset, err := paging(c, 12)
	if err != nil {
		return err
	}
	query := "SELECT " + eventColumns + " FROM events WHERE start_at >= ?"
	args := []any{time.Now().UTC().Truncate(24 * time.Hour)}
	if artist != 0 {
		query += " AND user_id = ?"
		args = append(args, artist)
	}
	ctx := c.Request().Context()
	var rows []eventRow
	if err := a.db.SelectContext(ctx, &rows, query+" LIMIT ? OFFSET ?", append(args, limit, offset)...); err != nil {
		return err
	}
	events := []event{}
	for _, row := range rows {
		e, err := a.describe(ctx, &row)
		if err != nil {
			return err
		}
		events = append(events, *e)
	}
	return c.JSON(http.StatusOK, events)
}

// getEvent is GET /api/events/:event_id.
func (a *app) getEvent(c echo.Context) error {
	id, err := pathID(c, "event_id")
	if err != nil {
		return err
	}
	return a.answerEvent(c, http.StatusOK, id)
}

func (a *app) answerEvent(c echo.Context, status int, id int64) error {
	ctx := c.Request().Context()
	row, err := a.eventByID(ctx, id)
	if err != nil {
		return found(err)
	}
	e, err := a.describe(ctx, row)
	if err != nil {
		return err
	}
	return c.JSON(status, e)
}

func (a *app) eventByID(ctx context.Context, id int64) (*eventRow, error) {
	var row eventRow
	return &row, a.db.GetContext(ctx, &row, "SELECT "+eventColumns+" FROM events WHERE id = ?", id)
}

// describe adds everything that belongs to an event but is kept elsewhere.
func (a *app) describe(ctx context.Context, row *eventRow) (*event, error) {
	artist, err := a.userByID(ctx, row.UserID)
	if err != nil {
		return nil, err
	}
	venue, err := a.venueByID(ctx, row.VenueID)
	if err != nil {
		return nil, err
	}
	var reservations []reservationRow
	if err := a.db.SelectContext(ctx, &reservations, "SELECT num_of_resv FROM reservations WHERE event_id = ?", row.ID); err != nil {
		return nil, err
	}
	var slots []timeslotRow
	if err := a.db.SelectContext(ctx, &slots, "SELECT * FROM timeslots WHERE event_id = ?", row.ID); err != nil {
		return nil, err
	}
	ids := []int64{}
	for _, slot := range slots {
		ids = append(ids, slot.ID)
	}
	return &event{
		ID: row.ID, Name: row.Name, GenreID: row.GenreID,
		ArtistID: row.UserID, ArtistName: artist.Username,
		VenueID: row.VenueID, VenueName: venue.Name, Capacity: venue.Capacity,
		StartAt: row.StartAt, EndAt: row.EndAt, Price: row.Price, TimeslotIDs: ids,
		CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
		CurrentResv: tickets(reservations),
	}, nil
}

// mayEdit tells whether an event is the caller's own, or the caller an owner.
func (a *app) mayEdit(ctx context.Context, who *caller, row *eventRow) error {
	switch who.role {
	case roleOwner:
		return nil
	case roleArtist:
		u, err := a.userOf(ctx, who)
		if err != nil {
			return err
		}
		if u.ID == row.UserID {
			return nil
		}
	}
	return errForbidden
}
