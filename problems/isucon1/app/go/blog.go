package main

import (
	"context"
	"database/sql"
)

type article struct {
	ID        int
	Title     string
	Body      string
	CreatedAt string
}

type comment struct {
	Name      sql.NullString
	Body      string
	CreatedAt string
}

// recentlyCommented gives id and title of the ten articles with the newest
// comments.
func (a *app) recentlyCommented(ctx context.Context) ([]article, error) {
	rows, err := a.db.QueryContext(ctx, `
		SELECT a.id, a.title FROM comment c INNER JOIN article a ON c.article = a.id
		GROUP BY a.id ORDER BY MAX(c.created_at) DESC LIMIT 10`)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var recent []article
	for rows.Next() {
		var entry article
		if err := rows.Scan(&entry.ID, &entry.Title); err != nil {
			return nil, err
		}
		recent = append(recent, entry)
	}
	return recent, rows.Err()
}

func (a *app) newestArticles(ctx context.Context) ([]article, error) {
	rows, err := a.db.QueryContext(ctx, "SELECT id, title, body, created_at FROM article ORDER BY id DESC LIMIT 10")
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var newest []article
	for rows.Next() {
		var one article
		if err := rows.Scan(&one.ID, &one.Title, &one.Body, &one.CreatedAt); err != nil {
			return nil, err
		}
		newest = append(newest, one)
	}
	return newest, rows.Err()
}

func (a *app) article(ctx context.Context, id int) (article, error) {
	one := article{ID: id}
	row := a.db.QueryRowContext(ctx, "SELECT title, body, created_at FROM article WHERE id = ?", id)
	err := row.Scan(&one.Title, &one.Body, &one.CreatedAt)
	return one, err
}

func (a *app) comments(ctx context.Context, id int) ([]comment, error) {
	rows, err := a.db.QueryContext(ctx, "SELECT name, body, created_at FROM comment WHERE article = ? ORDER BY id", id)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var all []comment
	for rows.Next() {
		var one comment
		if err := rows.Scan(&one.Name, &one.Body, &one.CreatedAt); err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, rows.Err()
}

// addArticle and addComment finish what they began: a visitor who hangs up has
// posted all the same.
func (a *app) addArticle(ctx context.Context, title, body string) error {
	_, err := a.db.ExecContext(context.WithoutCancel(ctx), "INSERT INTO article (title, body) VALUES (?, ?)", title, body)
	return err
}

func (a *app) addComment(ctx context.Context, id int, name, body string) error {
	_, err := a.db.ExecContext(context.WithoutCancel(ctx), "INSERT INTO comment (article, name, body) VALUES (?, ?, ?)", id, name, body)
	return err
}
