package data

import (
	"bufio"
	"fmt"
)

// visitsPerInsert keeps a statement under a megabyte, far below any server's
// max_allowed_packet.
const visitsPerInsert = 10_000

// firstFreeID is where the app's own ids begin: behind those of the last second
// of the window. §11 has it ten times smaller, inside the range of ids given
// out here, which made uploads fail now and then (a slip of the contest's).
var firstFreeID = (end + 1 - epoch) * idsPerSecond

// adminSQL writes the rows of the admin database.
type adminSQL struct {
	out    *bufio.Writer
	visits insert
}

// begin writes what there is before the visits. The checks that are switched
// off let InnoDB fill an empty table by the page instead of by the row.
func beginAdmin(out *bufio.Writer, tenants []tenant) *adminSQL {
	_, _ = out.WriteString("SET NAMES utf8mb4;\nSET unique_checks = 0;\nSET foreign_key_checks = 0;\nBEGIN;\n")
	rows := insert{out: out, table: "tenant", size: visitsPerInsert}
	for _, t := range tenants {
		rows.row(number(t.id), text(t.name), text(t.display), number(t.createdAt), number(t.createdAt))
	}
	rows.end()
	_, _ = fmt.Fprintf(out, "INSERT INTO id_generator VALUES (%d,'a');\n", firstFreeID)
	return &adminSQL{out, insert{out: out, table: "visit_history", size: visitsPerInsert}}
}

func (a *adminSQL) visited(t *tenant, c *competition, visits []visit) {
	for _, v := range visits {
		a.visits.row(text(t.players[v.player].id), number(t.id), text(c.id), number(v.at), number(v.at))
	}
}

func (a *adminSQL) end() error {
	a.visits.end()
	_, err := a.out.WriteString("COMMIT;\n")
	return err
}
