package slowlog

import (
	"context"
	"database/sql"
	"fmt"
	"io"
	"log"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"hotseat"
)

// explainLimit is how long a server may take over one plan.
const explainLimit = 5 * time.Second

// Explain asks a server for the plans of the classes' examples, where the log
// has none, and writes them there. Only what is one SELECT is sent, behind EXPLAIN
// and in a read-only transaction that is rolled back: an EXPLAIN can run subqueries, so
// what is explained comes from somebody's log and is not trusted. Classes for
// which there is no plan say why in ExplainError; an error is returned only
// if the server cannot be reached.
//
// The DSN is that of github.com/go-sql-driver/mysql: user:password@tcp(host:port)/schema.
func Explain(ctx context.Context, dsn string, classes []hotseat.QueryClass) error {
	const hint = "write it like user:password@tcp(127.0.0.1:3306)/schema or user@unix(/run/mysqld/mysqld.sock)/schema"
	config, err := mysql.ParseDSN(dsn)
	if err != nil {
		return hotseat.Invalid(hint, "read the address of the server: %w", err)
	}
	config.MultiStatements = false
	config.Timeout = explainLimit
	config.Logger = log.New(io.Discard, "", 0) // errors are returned
	connector, err := mysql.NewConnector(config)
	if err != nil {
		return hotseat.Invalid(hint, "read the address of the server: %w", err)
	}
	db := sql.OpenDB(connector)
	defer func() { _ = db.Close() }() // nothing was written
	conn, err := db.Conn(ctx)
	if err != nil {
		return hotseat.Unavailable(hint, "ask the server at %s: %w", config.Addr, err)
	}
	defer func() { _ = conn.Close() }() // likewise
	for i := range classes {
		x := classes[i].Example
		if x == nil || x.Explain != nil {
			continue
		}
		if why := notExplainable(x, config.DBName); why != "" {
			x.ExplainError = why
			continue
		}
		rows, err := explain(ctx, conn, x)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			x.ExplainError = err.Error()
			continue
		}
		x.Explain, x.ExplainSource = rows, "server"
	}
	return nil
}

// notExplainable says why a statement is not sent.
func notExplainable(x *hotseat.QueryExample, schema string) string {
	text := strings.TrimLeft(x.SQL, " \t\r\n(")
	switch {
	case x.Truncated:
		return "the statement is too long to be kept"
	case len(text) < 7 || !strings.EqualFold(text[:6], "select"):
		return "only SELECTs are explained"
	case strings.Contains(x.SQL, "/*!") || strings.Contains(x.SQL, "/*M!"):
		return "the statement has comments that the server would run"
	case x.Schema == "" && schema == "":
		return "it is not known in which schema it ran: name one in the address"
	}
	return ""
}

// explain asks for one plan.
func explain(ctx context.Context, conn *sql.Conn, x *hotseat.QueryExample) (plan []hotseat.ExplainRow, err error) {
	ctx, cancel := context.WithTimeout(ctx, explainLimit)
	defer cancel()
	if x.Schema != "" {
		if _, err := conn.ExecContext(ctx, "USE `"+strings.ReplaceAll(x.Schema, "`", "``")+"`"); err != nil {
			return nil, fmt.Errorf("use the schema: %w", err)
		}
	}
	tx, err := conn.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return nil, fmt.Errorf("begin a read-only transaction: %w", err)
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	rows, err := tx.QueryContext(ctx, "EXPLAIN "+x.SQL)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }() // its error is that of Err
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		cells := make([]sql.NullString, len(columns))
		to := make([]any, len(columns))
		for i := range cells {
			to[i] = &cells[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		var row hotseat.ExplainRow
		for i, c := range columns {
			if member := explainColumn(&row, c); member != nil && cells[i].Valid {
				*member = cells[i].String
			}
		}
		plan = append(plan, row)
	}
	return plan, rows.Err()
}
