package main

import (
	"html/template"
	"io"
	"path/filepath"
	"strings"

	"github.com/labstack/echo/v4"
)

// renderer reads the templates anew for each page, so that an edit shows at once.
type renderer struct {
	dir string
}

func (r *renderer) Render(w io.Writer, name string, data any, _ echo.Context) error {
	page, err := template.New("").Funcs(template.FuncMap{"lines": lines, "opening": opening}).
		ParseFiles(filepath.Join(r.dir, "layout.html"), filepath.Join(r.dir, name))
	if err != nil {
		return err
	}
	return page.ExecuteTemplate(w, "layout", data)
}

// lines splits a text for showing. Each line ends in a newline, the last one
// may do without.
func lines(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(text, "\n"), "\n")
}

// openingLines is how much of an article the index shows.
const openingLines = 8

// excerpt is the beginning of an article.
type excerpt struct {
	Lines []string
	Cut   bool // there is more
}

func opening(text string) excerpt {
	all := lines(text)
	shown := min(len(all), openingLines)
	return excerpt{Lines: all[:shown], Cut: shown < len(all)}
}
