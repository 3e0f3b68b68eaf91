package isucon12qscenario

import (
	"fmt"

	"github.com/goccy/go-json"

	"hotseat/bench"
)

// The data of answers (§6). Members that must be there although their zero
// value is a good one are pointers.

type playerDetail struct {
	ID             string  `json:"id"`
	DisplayName    *string `json:"display_name"`
	IsDisqualified *bool   `json:"is_disqualified"`
}

func (d *playerDetail) lacks() string {
	return lacking("player", d.ID != "", "id", d.DisplayName != nil, "display_name", d.IsDisqualified != nil, "is_disqualified")
}

type competitionDetail struct {
	ID         string `json:"id"`
	Title      string `json:"title"`
	IsFinished *bool  `json:"is_finished"`
}

func (d *competitionDetail) lacks() string {
	return lacking("competition", d.ID != "", "id", d.Title != "", "title", d.IsFinished != nil, "is_finished")
}

type tenantDetail struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Billing     *int64 `json:"billing"`
}

func (d *tenantDetail) lacks() string {
	return lacking("tenant", d.ID != "", "id", d.Name != "", "name", d.DisplayName != "", "display_name", d.Billing != nil, "billing")
}

type initializeData struct {
	Lang string `json:"lang"`
}

func (d *initializeData) lacks() string { return lacking("data", d.Lang != "", "lang") }

type tenantData struct {
	Tenant tenantDetail `json:"tenant"`
}

func (d *tenantData) lacks() string { return d.Tenant.lacks() }

type tenantsData struct {
	Tenants []tenantDetail `json:"tenants"`
}

func (d *tenantsData) lacks() string { return allLack(d.Tenants, (*tenantDetail).lacks) }

type playerData struct {
	Player playerDetail `json:"player"`
}

func (d *playerData) lacks() string { return d.Player.lacks() }

type playersData struct {
	Players []playerDetail `json:"players"`
}

func (d *playersData) lacks() string { return allLack(d.Players, (*playerDetail).lacks) }

type competitionData struct {
	Competition competitionDetail `json:"competition"`
}

func (d *competitionData) lacks() string { return d.Competition.lacks() }

type competitionsData struct {
	Competitions []competitionDetail `json:"competitions"`
}

func (d *competitionsData) lacks() string { return allLack(d.Competitions, (*competitionDetail).lacks) }

type rowsData struct {
	Rows *int64 `json:"rows"`
}

func (d *rowsData) lacks() string { return lacking("data", d.Rows != nil, "rows") }

// report is one competition in a tenant's billing.
type report struct {
	CompetitionID     string `json:"competition_id"`
	CompetitionTitle  string `json:"competition_title"`
	PlayerCount       *int64 `json:"player_count"`
	VisitorCount      *int64 `json:"visitor_count"`
	BillingPlayerYen  *int64 `json:"billing_player_yen"`
	BillingVisitorYen *int64 `json:"billing_visitor_yen"`
	BillingYen        *int64 `json:"billing_yen"`
}

func (d *report) lacks() string {
	return lacking("report", d.CompetitionID != "", "competition_id", d.CompetitionTitle != "", "competition_title",
		d.PlayerCount != nil, "player_count", d.VisitorCount != nil, "visitor_count", d.BillingPlayerYen != nil, "billing_player_yen",
		d.BillingVisitorYen != nil, "billing_visitor_yen", d.BillingYen != nil, "billing_yen")
}

type billingData struct {
	Reports []report `json:"reports"`
}

func (d *billingData) lacks() string { return allLack(d.Reports, (*report).lacks) }

// rank is one entry of a ranking.
type rank struct {
	Rank              int64  `json:"rank"`
	Score             *int64 `json:"score"`
	PlayerID          string `json:"player_id"`
	PlayerDisplayName string `json:"player_display_name"`
}

// lacks is asked about a hundred entries of every ranking.
func (d *rank) lacks() string {
	switch {
	case d.Rank == 0:
		return "rank.rank"
	case d.Score == nil:
		return "rank.score"
	case d.PlayerID == "":
		return "rank.player_id"
	default:
		return ""
	}
}

type rankingData struct {
	Competition competitionDetail `json:"competition"`
	Ranks       []rank            `json:"ranks"`
}

func (d *rankingData) lacks() string {
	if what := d.Competition.lacks(); what != "" {
		return what
	}
	return allLack(d.Ranks, (*rank).lacks)
}

type playerScore struct {
	CompetitionTitle string `json:"competition_title"`
	Score            *int64 `json:"score"`
}

func (d *playerScore) lacks() string {
	return lacking("score", d.CompetitionTitle != "", "competition_title", d.Score != nil, "score")
}

type playerPageData struct {
	Player playerDetail  `json:"player"`
	Scores []playerScore `json:"scores"`
}

func (d *playerPageData) lacks() string {
	if what := d.Player.lacks(); what != "" {
		return what
	}
	return allLack(d.Scores, (*playerScore).lacks)
}

// lacking names the first member that is not there: pairs of whether it is,
// and its name.
func lacking(of string, pairs ...any) string {
	for i := 0; i < len(pairs); i += 2 {
		if !pairs[i].(bool) {
			return of + "." + pairs[i+1].(string)
		}
	}
	return ""
}

func allLack[E any](list []E, lacks func(*E) string) string {
	for i := range list {
		if what := lacks(&list[i]); what != "" {
			return what
		}
	}
	return ""
}

// shaped is data that knows which of its members are missing.
type shaped[T any] interface {
	*T
	lacks() string
}

// envelope is what every answer is wrapped in (§5).
type envelope[T any] struct {
	Status *bool `json:"status"`
	Data   *T    `json:"data"`
}

// read decodes the data of an answer. What cannot be used at all is an error
// also where the rule about the shape is switched off.
func read[T any, P shaped[T]](b *browser, p *bench.Page) (*T, error) {
	b.exercised(ruleShape)
	var e envelope[T]
	err := json.Unmarshal(p.Body(), &e)
	wrong := ""
	switch {
	case err != nil:
		wrong = err.Error()
	case e.Status == nil || !*e.Status:
		wrong = `"status" is not true`
	case e.Data == nil:
		wrong = `there is no "data"`
	default:
		if what := P(e.Data).lacks(); what != "" {
			wrong = "there is no " + what
		}
	}
	if wrong == "" {
		return e.Data, nil
	}
	if err := b.blame(p, misshapen(p, wrong)); err != nil {
		return nil, err
	}
	if err != nil || e.Data == nil || P(e.Data).lacks() != "" {
		return nil, bench.ErrCut
	}
	return e.Data, nil
}

// readEmpty is read for answers without data.
func readEmpty(b *browser, p *bench.Page) error {
	b.exercised(ruleShape)
	var e envelope[any]
	if err := json.Unmarshal(p.Body(), &e); err != nil || e.Status == nil || !*e.Status {
		return b.blame(p, misshapen(p, `"status" is not true`))
	}
	return nil
}

func misshapen(p *bench.Page, wrong string) *finding {
	body := p.Body()
	return &finding{Problem: bench.Problem{
		Rule: ruleShape, Code: "json-schema",
		Expected: `{"status": true, "data": {…}} with all members of the documented types; ids are strings`,
		Actual:   string(body[:min(len(body), 1000)]),
		Message:  fmt.Sprintf("the answer has another shape than documented: %s", wrong),
	}}
}
