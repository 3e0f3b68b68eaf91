package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"hotseat"
	"hotseat/advise"
)

// advised runs a workspace's benchmark for a few seconds and returns the advice.
// What the run is worth does not matter here.
func (b *bank) advised(args ...string) *advise.Advice {
	b.t.Helper()
	out, err := b.command(b.dir, append([]string{"bench", "--json", "--duration", "3s"}, args...)...).Output()
	var result hotseat.Result
	if json.Unmarshal(out, &result) != nil {
		b.t.Fatalf("no result: %v\n%s", err, out)
	}
	var a advise.Advice
	if err := json.Unmarshal([]byte(b.must(b.dir, "advise", "--json")), &a); err != nil {
		b.t.Fatal(err)
	}
	return &a
}

// put adds text to a file of the workspace.
func (b *bank) put(name, text string) {
	b.t.Helper()
	f, err := os.OpenFile(filepath.Join(b.dir, name), os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err == nil {
		err = f.Close()
	}
	if err != nil {
		b.t.Fatal(err)
	}
}

// replaceIn changes a text in a file of the workspace.
func (b *bank) replaceIn(name, from, to string) {
	b.t.Helper()
	path := filepath.Join(b.dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		b.t.Fatalf("%s has no %q", name, from)
	}
	if err := os.WriteFile(path, []byte(strings.Replace(string(text), from, to, 1)), 0o644); err != nil {
		b.t.Fatal(err)
	}
}

func newProblem(t *testing.T, id string) *bank {
	t.Helper()
	b := &bank{t: t, dir: filepath.Join(t.TempDir(), "ws"), env: append(os.Environ(), testFolders(t)...)}
	b.must(t.TempDir(), "init", id, b.dir, "--data-profile", "small")
	t.Cleanup(func() { b.must(b.dir, "down") })
	return b
}

// indexes lists the statements that an advice has for the indexes it misses.
func indexes(t *testing.T, a *advise.Advice) (statements []string) {
	t.Helper()
	for _, f := range all(a.Findings) {
		if strings.HasPrefix(f.ID, "missing-index/") {
			statements = append(statements, f.Remedy...)
		}
	}
	for _, line := range statements {
		if !strings.HasPrefix(line, "CREATE INDEX ") {
			t.Fatalf("no index: %s", line)
		}
	}
	return statements
}

// asksAgain tells whether an advice asks for one of the indexes that were made.
// Another may well be missing: with the first ones made, a query that was rare
// or too small a part of the time to be told of comes to light.
func asksAgain(t *testing.T, a *advise.Advice, made []string) bool {
	t.Helper()
	return slices.ContainsFunc(indexes(t, a), func(statement string) bool { return slices.Contains(made, statement) })
}

// TestDrillAdviceOnLogins: the untuned bank reads its log row by row, says so
// first and, with the indexes that the advisor wrote, no more.
func TestDrillAdviceOnLogins(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "isucon4-qualifier")
	// Rows enough for a scan to show; they are nobody's, and lock and ban nobody.
	b.put("sql/dummy_log.sql", "\nINSERT INTO login_log (created_at, user_id, login, ip, succeeded) "+
		"SELECT '2014-01-01', 1000000 + seq, 'nobody', CONCAT('nowhere ', seq), 1 FROM seq_1_to_12000;\n")
	a := b.advised()
	if len(a.Findings) == 0 || a.Findings[0].ID != "missing-index/login_log" {
		t.Fatalf("the first finding is not the missing index:\n%s", summary(a))
	}
	made := indexes(t, a)
	b.put("sql/schema.sql", "\n"+strings.Join(made, "\n")+"\n")
	if a = b.advised(); len(a.Findings) == 0 || has(a.Findings[:1], "missing-index") || asksAgain(t, a, made) {
		t.Errorf("the advisor has not moved on:\n%s", summary(a))
	}
}

// TestDrillAdviceOnASidebar: the untuned blog sorts all comments to show ten, and
// with the column that the advisor asks for no longer does.
func TestDrillAdviceOnASidebar(t *testing.T) {
	t.Parallel()
	b := newProblem(t, "isucon1")
	b.must(b.dir, "up")
	// Old articles with old comments, which no page shows.
	b.must(b.dir, "sql", "--", "-e", `INSERT INTO article (id, title, body, created_at) SELECT -CAST(seq AS SIGNED), 'old', 'old', '2001-01-01' FROM seq_1_to_8000;
		INSERT INTO comment (article, name, body, created_at) SELECT -1 - CAST(seq AS SIGNED) MOD 8000, 'old', 'old', '2001-01-02' FROM seq_1_to_24000`)
	a := b.advised()
	if len(a.Findings) == 0 || !has(a.Findings[:1], "sort-for-few") {
		t.Fatalf("the first finding is not the sidebar:\n%s", summary(a))
	}
	remedy := a.Findings[0].Remedy
	if len(remedy) != 4 || !strings.HasPrefix(remedy[1], "ALTER TABLE article ADD COLUMN last_created_at") {
		t.Fatalf("remedy: %q", remedy)
	}
	b.must(b.dir, "sql", "--", "-e", strings.Join(remedy[1:3], " "))
	b.replaceIn("app/blog.go", `SELECT a.id, a.title FROM comment c INNER JOIN article a ON c.article = a.id
		GROUP BY a.id ORDER BY MAX(c.created_at) DESC LIMIT 10`, "SELECT id, title FROM article WHERE last_created_at IS NOT NULL ORDER BY last_created_at DESC LIMIT 10")
	b.replaceIn("app/blog.go", `VALUES (?, ?, ?)", id, name, body)
	return err`, `VALUES (?, ?, ?)", id, name, body)
	if err == nil {
		_, err = a.db.ExecContext(context.WithoutCancel(ctx), "UPDATE article SET last_created_at = NOW() WHERE id = ?", id)
	}
	return err`)
	if a = b.advised(); len(a.Findings) == 0 || has(all(a.Findings), "sort-for-few") {
		t.Errorf("the advisor has not moved on:\n%s", summary(a))
	}
}
