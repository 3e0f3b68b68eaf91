// Packer is an app for drills of the advisor: each route does one thing, well or
// badly as the environment and the database's indexes have it.
package main

import (
	"bufio"
	"cmp"
	"database/sql"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"
)

// orchard is the app with what its environment says:
//
//	POOL, IDLE  connections to the database, and those of them kept
//	PREPARE=yes prepared statements, made anew for each query
//	TALKATIVE=yes a log line for each request
type orchard struct {
	db        *sql.DB
	redis     *line
	memcached *line
}

func main() {
	if err := run(); err != nil {
		log.Fatal(err)
	}
}

func run() error {
	c := mysql.NewConfig()
	c.Net, c.Addr, c.User, c.Passwd, c.DBName = "tcp", os.Getenv("DB_ADDRESS"), "packer", "packer", "orchard"
	c.InterpolateParams = os.Getenv("PREPARE") != "yes"
	connector, err := mysql.NewConnector(c)
	if err != nil {
		return err
	}
	o := &orchard{db: sql.OpenDB(connector), redis: newLine(os.Getenv("REDIS_ADDRESS")), memcached: newLine(os.Getenv("MEMCACHED_ADDRESS"))}
	pool, err := strconv.Atoi(cmp.Or(os.Getenv("POOL"), "32"))
	if err != nil {
		return err
	}
	idle, err := strconv.Atoi(cmp.Or(os.Getenv("IDLE"), strconv.Itoa(pool)))
	if err != nil {
		return err
	}
	o.db.SetMaxOpenConns(pool)
	o.db.SetMaxIdleConns(idle)
	mux := http.NewServeMux()
	for path, answer := range map[string]func(*http.Request) (string, error){
		"/{$}":       func(*http.Request) (string, error) { return "apples", nil },
		"/crates":    o.crates,
		"/newest":    o.newest,
		"/busiest":   o.busiest,
		"/board":     o.board,
		"/harvest":   o.harvest,
		"/weigh":     o.weigh,
		"/picture":   o.picture,
		"/far":       o.far,
		"/label":     o.label,
		"/basket":    o.basket,
		"/shelf":     o.shelf,
		"/delivery":  delivery,
		"/almanac":   almanac,
		"/broken":    func(*http.Request) (string, error) { return "", fmt.Errorf("a worm") },
		"/style.css": func(*http.Request) (string, error) { return strings.Repeat("p { color: green }\n", 300), nil },
	} {
		mux.HandleFunc(path, func(w http.ResponseWriter, r *http.Request) {
			if os.Getenv("TALKATIVE") == "yes" {
				log.Printf("%s %s from %s with %v: %s", r.Method, r.URL, r.RemoteAddr, r.Header, strings.Repeat("so it goes ", 20))
			}
			body, err := answer(r)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			_, _ = io.WriteString(w, body) // a client that has left
		})
	}
	server := &http.Server{Addr: os.Getenv("LISTEN"), Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	return server.ListenAndServe()
}

// read returns all rows of a query as text.
func (o *orchard) read(query string, args ...any) (string, error) {
	rows, err := o.db.Query(query, args...)
	if err != nil {
		return "", err
	}
	defer func() { _ = rows.Close() }()
	var out strings.Builder
	for rows.Next() {
		var a, b string
		if err := rows.Scan(&a, &b); err != nil {
			return "", err
		}
		fmt.Fprintln(&out, a, b)
	}
	return out.String(), rows.Err()
}

// crates is quick with an index on grower and plot.
func (o *orchard) crates(*http.Request) (string, error) {
	return o.read("SELECT id, picked FROM crates WHERE grower = ? AND plot = ?", 1+rand.IntN(200), 1+rand.IntN(7))
}

// newest is quick with an index on picked.
func (o *orchard) newest(*http.Request) (string, error) {
	return o.read("SELECT id, picked FROM crates ORDER BY picked DESC LIMIT 10")
}

// busiest groups all crates to show ten growers.
func (o *orchard) busiest(*http.Request) (string, error) {
	return o.read("SELECT g.id, g.name FROM crates c JOIN growers g ON g.id = c.grower GROUP BY g.id ORDER BY MAX(c.picked) DESC LIMIT 10")
}

// board asks for the grower of each of its crates.
func (o *orchard) board(*http.Request) (string, error) {
	tx, err := o.db.Begin()
	if err != nil {
		return "", err
	}
	defer func() { _ = tx.Rollback() }() // nothing was written
	for range 40 {
		var name string
		if err := tx.QueryRow("SELECT name FROM growers WHERE id = ?", 1+rand.IntN(200)).Scan(&name); err != nil {
			return "", err
		}
	}
	return "forty growers", nil
}

// harvest writes its rows one by one, each a transaction.
func (o *orchard) harvest(r *http.Request) (string, error) {
	conn, err := o.db.Conn(r.Context())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	for range 30 {
		if _, err := conn.ExecContext(r.Context(), "INSERT INTO notes (crate, words) VALUES (?, 'ripe')", rand.IntN(20000)); err != nil {
			return "", err
		}
	}
	return "thirty notes", nil
}

// weigh locks a whole table to add to one row.
func (o *orchard) weigh(r *http.Request) (string, error) {
	conn, err := o.db.Conn(r.Context())
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	for _, s := range []string{"LOCK TABLES scales WRITE", "UPDATE scales SET reading = reading + 1 WHERE id = 1", "UNLOCK TABLES"} {
		if _, err := conn.ExecContext(r.Context(), s); err != nil {
			return "", err
		}
	}
	return "weighed", nil
}

func (o *orchard) picture(*http.Request) (string, error) {
	return o.read("SELECT body, id FROM pictures WHERE id = ?", 1+rand.IntN(40))
}

// label reads one crate by its key, any of them: the whole table has to be at hand.
func (o *orchard) label(*http.Request) (string, error) {
	return o.read("SELECT label, id FROM crates WHERE id = ?", 1+rand.IntN(20000))
}

// far is a query that waits rather than computes, as one to another machine does.
func (o *orchard) far(*http.Request) (string, error) {
	return o.read("SELECT id, SLEEP(0.2) FROM scales")
}

// basket asks Redis forty times.
func (o *orchard) basket(*http.Request) (string, error) {
	for range 40 {
		if err := o.redis.ask("INCR apples\r\n"); err != nil {
			return "", err
		}
	}
	return "a basket", nil
}

// shelf asks memcached for what nobody ever put there.
func (o *orchard) shelf(*http.Request) (string, error) {
	for range 20 {
		if err := o.memcached.ask(fmt.Sprintf("get jar%d\r\n", rand.IntN(1000))); err != nil {
			return "", err
		}
	}
	return "an empty shelf", nil
}

// delivery takes a large body.
func delivery(r *http.Request) (string, error) {
	n, err := io.Copy(io.Discard, r.Body)
	return strconv.FormatInt(n, 10), err
}

// almanac reads its file again each time: its own program will do for one.
func almanac(*http.Request) (string, error) {
	book, err := os.ReadFile("/proc/self/exe")
	return strconv.Itoa(len(book)), err
}

// line is connections to a server that answers each line with one line.
type line struct {
	address string
	idle    chan net.Conn
}

func newLine(address string) *line { return &line{address, make(chan net.Conn, 64)} }

func (l *line) ask(command string) error {
	var conn net.Conn
	select {
	case conn = <-l.idle:
	default:
		var err error
		if conn, err = net.Dial("tcp", l.address); err != nil {
			return err
		}
	}
	if _, err := io.WriteString(conn, command); err != nil {
		return err
	}
	if _, err := bufio.NewReader(conn).ReadString('\n'); err != nil {
		return err
	}
	select {
	case l.idle <- conn:
		return nil
	default:
		return conn.Close()
	}
}
