package report

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"hotseat"
)

// maxQueries is how many query classes the report shows.
const maxQueries = 20

// Queries is what the database's slow log says of the load.
type Queries struct {
	SlowShare float64              // of the load that the log was on; 1: all
	Entries   int64                // statements in it
	Classes   []hotseat.QueryClass // those with most time first
	Hidden    int                  // classes beyond maxQueries
	Join      *hotseat.JoinDigest
}

// readQueries reads the digests in the run's picture.
func (run *Run) readQueries(dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "picture.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return // measured by an earlier version, or not at all
	}
	var p struct {
		SlowShare float64             `json:"slow_share"`
		Slow      *hotseat.SlowDigest `json:"slow"`
		Join      *hotseat.JoinDigest `json:"join"`
		Notes     []string            `json:"notes"`
	}
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		run.note("picture.json cannot be read: %v", err)
		return
	}
	for _, n := range p.Notes {
		run.note("not measured: %s", n)
	}
	if p.Slow == nil {
		return
	}
	shown := min(len(p.Slow.Classes), maxQueries)
	run.Queries = &Queries{SlowShare: p.SlowShare, Entries: p.Slow.Entries, Classes: p.Slow.Classes[:shown], Hidden: len(p.Slow.Classes) - shown, Join: p.Join}
	if run.Queries.SlowShare <= 0 {
		run.Queries.SlowShare = 1
	}
}

// Scaled is a count of the log as a count of the whole load.
func (q *Queries) Scaled(n int64) int64 { return int64(float64(n)/q.SlowShare + 0.5) }

// Routes names the routes that send a class, most statements first.
func (q *Queries) Routes(id string) []hotseat.JoinEdge {
	if q.Join == nil {
		return nil
	}
	var edges []hotseat.JoinEdge
	for _, e := range q.Join.Edges {
		if e.QueryID == id && len(edges) < 3 {
			edges = append(edges, e)
		}
	}
	return edges
}
