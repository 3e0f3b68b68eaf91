package mariadb

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	_ "github.com/go-sql-driver/mysql" // the driver that DSN is written for
)

// CreateUser makes a user with all privileges who may connect from anywhere, as
// contests give one to their contestants. localhost is named as well because
// MariaDB prefers an anonymous user there to "anywhere".
func CreateUser(ctx context.Context, conn Conn, name, password string) error {
	db, err := sql.Open("mysql", conn.DSN(""))
	if err != nil {
		return fmt.Errorf("create database user %s: %w", name, err)
	}
	defer db.Close()
	for _, host := range []string{"%", "localhost"} {
		_, err := db.ExecContext(ctx, fmt.Sprintf(
			"CREATE USER IF NOT EXISTS %[1]s@'%[2]s' IDENTIFIED BY %[3]s; GRANT ALL PRIVILEGES ON *.* TO %[1]s@'%[2]s' WITH GRANT OPTION",
			literal(name), host, literal(password)))
		if err != nil {
			return fmt.Errorf("create database user %s: %w", name, err)
		}
	}
	return nil
}

// literal quotes a string for SQL in the server's default mode.
func literal(s string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'"
}
