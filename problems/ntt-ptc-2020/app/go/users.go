package main

import (
	"context"
	"crypto/rand"
	"crypto/sha3"
	"database/sql"
	"encoding/hex"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"
)

type userRow struct {
	ID           int64     `db:"id"`
	Username     string    `db:"username"`
	Role         string    `db:"role"`
	PasswordHash string    `db:"password_hash"`
	Salt         string    `db:"salt"`
	CreatedAt    time.Time `db:"created_at"`
	UpdatedAt    time.Time `db:"updated_at"`
}

type user struct {
	ID       int64  `json:"user_id"`
	Username string `json:"username"`
	Role     string `json:"role"`
}

// hashRounds is how often a password is hashed.
const hashRounds = 100

func hashPassword(password, salt string) string {
	s := password + salt
	for range hashRounds {
		sum := sha3.Sum512([]byte(s))
		s = hex.EncodeToString(sum[:])
	}
	return s
}

// login is POST /api/login.
func (a *app) login(c echo.Context) error {
	var body struct {
		Username string `json:"username"`
		Password string `json:"password"`
	}
	if err := readBody(c, &body); err != nil {
		return err
	}
	if body.Username == "" || body.Password == "" {
		return errNoLogin
	}

	// Nobody logs in while somebody logs out.
	a.revoked.mu.Lock()
	defer a.revoked.mu.Unlock()
	u, err := a.userByName(c.Request().Context(), body.Username)
	if errors.Is(err, sql.ErrNoRows) {
		return errCredentials
	}
	if err != nil {
		return err
	}
	if hashPassword(body.Password, u.Salt) != u.PasswordHash {
		return errCredentials
	}
	token, err := a.sign(u)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, struct {
		UserID      int64  `json:"user_id"`
		AccessToken string `json:"access_token"`
	}{u.ID, token})
}

// logout is POST /api/logout: the token no longer counts.
func (a *app) logout(c echo.Context) error {
	who, err := a.authenticate(c)
	if err != nil {
		return err
	}
	first, err := a.revoked.add(who.token)
	if err != nil {
		return err
	}
	if !first {
		return errCredentials // logged out twice at the same time
	}
	return c.JSON(http.StatusOK, "")
}

// signUp is POST /api/users.
func (a *app) signUp(c echo.Context) error {
	var body struct {
		Username string `json:"username"`
		Password string `json:"password"`
		Role     string `json:"role"`
	}
	if err := readBody(c, &body); err != nil {
		return err
	}
	if body.Username == "" || body.Password == "" {
		return errMissing
	}
	if body.Role != roleAudience && body.Role != roleArtist {
		return errRole
	}

	a.signups.Lock()
	defer a.signups.Unlock()
	ctx := c.Request().Context()
	switch _, err := a.userByName(ctx, body.Username); {
	case err == nil:
		return errNameTaken
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	salt := newSalt()
	result, err := a.db.ExecContext(ctx, "INSERT INTO users (username, role, password_hash, salt) VALUES (?, ?, ?, ?)",
		body.Username, body.Role, hashPassword(body.Password, salt), salt)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	return c.JSON(http.StatusCreated, user{id, body.Username, body.Role})
}

func newSalt() string {
	var salt [64]byte
	rand.Read(salt[:]) // ends the program rather than to return an error
	return hex.EncodeToString(salt[:])
}

// getUser is GET /api/users/:user_id.
func (a *app) getUser(c echo.Context) error {
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
	if who.role != roleOwner && who.username != u.Username {
		return errForbidden
	}
	return c.JSON(http.StatusOK, user{u.ID, u.Username, u.Role})
}

func (a *app) userByID(ctx context.Context, id int64) (*userRow, error) {
	var u userRow
	return &u, a.db.GetContext(ctx, &u, "SELECT * FROM users WHERE id = ?", id)
}

// userByName finds the first user of that name.
func (a *app) userByName(ctx context.Context, name string) (*userRow, error) {
	var u userRow
	return &u, a.db.GetContext(ctx, &u, "SELECT * FROM users WHERE username = ? ORDER BY id LIMIT 1", name)
}

// userOf is the row of who sent the request.
func (a *app) userOf(ctx context.Context, who *caller) (*userRow, error) {
	u, err := a.userByName(ctx, who.username)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, errCredentials // signed up before the last initialization
	}
	return u, err
}
