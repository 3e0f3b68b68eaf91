package main

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strconv"
	"time"
)

// lines is how many an access log has, paths how many different ones, as the
// speeds that we are to beat were measured with.
const (
	lines = 1_000_000
	paths = 6858
)

// site is an imaginary application: its routes, and what is known of the log
// that is written of it.
type site struct {
	routes []*siteRoute
	seed   uint64
}

// siteRoute is a route with the values that its paths take, and the truth.
type siteRoute struct {
	method, template string
	values           []string // paths
	weight           int
	mean             float64 // ms

	count      int64
	bytes      int64
	request    []int32 // ms
	upstream   []int32
	sum, upSum int64
}

// match are the patterns by which alp is told the same routes: seven, one for each that varies.
var match = []string{"^/api/items/[0-9]+$", "^/api/items/[0-9]+/buy$", "^/api/users/[0-9]+$", "^/api/users/[0-9]+/posts/[0-9]+$",
	"^/articles/[^/]+$", "^/uploads/[^/]+$", "^/api/orders/[^/]+$"}

// newSite makes the site, the same for the same seed.
func newSite(seed uint64) *site {
	r := rand.New(rand.NewPCG(seed, 1))
	s := &site{seed: seed}
	add := func(method, template string, weight int, mean float64, n int, value func(i int) string) {
		route := &siteRoute{method: method, template: template, weight: weight, mean: mean}
		for i := range max(n, 1) {
			path := template
			if value != nil {
				path = value(i)
			}
			route.values = append(route.values, path)
		}
		s.routes = append(s.routes, route)
	}
	words := []string{"slow", "fast", "index", "cache", "query", "table", "lock", "proxy", "queue", "shard", "page", "disk", "heap", "stack", "cron", "mutex", "batch", "retry", "trace", "scan"}
	add("GET", "/", 120, 12, 0, nil)
	add("POST", "/api/login", 40, 80, 0, nil)
	add("POST", "/api/logout", 15, 3, 0, nil)
	add("GET", "/api/me", 90, 6, 0, nil)
	add("GET", "/api/items", 70, 150, 0, nil)
	add("GET", "/api/ranking", 20, 420, 0, nil)
	add("GET", "/api/items/*", 200, 25, 2500, func(i int) string { return fmt.Sprintf("/api/items/%d", i+1) })
	add("POST", "/api/items/*/buy", 25, 60, 800, func(i int) string { return fmt.Sprintf("/api/items/%d/buy", i+1) })
	add("GET", "/api/users/*", 110, 18, 1446, func(i int) string { return fmt.Sprintf("/api/users/%d", i+1000) })
	add("GET", "/api/users/*/posts/*", 60, 35, 500, func(i int) string { return fmt.Sprintf("/api/users/%d/posts/%d", i%50+1000, i+1) })
	add("GET", "/articles/*", 80, 45, 402, func(i int) string {
		return fmt.Sprintf("/articles/%s-%s-%s", words[i%20], words[(i/20+7)%20], words[(i/400+i%13)%20]+strconv.Itoa(i))
	})
	add("GET", "/uploads/*.png", 60, 4, 700, func(int) string { return fmt.Sprintf("/uploads/%016x.png", r.Uint64()) })
	add("GET", "/api/orders/*", 30, 30, 500, func(int) string {
		return fmt.Sprintf("/api/orders/%08x-%04x-4%03x-a%03x-%012x", r.Uint32(), r.Uint32()&0xffff, r.Uint32()&0xfff, r.Uint32()&0xfff, r.Uint64()&0xffffffffffff)
	})
	add("GET", "/static/app.css", 30, 1, 0, nil)
	add("GET", "/static/app.js", 30, 1, 0, nil)
	add("GET", "/search", 15, 220, 0, nil)
	add("GET", "/favicon.ico", 5, 1, 0, nil)
	return s
}

