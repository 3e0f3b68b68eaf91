package isucon12q_test

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// testTrace looks for one statement in the trace of SQLite.
func (s *site) testTrace(t *testing.T) {
	o, _ := s.newTenant(t, "traced", 0)
	newCompetition(t, o, "Leave a line")
	file, err := os.Open(s.trace)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	found := 0
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		var line struct {
			Time         time.Time
			Statement    string
			Args         []any
			QueryTime    *float64 `json:"query_time"`
			AffectedRows *int     `json:"affected_rows"`
		}
		if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
			t.Fatalf("%s: %v", lines.Bytes(), err)
		}
		if line.QueryTime == nil || *line.QueryTime <= 0 || line.AffectedRows == nil || time.Since(line.Time).Abs() > time.Hour {
			t.Fatalf("line %s", lines.Bytes())
		}
		if slices.Contains(line.Args, any("Leave a line")) && strings.HasPrefix(line.Statement, "INSERT INTO competition") {
			found++
			same(t, "affected rows", 1, *line.AffectedRows)
		}
	}
	if found != 1 || lines.Err() != nil {
		t.Errorf("the statement is there %d times: %v", found, lines.Err())
	}
}
