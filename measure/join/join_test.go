package join

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"hotseat"
	"hotseat/measure/accesslog"
	"hotseat/measure/logfile"
	"hotseat/measure/slowlog"
)

// queriesOf are the statements that each route of the imaginary app sends per request.
var queriesOf = map[string]map[string]int{
	"GET /":            {"SELECT * FROM posts ORDER BY id DESC LIMIT 20": 1, "SELECT COUNT(*) FROM comments WHERE post_id = %d": 20},
	"POST /login":      {"SELECT * FROM users WHERE name = 'u%d'": 1, "INSERT INTO sessions VALUES (%d)": 1},
	"GET /items/*":     {"SELECT * FROM items WHERE id = %d": 1},
	"GET /users/*":     {"SELECT * FROM users WHERE id = %d": 2, "SELECT * FROM items WHERE owner = %d": 1},
	"POST /items":      {"INSERT INTO items (name) VALUES ('n%d')": 1, "UPDATE users SET items = items + 1 WHERE id = %d": 1},
	"GET /ranking":     {"SELECT owner, COUNT(*) FROM items GROUP BY owner": 1},
	"GET /favicon.ico": {},
}

// logs are a minute of that app under load of changing kinds.
func logs(ids bool) (access, slow string) {
	r := rand.New(rand.NewPCG(5, 6))
	var a, s strings.Builder
	weights := map[string]float64{"GET /": 30, "POST /login": 10, "GET /items/*": 50, "GET /users/*": 20, "POST /items": 8, "GET /ranking": 5, "GET /favicon.ico": 30}
	names := []string{"GET /", "POST /login", "GET /items/*", "GET /users/*", "POST /items", "GET /ranking", "GET /favicon.ico"}
	const start = 1_795_269_900
	for second := range 60 {
		for _, route := range names {
			n := int(weights[route] * (0.3 + 1.4*r.Float64()))
			for range n {
				at := start + float64(second) + r.Float64()
				id := fmt.Sprintf("%016x", r.Uint64())
				method, path, _ := strings.Cut(route, " ")
				apptime := "0.020"
				if len(queriesOf[route]) == 0 {
					apptime = "-"
				}
				fmt.Fprintf(&a, "msec:%.3f\tmethod:%s\turi:%s\tstatus:200\tsize:1\treqtime:0.020\tapptime:%s\treqid:%s\n",
					at+0.02, method, strings.ReplaceAll(path, "*", fmt.Sprint(r.IntN(1000))), apptime, id)
				for query, times := range queriesOf[route] {
					for range times {
						text := query
						if strings.Contains(text, "%d") {
							text = fmt.Sprintf(query, r.IntN(1000))
						}
						if ids {
							text = "/* " + id + " */ " + text
						}
						fmt.Fprintf(&s, "# User@Host: a[a] @ h []\n# Thread_id: 5  Schema: shop  QC_hit: No\n# Query_time: 0.001000  Lock_time: 0.000000  Rows_sent: 1  Rows_examined: 1\nSET timestamp=%d;\n%s;\n", int(at), text)
					}
				}
			}
		}
	}
	return a.String(), s.String()
}

func digest(t *testing.T, ids bool) *Result {
	t.Helper()
	access, slow := logs(ids)
	in := func(text string) []logfile.Input {
		return []logfile.Input{logfile.Reader("log", strings.NewReader(text))}
	}
	both, err := Digest(t.Context(), in(access), accesslog.Options{}, in(slow), slowlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return both
}

// key names an edge by its route and the beginning of its query.
func edges(d *hotseat.JoinDigest) map[string]float64 {
	found := map[string]float64{}
	for _, e := range d.Edges {
		found[e.HTTPMethod+" "+e.Template+": "+e.Fingerprint] = e.PerRequest
	}
	return found
}

// truth are the edges that there are.
func truth() map[string]float64 {
	want := map[string]float64{}
	prints := map[string]string{
		"SELECT * FROM posts ORDER BY id DESC LIMIT 20": "select * from posts order by id desc limit ?", "SELECT COUNT(*) FROM comments WHERE post_id = %d": "select count(*) from comments where post_id = ?",
		"SELECT * FROM users WHERE name = 'u%d'": "select * from users where name = ?", "INSERT INTO sessions VALUES (%d)": "insert into sessions values(?+)",
		"SELECT * FROM items WHERE id = %d": "select * from items where id = ?", "SELECT * FROM users WHERE id = %d": "select * from users where id = ?",
		"SELECT * FROM items WHERE owner = %d": "select * from items where owner = ?", "INSERT INTO items (name) VALUES ('n%d')": "insert into items (name) values(?+)",
		"UPDATE users SET items = items + 1 WHERE id = %d": "update users set items = items ? ? where id = ?", "SELECT owner, COUNT(*) FROM items GROUP BY owner": "select owner, count(*) from items group by owner",
	}
	for route, queries := range queriesOf {
		for q, n := range queries {
			want[route+": "+prints[q]] = float64(n)
		}
	}
	return want
}

func TestExact(t *testing.T) {
	d := digest(t, true).Join
	if d.Method != hotseat.JoinExact || d.Missed != 0 {
		t.Errorf("method %s, %d missed, notes %q", d.Method, d.Missed, d.Notes)
	}
	got, want := edges(d), truth()
	for edge, n := range want {
		if got[edge] != n {
			t.Errorf("%s: %v per request, want %v", edge, got[edge], n)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d edges, want %d", len(got), len(want))
	}
}

// Without ids, every edge is found, none is invented, and counts are within 35 %.
func TestEstimated(t *testing.T) {
	d := digest(t, false).Join
	if d.Method != hotseat.JoinEstimated || d.Windows < 55 || len(d.Notes) == 0 {
		t.Errorf("method %s, %d windows, notes %q", d.Method, d.Windows, d.Notes)
	}
	got, want := edges(d), truth()
	for edge, n := range want {
		if math.Abs(got[edge]-n) > 0.35*n {
			t.Errorf("%s: %v per request, want about %v", edge, got[edge], n)
		}
	}
	for edge, n := range got {
		if want[edge] == 0 {
			t.Errorf("%s: %v per request, but there is no such edge", edge, n)
		}
	}
}

func TestTooLittleInCommon(t *testing.T) {
	access := "msec:100.0\tmethod:GET\turi:/\tstatus:200\treqtime:0.1\n"
	slow := "# User@Host: a[a] @ h []\n# Query_time: 0.001  Lock_time: 0.0  Rows_sent: 1  Rows_examined: 1\nSET timestamp=5000;\nSELECT 1;\n"
	in := func(text string) []logfile.Input {
		return []logfile.Input{logfile.Reader("log", strings.NewReader(text))}
	}
	both, err := Digest(t.Context(), in(access), accesslog.Options{}, in(slow), slowlog.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if d := both.Join; len(d.Edges) != 0 || len(d.Notes) != 1 || d.Missed != 1 {
		t.Errorf("%+v", d)
	}
}

func TestNonNegative(t *testing.T) {
	// x = (1, 0) is best under x ≥ 0 although (2, -1) solves the equations.
	x := nonNegative([][]float64{{1, 1}, {1, 2}}, []float64{1, 0})
	if math.Abs(x[0]-1) > 1e-5 || x[1] != 0 {
		t.Errorf("solution %v", x)
	}
}
