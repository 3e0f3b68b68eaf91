package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"time"
)

// entries is how many a slow log has.
const entries = 200_000

// statement is one kind of statement of the imaginary application.
type statement struct {
	weight int
	mean   float64 // µs
	text   func(r *rand.Rand) string

	count, sum int64
}

// slowLog is the log of a database, and the truth about it.
type slowLog struct {
	seed       uint64
	statements []*statement
}

func newSlowLog(seed uint64) *slowLog {
	list := func(r *rand.Rand, n int, one func() string) string {
		parts := make([]string, n)
		for i := range parts {
			parts[i] = one()
		}
		return strings.Join(parts, ", ")
	}
	id := func(r *rand.Rand) int { return 1 + r.IntN(1_000_000) }
	token := func(r *rand.Rand) string { return fmt.Sprintf("%016x%016x", r.Uint64(), r.Uint64()) }
	return &slowLog{seed: seed, statements: []*statement{
		{weight: 300, mean: 180, text: func(r *rand.Rand) string {
			return fmt.Sprintf("SELECT `id`, `account_name`, `passhash`, `authority`, `del_flg`, `created_at` FROM `users` WHERE `id` = %d", id(r))
		}},
		{weight: 160, mean: 21_000, text: func(r *rand.Rand) string {
			return fmt.Sprintf("SELECT * FROM `comments` WHERE `post_id` = %d ORDER BY `created_at` DESC LIMIT 3", id(r))
		}},
		{weight: 120, mean: 9_000, text: func(r *rand.Rand) string {
			return fmt.Sprintf("SELECT COUNT(*) AS `count` FROM `comments` WHERE `post_id` = %d", id(r))
		}},
		{weight: 60, mean: 300, text: func(r *rand.Rand) string {
			return fmt.Sprintf("SELECT * FROM users WHERE account_name = '%s' AND del_flg = 0", "user"+token(r)[:8])
		}},
		{weight: 40, mean: 900, text: func(r *rand.Rand) string {
			return "SELECT id, name, price FROM items WHERE id IN (" + list(r, 1+r.IntN(20), func() string { return fmt.Sprint(id(r)) }) + ")"
		}},
		{weight: 40, mean: 2_500, text: func(r *rand.Rand) string {
			return "INSERT INTO `events` (`user_id`, `kind`, `payload`) VALUES " + list(r, 1+r.IntN(8), func() string {
				return fmt.Sprintf("(%d, 'view', '{\"token\":\"%s\"}')", id(r), token(r))
			})
		}},
		{weight: 35, mean: 700, text: func(r *rand.Rand) string {
			return fmt.Sprintf("UPDATE items\n   SET stock = stock - %d,\n       updated_at = NOW()\n WHERE id = %d", 1+r.IntN(5), id(r))
		}},
		{weight: 30, mean: 400, text: func(r *rand.Rand) string {
			return fmt.Sprintf("INSERT INTO sessions (token, user_id, note) VALUES ('%s', %d, 'it''s new')", token(r), id(r))
		}},
		{weight: 25, mean: 250, text: func(r *rand.Rand) string { return fmt.Sprintf("DELETE FROM sessions WHERE token='%s'", token(r)) }},
		{weight: 20, mean: 60_000, text: func(r *rand.Rand) string {
			return fmt.Sprintf("SELECT u.id, u.account_name, SUM(o.total) AS spent FROM users u LEFT JOIN orders o ON o.user_id = u.id WHERE o.created_at BETWEEN '2026-11-%02d' AND '2026-12-01' GROUP BY u.id ORDER BY spent DESC LIMIT %d, 20", 1+r.IntN(28), r.IntN(50)*20)
		}},
		{weight: 50, mean: 80, text: func(*rand.Rand) string { return "START TRANSACTION" }},
		{weight: 50, mean: 3_000, text: func(*rand.Rand) string { return "COMMIT" }},
		{weight: 30, mean: 150, text: func(r *rand.Rand) string {
			return fmt.Sprintf("/* trace=%s */ SELECT name FROM categories WHERE parent_id IS NULL OR parent_id = %d -- menu", token(r), r.IntN(90))
		}},
		{weight: 38, mean: 60, text: nil}, // administrator command
	}}
}

// write writes the log as MariaDB 10.11 does.
func (l *slowLog) write(w io.Writer, n int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	r := rand.New(rand.NewPCG(l.seed, 3))
	var wheel []*statement
	for _, s := range l.statements {
		s.count, s.sum = 0, 0
		for range s.weight {
			wheel = append(wheel, s)
		}
	}
	fmt.Fprint(b, "/usr/sbin/mariadbd, Version: 10.11.14-MariaDB-0+deb12u2-log (Debian 12). started with:\nTcp port: 3306  Unix socket: /run/mysqld/mysqld.sock\nTime\t\t    Id Command\tArgument\n")
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	last := time.Time{}
	for i := range n {
		s := wheel[r.IntN(len(wheel))]
		took := 1 + int64(r.ExpFloat64()*s.mean)
		s.count++
		s.sum += took
		now := at.Add(time.Duration(i/2000) * time.Second)
		if now != last {
			fmt.Fprintf(b, "# Time: %s %2d%s\n", now.Format("060102"), now.Hour(), now.Format(":04:05"))
			last = now
		}
		sent, examined := r.IntN(20), r.IntN(5000)
		fmt.Fprintf(b, "# User@Host: app[app] @ localhost [127.0.0.1]\n# Thread_id: %d  Schema: app  QC_hit: No\n# Query_time: %d.%06d  Lock_time: 0.%06d  Rows_sent: %d  Rows_examined: %d\n# Rows_affected: 0  Bytes_sent: %d\n",
			10+r.IntN(64), took/1e6, took%1e6, min(took/20, 999_999), sent, examined, sent*90+11)
		fmt.Fprintf(b, "SET timestamp=%d;\n", now.Unix())
		if s.text == nil {
			fmt.Fprint(b, "# administrator command: Prepare;\n")
			continue
		}
		fmt.Fprintf(b, "%s;\n", s.text(r))
	}
	return b.Flush()
}
