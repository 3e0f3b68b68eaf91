package data

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// world is what a target would find, read back from the files.
type world struct {
	opts    Options
	tenants []*tenantRows
	nextID  int64
	samples []sample
	bills   []bill
}

type tenantRows struct {
	id            int
	name, display string
	createdAt     int64
	players       []playerRow
	competitions  []competitionRow
	scores        []scoreRow
	visits        []visitRow
}

type playerRow struct {
	id, display          string
	disqualified         bool
	createdAt, updatedAt int64
}

type competitionRow struct {
	id, title            string
	finishedAt           int64 // 0: NULL
	createdAt, updatedAt int64
}

type scoreRow struct {
	id, player, competition string
	value, row              int64
	createdAt, updatedAt    int64
}

type visitRow struct {
	player, competition  string
	createdAt, updatedAt int64
}

// readWorld generates a world and reads it back: the databases by SQLite, the
// rest from the statements and rows that the admin database is filled with.
func readWorld(t *testing.T, opts Options) *world {
	t.Helper()
	dir := t.TempDir()
	schema, err := fs.ReadFile(folder, schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := generateRows(t.Context(), dir, string(schema), opts); err != nil {
		t.Fatal(err)
	}
	w := &world{opts: opts}
	readJSON(t, filepath.Join(dir, "truth/benchmarker.json"), &w.samples)
	readJSON(t, filepath.Join(dir, "truth/benchmarker_tenant.json"), &w.bills)
	w.readAdmin(t, filepath.Join(dir, "admin"))
	for _, tenant := range w.tenants {
		tenant.readDB(t, filepath.Join(dir, "initial_data", strconv.Itoa(tenant.id)+".db"))
	}
	return w
}

func readJSON(t *testing.T, path string, into any) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(content, into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

var (
	tenantRow  = regexp.MustCompile(`^\((\d+),'([^']*)','([^']*)',(\d+),(\d+)\)[,;]$`)
	counterRow = regexp.MustCompile(`^INSERT INTO id_generator VALUES \((\d+),'a'\);$`)
)

func (w *world) readAdmin(t *testing.T, dir string) {
	t.Helper()
	for _, line := range lines(t, filepath.Join(dir, "90_data.sql")) {
		if m := tenantRow.FindStringSubmatch(line); m != nil {
			if m[4] != m[5] {
				t.Errorf("tenant %s: updated at %s, created at %s", m[1], m[5], m[4])
			}
			w.tenants = append(w.tenants, &tenantRows{id: int(num(t, m[1])), name: m[2], display: m[3], createdAt: num(t, m[4])})
		}
		if m := counterRow.FindStringSubmatch(line); m != nil {
			w.nextID = num(t, m[1])
		}
	}
	if len(w.tenants) != w.opts.Tenants {
		t.Fatalf("%d tenants, want %d", len(w.tenants), w.opts.Tenants)
	}
	for _, f := range fields(t, lines(t, filepath.Join(dir, "visit_history.tsv")), 5) {
		at := num(t, f[1]) - 1
		if at < 0 || at >= int64(len(w.tenants)) {
			t.Fatalf("a visit to tenant %s", f[1])
		}
		w.tenants[at].visits = append(w.tenants[at].visits, visitRow{f[0], f[2], num(t, f[3]), num(t, f[4])})
	}
}

// readDB reads a tenant's database in one go: each row begins with its table.
func (r *tenantRows) readDB(t *testing.T, path string) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sqlite3", "-batch", "-init", os.DevNull, "-tabs", path, `
		PRAGMA integrity_check;
		SELECT 'p', * FROM player;
		SELECT 'c', id, tenant_id, title, ifnull(finished_at, 0), created_at, updated_at FROM competition;
		SELECT 's', * FROM player_score;
		SELECT typeof(is_disqualified), typeof(created_at) FROM player GROUP BY 1, 2;
		SELECT typeof(score), typeof(row_num) FROM player_score GROUP BY 1, 2;
		PRAGMA journal_mode;`).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", path, err, out)
	}
	var rest []string
	for line := range strings.Lines(string(out)) {
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) > 2 && f[2] != strconv.Itoa(r.id) {
			t.Fatalf("%s: a row of another tenant: %s", path, line)
		}
		switch {
		case f[0] == "p" && len(f) == 7:
			r.players = append(r.players, playerRow{f[1], f[3], f[4] == "1", num(t, f[5]), num(t, f[6])})
		case f[0] == "c" && len(f) == 7:
			r.competitions = append(r.competitions, competitionRow{f[1], f[3], num(t, f[4]), num(t, f[5]), num(t, f[6])})
		case f[0] == "s" && len(f) == 9:
			r.scores = append(r.scores, scoreRow{f[1], f[3], f[4], num(t, f[5]), num(t, f[6]), num(t, f[7]), num(t, f[8])})
		default:
			rest = append(rest, strings.Join(f, " "))
		}
	}
	if want := []string{"ok", "integer integer", "integer integer", "delete"}; !slices.Equal(rest, want) {
		t.Errorf("%s: SQLite says %q, want %q", path, rest, want)
	}
}

func lines(t *testing.T, path string) []string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, ended := strings.CutSuffix(string(content), "\n")
	if !ended {
		t.Fatalf("%s does not end its last line", path)
	}
	return strings.Split(text, "\n")
}

func fields(t *testing.T, lines []string, columns int) [][]string {
	t.Helper()
	all := make([][]string, len(lines))
	for n, line := range lines {
		if all[n] = strings.Split(line, "\t"); len(all[n]) != columns {
			t.Fatalf("line %d has %d columns, want %d", n+1, len(all[n]), columns)
		}
	}
	return all
}

func num(t *testing.T, text string) int64 {
	t.Helper()
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
