package main

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"time"
)

// Why an attempt was refused.
var (
	errBannedIP   = errors.New("address is banned")
	errLockedUser = errors.New("account is locked")
	errWrongLogin = errors.New("wrong login name or password")
)

// User is a row of the users table.
type User struct {
	ID           int
	Login        string
	PasswordHash string
	Salt         string
}

// LastLogin is the login that a customer is shown.
type LastLogin struct {
	At time.Time
	IP string
}

// attemptLogin decides about one attempt and records it, whatever comes out.
func (a *app) attemptLogin(ctx context.Context, login, password, ip string) (*User, error) {
	// Whoever hangs up early does not get a guess for nothing.
	ctx = context.WithoutCancel(ctx)

	user, refusal, err := a.judge(ctx, login, password, ip)
	if err != nil {
		return nil, err
	}

	var userID sql.NullInt64
	if user != nil {
		userID = sql.NullInt64{Int64: int64(user.ID), Valid: true}
	}
	_, err = a.db.ExecContext(ctx,
		"INSERT INTO login_log (created_at, user_id, login, ip, succeeded) VALUES (?, ?, ?, ?, ?)",
		time.Now(), userID, login, ip, refusal == nil)
	if err != nil {
		return nil, err
	}
	return user, refusal
}

// judge applies the rules in their order: ban, lock, password. The user is
// returned with a refusal too, if there is one of that name; err is a failure
// to find out.
func (a *app) judge(ctx context.Context, login, password, ip string) (user *User, refusal, err error) {
	user, err = a.findUser(ctx, "SELECT id, login, password_hash, salt FROM users WHERE login = ?", login)
	if err != nil {
		return nil, nil, err
	}

	failures, err := a.ipFailures(ctx, ip)
	if err != nil {
		return nil, nil, err
	}
	if failures >= a.ipBanThreshold {
		return user, errBannedIP, nil
	}

	if user == nil {
		return nil, errWrongLogin, nil
	}
	failures, err = a.userFailures(ctx, user.ID)
	if err != nil {
		return nil, nil, err
	}
	if failures >= a.userLockThreshold {
		return user, errLockedUser, nil
	}

	if hashPassword(password, user.Salt) != user.PasswordHash {
		return user, errWrongLogin, nil
	}
	return user, nil, nil
}

// ipFailures counts the attempts from an address since its last success.
func (a *app) ipFailures(ctx context.Context, ip string) (int, error) {
	var failures int
	err := a.db.QueryRowContext(ctx,
		`SELECT COUNT(*) FROM login_log
		WHERE ip = ? AND id > COALESCE(
			(SELECT MAX(id) FROM login_log WHERE ip = ? AND succeeded = 1), 0)`,
		ip, ip).Scan(&failures)
	return failures, err
}

// userFailures counts the attempts on an account since its last success.
func (a *app) userFailures(ctx context.Context, userID int) (int, error) {
	var failures int
	err := a.db.QueryRowContext(ctx,
		`SELECT COUNT(*) FROM login_log
		WHERE user_id = ? AND id > COALESCE(
			(SELECT MAX(id) FROM login_log WHERE user_id = ? AND succeeded = 1), 0)`,
		userID, userID).Scan(&failures)
	return failures, err
}

// lastLogin is the login before the current one, or the current one if it is
// the customer's first; nil if the log knows of none.
func (a *app) lastLogin(ctx context.Context, user *User) (*LastLogin, error) {
	rows, err := a.db.QueryContext(ctx,
		"SELECT created_at, ip FROM login_log WHERE user_id = ? AND succeeded = 1 ORDER BY id DESC LIMIT 2",
		user.ID)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var last *LastLogin
	for rows.Next() {
		last = &LastLogin{}
		if err := rows.Scan(&last.At, &last.IP); err != nil {
			return nil, err
		}
	}
	return last, rows.Err()
}

// findUser runs a query for one user; nil if there is none.
func (a *app) findUser(ctx context.Context, query string, args ...any) (*User, error) {
	var user User
	err := a.db.QueryRowContext(ctx, query, args...).
		Scan(&user.ID, &user.Login, &user.PasswordHash, &user.Salt)
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &user, nil
}

func hashPassword(password, salt string) string {
	sum := sha256.Sum256([]byte(password + ":" + salt))
	return hex.EncodeToString(sum[:])
}
