package advise

import (
	"strings"
	"testing"

	"hotseat/measure"
)

// library is a database with names of its own.
func library() *measure.MariaDB {
	columns := func(names string) (all []measure.Column) {
		for _, n := range strings.Fields(names) {
			all = append(all, measure.Column{Name: n, Type: "int(11)"})
		}
		return all
	}
	return &measure.MariaDB{
		Tables: []measure.Table{
			{Name: "loans", Rows: 100_000, Columns: columns("id reader host returned book at")},
			{Name: "books", Rows: 5_000, Columns: columns("id title shelf at")},
			{Name: "readers", Rows: 1_000, Columns: columns("id name")},
		},
		Indexes: []measure.Index{
			{Table: "loans", Name: "PRIMARY", Columns: []string{"id"}}, {Table: "books", Name: "PRIMARY", Columns: []string{"id"}},
			{Table: "readers", Name: "PRIMARY", Columns: []string{"id"}}, {Table: "readers", Name: "name", Columns: []string{"name"}},
		},
	}
}

func TestIndexFor(t *testing.T) {
	c := newCatalog(library())
	for _, x := range []struct{ sql, table, want string }{
		{"SELECT * FROM loans WHERE reader = 5", "loans", "reader"},
		{"select * from `loans` where `loans`.`reader` = 5 and at > '2026-01-01'", "loans", "reader at"},
		{"SELECT COUNT(*) FROM loans WHERE host = '1' AND id > COALESCE((SELECT MAX(id) FROM loans WHERE host = '1' AND returned = 1), 0)", "loans", "host returned"},
		{"SELECT at, host FROM loans WHERE reader = 7 AND returned = 1 ORDER BY id DESC LIMIT 2", "loans", "reader returned"},
		{"SELECT * FROM loans l JOIN books b ON b.id = l.book WHERE b.shelf = 3", "books", "shelf"},
		{"SELECT * FROM loans l JOIN books b ON b.id = l.book WHERE l.reader = 3", "loans", "reader"},
		{"SELECT * FROM books b JOIN loans l ON b.id = l.book", "loans", "book"},
		{"SELECT * FROM books ORDER BY at DESC LIMIT 10", "books", "at"},
		{"SELECT reader, MIN(at) FROM loans WHERE book = 1 AND host = 2 GROUP BY reader", "loans", "book host reader"},
		{"UPDATE loans SET returned = 1 WHERE reader = 9", "loans", "reader"},
		{"DELETE FROM loans WHERE at < NOW()", "loans", "at"},
		{"SELECT * FROM loans WHERE reader IN (1, 2, 3) AND host = ?", "loans", "reader host"},
		{"SELECT * FROM loans WHERE id = 5", "loans", ""},         // the primary key
		{"SELECT * FROM readers WHERE name = 'x'", "readers", ""}, // there is one
		{"SELECT * FROM loans WHERE LOWER(host) = 'x'", "loans", ""},
		{"SELECT * FROM loans", "loans", ""},
		{"SELECT * FROM loans WHERE nosuch = 1", "loans", ""},
		{"INSERT INTO loans (reader) VALUES (1)", "loans", ""},
		{"", "loans", ""}, {"SELECT (((", "loans", ""}, {"SELECT '", "loans", ""},
	} {
		got := strings.Join(c.indexFor(parseSQL(x.sql), x.table), " ")
		if got != x.want {
			t.Errorf("%s:\n  index on %s (%s), want (%s)", x.sql, x.table, got, x.want)
		}
	}
}

func FuzzParseSQL(f *testing.F) {
	for _, s := range []string{"SELECT a.b FROM c AS d WHERE e IN (SELECT 1 UNION SELECT 2) ORDER BY MAX(f) LIMIT 1", "UPDATE `a` SET b='c''d' WHERE e BETWEEN 1 AND 2", "((((", "select '\\"} {
		f.Add(s)
	}
	c := newCatalog(library())
	f.Fuzz(func(_ *testing.T, sql string) {
		c.indexFor(parseSQL(sql), "loans") // must end, and not panic
	})
}
