package main

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"

	"github.com/golang-jwt/jwt/v5"
	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
)

// viewer is who sent a request, as their token says.
type viewer struct {
	role     string
	playerID string // or "organizer", or "admin"
	tenant   tenantRow
}

var (
	errUnauthorized = echo.NewHTTPError(http.StatusUnauthorized)
	errForbidden    = echo.NewHTTPError(http.StatusForbidden)
	errNotFound     = echo.NewHTTPError(http.StatusNotFound)
	errBadRequest   = echo.NewHTTPError(http.StatusBadRequest)
)

func unauthorized(why string, args ...any) error {
	return fmt.Errorf("%w: %s", errUnauthorized, fmt.Sprintf(why, args...))
}

type claims struct {
	jwt.RegisteredClaims
	Role string `json:"role"`
}

// parseViewer checks the token in the cookie and whether it is one for the
// tenant that the request went to.
func parseViewer(c echo.Context) (*viewer, error) {
	cookie, err := c.Request().Cookie(cookieName)
	if err != nil {
		return nil, unauthorized("no cookie %s", cookieName)
	}
	pem, err := os.ReadFile(getenv("ISUCON_JWT_KEY_FILE", "../public.pem"))
	if err != nil {
		return nil, fmt.Errorf("read the public key: %w", err)
	}
	key, err := jwt.ParseRSAPublicKeyFromPEM(pem)
	if err != nil {
		return nil, fmt.Errorf("read the public key: %w", err)
	}
	var token claims
	_, err = jwt.ParseWithClaims(cookie.Value, &token, func(*jwt.Token) (any, error) { return key, nil },
		jwt.WithValidMethods([]string{"RS256"}))
	if err != nil {
		return nil, unauthorized("token: %v", err)
	}
	if token.Subject == "" {
		return nil, unauthorized("the token has no subject")
	}
	if token.Role != roleAdmin && token.Role != roleOrganizer && token.Role != rolePlayer {
		return nil, unauthorized("there is no role %q", token.Role)
	}
	if len(token.Audience) != 1 {
		return nil, unauthorized("the token is for %d audiences", len(token.Audience))
	}
	tenant, err := tenantOfHost(c)
	if isMissing(err) {
		return nil, unauthorized("there is no tenant at %s", c.Request().Host)
	}
	if err != nil {
		return nil, err
	}
	if tenant.Name == adminName && token.Role != roleAdmin {
		return nil, unauthorized("%s at the operator's host", token.Role)
	}
	if tenant.Name != token.Audience[0] {
		return nil, unauthorized("a token of %s at the host of %s", token.Audience[0], tenant.Name)
	}
	return &viewer{role: token.Role, playerID: token.Subject, tenant: *tenant}, nil
}

// organizerOf parses the viewer, who must be an organizer, and opens the
// tenant's database. The caller closes it.
func organizerOf(c echo.Context) (*viewer, *sqlx.DB, error) {
	v, err := parseViewer(c)
	if err != nil {
		return nil, nil, err
	}
	if v.role != roleOrganizer {
		return nil, nil, errForbidden
	}
	db, err := openTenantDB(v.tenant.ID)
	return v, db, err
}

// playerOf parses the viewer, who must be a player in good standing, and opens
// the tenant's database. The caller closes it.
func playerOf(c echo.Context) (*viewer, *sqlx.DB, error) {
	v, err := parseViewer(c)
	if err != nil {
		return nil, nil, err
	}
	if v.role != rolePlayer {
		return nil, nil, errForbidden
	}
	db, err := openTenantDB(v.tenant.ID)
	if err != nil {
		return nil, nil, err
	}
	if err := admit(c.Request().Context(), db, v.playerID); err != nil {
		db.Close()
		return nil, nil, err
	}
	return v, db, nil
}

// admit refuses players that do not exist or are disqualified.
func admit(ctx context.Context, db *sqlx.DB, id string) error {
	player, err := findPlayer(ctx, db, id)
	if isMissing(err) {
		return unauthorized("there is no player %s", id)
	}
	if err != nil {
		return err
	}
	if player.IsDisqualified {
		return fmt.Errorf("%w: player %s is disqualified", errForbidden, id)
	}
	return nil
}

// tenantOfHost finds the tenant by the name in the request's Host.
func tenantOfHost(c echo.Context) (*tenantRow, error) {
	name := strings.TrimSuffix(c.Request().Host, getenv("ISUCON_BASE_HOSTNAME", ".t.isucon.dev"))
	if name == adminName {
		return &tenantRow{Name: adminName, DisplayName: adminName}, nil
	}
	var tenant tenantRow
	if err := adminDB.GetContext(c.Request().Context(), &tenant, "SELECT * FROM tenant WHERE name = ?", name); err != nil {
		return nil, fmt.Errorf("find tenant %q: %w", name, err)
	}
	return &tenant, nil
}

type meResult struct {
	Tenant   *tenantName   `json:"tenant"`
	Me       *playerDetail `json:"me"`
	Role     string        `json:"role"`
	LoggedIn bool          `json:"logged_in"`
}

type tenantName struct {
	Name        string `json:"name"`
	DisplayName string `json:"display_name"`
}

// getMe is GET /api/me, for guests too.
func getMe(c echo.Context) error {
	tenant, err := tenantOfHost(c)
	if err != nil {
		return err
	}
	me := meResult{Tenant: &tenantName{tenant.Name, tenant.DisplayName}, Role: roleNone}
	v, err := parseViewer(c)
	if statusOf(err) == http.StatusUnauthorized {
		return answer(c, me)
	}
	if err != nil {
		return err
	}
	if v.role != rolePlayer {
		me.Role, me.LoggedIn = v.role, true
		return answer(c, me)
	}
	db, err := openTenantDB(v.tenant.ID)
	if err != nil {
		return err
	}
	defer db.Close()
	player, err := findPlayer(c.Request().Context(), db, v.playerID)
	if isMissing(err) {
		return answer(c, me)
	}
	if err != nil {
		return err
	}
	detail := player.detail()
	me.Me, me.Role, me.LoggedIn = &detail, v.role, true
	return answer(c, me)
}
