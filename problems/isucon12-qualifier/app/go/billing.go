package main

import (
	"context"
	"fmt"

	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

// What one competition costs, in yen.
const (
	yenPerPlayer  = 100 // who has a score
	yenPerVisitor = 10  // who only looked at the ranking
)

type billingReport struct {
	CompetitionID     string `json:"competition_id"`
	CompetitionTitle  string `json:"competition_title"`
	PlayerCount       int64  `json:"player_count"`
	VisitorCount      int64  `json:"visitor_count"`
	BillingPlayerYen  int64  `json:"billing_player_yen"`
	BillingVisitorYen int64  `json:"billing_visitor_yen"`
	BillingYen        int64  `json:"billing_yen"`
}

type firstVisit struct {
	PlayerID     string `db:"player_id"`
	MinCreatedAt int64  `db:"min_created_at"`
}

// billingOfCompetition reckons what is due for one competition: nothing as long
// as it is not finished.
func billingOfCompetition(ctx context.Context, db *sqlx.DB, tenantID int64, competitionID string) (*billingReport, error) {
	competition, err := findCompetition(ctx, db, competitionID)
	if err != nil {
		return nil, err
	}

	var visits []firstVisit
	if err := adminDB.SelectContext(ctx, &visits,
		"SELECT player_id, MIN(created_at) AS min_created_at FROM visit_history WHERE tenant_id = ? AND competition_id = ? GROUP BY player_id",
		tenantID, competition.ID); err != nil {
		return nil, fmt.Errorf("list visits of competition %s: %w", competition.ID, err)
	}
	costs := map[string]int64{}
	for _, visit := range visits {
		// Who came after the end is not charged for.
		if competition.FinishedAt.Valid && competition.FinishedAt.Int64 < visit.MinCreatedAt {
			continue
		}
		costs[visit.PlayerID] = yenPerVisitor
	}

	lock, err := lockTenant(tenantID)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	var players []string
	if err := db.SelectContext(ctx, &players,
		"SELECT DISTINCT(player_id) FROM player_score WHERE tenant_id = ? AND competition_id = ?",
		tenantID, competition.ID); err != nil {
		return nil, fmt.Errorf("list players with scores in competition %s: %w", competition.ID, err)
	}
	for _, id := range players {
		costs[id] = yenPerPlayer
	}

	report := &billingReport{CompetitionID: competition.ID, CompetitionTitle: competition.Title}
	if !competition.FinishedAt.Valid {
		return report, nil
	}
	for _, yen := range costs {
		switch yen {
		case yenPerPlayer:
			report.PlayerCount++
		case yenPerVisitor:
			report.VisitorCount++
		}
	}
	report.BillingPlayerYen = yenPerPlayer * report.PlayerCount
	report.BillingVisitorYen = yenPerVisitor * report.VisitorCount
	report.BillingYen = report.BillingPlayerYen + report.BillingVisitorYen
	return report, nil
}

type billingResult struct {
	Reports []billingReport `json:"reports"`
}

// getBilling is GET /api/organizer/billing: one report for each competition.
func getBilling(c echo.Context) error {
	v, db, err := organizerOf(c)
	if err != nil {
		return err
	}
	defer db.Close()
	competitions, err := listCompetitions(c, db, v.tenant.ID, "SELECT * FROM competition WHERE tenant_id = ? ORDER BY created_at DESC")
	if err != nil {
		return err
	}
	reports := make([]billingReport, 0, len(competitions))
	for _, competition := range competitions {
		report, err := billingOfCompetition(c.Request().Context(), db, v.tenant.ID, competition.ID)
		if err != nil {
			return err
		}
		reports = append(reports, *report)
	}
	return answer(c, billingResult{reports})
}
