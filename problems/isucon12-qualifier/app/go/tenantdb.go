package main

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"

	"github.com/jmoiron/sqlx"
)

// tenantDriverName is the database/sql driver that tenant databases are opened with.
var tenantDriverName = "sqlite3"

func tenantFile(id int64, suffix string) string {
	return filepath.Join(getenv("ISUCON_TENANT_DB_DIR", "../tenant_db"), strconv.FormatInt(id, 10)+suffix)
}

// openTenantDB opens a tenant's database. The caller closes it.
func openTenantDB(id int64) (*sqlx.DB, error) {
	db, err := sqlx.Open(tenantDriverName, "file:"+tenantFile(id, ".db")+"?mode=rw")
	if err != nil {
		return nil, fmt.Errorf("open the database of tenant %d: %w", id, err)
	}
	return db, nil
}

// createTenantDB makes the empty database of a new tenant.
func createTenantDB(ctx context.Context, id int64) error {
	command := fmt.Sprintf("sqlite3 %s < %s", tenantFile(id, ".db"), tenantSchemaFile)
	if out, err := exec.CommandContext(ctx, "sh", "-c", command).CombinedOutput(); err != nil {
		return fmt.Errorf("make the database of tenant %d: %w: %s", id, err, out)
	}
	return nil
}

// lockTenant waits until nobody else reads or replaces scores of the tenant. The
// caller closes the lock.
func lockTenant(id int64) (*os.File, error) {
	file, err := os.OpenFile(tenantFile(id, ".lock"), os.O_CREATE|os.O_RDONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock tenant %d: %w", id, err)
	}
	for {
		err = syscall.Flock(int(file.Fd()), syscall.LOCK_EX)
		if err != syscall.EINTR {
			break
		}
	}
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("lock tenant %d: %w", id, err)
	}
	return file, nil
}

type playerRow struct {
	TenantID       int64  `db:"tenant_id"`
	ID             string `db:"id"`
	DisplayName    string `db:"display_name"`
	IsDisqualified bool   `db:"is_disqualified"`
	CreatedAt      int64  `db:"created_at"`
	UpdatedAt      int64  `db:"updated_at"`
}

type playerDetail struct {
	ID             string `json:"id"`
	DisplayName    string `json:"display_name"`
	IsDisqualified bool   `json:"is_disqualified"`
}

func (p *playerRow) detail() playerDetail {
	return playerDetail{p.ID, p.DisplayName, p.IsDisqualified}
}

func findPlayer(ctx context.Context, db *sqlx.DB, id string) (*playerRow, error) {
	var p playerRow
	if err := db.GetContext(ctx, &p, "SELECT * FROM player WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("find player %q: %w", id, err)
	}
	return &p, nil
}

type competitionRow struct {
	TenantID   int64         `db:"tenant_id"`
	ID         string        `db:"id"`
	Title      string        `db:"title"`
	FinishedAt sql.NullInt64 `db:"finished_at"`
	CreatedAt  int64         `db:"created_at"`
	UpdatedAt  int64         `db:"updated_at"`
}

type competitionDetail struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	IsFinished bool   `json:"is_finished"`
}

func (c *competitionRow) detail() competitionDetail {
	return competitionDetail{c.ID, c.Title, c.FinishedAt.Valid}
}

func findCompetition(ctx context.Context, db *sqlx.DB, id string) (*competitionRow, error) {
	var c competitionRow
	if err := db.GetContext(ctx, &c, "SELECT * FROM competition WHERE id = ?", id); err != nil {
		return nil, fmt.Errorf("find competition %q: %w", id, err)
	}
	return &c, nil
}

type scoreRow struct {
	TenantID      int64  `db:"tenant_id"`
	ID            string `db:"id"`
	PlayerID      string `db:"player_id"`
	CompetitionID string `db:"competition_id"`
	Score         int64  `db:"score"`
	RowNum        int64  `db:"row_num"`
	CreatedAt     int64  `db:"created_at"`
	UpdatedAt     int64  `db:"updated_at"`
}
