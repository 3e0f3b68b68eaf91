// n+: tickets for live events. Artists take timeslots of venues for their events,
// audiences reserve tickets, and owners look after all of it.
package main

import (
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/jmoiron/sqlx"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

const initScript = "../sql/init.sh"

// campaign is what POST /api/initialize answers: how much the site is advertised,
// and so how many people come. 1: not at all, 2: promoted, 3: promoted everywhere.
// Raise it when the site can stand it.
const campaign = "1"

// app is what the handlers share.
type app struct {
	db      *sqlx.DB
	key     []byte // of the tokens' signatures
	revoked *revocationList
	public  string     // folder of the static files
	signups sync.Mutex // the database lets two users have one name
}

func main() {
	db, err := openDB()
	if err != nil {
		fmt.Fprintln(os.Stderr, "database settings:", err)
		os.Exit(1)
	}
	a := &app{
		db:      db,
		key:     []byte(os.Getenv("JWT_SECRET_KEY")),
		revoked: &revocationList{path: getenv("REVOCATION_LIST_PATH", "./TokenRevocationList.dat")},
		public:  getenv("STATIC_DIR", filepath.Join("..", "public")),
	}
	if len(a.key) == 0 {
		fmt.Fprintln(os.Stderr, "JWT_SECRET_KEY is empty: anybody could sign tokens")
		os.Exit(1)
	}
	e := a.routes()
	e.Logger.Fatal(e.Start(":" + getenv("PORT", "5000")))
}

func (a *app) routes() *echo.Echo {
	e := echo.New()
	e.HTTPErrorHandler = answerError
	e.Use(middleware.RequestLogger())
	e.Use(middleware.Recover())
	e.Use(middleware.CORS())

	api := e.Group("/api")
	api.POST("/initialize", a.initialize)
	api.POST("/login", a.login)
	api.POST("/logout", a.logout)

	api.POST("/users", a.signUp)
	api.GET("/users/:user_id", a.getUser)
	api.GET("/users/:user_id/reservations", a.getUserReservations)

	api.GET("/genres", a.getGenres)
	api.GET("/venues", a.getVenues)
	api.GET("/venues/:venue_id/timeslots", a.getTimeslots)

	api.GET("/events", a.getEvents)
	api.POST("/events", a.createEvent)
	api.GET("/events/:event_id", a.getEvent)
	api.PUT("/events/:event_id", a.updateEvent)
	api.GET("/events/:event_id/image", a.getImage)
	api.PUT("/events/:event_id/image", a.putImage)
	api.GET("/events/:event_id/reservations", a.getEventReservations)
	api.POST("/events/:event_id/reservations", a.reserve)

	api.GET("/reservations/:id", a.getReservation)
	api.DELETE("/reservations/:id", a.cancelReservation)
	api.Any("/*", func(echo.Context) error { return errNotFound })

	e.Static("/", a.public)
	return e
}

func openDB() (*sqlx.DB, error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = net.JoinHostPort(getenv("MYSQL_HOST", "localhost"), getenv("MYSQL_PORT", "3306"))
	config.User = getenv("MYSQL_USER", "ptc-user")
	config.Passwd = os.Getenv("MYSQL_PASSWORD")
	config.DBName = getenv("MYSQL_DATABASE", "app")
	config.ParseTime = true
	config.Loc = time.UTC
	return sqlx.Open("mysql", config.FormatDSN())
}

func getenv(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

// initialize is POST /api/initialize: the benchmark calls it before everything else.
func (a *app) initialize(c echo.Context) error {
	if out, err := exec.CommandContext(c.Request().Context(), initScript).CombinedOutput(); err != nil {
		return fmt.Errorf("run %s: %w: %s", initScript, err, out)
	}
	return c.String(http.StatusOK, campaign)
}
