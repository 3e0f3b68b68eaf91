package main

import (
	"database/sql"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
)

var (
	errCredentials = refusal(http.StatusUnauthorized, "These credentials are not valid.")
	errForbidden   = refusal(http.StatusForbidden, "You are not allowed to do this.")
	errNotFound    = refusal(http.StatusNotFound, "There is no such thing here.")
	errMissing     = refusal(http.StatusBadRequest, "Something required is missing.")
	errTypes       = refusal(http.StatusBadRequest, "Something has the wrong type.")
	errLimits      = refusal(http.StatusBadRequest, "Something is out of bounds.")
	errUnavailable = refusal(http.StatusBadRequest, "What you chose is not available.")

	errNoLogin   = refusal(http.StatusBadRequest, "A username and a password are required.")
	errRole      = refusal(http.StatusBadRequest, "The role has to be audience or artist.")
	errNameTaken = refusal(http.StatusConflict, "Somebody has this name already.")
	errSlotTaken = refusal(http.StatusConflict, "A timeslot belongs to another event already.")
	errReserved  = refusal(http.StatusConflict, "You have a reservation for this event. Cancel it first to change it.")
	errSoldOut   = refusal(http.StatusConflict, "There are not enough tickets left.")
)

func refusal(status int, message string) error { return echo.NewHTTPError(status, message) }

type refused struct {
	Message string `json:"message"`
}

// answerError answers what a handler returned. Whatever is no refusal is our own
// fault, and nobody's business outside the log.
func answerError(err error, c echo.Context) {
	if c.Response().Committed {
		return
	}
	status, message := http.StatusInternalServerError, "Something went wrong on our side."
	var known *echo.HTTPError
	if errors.As(err, &known) {
		status = known.Code
		message = http.StatusText(status)
		if text, ok := known.Message.(string); ok {
			message = text
		}
	} else {
		c.Logger().Errorf("%s %s: %v", c.Request().Method, c.Request().URL.Path, err)
	}
	if err := c.JSON(status, refused{message}); err != nil {
		c.Logger().Error(err)
	}
}

// pathID is a number in the path.
func pathID(c echo.Context, name string) (int64, error) {
	id, err := strconv.ParseInt(c.Param(name), 10, 64)
	if err != nil {
		return 0, errTypes
	}
	return id, nil
}

// queryInt is a number in the query, or the fallback if it is not there.
func queryInt(c echo.Context, name string, fallback int64) (int64, error) {
	text := c.QueryParam(name)
	if text == "" {
		return fallback, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		return 0, errTypes
	}
	return n, nil
}

// paging is which part of a list was asked for.
func paging(c echo.Context, fallback int64) (limit, offset int64, err error) {
	if limit, err = queryInt(c, "limit", fallback); err != nil {
		return 0, 0, err
	}
	if offset, err = queryInt(c, "offset", 0); err != nil {
		return 0, 0, err
	}
	if limit < 0 || offset < 0 {
		return 0, 0, errLimits
	}
	return limit, offset, nil
}

// readBody decodes a body of JSON. An empty one leaves everything missing.
func readBody(c echo.Context, into any) error {
	err := json.NewDecoder(c.Request().Body).Decode(into)
	if err != nil && !errors.Is(err, io.EOF) {
		return errTypes
	}
	return nil
}

// found turns a query's lack of rows into 404.
func found(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return errNotFound
	}
	return err
}
