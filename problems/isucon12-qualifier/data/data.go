// Package data makes the initial world of the ISUCON12 qualifier: a hundred
// tenants with their players, competitions, score sheets and visits in May 2022,
// the truth a benchmark checks against, and the keys.
//
// Everything follows from a seed. The same seed gives the same rows on every
// machine: chance comes from one named algorithm, no arithmetic is done in
// floating point, and no map is ever walked. (The bytes of an SQLite file also
// depend on SQLite's version, which it writes into each.) That is what lets a
// data folder be cached under (problem, [Version], [Options]) and never be looked
// at again.
//
// The rules are those of the specification's §12, less two slips of the
// contest's generator: the last score row and the last visit of a tenant are not
// lost here, and ids are unique over all tenants, below the first that the app
// gives out. Names are our own.
package data

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sync/errgroup"
)

// generation changes whenever any row of the output for any seed does; a test
// holds it to that.
const generation = "isucon12q-data-2"

// What is needed of the problem's folder.
const (
	schemaFile   = "sql/tenant/10_schema.sql"
	publicFolder = "public"
)

// Options says how large a world to make, and which one.
type Options struct {
	Seed         uint64 // which of the worlds of this size
	Tenants      int    // ids 1 … Tenants; the benchmark draws from 2 … 100
	Players      Range  // of a tenant
	Competitions Range  // of a tenant
	Visits       Range  // bound of the loop that draws a player's visits to a competition; see chance.loops
	Scores       Range  // likewise of a player's rows in its sheet

	// Of tenant 1, instead of Players and Competitions.
	HugePlayers, HugeCompetitions int64
}

// Full is the world of the contest: 2.9 million visits and 3.4 million score
// rows, half of either in tenant 1.
func Full() Options {
	return Options{
		Seed: 12, Tenants: 100, Players: Range{20, 200}, Competitions: Range{2, 20},
		Visits: Range{7, 75}, Scores: Range{10, 100}, HugePlayers: 25 * 200, HugeCompetitions: 20,
	}
}

// Small has the same hundred tenants, with few players and short sheets, for
// tests and for judging the benchmark. Tenant 1 still has more players than a
// page of the ranking.
func Small() Options {
	return Options{
		Seed: 12, Tenants: 100, Players: Range{12, 24}, Competitions: Range{2, 5},
		Visits: Range{1, 5}, Scores: Range{1, 6}, HugePlayers: 240, HugeCompetitions: 6,
	}
}

func (o Options) validate() error {
	for _, r := range []struct {
		name  string
		least int64
		Range
	}{
		{"players", 1, o.Players},
		{"competitions", 1, o.Competitions},
		{"visits", 1, o.Visits}, // who has neither visit nor score is not billed
		{"scores", 1, o.Scores},
		{"huge players", 1, Range{o.HugePlayers, o.HugePlayers}},
		{"huge competitions", 1, Range{o.HugeCompetitions, o.HugeCompetitions}},
	} {
		if r.Min < r.least || r.Max < r.Min {
			return fmt.Errorf("%s: want at least %d, got %d to %d", r.name, r.least, r.Min, r.Max)
		}
	}
	// Tenant i is created 3·i hours after the epoch.
	if most := int((end-epoch)/(3*hour)) - 1; o.Tenants < 1 || o.Tenants > most {
		return fmt.Errorf("tenants: want 1 to %d, got %d", most, o.Tenants)
	}
	return nil
}

// Version names what Generate writes, so it belongs in the key of every cache
// of generated data. It changes with the generator and with the files that it
// takes from the problem's folder.
func Version(files fs.FS) (string, error) {
	h := sha256.New()
	add := func(name string) error {
		content, err := fs.ReadFile(files, name)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(h, "%s\x00%d\x00%s", name, len(content), content)
		return err
	}
	if err := add(schemaFile); err != nil {
		return "", fmt.Errorf("version of isucon12-qualifier data: %w", err)
	}
	err := fs.WalkDir(files, publicFolder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		return add(name)
	})
	if err != nil {
		return "", fmt.Errorf("version of isucon12-qualifier data: %w", err)
	}
	return generation + "-" + hex.EncodeToString(h.Sum(nil))[:8], nil
}

