// The login front end of the ISUCON4 qualifier's bank: a form, a login, a page
// that shows the previous login, and the operator's report.
package main

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/gorilla/sessions"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// app is what the handlers share.
type app struct {
	db       *sql.DB
	sessions sessions.Store

	// An account is locked, an address banned, from this many failures in a row on.
	userLockThreshold int
	ipBanThreshold    int
}

func main() {
	db, err := openDB()
	if err != nil {
		fmt.Fprintln(os.Stderr, "database settings:", err)
		os.Exit(1)
	}
	a := &app{
		db:                db,
		sessions:          newSessionStore(getenv("ISU4_SESSION_SECRET", "shirokane")),
		userLockThreshold: getenvInt("ISU4_USER_LOCK_THRESHOLD", 3),
		ipBanThreshold:    getenvInt("ISU4_IP_BAN_THRESHOLD", 10),
	}

	// GET /login is an unknown page, not a wrong method.
	echo.MethodNotAllowedHandler = echo.NotFoundHandler

	e := echo.New()
	e.Renderer = &renderer{dir: getenv("TEMPLATE_DIR", "templates")}
	e.Use(middleware.RequestLogger())
	e.Use(middleware.Recover())

	e.GET("/", a.getIndex)
	e.POST("/login", a.postLogin)
	e.GET("/mypage", a.getMypage)
	e.GET("/report", a.getReport)

	static := getenv("STATIC_DIR", filepath.Join("..", "public"))
	e.Static("/stylesheets", filepath.Join(static, "stylesheets"))
	e.Static("/images", filepath.Join(static, "images"))

	e.Logger.Fatal(e.Start(":" + getenv("PORT", "8080")))
}

func openDB() (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = net.JoinHostPort(getenv("ISU4_DB_HOST", "localhost"), getenv("ISU4_DB_PORT", "3306"))
	config.User = getenv("ISU4_DB_USER", "root")
	config.Passwd = os.Getenv("ISU4_DB_PASSWORD")
	config.DBName = getenv("ISU4_DB_NAME", "isu4_qualifier")
	config.ParseTime = true
	config.Loc = time.Local
	return sql.Open("mysql", config.FormatDSN())
}

func getenv(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}

func getenvInt(name string, fallback int) int {
	value, err := strconv.Atoi(getenv(name, strconv.Itoa(fallback)))
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s is not a number: %v\n", name, err)
		os.Exit(1)
	}
	return value
}
