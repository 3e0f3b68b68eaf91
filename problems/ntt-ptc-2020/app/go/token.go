package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/labstack/echo/v4"
)

const tokenLife = time.Hour

// Roles that a token may name.
const (
	roleAudience = "audience"
	roleArtist   = "artist"
	roleOwner    = "owner"
)

type claims struct {
	Username string `json:"username"`
	Role     string `json:"role"`
	jwt.RegisteredClaims
}

// caller is who sent a request, as their token says.
type caller struct {
	username, role, token string
}

// sign makes a token for an hour.
func (a *app) sign(u *userRow) (string, error) {
	now := time.Now()
	return jwt.NewWithClaims(jwt.SigningMethodHS256, claims{u.Username, u.Role, jwt.RegisteredClaims{
		IssuedAt:  jwt.NewNumericDate(now),
		ExpiresAt: jwt.NewNumericDate(now.Add(tokenLife)),
	}}).SignedString(a.key)
}

// authenticate tells who sent the request.
func (a *app) authenticate(c echo.Context) (*caller, error) {
	token, ok := strings.CutPrefix(c.Request().Header.Get(echo.HeaderAuthorization), "Bearer ")
	if !ok {
		return nil, errCredentials
	}
	var says claims
	_, err := jwt.ParseWithClaims(token, &says, func(*jwt.Token) (any, error) { return a.key, nil },
		jwt.WithValidMethods([]string{"HS256"}))
	if err != nil {
		return nil, errCredentials
	}
	revoked, err := a.revoked.has(token)
	if err != nil {
		return nil, err
	}
	if revoked {
		return nil, errCredentials
	}
	if says.Username == "" || says.Role == "" || says.ExpiresAt == nil {
		return nil, errMissing
	}
	return &caller{says.Username, says.Role, token}, nil
}

// revocationList is the file of tokens that no longer count, one a line.
type revocationList struct {
	mu   sync.Mutex
	path string
}

// has tells whether a token is in the file.
func (l *revocationList) has(token string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.scan(token)
}

// add puts a token into the file. It tells whether the token was not there yet.
func (l *revocationList) add(token string) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if known, err := l.scan(token); known || err != nil {
		return false, err
	}
	file, err := os.OpenFile(l.path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return false, fmt.Errorf("open the revocation list: %w", err)
	}
	if _, err := file.WriteString(token + "\n"); err != nil {
		file.Close()
		return false, fmt.Errorf("write the revocation list: %w", err)
	}
	return true, file.Close()
}

// scan looks for a token line by line.
func (l *revocationList) scan(token string) (bool, error) {
	file, err := os.Open(l.path)
	if err != nil {
		return false, fmt.Errorf("open the revocation list: %w", err)
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		if string(lines.Bytes()) == token {
			return true, nil
		}
	}
	return false, lines.Err()
}
