package main

import (
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

// adminName is the operator's pseudo tenant.
const adminName = "admin"

type tenantRow struct {
	ID          int64  `db:"id"`
	Name        string `db:"name"`
	DisplayName string `db:"display_name"`
	CreatedAt   int64  `db:"created_at"`
	UpdatedAt   int64  `db:"updated_at"`
}

// tenantBilling is a tenant with its bill in yen.
type tenantBilling struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
	Billing     int64  `json:"billing"`
}

// statusOf is the HTTP status that an error is answered with.
func statusOf(err error) int {
	var known *echo.HTTPError
	if errors.As(err, &known) {
		return known.Code
	}
	return http.StatusInternalServerError
}

var tenantNameRule = regexp.MustCompile(`^[a-z][a-z0-9-]{0,61}[a-z0-9]$`)

type addTenantResult struct {
	Tenant tenantBilling `json:"tenant"`
}

// addTenant is POST /api/admin/tenants/add.
func addTenant(c echo.Context) error {
	ctx := c.Request().Context()
	v, err := parseViewer(c)
	if err != nil {
		return err
	}
	if v.tenant.Name != adminName {
		return errNotFound
	}
	if v.role != roleAdmin {
		return errForbidden
	}
	name, displayName := c.FormValue("name"), c.FormValue("display_name")
	if !tenantNameRule.MatchString(name) {
		return fmt.Errorf("%w: tenant name %q", errBadRequest, name)
	}
	now := time.Now().Unix()
	result, err := adminDB.ExecContext(ctx,
		"INSERT INTO tenant (name, display_name, created_at, updated_at) VALUES (?, ?, ?, ?)", name, displayName, now, now)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) && refused.Number == 1062 { // duplicate
		return fmt.Errorf("%w: tenant %s is there already", errBadRequest, name)
	}
	if err != nil {
		return fmt.Errorf("add tenant: %w", err)
	}
	id, err := result.LastInsertId()
	if err != nil {
		return fmt.Errorf("add tenant: %w", err)
	}
	if err := createTenantDB(ctx, id); err != nil {
		return err
	}
	return answer(c, addTenantResult{tenantBilling{ID: strconv.FormatInt(id, 10), Name: name, DisplayName: displayName}})
}

type tenantsBillingResult struct {
	Tenants []tenantBilling `json:"tenants"`
}

// tenantsPerPage is how many tenants a page of bills has.
const tenantsPerPage = 10

// getTenantsBilling is GET /api/admin/tenants/billing: the newest tenants, or
// the newest before an id, with all that they owe.
func getTenantsBilling(c echo.Context) error {
	ctx := c.Request().Context()
	if c.Request().Host != getenv("ISUCON_ADMIN_HOSTNAME", "admin.t.isucon.dev") {
		return errNotFound
	}
	v, err := parseViewer(c)
	if err != nil {
		return err
	}
	if v.role != roleAdmin {
		return errForbidden
	}
	var before int64
	if text := c.QueryParam("before"); text != "" {
		if before, err = strconv.ParseInt(text, 10, 64); err != nil {
			return fmt.Errorf("%w: before: %v", errBadRequest, err)
		}
	}
	var tenants []tenantRow
	if err := adminDB.SelectContext(ctx, &tenants, "SELECT * FROM tenant ORDER BY id DESC"); err != nil {
		return fmt.Errorf("list tenants: %w", err)
	}
	page := []tenantBilling{}
	for _, t := range tenants {
		if before != 0 && before <= t.ID {
			continue
		}
		billing, err := billingOfTenant(c, t)
		if err != nil {
			return err
		}
		page = append(page, tenantBilling{strconv.FormatInt(t.ID, 10), t.Name, t.DisplayName, billing})
		if len(page) >= tenantsPerPage {
			break
		}
	}
	return answer(c, tenantsBillingResult{page})
}

// billingOfTenant sums up what a tenant owes for all its competitions.
func billingOfTenant(c echo.Context, t tenantRow) (int64, error) {
	db, err := openTenantDB(t.ID)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	competitions, err := listCompetitions(c, db, t.ID, "SELECT * FROM competition WHERE tenant_id = ?")
	if err != nil {
		return 0, err
	}
	var sum int64
	for _, competition := range competitions {
		report, err := billingOfCompetition(c.Request().Context(), db, t.ID, competition.ID)
		if err != nil {
			return 0, err
		}
		sum += report.BillingYen
	}
	return sum, nil
}

func listCompetitions(c echo.Context, db *sqlx.DB, tenantID int64, query string) ([]competitionRow, error) {
	var rows []competitionRow
	if err := db.SelectContext(c.Request().Context(), &rows, query, tenantID); err != nil {
		return nil, fmt.Errorf("list competitions of tenant %d: %w", tenantID, err)
	}
	return rows, nil
}