// Generate writes one world into dir, which is created if need be:
//
//	initial_data/ID.db             each tenant's SQLite database
//	admin/90_data.sql              statements that fill the admin database,
//	admin/visit_history.tsv        the last of which reads this
//	truth/benchmarker.json         a sample of players and competitions
//	truth/benchmarker_tenant.json  what each tenant owes at the start
//	truth/public/                  the static files, as the problem has them
//	truth/jwt.pem                  the private key that logins are signed with;
//	blackauth/isuports.pem         the same
//	public.pem                     its public half, for the app
//	etc/nginx/tls/                 a certificate for *.t.isucon.dev, and its key
//
// files is the problem's folder: the schema of the tenants' databases and the
// static files come from there. The databases are made by the program sqlite3.
//
// Nothing is said about what dir holds after an error, a cancelled ctx
// included: write to a fresh folder and rename it into place on success.
func Generate(ctx context.Context, dir string, files fs.FS, opts Options) error {
	if err := generate(ctx, dir, files, opts); err != nil {
		return fmt.Errorf("generate isucon12-qualifier data: %w", err)
	}
	return nil
}

func generate(ctx context.Context, dir string, files fs.FS, opts Options) error {
	if err := opts.validate(); err != nil {
		return err
	}
	if err := findSQLite(); err != nil {
		return err
	}
	schema, err := fs.ReadFile(files, schemaFile)
	if err != nil {
		return err
	}
	if err := writeKeys(dir, opts.Seed); err != nil {
		return err
	}
	if err := copyPublic(files, filepath.Join(dir, "truth")); err != nil {
		return err
	}
	return generateRows(ctx, dir, string(schema), opts)
}

// generateRows writes the databases and the truth about them.
func generateRows(ctx context.Context, dir, schema string, opts Options) error {
	for _, d := range []string{"initial_data", "admin", "truth"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o755); err != nil {
			return err
		}
	}
	tenants, err := writeDatabases(ctx, dir, schema, opts)
	if err != nil {
		return err
	}
	return writeTruth(dir, tenants, opts.Seed)
}

// sqlites is how many SQLites run at a time: the generator needs little of a
// second CPU, and tenant 1 keeps one busy as long as all others keep another.
const sqlites = 2

// writeDatabases writes all databases. Ids follow one another through all
// tenants, so their statements are drawn one tenant after the other, into
// spools from which SQLites then make databases side by side.
func writeDatabases(ctx context.Context, dir, schema string, opts Options) ([]tenant, error) {
	spools, err := os.MkdirTemp(dir, "spools-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(spools) }()

	ids := newDispenser(opts.Seed)
	tenants := drawTenants(opts, ids)
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(sqlites)
	err = writeAdmin(filepath.Join(dir, "admin"), tenants, func(visited visited) error {
		for i := range tenants {
			if err := ctx.Err(); err != nil {
				return err
			}
			t := &tenants[i]
			spool := filepath.Join(spools, strconv.Itoa(t.id)+".sql")
			err := writeFile(spool, func(out *bufio.Writer) error {
				return writeTenantSQL(out, schema, t, ids, opts, visited)
			})
			if err != nil {
				return err
			}
			g.Go(func() error {
				database := filepath.Join(dir, "initial_data", strconv.Itoa(t.id)+".db")
				return errors.Join(makeTenantDB(ctx, database, spool), os.Remove(spool))
			})
		}
		return nil
	})
	if failed := g.Wait(); failed != nil {
		return nil, failed // and err is only that ctx was cancelled
	}
	return tenants, err
}

// copyPublic copies the static files to the benchmark's side.
func copyPublic(files fs.FS, truth string) error {
	to := filepath.Join(truth, publicFolder)
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	public, err := fs.Sub(files, publicFolder)
	if err != nil {
		return err
	}
	return os.CopyFS(to, public)
}
