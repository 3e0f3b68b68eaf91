package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

type playersResult struct {
	Players []playerDetail `json:"players"`
}

// getPlayers is GET /api/organizer/players.
func getPlayers(c echo.Context) error {
	v, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	var rows []playerRow
	if err := db.SelectContext(c.Request().Context(), &rows,
		"SELECT * FROM player WHERE tenant_id = ? ORDER BY created_at DESC", v.tenant.ID); err != nil {
		return fmt.Errorf("list players: %w", err)
	}
	players := make([]playerDetail, 0, len(rows))
	for _, row := range rows {
		players = append(players, row.detail())
	}
	return answer(c, playersResult{players})
}

// addPlayers is POST /api/organizer/players/add: one player for each display_name[].
func addPlayers(c echo.Context) error {
	ctx := c.Request().Context()
	v, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	form, err := c.FormParams()
	if err != nil {
		return fmt.Errorf("%w: %v", errBadRequest, err)
	}
	names := form["display_name[]"]
	players := make([]playerDetail, 0, len(names))
	for _, name := range names {
		id, err := nextID(ctx)
		if err != nil {
			return err
		}
		now := time.Now().Unix()
		if _, err := db.ExecContext(ctx,
			"INSERT INTO player (id, tenant_id, display_name, is_disqualified, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?)",
			id, v.tenant.ID, name, false, now, now); err != nil {
			return fmt.Errorf("add player: %w", err)
		}
		player, err := findPlayer(ctx, db, id)
		if err != nil {
			return err
		}
		players = append(players, player.detail())
	}
	return answer(c, playersResult{players})
}

type playerResult struct {
	Player playerDetail `json:"player"`
}

// disqualifyPlayer is POST /api/organizer/player/:player_id/disqualified.
func disqualifyPlayer(c echo.Context) error {
	ctx := c.Request().Context()
	_, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	id := c.Param("player_id")
	if _, err := db.ExecContext(ctx, "UPDATE player SET is_disqualified = ?, updated_at = ? WHERE id = ?",
		true, time.Now().Unix(), id); err != nil {
		return fmt.Errorf("disqualify player %q: %w", id, err)
	}
	player, err := findPlayer(ctx, db, id)
	if isMissing(err) {
		return errNotFound
	}
	if err != nil {
		return err
	}
	return answer(c, playerResult{player.detail()})
}

type competitionResult struct {
	Competition competitionDetail `json:"competition"`
}

// addCompetition is POST /api/organizer/competitions/add.
func addCompetition(c echo.Context) error {
	ctx := c.Request().Context()
	v, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	title := c.FormValue("title")
	id, err := nextID(ctx)
	if err != nil {
		return err
	}
	now := time.Now().Unix()
	if _, err := db.ExecContext(ctx,
		"INSERT INTO competition (id, tenant_id, title, finished_at, created_at, updated_at) VALUES (?, ?, ?, NULL, ?, ?)",
		id, v.tenant.ID, title, now, now); err != nil {
		return fmt.Errorf("add competition: %w", err)
	}
	return answer(c, competitionResult{competitionDetail{ID: id, Title: title}})
}

// competitionOfPath finds the competition that the path names.
func competitionOfPath(c echo.Context, db *sqlx.DB) (*competitionRow, error) {
	competition, err := findCompetition(c.Request().Context(), db, c.Param("competition_id"))
	if isMissing(err) {
		return nil, errNotFound
	}
	return competition, err
}

// finishCompetition is POST /api/organizer/competition/:competition_id/finish.
func finishCompetition(c echo.Context) error {
	_, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	competition, err := competitionOfPath(c, db)
	if err != nil {
		return err
	}
	now := time.Now().Unix()
	if _, err := db.ExecContext(c.Request().Context(),
		"UPDATE competition SET finished_at = ?, updated_at = ? WHERE id = ?", now, now, competition.ID); err != nil {
		return fmt.Errorf("finish competition %s: %w", competition.ID, err)
	}
	return answer(c, nil)
}

type uploadResult struct {
	Rows int64 `json:"rows"`
}

// uploadScores is POST /api/organizer/competition/:competition_id/score: the
// sheet takes the place of the one before as a whole.
func uploadScores(c echo.Context) error {
	ctx := c.Request().Context()
	v, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	competition, err := competitionOfPath(c, db)
	if err != nil {
		return err
	}
	if competition.FinishedAt.Valid {
		return c.JSON(http.StatusBadRequest, failure{Message: "competition is finished"})
	}
	part, err := c.FormFile("scores")
	if err != nil {
		return fmt.Errorf("find the sheet: %w", err)
	}
	file, err := part.Open()
	if err != nil {
		return fmt.Errorf("open the sheet: %w", err)
	}
	defer file.Close()
	sheet := csv.NewReader(file)
	sheet.FieldsPerRecord = -1
	head, err := sheet.Read()
	if err != nil || !slices.Equal(head, []string{"player_id", "score"}) {
		return fmt.Errorf("%w: the sheet begins with %q", errBadRequest, head)
	}

	lock, err := lockTenant(v.tenant.ID)
	if err != nil {
		return err
	}
	defer lock.Close()
	var rows []scoreRow
	for {
		line, err := sheet.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("read the sheet: %w", err)
		}
		row, err := readScore(c, db, line)
		if err != nil {
			return err
		}
		row.TenantID, row.CompetitionID, row.RowNum = v.tenant.ID, competition.ID, int64(len(rows)+1)
		rows = append(rows, *row)
	}
	if _, err := db.ExecContext(ctx, "DELETE FROM player_score WHERE tenant_id = ? AND competition_id = ?",
		v.tenant.ID, competition.ID); err != nil {
		return fmt.Errorf("clear the sheet of competition %s: %w", competition.ID, err)
	}
	for _, row := range rows {
		if _, err := db.NamedExecContext(ctx,
			"INSERT INTO player_score (id, tenant_id, player_id, competition_id, score, row_num, created_at, updated_at) VALUES (:id, :tenant_id, :player_id, :competition_id, :score, :row_num, :created_at, :updated_at)",
			row); err != nil {
			return fmt.Errorf("add score: %w", err)
		}
	}
	return answer(c, uploadResult{int64(len(rows))})
}

// readScore makes a row of one line of a sheet.
func readScore(c echo.Context, db *sqlx.DB, line []string) (*scoreRow, error) {
	ctx := c.Request().Context()
	if len(line) != 2 {
		return nil, fmt.Errorf("a row of the sheet has %d columns", len(line))
	}
	playerID := line[0]
	if _, err := findPlayer(ctx, db, playerID); isMissing(err) {
		return nil, fmt.Errorf("%w: there is no player %q", errBadRequest, playerID)
	} else if err != nil {
		return nil, err
	}
	score, err := strconv.ParseInt(line[1], 10, 64)
	if err != nil {
		return nil, fmt.Errorf("%w: score: %v", errBadRequest, err)
	}
	id, err := nextID(ctx)
	if err != nil {
		return nil, err
	}
	now := time.Now().Unix()
	return &scoreRow{ID: id, PlayerID: playerID, Score: score, CreatedAt: now, UpdatedAt: now}, nil
}

// getOrganizerCompetitions is GET /api/organizer/competitions.
func getOrganizerCompetitions(c echo.Context) error {
	v, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	return answerCompetitions(c, v, db)
}
