package data

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"hotseat"
)

// sqlite is the command line of SQLite. The app as given runs it for every new
// tenant, so no machine plays this problem without it;
// docs/adr/0002-sqlite-files-by-its-command-line.md compares the other ways.
const sqlite = "sqlite3"

// scoresPerInsert is the size of a statement; beyond some hundred rows nothing
// gets faster.
const scoresPerInsert = 500

// writeTenantSQL writes the statements that make a tenant's database, and hands
// on the visits, which belong elsewhere.
func writeTenantSQL(out *bufio.Writer, schema string, t *tenant, ids *dispenser, opts Options, visited visited) error {
	// If this is cut short the file is thrown away. None of these settings stays in it.
	_, _ = out.WriteString("PRAGMA journal_mode = OFF;\nPRAGMA synchronous = OFF;\nPRAGMA cache_size = -131072;\n")
	_, _ = out.WriteString(schema)
	_, _ = out.WriteString("\nBEGIN;\n")

	players := insert{out: out, table: "player", size: scoresPerInsert}
	for _, p := range t.players {
		disqualified := 0
		if p.disqualified {
			disqualified = 1
		}
		players.row(text(p.id), number(t.id), text(p.display), number(disqualified), number(p.createdAt), number(p.createdAt))
	}
	players.end()

	competitions := insert{out: out, table: "competition", size: scoresPerInsert}
	for _, c := range t.competitions {
		finishedAt, updatedAt := null, c.createdAt
		if c.finished() {
			finishedAt, updatedAt = number(c.finishedAt), c.finishedAt
		}
		competitions.row(text(c.id), number(t.id), text(c.title), finishedAt, number(c.createdAt), number(updatedAt))
	}
	competitions.end()

	history := newHistorian(t, opts)
	sheet := insert{out: out, table: "player_score", size: scoresPerInsert}
	for i := range t.competitions {
		c := &t.competitions[i]
		visits, scores := history.draw(c)
		for n, s := range scores {
			sheet.row(text(ids.id(s.at)), number(t.id), text(t.players[s.player].id), text(c.id),
				number(s.value), number(n+1), number(s.at), number(s.at))
		}
		visited(t, c, visits)
	}
	sheet.end()
	_, err := out.WriteString("COMMIT;\n")
	return err
}

// makeTenantDB runs the statements in script on a fresh database at path.
func makeTenantDB(ctx context.Context, path, script string) error {
	in, err := os.Open(script)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read from
	if err := os.RemoveAll(path); err != nil {
		return err
	}
	// -init: what is in somebody's ~/.sqliterc must not matter.
	cmd := exec.CommandContext(ctx, sqlite, "-batch", "-bail", "-init", os.DevNull, path)
	var words bytes.Buffer
	cmd.Stdin, cmd.Stderr = in, &words
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		return fmt.Errorf("%s: %w", sqlite, hotseat.Unavailable("see if there is room on the disk", "make %s: %w", path, err).
			WithDetail(strings.TrimSpace(words.String())))
	}
	return nil
}

// findSQLite fails early, and with a hint, where there is no SQLite.
func findSQLite() error {
	if _, err := exec.LookPath(sqlite); err != nil {
		return hotseat.NotFound("`hotseat doctor --install` installs what is missing", "%s is not installed", sqlite)
	}
	return nil
}
