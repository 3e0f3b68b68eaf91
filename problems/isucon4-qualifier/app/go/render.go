package main

import (
	"html/template"
	"io"
	"path/filepath"

	"github.com/labstack/echo/v4"
)

// renderer reads the templates anew for each page, so that an edit shows at once.
type renderer struct {
	dir string
}

func (r *renderer) Render(w io.Writer, name string, data any, _ echo.Context) error {
	page, err := template.ParseFiles(filepath.Join(r.dir, "layout.html"), filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	return page.ExecuteTemplate(w, "layout", data)
}
