package isucon1_test

import (
	"os"
	"regexp"
	"testing"

	"hotseat/problems/isucon1/data"
)

// examinedByTheWinners is what the sidebar's query examined on the day of the
// contest, as the winners' slow log told.
const examinedByTheWinners = 172_853

// TestSidebarExaminesAsManyRowsAsInTheContest runs the query that stands in the
// app on the data of the contest and on a server with the given my.cnf.
func TestSidebarExaminesAsManyRowsAsInTheContest(t *testing.T) {
	s := layOut(t, data.Full())
	s.startDatabase(t)
	conn, err := s.db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	for _, statement := range []string{
		"SET GLOBAL log_output = 'TABLE'", "SET GLOBAL slow_query_log = ON", "SET SESSION slow_query_log = ON",
		"SET SESSION long_query_time = 0", sidebarQuery(t), "SET SESSION slow_query_log = OFF",
	} {
		if _, err := conn.ExecContext(t.Context(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	var examined, sent int
	err = conn.QueryRowContext(t.Context(),
		"SELECT rows_examined, rows_sent FROM mysql.slow_log WHERE sql_text LIKE '%GROUP BY a.id%'").Scan(&examined, &sent)
	if err != nil || examined != examinedByTheWinners || sent != 10 {
		t.Errorf("%d rows examined, %d sent, %v; want %d and 10", examined, sent, err, examinedByTheWinners)
	}
}

// sidebarQuery takes the query from the app's source.
func sidebarQuery(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile("app/go/blog.go")
	if err != nil {
		t.Fatal(err)
	}
	query := regexp.MustCompile("`([^`]*INNER JOIN[^`]*)`").FindSubmatch(source)
	if query == nil {
		t.Fatal("no query with an INNER JOIN in app/go/blog.go")
	}
	return string(query[1])
}
