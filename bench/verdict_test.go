package bench

import (
	"fmt"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hotseat"
)

func ok(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "ok") }

func TestPass(t *testing.T) {
	var served atomic.Int64
	s := serve(t, func(w http.ResponseWriter, r *http.Request) { served.Add(1); ok(w, r) })
	o := play(t, get(), "--target", s.URL)
	if o.verdict.Verdict != hotseat.Pass {
		t.Fatalf("%s: %s %v", o.verdict.Verdict, o.verdict.Reason, o.failures())
	}
	n := served.Load()
	if got := o.points()["page"]; got != n || *o.verdict.Score != n || o.verdict.RawScore != n {
		t.Errorf("points %d, score %d, want the %d pages served", got, *o.verdict.Score, n)
	}
	if len(o.verdict.Endpoints) != 1 || o.verdict.Endpoints[0].Count != n || o.verdict.Endpoints[0].Template != "/" || o.verdict.Endpoints[0].Bytes != 2*n {
		t.Errorf("endpoints %+v, want %d of /", o.verdict.Endpoints, n)
	}
	if e := o.verdict.Endpoints[0]; e.TotalS <= 0 || e.TotalS > float64(e.Count)*e.MaxMS/1000*1.01 {
		t.Errorf("total %v s for %d requests of at most %v ms", e.TotalS, e.Count, e.MaxMS)
	}
	if g := o.verdict.Generator; g.Requests != n || g.CPUS <= 0 || g.Connections != 2 || g.MaxFileDesc < 4 {
		t.Errorf("generator %+v", g)
	}
	want := map[string]int64{"x.connect": n, "x.transport": n, "x.timeout": n, "x.protocol": n, "x.server-error": n,
		"x.initialize": 0, "x.server-died": 1, ruleStatus: n, ruleBody: n}
	if diff := cmp.Diff(want, o.verdict.Rules); diff != "" {
		t.Errorf("rules exercised (-want +got):\n%s", diff)
	}
}

// every nth request is answered by bad, the others well.
func every(n int64, bad http.HandlerFunc) http.HandlerFunc {
	var count atomic.Int64
	return func(w http.ResponseWriter, r *http.Request) {
		if count.Add(1)%n == 0 {
			bad(w, r)
			return
		}
		ok(w, r)
	}
}

func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

// nginxPage is how nginx says that something went wrong on its side.
const nginxPage = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
	"<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"

func TestStrictVerdict(t *testing.T) {
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			fmt.Fprint(w, body)
		}
	}
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		verdict hotseat.Verdict
		failure string // class/code [rule] that must be there, and alone
		reason  string // must be in the reason
	}{
		"wrong answer once in a hundred": {every(100, answer(200, "oh no")), hotseat.Fail, "content/value-mismatch [x.body]", "want ok, got oh no"},
		"wrong status":                   {every(100, answer(404, "ok")), hotseat.Fail, "status/unexpected-status [x.status]", "status 404 instead of 200"},
		"body too large":                 {every(100, answer(413, "no")), hotseat.Fail, "status/unexpected-status [x.status]", "too large for a server on the way"},
		"5xx below the share":            {every(20, answer(503, "busy")), hotseat.Pass, "status/unexpected-5xx [x.server-error]", ""},
		"5xx above the share":            {every(4, answer(500, "oops")), hotseat.Fail, "status/unexpected-5xx [x.server-error]", "% of"},
		"5xx that nginx wrote":           {every(4, answer(502, nginxPage)), hotseat.Fail, "status/unexpected-5xx [x.server-error]", "from nginx itself"},
		"429 below the share":            {every(20, answer(429, "slow down")), hotseat.Pass, "status/too-many-requests [x.server-error]", ""},
		"429 above the share":            {every(4, answer(429, "slow down")), hotseat.Fail, "status/too-many-requests [x.server-error]", "% of"},
		"connection closed, below":       {every(20, hangUp), hotseat.Pass, "", ""},
		"not http": {every(50, func(w http.ResponseWriter, _ *http.Request) {
			conn, _, err := w.(http.Hijacker).Hijack()
			if err == nil {
				fmt.Fprint(conn, "HTTP/1.1 banana\r\n\r\n")
				_ = conn.Close()
			}
		}), hotseat.Fail, "protocol/bad-status-line [x.protocol]", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, c.handler)
			o := play(t, get(), "--target", s.URL)
			if o.verdict.Verdict != c.verdict || !strings.Contains(o.verdict.Reason, c.reason) {
				t.Errorf("%s: %s; want %s: …%s…", o.verdict.Verdict, o.verdict.Reason, c.verdict, c.reason)
			}
			got := o.failures()
			if c.failure != "" && (len(got) != 1 || got[c.failure] == 0) {
				t.Errorf("failures %v, want only %s", got, c.failure)
			}
			if c.verdict == hotseat.Fail && *o.verdict.Score != 0 {
				t.Errorf("score %d on fail", *o.verdict.Score)
			}
			if o.verdict.RawScore == 0 {
				t.Error("raw score 0")
			}
		})
	}
}

func TestTimeout(t *testing.T) {
	s := serve(t, every(30, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	}))
	c := get()
	c.Limits.Total = 50 * time.Millisecond
	o := play(t, c, "--target", s.URL)
	if n := o.failures()["timeout/timeout [x.timeout]"]; n == 0 || o.verdict.Verdict != hotseat.Pass {
		t.Errorf("%s: %s, failures %v", o.verdict.Verdict, o.verdict.Reason, o.failures())
	}
}
