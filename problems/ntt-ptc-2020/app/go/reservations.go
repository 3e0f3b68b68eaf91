package main

import (
	"context"
	"database/sql"
	"errors"
	"net/http"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

type reservationRow struct {
	ID        int64     `db:"id"`
	UserID    int64     `db:"user_id"`
	EventID   int64     `db:"event_id"`
	NumOfResv int64     `db:"num_of_resv"`
	CreatedAt time.Time `db:"created_at"`
	UpdatedAt time.Time `db:"updated_at"`
}

type reservation struct {
	ID           int64     `json:"id"`
	UserID       int64     `json:"user_id"`
	Username     string    `json:"username"`
	EventID      int64     `json:"event_id"`
	EventName    string    `json:"event_name"`
	EventPrice   int64     `json:"event_price"`
	EventStartAt time.Time `json:"event_start_at"`
	EventEndAt   time.Time `json:"event_end_at"`
	VenueName    string    `json:"venue_name"`
	NumOfResv    int64     `json:"num_of_resv"`
	CreatedAt    time.Time `json:"created_at"`
	UpdatedAt    time.Time `json:"updated_at"`
}

// tickets is how many tickets are reserved together.
func tickets(reservations []reservationRow) int64 {
	var sum int64
	for _, r := range reservations {
		sum += r.NumOfResv
	}
	return sum
}

// getUserReservations is GET /api/users/:user_id/reservations.
func (a *app) getUserReservations(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	id, err := pathID(c, "user_id")
	if err != nil {
		return err
	}
	u, err := a.userByID(c.Request().Context(), id)
	if err != nil {
		return found(err)
	}
	if who.role != roleOwner && (who.role != roleAudience || who.username != u.Username) {
		return errForbidden
	}
	limit, offset, err := paging(c, 5)
	if err != nil {
		return err
	}
	return a.answerReservations(c, "SELECT * FROM reservations WHERE user_id = ? LIMIT ? OFFSET ?", id, limit, offset)
}

// getEventReservations is GET /api/events/:event_id/reservations.
func (a *app) getEventReservations(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	id, err := pathID(c, "event_id")
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
	limit, offset, err := paging(c, 10)
	if err != nil {
		return err
	}
	return a.answerReservations(c, "SELECT * FROM reservations WHERE event_id = ? LIMIT ? OFFSET ?", id, limit, offset)
}

func (a *app) answerReservations(c echo.Context, query string, args ...any) error {
	ctx := c.Request().Context()
	var rows []reservationRow
	if err := a.db.SelectContext(ctx, &rows, query, args...); err != nil {
		return err
	}
	reservations := []reservation{}
	for _, row := range rows {
		r, err := a.describeReservation(ctx, &row)
		if err != nil {
			return err
		}
		reservations = append(reservations, *r)
	}
	return c.JSON(http.StatusOK, reservations)
}

// describeReservation adds who reserved what, and where.
func (a *app) describeReservation(ctx context.Context, row *reservationRow) (*reservation, error) {
	u, err := a.userByID(ctx, row.UserID)
	if err != nil {
		return nil, err
	}
	e, err := a.eventByID(ctx, row.EventID)
	if err != nil {
		return nil, err
	}
	v, err := a.venueByID(ctx, e.VenueID)
	if err != nil {
		return nil, err
	}
	return &reservation{
		ID: row.ID, UserID: row.UserID, Username: u.Username,
		EventID: row.EventID, EventName: e.Name, EventPrice: e.Price, EventStartAt: e.StartAt, EventEndAt: e.EndAt,
		VenueName: v.Name, NumOfResv: row.NumOfResv, CreatedAt: row.CreatedAt, UpdatedAt: row.UpdatedAt,
	}, nil
}

// reserve is POST /api/events/:event_id/reservations.
func (a *app) reserve(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	id, err := pathID(c, "event_id")
	if err != nil {
		return err
	}
	if who.role != roleAudience {
		return errForbidden
	}
	var body struct {
		NumOfResv *int64 `json:"num_of_resv"`
	}
	if err := readBody(c, &body); err != nil {
		return err
	}
	if body.NumOfResv == nil {
		return errMissing
	}
	if *body.NumOfResv < 1 {
		return errLimits
	}
	ctx := c.Request().Context()
	e, err := a.eventByID(ctx, id)
	if err != nil {
		return found(err)
	}
	v, err := a.venueByID(ctx, e.VenueID)
	if err != nil {
		return err
	}
	u, err := a.userOf(ctx, who)
	if err != nil {
		return err
	}
	row, err := a.insertReservation(ctx, u.ID, e.ID, *body.NumOfResv, v.Capacity)
	if err != nil {
		return err
	}
	r, err := a.describeReservation(ctx, row)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, r)
}

