package main

import (
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"

	"github.com/labstack/echo/v4"
)

const imageType = "image/png"

// getImage is GET /api/events/:event_id/image.
func (a *app) getImage(c echo.Context) error {
	id, err := pathID(c, "event_id")
	if err != nil {
		return err
	}
	var image sql.NullString
	if err := a.db.GetContext(c.Request().Context(), &image, "SELECT image FROM events WHERE id = ?", id); err != nil {
		return found(err)
	}
	if !image.Valid {
		picture, err := os.ReadFile(filepath.Join(a.public, "img", "default.png"))
		if err != nil {
			return fmt.Errorf("read the default image: %w", err)
		}
		return c.Blob(http.StatusOK, imageType, picture)
	}
	picture, err := base64.StdEncoding.DecodeString(image.String)
	if err != nil {
		return fmt.Errorf("decode the image of event %d: %w", id, err)
	}
	return c.Blob(http.StatusOK, imageType, picture)
}

// putImage is PUT /api/events/:event_id/image.
func (a *app) putImage(c echo.Context) error {
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
	picture, err := readFile(c, "image")
	if err != nil {
		return err
	}
	if http.DetectContentType(picture) != imageType {
		return errLimits
	}
	_, err = a.db.ExecContext(ctx, "UPDATE events SET image = ? WHERE id = ?", base64.StdEncoding.EncodeToString(picture), id)
	if err != nil {
		return err
	}
	return c.NoContent(http.StatusNoContent)
}

// readFile reads a file of a multipart form.
func readFile(c echo.Context, field string) ([]byte, error) {
	header, err := c.FormFile(field)
	if errors.Is(err, http.ErrMissingFile) || errors.Is(err, http.ErrNotMultipart) || errors.Is(err, http.ErrMissingBoundary) {
		return nil, errMissing
	}
	if err != nil {
		return nil, errMissing.(*echo.HTTPError).WithInternal(err) // half a form
	}
	file, err := header.Open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(file)
}
