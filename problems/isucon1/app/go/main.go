// The blog of ISUCON1: articles, comments, and beside every page the articles
// that were commented last.
package main

import (
	"database/sql"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"github.com/go-sql-driver/mysql"
	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
)

// workers is the number of connections to the database: one for each worker
// process of the contest's app server.
const workers = 10

// app is what the handlers share.
type app struct {
	db *sql.DB
}

func main() {
	db, err := openDB()
	if err != nil {
		fmt.Fprintln(os.Stderr, "database settings:", err)
		os.Exit(1)
	}
	a := &app{db: db}

	e := echo.New()
	e.Renderer = &renderer{dir: getenv("TEMPLATE_DIR", "templates")}
	e.Use(middleware.RequestLogger())
	e.Use(middleware.Recover())

	e.GET("/", a.getIndex)
	e.GET("/article/:id", a.getArticle)
	e.GET("/post", a.getPost)
	e.POST("/post", a.postArticle)
	e.POST("/comment/:id", a.postComment)

	static := getenv("STATIC_DIR", filepath.Join("..", "public"))
	e.Static("/css", filepath.Join(static, "css"))
	e.Static("/js", filepath.Join(static, "js"))
	e.Static("/images", filepath.Join(static, "images"))
	e.File("/favicon.ico", filepath.Join(static, "favicon.ico"))

	e.Logger.Fatal(e.Start(":" + getenv("PORT", "5000")))
}

func openDB() (*sql.DB, error) {
	config := mysql.NewConfig()
	config.Net = "tcp"
	config.Addr = net.JoinHostPort(getenv("ISUCON_DB_HOST", "localhost"), getenv("ISUCON_DB_PORT", "3306"))
	config.User = getenv("ISUCON_DB_USER", "root")
	config.Passwd = os.Getenv("ISUCON_DB_PASSWORD")
	config.DBName = getenv("ISUCON_DB_NAME", "isucon")
	db, err := sql.Open("mysql", config.FormatDSN())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(workers)
	db.SetMaxIdleConns(workers)
	return db, nil
}

func getenv(name, fallback string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	return fallback
}