// request is one line's content.
type request struct {
	route    *siteRoute
	path     string
	at       time.Time
	status   int
	size     int
	request  int32 // ms
	upstream int32
	referer  string
	client   string
}

// generate makes the requests one after the other, always the same ones, and
// counts the truth anew.
func (s *site) generate(n int, each func(*request) error) error {
	r := rand.New(rand.NewPCG(s.seed, 2))
	var wheel []*siteRoute
	for _, route := range s.routes {
		for range route.weight {
			wheel = append(wheel, route)
		}
		route.count, route.bytes, route.sum, route.upSum, route.request, route.upstream = 0, 0, 0, 0, route.request[:0], route.upstream[:0]
	}
	at := time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)
	for i := range n {
		route := wheel[r.IntN(len(wheel))]
		took := int32(min(1+r.ExpFloat64()*route.mean, 60_000))
		q := request{route: route, path: route.values[r.IntN(len(route.values))], at: at.Add(time.Duration(i/5000) * time.Second),
			status: 200, size: 200 + r.IntN(20_000), request: took, upstream: took - took/8,
			client: fmt.Sprintf("10.%d.%d.%d", r.IntN(4), r.IntN(256), r.IntN(256)), referer: s.routes[r.IntN(6)].template}
		switch v := r.IntN(1000); {
		case v < 8:
			q.status = 404
		case v < 12:
			q.status = 500
		case v < 14:
			q.status = 499
		case v < 60 && route.method == "GET":
			q.status = 304
		}
		if route.template == "/search" {
			q.path += "?q=" + strconv.Itoa(r.IntN(100_000))
		}
		route.count++
		route.bytes += int64(q.size)
		route.sum += int64(q.request)
		route.upSum += int64(q.upstream)
		route.request = append(route.request, q.request)
		route.upstream = append(route.upstream, q.upstream)
		if err := each(&q); err != nil {
			return err
		}
	}
	for _, route := range s.routes {
		slices.Sort(route.request)
		slices.Sort(route.upstream)
	}
	return nil
}

const agent = "Mozilla/5.0 (X11; Linux x86_64) Gecko/20100101 Firefox/145.0 Bench/1"

// writeLTSV writes the log as alp and ISUCON teams have it.
func (s *site) writeLTSV(w io.Writer, n int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	err := s.generate(n, func(q *request) error {
		_, err := fmt.Fprintf(b, "time:%s\thost:%s\tforwardedfor:-\treq:%s %s HTTP/1.1\tmethod:%s\turi:%s\tstatus:%d\tsize:%d\treferer:https://app.example%s\tua:%s\treqtime:%d.%03d\tapptime:%d.%03d\tvhost:app.example\n",
			q.at.Format("02/Jan/2006:15:04:05 -0700"), q.client, q.route.method, q.path, q.route.method, q.path, q.status, q.size, q.referer, agent,
			q.request/1000, q.request%1000, q.upstream/1000, q.upstream%1000)
		return err
	})
	if err != nil {
		return err
	}
	return b.Flush()
}

// writeJSON writes the log with alp's keys and what else such logs have.
func (s *site) writeJSON(w io.Writer, n int) error {
	b := bufio.NewWriterSize(w, 1<<20)
	err := s.generate(n, func(q *request) error {
		_, err := fmt.Fprintf(b, `{"time":"%s","remote_addr":"%s","forwarded_for":"-","request":"%s %s HTTP/1.1","method":"%s","uri":"%s","status":%d,"body_bytes":%d,"referer":"https://app.example%s","user_agent":"%s","request_time":%d.%03d,"response_time":"%d.%03d","vhost":"app.example"}`+"\n",
			q.at.Format(time.RFC3339), q.client, q.route.method, q.path, q.route.method, q.path, q.status, q.size, q.referer, agent,
			q.request/1000, q.request%1000, q.upstream/1000, q.upstream%1000)
		return err
	})
	if err != nil {
		return err
	}
	return b.Flush()
}