// insertReservation reserves tickets while nobody else can.
func (a *app) insertReservation(ctx context.Context, user, event, wanted, capacity int64) (_ *reservationRow, err error) {
	conn, err := a.db.Connx(ctx)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if _, err := conn.ExecContext(ctx, "LOCK TABLES reservations WRITE"); err != nil {
		return nil, err
	}
	defer func() {
		// Also if the client has gone: the connection will serve others.
		_, unlocked := conn.ExecContext(context.WithoutCancel(ctx), "UNLOCK TABLES")
		err = errors.Join(err, unlocked)
	}()
	return insertLocked(ctx, conn, user, event, wanted, capacity)
}

func insertLocked(ctx context.Context, conn *sqlx.Conn, user, event, wanted, capacity int64) (*reservationRow, error) {
	var row reservationRow
	err := conn.GetContext(ctx, &row, "SELECT * FROM reservations WHERE user_id = ? AND event_id = ?", user, event)
	if err == nil {
		return nil, errReserved
	}
	if !errors.Is(err, sql.ErrNoRows) {
		return nil, err
	}
	var others []reservationRow
	if err := conn.SelectContext(ctx, &others, "SELECT num_of_resv FROM reservations WHERE event_id = ?", event); err != nil {
		return nil, err
	}
	if wanted > capacity-tickets(others) {
		return nil, errSoldOut
	}
	result, err := conn.ExecContext(ctx,
		"INSERT INTO reservations (user_id, event_id, num_of_resv) VALUES (?, ?, ?)", user, event, wanted)
	if err != nil {
		return nil, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return nil, err
	}
	return &row, conn.GetContext(ctx, &row, "SELECT * FROM reservations WHERE id = ?", id)
}

// getReservation is GET /api/reservations/:id.
func (a *app) getReservation(c echo.Context) error {
	row, err := a.reservationOf(c)
	if err != nil {
		return err
	}
	r, err := a.describeReservation(c.Request().Context(), row)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, r)
}

// cancelReservation is DELETE /api/reservations/:id.
func (a *app) cancelReservation(c echo.Context) error {
	row, err := a.reservationOf(c)
	if err != nil {
		return err
	}
	result, err := a.db.ExecContext(c.Request().Context(), "DELETE FROM reservations WHERE id = ?", row.ID)
	if err != nil {
		return err
	}
	gone, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if gone == 0 {
		return errNotFound // somebody was faster
	}
	return c.NoContent(http.StatusNoContent)
}

// reservationOf is the reservation in the path, if the caller may see it.
func (a *app) reservationOf(c echo.Context) (*reservationRow, error) {
	who, err := a.authenticate(c)
	if err != nil {
		return nil, err
	}
	id, err := pathID(c, "id")
	if err != nil {
		return nil, err
	}
	ctx := c.Request().Context()
	var row reservationRow
	if err := a.db.GetContext(ctx, &row, "SELECT * FROM reservations WHERE id = ?", id); err != nil {
		return nil, found(err)
	}
	switch who.role {
	case roleOwner:
		return &row, nil
	case roleAudience:
		u, err := a.userOf(ctx, who)
		if err != nil {
			return nil, err
		}
		if u.ID == row.UserID {
			return &row, nil
		}
	}
	return nil, errForbidden
}
