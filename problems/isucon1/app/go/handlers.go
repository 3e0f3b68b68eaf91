package main

import (
	"database/sql"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"
)

func (a *app) getIndex(c echo.Context) error {
	articles, err := a.newestArticles(c.Request().Context())
	if err != nil {
		return err
	}
	return a.page(c, "index.html", map[string]any{"Articles": articles})
}

func (a *app) getArticle(c echo.Context) error {
	ctx := c.Request().Context()
	id, err := articleID(c)
	if err != nil {
		return err
	}
	article, err := a.article(ctx, id)
	if errors.Is(err, sql.ErrNoRows) {
		return echo.ErrNotFound
	}
	if err != nil {
		return err
	}
	comments, err := a.comments(ctx, id)
	if err != nil {
		return err
	}
	return a.page(c, "article.html", map[string]any{"Article": article, "Comments": comments})
}

func (a *app) getPost(c echo.Context) error {
	return a.page(c, "post.html", map[string]any{})
}

// page renders a page with what stands on every one of them.
func (a *app) page(c echo.Context, name string, data map[string]any) error {
	recent, err := a.recentlyCommented(c.Request().Context())
	if err != nil {
		return err
	}
	data["Sidebar"] = recent
	return c.Render(http.StatusOK, name, data)
}

func (a *app) postArticle(c echo.Context) error {
	r := c.Request()
	if err := a.addArticle(r.Context(), r.PostFormValue("title"), r.PostFormValue("body")); err != nil {
		return err
	}
	return c.Redirect(http.StatusFound, "/")
}

func (a *app) postComment(c echo.Context) error {
	id, err := articleID(c)
	if err != nil {
		return err
	}
	r := c.Request()
	if err := a.addComment(r.Context(), id, r.PostFormValue("name"), r.PostFormValue("body")); err != nil {
		return err
	}
	return c.Redirect(http.StatusFound, fmt.Sprintf("/article/%d", id))
}

func articleID(c echo.Context) (int, error) {
	id, err := strconv.Atoi(c.Param("id"))
	if err != nil {
		return 0, echo.ErrNotFound
	}
	return id, nil
}
