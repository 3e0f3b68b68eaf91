package main

import "context"

// suspect is an address or an account that has succeeded before and may have
// failed since.
type suspect struct {
	name        string // what the report calls it
	key         any    // what the log calls it
	lastSuccess int64  // row of the log
}

// bannedIPs lists the addresses that are banned now.
func (a *app) bannedIPs(ctx context.Context) ([]string, error) {
	banned, err := a.neverSucceeded(ctx,
		`SELECT ip FROM login_log
		GROUP BY ip
		HAVING MAX(succeeded) = 0 AND COUNT(*) >= ?`,
		a.ipBanThreshold)
	if err != nil {
		return nil, err
	}
	suspects, err := a.succeededOnce(ctx,
		`SELECT ip, ip, MAX(id) FROM login_log
		WHERE succeeded = 1
		GROUP BY ip`)
	if err != nil {
		return nil, err
	}
	for _, s := range suspects {
		failures, err := a.failuresSince(ctx, "SELECT COUNT(*) FROM login_log WHERE ip = ? AND id > ?", s)
		if err != nil {
			return nil, err
		}
		if failures >= a.ipBanThreshold {
			banned = append(banned, s.name)
		}
	}
	return banned, nil
}

// lockedUsers lists the login names of the accounts that are locked now.
func (a *app) lockedUsers(ctx context.Context) ([]string, error) {
	locked, err := a.neverSucceeded(ctx,
		`SELECT users.login FROM login_log
		JOIN users ON users.id = login_log.user_id
		GROUP BY users.id, users.login
		HAVING MAX(login_log.succeeded) = 0 AND COUNT(*) >= ?`,
		a.userLockThreshold)
	if err != nil {
		return nil, err
	}
	suspects, err := a.succeededOnce(ctx,
		`SELECT users.login, users.id, MAX(login_log.id) FROM login_log
		JOIN users ON users.id = login_log.user_id
		WHERE login_log.succeeded = 1
		GROUP BY users.id, users.login`)
	if err != nil {
		return nil, err
	}
	for _, s := range suspects {
		failures, err := a.failuresSince(ctx, "SELECT COUNT(*) FROM login_log WHERE user_id = ? AND id > ?", s)
		if err != nil {
			return nil, err
		}
		if failures >= a.userLockThreshold {
			locked = append(locked, s.name)
		}
	}
	return locked, nil
}

// neverSucceeded runs a query for the names of those who failed often enough
// without a single success. The list is never nil: an empty one is [] in JSON.
func (a *app) neverSucceeded(ctx context.Context, query string, threshold int) ([]string, error) {
	rows, err := a.db.QueryContext(ctx, query, threshold)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	names := []string{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		names = append(names, name)
	}
	return names, rows.Err()
}

// succeededOnce runs a query for name, key and last success of all others.
func (a *app) succeededOnce(ctx context.Context, query string) ([]suspect, error) {
	rows, err := a.db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()

	var suspects []suspect
	for rows.Next() {
		var s suspect
		if err := rows.Scan(&s.name, &s.key, &s.lastSuccess); err != nil {
			return nil, err
		}
		suspects = append(suspects, s)
	}
	return suspects, rows.Err()
}

func (a *app) failuresSince(ctx context.Context, query string, s suspect) (int, error) {
	var failures int
	err := a.db.QueryRowContext(ctx, query, s.key, s.lastSuccess).Scan(&failures)
	return failures, err
}
