package data

import (
	"bufio"
	"fmt"
	"path/filepath"
	"strconv"
)

// firstFreeID is where the app's own ids begin: behind those of the last second
// of the window. §11 has it ten times smaller, inside the range of ids given
// out here, which made uploads fail now and then (a slip of the contest's).
var firstFreeID = (end + 1 - epoch) * idsPerSecond

// tenantsPerInsert is the size of a statement.
const tenantsPerInsert = 1000

// visitsFile is read by a LOAD DATA statement in 90_data.sql, which takes a third
// of the time that INSERT statements do: 5 µs a row.
const visitsFile = "visit_history.tsv"

// writeAdmin writes the statements that fill the admin database, and the visits
// that draw hands on.
func writeAdmin(dir string, tenants []tenant, draw func(visited) error) error {
	err := writeFile(filepath.Join(dir, "90_data.sql"), func(out *bufio.Writer) error {
		_, _ = out.WriteString("-- To be run from the folder that this file is in, with --local-infile.\nSET NAMES utf8mb4;\n")
		rows := insert{out: out, table: "tenant", size: tenantsPerInsert}
		for _, t := range tenants {
			rows.row(number(t.id), text(t.name), text(t.display), number(t.createdAt), number(t.createdAt))
		}
		rows.end()
		_, err := fmt.Fprintf(out, "INSERT INTO id_generator VALUES (%d,'a');\nLOAD DATA LOCAL INFILE '%s' INTO TABLE visit_history;\n",
			firstFreeID, visitsFile)
		return err
	})
	if err != nil {
		return err
	}
	return writeFile(filepath.Join(dir, visitsFile), func(out *bufio.Writer) error {
		return draw(func(t *tenant, c *competition, visits []visit) {
			for _, v := range visits {
				b := append(out.AvailableBuffer(), t.players[v.player].id...)
				b = strconv.AppendInt(append(b, '\t'), int64(t.id), 10)
				b = append(append(b, '\t'), c.id...)
				b = strconv.AppendInt(append(b, '\t'), v.at, 10) // created_at
				b = strconv.AppendInt(append(b, '\t'), v.at, 10) // updated_at
				_, _ = out.Write(append(b, '\n'))                // a bufio.Writer keeps its first error for Flush
			}
		})
	})
}

// visited takes a competition's visits, which are good until it returns.
type visited func(*tenant, *competition, []visit)
