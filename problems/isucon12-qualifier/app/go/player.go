package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

type competitionsResult struct {
	Competitions []competitionDetail `json:"competitions"`
}

// answerCompetitions lists the tenant's competitions, newest first.
func answerCompetitions(c echo.Context, v *viewer, db *sqlx.DB) error {
	rows, err := listCompetitions(c, db, v.tenant.ID, "SELECT * FROM competition WHERE tenant_id = ? ORDER BY created_at DESC")
	if err != nil {
		return err
	}
	competitions := make([]competitionDetail, 0, len(rows))
	for _, row := range rows {
		competitions = append(competitions, row.detail())
	}
	return answer(c, competitionsResult{competitions})
}

// getPlayerCompetitions is GET /api/player/competitions.
func getPlayerCompetitions(c echo.Context) error {
	v, db, err := playerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	return answerCompetitions(c, v, db)
}

type playerScore struct {
	CompetitionTitle string `json:"competition_title"`
	Score            int64  `json:"score"`
}

type playerPageResult struct {
	Player playerDetail  `json:"player"`
	Scores []playerScore `json:"scores"`
}

// getPlayer is GET /api/player/player/:player_id: a player and their scores.
func getPlayer(c echo.Context) error {
	ctx := c.Request().Context()
	v, db, err := playerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	player, err := findPlayer(ctx, db, c.Param("player_id"))
	if isMissing(err) {
		return errNotFound
	}
	if err != nil {
		return err
	}
	competitions, err := listCompetitions(c, db, v.tenant.ID, "SELECT * FROM competition WHERE tenant_id = ? ORDER BY created_at ASC")
	if err != nil {
		return err
	}

	lock, err := lockTenant(v.tenant.ID)
	if err != nil {
		return err
	}
	defer lock.Close()
	scores := []playerScore{}
	for _, competition := range competitions {
		var row scoreRow
		// The last row of the sheet counts.
		err := db.GetContext(ctx, &row,
			"SELECT * FROM player_score WHERE tenant_id = ? AND competition_id = ? AND player_id = ? ORDER BY row_num DESC LIMIT 1",
			v.tenant.ID, competition.ID, player.ID)
		if isMissing(err) {
			continue
		}
		if err != nil {
			return fmt.Errorf("find the score of player %s: %w", player.ID, err)
		}
		scores = append(scores, playerScore{competition.Title, row.Score})
	}
	return answer(c, playerPageResult{player.detail(), scores})
}

type rank struct {
	Rank              int64  `json:"rank"`
	Score             int64  `json:"score"`
	PlayerID          string `json:"player_id"`
	PlayerDisplayName string `json:"player_display_name"`
	rowNum            int64
}

type rankingResult struct {
	Competition competitionDetail `json:"competition"`
	Ranks       []rank            `json:"ranks"`
}

// ranksPerPage is how many places a page of a ranking has.
const ranksPerPage = 100

// getRanking is GET /api/player/competition/:competition_id/ranking. Whoever
// looks at it is a visitor, who may have to be paid for.
func getRanking(c echo.Context) error {
	ctx := c.Request().Context()
	v, db, err := playerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	competition, err := competitionOfPath(c, db)
	if err != nil {
		return err
	}

	now := time.Now().Unix()
	var tenant tenantRow
	if err := adminDB.GetContext(ctx, &tenant, "SELECT * FROM tenant WHERE id = ?", v.tenant.ID); err != nil {
		return fmt.Errorf("find tenant %d: %w", v.tenant.ID, err)
	}
	if _, err := adminDB.ExecContext(ctx,
		"INSERT INTO visit_history (player_id, tenant_id, competition_id, created_at, updated_at) VALUES (?, ?, ?, ?, ?)",
		v.playerID, tenant.ID, competition.ID, now, now); err != nil {
		return fmt.Errorf("note the visit of player %s: %w", v.playerID, err)
	}

	var after int64
	if text := c.QueryParam("rank_after"); text != "" {
		if after, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fmt.Errorf("rank_after: %w", err)
		}
	}

	lock, err := lockTenant(v.tenant.ID)
	if err != nil {
		return err
	}
	defer lock.Close()
	var rows []scoreRow
	if err := db.SelectContext(ctx, &rows,
		"SELECT * FROM player_score WHERE tenant_id = ? AND competition_id = ? ORDER BY row_num DESC",
		tenant.ID, competition.ID); err != nil {
		return fmt.Errorf("list scores of competition %s: %w", competition.ID, err)
	}
	all := make([]rank, 0, len(rows))
	seen := map[string]bool{}
	for _, row := range rows {
		// The last row of the sheet counts, and it comes first here.
		if seen[row.PlayerID] {
			continue
		}
		seen[row.PlayerID] = true
		player, err := findPlayer(ctx, db, row.PlayerID)
		if err != nil {
			return err
		}
		all = append(all, rank{Score: row.Score, PlayerID: player.ID, PlayerDisplayName: player.DisplayName, rowNum: row.RowNum})
	}
	slices.SortFunc(all, func(a, b rank) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.rowNum, b.rowNum))
	})
	page := []rank{}
	for i, r := range all {
		if int64(i) < after {
			continue
		}
		r.Rank = int64(i + 1)
		page = append(page, r)
		if len(page) >= ranksPerPage {
			break
		}
	}
	return answer(c, rankingResult{competition.detail(), page})
}
