package main

import (
	"net/http"
	"strconv"

	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
)

const sessionName = "isucon_go_session"

func newSessionStore(secret string) sessions.Store {
	store := sessions.NewCookieStore([]byte(secret))
	store.Options = &sessions.Options{
		Path:   "/",
		MaxAge: 30 * 24 * 60 * 60, // seconds
	}
	return store
}

// session is the visitor's session; a cookie that is missing or not ours makes
// a fresh one.
func (a *app) session(r *http.Request) *sessions.Session {
	session, _ := a.sessions.Get(r, sessionName)
	return session
}

func (a *app) signIn(c echo.Context, user *User) error {
	session := a.session(c.Request())
	session.Values["user_id"] = strconv.Itoa(user.ID)
	return session.Save(c.Request(), c.Response())
}

// currentUser is the customer who is logged in; nil if there is none.
func (a *app) currentUser(c echo.Context) (*User, error) {
	id, ok := a.session(c.Request()).Values["user_id"].(string)
	if !ok {
		return nil, nil
	}
	return a.findUser(c.Request().Context(),
		"SELECT id, login, password_hash, salt FROM users WHERE id = ?", id)
}

func (a *app) leaveNotice(c echo.Context, notice string) error {
	session := a.session(c.Request())
	session.Values["notice"] = notice
	return session.Save(c.Request(), c.Response())
}

// takeNotice gives the pending notice, which is shown only once.
func (a *app) takeNotice(c echo.Context) (string, error) {
	session := a.session(c.Request())
	notice, _ := session.Values["notice"].(string)
	delete(session.Values, "notice")
	return notice, session.Save(c.Request(), c.Response())
}
