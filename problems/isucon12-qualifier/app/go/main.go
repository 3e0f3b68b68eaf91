// ISUPORTS: score competitions as a service, for many tenants. The operator's
// database is MySQL; every tenant has an SQLite file of its own.
package main

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/labstack/gommon/log"
)

const (
	tenantSchemaFile = "../sql/tenant/10_schema.sql"
	initScript       = "../sql/init.sh"
	cookieName       = "isuports_session"
)

// Roles that a token may name.
const (
	roleAdmin     = "admin"
	roleOrganizer = "organizer"
	rolePlayer    = "player"
	roleNone      = "none"
)

// adminDB is the operator's database.
var adminDB *sqlx.DB

func main() {
	e := echo.New()
	e.Debug = true
	e.Logger.SetLevel(log.DEBUG)
	e.HTTPErrorHandler = answerError

	driver, closeTrace, err := tenantDriver(os.Getenv("ISUCON_SQLITE_TRACE_FILE"))
	if err != nil {
		e.Logger.Fatal(err)
	}
	defer closeTrace()
	tenantDriverName = driver

	if adminDB, err = openAdminDB(); err != nil {
		e.Logger.Fatal(err)
	}
	adminDB.SetMaxOpenConns(10)
	defer adminDB.Close()

	e.Use(middleware.RequestLogger())
	e.Use(middleware.Recover())
	e.Use(headJSON)

	e.POST("/api/admin/tenants/add", addTenant)
	e.GET("/api/admin/tenants/billing", getTenantsBilling)

	e.GET("/api/organizer/players", getPlayers)
	e.POST("/api/organizer/players/add", addPlayers)
	e.POST("/api/organizer/player/:player_id/disqualified", disqualifyPlayer)
	e.POST("/api/organizer/competitions/add", addCompetition)
	e.POST("/api/organizer/competition/:competition_id/finish", finishCompetition)
	e.POST("/api/organizer/competition/:competition_id/score", uploadScores)
	e.GET("/api/organizer/billing", getBilling)
	e.GET("/api/organizer/competitions", getOrganizerCompetitions)

	e.GET("/api/player/player/:player_id", getPlayer)
	e.GET("/api/player/competition/:competition_id/ranking", getRanking)
	e.GET("/api/player/competitions", getPlayerCompetitions)

	e.GET("/api/me", getMe)
	e.POST("/initialize", initialize)

	e.Logger.Fatal(e.Start(":" + getenv("SERVER_APP_PORT", "3000")))
}

func openAdminDB() (*sqlx.DB, error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = net.JoinHostPort(getenv("ISUCON_DB_HOST", "127.0.0.1"), getenv("ISUCON_DB_PORT", "3306"))
	config.User = getenv("ISUCON_DB_USER", "isucon")
	config.Passwd = getenv("ISUCON_DB_PASSWORD", "isucon")
	config.DBName = getenv("ISUCON_DB_NAME", "isuports")
	config.ParseTime = true
	return sqlx.Open("mysql", config.FormatDSN())
}

func getenv(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

// headJSON says that answers are JSON and keeps them out of shared caches: the same
// path shows every tenant something else.
func headJSON(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		c.Response().Header().Set(echo.HeaderCacheControl, "private")
		c.Response().Header().Set(echo.HeaderContentType, "application/json; charset=UTF-8")
		return next(c)
	}
}

// success is the envelope of every answer that is none of an error.
type success struct {
	Status bool `json:"status"`
	Data   any  `json:"data,omitempty"`
}

// failure is the envelope of an error.
type failure struct {
	Status  bool   `json:"status"`
	Message string `json:"message"`
}

func answer(c echo.Context, data any) error {
	return c.JSON(http.StatusOK, success{Status: true, Data: data})
}

func answerError(err error, c echo.Context) {
	c.Logger().Errorf("%s %s: %v", c.Request().Method, c.Path(), err)
	if c.Response().Committed {
		return
	}
	status := http.StatusInternalServerError
	var known *echo.HTTPError
	if errors.As(err, &known) {
		status = known.Code
	}
	if err := c.JSON(status, failure{}); err != nil {
		c.Logger().Error(err)
	}
}

// nextID takes an id from the dispenser: unique among players, competitions and
// scores of all tenants.
func nextID(ctx context.Context) (string, error) {
	var last error
	for range 100 {
		result, err := adminDB.ExecContext(ctx, "REPLACE INTO id_generator (stub) VALUES (?)", "a")
		var refused *mysql.MySQLError
		if errors.As(err, &refused) && refused.Number == 1213 { // deadlock
			last = err
			continue
		}
		if err != nil {
			return "", fmt.Errorf("take an id: %w", err)
		}
		id, err := result.LastInsertId()
		if err != nil {
			return "", fmt.Errorf("take an id: %w", err)
		}
		return strconv.FormatInt(id, 16), nil
	}
	return "", fmt.Errorf("take an id: %w", last)
}

type initializeResult struct {
	Lang string `json:"lang"`
}

// initialize is POST /initialize: the benchmark calls it before everything else.
func initialize(c echo.Context) error {
	if out, err := exec.CommandContext(c.Request().Context(), initScript).CombinedOutput(); err != nil {
		return fmt.Errorf("run %s: %w: %s", initScript, err, out)
	}
	return answer(c, initializeResult{Lang: "go"})
}

// isMissing tells whether a query found no row.
func isMissing(err error) bool { return errors.Is(err, sql.ErrNoRows) }
