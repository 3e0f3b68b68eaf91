package main

import (
	"errors"
	"net"
	"net/http"

	"github.com/labstack/echo/v4"
)

// What a refused visitor is told.
const (
	noticeBanned       = "You're banned."
	noticeLocked       = "This account is locked."
	noticeWrong        = "Wrong username or password"
	noticeMustBeLogged = "You must be logged in"
)

func (a *app) getIndex(c echo.Context) error {
	notice, err := a.takeNotice(c)
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "index.html", map[string]any{"Notice": notice})
}

func (a *app) postLogin(c echo.Context) error {
	r := c.Request()
	user, err := a.attemptLogin(r.Context(), r.PostFormValue("login"), r.PostFormValue("password"), clientAddress(r))
	switch {
	case err == nil:
		if err := a.signIn(c, user); err != nil {
			return err
		}
		return c.Redirect(http.StatusFound, "/mypage")
	case errors.Is(err, errBannedIP):
		return a.refuse(c, noticeBanned)
	case errors.Is(err, errLockedUser):
		return a.refuse(c, noticeLocked)
	case errors.Is(err, errWrongLogin):
		return a.refuse(c, noticeWrong)
	default:
		return err
	}
}

func (a *app) getMypage(c echo.Context) error {
	ctx := c.Request().Context()
	user, err := a.currentUser(c)
	if err != nil {
		return err
	}
	if user == nil {
		return a.refuse(c, noticeMustBeLogged)
	}
	last, err := a.lastLogin(ctx, user)
	if err != nil {
		return err
	}
	return c.Render(http.StatusOK, "mypage.html", map[string]any{"User": user, "LastLogin": last})
}

func (a *app) getReport(c echo.Context) error {
	ctx := c.Request().Context()
	banned, err := a.bannedIPs(ctx)
	if err != nil {
		return err
	}
	locked, err := a.lockedUsers(ctx)
	if err != nil {
		return err
	}
	return c.JSON(http.StatusOK, map[string][]string{
		"banned_ips":   banned,
		"locked_users": locked,
	})
}

// refuse leaves a notice for the login page and sends the visitor there.
func (a *app) refuse(c echo.Context, notice string) error {
	if err := a.leaveNotice(c, notice); err != nil {
		return err
	}
	return c.Redirect(http.StatusFound, "/")
}

// clientAddress is what bans go by: X-Forwarded-For exactly as the proxy passed
// it on, or, without a proxy, the peer.
func clientAddress(r *http.Request) string {
	if forwarded := r.Header.Get("X-Forwarded-For"); forwarded != "" {
		return forwarded
	}
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
